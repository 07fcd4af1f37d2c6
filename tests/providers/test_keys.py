"""Where keys come from, where they go, and how they are kept."""

import json
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pyagent_tui.agent.provider import ProviderError
from pyagent_tui.providers import keys
from pyagent_tui.providers.auth_store import AuthStore, AuthStoreError
from pyagent_tui.providers.config import PROVIDERS
from pyagent_tui.providers.http_provider import HttpProvider
from pyagent_tui.providers.keys import Key, StoredKey, find_key, reveal_key
from pyagent_tui.providers.models_toml import parse_models_toml
from pyagent_tui.providers.registry import Registry
from pyagent_tui.tests.providers.asking import CHAT, ask_for, hear, model_of, provider_at
from pyagent_tui.tests.providers.loopback import chat_reply, json_answer, serving

ANTHROPIC = PROVIDERS["anthropic"]
HOST = "https://api.anthropic.com"


def test_keys_are_looked_for_in_order():
    config = replace(ANTHROPIC, key="from-toml")
    environment = {"ANTHROPIC_API_KEY": "from-env"}
    stored = StoredKey("from-store", HOST)
    found = [
        find_key(config, environment, explicit="from-cli", stored=stored),
        find_key(config, environment, stored=stored),
        find_key(config, environment),
        find_key(ANTHROPIC, environment),
        find_key(ANTHROPIC, {}),
    ]
    assert [(key.text, key.source) if key else None for key in found] == [
        ("from-cli", "--api-key"),
        ("from-store", "auth.json"),
        ("from-toml", "models.toml"),
        ("from-env", "ANTHROPIC_API_KEY"),
        None,
    ]


def test_a_stored_key_goes_to_the_host_it_was_stored_for_and_to_no_other():
    moved = ANTHROPIC.moved("https://proxy.example.org")
    assert find_key(moved, {}, stored=StoredKey("secret", HOST)) is None
    assert find_key(moved, {}, stored=StoredKey("secret", "https://proxy.example.org")) is not None


def test_a_key_whose_variable_is_not_set_makes_nothing_ready():
    custom = parse_models_toml(
        '[providers.work]\napi = "openai-completions"\nbase_url = "https://models.example.org/v1"\nkey = "$WORK_KEY"\n'
        '[providers.safe]\napi = "openai-completions"\nbase_url = "https://models.example.org/v1"\nkey = "!false"\n'
    )
    assert Registry({}, custom).ready() == {"safe"}
    assert Registry({"WORK_KEY": "k"}, custom).ready() == {"safe", "work"}


def test_a_key_never_shows_itself():
    assert "sk-secret" not in repr(Key("sk-secret", "x"))
    assert "sk-secret" not in repr(StoredKey("sk-secret"))
    assert "sk-secret" not in repr(replace(ANTHROPIC, key="sk-secret"))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("sk-plain", "sk-plain"),
        ("$NAME", "value"),
        ("${NAME}", "value"),
        ("$$NAME", "$NAME"),
        ("$!x", "!x"),
        ("$NAME-more", "$NAME-more"),
        ("!echo key; echo noise >&2", "key"),
    ],
)
def test_a_configured_value_is_a_literal_a_variable_or_a_command(text: str, key: str):
    assert reveal_key(Key(text, "models.toml", "value"), {"NAME": "value"}) == key
    assert reveal_key(Key(text, "--api-key"), {"NAME": "value"}) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("$MISSING", "MISSING, but that variable is not set"),
        ("!echo no such entry >&2; exit 3", "failed with code 3: no such entry"),
        ("!true", "printed nothing"),
    ],
)
def test_a_value_that_gives_no_key_says_why(text: str, words: str):
    with pytest.raises(ProviderError, match=words) as caught:
        reveal_key(Key(text, "models.toml", "value"), {})
    assert caught.value.kind == "auth"


def test_a_command_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(keys, "COMMAND_TIMEOUT", 0.2)
    with pytest.raises(ProviderError, match=r"longer than 0\.2 s"):
        reveal_key(Key("!sleep 30", "models.toml", "value"), {})


@pytest.mark.anyio
async def test_without_a_key_nothing_is_sent_and_the_person_is_told_what_to_set():
    async with serving(chat_reply()) as server:
        model = model_of(CHAT, "groq")
        config = replace(PROVIDERS["groq"], base_url=server.url)
        heard = await hear(HttpProvider(config, None, environment={}), ask_for(model))
    assert heard.error is not None
    assert heard.error.kind == "auth"
    assert "GROQ_API_KEY" in str(heard.error)
    assert "/login" in str(heard.error)
    assert server.asked == []


@pytest.mark.anyio
async def test_a_local_server_is_asked_without_a_key():
    async with serving(chat_reply()) as server:
        model = model_of(CHAT, "ollama")
        heard = await hear(HttpProvider(PROVIDERS["ollama"].moved(server.url), None, environment={}), ask_for(model))
    assert heard.error is None
    assert "authorization" not in server.asked[0].headers


