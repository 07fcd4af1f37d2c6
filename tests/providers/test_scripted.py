import json
import time
from contextlib import aclosing
from pathlib import Path

import pytest

from pyagent_tui.agent.messages import AssistantMessage, TextContent, ToolCall, Usage, UserMessage
from pyagent_tui.agent.model import ModelRequest
from pyagent_tui.agent.provider import (
    ProviderError,
    StreamDone,
    StreamEvent,
    StreamStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingEnd,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from pyagent_tui.providers.scenario import ScenarioError, load_scenario
from pyagent_tui.providers.scripted import SCRIPTED_MODEL, Call, Fail, Say, ScriptedProvider, Stall, Think, Turn

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


REQUEST = ModelRequest(SCRIPTED_MODEL, "", (UserMessage.of("hi"),))


async def events(provider: ScriptedProvider, request: ModelRequest = REQUEST) -> list[StreamEvent]:
    async with aclosing(provider.stream(request)) as stream:
        return [event async for event in stream]


async def test_a_turn_of_text_and_a_call_streams_in_pieces():
    provider = ScriptedProvider([Turn([Say("abcde", chunk=2), Call("read", {"path": "a"}, fragment=8)], Usage(5, 3))])
    assert await events(provider) == [
        StreamStart("scripted-1", "scripted"),
        TextStart(0),
        TextDelta(0, "ab"),
        TextDelta(0, "cd"),
        TextDelta(0, "e"),
        TextEnd(0, TextContent("abcde")),
        ToolCallStart(1, "call_1", "read"),
        ToolCallDelta(1, '{"path":'),
        ToolCallDelta(1, ' "a"}'),
        ToolCallEnd(1, ToolCall("call_1", "read", {"path": "a"})),
        StreamDone("toolUse", Usage(5, 3)),
    ]
    assert provider.requests == [REQUEST]


async def test_made_ids_are_new_to_the_session():
    used = AssistantMessage((ToolCall("call_2", "read", {}), ToolCall("call_1", "read", {})))
    request = ModelRequest(SCRIPTED_MODEL, "", (UserMessage.of("hi"), used))
    provider = ScriptedProvider([Turn([Call("read"), Call("read"), Call("read", id="mine")])])
    ends = [event.tool_call.id for event in await events(provider, request) if isinstance(event, ToolCallEnd)]
    assert ends == ["call_3", "call_4", "mine"]


async def test_raw_arguments_that_do_not_parse_are_kept_with_the_reason():
    provider = ScriptedProvider([Turn([Call("read", raw='{"path": ')])])
    call = next(event.tool_call for event in await events(provider) if isinstance(event, ToolCallEnd))
    assert call.arguments == {}
    assert call.raw_arguments == '{"path": '
    assert call.parse_error is not None


async def test_a_failure_first_comes_before_the_reply_starts_and_a_later_one_after_the_text():
    provider = ScriptedProvider([Turn([Fail("overloaded", "busy", 2.0)]), Turn([Say("part"), Fail("network", "gone")])])
    seen: list[StreamEvent] = []
    with pytest.raises(ProviderError, match="busy") as caught:
        seen += await events(provider)
    assert (caught.value.kind, caught.value.retry_after, caught.value.retryable, seen) == ("overloaded", 2.0, True, [])
    stream = provider.stream(REQUEST)
    seen += [await anext(stream) for _ in range(4)]
    with pytest.raises(ProviderError, match="gone"):
        await anext(stream)
    assert TextEnd(0, TextContent("part")) in seen


async def test_delays_and_stalls_take_their_time():
    turn = Turn([Say("abc", chunk=1, delay=0.02), Stall(0.05), Call("ls", delay=0.02)], first_delay=0.05)
    began = time.monotonic()
    await events(ScriptedProvider([turn]))
    assert 0.18 <= time.monotonic() - began < 5


async def test_a_script_that_is_over_says_so():
    with pytest.raises(ProviderError, match="has 0 turns and this is request 1"):
        await events(ScriptedProvider([]))


async def test_a_turn_may_be_made_from_the_request():
    provider = ScriptedProvider([lambda request: Turn([Say(f"{len(request.messages)} messages")])])
    assert TextDelta(0, "1 messages") in await events(provider)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


SCENARIO = """
[[turns]]
first_delay = 0
usage = { input = 10, output = 2 }
[[turns.parts]]
think = "hm"
[[turns.parts]]
say = "in {cwd}, {unknown} and {}"
chunk = 3
[[turns.parts]]
call = "write"
arguments = { path = "{cwd}/a.py", lines = ["{cwd}"] }
fragment = 5
[[turns]]
[[turns.parts]]
stall = 0
[[turns.parts]]
fail = "rate_limit"
message = "slow down"
retry_after = 3
"""

TURNS = [
    Turn(
        (
            Think("hm"),
            Say("in /p, {unknown} and {}", chunk=3),
            Call("write", {"path": "/p/a.py", "lines": ["/p"]}, fragment=5),
        ),
        Usage(10, 2),
        first_delay=0,
    ),
    Turn((Stall(0), Fail("rate_limit", "slow down", 3))),
]


def test_a_scenario_file_is_read_and_its_placeholders_filled(tmp_path: Path):
    assert load_scenario(write(tmp_path / "s.toml", SCENARIO), {"cwd": "/p"}) == TURNS


def test_a_scenario_may_be_json(tmp_path: Path):
    document = {"turns": [{"parts": [{"say": "hé"}], "stop_reason": "length"}]}
    path = write(tmp_path / "s.json", json.dumps(document, ensure_ascii=False))
    assert load_scenario(path) == [Turn((Say("hé"),), stop_reason="length")]


async def test_a_scenario_plays(tmp_path: Path):
    provider = ScriptedProvider(load_scenario(write(tmp_path / "s.toml", SCENARIO)))
    kinds = {type(event) for event in await events(provider)}
    assert {ThinkingEnd, TextEnd, ToolCallEnd, StreamDone} <= kinds


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("turns = 3", "top level.turns: must be a list, not 3"),
        ("", "no turns"),
        ("[[turns]]\nnope = 1", "turns[0]: unknown key 'nope'"),
        ("[[turns]]\n[[turns.parts]]\nsay = 1", "turns[0].parts[0].say: must be a text, not 1"),
        ("[[turns]]\n[[turns.parts]]\nchunk = 1", "turns[0].parts[0]: a part needs exactly one of"),
        ("[[turns]]\n[[turns.parts]]\nsay = 'a'\nstall = 1", "turns[0].parts[0]: a part needs exactly one of"),
        ("[[turns]]\n[[turns.parts]]\nfail = 'boom'", "turns[0].parts[0].fail: 'boom' is none of auth"),
        ("[[turns]]\nstop_reason = 'tired'", "turns[0].stop_reason: 'tired' is none of"),
        ("[[turns]]\n[[turns.parts]]\nsay = 'a'\ndelay = -1", "turns[0].parts[0].delay: must not be negative"),
        ("[[turns]]\nusage = { input = true }", "turns[0].usage.input: must be a whole number, not True"),
        ("[[turns]]\nx y", "line 2"),
    ],
)
def test_a_wrong_scenario_names_the_file_and_the_place(tmp_path: Path, text: str, place: str):
    path = write(tmp_path / "wrong.toml", text)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert place in str(caught.value)


def test_a_scenario_that_is_missing_or_not_text_is_named(tmp_path: Path):
    with pytest.raises(ScenarioError, match="No such file"):
        load_scenario(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff")
    with pytest.raises(ScenarioError, match=r"latin\.toml: not UTF-8"):
        load_scenario(tmp_path / "latin.toml")
