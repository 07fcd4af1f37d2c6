"""A real llama.cpp server, where one runs: PYAGENT_TUI_LLAMA_URL is its address, such as http://127.0.0.1:8080."""

import os
from dataclasses import replace

import pytest

from pyagent_tui.agent.messages import (
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pyagent_tui.agent.model import Model, ToolSpec
from pyagent_tui.agent.provider import TextDelta
from pyagent_tui.providers.config import PROVIDERS, normal_base_url
from pyagent_tui.providers.http_provider import HttpProvider
from pyagent_tui.providers.local import find_local_servers
from pyagent_tui.tests.providers.asking import CHAT, MESSAGES, RESPONSES, ask_for, hear

URL = os.environ.get("PYAGENT_TUI_LLAMA_URL", "")

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not URL, reason="no llama.cpp server is named")]


@pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES])
async def test_a_plain_question_streams_an_answer_and_a_second_one_goes_on(api: str):
    config = replace(PROVIDERS["llama.cpp"], api=api, base_url=normal_base_url(URL, api))
    provider = HttpProvider(config, environment={})
    model = Model("llama.cpp", "any", api)
    first = await hear(provider, ask_for(model, UserMessage.of("What is the capital of France?"), max_output=40))
    assert first.error is None, first.error
    assert first.message is not None
    assert first.message.text
    assert sum(isinstance(event, TextDelta) for event in first.events) > 3
    assert first.message.usage.output > 3
    again = ask_for(
        model,
        UserMessage.of("What is the capital of France?"),
        AssistantMessage((TextContent(first.message.text),), api, "llama.cpp", "any"),
        UserMessage.of("Thank you."),
        max_output=10,
    )
    second = await hear(provider, again)
    assert second.error is None, second.error
    await provider.aclose()


@pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES])
async def test_a_history_of_another_model_with_calls_and_results_is_taken(api: str):
    config = replace(PROVIDERS["llama.cpp"], api=api, base_url=normal_base_url(URL, api))
    calls = (ThinkingContent("hm", "signature"), ToolCall("c|1", "ls", {"path": "."}), ToolCall("c2", "ls", {}))
    request = ask_for(
        Model("llama.cpp", "any", api),
        UserMessage.of("What is here?"),
        AssistantMessage((TextContent("Let me look."), *calls), "other", "other", "other"),
        ToolResultMessage("c|1", "ls", (TextContent("a.py"),)),
        ToolResultMessage("c2", "ls", (TextContent("no such folder"),), is_error=True),
        UserMessage.of("And now?"),
        system="Be good.",
        tools=(ToolSpec("ls", "List a folder.", {"type": "object", "properties": {"path": {"type": "string"}}}),),
        max_output=10,
    )
    heard = await hear(HttpProvider(config, environment={}), request)
    assert heard.error is None, heard.error


@pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES])
async def test_a_prompt_that_is_too_long_is_a_full_context(api: str):
    config = replace(PROVIDERS["llama.cpp"], api=api, base_url=normal_base_url(URL, api))
    heard = await hear(
        HttpProvider(config, environment={}),
        ask_for(Model("llama.cpp", "any", api), UserMessage.of("word " * 40_000), max_output=10),
    )
    assert heard.error is not None
    assert heard.error.kind == "context_overflow"


async def test_the_server_is_found_with_its_window():
    config = replace(PROVIDERS["llama.cpp"], base_url=normal_base_url(URL, CHAT))
    (server,) = await find_local_servers([config])
    assert server.models[0].context_window
