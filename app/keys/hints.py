"""The keys as `keys.toml` has them: read, in force, and in the hints of the main screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...widgets.status import EXPANDS, Hints
from ...widgets.terminal.key_dispatch import first_key, key_hint

if TYPE_CHECKING:
    from ..tui import PyAgentApp

TYPED_IF_NOT_EMPTY = frozenset({"question_mark"})
"""Default keys of the app that type a letter, as soon as something is written."""


def read_keys(app: PyAgentApp) -> tuple[str, ...]:
    """Read the person's file, if there is one, and let it hold from the next key on; what is to be told about it."""
    app.view.editor.left_when_empty = TYPED_IF_NOT_EMPTY
    path = app.conversation.paths.keys_file
    if not path.exists() and not app.has_own_keys:
        return ()
    from .keymap import load_keymap

    keymap = load_keymap(path)
    app.set_keymap(keymap.changed)
    app.has_own_keys = bool(keymap.changed)
    show_keys(app)
    return keymap.notes


def show_keys(app: PyAgentApp) -> None:
    """Say in the hints which keys hold."""
    view, asking = app.view, app.asking
    expand, help_ = (first_key(app, "app.expand_all"), EXPANDS), first_key(app, "app.help")
    help_if_empty = first_key(app, "app.help_if_empty") or help_
    asking.hints = _shown((expand, ("/", "commands"), (help_if_empty, "help")))
    asking.hints_while_asking = _shown((expand, (help_, "help")))
    hunks = " ".join(filter(None, (first_key(app, "app.next_hunk"), first_key(app, "app.previous_hunk"))))
    asking.hints_of_diff = _shown(((hunks, "hunks"),))
    transcript = view.transcript
    leave, toggle = first_key(transcript, "transcript.leave"), first_key(transcript, "transcript.toggle")
    asking.hints_while_reading = _shown(((leave, "back"), (toggle, "opens"), (help_if_empty, "help")))
    asking.show_hints(is_reading=app.is_reading)
    stops = key_hint(app, "app.stop", "stops")
    steers = key_hint(view.editor, "editor.submit", "steers")
    view.rule.stop_hint = stops
    view.transcript.show_stop_key(stops)
    view.rule.compacting_hints = _some(stops, key_hint(view.editor, "editor.submit", "sends afterwards"))
    view.rule.running_hints = _some(stops, steers, key_hint(view.editor, "editor.follow_up", "sends it later"))
    reading = (key_hint(transcript, ids, words) for ids, words in READING)
    view.rule.reading_hints = _some(*reading, f"{help_if_empty} all keys" if help_if_empty else "")
    view.rule.call_hint = key_hint(transcript, "transcript.abort_call", "stops a call")
    view.panel.show_stop_key(first_key(app, "app.stop"))
    view.queue.hint = key_hint(app, "app.take_back", "takes back")


READING = (
    ("transcript.leave", "back"),
    ("transcript.toggle", "opens"),
    ("transcript.copy", "copies"),
    ("transcript.find", "finds"),
    ("transcript.select", "selects"),
    ("transcript.previous_question,transcript.next_question", "messages"),
    ("transcript.previous_hunk,transcript.next_hunk", "hunks"),
)


def _shown(hints: Hints) -> Hints:
    """Without those that have no key."""
    return tuple((key, words) for key, words in hints if key)


def _some(*hints: str) -> tuple[str, ...]:
    return tuple(filter(None, hints))
