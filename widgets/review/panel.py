"""The approval panel: stands where the editor was and waits for the person's answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import ClassVar, cast

from textual import events
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...agent.details import DiffDetails
from ..editor.text_editor import TextEditor
from ..terminal.key_dispatch import first_key, own_bindings, run_own
from ..terminal.key_names import typed_text
from .answer_field import OF_LINES, AnswerField, FieldUse
from .consent import Consent
from .early_keys import EarlyKeys
from .hunk_sheet import HunkSheet
from .panel_keys import PANEL_BINDINGS
from .sheet import ApprovalSheet
from .waiting import WaitingCall

FOLLOWS = 3.0
"""Seconds after an answer in which the next question is one of the same series."""

TOO_EARLY = "too early: not taken"


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
        & > HunkSheet { display: none; }
        &.-hunks > HunkSheet { display: block; }
        &.-hunks > ApprovalSheet { display: none; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*PANEL_BINDINGS]

    @dataclass
    class Answered(Message):
        """The person has decided about a call; `rule` is the index of the rule that allows such calls from now on."""

        tool_call_id: str
        answer: ApprovalAnswer
        rule: int | None = None

    class OutsideWanted(Message):
        """What stands in the field is too large to be read there: show it in the person's own editor."""

    @dataclass
    class TypedAhead(Message):
        """Text that was meant for the editor: put it into the draft."""

        text: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._waiting: list[WaitingCall] = []
        self._consent = Consent()
        self._early = EarlyKeys()
        self._answered = (0.0, "")
        self.draft: Callable[[], str] = str
        """What stands in the editor."""
        self.is_in_sight: Callable[[str], bool] = lambda _: True
        """Whether the change of a call can be read without the panel; if not, the panel shows it."""
        self._sheet = ApprovalSheet(partial(first_key, self))
        self._hunk_sheet = HunkSheet()
        self._field = AnswerField()

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
        return self._field.editor

    @property
    def field_ending(self) -> str:
        """The ending of a file name that fits what is written there, such as ``.py``."""
        if self._field.use in OF_LINES and self._waiting:
            return PurePath(self._waiting[0].path).suffix
        return ".sh" if self._field.use == "command" else ".md"

    def ask(
        self, request: ApprovalRequest, *, folder: str = "", confinement: str = "", rules: Sequence[str] = ()
    ) -> None:
        """Ask about a call; behind those that wait already. Takes the focus.

        `folder` and `confinement` are said with a command. `rules` are what "always" could mean, in words, the
        narrowest first (nine at most); the person chooses one of them or none.
        """
        self._waiting.append(WaitingCall(request, folder=folder, confinement=confinement, rules=rules))
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
        if self.has_class("-hunks") or self.field is not None:
            handled = False
        elif not self._waiting:
            handled = self._type_on(event)
        elif self.has_class("-rules"):
            handled = run_own(self, event.key) or True
        elif self._consent.refuses(event):
            handled = self._type_ahead(event)
        else:
            handled = run_own(self, event.key)
        if handled:
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.post_message(self.TypedAhead(event.text))

    def _type_on(self, event: events.Key) -> bool:
        """A key that was on its way here when the last question was answered."""
        text = typed_text(event)
        if text:
            self.post_message(self.TypedAhead(text))
        return bool(text)

    def _type_ahead(self, event: events.Key) -> bool:
        text = typed_text(event)
        is_answer = len(text) == 1 and self._has_own(event.key)
        if text and (typed := self._early.take(text, is_answer=is_answer)):
            self.post_message(self.TypedAhead(typed))
        self._sheet.show_notice(TOO_EARLY if self._early.is_holding else "")
        return True

    def _has_own(self, key: str) -> bool:
        """Whether a key of the question does something now."""
        actions = (parse(binding.action) for binding in own_bindings(self, key))
        return any(self.check_action(name, parameters) for _, name, parameters in actions)

    def action_answer(self, verdict: str) -> None:
        """Answer with one key."""
        match verdict:
            case "apply":
                self._answer(self._waiting[0].answer())
            case "apply_all":
                self._answer(self._waiting[0].answer("apply_all"))
            case _:
                self._answer(ApprovalAnswer("refuse"))

    def action_explain(self) -> None:
        """Refuse with a sentence for the model."""
        self._open_field("sentence", "")

    def action_hunks(self) -> None:
        """Choose which parts of the change to apply."""
        self._open_hunks()

    def action_edit(self) -> None:
        """Edit the command, the first part of the change, or the whole text, before it is done."""
        waiting = self._waiting[0]
        if waiting.choice is not None:
            self._open_hunks()
            self._hunk_sheet.action_edit()
        elif waiting.command is not None:
            self._open_field("command", waiting.command)
        elif waiting.whole is not None:
            self._open_field("text", waiting.whole.text)
            if waiting.is_unseen:
                self.post_message(self.OutsideWanted())

    def action_take(self) -> None:
        """Take the highlighted choice, or rule."""
        if self.has_class("-rules"):
            self._take_rule(self._sheet.rules.chosen)
            return
        self._take(self._sheet.chosen.action)

    def _take(self, action: str) -> None:
        match action:
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
        """Highlight another choice, or rule."""
        if self.has_class("-rules"):
            self._sheet.choose_rule(step)
        else:
            self._sheet.choose(step)

    def action_scroll_body(self, rows: int) -> None:
        """Scroll what is to be read."""
        if self.has_class("-rules"):
            self._sheet.choose_rule(1 if rows > 0 else -1)
        else:
            self._sheet.scroll_body(rows)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is answered from the list of hunks or the field; hunks and edits are for calls that have them.

        The scroll keys are the transcript's while there is nothing to scroll here.
        """
        if action == "rules_back":
            return self.has_class("-rules") and self.field is None
        if action == "rule":
            return self.has_class("-rules") and self._sheet.rules.is_in_sight(cast("int", parameters[0]))
        if self.has_class("-hunks") or self.field is not None:
            return False
        if self.has_class("-rules"):
            return action in ("scroll_body", "choose", "take")
        if action == "scroll_body":
            return self._sheet.can_scroll
        if action in ("hunks", "edit", "always"):
            return bool(self._waiting) and any(choice.action == action for choice in self._waiting[0].offers)
        return True

    def on_approval_sheet_picked(self, event: ApprovalSheet.Picked) -> None:
        """The mouse is a key too."""
        event.stop()
        if not self._waiting or self.field is not None or self._consent.is_early(event.pressed_at):
            return
        if event.action == "rule":
            self._take_rule(event.rule)
        else:
            self._take(event.action)

    # Rules

    def action_always(self) -> None:
        """Show what "always" could mean; each has a key."""
        self.add_class("-rules")
        self._sheet.show_rules(self._waiting[0].rules)

    def action_rule(self, index: int) -> None:
        """Apply, and from now on whatever the rule covers."""
        self._take_rule(index)

    def _take_rule(self, index: int | None) -> None:
        """Let it run by this rule from now on; one that can't be read is not taken."""
        if index is not None and self._sheet.rules.is_in_sight(index):
            self._answer(self._waiting[0].answer(), rule=index)

    def action_rules_back(self) -> None:
        """Back to the choices."""
        self.remove_class("-rules")
        self._sheet.show_rules(())

    # Hunks

    def _open_hunks(self) -> None:
        waiting = self._waiting[0]
        if waiting.choice is None:
            return
        if not self.has_class("-hunks"):
            self._hunk_sheet.show(waiting.question.question, waiting.choice, waiting.path)
        self.add_class("-hunks")
        self._hunk_sheet.focus()

    def on_hunk_sheet_chosen(self, event: HunkSheet.Chosen) -> None:
        """Pressed twice, it is no answer to the next question."""
        event.stop()
        if self.has_class("-hunks"):
            self._answer(self._waiting[0].answer())

    def on_hunk_sheet_left(self, event: HunkSheet.Left) -> None:
        event.stop()
        if self.has_class("-hunks"):
            self.remove_class("-hunks")
            self._sheet.show_again(self._waiting[0].question)
            self.focus()

    def on_hunk_sheet_edit_requested(self, event: HunkSheet.EditRequested) -> None:
        event.stop()
        if self.has_class("-hunks"):
            self._open_field("hunk", event.text)

    # The field

    def _open_field(self, use: FieldUse, text: str) -> None:
        self._field.open(use, text)
        self._show_hint(self._field.hint)

    def _close_field(self) -> None:
        """Back to where the field was opened."""
        self._field.close()
        self._show_hint("")
        (self._hunk_sheet if self.has_class("-hunks") else self).focus()

    def _show_hint(self, hint: str) -> None:
        self._sheet.show_hint(hint)
        self._hunk_sheet.show_hint(hint)

    def on_answer_field_left(self, event: AnswerField.Left) -> None:
        event.stop()
        if self.field is None:
            return
        choice = self._waiting[0].choice
        if event.use == "hunk" and choice is not None:
            choice.put_aside(event.text)
        self._close_field()

    def on_answer_field_sent(self, event: AnswerField.Sent) -> None:
        event.stop()
        if self.field is None:
            return
        match event.use:
            case "hunk":
                self._hunk_sheet.set_text(event.text)
                self._close_field()
            case "command":
                if event.text.strip():
                    self._answer(self._waiting[0].answer_with(event.text))
            case "text":
                if (whole := self._waiting[0].whole) is not None:
                    self._answer(whole.answer(event.text))
            case "sentence":
                self._answer(ApprovalAnswer("refuse", event.text.strip() or None))

    # Parts

    def _answer(self, answer: ApprovalAnswer, rule: int | None = None) -> None:
        waiting = self._waiting.pop(0)
        self._answered = (Message().time, self.draft())
        self._show_next()
        self.post_message(self.Answered(waiting.request.tool_call_id, answer, rule))

    def _show_next(self) -> None:
        self.remove_class("-hunks", "-rules")
        self._field.forget()
        self.set_class(bool(self._waiting), "-open")
        if self._waiting:
            waiting = self._waiting[0]
            self._sheet.show(waiting.question, len(self._waiting) - 1, waiting.offers)
            answered_at, draft = self._answered
            self._early.begin(follows=Message().time - answered_at < FOLLOWS and self.draft() == draft)
            self._start_guard()
            self.call_after_refresh(self._start_guard)
            self.call_after_refresh(self._show_change)
            self.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_change)

    def _show_change(self) -> None:
        """Nothing is let through that could not be read."""
        if not self._waiting:
            return
        request = self._waiting[0].request
        if isinstance(request.preview, DiffDetails) and not self.is_in_sight(request.tool_call_id):
            self._sheet.show_change(request.preview)

    def _start_guard(self) -> None:
        """Guard from now on: when asked, and again when the question is on the screen."""
        self._consent.restart()
        self._watch_guard()

    def _watch_guard(self) -> None:
        """Draw the keys as ones that count as soon as they do."""
        left = self._consent.wait
        self._sheet.set_class(left > 0, "-guarded")
        if left <= 0:
            self._early.forget()
            self._sheet.show_notice("")
        else:
            self.set_timer(left, self._watch_guard)
