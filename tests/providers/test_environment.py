"""Proxies and certificates from the environment, and what must not be loaded before the first frame."""

import shutil
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from pyagent_tui.agent.provider import ProviderError
from pyagent_tui.providers.address import host_of, is_loopback, join_url
from pyagent_tui.providers.config import PROVIDERS
from pyagent_tui.providers.limits import Limits
from pyagent_tui.providers.registry import Registry
from pyagent_tui.providers.transport import Transport
from pyagent_tui.tests.providers.asking import CHAT, ask_for, hear, model_of, provider_at
from pyagent_tui.tests.providers.loopback import chat_reply, serving

pytestmark = pytest.mark.anyio

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ALL_PROXY", "socks://127.0.0.1:1080", "ALL_PROXY"),
        ("all_proxy", "socks://user:secret@127.0.0.1:1080", "all_proxy"),
        ("HTTPS_PROXY", "ftp://127.0.0.1:1", "HTTPS_PROXY"),
        ("SSL_CERT_FILE", "/nowhere/ca.pem", "SSL_CERT_FILE"),
    ],
)
async def test_a_variable_that_makes_requests_impossible_names_itself(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
):
    monkeypatch.setenv(name, value)
    with pytest.raises(ProviderError) as caught:
        await Transport("https://models.example.org/v1", limits=Limits(connect=1)).get("/models")
    assert caught.value.retryable is False
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_socks_proxy_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    monkeypatch.setitem(sys.modules, "socksio", None)
    with pytest.raises(ProviderError, match=r"pyagent-tui\[socks\]"):
        await Transport("https://models.example.org/v1").get("/models")


async def test_a_no_proxy_that_httpx_refuses_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "localhost,::1/128")
    with pytest.raises(ProviderError, match="NO_PROXY"):
        await Transport("https://models.example.org/v1", limits=Limits(connect=1)).get("/models")


async def test_a_proxy_that_does_not_answer_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@127.0.0.1:9")
    with pytest.raises(ProviderError) as caught:
        await Transport("https://models.example.org/v1").get("/models")
    assert "HTTPS_PROXY" in str(caught.value)
    assert "127.0.0.1:9" in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_proxy_is_used_for_other_hosts(monkeypatch: pytest.MonkeyPatch):
    async with serving(chat_reply("by proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        model = model_of(CHAT)
        heard = await hear(provider_at("http://models.example.org/v1", model, allow_http=True), ask_for(model))
    assert heard.message is not None
    assert heard.message.text == "by proxy"
    assert proxy.asked[0].path == "http://models.example.org/v1/chat/completions"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
@pytest.mark.parametrize("spelling", ["https", "HTTPS"])
async def test_a_certificate_that_nobody_vouches_for_is_refused_and_the_variable_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, spelling: str
):
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    files = [str(tmp_path / "key.pem"), str(tmp_path / "cert.pem")]
    subprocess.run([*make, "-keyout", files[0], "-out", files[1]], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(files[1], files[0])
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    async with serving(chat_reply(), tls=context) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url.replace("https", spelling), model), ask_for(model))
        monkeypatch.setenv("SSL_CERT_FILE", files[1])
        certified = await hear(provider_at(server.url, model), ask_for(model))
    assert "Hostname mismatch" in str(certified.error) or "IP address mismatch" in str(certified.error)
    assert heard.error is not None
    assert heard.error.retryable is False
    assert "not trusted" in str(heard.error)
    assert "SSL_CERT_DIR" in str(heard.error)


WARM = """
import asyncio, sys
from pyagent_tui.tests.providers.asking import MESSAGES, ask_for, hear, model_of, provider_at

async def main():
    model = model_of(MESSAGES)
    provider = provider_at("http://127.0.0.1:9", model)
    await provider.warm(model)
    loaded = set(sys.modules)
    await hear(provider, ask_for(model))
    late = sorted(name for name in set(sys.modules) - loaded if name.split(".")[0] in ("httpx", "httpcore", "pyagent_tui"))
    print("httpx" in loaded, late)

asyncio.run(main())
"""


def test_a_warm_provider_has_nothing_left_to_import_but_what_an_error_needs():
    done = subprocess.run([sys.executable, "-P", "-c", WARM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True ['pyagent_tui.providers.lessons']"


async def test_plain_http_to_this_machine_reads_no_certificates(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> ssl.SSLContext:
        raise AssertionError("certificates were read")

    monkeypatch.setattr(ssl, "create_default_context", refuse)
    async with serving(chat_reply("direct")) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.message is not None
    assert heard.message.text == "direct"


@pytest.mark.parametrize("value", ["http://127.0.0.1:9", "socks://127.0.0.1:9", "nonsense"])
async def test_loopback_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch, value: str):
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    async with serving(chat_reply("direct")) as server:
        model = model_of(CHAT)
        heard = await hear(provider_at(server.url, model), ask_for(model))
    assert heard.message is not None
    assert heard.message.text == "direct"


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://localhost:1", True),
        ("http://LOCALHOST", True),
        ("http://a.localhost", True),
        ("http://127.8.8.8", True),
        ("http://[::1]:80", True),
        ("http://[::ffff:127.0.0.1]", True),
        ("http://127.0.0.1.example.org", False),
        ("http://localhost.example.org", False),
        ("http://user@example.org#@127.0.0.1", False),
        ("http://0.0.0.0", False),
        ("http://192.168.0.1", False),
    ],
)
def test_loopback_is_known_by_its_address(url: str, answer: bool):
    assert is_loopback(url) is answer


def test_addresses_are_joined_plainly():
    assert join_url("https://h/v1/", "/models") == "https://h/v1/models"
    assert join_url("https://h/v1?api-version=3", "/a?alt=sse") == "https://h/v1/a?api-version=3&alt=sse"
    assert host_of("https://user:pw@Example.org:8443/v1") == "https://example.org:8443"
    assert host_of("http://[::1]:80/x") == "http://[::1]:80"


def test_choosing_a_model_loads_nothing_heavy():
    code = """
import sys
from pyagent_tui.providers.registry import Registry
from pyagent_tui.providers.scenario import load_scenario
registry = Registry({"ANTHROPIC_API_KEY": "k"})
registry.provider_for(registry.find("sonnet").model)
heavy = {"httpx", "anyio", "pydantic", "pygments", "ssl", "asyncio", "textual", "subprocess"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://x:port/v1", "nonsense", "localhost:8080", "http://", "http://x:99999"]
)
@pytest.mark.parametrize("name", ["openai", "anthropic", "google", "ollama"])
async def test_an_address_that_is_none_is_told_by_the_first_request(name: str, url: str):
    registry = Registry({PROVIDERS[name].base_url_env[0]: url}, explicit={name: "k"})
    model = registry.find(f"{name}/m").model
    heard = await hear(registry.provider_for(model), ask_for(model))
    assert heard.error is not None
    assert heard.error.kind == "bad_request"
    assert url in str(heard.error)
