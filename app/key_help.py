"""Every key and command, grouped by what one wants to do: for the help screen and the docs."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding

from ..agent.frozen import frozen
from ..widgets.approval import ApprovalPanel
from ..widgets.editor import Editor
from ..widgets.hunk_sheet import HunkSheet
from ..widgets.text_editor import TextEditor
from ..widgets.transcript import Transcript
from .bindings import APP_BINDINGS
from .commands import COMMANDS


@frozen
class HelpGroup:
    """A heading and its rows: what to press or type, and what it does."""

    title: str
    rows: tuple[tuple[str, str], ...]


TALK = ("editor.submit", "editor.follow_up", "editor.newline", "app.take_back", "app.stop", "app.clear", "app.leave")

NAMES = {
    "question_mark": "?",
    "underscore": "_",
    "right_square_bracket": "]",
    "newline": "",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "backspace": "bksp",
}
"""How the help spells keys whose names are not what stands on them; an empty one is left out."""


def help_groups() -> tuple[HelpGroup, ...]:
    """All of it, most needed first. Every binding stands in exactly one group."""
    everything = [*_bindings(APP_BINDINGS), *_bindings(Editor.BINDINGS), *_bindings(TextEditor.BINDINGS)]
    by_id = {binding.id: binding for binding in everything}
    rest = [binding for binding in by_id.values() if binding.id not in TALK]
    return (
        HelpGroup("Talk and stop", _rows(by_id[name] for name in TALK)),
        HelpGroup("When a change or command waits", _rows(_bindings(ApprovalPanel.BINDINGS))),
        HelpGroup("Choose among the parts of a change", _rows(_bindings(HunkSheet.BINDINGS))),
        HelpGroup("Read", _rows([*(b for b in rest if _is_app(b)), *_bindings(Transcript.BINDINGS)])),
        HelpGroup(
            "Commands", tuple((f"/{command.name} {command.argument}".strip(), command.about) for command in COMMANDS)
        ),
        HelpGroup("Write", _rows(binding for binding in rest if not _is_app(binding))),
    )


def key_label(keys: str) -> str:
    """Keys as people write them: ``alt+enter · ctrl+q``."""
    labels = ("+".join(NAMES.get(part, part) for part in key.split("+")) for key in keys.split(","))
    return " · ".join(label for label in labels if label)


def _rows(bindings: Iterable[Binding]) -> tuple[tuple[str, str], ...]:
    return tuple((key_label(binding.key), binding.description) for binding in bindings)


def _bindings(table: Iterable[object]) -> list[Binding]:
    return [binding for binding in table if isinstance(binding, Binding)]


def _is_app(binding: Binding) -> bool:
    return (binding.id or "").startswith("app.")
