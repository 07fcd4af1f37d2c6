"""What servers send that no recording holds."""

import json
from typing import Any

import pytest

from pyagent_tui.agent.messages import (
    AssistantMessage,
    JsonObject,
    ModelMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserMessage,
)
from pyagent_tui.agent.provider import ProviderError, StreamDone, StreamEvent
from pyagent_tui.agent.reply import Reply
from pyagent_tui.providers.compat import compat_for
from pyagent_tui.providers.sse import PayloadDecoder
from pyagent_tui.providers.usage import Tokens
from pyagent_tui.providers.wires import make_wire
from pyagent_tui.tests.providers.asking import CHAT, GEMINI, MESSAGES, RESPONSES, ask_for, model_of


def parse(api: str, *documents: Any, messages: tuple[ModelMessage, ...] = ()) -> tuple[AssistantMessage, Tokens]:
    """The message that these payloads make. Raises `ProviderError` as the provider would."""
    request = ask_for(model_of(api, "ollama" if api == "ollama-chat" else None), *messages)
    parser = make_wire(api).parser(request)
    reply = Reply(request)
    events: list[StreamEvent] = []
    for document in documents:
        events += parser.feed(document if isinstance(document, str) else json.dumps(document))
    events += parser.finish()
    reason, detail, error = parser.stop()
    for event in [*events, StreamDone(reason, parser.tokens.usage(request.model), detail, error)]:
        reply.add(event)
    return reply.finished(), parser.tokens


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields}]}


