"""Asking the person about a call: the panel takes the editor's place until there is an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...agent.details import DiffDetails
from ...agent.permission import Permission
from ...widgets.review.question import question_of
from ...widgets.status import EXPANDS, FOLDS, HINTS, Hints
from ..view import View

WHILE_READING: Hints = (("tab", "back"), ("enter", "opens"), ("?", "help"))
"""The keys that work while the transcript has them, by default."""

WHILE_ASKING: Hints = (("ctrl+o", EXPANDS), ("f1", "help"))
"""The keys that work while the panel has them, by default."""

OF_DIFF = (("] [", "hunks"),)
"""Besides, while a change waits."""

BY_PERSON = Permission("allowed", "person")


class Asking:
    """Joins `ask`, which the policy awaits, with the panel, which posts the answer."""

    def __init__(self, view: View, folder: str) -> None:
        self.folder = folder
        self.waits: Callable[[str | None], object] = lambda _: None
        """Told what the person is asked, None when they are asked no more."""
        self.hints = HINTS
        self.hints_of_diff: Hints = OF_DIFF
        self.hints_while_asking = WHILE_ASKING
        self.hints_while_reading = WHILE_READING
        self.confinement: Callable[[Permission], str] = lambda _: ""
        self._view = view
        view.panel.is_in_sight = view.transcript.shows_waiting
        view.panel.draft = lambda: view.editor.text
        self._diffs: set[str] = set()
        self._answers: dict[str, asyncio.Future[ApprovalAnswer]] = {}

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Show the question, wait for the answer. Cancelled, it takes the question back."""
        call_id = request.tool_call_id
        if isinstance(request.preview, DiffDetails):
            self._diffs.add(call_id)
        self._answers[call_id] = answer = asyncio.get_running_loop().create_future()
        self._view.transcript.waiting(call_id, request.preview)
        self._view.panel.ask(request, folder=self.folder, confinement=self.confinement(BY_PERSON), rules=request.rules)
        self._arrange()
        self.waits(question_of(request).question)
        command = ""
        try:
            given = await answer
            command = given.command
            return given
        finally:
            del self._answers[call_id]
            self._diffs.discard(call_id)
            self._view.panel.withdraw(call_id)
            self._view.transcript.resumed(call_id, command)
            self._arrange()
            if not self._answers:
                self.waits(None)

    def answered(self, call_id: str, answer: ApprovalAnswer) -> None:
        """The panel's answer; one that comes too late is dropped."""
        waiting = self._answers.get(call_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _arrange(self) -> None:
        """Panel or editor, whoever is needed; the draft stays in the editor."""
        asks = self._view.panel.is_open
        self._view.editor.display = not asks
        self._view.rule.display = not asks
        self.show_hints()
        if not asks:
            self._view.editor.focus()

    def show_hints(self, *, is_reading: bool = False) -> None:
        """The hints of the status line are those of whoever has the keys."""
        of_diff = self.hints_of_diff if self._diffs else ()
        hints = (*of_diff, *self.hints_while_asking) if self._view.panel.is_open else self.hints
        hints = self.hints_while_reading if is_reading else hints
        folds = self._view.transcript.history.opens_all
        self._view.status.hints = tuple((key, FOLDS if folds and word == EXPANDS else word) for key, word in hints)
