"""The approval panel: stands where the editor was and waits for the person's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import ClassVar, Literal, TypeAlias, cast

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.message import Message

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...agent.details import DiffDetails
from ...agent.frozen import frozen
from ..editor.text_editor import TextEditor
from ..terminal.key_dispatch import first_key, run_own
from ..terminal.key_names import typed_text
from .hunk_sheet import HunkSheet
from .hunks import Hunks, hunks_of
from .question import ApprovalQuestion, command_of, question_of, with_command
from .sheet import FIELD_ROWS, ApprovalSheet, Choice

GUARD = 0.4
"""Seconds after opening in which no key counts as consent."""

PAUSE = 0.25
"""Seconds without a key that end the typing which went on when the panel opened."""


FieldUse: TypeAlias = Literal["sentence", "command", "hunk"]
"""What is written in the panel's field: why not, the command to run instead, the new text of a hunk."""

PROMPTS: dict[FieldUse, str] = {
    "sentence": "why not?",
    "command": "the command to run instead",
    "hunk": "nothing: these lines are removed",
}

FIELD_HINTS: dict[FieldUse, tuple[tuple[str, str], ...]] = {
    "sentence": (("approval.field_send", "refuses with this sentence"), ("approval.field_back", "back")),
    "command": (
        ("approval.field_send", "runs this instead"),
        ("approval.field_back", "back"),
        ("editor.newline", "new line"),
        ("app.edit_outside", "your editor"),
    ),
    "hunk": (
        ("approval.field_keep", "keeps this text"),
        ("app.edit_outside", "your editor"),
        ("approval.field_back", "back"),
    ),
}
"""Ids of bindings and what they do in the field."""

FIELD_ACTIONS = frozenset({"field_send", "field_keep", "field_back"})
"""What keys do in the field, and nowhere else."""

EDIT = Choice("approval.edit", "edit it", "edit", "edit")


@frozen
class _Waiting:
    """A call that waits, what is asked about it, how it can be changed."""

    request: ApprovalRequest
    question: ApprovalQuestion
    hunks: Hunks | None
    command: str | None
    rules: tuple[str, ...]

    @property
    def offers(self) -> tuple[Choice, ...]:
        """The choices that only this call has."""
        found: list[Choice] = []
        if self.hunks is not None:
            found.append(Choice("approval.hunks", "choose hunks", "hunks", "hunks"))
        if self.hunks is not None or self.command is not None:
            found.append(EDIT)
        if self.rules:
            found.append(Choice("approval.always", "always allow", "always", "always"))
        return tuple(found)


