"""Finding model servers on this machine, and asking providers what they have."""

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from pyagent_tui.agent.provider import ProviderError
from pyagent_tui.providers.config import PROVIDERS, ProviderConfig
from pyagent_tui.providers.http_provider import HttpProvider
from pyagent_tui.providers.keys import Key
from pyagent_tui.providers.listing import check_key, list_models
from pyagent_tui.providers.local import find_local_servers
from pyagent_tui.providers.registry import Registry
from pyagent_tui.tests.providers.loopback import Answer, Asked, Hang, json_answer, serving

pytestmark = pytest.mark.anyio


def site(pages: dict[str, Any]) -> Any:
    def answer(asked: Asked) -> Answer:
        page = pages.get(asked.path)
        return json_answer(404, {"error": "nothing here"}) if page is None else json_answer(200, page)

    return answer


LISTS: dict[str, dict[str, Any]] = {
    "ollama": {
        "/v1/models": {"data": [{"id": "qwen3:8b", "owned_by": "library"}, {"id": "nomic-embed-text"}]},
        "/api/ps": {"models": [{"name": "qwen3:8b", "context_length": 40_960}]},
    },
    "lmstudio": {
        "/v1/models": {"data": [{"id": "qwen3:8b"}, {"id": "text-embedding-x"}]},
        "/api/v0/models": {"data": [{"id": "qwen3:8b", "type": "vlm", "loaded_context_length": 40_960}]},
    },
    "llama.cpp": {
        "/v1/models": {"data": [{"id": "qwen3:8b", "meta": {"n_ctx_train": 131_072}}]},
        "/props": {"default_generation_settings": {"n_ctx": 40_960}, "modalities": {"vision": True}},
    },
    "vllm": {"/v1/models": {"data": [{"id": "qwen3:8b", "max_model_len": 40_960}]}},
}


@pytest.mark.parametrize("name", LISTS)
async def test_each_kind_of_server_is_found_with_its_models_and_their_window(name: str):
    async with serving(site(LISTS[name])) as server:
        found = await find_local_servers([replace(PROVIDERS[name], base_url=f"{server.url}/v1")])
    assert [each.config.name for each in found] == [name]
    (model,) = found[0].models
    assert (model.provider, model.id, model.api) == (name, "qwen3:8b", "openai-completions")
    assert model.context_window == 40_960
    assert model.vision is (name in ("lmstudio", "llama.cpp"))


async def test_what_is_no_model_server_is_not_taken_for_one():
    page = Answer([b"<html>my web app</html>"], content_type="text/html")
    odd = json_answer(200, {"data": "none"})
    async with serving(page) as web, serving(odd) as other, serving(json_answer(404, {})) as third:
        urls = [web.url, other.url, third.url, "http://127.0.0.1:9"]
        configs = [replace(PROVIDERS["vllm"], name=url, base_url=f"{url}/v1") for url in urls]
        assert await find_local_servers(configs) == ()


async def test_nothing_but_loopback_is_asked():
    async with serving(site(LISTS["vllm"])) as server:
        # This address reaches the server here, and is not loopback.
        config = replace(PROVIDERS["vllm"], base_url=f"http://0.0.0.0:{server.port}/v1", allow_http=True)
        assert await find_local_servers([config]) == ()
    assert server.connections == 0


async def test_a_server_that_hangs_delays_the_others_by_nothing():
    async with serving(Answer([Hang()])) as hanging, serving(site(LISTS["vllm"])) as good:
        configs = [
            replace(PROVIDERS["ollama"], base_url=f"{hanging.url}/v1"),
            replace(PROVIDERS["vllm"], base_url=f"{good.url}/v1"),
        ]
        began = time.monotonic()
        found = await find_local_servers(configs)
        assert [each.config.name for each in found] == ["vllm"]
        assert time.monotonic() - began < 6


async def test_servers_that_are_found_can_be_chosen():
    registry = Registry({})
    assert registry.default_model() is None
    async with serving(site(LISTS["ollama"])) as server:
        registry = Registry({"OLLAMA_BASE_URL": server.url})
        assert "ollama" in await registry.discover()
        model = registry.find("qwen3").model
    assert (model.provider, model.context_window) == ("ollama", 40_960)
    assert "ollama" in registry.ready()
    assert model in registry.served()
    assert registry.default_model() is not None


def hosted(name: str, url: str) -> HttpProvider:
    config = PROVIDERS[name]
    suffix = {"google": "/v1beta", "anthropic": ""}.get(name, "/v1")
    return HttpProvider(replace(config, base_url=url + suffix), Key("sk", "a test"), environment={})


SHAPES: list[tuple[str, str, Any, tuple[str, int | None, int | None]]] = [
    (
        "anthropic",
        "/v1/models",
        {"data": [{"id": "claude-x", "display_name": "Claude X", "max_input_tokens": 1_000, "max_tokens": 64}]},
        ("claude-x", 1_000, 64),
    ),
    ("groq", "/v1/models", {"data": [{"id": "fast"}]}, ("fast", None, None)),
    (
        "google",
        "/v1beta/models",
        {
            "models": [
                {"name": "models/gemini-x", "inputTokenLimit": 9, "outputTokenLimit": 8},
                {"name": "models/embed-y"},
            ]
        },
        ("gemini-x", 9, 8),
    ),
]


@pytest.mark.parametrize(("name", "path", "page", "expected"), SHAPES)
async def test_a_hosted_provider_tells_what_it_serves(name: str, path: str, page: Any, expected: Any):
    async with serving(site({path: page})) as server:
        (model,) = await list_models(hosted(name, server.url))
        assert await check_key(hosted(name, server.url)) == "good"
    assert (model.id, model.context_window, model.max_output) == expected
    assert server.asked[0].path == path
    if name == "anthropic":
        assert server.asked[0].headers["anthropic-version"]


async def test_the_key_of_openrouter_is_checked_where_it_matters():
    async with serving(json_answer(401, {"error": {"message": "No auth credentials found"}})) as server:
        config = replace(PROVIDERS["openrouter"], base_url=f"{server.url}/api/v1")
        with pytest.raises(ProviderError, match="No auth credentials"):
            await check_key(HttpProvider(config, Key("bad", "a test"), environment={}))
    assert server.asked[0].path == "/api/v1/key"


async def test_what_a_provider_serves_keeps_what_the_catalogue_knows():
    page = {"data": [{"id": "llama-3.3-70b-versatile"}, {"id": "brand-new"}]}
    async with serving(site({"/v1/models": page})) as server:
        registry = Registry({"GROQ_BASE_URL": server.url, "GROQ_API_KEY": "k"})
        models = await registry.refresh("groq")
    assert [model.id for model in models] == ["llama-3.3-70b-versatile", "brand-new"]
    assert models[0].prices.input is not None
    assert models[1].prices.input is None
    assert registry.find("groq/brand-new").warning is None


async def test_a_list_that_is_no_json_is_a_protocol_error():
    async with serving(Answer([b"<html>hello</html>"], content_type="text/html")) as server:
        with pytest.raises(ProviderError) as caught:
            await list_models(hosted("groq", server.url))
    assert caught.value.kind == "protocol"


def test_the_usual_servers_are_looked_for_at_their_usual_ports():
    ports = {"ollama": 11434, "lmstudio": 1234, "llama.cpp": 8080, "vllm": 8000}
    for name, port in ports.items():
        config: ProviderConfig = PROVIDERS[name]
        assert config.base_url == f"http://127.0.0.1:{port}/v1"
        assert config.is_local
    assert json.dumps(ports)
