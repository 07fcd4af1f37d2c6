"""What each protocol is asked, seen by a real server."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from pyagent_tui.agent.json_values import is_list, is_object
from pyagent_tui.agent.messages import (
    AssistantMessage,
    ImageContent,
    ModelMessage,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ThinkingLevel,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pyagent_tui.agent.model import Model, ModelRequest, ToolSpec
from pyagent_tui.providers.catalogue import load_catalogue, model_name
from pyagent_tui.providers.compat import compat_for
from pyagent_tui.providers.config import PROVIDERS
from pyagent_tui.providers.encoded import MessageCache
from pyagent_tui.providers.gemini import UNSIGNED
from pyagent_tui.providers.wires import make_wire
from pyagent_tui.tests.pace import least_cost
from pyagent_tui.tests.providers.asking import (
    CHAT,
    GEMINI,
    MESSAGES,
    RESPONSES,
    ask_for,
    hear,
    model_of,
    provider_at,
)
from pyagent_tui.tests.providers.loopback import Answer, Asked, anthropic_reply, chat_reply, json_answer, serving, sse

pytestmark = pytest.mark.anyio

APIS = (MESSAGES, CHAT, RESPONSES, GEMINI)
READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
BASH = ToolSpec("bash", "Run a command.", {"type": "object", "properties": {"command": {"type": "string"}}})
IMAGE = ImageContent("aW1hZ2U=", "image/png")
REPLIES = {
    MESSAGES: anthropic_reply(),
    CHAT: chat_reply(),
    RESPONSES: Answer(
        sse(
            {
                "type": "response.completed",
                "response": {"output": [{"type": "message", "content": [{"type": "output_text", "text": "hello"}]}]},
            }
        )
    ),
    GEMINI: Answer(sse({"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]})),
}


def url_encoded(api: str, request: ModelRequest, url: str = "http://127.0.0.1") -> Any:
    """The body as JSON, without a server."""
    return json.loads(make_wire(api).body(request, compat_for(request.model, url)))


async def asked_by(request: ModelRequest, **changes: Any) -> Asked:
    async with serving(REPLIES[request.model.api]) as server:
        heard = await hear(provider_at(server.url, request.model, **changes), request)
        assert heard.error is None
        assert heard.message is not None
        assert heard.message.text == "hello"
    return server.asked[0]


def history(model: Model, *, signed: bool = True) -> tuple[ModelMessage, ...]:
    """A conversation in which `model` thought, called two tools at once and got a picture and an error."""
    signature = {
        MESSAGES: "SIGNATURE",
        CHAT: '[{"type":"reasoning.text","text":"hm","signature":"SIGNATURE"}]',
        RESPONSES: '{"id":"rs_1","summary":[],"encrypted_content":"SIGNATURE"}',
        GEMINI: None,
    }[model.api]
    call_signature = {GEMINI: "SIGNATURE", RESPONSES: "fc_1"}.get(model.api)
    reply = AssistantMessage(
        (
            ThinkingContent("hm", signature if signed else None),
            TextContent("Let me look."),
            ToolCall("call_1", "read", {"path": "a"}, signature=call_signature if signed else None),
            ToolCall("call_2", "bash", {"command": "ls"}),
        ),
        model.api,
        model.provider,
        model.id,
        stop_reason="toolUse",
    )
    return (
        UserMessage.of("look", (IMAGE,)),
        reply,
        ToolResultMessage("call_1", "read", (TextContent("seen"), IMAGE)),
        ToolResultMessage("call_2", "bash", (TextContent("no such file"),), is_error=True),
        UserMessage.of("and now?"),
    )


SEEING: dict[str, Any] = {"vision": True}


async def test_anthropic_asks_in_its_shape():
    model = model_of(MESSAGES, model="claude-x", max_output=20_000, **SEEING)
    asked = await asked_by(ask_for(model, *history(model), system="Be good.", tools=(READ, BASH)))
    assert (asked.method, asked.path) == ("POST", "/v1/messages")
    assert asked.headers["x-api-key"] == "sk-test"
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in asked.headers
    assert "proxy-authorization" not in asked.headers
    body = asked.json
    mark = {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "Be good.", "cache_control": mark}]
    assert [tool["name"] for tool in body["tools"]] == ["read", "bash"]
    assert body["tools"][0] == {"name": "read", "description": READ.description, "input_schema": READ.parameters}
    assert body["tools"][1]["cache_control"] == mark
    assert body["max_tokens"] == 20_000
    assert body["stream"] is True
    assert "thinking" not in body
    source = {"type": "base64", "media_type": "image/png", "data": IMAGE.data}
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source": source}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "SIGNATURE"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "call_1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "call_2", "name": "bash", "input": {"command": "ls"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "call_1",
                    "content": [{"type": "text", "text": "seen"}, {"type": "image", "source": source}],
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "call_2",
                    "content": [{"type": "text", "text": "no such file"}],
                    "is_error": True,
                },
                {"type": "text", "text": "and now?", "cache_control": mark},
            ],
        },
    ]


async def test_chat_completions_asks_in_its_shape():
    model = model_of(CHAT, "openrouter", "vendor/x", **SEEING)
    asked = await asked_by(ask_for(model, *history(model), system="Be good.", tools=(READ,)))
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == "Bearer sk-test"
    body = asked.json
    function = {"name": "read", "description": READ.description, "parameters": READ.parameters}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["stream_options"] == {"include_usage": True}
    assert "max_tokens" not in body
    url = {"url": "data:image/png;base64,aW1hZ2U="}
    assert body["messages"] == [
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": url}]},
        {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_details": [{"type": "reasoning.text", "text": "hm", "signature": "SIGNATURE"}],
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}},
                {"id": "call_2", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "seen"},
        {"role": "tool", "tool_call_id": "call_2", "content": "Error: no such file"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "The pictures of the results above:"},
                {"type": "image_url", "image_url": url},
            ],
        },
        {"role": "user", "content": "and now?"},
    ]


async def test_responses_asks_in_its_shape():
    model = model_of(RESPONSES, "openai", "gpt-6-x", thinking_levels={"high": "high"}, **SEEING)
    request = ask_for(model, *history(model), system="Be good.", tools=(READ,), level="high", session_id="s" * 80)
    compat = {"prompt_cache_key": True, "encrypted_reasoning": True}
    model_request = replace(request, model=model)
    async with serving(REPLIES[RESPONSES]) as server:
        heard = await hear(provider_at(server.url, model, compat=compat), model_request)
    assert heard.error is None
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("POST", "/v1/responses")
    body = asked.json
    assert body["instructions"] == "Be good."
    assert body["store"] is False
    assert body["include"] == ["reasoning.encrypted_content"]
    assert body["reasoning"] == {"effort": "high", "summary": "auto"}
    assert body["prompt_cache_key"] == "s" * 64
    assert body["tools"] == [
        {
            "type": "function",
            "name": "read",
            "description": READ.description,
            "parameters": READ.parameters,
            "strict": False,
        }
    ]
    image = {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,aW1hZ2U="}
    call = {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": '{"path":"a"}', "id": "fc_1"}
    assert body["input"] == [
        {"role": "user", "content": [{"type": "input_text", "text": "look"}, image]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "SIGNATURE"},
        {"type": "message", "role": "assistant", "content": "Let me look."},
        call,
        {"type": "function_call", "call_id": "call_2", "name": "bash", "arguments": '{"command":"ls"}'},
        {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": [{"type": "input_text", "text": "seen"}, image],
        },
        {"type": "function_call_output", "call_id": "call_2", "output": "Error: no such file"},
        {"role": "user", "content": [{"type": "input_text", "text": "and now?"}]},
    ]


async def test_gemini_asks_in_its_shape():
    model = model_of(GEMINI, model="gemini-3.5-flash", thinking_levels={"low": "low"}, **SEEING)
    request = ask_for(model, *history(model), system="Be good.", tools=(READ, BASH), level="low", max_output=500)
    asked = await asked_by(request)
    assert (asked.method, asked.path) == (
        "POST",
        "/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse",
    )
    assert asked.headers["x-goog-api-key"] == "sk-test"
    body = asked.json
    assert body["systemInstruction"] == {"parts": [{"text": "Be good."}]}
    declaration = {"name": "read", "description": READ.description, "parametersJsonSchema": READ.parameters}
    assert body["tools"][0]["functionDeclarations"][0] == declaration
    assert body["generationConfig"] == {
        "maxOutputTokens": 500,
        "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True},
    }
    data = {"inlineData": {"mimeType": "image/png", "data": IMAGE.data}}
    assert body["contents"] == [
        {"role": "user", "parts": [{"text": "look"}, data]},
        {
            "role": "model",
            "parts": [
                {"text": "Let me look."},
                {
                    "functionCall": {"name": "read", "args": {"path": "a"}, "id": "call_1"},
                    "thoughtSignature": "SIGNATURE",
                },
                {"functionCall": {"name": "bash", "args": {"command": "ls"}, "id": "call_2"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "name": "read",
                        "response": {"output": "seen"},
                        "id": "call_1",
                        "parts": [data],
                    }
                },
                {"functionResponse": {"name": "bash", "response": {"error": "no such file"}, "id": "call_2"}},
                {"text": "and now?"},
            ],
        },
    ]


def test_an_older_gemini_gets_no_ids_and_its_pictures_after_the_results():
    model = model_of(GEMINI, model="gemini-2.5-pro", **SEEING)
    contents = url_encoded(GEMINI, ask_for(model, *history(model)[:4]))["contents"]
    data = {"inlineData": {"mimeType": "image/png", "data": IMAGE.data}}
    assert [next(iter(part)) for part in contents[2]["parts"]] == ["functionResponse", "functionResponse", "inlineData"]
    assert contents[2]["parts"][2] == data
    assert "id" not in json.dumps(contents)


def errors_with_pictures(model: Model) -> tuple[ModelMessage, ...]:
    calls = (ToolCall("a", "read", {}), ToolCall("b", "read", {}))
    return (
        UserMessage.of("go"),
        AssistantMessage(calls, model.api, model.provider, model.id),
        ToolResultMessage("a", "read", (TextContent("broken"), IMAGE), is_error=True),
        ToolResultMessage("b", "read", ()),
    )


def test_anthropic_gets_the_pictures_of_a_failed_result_after_all_results():
    model = model_of(MESSAGES, **SEEING)
    content = url_encoded(MESSAGES, ask_for(model, *errors_with_pictures(model)))["messages"][2]["content"]
    assert [block["type"] for block in content] == ["tool_result", "tool_result", "image"]
    assert content[0]["content"] == [{"type": "text", "text": "broken"}]
    assert content[1]["content"] == [{"type": "text", "text": "(no output)"}]


def test_a_model_that_cannot_see_is_told_of_pictures_in_words():
    for api in APIS:
        model = model_of(api)
        text = json.dumps(url_encoded(api, ask_for(model, *history(model))))
        assert IMAGE.data not in text
        assert "cannot see pictures" in text


SWITCHES = [(old, new) for old in APIS for new in APIS]


@pytest.mark.parametrize(("old", "new"), SWITCHES)
def test_a_signature_goes_to_its_own_model_only(old: str, new: str):
    homes = {CHAT: "openrouter"}
    writer = model_of(old, homes.get(old), "one")
    same = model_of(old, homes.get(old), "one")
    other = model_of(new, homes.get(new), "two")
    url = "https://api.openai.com/v1"
    own = json.dumps(url_encoded(old, ask_for(same, *history(writer)), url))
    foreign = json.dumps(url_encoded(new, ask_for(other, *history(writer)), url))
    assert "SIGNATURE" in own
    assert "SIGNATURE" not in foreign
    assert "fc_1" not in foreign
    for part in ("Let me look.", "no such file", "and now?"):
        assert part in foreign


@pytest.mark.parametrize("new", APIS)
def test_calls_and_results_find_each_other_after_a_switch(new: str):
    ids = ["0", "functions.read:0", "call_" + "x" * 90, "toolu_1|fc_2", "é"]
    calls = tuple(ToolCall(call_id, "read", {}) for call_id in ids)
    results = [ToolResultMessage(call_id, "read", (TextContent("ok"),)) for call_id in ids]
    for provider, model_id in (("mistral", "m"), ("openai", "gpt-4.1"), ("google", "gemini-3-x"), ("anthropic", "c")):
        model = model_of(new, provider, model_id)
        written = AssistantMessage(calls, "other", "other", "other")
        body = url_encoded(new, ask_for(model, UserMessage.of("go"), written, *results))
        asked, answered = call_ids(body)
        assert asked == answered
        assert len(set(asked)) == (len(ids) if asked != [None] * len(ids) else 1)
        if new == CHAT and provider == "mistral":
            assert all(len(call_id) == 9 and call_id.isalnum() for call_id in asked)
        if new == MESSAGES:
            assert all(len(call_id) <= 64 and call_id.replace("_", "").replace("-", "").isalnum() for call_id in asked)


def call_ids(body: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The ids of calls and of results in a body of any protocol."""
    asked: list[Any] = []
    answered: list[Any] = []

    def walk(value: Any) -> None:
        if is_list(value):
            for item in value:
                walk(item)
        if not is_object(value):
            return
        if value.get("type") == "tool_use" or "function" in value:
            asked.append(value["id"])
        elif value.get("type") == "tool_result":
            answered.append(value["tool_use_id"])
        elif value.get("role") == "tool":
            answered.append(value["tool_call_id"])
        elif value.get("type") == "function_call":
            asked.append(value["call_id"])
        elif value.get("type") == "function_call_output":
            answered.append(value["call_id"])
        elif "functionCall" in value:
            asked.append(value["functionCall"].get("id"))
        elif "functionResponse" in value:
            answered.append(value["functionResponse"].get("id"))
        for item in value.values():
            walk(item)

    walk(body.get("messages") or body.get("input") or body.get("contents"))
    return asked, answered


