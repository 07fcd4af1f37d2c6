"""Events to cells: the one place where what happens in a run becomes what stands in the history."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import assert_never

from ...agent.details import Details
from ...agent.events import (
    AgentEnd,
    AgentEvent,
    AgentNotice,
    AgentStart,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    CompactionStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from ...agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from ..hint_rule import STOPS
from ..text.marks import marks
from ..text.numbers import format_count, format_plural, format_seconds
from .cell import Cell
from .history import History
from .message_cells import ReplyCell, UserCell
from .note_cells import FoldCell, NoteCell, StatusCell
from .person_calls import is_persons, person_call_id
from .reply import AFTER_ERROR, ReplyCells
from .stored_cells import command_cell, text_of, user_cell
from .tool_cell import ToolCell

QUIET_SECONDS = 0.7
"""After this long without a sign of life a row says that the model is waited for."""


class Feed:
    """Takes events and messages, keeps the cells of the history up to date. Every call is cheap and synchronous."""

    def __init__(
        self, history: History, *, clock: Callable[[], float] = time.monotonic, stop_hint: str = STOPS
    ) -> None:
        self.history = history
        self.stop_hint = stop_hint
        self.calls: dict[str, ToolCell] = {}  # those without a stored result
        self._clock = clock
        self._reply: ReplyCells | None = None
        self._failed: list[Cell] = []  # what is left of the attempt that failed last
        self._attempt = 0
        self._retry: StatusCell | None = None
        self._compaction: StatusCell | None = None
        self._quiet: StatusCell | None = None
        self._is_running = False
        self._last_sign = clock()
        self._said: UserCell | None = None
        self._unsaved: dict[str, UserCell] = {}

    # ---- events

    def handle(self, event: AgentEvent) -> None:
        """Take one event."""
        self._last_sign = self._clock()
        if self._quiet is not None and not isinstance(event, QueueUpdate):
            self._quiet = self._drop(self._quiet)
        match event:
            case MessageUpdate(event=part):
                if self._reply is not None:
                    self._reply.update(part)
            case MessageStart(message=message):
                self._start_message(message)
            case MessageEnd(message=message):
                self._end_message(message)
            case ToolExecutionStart(tool_call_id=call_id, tool_name=name, arguments=arguments):
                self._call(call_id, name).start(arguments)
            case ToolExecutionUpdate(tool_call_id=call_id, tool_name=name, partial_result=partial):
                self._call(call_id, name).update(partial)
            case ToolExecutionEnd(result=result, outcome=outcome, duration_ms=duration):
                self._call(event.tool_call_id, event.tool_name).end(result, outcome, duration, event.permission)
            case AgentStart():
                self._is_running = True
            case AgentEnd():
                self._end_run()
            case AutoRetryStart():
                self._start_retry(event)
            case AutoRetryEnd():
                self._end_retry(event)
            case CompactionStart():
                self._compaction = self._status(
                    lambda seconds: f"compacting the context {marks().dot} {format_seconds(seconds)}"
                )
            case CompactionEnd():
                self._end_compaction(event)
            case AgentNotice(level=level, text=text):
                self._add(NoteCell(level, text))
            case TurnStart() | TurnEnd() | QueueUpdate():
                pass
            case _:
                assert_never(event)

    def wait(self, call_id: str, preview: Details | None, *, rows: int | None = None) -> None:
        """A call waits for the person; `rows`: so many its preview may take, where it matters."""
        if (cell := self.calls.get(call_id)) is not None:
            cell.wait(preview, rows=rows)

    def resume(self, call_id: str, command: str = "") -> None:
        """The person has answered; `command` is what runs in place of the proposed one."""
        self._last_sign = self._clock()
        if (cell := self.calls.get(call_id)) is not None:
            cell.resume(command)

    # ---- what is on its way to the disk

    def save(self, entry_id: str) -> None:
        """What the person said last is the entry of this id, and not on disk yet."""
        if self._said is not None:
            self._said.save("saving")
            self._unsaved[entry_id] = self._said

    def saved(self, entry_ids: Iterable[str]) -> bool:
        """These are on disk; whether one of them was waited for."""
        cells = [cell for entry_id in entry_ids if (cell := self._unsaved.pop(entry_id, None))]
        for cell in cells:
            cell.save("saved")
        return bool(cells)

    def is_late(self, entry_id: str) -> bool:
        """Let an entry that is not on disk yet say so; whether it is not."""
        cell = self._unsaved.get(entry_id)
        if cell is not None:
            cell.save("late")
        return cell is not None

    # ---- messages

    def add_message(self, message: Message) -> None:
        """Show a message that is whole, such as one of a stored session."""
        match message:
            case UserMessage():
                self._said = user_cell(message.content)
                self._add(self._said)
            case AssistantMessage():
                ReplyCells(self).end(message)
                self._abandon_calls()
            case ToolResultMessage():
                self._settle(message)
            case BashExecutionMessage(timestamp=timestamp):
                if self.calls.pop(person_call_id(timestamp), None) is None:
                    self._add(command_cell(message))
            case CustomMessage():
                if message.display:
                    self._add(ReplyCell.of(text_of(message.content)))
            case BranchSummaryMessage(summary=summary):
                self._add(FoldCell("summary of the branch that was left", [ReplyCell.of(summary)]))
            case CompactionSummaryMessage(summary=summary, tokens_before=tokens):
                words = f"context compacted {marks().dot} {format_count(tokens)} tokens before"
                self._add(FoldCell(words, [ReplyCell.of(summary)]))
            case _:
                assert_never(message)

    def _start_message(self, message: Message) -> None:
        if not isinstance(message, AssistantMessage):
            if not isinstance(message, ToolResultMessage):
                self.add_message(message)
            return
        self._fold_failed()
        self._reply = ReplyCells(self)

    def _end_message(self, message: Message) -> None:
        match message:
            case AssistantMessage():
                reply = self._reply or ReplyCells(self)
                self._reply = None
                reply.end(message)
                self._failed = reply.cells if message.stop_reason == "error" else []
            case ToolResultMessage():
                self._settle(message)
            case _:
                pass

    def _settle(self, message: ToolResultMessage) -> None:
        """A call has its result: from now on it is finished."""
        self._call(message.tool_call_id, message.tool_name).end_from(message)
        del self.calls[message.tool_call_id]

    # ---- what the cells of a reply need

    def call(self, call_id: str, name: str, before: Cell | None = None) -> ToolCell:
        """The cell of a call; a new one stands before `before`, or at the end."""
        if (cell := self.calls.get(call_id)) is None:
            cell = self.calls[call_id] = ToolCell(call_id, name, clock=self._clock)
            self.history.add(cell, before=before or self._first_status())
        return cell

    def add(self, cell: Cell, before: Cell | None = None) -> None:
        """Put a cell before another one, or at the end."""
        self.history.add(cell, before=before or self._first_status())

    @property
    def clock(self) -> Callable[[], float]:
        return self._clock

    def _call(self, call_id: str, name: str) -> ToolCell:
        return self.call(call_id, name)

    def _add(self, cell: Cell) -> None:
        self.add(cell)

    # ---- rows about what is under way

    def live_cells(self) -> list[Cell]:
        """Cells that something moves in. They stand at the end."""
        live: list[Cell] = []
        still = 0
        for cell in reversed(self.history.cells):
            if cell.is_live:
                live.append(cell)
            elif (still := still + 1) > 64:
                break
        return live

    def advance(self) -> bool:
        """Lay down what streamed in since the last frame; whether anything did."""
        return self._reply is not None and self._reply.advance()

    def tick(self) -> bool:
        """Time went by; whether anything still moves or may have to."""
        live = self.live_cells()
        for cell in live:
            cell.tick()
        is_waiting = any(cell.state == "waiting" for cell in self.calls.values())
        quiet = self._clock() - self._last_sign
        if self._is_running and not live and not is_waiting and quiet >= QUIET_SECONDS:
            self._quiet = self._status(
                lambda seconds: f"waiting for the model {marks().dot} {format_seconds(seconds + quiet)}"
            )
        return self._is_running or bool(live)

    def _status(self, words: Callable[[float], str]) -> StatusCell:
        cell = StatusCell(words, clock=self._clock)
        self.history.add(cell)
        return cell

    def _drop(self, cell: Cell | None) -> None:
        if cell is not None:
            self.history.remove(cell)

    def _first_status(self) -> Cell | None:
        """The first of the rows that always stay last."""
        shown = [cell for cell in (self._retry, self._compaction, self._quiet) if cell is not None]
        return min(shown, key=self.history.index) if shown else None

    # ---- retries, compaction, the end

    def _start_retry(self, event: AutoRetryStart) -> None:
        self._drop(self._retry)
        self._attempt = event.attempt
        until = self._clock() + event.delay_ms / 1000

        def words(_: float) -> str:
            left = max(until - self._clock(), 0.0)
            when = f"retrying in {left:.0f} s" if left > 0.5 else "retrying"
            told = f"{when} {marks().dot} attempt {event.attempt} of {event.max_attempts}"
            return f"{told} {marks().dot} {self.stop_hint}" if self.stop_hint else told

        if not self._failed:
            self._failed = [NoteCell("error", event.error_message)]
            self._add(self._failed[0])
        for cell in self._failed:
            if isinstance(cell, NoteCell):
                cell.set_hint("")
        self._retry = self._status(words)

    def _end_retry(self, event: AutoRetryEnd) -> None:
        """Whoever stopped the wait reads that it has ended, and how to go on."""
        if self._retry is not None and not event.success:
            self._add(NoteCell("info", "aborted: it is not tried again", AFTER_ERROR, mark="aborted"))
        self._retry = self._drop(self._retry)

    def _fold_failed(self) -> None:
        """The attempt that failed is tried again: fold it to one row, so that no text is shown twice."""
        if self._failed and self._retry is not None:
            texts = [cell for cell in self._failed if isinstance(cell, ReplyCell)]
            errors = [cell.value for cell in self._failed if isinstance(cell, NoteCell)]
            lines = sum(cell.text().count("\n") + 1 for cell in texts)
            partial = f" {marks().dot} {format_plural(lines, 'line')} of a partial reply" if lines else ""
            reason = errors[-1] if errors else "no answer"
            self.history.replace(self._failed, FoldCell(f"attempt failed: {reason}{partial}", self._failed))
        self._failed = []
        self._retry = self._drop(self._retry)

    def _end_compaction(self, event: CompactionEnd) -> None:
        self._compaction = self._drop(self._compaction)
        if event.error_message:
            self._add(NoteCell("error", f"compaction failed: {event.error_message}"))
        elif event.aborted:
            self._add(NoteCell("info", "compaction stopped", mark="aborted"))
        elif event.summary:
            self._add(FoldCell("context compacted", [ReplyCell.of(event.summary)]))

    def _end_run(self) -> None:
        self._is_running = False
        self._retry = self._drop(self._retry)
        self._failed = []
        if self._reply is not None:
            self._reply.abandon()
            self._reply = None
        self._abandon_calls()
        self.calls = {call_id: cell for call_id, cell in self.calls.items() if is_persons(call_id)}

    def _abandon_calls(self) -> None:
        """The model's calls; a command of the person runs on."""
        for call_id, cell in self.calls.items():
            if not is_persons(call_id):
                cell.abandon()
