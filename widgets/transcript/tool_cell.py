"""One tool call: a live cell from the first fragment of its arguments to its result."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Literal, TypeAlias

from ...agent.details import Details, DiffDetails, OutputDetails
from ...agent.messages import ImageContent, JsonObject, ToolResultMessage
from ...agent.permission import Permission
from ...agent.tool import ToolResult
from ..text.look import Look
from ..text.numbers import format_count
from ..text.outside_text import outside_line
from .arguments import ArgumentsHead, telling_argument
from .bodies import body_of
from .body import Body
from .call_row import CHANGED, CallRow
from .cell import Cell
from .decision import decision_copy, decision_parts, refused_by_person
from .outcome_words import failure_words, success_words
from .part import Part

CallState: TypeAlias = Literal["pending", "waiting", "running", "ok", "failed", "refused", "aborted"]
Outcome: TypeAlias = Literal["ok", "failed", "blocked", "invalid", "aborted"]


_STATES: dict[Outcome, CallState] = {
    "ok": "ok",
    "failed": "failed",
    "blocked": "refused",
    "invalid": "failed",
    "aborted": "aborted",
}


class ToolCell(Cell):
    """The call `call_id` of the tool `name`. `clock` gives seconds and is monotonic."""

    is_row: ClassVar[bool] = True

    def __init__(self, call_id: str, name: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.call_id = call_id
        self.name = outside_line(name)
        self.state: CallState = "pending"
        self.frame = 0
        self.details: Details | None = None
        self.duration: float | None = None
        self.permission: Permission | None = None
        self.command = ""
        self._arguments: JsonObject | None = None
        self._head = ArgumentsHead()
        self._clock = clock
        self._started: float | None = None
        self._outcome: Outcome | None = None
        self._is_abandoned = False
        self._make_body: Callable[[], Body] | None = None
        self._body: Body | None = None
        self._row = CallRow(self)

    @property
    def body(self) -> Body | None:
        """What hangs below its row, made when it is first needed."""
        if self._body is None and self._make_body is not None:
            self._body = self._make_body()
        return self._body

    def build(self) -> list[Part]:
        decision = decision_parts(self.permission, self.proposed(""), is_expanded=self.is_expanded)
        is_hidden = self.body is None or (refused_by_person(self.permission) and not self.is_expanded)
        return [self._row, *decision, *([] if is_hidden or self.body is None else self.body.parts(self.is_expanded))]

    def estimate(self, width: int) -> int:
        return 1 if self._make_body is None else 6

    @property
    def is_settled(self) -> bool:
        return self.state in ("ok", "failed", "refused", "aborted")

    @property
    def is_live(self) -> bool:
        return self.state == "running"

    @property
    def can_abort(self) -> bool:
        return self.state in ("running", "waiting")

    @property
    def can_expand(self) -> bool:
        return self.permission is not None or (self.body is not None and self.body.can_expand)

    @property
    def elapsed(self) -> float | None:
        """Seconds it has run or took; None before it runs and while it waits."""
        if self.duration is not None or self._started is None:
            return self.duration
        return self._clock() - self._started

    def argument(self, folder: str) -> str:
        """The telling argument, as far as it is known; the command that ran, where the person changed it."""
        return outside_line(self.command) if self.command else self.proposed(folder)

    def proposed(self, folder: str) -> str:
        """The telling argument that the model gave."""
        return self._head.value(folder) if self._arguments is None else telling_argument(self._arguments, folder)

    @property
    def arguments_size(self) -> int:
        """Characters of arguments that have streamed in."""
        return self._head.size

    def feed(self, fragment: str) -> None:
        """A fragment of the arguments' JSON came in."""
        before = self._head.size
        if self._head.feed(fragment) or self._head.size // 1000 != before // 1000:
            self._row.invalidate()

    def know(self, arguments: JsonObject) -> None:
        """The arguments are whole."""
        self._arguments = arguments
        self._row.invalidate()

    def start(self, arguments: JsonObject) -> None:
        """The call is taken up."""
        self.know(arguments)
        if not self.is_settled:
            self.state = "running"
            self._started = self._clock()

    def wait(self, preview: Details | None, *, rows: int | None = None) -> None:
        """It waits for the person, who sees what it would do, in `rows` rows at most."""
        self.state = "waiting"
        self._started = None
        self.details = preview
        self._hang(None if preview is None else lambda: _preview(preview, rows))

    def resume(self, command: str = "") -> None:
        """The person has answered: it runs, with this command of theirs if there is one, or is settled by its end."""
        self.command = command
        if self.state == "waiting":
            self.state = "running"
            self._started = self._clock()
            preview = self.details
            self._hang(None if preview is None else lambda: body_of(preview, ""))

    def update(self, partial: ToolResult) -> None:
        """What it has so far."""
        if not self.is_settled:
            details = self.details = partial.details or self.details
            self._hang(lambda: body_of(details, partial.text))

    def end(
        self, result: ToolResult, outcome: Outcome, duration_ms: int | None, permission: Permission | None = None
    ) -> None:
        """It is settled."""
        self.permission = permission
        self.command = self.command if permission is None else permission.command
        self.state = _STATES[outcome]
        self._outcome = outcome
        self.duration = None if duration_ms is None else duration_ms / 1000
        self._started = None
        if self.state == "aborted" and result.details is None:
            self._hang(self._make_body)
            return
        self.details = self.details if result.details is None else result.details
        image = next((block.data for block in result.content if isinstance(block, ImageContent)), "")
        if refused_by_person(permission):
            self._hang(None if result.details is None else lambda: body_of(result.details, ""))
            return
        self._hang(lambda: body_of(result.details, result.text, is_error=result.is_error, image=image))

    def end_from(self, message: ToolResultMessage) -> None:
        """It is settled by its stored result, which says whether it failed but not how. Its events count for more."""
        if self.is_settled and not self._is_abandoned:
            return
        details = message.details
        outcome: Outcome = "failed" if message.is_error else "ok"
        if isinstance(details, OutputDetails) and details.aborted:
            outcome = "aborted"
        elif message.is_error and message.duration_ms is None:
            outcome = "blocked"
        result = ToolResult(message.content, details, message.is_error)
        self.end(result, outcome, message.duration_ms, message.permission)

    def abandon(self) -> None:
        """Nothing is known to settle it any more."""
        if not self.is_settled:
            self._is_abandoned = True
            self.state = "aborted"
            self.duration = self.elapsed
            self._hang(self._make_body)

    def expand(self, is_expanded: bool) -> bool:
        if self.is_expanded == is_expanded:
            return False
        self.is_expanded = is_expanded
        self.rebuild()
        return True

    def tick(self) -> None:
        self.frame += 1
        self._row.invalidate()

    def text(self) -> str:
        return self._with_head("" if self.body is None else self.body.text())

    def copied(self) -> str:
        return self._with_head("" if self.body is None else self.body.copied())

    def _with_head(self, body: str) -> str:
        head = f"{self.name} {self.argument('')}{f'  ({CHANGED})' if self.command else ''}".rstrip()
        return "\n".join(filter(None, (head, decision_copy(self.permission), body)))

    @property
    def piece_name(self) -> str:
        return "the patch" if isinstance(self.details, DiffDetails) else "the output"

    def pieces(self) -> list[str]:
        """What hangs below its row, such as the output alone."""
        text = "" if self.body is None else self.body.copied()
        return [text] if text else []

    def outcome_words(self, look: Look) -> str:
        """How it stands, in a word or two: the mark and the colour only repeat it."""
        match self.state:
            case "pending":
                return self._preparation()
            case "waiting":
                return "waiting for you"
            case "running":
                return "running"
            case "aborted":
                return "interrupted" if self._is_abandoned else "aborted"
            case "refused":
                return "refused" if self._outcome != "invalid" else "not run"
            case "failed":
                return "invalid" if self._outcome == "invalid" else f"failed{failure_words(self.details)}"
            case "ok":
                return success_words(self.details, self.permission).replace("·", look.marks.dot)

    def _preparation(self) -> str:
        if self._arguments is not None:
            return "queued"
        return f"preparing {format_count(self.arguments_size)}" if self.arguments_size > 4000 else "preparing"

    def _hang(self, make_body: Callable[[], Body] | None) -> None:
        """Another body, made when it is seen; what the row says may have changed too."""
        self._make_body = make_body
        self._body = None
        self._row.invalidate()
        self.rebuild()


def _preview(details: Details, rows: int | None) -> Body:
    body = body_of(details, "")
    if rows is not None:
        body.allow(rows)
    return body
