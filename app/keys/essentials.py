"""The few keys that one needs, grouped by what one wants to do: the first page of the help."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...agent.frozen import frozen
from ...widgets.terminal.key_labels import key_labels
from .help import HelpRow, KeysOf

ANSWER, STOP, READ = "Answer a question", "Stop", "Read"
"""Groups that can be what matters now."""


@frozen
class Essentials:
    """A heading, and rows of ids (or what is typed) and words. Two ids that belong together are parted by a blank."""

    title: str
    rows: tuple[tuple[str, str], ...]

    def shown(self, keys_of: KeysOf) -> list[HelpRow]:
        """The rows with their first keys; one that has no key is left out."""
        rows = [HelpRow(_keys(ids, keys_of), words) for ids, words in self.rows]
        return [row for row in rows if row.keys]


ESSENTIALS: tuple[Essentials, ...] = (
    Essentials(
        "Say it",
        (
            ("editor.submit", "send; steer a run"),
            ("editor.follow_up", "send it later"),
            ("editor.newline", "new line"),
            ("app.take_back", "take it back"),
            ("app.edit_outside", "write in your editor"),
            ("editor.history_search", "earlier prompts"),
        ),
    ),
    Essentials(
        STOP, (("app.stop", "stop the run"), ("app.clear", "copy, clear or stop"), ("app.leave", "quit, if empty"))
    ),
    Essentials(
        "Find",
        (("app.palette", "anything there is"), ("/", "a command"), ("@", "a file"), ("!", "run a shell command")),
    ),
    Essentials(
        ANSWER,
        (
            ("approval.apply approval.refuse", "apply, refuse"),
            ("approval.explain", "refuse, and say why"),
            ("approval.edit", "edit it first"),
            ("approval.hunks", "choose parts"),
            ("approval.always", "always allow"),
        ),
    ),
    Essentials(
        "Choose",
        (
            ("app.model", "the model"),
            ("app.cycle_thinking", "how much it thinks"),
            ("app.cycle_approval", "what asks first"),
        ),
    ),
    Essentials(
        READ,
        (
            ("app.expand_all", "open all output"),
            ("app.page_up app.page_down", "pages"),
            ("app.previous_message app.next_message", "your messages"),
            ("app.find", "find a text"),
            ("app.read", "with the keys"),
        ),
    ),
)


def columns(now: str) -> tuple[Sequence[Essentials], Sequence[Essentials]]:
    """The groups in two columns of the same height, the one that matters now first."""
    half = len(ESSENTIALS) // 2
    left, right = (
        sorted(part, key=lambda group: group.title != now) for part in (ESSENTIALS[:half], ESSENTIALS[half:])
    )
    return (right, left) if right[0].title == now else (left, right)


def _keys(ids: str, keys_of: Callable[[str], str]) -> str:
    return " ".join(_first(each, keys_of) for each in ids.split()).strip()


def _first(binding_id: str, keys_of: Callable[[str], str]) -> str:
    """The first key of a binding; what is no binding is typed."""
    if "." not in binding_id:
        return binding_id
    return next(iter(key_labels(keys_of(binding_id))), "")
