"""A conversation that goes on with another model: every protocol after every other, on real servers."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace

import anyio
import pytest

from pyagent_tui.agent.agent import Agent
from pyagent_tui.agent.messages import ImageContent, JsonObject, TextContent, UserMessage
from pyagent_tui.agent.model import Model
from pyagent_tui.agent.pipeline import Pipeline
from pyagent_tui.agent.run import Setup
from pyagent_tui.agent.tool import ToolContext, ToolResult
from pyagent_tui.providers.config import PROVIDERS
from pyagent_tui.providers.http_provider import HttpProvider
from pyagent_tui.tests.harness import Empty, Recorder, ScriptTool
from pyagent_tui.tests.providers.asking import CHAT, GEMINI, MESSAGES, RESPONSES
from pyagent_tui.tests.providers.loopback import Answer, anthropic_reply, chat_reply, serving, sse

pytestmark = pytest.mark.anyio

OLLAMA = "ollama-chat"
APIS = (MESSAGES, CHAT, RESPONSES, GEMINI, OLLAMA)
HOMES = {
    MESSAGES: ("anthropic", "claude-opus-4-5"),
    CHAT: ("openrouter", "vendor/x"),
    RESPONSES: ("openai", "gpt-6-x"),
    GEMINI: ("google", "gemini-3.5-flash"),
    OLLAMA: ("ollama", "qwen3"),
}
SECRET = "OPAQUE"
"""In all that only the model which wrote it may see again."""

PICTURE = ImageContent("aW1hZ2U=", "image/png")


def lines(*documents: JsonObject) -> Answer:
    return Answer([json.dumps(document).encode() + b"\n" for document in documents], 200, "application/x-ndjson")


def chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def parts(*parts: JsonObject, finish: str | None = None) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": list(parts)}}
    return {"candidates": [{**candidate, "finishReason": finish} if finish else candidate]}


def block(index: int, content: JsonObject, *deltas: JsonObject) -> list[JsonObject]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def item(index: int, content: JsonObject) -> JsonObject:
    return {"type": "response.output_item.done", "output_index": index, "item": content}


def call_item(index: int, text: str) -> JsonObject:
    names = {"id": f"fc_{SECRET}{text}", "call_id": f"call|{text}"}
    return item(index, {"type": "function_call", "name": "look", "arguments": json.dumps({"text": text}), **names})


def call_chunk(index: int, text: str) -> JsonObject:
    function = {"name": "look", "arguments": json.dumps({"text": text})}
    return chunk({"tool_calls": [{"index": index, "id": f"functions.look:{index}", "function": function}]})


# Each thinks with something opaque, speaks, and calls the same tool twice with ids of its own making.
CALLING: dict[str, Answer] = {
    MESSAGES: Answer(
        sse(
            {"type": "message_start", "message": {"usage": {"input_tokens": 1}}},
            *block(
                0,
                {"type": "thinking", "thinking": ""},
                {"type": "thinking_delta", "thinking": "hm"},
                {"type": "signature_delta", "signature": SECRET},
            ),
            *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Let me look."}),
            *block(2, {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"text": "a"}}),
            *block(3, {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {"text": "b"}}),
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )
    ),
    CHAT: Answer(
        sse(
            chunk({"reasoning_details": [{"type": "reasoning.text", "text": "hm", "signature": SECRET}]}),
            chunk({"content": "Let me look."}),
            call_chunk(0, "a"),
            call_chunk(1, "b"),
            chunk({}, "tool_calls"),
            done=True,
        )
    ),
    RESPONSES: Answer(
        sse(
            item(0, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SECRET}),
            item(1, {"type": "message", "content": [{"type": "output_text", "text": "Let me look."}]}),
            call_item(2, "a"),
            call_item(3, "b"),
            {"type": "response.completed", "response": {"output": []}},
        )
    ),
    GEMINI: Answer(
        sse(
            parts({"text": "hm", "thought": True}),
            parts({"text": "Let me look."}),
            parts({"functionCall": {"name": "look", "args": {"text": "a"}}, "thoughtSignature": SECRET}),
            parts({"functionCall": {"name": "look", "args": {"text": "b"}}}, finish="STOP"),
        )
    ),
    OLLAMA: lines(
        {"message": {"thinking": f"hm {SECRET}"}},
        {"message": {"content": "Let me look."}},
        {"message": {"tool_calls": [{"function": {"name": "look", "arguments": {"text": text}}} for text in "ab"]}},
        {"message": {}, "done": True, "done_reason": "stop"},
    ),
}
PLAIN: dict[str, Answer] = {
    MESSAGES: anthropic_reply("It is done."),
    CHAT: chat_reply("It is done."),
    RESPONSES: Answer(
        sse(
            item(0, {"type": "message", "content": [{"type": "output_text", "text": "It is done."}]}),
            {"type": "response.completed", "response": {"output": []}},
        )
    ),
    GEMINI: Answer(sse(parts({"text": "It is done."}, finish="STOP"))),
    OLLAMA: lines({"message": {"content": "It is done."}, "done": True, "done_reason": "stop"}),
}


# What each protocol demands of a history: it refuses the whole request otherwise.


def alternating(messages: list[JsonObject]) -> None:
    roles = [message["role"] for message in messages]
    assert all(first != second for first, second in itertools.pairwise(roles)), roles


def demand_messages(body: JsonObject) -> None:
    alternating(body["messages"])
    asked: list[str] = []
    for message in body["messages"]:
        kinds = [block["type"] for block in message["content"]]
        answered = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        assert answered == asked
        assert kinds[: len(answered)] == ["tool_result"] * len(answered)
        asked = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call_id) for call_id in asked)
        assert all(block["text"].strip() for block in message["content"] if block["type"] == "text")
    assert asked == []
    assert json.dumps(body).count(PICTURE.data) == 2


def demand_chat(body: JsonObject) -> None:
    asked: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == asked.pop(0)
            continue
        assert asked == []
        asked = [call["id"] for call in message.get("tool_calls", ())]
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", call_id) for call_id in asked)
        assert message["content"]
    assert asked == []
    assert json.dumps(body).count(PICTURE.data) == 2


def demand_responses(body: JsonObject) -> None:
    asked: list[str] = []
    for number, item in enumerate(body["input"]):
        if item.get("type") == "function_call":
            asked.append(item["call_id"])
        elif item.get("type") == "function_call_output":
            assert item["call_id"] == asked.pop(0)
        elif item.get("type") == "reasoning":
            assert body["input"][number + 1].get("type") in ("message", "function_call")
        else:
            assert asked == []
    assert asked == []
    assert json.dumps(body).count(PICTURE.data) == 2


def demand_gemini(body: JsonObject) -> None:
    alternating(body["contents"])
    asked: list[tuple[str, str]] = []
    for content in body["contents"]:
        responses = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        assert [(response["name"], response["id"]) for response in responses] == asked
        calls = [part for part in content["parts"] if "functionCall" in part]
        # The newest models refuse a step whose first call has no signature.
        assert not calls or calls[0]["thoughtSignature"]
        asked = [(part["functionCall"]["name"], part["functionCall"]["id"]) for part in calls]
    assert asked == []
    assert json.dumps(body).count(PICTURE.data) == 2


def demand_ollama(body: JsonObject) -> None:
    asked: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_name"] == asked.pop(0)
            continue
        assert asked == []
        asked = [call["function"]["name"] for call in message.get("tool_calls", ())]
    assert asked == []
    assert json.dumps(body).count(PICTURE.data) == 2


DEMANDS: dict[str, Callable[[JsonObject], None]] = {
    MESSAGES: demand_messages,
    CHAT: demand_chat,
    RESPONSES: demand_responses,
    GEMINI: demand_gemini,
    OLLAMA: demand_ollama,
}


def model_for(api: str) -> Model:
    provider, model = HOMES[api]
    return Model(provider, model, api, vision=True, thinking_levels={"high": "2048" if api == MESSAGES else "high"})


def provider_for(model: Model, url: str) -> HttpProvider:
    compat = {"encrypted_reasoning": True} if model.api == RESPONSES else {}
    known = PROVIDERS[model.provider]
    config = replace(known, api=model.api, base_url=url, compat=compat, key_required=False)
    return HttpProvider(config, environment={})


async def picture(arguments: Empty, context: ToolContext) -> ToolResult:
    content = (TextContent("seen"), PICTURE) if arguments.text == "a" else (TextContent("no such file"),)
    return ToolResult(content, is_error=arguments.text != "a")


@pytest.mark.parametrize("new", APIS)
@pytest.mark.parametrize("old", APIS)
async def test_another_model_goes_on_where_one_stopped(old: str, new: str):
    first, second = model_for(old), model_for(new)
    second = second if old != new else replace(second, id=f"{second.id}-next")
    tool = ScriptTool("look", picture)
    with anyio.fail_after(60):
        async with serving(CALLING[old], PLAIN[old]) as old_server, serving(PLAIN[new]) as new_server:
            setup = Setup(
                provider_for(first, old_server.url), first, "Be good.", Pipeline({"look": tool}), (tool.spec,), "high"
            )
            agent = Agent(setup, Recorder())
            assert (await agent.prompt(UserMessage.of("Look at this.", (PICTURE,)))).reason == "done"
            setup.provider, setup.model = provider_for(second, new_server.url), second
            assert (await agent.prompt(UserMessage.of("And now?"))).reason == "done"
            # Back again: the first has its own thinking back.
            setup.provider, setup.model = provider_for(first, old_server.url), first
            assert (await agent.prompt(UserMessage.of("Thanks."))).reason == "done"
    assert len(tool.runs) == 2
    switched, returned = new_server.asked[0].json, old_server.asked[2].json
    DEMANDS[new](switched)
    assert SECRET not in json.dumps(switched)
    for words in ("Look at this.", "Let me look.", "seen", "And now?"):
        assert words in json.dumps(switched)
    DEMANDS[old](returned)
    assert SECRET in json.dumps(returned)
