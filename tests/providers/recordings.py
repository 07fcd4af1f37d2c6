"""The recorded streams beside the checkout, and what each of them means in our vocabulary."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from pyagent_tui.agent.messages import ServerToolContent, TextContent, ThinkingContent, ToolCall, Usage
from pyagent_tui.agent.model import Model, ModelRequest
from pyagent_tui.agent.provider import (
    ProviderError,
    ServerTool,
    StreamDone,
    StreamEvent,
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
from pyagent_tui.providers.reasoning_details import parse_details
from pyagent_tui.providers.sse import PayloadDecoder, format_of
from pyagent_tui.providers.wires import make_wire

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "wire"

APIS = {
    "anthropic": "anthropic-messages",
    "openai-chat": "openai-completions",
    "openai-responses": "openai-responses",
    "gemini": "google-generative-ai",
    "ollama": "ollama-chat",
}


@cache
def expectations() -> dict[str, dict[str, Any]]:
    path = FOLDER / "expected.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def recordings() -> list[str]:
    return sorted(expectations())


def request_for(api: str) -> ModelRequest:
    return ModelRequest(Model("recorded", "recorded", APIS[api]), "", ())


@dataclass
class Outcome:
    """All events of a stream, and the error that ended it, if one did."""

    events: list[StreamEvent]
    error: ProviderError | None


def play(name: str, cut: Callable[[bytes], Iterator[bytes]], body: bytes | None = None) -> Outcome:
    """Parse a recording that arrives as `cut` divides it; without any network."""
    return play_payloads(name, _payloads(name, cut, body))


def payloads_of(name: str) -> list[str]:
    return list(_payloads(name, whole, None))


def play_payloads(name: str, payloads: Iterator[str]) -> Outcome:
    """Parse the payloads of a recording, or what a test made of them, as the provider does."""
    request = request_for(expectations()[name]["api"])
    parser = make_wire(request.model.api).parser(request)
    events: list[StreamEvent] = []
    try:
        for payload in payloads:
            events += parser.feed(payload)
            if parser.is_ended or parser.error is not None:
                break
        if parser.error is not None and parser.tokens.is_known:
            events.append(StreamUsage(parser.tokens.usage(request.model)))
        events += parser.finish()
        reason, detail, message = parser.stop()
        usage = parser.tokens.usage(request.model) if parser.tokens.is_known else Usage(estimated=True)
        events.append(StreamDone(reason, usage, detail, message))
    except ProviderError as error:
        return Outcome(events, error)
    return Outcome(events, None)


def _payloads(name: str, cut: Callable[[bytes], Iterator[bytes]], body: bytes | None) -> Iterator[str]:
    body = (FOLDER / name).read_bytes() if body is None else body
    kind = {".sse": "text/event-stream", ".jsonl": "application/x-ndjson"}.get(Path(name).suffix, "application/json")
    decoder = PayloadDecoder(format_of(kind, body[:64]) or "sse", 8_000_000, 64_000_000, 100_000)
    for chunk in cut(body):
        yield from decoder.feed(chunk)
    yield from decoder.flush()


def whole(body: bytes) -> Iterator[bytes]:
    yield body


def bytewise(body: bytes) -> Iterator[bytes]:
    return (body[index : index + 1] for index in range(len(body)))


def randomly(seed: int) -> Callable[[bytes], Iterator[bytes]]:
    def cut(body: bytes) -> Iterator[bytes]:
        dice = random.Random(seed)
        start = 0
        while start < len(body):
            size = dice.choice((1, 2, 3, 7, 20, 100, 1000))
            yield body[start : start + size]
            start += size

    return cut


def mismatches(name: str, outcome: Outcome) -> list[str]:
    """What of a recording's outcome is not as expected, in words."""
    expected = expectations()[name]
    found: list[str] = []

    def check(what: str, got: object, want: object) -> None:
        if got != want:
            found.append(f"{what}: got {got!r:.300}, expected {want!r:.300}")

    check("text", _joined(outcome, TextEnd, TextDelta), expected["text"])
    check("thinking", _joined(outcome, ThinkingEnd, ThinkingDelta), expected["thinking"])
    check("tool calls", [_call(call) for call in _calls(outcome)], [_expected_call(c) for c in expected["tool_calls"]])
    check("stop", _stop(outcome), expected["stop_reason"])
    check("usage", _usage(outcome), expected["usage"])
    if outcome.error is None:
        check("blocks", _blocks(outcome), [block for block in expected["blocks"] if block not in ("refusal", "media")])
    if "error" in expected:
        words: str = expected["error"]["message"]
        check("error", words in str(outcome.error), True)
    if "refusal" in expected:
        check("refusal", _done(outcome).error_message, expected["refusal"])
    check("signatures", _signatures(outcome), expected.get("signatures", []))
    check("redacted", _redacted(outcome), expected.get("redacted", []))
    check("encrypted", _encrypted(outcome), expected.get("encrypted", []))
    found += _broken_order(outcome.events)
    return found


def _done(outcome: Outcome) -> StreamDone:
    return next(event for event in outcome.events if isinstance(event, StreamDone))


