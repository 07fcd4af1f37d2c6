"""Which providers there are: protocol, address, names of their environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from ..agent.frozen import frozen
from .address import hostname, is_loopback

AuthStyle: TypeAlias = Literal["bearer", "x-api-key", "x-goog-api-key", "api-key"]
"""Which header carries the key: ``Authorization: Bearer`` or the one named."""

APIS = ("anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai", "ollama-chat")
"""The wire protocols."""

_ENDPOINTS = ("/chat/completions", "/responses", "/v1/messages", "/messages")
_VERSIONS = {"openai-completions": "/v1", "openai-responses": "/v1", "google-generative-ai": "/v1beta"}


@frozen
class ProviderConfig:
    """One provider. `key` is as models.toml has it (literal, ``$NAME`` or ``!command``); `key_env` in order of preference.

    `bearer_env` are variables whose value goes as a bearer token whatever `auth` says. `header_env` maps header names
    to variables. `compat` are switches that win over the table of `compat.RULES`.
    """

    name: str
    api: str
    base_url: str
    key_env: tuple[str, ...] = ()
    base_url_env: tuple[str, ...] = ()
    label: str = ""
    auth: AuthStyle = "bearer"
    bearer_env: tuple[str, ...] = ()
    header_env: Mapping[str, str] = field(default_factory=dict[str, str])
    key_required: bool = True
    key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    allow_http: bool = False
    compat: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def title(self) -> str:
        return self.label or self.name

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine."""
        return is_loopback(self.base_url)

    def with_environment(self, environment: Mapping[str, str]) -> ProviderConfig:
        """The provider at the address that the environment names, if it names one.

        A foreign server behind OPENAI_BASE_URL is asked in Chat Completions, which is what the compatible ones know.
        """
        value = next((environment[name] for name in self.base_url_env if environment.get(name)), None)
        return self if value is None else self.moved(value)

    def moved(self, base_url: str) -> ProviderConfig:
        """The provider at another address."""
        host = hostname(base_url)
        foreign = not host.endswith("openai.com") and not host.endswith("openai.azure.com")
        api = "openai-completions" if self.api == "openai-responses" and foreign else self.api
        base_url = normal_base_url(base_url, api)
        return replace(self, api=api, base_url=base_url, key_required=self.key_required and not is_loopback(base_url))


def normal_base_url(base_url: str, api: str) -> str:
    """A base URL as people write it, as the protocol needs it: no slash at the end, no endpoint, the version there.

    What is no address stays as it is: the first request says so.
    """
    if not hostname(base_url):
        return base_url.strip()
    text = base_url.strip().rstrip("/")
    for endpoint in _ENDPOINTS:
        text = text.removesuffix(endpoint)
    parts = urlsplit(text)
    if not parts.path.strip("/") and api in _VERSIONS:
        text = parts._replace(path=_VERSIONS[api]).geturl()
    return text


def _chat(name: str, label: str, base_url: str, *key_env: str) -> ProviderConfig:
    variable = f"{name.upper().replace('-', '_').replace('.', '')}_BASE_URL"
    return ProviderConfig(name, "openai-completions", base_url, key_env, (variable,), label)


def _local(name: str, label: str, port: int, *base_url_env: str) -> ProviderConfig:
    base_url = f"http://127.0.0.1:{port}/v1"
    return ProviderConfig(name, "openai-completions", base_url, (), base_url_env, label, key_required=False)


def _messages(name: str, label: str, base_url: str, *key_env: str) -> ProviderConfig:
    variable = f"{name.upper().replace('-', '_')}_BASE_URL"
    return ProviderConfig(name, "anthropic-messages", base_url, key_env, (variable,), label, "x-api-key")


_ALL = (
    replace(
        _messages("anthropic", "Anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        bearer_env=("ANTHROPIC_AUTH_TOKEN",),
    ),
    ProviderConfig(
        "openai",
        "openai-responses",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        ("OPENAI_BASE_URL",),
        "OpenAI",
        header_env={"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"},
    ),
    ProviderConfig(
        "google",
        "google-generative-ai",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        "Google",
        "x-goog-api-key",
    ),
    _chat("deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    _chat("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    _chat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    _chat("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    _chat("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
    _chat("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    _chat("together", "Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    _chat("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    _chat("zai", "Z.AI", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "ZHIPU_API_KEY"),
    _chat("moonshotai", "Moonshot AI", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    _chat("huggingface", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN"),
    _chat("ollama-cloud", "Ollama Cloud", "https://ollama.com/v1", "OLLAMA_API_KEY"),
    _messages("kimi-coding", "Kimi Coding", "https://api.kimi.com/coding", "KIMI_API_KEY"),
    _messages("minimax", "MiniMax", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY"),
    _local("ollama", "Ollama", 11434, "OLLAMA_BASE_URL"),
    _local("lmstudio", "LM Studio", 1234, "LMSTUDIO_BASE_URL"),
    _local("llama.cpp", "llama.cpp", 8080, "LLAMACPP_BASE_URL"),
    _local("vllm", "vLLM", 8000, "VLLM_BASE_URL"),
)

PROVIDERS: Mapping[str, ProviderConfig] = {config.name: config for config in _ALL}
"""The providers that ship with the program, by name."""

LOCAL = ("ollama", "lmstudio", "llama.cpp", "vllm")
"""Names of the servers that people run on their own machine."""
