"""What a reply used is known of one that is broken off too."""

import pytest

from pyagent_tui.agent.messages import ImageContent, JsonObject, TextContent, UserMessage
from pyagent_tui.agent.model import Prices
from pyagent_tui.tests.providers.asking import CHAT, MESSAGES, ask_for, hear, model_of, provider_at
from pyagent_tui.tests.providers.loopback import Answer, Drop, anthropic_reply, serving, sse

pytestmark = pytest.mark.anyio

LONG = "x" * 7_000
DELTA: JsonObject = {"choices": [{"index": 0, "delta": {"content": LONG}}]}
FINISH: JsonObject = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


async def test_a_broken_reply_has_a_guess_and_its_price_where_the_server_counts_at_the_end():
    async with serving(Answer([*sse(DELTA), Drop()])) as server:
        model = model_of(CHAT, prices=Prices(1_000, 1_000))
        heard = await hear(provider_at(server.url, model), ask_for(model, system="s" * 3_500))
    assert heard.error is not None
    assert heard.message is not None
    usage = heard.message.usage
    assert usage.estimated
    assert usage.output == 2_000
    assert 1_000 < usage.input < 1_200
    assert usage.cost is not None
    assert usage.cost.output == pytest.approx(2.0)


async def test_a_broken_reply_keeps_the_servers_count_of_the_prompt():
    pieces = list(anthropic_reply(LONG).pieces)[:3]
    async with serving(Answer(pieces)) as server:
        model = model_of(MESSAGES)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.error is not None
    assert heard.message is not None
    assert (heard.message.usage.input, heard.message.usage.output) == (3, 2_000)
    assert heard.message.usage.estimated


async def test_a_guess_gives_way_to_the_servers_own_count():
    counted: JsonObject = {"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 5}}
    async with serving(Answer(sse(DELTA, FINISH, counted, done=True))) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    usage = heard.done.usage
    assert (usage.input, usage.output, usage.estimated) == (30, 5, False)


async def test_the_bytes_of_a_picture_are_not_taken_for_text():
    picture = ImageContent("A" * 1_000_000, "image/png")
    async with serving(Answer(sse(DELTA, FINISH, done=True))) as server:
        model = model_of(CHAT, vision=True)
        heard = await hear(provider_at(server.url, model), ask_for(model, UserMessage((TextContent("see"), picture))))
    assert heard.error is None
    assert 1_200 < heard.done.usage.input < 1_400
