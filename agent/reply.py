"""A reply while it streams: stream events in, one `AssistantMessage` out, at any moment."""

from __future__ import annotations

from dataclasses import field

from .messages import (
    AssistantContent,
    AssistantMessage,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    Usage,
    now_ms,
)
from .model import ModelRequest
from .mutable import mutable
from .provider import (
    ServerTool,
    StreamDone,
    StreamEvent,
    StreamStart,
    StreamUsage,
    TextDelta,
    TextEnd,
    ThinkingDelta,
    ThinkingEnd,
    ToolCallEnd,
)


@mutable
class Reply:
    """Collects what a provider yields for `request`. Cost per delta is flat."""

    request: ModelRequest
    timestamp: int = field(default_factory=now_ms)
    done: StreamDone | None = None
    _blocks: dict[int, AssistantContent] = field(default_factory=dict[int, AssistantContent])
    _text: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    _thinking: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    _usage: Usage = Usage()
    _start: StreamStart = StreamStart()

    def add(self, event: StreamEvent) -> None:
        """Take one event."""
        match event:
            case TextDelta():
                self._text.setdefault(event.content_index, []).append(event.delta)
            case ThinkingDelta():
                self._thinking.setdefault(event.content_index, []).append(event.delta)
            case TextEnd() | ThinkingEnd() | ServerTool():
                self._blocks[event.content_index] = event.content
            case ToolCallEnd():
                self._blocks[event.content_index] = event.tool_call
            case StreamUsage():
                self._usage = event.usage
            case StreamDone():
                self.done = event
                self._usage = event.usage
            case StreamStart():
                self._start = event
            case _:
                pass

    def pending(self) -> AssistantMessage:
        """The message as it appears: no content yet."""
        return self._message((), "pending")

    def finished(self) -> AssistantMessage:
        """The whole reply; only after `StreamDone`."""
        assert self.done is not None
        done = self.done
        stop_reason = done.stop_reason
        if stop_reason == "stop" and any(isinstance(block, ToolCall) for block in self._blocks.values()):
            stop_reason = "toolUse"
        return self._message(self._content(), stop_reason, done.error_message, done.stop_detail)

    def broken(self, stop_reason: StopReason, error_message: str) -> AssistantMessage:
        """What there is when the stream failed or was aborted: partial text is kept, half a call is not."""
        return self._message(self._content(), stop_reason, error_message)

    def _content(self) -> tuple[AssistantContent, ...]:
        blocks = dict(self._blocks)
        for index, pieces in self._text.items():
            if index not in blocks:
                blocks[index] = TextContent("".join(pieces))
        for index, pieces in self._thinking.items():
            if index not in blocks:
                blocks[index] = ThinkingContent("".join(pieces))
        return tuple(blocks[index] for index in sorted(blocks))

    def _message(
        self,
        content: tuple[AssistantContent, ...],
        stop_reason: StopReason,
        error_message: str | None = None,
        stop_detail: str | None = None,
    ) -> AssistantMessage:
        model = self.request.model
        return AssistantMessage(
            content,
            api=model.api,
            provider=model.provider,
            model=model.id,
            usage=self._usage,
            stop_reason=stop_reason,
            stop_detail=stop_detail,
            error_message=error_message,
            response_id=self._start.response_id,
            response_model=self._start.response_model,
            thinking_level=self.request.thinking_level,
            timestamp=self.timestamp,
        )
