"""Every key there is: the tables of the app, the screens and the widgets as one, and where each of them counts.

For `keys.toml`, the help screen, the palette and the guide. Cheap: it imports nothing that the first frame does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from textual.binding import Binding

from ...widgets.diff.session_diff import SessionDiff
from ...widgets.editor.keys import EDITOR_BINDINGS, TEXT_BINDINGS
from ...widgets.editor.line_field import LineField
from ...widgets.editor.vim import keys as vim
from ...widgets.review.answer_field import AnswerField
from ...widgets.review.hunk_sheet import HunkSheet
from ...widgets.review.panel import ApprovalPanel
from ...widgets.transcript.find_bar import FindBar
from ...widgets.transcript.transcript import Transcript
from . import screens
from .bindings import APP_BINDINGS, ONLY_IF_EMPTY
from .spelling import types_letter


class Place(NamedTuple):
    """Bindings that count at the same time, those that are asked first first. `is_text`: letters are typed there."""

    name: str
    bindings: tuple[Binding, ...]
    is_text: bool = False


def _bindings(table: Iterable[object]) -> tuple[Binding, ...]:
    return tuple(binding for binding in table if isinstance(binding, Binding))


FIRST = tuple(binding for binding in APP_BINDINGS if binding.priority)
LAST = tuple(binding for binding in APP_BINDINGS if not binding.priority)
LINE = _bindings(LineField.BINDINGS)
PANEL = _bindings(ApprovalPanel.BINDINGS)
OF_RULES = tuple(binding for binding in PANEL if (binding.id or "").startswith("approval.rule"))


def _over_main(name: str, *tables: Iterable[object], is_text: bool = False) -> Place:
    """A place on the main screen, where the app's keys count too."""
    return Place(name, (*FIRST, *(binding for table in tables for binding in _bindings(table)), *LAST), is_text)


def _of_vim(name: str, *tables: Iterable[Binding]) -> Place:
    """A state of Vim's keys. They are asked before the app's keys that type something, and before the editor's."""
    return Place(name, (*FIRST, vim.ESCAPE, *(binding for table in tables for binding in table)))


def _list(name: str, keys: tuple[Binding, ...] = ()) -> Place:
    return Place(name, (*LINE, *keys, *screens.PICKER_KEYS), is_text=True)


PLACES: tuple[Place, ...] = (
    _over_main("the editor", (vim.ESCAPE,), EDITOR_BINDINGS, TEXT_BINDINGS, is_text=True),
    _of_vim("Vim's normal mode", vim.NORMAL_KEYS),
    _of_vim("Vim's visual mode", vim.VISUAL_KEYS),
    _of_vim("Vim's keys behind an operator", vim.PENDING_KEYS),
    _of_vim("Vim's keys behind g", vim.AFTER_G),
    _of_vim("Vim's text objects", vim.OBJECTS),
    _over_main("the transcript", Transcript.BINDINGS),
    _over_main("the field that finds", FindBar.BINDINGS, is_text=True),
    _over_main("a question about a change or command", (key for key in PANEL if key not in OF_RULES)),
    _over_main("the rules of a question", OF_RULES),
    _over_main("the field of a question", AnswerField.BINDINGS, TEXT_BINDINGS, is_text=True),
    _over_main("the parts of a change", HunkSheet.BINDINGS),
    _list("a list"),
    _list("a list of models or levels", screens.MODEL_KEYS),
    _list("the list of sessions", screens.RESUME_KEYS),
    _list("the list of rules", screens.RULE_KEYS),
    _list("the tree", screens.TREE_KEYS),
    _list("the settings", screens.SETTINGS_KEYS),
    _list("the search", screens.SEARCH_KEYS),
    Place("the changes of the session", (*_bindings(SessionDiff.BINDINGS), *screens.DIFF_KEYS)),
    Place("a question with a few answers", screens.CHOICE_KEYS),
    Place("a question for a text", (*LINE, *screens.ASK_TEXT_KEYS), is_text=True),
    Place("the form for a key", (*screens.LOGIN_KEYS, *LINE), is_text=True),
    Place("something to wait for", screens.WAIT_KEYS),
    Place("the question of trust", screens.TRUST_KEYS),
    Place("the start without a model", screens.START_KEYS),
    Place("the help", (*LINE, *screens.HELP_KEYS), is_text=True),
)

KEY_TABLE: Mapping[str, Binding] = {
    binding.id or "": binding
    for binding in (*(binding for place in PLACES for binding in place.bindings), *EDITOR_BINDINGS, *TEXT_BINDINGS)
}
"""Every binding by its id, with the keys that it has by default."""


WAYS_OUT = frozenset(
    {
        "picker.cancel",
        "diff.back",
        "choice.cancel",
        "ask_text.cancel",
        "login.cancel",
        "trust.not_now",
        "start.quit",
        "help.close",
        "find.end",
        "hunks.back",
        "approval.rules_back",
        "approval.field_back",
    }
)
"""What leads out of a place that has no other way out: it keeps a key whatever `keys.toml` says."""


def takes_letters(binding_id: str) -> bool:
    """Whether a key that types a letter may stand for the action: not where letters are typed, unless it is empty there."""
    binding = KEY_TABLE[binding_id]
    if binding.action.partition("(")[0] in ONLY_IF_EMPTY or any(map(types_letter, binding.key.split(","))):
        return True
    return all(binding_id != each.id for place in PLACES if place.is_text for each in place.bindings)
