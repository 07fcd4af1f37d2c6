"""The approval panel: stands where the editor was and waits for the person's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from ..agent.approval import ApprovalAnswer, ApprovalRequest
from .approval_question import ApprovalQuestion, question_of
from .approval_sheet import ApprovalSheet
from .key_dispatch import run_own
from .text_editor import TextEditor

GUARD = 0.4
"""Seconds after opening in which no key counts as consent."""

PAUSE = 0.25
"""Seconds without a key that end the typing which went on when the panel opened."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    request: ApprovalRequest
    question: ApprovalQuestion


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
        & > TextEditor { display: none; padding: 0 1; }
        &.-sentence > TextEditor { display: block; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('apply')", "apply", id="approval.apply", show=False),
        Binding("n", "answer('refuse')", "refuse", id="approval.refuse", show=False),
        Binding("f", "explain", "refuse, and say why", id="approval.explain", show=False),
        Binding("a", "answer('apply_all')", "apply all in this run", id="approval.apply_all", show=False),
        Binding("enter", "take", "what is highlighted", id="approval.take", show=False),
        Binding("right,tab", "choose(1)", "next choice", id="approval.next", show=False),
        Binding("left,shift+tab", "choose(-1)", "choice before", id="approval.previous", show=False),
        Binding("down", "scroll_body(1)", "scroll down", id="approval.down", show=False),
        Binding("up", "scroll_body(-1)", "scroll up", id="approval.up", show=False),
        Binding("pagedown", "scroll_body(10)", "a page down", id="approval.page_down", show=False),
        Binding("pageup", "scroll_body(-10)", "a page up", id="approval.page_up", show=False),
    ]

    @dataclass
    class Answered(Message):
        """The person has decided about a call."""

        tool_call_id: str
        answer: ApprovalAnswer

    @dataclass
    class TypedAhead(Message):
        """Text that was meant for the editor: put it into the draft."""

        text: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._waiting: list[_Waiting] = []
        self._guard_ends = 0.0
        self._sheet = ApprovalSheet()
        self._sentence = TextEditor(placeholder="why not? enter sends, esc goes back", max_rows=3)

    def compose(self) -> ComposeResult:
        yield self._sheet
        yield self._sentence

    # What the app calls

    @property
    def is_open(self) -> bool:
        return bool(self._waiting)

    def ask(self, request: ApprovalRequest, *, folder: str = "", confinement: str = "") -> None:
        """Ask about a call; behind those that wait already. Takes the focus."""
        self._waiting.append(_Waiting(request, question_of(request, folder=folder, confinement=confinement)))
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
        if self.has_class("-sentence"):
            handled = self._answer_key_in_sentence(event.key)
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

    def _answer_key_in_sentence(self, key: str) -> bool:
        if key == "enter":
            self._answer(ApprovalAnswer("refuse", self._sentence.text.strip() or None))
        elif key == "escape":
            self._leave_sentence()
        else:
            return False
        return True

    def _is_guarded(self, event: events.Key) -> bool:
        """Whether a key was typed before anybody could have read the question."""
        if event.time >= self._guard_ends:
            return False
        self._guard_ends = max(self._guard_ends, event.time + PAUSE)
        return event.key != "escape"

    def _type_ahead(self, event: events.Key) -> bool:
        if event.is_printable and event.character:
            self.post_message(self.TypedAhead(event.character))
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
        self.add_class("-sentence")
        self._sentence.focus()

    def action_take(self) -> None:
        """Take the highlighted choice."""
        action = self._sheet.chosen.action
        if action == "explain":
            self.action_explain()
        else:
            self.action_answer(action)

    def action_choose(self, step: int) -> None:
        """Highlight another choice."""
        self._sheet.choose(step)

    def action_scroll_body(self, rows: int) -> None:
        """Scroll what is to be read."""
        self._sheet.scroll_body(rows)

    # Parts

    def _answer(self, answer: ApprovalAnswer) -> None:
        waiting = self._waiting.pop(0)
        self._show_next()
        self.post_message(self.Answered(waiting.request.tool_call_id, answer))

    def _leave_sentence(self) -> None:
        self.remove_class("-sentence")
        self.focus()

    def _show_next(self) -> None:
        self._sentence.set_text("")
        self.remove_class("-sentence")
        self.set_class(bool(self._waiting), "-open")
        if self._waiting:
            self._sheet.show(self._waiting[0].question, len(self._waiting) - 1)
            self._guard_ends = Message().time + GUARD
            self._watch_guard()
            self.focus()

    def _watch_guard(self) -> None:
        """Draw the keys as ones that count as soon as they do."""
        left = self._guard_ends - Message().time
        self._sheet.set_class(left > 0, "-guarded")
        if left > 0:
            self.set_timer(left, self._watch_guard)