def finish(word: str | None = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": word}], **more}


def function(arguments: Any, name: str | None = None, **more: Any) -> dict[str, Any]:
    inner = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {**more, "function": inner}


def test_two_calls_without_an_index_in_one_delta_are_two_calls():
    calls = [function('{"path":"x"}', "read", id="a"), function("{}", "ls", id="b")]
    message, _ = parse(CHAT, delta(tool_calls=calls), finish("tool_calls"))
    assert message.tool_calls == (ToolCall("a", "read", {"path": "x"}), ToolCall("b", "ls", {}))


def test_calls_without_index_and_id_are_told_apart_by_their_names():
    message, _ = parse(
        CHAT,
        delta(tool_calls=[function('{"a":', "one")]),
        delta(tool_calls=[function("1}")]),
        delta(tool_calls=[function("{}", "two")]),
        finish("tool_calls"),
    )
    assert [(call.name, call.arguments) for call in message.tool_calls] == [("one", {"a": 1}), ("two", {})]
    assert [call.wire_id for call in message.tool_calls] == ["", ""]


def test_fragments_of_calls_may_interleave():
    message, _ = parse(
        CHAT,
        delta(tool_calls=[function('{"a"', "one", index=0, id="x"), function('{"b"', "two", index=1, id="y")]),
        delta(tool_calls=[function(":2}", index=1)]),
        delta(tool_calls=[function(":1}", index=0)]),
        finish("tool_calls"),
    )
    assert [call.arguments for call in message.tool_calls] == [{"a": 1}, {"b": 2}]


def test_an_old_function_call_is_a_call():
    message, _ = parse(
        CHAT,
        delta(function_call={"name": "ls", "arguments": "{"}),
        delta(function_call={"arguments": "}"}),
        finish("function_call"),
    )
    (call,) = message.tool_calls
    assert (call.name, call.arguments, message.stop_reason) == ("ls", {}, "toolUse")


def test_arguments_may_come_parsed():
    message, _ = parse(CHAT, delta(tool_calls=[function({"a": 1}, "one", id="x")]), finish())
    assert message.tool_calls[0].arguments == {"a": 1}


def test_a_call_without_a_name_never_runs():
    message, _ = parse(CHAT, delta(tool_calls=[function("{}", id="x", index=0)]), finish())
    assert message.tool_calls[0].parse_error is not None


def test_ids_that_a_session_has_already_are_replaced_and_kept_beside():
    earlier = (UserMessage.of("a"), AssistantMessage((ToolCall("0", "ls", {}),)))
    calls = delta(tool_calls=[function("{}", "ls", id="0", index=0), function("{}", "ls", id="0", index=1)])
    message, _ = parse(CHAT, calls, finish(), messages=earlier)
    first, second = message.tool_calls
    assert len({"0", first.id, second.id}) == 3
    assert (first.wire_id, second.wire_id) == ("0", "0")
    fresh, _ = parse(CHAT, calls, finish())
    assert (fresh.tool_calls[0].id, fresh.tool_calls[0].wire_id) == ("0", None)


def test_a_cut_call_is_a_length_and_keeps_what_came():
    message, _ = parse(CHAT, delta(tool_calls=[function('{"path": "/a', "write", id="x")]), finish("length"))
    assert message.stop_reason == "length"
    assert message.tool_calls[0].raw_arguments == '{"path": "/a'
    assert message.tool_calls[0].parse_error is not None


def test_reasoning_in_tags_becomes_thinking():
    pieces = ["<th", "ink>hm", "</think>", "\n\nok"]
    message, _ = parse(CHAT, *[delta(content=piece) for piece in pieces], finish())
    assert message.content == (ThinkingContent("hm"), TextContent("ok"))


def test_the_same_reasoning_in_two_fields_counts_once():
    details = [{"type": "reasoning.text", "text": "hm", "index": 0}]
    message, _ = parse(CHAT, delta(reasoning="hm", reasoning_details=details), delta(content="ok"), finish())
    thinking = message.content[0]
    assert isinstance(thinking, ThinkingContent)
    assert thinking.thinking == "hm"
    assert json.loads(thinking.signature or "") == details


@pytest.mark.parametrize(
    ("word", "reason", "detail"),
    [
        ("stop", "stop", None),
        ("eos", "stop", None),
        ("length", "length", None),
        ("content_filter", "error", "content_filter"),
        ("brand_new", "stop", "brand_new"),
    ],
)
def test_a_finish_word_has_its_reason_and_an_unknown_one_is_kept(word: str, reason: str, detail: str | None):
    message, _ = parse(CHAT, delta(content="x"), finish(word))
    assert (message.stop_reason, message.stop_detail) == (reason, detail)
    assert (message.error_message is not None) == (reason == "error")


def test_a_finish_word_for_an_error_is_an_error():
    with pytest.raises(ProviderError) as caught:
        parse(CHAT, delta(content="x"), finish("error"))
    assert caught.value.kind == "overloaded"


def test_usage_may_hang_on_the_choice_and_be_cached_at_the_top():
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "cached_tokens": 4}
    _, tokens = parse(CHAT, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]})
    assert (tokens.input, tokens.cache_read, tokens.output) == (6, 4, 3)


# 100 tokens that are new, 900 from the cache, 50 of the reply with 20 of thinking among them, as each API says it.
SAME_CONTENT: dict[str, list[dict[str, Any]]] = {
    MESSAGES: [
        {"type": "message_start", "message": {"usage": {"input_tokens": 100, "cache_read_input_tokens": 900}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "x"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 50}},
        {"type": "message_stop"},
    ],
    CHAT: [
        delta(content="x"),
        finish(
            usage={
                "prompt_tokens": 1000,
                "completion_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 900},
                "completion_tokens_details": {"reasoning_tokens": 20},
            }
        ),
    ],
    RESPONSES: [
        {
            "type": "response.completed",
            "response": {
                "status": "completed",
                "usage": {
                    "input_tokens": 1000,
                    "output_tokens": 50,
                    "input_tokens_details": {"cached_tokens": 900},
                    "output_tokens_details": {"reasoning_tokens": 20},
                },
            },
        }
    ],
    GEMINI: [
        {
            "candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 1000,
                "cachedContentTokenCount": 900,
                "candidatesTokenCount": 30,
                "thoughtsTokenCount": 20,
            },
        }
    ],
}


@pytest.mark.parametrize("api", SAME_CONTENT)
def test_the_same_content_fills_the_context_alike_on_every_api(api: str):
    message, tokens = parse(api, *SAME_CONTENT[api])
    assert (tokens.input, tokens.cache_read, tokens.output) == (100, 900, 50)
    assert message.usage.total_tokens == 1050