def test_a_call_of_another_model_gets_googles_stand_in_signature_on_the_newest_models_only():
    foreign = history(model_of(CHAT, "openrouter", "one"))
    parts = url_encoded(GEMINI, ask_for(model_of(GEMINI, model="gemini-3.5-flash"), *foreign))["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [None, UNSIGNED, None]
    text = json.dumps(url_encoded(GEMINI, ask_for(model_of(GEMINI, model="gemini-2.5-pro"), *foreign)))
    assert "thoughtSignature" not in text


def test_thinking_without_a_signature_and_foreign_server_tools_stay_here():
    model = model_of(MESSAGES, model="c")
    blocks = (ThinkingContent("unsigned"), ServerToolContent("x", {"type": "secret_block"}), TextContent("ok"))
    own = AssistantMessage(blocks, MESSAGES, "anthropic", "c")
    foreign = replace(own, model="d")
    content = url_encoded(MESSAGES, ask_for(model, UserMessage.of("a"), own))["messages"][1]["content"]
    assert [block["type"] for block in content] == ["secret_block", "text"]
    assert "secret_block" not in json.dumps(url_encoded(MESSAGES, ask_for(model, UserMessage.of("a"), foreign)))


def test_redacted_thinking_goes_back_as_it_came():
    model = model_of(MESSAGES, model="c")
    reply = AssistantMessage(
        (ThinkingContent("", "BLOB", redacted=True), TextContent("ok")), MESSAGES, "anthropic", "c"
    )
    content = url_encoded(MESSAGES, ask_for(model, UserMessage.of("a"), reply))["messages"][1]["content"]
    assert content[0] == {"type": "redacted_thinking", "data": "BLOB"}


def test_reasoning_content_goes_back_to_those_who_want_it_even_when_empty():
    reply = AssistantMessage((ThinkingContent("hm"), TextContent("ok")), CHAT, "deepseek", "m")
    silent = AssistantMessage((TextContent("ok"),), CHAT, "deepseek", "m")
    for message, expected in ((reply, "hm"), (silent, "")):
        asked = url_encoded(CHAT, ask_for(model_of(CHAT, "deepseek"), UserMessage.of("a"), message))
        assert asked["messages"][1]["reasoning_content"] == expected
        strict = url_encoded(CHAT, ask_for(model_of(CHAT, "cerebras"), UserMessage.of("a"), message))
        assert strict["messages"][1] == {"role": "assistant", "content": "ok"}


def test_the_phase_of_a_message_goes_back_to_its_own_model_only():
    text = TextContent("ok", '{"id":"msg_1","phase":"commentary"}')
    reply = AssistantMessage((text,), RESPONSES, "openai", "gpt-6")
    url = "https://api.openai.com/v1"
    for model_id, phase in (("gpt-6", "commentary"), ("gpt-5", None)):
        body = url_encoded(RESPONSES, ask_for(model_of(RESPONSES, model=model_id), UserMessage.of("a"), reply), url)
        assert body["input"][1].get("phase") == phase
        assert body["input"][1].get("id") == ("msg_1" if phase else None)


def test_reasoning_of_responses_never_goes_without_the_item_that_follows_it():
    thought = ThinkingContent("", '{"id":"rs_1","summary":[],"encrypted_content":"X"}')
    reply = AssistantMessage((TextContent("ok"), thought), RESPONSES, "openai", "gpt-5")
    body = url_encoded(RESPONSES, ask_for(model_of(RESPONSES, model="gpt-5"), UserMessage.of("a"), reply))
    assert [item["role"] for item in body["input"]] == ["user", "assistant"]


@pytest.mark.parametrize("api", APIS)
def test_empty_parts_stay_out(api: str):
    model = model_of(api)
    empty = AssistantMessage((TextContent("  "), ThinkingContent("")), api, model.provider, "m")
    messages = [UserMessage.of("  \n"), empty, UserMessage(()), UserMessage.of("go")]
    body = url_encoded(api, ask_for(model, *messages, system=" "))
    turns = body.get("messages") or body.get("input") or body.get("contents")
    assert len(turns) == 1
    assert "system" not in body
    assert "instructions" not in body


@pytest.mark.parametrize("api", APIS)
def test_open_calls_get_an_answer_and_answers_without_a_call_are_left_out(api: str):
    model = model_of(api)
    reply = AssistantMessage((ToolCall("a", "read", {}), ToolCall("b", "read", {})), api, model.provider, "m")
    failed = replace(reply, stop_reason="aborted", content=(TextContent("half"), ToolCall("c", "read", {})))
    result = ToolResultMessage("b", "read", (TextContent("done"),))
    orphan = ToolResultMessage("z", "read", (TextContent("who asked?"),))
    messages: Sequence[ModelMessage] = [
        UserMessage.of("go"),
        reply,
        result,
        result,
        orphan,
        UserMessage.of("on"),
        failed,
    ]
    body = url_encoded(api, ask_for(model, *messages))
    asked, answered = call_ids(body)
    assert sorted(asked, key=str) == sorted(answered, key=str)
    assert len(answered) == 2
    text = json.dumps(body)
    assert "interrupted" in text
    assert "who asked?" not in text
    assert "half" not in text
    asked, answered = call_ids(url_encoded(api, ask_for(model, UserMessage.of("go"), reply)))
    assert asked == answered


@pytest.mark.parametrize("api", APIS)
def test_lone_surrogates_are_replaced_and_emoji_kept(api: str):
    model = model_of(api)
    reply = AssistantMessage((ToolCall("a", "write", {"text": "x\udc00y🙂"}),), api, model.provider, "m")
    result = ToolResultMessage("a", "write", (TextContent("\ud83d\ude42 \ud800"),))
    request = ask_for(model, UserMessage.of("🙂\ud800"), reply, result, system="s\udfff")
    text = json.dumps(url_encoded(api, request), ensure_ascii=False)
    assert "\ufffd" in text
    assert text.count("🙂") == 3
    text.encode()


@pytest.mark.parametrize("api", APIS)
def test_names_that_a_model_made_up_cannot_spoil_later_requests(api: str):
    model = model_of(api)
    reply = AssistantMessage(
        (ToolCall("a", "read file!" + "x" * 90, {}), ToolCall("b", "", {})), api, model.provider, "m"
    )
    text = json.dumps(url_encoded(api, ask_for(model, UserMessage.of("go"), reply)))
    assert "read_file_x" in text
    assert "read file!" not in text
    assert "unknown" in text


@pytest.mark.parametrize("api", APIS)
def test_arguments_that_did_not_parse_go_back_as_an_object(api: str):
    model = model_of(api)
    call = ToolCall("a", "read", {}, raw_arguments='{"path": ', parse_error="invalid JSON")
    body = url_encoded(api, ask_for(model, UserMessage.of("go"), AssistantMessage((call,), api, model.provider, "m")))
    assert '{"path": ' not in json.dumps(body)


def long_session(model: Model, turns: int) -> list[ModelMessage]:
    messages: list[ModelMessage] = [UserMessage.of("begin", (IMAGE,))]
    for turn in range(turns):
        call = ToolCall(f"call_{turn}", "bash", {"command": f"echo {turn}"})
        blocks = (ThinkingContent("hm", "S"), TextContent(f"Step {turn}."), call)
        messages.append(AssistantMessage(blocks, model.api, model.provider, model.id, stop_reason="toolUse"))
        messages.append(ToolResultMessage(call.id, "bash", (TextContent(f"{turn}\n" * 20),), is_error=turn % 3 == 0))
        if turn % 5 == 4:
            messages.append(UserMessage.of(f"Steer {turn}."))
    return messages


MODELS = [
    model_of(MESSAGES, model="claude-x", vision=True),
    model_of(CHAT, "openai", "gpt-4.1", vision=True),
    model_of(CHAT, "openrouter", "anthropic/claude-x", vision=True),
    model_of(CHAT, "deepseek", vision=True),
    model_of(CHAT, "mistral", vision=True),
    model_of(RESPONSES, "openai", "gpt-6", vision=True),
    model_of(GEMINI, model="gemini-3.5-flash", vision=True),
    model_of("ollama-chat", "ollama", vision=True),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.api} {model.provider}")
def test_a_request_begins_with_the_bytes_of_the_one_before(model: Model):
    wire = make_wire(model.api)
    compat = compat_for(model, "https://api.openai.com/v1")
    marks = (b',"cache_control":{"type":"ephemeral"}', b"]}")
    messages = long_session(model, 12)
    before = b""
    for count in range(1, len(messages) + 1):
        if isinstance(messages[count - 1], AssistantMessage):
            continue
        request = ask_for(model, *messages[:count], system="Be good.", tools=(READ, BASH), session_id="s")
        body = wire.body(request, compat).replace(marks[0], b"")
        # What follows the messages are the settings; what closes the last message may be followed by a neighbour.
        history_part = body[: body.rindex(b"]", 0, _settings_start(body))].rstrip(b"]}")
        assert body.startswith(before), (before[-80:], body[len(before) - 80 : len(before) + 20])
        before = history_part


def _settings_start(body: bytes) -> int:
    return max(body.rfind(mark) for mark in (b'],"max_tokens"', b'],"stream"', b'],"generationConfig"')) + 1


@pytest.mark.parametrize("model", MODELS[:1] + MODELS[3:4] + MODELS[5:7], ids=lambda model: model.api)
def test_the_thousandth_request_costs_little(model: Model):
    wire = make_wire(model.api)
    compat = compat_for(model, "http://127.0.0.1")
    messages = long_session(model, 1_000)
    first = least_cost(lambda: wire.body(ask_for(model, *messages), compat), tries=1)

    def next_request() -> None:
        messages.append(UserMessage.of("more"))
        wire.body(ask_for(model, *messages), compat)

    assert least_cost(next_request) < first / 3


def test_what_was_written_is_forgotten_with_its_message():
    cache: MessageCache[int] = MessageCache()
    messages = long_session(model_of(MESSAGES), 50)
    written = [cache.get(message, "key", id) for message in messages]
    assert [cache.get(message, "key", lambda _: 0) for message in messages] == written
    assert [cache.get(message, "other key", lambda _: 0) for message in messages] == [0] * len(messages)
    assert len(cache) == len(messages)
    del messages
    assert len(cache) == 0


BUDGETS = {"low": "2048", "high": "16384"}


def test_thinking_is_asked_for_as_each_anthropic_model_wants_it():
    old = model_of(MESSAGES, model="claude-opus-4-5", max_output=64_000, thinking_levels=BUDGETS)
    body = url_encoded(MESSAGES, ask_for(old, level="high"))
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 16_384}
    assert url_encoded(MESSAGES, ask_for(old, level="medium"))["thinking"]["budget_tokens"] == 16_384
    assert url_encoded(MESSAGES, ask_for(old, level="high", max_output=4_000))["thinking"]["budget_tokens"] == 2_976
    assert "thinking" not in url_encoded(MESSAGES, ask_for(old, level="high", max_output=1_500))
    new = model_of(MESSAGES, model="claude-opus-5", thinking_levels={"low": "low", "max": "max"})
    body = url_encoded(MESSAGES, ask_for(new, level="xhigh"))
    assert body["thinking"]["type"] == "adaptive"
    assert body["output_config"] == {"effort": "max"}
    assert "thinking" not in url_encoded(MESSAGES, ask_for(model_of(MESSAGES), level="high"))