def _calls(outcome: Outcome) -> list[ToolCall]:
    return [event.tool_call for event in outcome.events if isinstance(event, ToolCallEnd)]


def _joined(
    outcome: Outcome, end: type[TextEnd] | type[ThinkingEnd], delta: type[TextDelta] | type[ThinkingDelta]
) -> str:
    texts: dict[int, str] = {}
    for event in outcome.events:
        if isinstance(event, delta):
            texts[event.content_index] = texts.get(event.content_index, "") + event.delta
    for event in outcome.events:
        if isinstance(event, end):
            content = event.content
            text = content.text if isinstance(content, TextContent) else content.thinking
            assert texts.get(event.content_index, "") == text
    return "".join(texts[index] for index in sorted(texts))


def _call(call: ToolCall) -> tuple[object, ...]:
    if call.parse_error is not None:
        return call.name, None, call.raw_arguments
    return call.name, call.arguments, None


def _expected_call(call: dict[str, Any]) -> tuple[object, ...]:
    return call["name"], call["arguments"], call.get("arguments_raw")


def _stop(outcome: Outcome) -> str:
    if outcome.error is not None:
        return "error"
    done = _done(outcome)
    if done.stop_detail in ("refusal", "content_filter", "pause"):
        assert done.stop_reason == ("stop" if done.stop_detail == "pause" else "error")
        assert done.stop_detail == "pause" or done.error_message
        return done.stop_detail
    return {"toolUse": "tool_calls"}.get(done.stop_reason, done.stop_reason)


def _usage(outcome: Outcome) -> dict[str, int] | None:
    reports = [event.usage for event in outcome.events if isinstance(event, StreamDone | StreamUsage)]
    if not reports or reports[-1].estimated:
        return None
    last = reports[-1]
    return {
        "input": last.input,
        "output": last.output,
        "cache_read": last.cache_read,
        "cache_write": last.cache_write,
    }


def _blocks(outcome: Outcome) -> list[str]:
    kinds: dict[int, str] = {}
    for event in outcome.events:
        match event:
            case TextEnd():
                kinds[event.content_index] = "text"
            case ThinkingEnd():
                if event.content.redacted and _opaque(event.content):
                    continue
                kinds[event.content_index] = "redacted" if event.content.redacted else "thinking"
            case ToolCallEnd():
                kinds[event.content_index] = "tool"
            case ServerTool():
                kinds[event.content_index] = event.content.kind
            case _:
                pass
    return [kinds[index] for index in sorted(kinds)]


def _opaque(block: ThinkingContent) -> bool:
    return (block.signature or "").startswith(("[", "{"))


def _thinking_blocks(outcome: Outcome) -> list[ThinkingContent]:
    return [event.content for event in outcome.events if isinstance(event, ThinkingEnd)]


def _signatures(outcome: Outcome) -> list[str]:
    found: list[str] = []
    for event in outcome.events:
        match event:
            case ThinkingEnd(content=ThinkingContent(signature=str() as signature, redacted=False)):
                if signature.startswith("{"):
                    continue
                details = parse_details(signature) if signature.startswith("[") else [{"signature": signature}]
                found += [detail["signature"] for detail in details if detail.get("signature")]
            case TextEnd(content=TextContent(signature=str() as signature)) if not signature.startswith("{"):
                found.append(signature)
            case ToolCallEnd(tool_call=ToolCall(signature=str() as signature)) if len(signature) > 64:
                found.append(signature)
            case ServerTool(content=ServerToolContent(data={"thoughtSignature": str() as signature})):
                found.append(signature)
            case _:
                pass
    return found


def _redacted(outcome: Outcome) -> list[str | None]:
    return [block.signature for block in _thinking_blocks(outcome) if block.redacted and not _opaque(block)]


def _encrypted(outcome: Outcome) -> list[str]:
    found: list[str] = []
    for block in _thinking_blocks(outcome):
        if block.signature and block.signature.startswith(("[", "{")):
            details: Any = json.loads(block.signature)
            details = cast("list[dict[str, str]]", details if isinstance(details, list) else [details])
            found += [detail.get("data") or detail.get("encrypted_content") or "" for detail in details]
    return [each for each in found if each]


def _broken_order(events: list[StreamEvent]) -> list[str]:
    """Each block starts once, ends once, and nothing of it comes before or after."""
    opened: set[int] = set()
    ended: set[int] = set()
    broken: list[str] = []
    for event in events:
        index = getattr(event, "content_index", None)
        match event:
            case TextStart() | ThinkingStart() | ToolCallStart():
                if index in opened:
                    broken.append(f"block {index} starts twice")
                opened.add(event.content_index)
            case TextDelta() | ThinkingDelta() | ToolCallDelta() | TextEnd() | ThinkingEnd() | ToolCallEnd():
                if index not in opened or index in ended:
                    broken.append(f"block {index} has {type(event).__name__} outside its life")
                if isinstance(event, TextEnd | ThinkingEnd | ToolCallEnd):
                    ended.add(event.content_index)
            case _:
                pass
    return broken