@pytest.mark.parametrize(
    "chunk",
    [
        {},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": 3, "tool_calls": "x"}}]},
        {"choices": [{"delta": {"tool_calls": [None, {"function": None}]}}]},
        {"choices": [{"delta": {"reasoning_details": "x", "content": [None, "x", {"type": "text"}]}}]},
        {"choices": {"delta": {}}},
        {"usage": "many", "x_groq": 3},
    ],
)
def test_no_shape_of_a_chunk_breaks_the_parser(chunk: Any):
    message, _ = parse(CHAT, chunk, delta(content="ok"), finish())
    assert message.text == "ok"


def test_anthropic_without_a_stop_reason_is_not_whole():
    start = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half"}}
    with pytest.raises(ProviderError) as caught:
        parse(MESSAGES, start, {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 1}})
    assert caught.value.kind == "network"


def test_anthropic_input_may_come_whole_at_the_start():
    block = {"type": "tool_use", "id": "t", "name": "ls", "input": {"path": "x"}}
    end = [{"type": "content_block_stop", "index": 0}, {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}]
    message, _ = parse(MESSAGES, {"type": "content_block_start", "index": 0, "content_block": block}, *end)
    assert message.tool_calls == (ToolCall("t", "ls", {"path": "x"}),)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "brand_new_event"},
        {"type": "content_block_delta"},
        {"type": "content_block_delta", "index": 5, "delta": {"type": "citations_delta", "citation": {}}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_stop", "index": 7},
        {"type": "message_start"},
        {"type": "message_delta", "delta": None, "usage": None},
        {"type": "ping"},
    ],
)
def test_anthropic_events_that_are_new_or_odd_do_no_harm(event: Any):
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}}
    message, _ = parse(MESSAGES, event, text, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    assert message.text == "ok"


def test_anthropic_says_when_the_window_is_full():
    end = {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}}
    message, _ = parse(MESSAGES, {"type": "message_start", "message": {}}, end)
    assert (message.stop_reason, message.stop_detail) == ("length", "model_context_window_exceeded")


def test_responses_may_be_incomplete_refused_or_hold_several_calls():
    items = [
        {"type": "function_call", "id": f"fc_{number}", "call_id": f"c{number}", "name": "ls", "arguments": "{}"}
        for number in range(2)
    ]
    done = [{"type": "response.output_item.done", "output_index": n, "item": item} for n, item in enumerate(items)]
    message, _ = parse(RESPONSES, *done, {"type": "response.completed", "response": {"status": "completed"}})
    assert [(call.id, call.signature) for call in message.tool_calls] == [("c0", "fc_0"), ("c1", "fc_1")]
    for reason, expected in (("max_output_tokens", ("length", None)), ("content_filter", ("error", "content_filter"))):
        response = {"status": "incomplete", "incomplete_details": {"reason": reason}}
        message, _ = parse(RESPONSES, {"type": "response.incomplete", "response": response})
        assert (message.stop_reason, message.stop_detail) == expected
    refused = {"type": "response.refusal.delta", "output_index": 0, "delta": "No."}
    message, _ = parse(RESPONSES, refused, {"type": "response.completed", "response": {"status": "completed"}})
    assert (message.stop_reason, message.stop_detail, message.error_message) == ("error", "refusal", "No.")


def test_responses_whose_deltas_never_came_are_read_from_their_end():
    output = [
        {"type": "reasoning", "id": "rs", "summary": [{"text": "a"}, {"text": "b"}], "encrypted_content": "E"},
        {"type": "message", "content": [{"type": "output_text", "text": "ok"}]},
    ]
    message, _ = parse(RESPONSES, {"type": "response.completed", "response": {"status": "completed", "output": output}})
    assert message.text == "ok"
    assert isinstance(message.content[0], ThinkingContent)
    assert message.content[0].thinking == "a\n\nb"


def candidate(*parts: Any, word: str | None = None) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, **({"finishReason": word} if word else {})}]}


