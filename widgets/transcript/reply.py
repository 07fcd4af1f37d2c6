"""The cells of one reply of the model while it streams: one for each block, in the order of the blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, assert_never

from ...agent.messages import AssistantMessage, ServerToolContent, TextContent, ThinkingContent, ToolCall
from ...agent.provider import (
    ServerTool,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamStart,
    StreamUsage,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .cell import Cell
from .message_cells import ReplyCell
from .note_cells import NoteCell
from .thinking_cell import ThinkingCell
from .tool_cell import ToolCell

AFTER_ERROR = "nothing was lost: /retry asks once more"
"""What to do after an error; what is wrong and how to mend it says the error itself."""


class Place(Protocol):
    """Where a reply puts its cells."""

    def add(self, cell: Cell, before: Cell | None = None) -> None: ...

    def call(self, call_id: str, name: str, before: Cell | None = None) -> ToolCell: ...

    @property
    def clock(self) -> Callable[[], float]: ...


class ReplyCells:
    """The blocks of one reply by their index. Blocks may interleave; each is shown where its index says."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._blocks: dict[int, Cell] = {}
        self._notes: list[Cell] = []

    @property
    def cells(self) -> list[Cell]:
        """All of them in order, notes on how it ended last."""
        return [*(self._blocks[index] for index in sorted(self._blocks)), *self._notes]

    def update(self, event: StreamEvent) -> None:
        """Take one event of the stream."""
        match event:
            case TextDelta(content_index=index, delta=delta):
                self._feed_text(index, delta)
            case ThinkingStart(content_index=index):
                self._thinking(index)
            case ThinkingDelta(content_index=index, delta=delta):
                self._thinking(index).feed(delta)
            case ThinkingEnd(content_index=index, content=content):
                self._end_thinking(index, content)
            case ToolCallStart(content_index=index, id=call_id, name=name):
                self._call(index, call_id, name)
            case ToolCallDelta(content_index=index, delta=delta):
                if isinstance(cell := self._blocks.get(index), ToolCell):
                    cell.feed(delta)
            case ToolCallEnd(content_index=index, tool_call=call):
                self._call(index, call.id, call.name).know(call.arguments)
            case TextEnd(content_index=index, content=content):
                self._end_text(index, content)
            case StreamStart() | TextStart() | ServerTool() | StreamUsage() | StreamDone() | StreamError():
                pass
            case _:
                assert_never(event)

    def advance(self) -> bool:
        """Lay down the text that came in since the last call; whether there was any."""
        changed = [
            cell.advance() for cell in self._blocks.values() if isinstance(cell, ReplyCell) and not cell.is_whole
        ]
        return any(changed)

    def end(self, message: AssistantMessage) -> None:
        """The reply is whole: what it says counts."""
        for index, block in enumerate(message.content):
            match block:
                case TextContent():
                    self._end_text(index, block)
                case ThinkingContent():
                    self._end_thinking(index, block)
                case ToolCall():
                    self._call(index, block.id, block.name).know(block.arguments)
                case ServerToolContent(kind=kind):
                    if index not in self._blocks:
                        self._put(index, NoteCell("info", f"the provider ran {kind}"))
                case _:
                    assert_never(block)
        self._settle_open(len(message.content))
        self._say_end(message)

    def abandon(self) -> None:
        """Nothing more will come."""
        self._settle_open(0)

    def _settle_open(self, known: int) -> None:
        """End blocks of which the message says nothing."""
        for index, cell in self._blocks.items():
            if index < known:
                continue
            if isinstance(cell, ReplyCell | ThinkingCell):
                cell.finish(cell.text())
            elif isinstance(cell, ToolCell):
                cell.abandon()

    def _say_end(self, message: AssistantMessage) -> None:
        if (note := _end_note(message)) is not None:
            self._notes.append(note)
            self._place.add(note)

    def _feed_text(self, index: int, delta: str) -> None:
        cell = self._blocks.get(index)
        if cell is None:
            if not delta.strip():
                return
            cell = self._put(index, ReplyCell())
            delta = delta.lstrip("\n")
        if isinstance(cell, ReplyCell):
            cell.feed(delta)

    def _end_text(self, index: int, content: TextContent) -> None:
        text = content.text.lstrip("\n")
        cell = self._blocks.get(index)
        if cell is None and text.strip():
            self._put(index, ReplyCell.of(text))
        elif isinstance(cell, ReplyCell):
            cell.finish(text)

    def _thinking(self, index: int) -> ThinkingCell:
        cell = self._blocks.get(index)
        if not isinstance(cell, ThinkingCell):
            cell = ThinkingCell(clock=self._place.clock)
            self._put(index, cell)
        return cell

    def _end_thinking(self, index: int, content: ThinkingContent) -> None:
        cell = self._blocks.get(index)
        if isinstance(cell, ThinkingCell):
            if cell.is_live:
                cell.finish(content.thinking, is_redacted=content.redacted)
        elif content.thinking.strip() or content.redacted:
            stored = ThinkingCell(content.thinking, clock=self._place.clock)
            stored.is_redacted = content.redacted
            self._put(index, stored)

    def _call(self, index: int, call_id: str, name: str) -> ToolCell:
        cell = self._blocks.get(index)
        if not isinstance(cell, ToolCell) or cell.call_id != call_id:
            cell = self._place.call(call_id, name, self._after(index))
            self._blocks[index] = cell
        return cell

    def _put(self, index: int, cell: Cell) -> Cell:
        self._place.add(cell, self._after(index))
        self._blocks[index] = cell
        return cell

    def _after(self, index: int) -> Cell | None:
        """The cell before which a block of that index belongs."""
        following = [other for other in self._blocks if other > index]
        return self._blocks[min(following)] if following else None


def _end_note(message: AssistantMessage) -> NoteCell | None:
    """What is to be said of how a reply ended, None for the usual ends."""
    match message.stop_reason:
        case "error":
            return NoteCell("error", message.error_message or "the request failed", AFTER_ERROR)
        case "aborted":
            return NoteCell("info", "aborted", mark="aborted")
        case "length":
            hint = "say `go on`, or raise the model's output limit" + (
                "; its calls did not run" if message.tool_calls else ""
            )
            return NoteCell("warning", "the reply was cut by the output limit", hint)
        case _:
            detail = message.stop_detail
            return (
                NoteCell("warning", f"the model stopped: {detail}") if detail in ("refusal", "content_filter") else None
            )