@pytest.mark.anyio
async def test_a_token_for_gateways_goes_as_bearer_and_organisations_in_their_headers():
    async with serving(chat_reply()) as server:
        environment = {"ANTHROPIC_AUTH_TOKEN": "tok", "OPENAI_ORG_ID": "org", "OPENAI_API_KEY": "k"}
        model = model_of(CHAT, "anthropic")
        config = replace(ANTHROPIC, base_url=server.url)
        await hear(HttpProvider(config, find_key(config, environment), environment=environment), ask_for(model))
        openai = PROVIDERS["openai"].moved(server.url)
        key = find_key(openai, environment)
        await hear(HttpProvider(openai, key, environment=environment), ask_for(model_of(CHAT, "openai")))
    assert server.asked[0].headers["authorization"] == "Bearer tok"
    assert "x-api-key" not in server.asked[0].headers
    assert server.asked[1].headers["openai-organization"] == "org"


@pytest.fixture
def store(tmp_path: Path) -> AuthStore:
    return AuthStore(tmp_path / "config" / "auth.json")


def test_keys_are_stored_for_their_owner_only(store: AuthStore):
    assert store.get("anthropic") is None
    store.put("anthropic", " sk-1\n", HOST)
    store.put("groq", "sk-2", "https://api.groq.com")
    assert store.get("anthropic") == StoredKey("sk-1", HOST)
    assert store.providers() == ("anthropic", "groq")
    if sys.platform != "win32":
        assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert store.remove("anthropic") is True
    assert store.remove("anthropic") is False
    assert store.providers() == ("groq",)
    assert sorted(path.name for path in store.path.parent.iterdir()) == ["auth.json", "auth.json.lock"]


def test_entries_of_other_programs_are_kept(store: AuthStore):
    store.path.parent.mkdir()
    entries = {"copilot": {"type": "oauth", "refresh": "r"}, "xai": {"type": "api_key", "key": "sk"}}
    store.path.write_text(json.dumps(entries))
    store.path.chmod(0o644)
    store.put("groq", "sk-2", "h")
    assert json.loads(store.path.read_text())["copilot"] == entries["copilot"]
    assert store.get("copilot") is None
    assert store.get("xai") == StoredKey("sk")
    if sys.platform != "win32":
        assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ['{"a": ', "[]", "\udcff"])
def test_a_broken_file_is_named_and_never_overwritten(store: AuthStore, text: str):
    store.path.parent.mkdir()
    store.path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = store.path.read_bytes()
    with pytest.raises(AuthStoreError, match=r"auth\.json"):
        store.put("groq", "sk", "h")
    with pytest.raises(AuthStoreError, match=r"auth\.json"):
        store.get("groq")
    assert store.path.read_bytes() == before


def test_a_link_to_the_file_stays_a_link(store: AuthStore, tmp_path: Path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    store.path.parent.mkdir()
    store.path.symlink_to(real)
    store.put("groq", "sk", "h")
    assert store.path.is_symlink()
    assert "groq" in json.loads(real.read_text())


def test_writers_at_the_same_time_lose_nothing(store: AuthStore):
    names = [f"provider-{number}" for number in range(24)]

    def put(name: str) -> None:
        AuthStore(store.path).put(name, "sk", "h")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, names))
    assert sorted(store.providers()) == sorted(names)


@pytest.mark.anyio
async def test_logging_in_checks_the_key_and_stores_it_and_logging_out_forgets_it(store: AuthStore):
    async with serving(
        json_answer(401, {"error": {"message": "no such key"}}), json_answer(200, {"data": []})
    ) as server:
        registry = Registry({"GROQ_BASE_URL": server.url}, auth=store)
        with pytest.raises(ProviderError, match="no such key"):
            await registry.log_in("groq", "sk-bad")
        assert store.get("groq") is None
        assert await registry.log_in("groq", "sk-good") == "good"
        assert server.asked[1].headers["authorization"] == "Bearer sk-good"
        assert server.asked[1].path == "/v1/models"
        assert store.get("groq") == StoredKey("sk-good", server.url)
        key = registry.key_of("groq")
        assert key is not None
        assert key.source == "auth.json"
        assert await registry.log_out("groq") is True
        assert registry.key_of("groq") is None


@pytest.mark.anyio
async def test_a_provider_without_a_list_of_models_leaves_the_key_unchecked(store: AuthStore):
    async with serving(json_answer(404, {"error": "not here"})) as server:
        registry = Registry({"GROQ_BASE_URL": server.url}, auth=store)
        assert await registry.log_in("groq", "sk") == "unchecked"
        assert store.get("groq") is not None


@pytest.mark.anyio
async def test_a_key_command_is_run_off_the_event_loop_and_its_key_sent():
    async with serving(chat_reply()) as server:
        model = model_of(CHAT)
        provider = provider_at(server.url, model)
        config = replace(provider.config, key="!echo sk-from-command")
        heard = await hear(HttpProvider(config, find_key(config, {}), environment={}), ask_for(model))
    assert heard.error is None
    assert server.asked[0].headers["authorization"] == "Bearer sk-from-command"


@pytest.mark.anyio
async def test_a_refused_key_says_where_it_came_from_and_not_what_it_is():
    async with serving(json_answer(401, {"error": {"message": "Incorrect API key provided"}})) as server:
        registry = Registry({"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": server.url})
        model = registry.find("openai/gpt-4.1").model
        heard = await hear(registry.provider_for(model), ask_for(model))
        await registry.aclose()
    assert heard.error is not None
    assert "Incorrect API key provided" in str(heard.error)
    assert "The key is from OPENAI_API_KEY" in str(heard.error)
    assert "sk-secret" not in str(heard.error)