def test_a_gemini_signature_goes_back_on_the_part_it_came_with():
    parts: list[JsonObject] = [
        {"text": "Look. ", "thoughtSignature": "TEXT"},
        {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "AbC="},
        {"functionCall": {"name": "ls", "args": {"path": "x"}}},
    ]
    message, _ = parse(GEMINI, candidate(*parts, word="STOP"))
    model = model_of(GEMINI)
    wire = make_wire(GEMINI)
    body = json.loads(wire.body(ask_for(model, UserMessage.of("go"), message), compat_for(model, "")))
    assert body["contents"][1]["parts"] == parts
    assert message.stop_reason == "toolUse"
    assert len({call.id for call in message.tool_calls}) == 2


@pytest.mark.parametrize(
    ("word", "reason", "detail"),
    [
        ("STOP", "stop", None),
        ("MAX_TOKENS", "length", None),
        ("SAFETY", "error", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "error", "MALFORMED_FUNCTION_CALL"),
        ("BRAND_NEW", "stop", "BRAND_NEW"),
    ],
)
def test_a_gemini_finish_word_has_its_reason(word: str, reason: str, detail: str | None):
    message, _ = parse(GEMINI, candidate({"text": "x"}, word=word))
    assert (message.stop_reason, message.stop_detail) == (reason, detail)


@pytest.mark.parametrize("depth", [200, 500, 900, 5_000])
def test_a_payload_that_is_nested_deeply_is_refused_by_every_parser(depth: int):
    deep = "[" * depth + "]" * depth
    for api in (CHAT, MESSAGES, RESPONSES, GEMINI, "ollama-chat"):
        with pytest.raises(ProviderError, match="nested too deeply"):
            parse(api, f'{{"content_block": {deep}, "candidates": {deep}, "message": {deep}}}')


def pieces_of(*pieces: dict[str, Any]) -> Any:
    first = {"functionCall": {"name": "f", "willContinue": True}}
    middle = [{"functionCall": {"partialArgs": [piece], "willContinue": True}} for piece in pieces]
    message, _ = parse(GEMINI, candidate(first, *middle, {"functionCall": {}}, word="STOP"))
    return message.tool_calls[0].arguments


def test_pieces_of_gemini_arguments_are_put_where_their_paths_say():
    assert pieces_of(
        {"jsonPath": "$.a.b[0].c", "stringValue": "x", "willContinue": True},
        {"jsonPath": "$.a.b[0].c", "stringValue": "y"},
        {"jsonPath": "$.a.b[1]", "numberValue": 2},
        {"jsonPath": "$.d", "boolValue": False},
        {"jsonPath": "$['e f']", "nullValue": None},
    ) == {"a": {"b": [{"c": "xy"}, 2]}, "d": False, "e f": None}


@pytest.mark.parametrize(
    "path", ["$", "", "$[0]", "$.a[1000000000]", "$" + ".a" * 1_000, "$.a[0][0][0]", "nonsense", "$.a.b"]
)
def test_no_path_breaks_the_parser_or_takes_the_memory(path: str):
    arguments = pieces_of({"jsonPath": "$.z", "numberValue": 1}, {"jsonPath": path, "stringValue": "x"})
    assert arguments["z"] == 1
    assert len(json.dumps(arguments)) < 1_000


def test_an_event_of_several_lines_is_one_payload_however_it_is_cut():
    body = b"data: one\r\ndata: two\r\n\r\ndata:three\r\n\r\n"
    for size in (1, 2, 3, 100):
        decoder = PayloadDecoder("sse", 1_000, 1_000, 1_000)
        payloads: list[str] = []
        for start in range(0, len(body), size):
            payloads += decoder.feed(body[start : start + size])
        assert [*payloads, *decoder.flush()] == ["one\ntwo", "three"]


def test_line_separators_that_are_none_in_sse_stay_in_the_text():
    decoder = PayloadDecoder("sse", 1_000, 1_000, 1_000)
    body = "data: a\u2028b\x0bc\x0cd\x85e\n\n".encode()
    assert list(decoder.feed(body)) == ["a\u2028b\x0bc\x0cd\x85e"]