ADAPTIVE = {"type": "adaptive", "display": "summarized"}
THINKING: list[tuple[str, ThinkingLevel, Any]] = [
    ("anthropic/claude-haiku-4-5", "off", {}),
    ("anthropic/claude-opus-4-8", "off", {}),
    ("anthropic/claude-opus-4-8", "minimal", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
    ("anthropic/claude-opus-4-6", "xhigh", {"thinking": ADAPTIVE, "output_config": {"effort": "max"}}),
    ("anthropic/claude-opus-5", "off", {"thinking": {"type": "disabled"}}),
    ("anthropic/claude-haiku-5-5", "off", {"thinking": {"type": "disabled"}}),
    ("anthropic/claude-sonnet-5-5", "off", {"thinking": {"type": "between_tools"}}),
    ("anthropic/claude-opus-5-5", "off", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
    ("openai/gpt-6.1-sol", "off", {"reasoning": {"effort": "low", "summary": "auto"}}),
    ("openai/gpt-6.1-terra", "off", {"reasoning": {"effort": "none"}}),
    ("openai/gpt-5.5", "max", {"reasoning": {"effort": "xhigh", "summary": "auto"}}),
    ("openai/gpt-5.1", "minimal", {"reasoning": {"effort": "low", "summary": "auto"}}),
    ("openai/gpt-5", "off", {"reasoning": {"effort": "minimal", "summary": "auto"}}),
    ("openai/gpt-4.1", "high", {}),
    ("google/gemini-3.8-flash", "minimal", {"thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True}}),
    ("google/gemini-3.5-flash", "off", {"thinkingConfig": {"thinkingLevel": "minimal", "includeThoughts": True}}),
    ("google/gemini-2.5-flash", "off", {"thinkingConfig": {"thinkingBudget": 0}}),
    ("google/gemini-2.5-pro", "off", {"thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True}}),
    ("zai/glm-5.3", "off", {"thinking": {"type": "enabled"}, "reasoning_effort": "low"}),
    ("moonshotai/kimi-k3", "medium", {"reasoning_effort": "high"}),
    ("moonshotai/kimi-k2.7-code", "off", {"thinking": {"type": "enabled"}}),
    ("groq/qwen/qwen3.8-27b", "off", {"reasoning_effort": "none"}),
]


@pytest.mark.parametrize(("name", "level", "wish"), THINKING)
def test_each_model_is_asked_to_think_in_words_that_it_takes(name: str, level: ThinkingLevel, wish: Any):
    model = next(model for model in load_catalogue().models if model_name(model) == name)
    body = url_encoded(model.api, ask_for(model, level=level), PROVIDERS[model.provider].base_url)
    body.update(body.pop("generationConfig", {}))
    names = ("thinking", "output_config", "reasoning", "reasoning_effort", "thinkingConfig")
    assert {name: body[name] for name in names if name in body} == wish


def test_thinking_stays_off_in_a_tool_loop_that_began_without_it():
    model = model_of(MESSAGES, model="claude-opus-4-5", max_output=64_000, thinking_levels=BUDGETS)
    foreign = history(model_of(CHAT, "openrouter", "one"))
    assert "thinking" not in url_encoded(MESSAGES, ask_for(model, *foreign[:4], level="high"))
    assert "thinking" in url_encoded(MESSAGES, ask_for(model, *foreign, level="high"))
    assert "thinking" in url_encoded(MESSAGES, ask_for(model, *history(model)[:4], level="high"))


@pytest.mark.parametrize(
    ("provider", "model_id", "on", "off"),
    [
        ("groq", "openai/gpt-oss-120b", {"reasoning_effort": "high"}, {}),
        ("openrouter", "x/y", {"reasoning": {"effort": "high"}}, {"reasoning": {"enabled": False}}),
        (
            "deepseek",
            "deepseek-v4-pro",
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high"},
            {"thinking": {"type": "disabled"}},
        ),
        ("moonshotai", "kimi-k3", {"reasoning_effort": "high"}, {}),
        ("xai", "grok-4.3", {"reasoning_effort": "high"}, {"reasoning_effort": "none"}),
        ("zai", "glm-5", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
        ("vllm", "q", {}, {}),
    ],
)
def test_chat_servers_are_asked_to_reason_each_in_its_way(provider: str, model_id: str, on: Any, off: Any):
    model = model_of(CHAT, provider, model_id, thinking_levels={"high": "high"})
    names = ("reasoning_effort", "reasoning", "thinking", "enable_thinking")
    wanted: list[tuple[ThinkingLevel, Any]] = [("high", on), ("off", off)]
    for level, expected in wanted:
        body = url_encoded(CHAT, ask_for(model, level=level))
        assert {name: body[name] for name in names if name in body} == expected


def test_mistral_gets_an_assistant_message_between_results_and_user():
    model = model_of(CHAT, "mistral", vision=True)
    roles = [message["role"] for message in url_encoded(CHAT, ask_for(model, *history(model)))["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user", "user"]


def test_openrouter_passes_cache_marks_on_to_anthropic_models():
    model = model_of(CHAT, "openrouter", "anthropic/claude-x")
    messages = url_encoded(CHAT, ask_for(model, UserMessage.of("a"), system="s"))["messages"]
    assert messages[0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert messages[1]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in json.dumps(url_encoded(CHAT, ask_for(model_of(CHAT, "openrouter", "x/y"))))


def test_openai_itself_gets_its_own_names():
    model = model_of(CHAT, "openai", "gpt-5.4", max_output=8_000)
    body = url_encoded(CHAT, ask_for(model, system="s", tools=(READ,), max_output=100), "https://api.openai.com/v1")
    assert body["messages"][0]["role"] == "developer"
    assert body["max_completion_tokens"] == 100
    assert body["tools"][0]["function"]["strict"] is False


def test_the_reply_is_kept_within_the_window():
    model = model_of(MESSAGES, max_output=64_000, context_window=100_000)
    for chars, limit in ((3_500, 64_000), (210_000, 32_768), (300_000, 10_190)):
        body = url_encoded(MESSAGES, ask_for(model, UserMessage.of("x" * chars)))
        assert abs(body["max_tokens"] - limit) < 100
    huge = url_encoded(
        MESSAGES, ask_for(replace(model, vision=True), UserMessage.of("x", (ImageContent("A" * 300_000, "image/png"),)))
    )
    assert huge["max_tokens"] == 64_000


LESSONS: list[tuple[str, str, Any]] = [
    ("Unrecognized request argument supplied: stream_options", "stream_options", None),
    ("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens", None),
    ("Extra inputs are not permitted: reasoning_effort", "reasoning_effort", None),
]


@pytest.mark.parametrize(("words", "name", "value"), LESSONS)
async def test_a_refused_field_is_left_out_from_then_on(words: str, name: str, value: Any):
    refusal = json_answer(400, {"error": {"message": words}})
    async with serving(refusal, chat_reply()) as server:
        model = model_of(CHAT, "together", thinking_levels={"high": "high"})
        provider = provider_at(server.url, model)
        request = ask_for(model, level="high", max_output=100)
        assert (await hear(provider, request)).error is None
        assert (await hear(provider, request)).error is None
    assert [name in asked.json for asked in server.asked] == [True, False, False]
    assert server.asked[1].json.get(name) == value


BOUND = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)


def refusals(*words: str) -> list[Answer]:
    return [json_answer(400, {"error": {"type": "invalid_request_error", "message": each}}) for each in words]


async def test_thinking_of_a_conversation_that_was_cut_is_left_to_the_server_to_drop():
    model = model_of(MESSAGES, model="claude-opus-5-5", thinking_levels={"high": "high"}, always_thinks=True)
    request = ask_for(model, *history(model), level="high")
    async with serving(*refusals(BOUND), REPLIES[MESSAGES]) as server:
        provider = provider_at(server.url, model)
        assert (await hear(provider, request)).error is None
        assert (await hear(provider, request)).error is None
    binding = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    assert [asked.json["thinking"] for asked in server.asked] == [ADAPTIVE, ADAPTIVE | binding, ADAPTIVE | binding]
    betas = [asked.headers.get("anthropic-beta") for asked in server.asked]
    assert betas == [None, "thinking-binding-controls-2026-08-01", "thinking-binding-controls-2026-08-01"]
    assert all(b"SIGNATURE" in asked.body for asked in server.asked)


@pytest.mark.parametrize("level", ["off", "high"])
async def test_thinking_that_the_server_will_not_have_back_never_spoils_a_session(level: ThinkingLevel):
    model = model_of(MESSAGES, model="claude-haiku-4-5", max_output=64_000, thinking_levels=BUDGETS)
    modified = "messages.1.content.0: `thinking` or `redacted_thinking` blocks cannot be modified."
    for words in (modified, BOUND):
        async with serving(*refusals(words), REPLIES[MESSAGES]) as server:
            request = ask_for(model, *history(model)[:4], level=level)
            assert (await hear(provider_at(server.url, model), request)).error is None
        assert [b"SIGNATURE" in asked.body for asked in server.asked] == [True, False]
        assert "thinking" not in server.asked[1].json


async def test_efforts_that_a_server_names_are_kept_to():
    words = "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."
    model = model_of(MESSAGES, thinking_levels={"high": "high", "xhigh": "xhigh"})
    async with serving(*refusals(words), REPLIES[MESSAGES]) as server:
        assert (await hear(provider_at(server.url, model), ask_for(model, level="xhigh"))).error is None
    assert [asked.json["output_config"]["effort"] for asked in server.asked] == ["xhigh", "max"]
    words = "Unsupported value: 'none' is not supported with the 'm' model. Supported values are: 'low', 'medium'."
    refusal = json_answer(400, {"error": {"message": words, "param": "reasoning.effort"}})
    model = model_of(RESPONSES, thinking_levels={"high": "high"})
    async with serving(refusal, REPLIES[RESPONSES]) as server:
        provider = provider_at(server.url, model, compat={"off_word": "none"})
        assert (await hear(provider, ask_for(model, level="off"))).error is None
    assert [asked.json["reasoning"]["effort"] for asked in server.asked] == ["none", "low"]


async def test_a_server_that_refuses_both_ways_is_not_asked_for_ever():
    both = "'max_tokens' is not supported, use 'max_completion_tokens'; 'max_completion_tokens' is not either."
    async with serving(json_answer(400, {"error": {"message": both}})) as server:
        model = model_of(CHAT, "together")
        heard = await hear(provider_at(server.url, model), ask_for(model, max_output=100))
    assert heard.error is not None
    assert len(server.asked) == 2


async def test_a_refusal_that_teaches_nothing_is_an_error_at_once():
    for status, words in ((400, "your messages are wrong"), (401, "stream_options"), (400, "stream_options")):
        async with serving(json_answer(status, {"error": {"message": words}})) as server:
            model = model_of(CHAT, "together")
            heard = await hear(provider_at(server.url, model), ask_for(model))
        assert heard.error is not None
        assert words in str(heard.error)
        assert len(server.asked) == (2 if (status, words) == (400, "stream_options") else 1)


async def test_a_reply_that_has_begun_is_never_asked_for_again():
    delta = {"choices": [{"index": 0, "delta": {"content": "half"}}]}
    refusal = {"error": {"code": 400, "message": "stream_options is not supported"}}
    async with serving(Answer(sse(delta, refusal))) as server:
        model = model_of(CHAT, "together")
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.error is not None
    assert len(server.asked) == 1


def test_only_openai_itself_gets_what_only_openai_knows():
    model = model_of(CHAT, "openai", "gpt-5.4", max_output=8_000)
    body = url_encoded(CHAT, ask_for(model, system="s", tools=(READ,), max_output=100, session_id="s"))
    assert body["messages"][0]["role"] == "system"
    assert body["max_tokens"] == 100
    assert "prompt_cache_key" not in body
    assert "strict" not in body["tools"][0]["function"]


async def test_beta_features_are_asked_of_anthropic_only():
    wire = make_wire(MESSAGES)
    model = model_of(MESSAGES, model="claude-x")
    request = ask_for(model)
    assert "anthropic-beta" in wire.headers(request, compat_for(model, "https://api.anthropic.com"))
    assert "anthropic-beta" not in (await asked_by(request)).headers