class ApprovalPanel(Vertical, can_focus=True):
    """Asks about one call after the other. Not shown while nobody is asked.

    `escape` is left to the app (it aborts the run), except in the sentence field, where it leads back. What is typed
    right after it opens is no answer: it is handed on in `TypedAhead`.
    """

    DEFAULT_CSS = """
    ApprovalPanel {
        height: auto;
        display: none;
        &.-open { display: block; }
        & > TextEditor, & > HunkSheet { display: none; }
        &.-field > TextEditor { display: block; }
        &.-hunks > HunkSheet { display: block; }
        &.-hunks > ApprovalSheet { display: none; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('apply')", "apply", id="approval.apply", show=False),
        Binding("n", "answer('refuse')", "refuse", id="approval.refuse", show=False),
        Binding("f", "explain", "refuse, and say why", id="approval.explain", show=False),
        Binding("h", "hunks", "choose hunks", id="approval.hunks", show=False),
        Binding("e", "edit", "edit what would be done", id="approval.edit", show=False),
        Binding("w", "always", "always allow: choose what exactly", id="approval.always", show=False),
        Binding("a", "answer('apply_all')", "apply all in this run", id="approval.apply_all", show=False),
        Binding("enter", "take", "what is highlighted", id="approval.take", show=False),
        Binding("right,tab", "choose(1)", "next choice", id="approval.next", show=False),
        Binding("left,shift+tab", "choose(-1)", "choice before", id="approval.previous", show=False),
        Binding("down", "scroll_body(1)", "scroll down", id="approval.down", show=False),
        Binding("up", "scroll_body(-1)", "scroll up", id="approval.up", show=False),
        Binding("pagedown", "scroll_body(10)", "a page down", id="approval.page_down", show=False),
        Binding("pageup", "scroll_body(-10)", "a page up", id="approval.page_up", show=False),
        Binding("enter", "field_send", "in the field: send it", id="approval.field_send", show=False),
        Binding("ctrl+s,alt+enter", "field_keep", "in a hunk's text: keep it", id="approval.field_keep", show=False),
        Binding("escape", "field_back", "in the field or the rules: back", id="approval.field_back", show=False),
    ]

    @dataclass
    class Answered(Message):
        """The person has decided about a call; `rule` is the index of the rule that allows such calls from now on."""

        tool_call_id: str
        answer: ApprovalAnswer
        rule: int | None = None

    @dataclass
    class TypedAhead(Message):
        """Text that was meant for the editor: put it into the draft."""

        text: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._waiting: list[_Waiting] = []
        self._guard_ends = 0.0
        self._field_use: FieldUse = "sentence"
        self._drafts: dict[FieldUse, str] = {}
        self._sheet = ApprovalSheet(partial(first_key, self))
        self._hunk_sheet = HunkSheet()
        self._field = TextEditor(max_rows=FIELD_ROWS)

    def compose(self) -> ComposeResult:
        yield self._sheet
        yield self._hunk_sheet
        yield self._field

    # What the app calls

    def show_stop_key(self, key: str) -> None:
        """Which key of the app stops the run."""
        self._sheet.stop_key = key

    @property
    def is_open(self) -> bool:
        return bool(self._waiting)

    @property
    def field(self) -> TextEditor | None:
        """Where a text is written for the answer, if it is open now."""
        return self._field if self.has_class("-field") else None

    @property
    def field_ending(self) -> str:
        """The ending of a file name that fits what is written there, such as ``.py``."""
        preview = self._waiting[0].request.preview if self._waiting else None
        if self._field_use == "hunk" and isinstance(preview, DiffDetails):
            return PurePath(preview.path).suffix
        return ".sh" if self._field_use == "command" else ".md"

    def ask(
        self, request: ApprovalRequest, *, folder: str = "", confinement: str = "", rules: Sequence[str] = ()
    ) -> None:
        """Ask about a call; behind those that wait already. Takes the focus.

        `folder` and `confinement` are said with a command. `rules` are what "always" could mean, in words, the
        narrowest first (nine at most); the person chooses one of them or none.
        """
        hunks = hunks_of(request)
        count = len(hunks.hunks) if hunks is not None else None
        question = question_of(request, folder=folder, confinement=confinement, hunks=count)
        self._waiting.append(_Waiting(request, question, hunks, command_of(request), tuple(rules[:9])))
        if len(self._waiting) == 1:
            self._show_next()
        else:
            self._sheet.show_waiting(len(self._waiting) - 1)

    def withdraw(self, tool_call_id: str) -> None:
        """Ask no longer about a call, such as one that was aborted."""
        if not self._waiting:
            return
        first = self._waiting[0]
        self._waiting = [waiting for waiting in self._waiting if waiting.request.tool_call_id != tool_call_id]
        if first not in self._waiting:
            self._show_next()
        else:
            self._sheet.show_waiting(len(self._waiting) - 1)

    def close(self) -> None:
        """Ask nothing any more; nobody is answered."""
        self._waiting.clear()
        self._show_next()

    # Keys

    def on_key(self, event: events.Key) -> None:
        if self.has_class("-field"):
            handled = run_own(self, event.key)
        elif self.has_class("-hunks"):
            handled = False
        elif self.has_class("-rules"):
            handled = self._choose_rule(event.key)
        elif self._is_guarded(event):
            handled = self._type_ahead(event)
        else:
            handled = run_own(self, event.key)
        if handled:
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.post_message(self.TypedAhead(event.text))

    def _is_guarded(self, event: events.Key) -> bool:
        """Whether a key was typed before anybody could have read the question."""
        if event.time >= self._guard_ends:
            return False
        self._guard_ends = max(self._guard_ends, event.time + PAUSE)
        return event.key != "escape"

    def _type_ahead(self, event: events.Key) -> bool:
        if text := typed_text(event):
            self.post_message(self.TypedAhead(text))
        return True

    def action_answer(self, verdict: str) -> None:
        """Answer with one key."""
        match verdict:
            case "apply":
                self._answer(ApprovalAnswer("apply"))
            case "apply_all":
                self._answer(ApprovalAnswer("apply_all"))
            case _:
                self._answer(ApprovalAnswer("refuse"))

    def action_explain(self) -> None:
        """Refuse with a sentence for the model."""
        self._open_field("sentence", "")

    def action_hunks(self) -> None:
        """Choose which parts of the change to apply."""
        self._open_hunks()

    def action_edit(self) -> None:
        """Edit the command, or the first part of the change, before it is done."""
        waiting = self._waiting[0]
        if waiting.hunks is not None:
            self._open_hunks()
            self._hunk_sheet.action_edit()
        elif waiting.command is not None:
            self._open_field("command", waiting.command)

    def action_take(self) -> None:
        """Take the highlighted choice."""
        match self._sheet.chosen.action:
            case "explain":
                self.action_explain()
            case "hunks":
                self.action_hunks()
            case "edit":
                self.action_edit()
            case "always":
                self.action_always()
            case verdict:
                self.action_answer(verdict)

    def action_choose(self, step: int) -> None:
        """Highlight another choice."""
        self._sheet.choose(step)

    def action_scroll_body(self, rows: int) -> None:
        """Scroll what is to be read."""
        self._sheet.scroll_body(rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is answered from the list of hunks or the field; hunks and edits are for calls that have them.

        The scroll keys are the transcript's while there is nothing to scroll here.
        """
        if action in FIELD_ACTIONS:
            return self._is_for_field(action)
        if action == "scroll_body":
            return self._sheet.can_scroll and not (self.has_class("-hunks") or self.has_class("-field"))
        if any(self.has_class(name) for name in ("-hunks", "-field", "-rules")):
            return False
        if action in ("hunks", "edit", "always"):
            return bool(self._waiting) and any(choice.action == action for choice in self._waiting[0].offers)
        return True

    # Rules

    def action_always(self) -> None:
        """Show what "always" could mean; a digit chooses."""
        self.add_class("-rules")
        self._sheet.show_rules(self._waiting[0].rules)

    def _choose_rule(self, key: str) -> bool:
        """Take a key while the rules are shown; anything but a digit of one, Escape and what scrolls is ignored."""
        rules = self._waiting[0].rules
        if key.isdecimal() and 1 <= int(key) <= len(rules):
            self._answer(ApprovalAnswer("apply"), rule=int(key) - 1)
        else:
            run_own(self, key)
        return True

    # Hunks

    def _open_hunks(self) -> None:
        waiting = self._waiting[0]
        if waiting.hunks is None:
            return
        if not self.has_class("-hunks"):
            preview = waiting.request.preview
            path = preview.path if isinstance(preview, DiffDetails) else ""
            self._hunk_sheet.show(waiting.question.question, waiting.hunks, path)
        self.add_class("-hunks")
        self._hunk_sheet.focus()

    def on_hunk_sheet_chosen(self, event: HunkSheet.Chosen) -> None:
        event.stop()
        self._answer(event.answer)

    def on_hunk_sheet_left(self, event: HunkSheet.Left) -> None:
        event.stop()
        self.remove_class("-hunks")
        self.focus()

    def on_hunk_sheet_edit_requested(self, event: HunkSheet.EditRequested) -> None:
        event.stop()
        self._open_field("hunk", event.text)

    # The field

    def _open_field(self, use: FieldUse, text: str) -> None:
        self._field_use = use
        self._field.placeholder = PROMPTS[use]
        self._field.set_text(self._drafts.pop(use, text))
        self.add_class("-field")
        hint = self._field_hint(use)
        self._sheet.show_hint(hint)
        self._hunk_sheet.show_hint(hint)
        self._field.focus()

    def _close_field(self) -> None:
        """Back to where the field was opened; a sentence or a command that was begun is kept."""
        if self._field_use != "hunk":
            self._drafts[self._field_use] = self._field.text
        self.remove_class("-field")
        self._sheet.show_hint("")
        self._hunk_sheet.show_hint("")
        (self._hunk_sheet if self.has_class("-hunks") else self).focus()

    def _field_hint(self, use: FieldUse) -> str:
        """The keys that work in the field."""
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        owners: dict[str, DOMNode] = {"editor": self._field, "app": app}
        keys = [
            (first_key(owners.get(binding_id.partition(".")[0], self), binding_id), words)
            for binding_id, words in FIELD_HINTS[use]
        ]
        return " · ".join(f"{key} {words}" for key, words in keys if key)

    def _is_for_field(self, action: str) -> bool:
        """Whether a key of the field does something now."""
        if not self.has_class("-field"):
            return action == "field_back" and self.has_class("-rules")
        return action != "field_keep" or self._field_use == "hunk"

    def action_field_back(self) -> None:
        """Leave the field, or the list of rules."""
        if self.has_class("-field"):
            self._close_field()
        else:
            self.remove_class("-rules")
            self._sheet.show_rules(())

    def action_field_keep(self) -> None:
        """Take the text for the hunk."""
        self._hunk_sheet.set_text(self._field.text)
        self._close_field()

    def action_field_send(self) -> None:
        """Answer with the text; in that of a hunk, which may have many lines, break the line."""
        match self._field_use:
            case "hunk":
                self._field.action_newline()
            case "command":
                self._run_edited(self._field.text)
            case "sentence":
                self._answer(ApprovalAnswer("refuse", self._field.text.strip() or None))

    def _run_edited(self, command: str) -> None:
        """Run the person's version of the command."""
        waiting = self._waiting[0]
        if not command.strip():
            return
        if command == waiting.command:
            self._answer(ApprovalAnswer("apply"))
            return
        arguments = with_command(waiting.request, command)
        self._answer(ApprovalAnswer("apply", arguments=arguments, note=f"The person changed the command to: {command}"))

    # Parts

    def _answer(self, answer: ApprovalAnswer, rule: int | None = None) -> None:
        waiting = self._waiting.pop(0)
        self._show_next()
        self.post_message(self.Answered(waiting.request.tool_call_id, answer, rule))

    def _show_next(self) -> None:
        self.remove_class("-field", "-hunks", "-rules")
        self._drafts.clear()
        self.set_class(bool(self._waiting), "-open")
        if self._waiting:
            waiting = self._waiting[0]
            self._sheet.show(waiting.question, len(self._waiting) - 1, waiting.offers)
            self._start_guard()
            self.call_after_refresh(self._start_guard)
            self.focus()

    def _start_guard(self) -> None:
        """Guard from now on: when asked, and again when the question is on the screen."""
        self._guard_ends = max(self._guard_ends, Message().time + GUARD)
        self._watch_guard()

    def _watch_guard(self) -> None:
        """Draw the keys as ones that count as soon as they do."""
        left = self._guard_ends - Message().time
        self._sheet.set_class(left > 0, "-guarded")
        if left > 0:
            self.set_timer(left, self._watch_guard)
