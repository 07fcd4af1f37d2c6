"""Questions of the linear mode: numbered answers, one line to choose."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...policy.trust import TrustChoice
from ...widgets.review.question import question_of
from ..conversation.project import short_name
from .output import LinearOutput
from .printer import LinearPrinter
from .results import preview_rows

GUARD = 0.4
"""Seconds after a question in which a line is no answer: it was typed for something else."""

Answer = tuple[int, str]
"""The number that was chosen, from 1, and the words behind it."""


class LinearQuestions:
    """One question at a time. `is_guarded`: a person types the answers, so the first moment does not count."""

    def __init__(self, output: LinearOutput, *, is_guarded: bool) -> None:
        self.changed: Callable[[], object] = lambda: None
        self._output = output
        self._is_guarded = is_guarded
        self._lock = asyncio.Lock()
        self._waiting: asyncio.Future[Answer | None] | None = None
        self._count = 0
        self._opened = 0.0
        self._is_closed = False

    @property
    def is_open(self) -> bool:
        """Whether a question waits."""
        return self._waiting is not None and not self._waiting.done()

    async def choose(self, question: str, choices: Sequence[str], rows: Sequence[str] = ()) -> Answer | None:
        """Ask; None if there is nobody to answer any more."""
        async with self._lock:
            if self._is_closed:
                return None
            self._count, self._opened = len(choices), time.monotonic()
            self._waiting = waiting = asyncio.get_running_loop().create_future()
            numbered = [f"{number} {words}" for number, words in enumerate(choices, 1)]
            self._output.line("question", question, [*rows, *numbered])
            self._output.prompt(self.prompt)
            self.changed()
            try:
                return await waiting
            finally:
                self._waiting = None
                self.changed()

    @property
    def prompt(self) -> str:
        """What stands before the answer."""
        return f"answer 1 to {self._count}"

    def answer(self, line: str) -> None:
        """A line that was typed while the question waits."""
        waiting = self._waiting
        if waiting is None:
            return
        number, _, words = line.strip().partition(" ")
        if self._is_guarded and time.monotonic() - self._opened < GUARD:
            self._again("That came too early to be an answer")
        elif not (number.isascii() and number.isdecimal() and 1 <= int(number) <= self._count):
            self._again(f"{line.strip()!r} is no answer" if line.strip() else "An empty line is no answer")
        else:
            waiting.set_result((int(number), words.strip()))
            self.changed()

    def dismiss(self) -> bool:
        """Take the question back, without an answer; False if there is none."""
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_result(None)
        return True

    def close(self) -> None:
        """There will be no more answers."""
        self._is_closed = True
        self.dismiss()

    def _again(self, why: str) -> None:
        self._output.line("note", f"{why}: type a number from 1 to {self._count}.")
        self._output.prompt(self.prompt)


LAST_CHOICE = 4
"""The number of the last choice before the rules."""


async def _no_words() -> str:
    """Nothing is known."""
    return ""


class LinearApproval:
    """Asks about a call. `stop` ends the run; `confinement` says how a command that is let run would be confined."""

    def __init__(self, questions: LinearQuestions, output: LinearOutput, printer: LinearPrinter) -> None:
        self.stop: Callable[[], object] = lambda: None
        self.confinement: Callable[[], Awaitable[str]] = _no_words
        self._questions = questions
        self._output = output
        self._printer = printer

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Ask and wait; cancelled with the call. Nobody there: refused."""
        confinement = await self.confinement() if request.effect == "command" else ""
        question = question_of(request, folder=self._printer.folder, confinement=confinement)
        for warning in question.warnings:
            self._output.line("warning", warning)
        rows = [*preview_rows(request.preview), *question.body]
        measure = f" ({', '.join(question.measure)})" if question.measure else ""
        choices = (
            question.verb,
            "refuse; words behind the number tell the model why",
            f"{question.verb} this and all like it in this run",
            "stop the run",
            *request.rules,
        )
        answer = await self._questions.choose(question.question + measure, choices, rows)
        self._printer.shown.add(request.tool_call_id)
        match answer:
            case (1, _):
                return ApprovalAnswer("apply")
            case (3, _):
                return ApprovalAnswer("apply_all")
            case (4, _):
                self.stop()
                await asyncio.Future[None]()
                raise AssertionError("the run was not stopped")
            case (int(number), _) if number > LAST_CHOICE:
                return ApprovalAnswer("apply", rule=number - LAST_CHOICE - 1)
            case (_, words):
                return ApprovalAnswer("refuse", words or None)
            case None:
                return ApprovalAnswer("refuse", "nobody is there to answer")


TRUST: dict[TrustChoice, str] = {
    "refuse-once": "don't, this time",
    "once": "trust it, this time",
    "trust": "trust it, and remember that",
    "trust-parent": "trust the folder above too, and remember that",
    "refuse": "don't, and remember that",
}


class LinearTrust:
    """Asks about a project; an answer holds until the program ends, or more things are there."""

    def __init__(self, questions: LinearQuestions) -> None:
        self._questions = questions
        self._answers: dict[tuple[Path, ...], TrustChoice] = {}

    async def ask(self, folder: Path, guarded: Sequence[Path]) -> TrustChoice:
        """The answer of before, or that of the person now."""
        known = self._answers.get((folder, *guarded))
        return known or await self.ask_again(folder, guarded)

    async def ask_again(self, folder: Path, guarded: Sequence[Path]) -> TrustChoice:
        """Ask, whatever was answered before."""
        names = [short_name(path, folder) for path in guarded]
        question = f"Do you trust what this project brings? {folder}"
        answer = await self._questions.choose(question, list(TRUST.values()), names)
        choice = "refuse-once" if answer is None else list(TRUST)[answer[0] - 1]
        self._answers[(folder, *guarded)] = choice
        return choice
