"""Where a provider's key comes from, in order: `--api-key`, auth.json, models.toml, environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from ..agent.frozen import frozen
from ..agent.provider import ProviderError
from .address import host_of
from .config import ProviderConfig

COMMAND_TIMEOUT = 10.0
"""Seconds that a ``!command`` may take to print its key."""

_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")


@frozen
class Key:
    """A key as it is configured, and where it was found (for the person). It never shows itself.

    `kind` is ``literal`` where the text is the key, ``value`` where it may be ``$NAME`` or ``!command``.
    """

    text: str = field(repr=False)
    source: str
    kind: Literal["literal", "value"] = "literal"
    bearer: bool = False

    @property
    def is_command(self) -> bool:
        return self.kind == "value" and self.text.startswith("!")


@frozen
class StoredKey:
    """A key in auth.json; `host` is the server it was stored for, empty in files of other programs."""

    text: str = field(repr=False)
    host: str = ""


def find_key(
    config: ProviderConfig,
    environment: Mapping[str, str],
    *,
    explicit: str | None = None,
    stored: StoredKey | None = None,
) -> Key | None:
    """The key that goes to `config`, None if there is none. A stored key goes only to the host it was stored for."""
    if explicit:
        return Key(explicit.strip(), "--api-key")
    if stored is not None and (not stored.host or stored.host == host_of(config.base_url)):
        return Key(stored.text, "auth.json", "value")
    if config.key:
        return Key(config.key, "models.toml", "value")
    for name in (*config.key_env, *config.bearer_env):
        if value := environment.get(name, "").strip():
            return Key(value, name, bearer=name in config.bearer_env)
    return None


def is_set(key: Key, environment: Mapping[str, str]) -> bool:
    """Whether there is a key behind what is configured, as far as can be told without running a command."""
    name = _variable(key)
    return not name or bool(environment.get(name, "").strip())


def reveal_key(key: Key, environment: Mapping[str, str]) -> str:
    """The key itself. Blocks while a command runs: call it off the event loop. Raises `ProviderError`."""
    if key.kind == "literal":
        return key.text
    if key.text.startswith("!"):
        return _run(key.text[1:], key.source)
    if key.text.startswith(("$$", "$!")):
        return key.text[1:]
    name = _variable(key)
    if not name:
        return key.text
    value = environment.get(name, "").strip()
    if not value:
        raise ProviderError("auth", f"The key in {key.source} is ${name}, but that variable is not set.")
    return value


def _variable(key: Key) -> str:
    """The name of the variable that holds the key; empty if none does."""
    match = _VARIABLE.fullmatch(key.text) if key.kind == "value" else None
    return match[1] or match[2] if match else ""


def missing_key(config: ProviderConfig) -> ProviderError:
    """What a person should do who has no key for `config`."""
    names = (*config.key_env, *config.bearer_env)
    ways = [f"set {' or '.join(names)}"] if names else [f"set key under [providers.{config.name}] in models.toml"]
    return ProviderError("auth", f"There is no key for {config.title}: {ways[0]}, or store one with /login.")


def _run(command: str, source: str) -> str:
    import subprocess

    try:
        done = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_TIMEOUT,
            start_new_session=os.name != "nt",
            check=False,
        )
    except subprocess.TimeoutExpired:
        words = f"The key command in {source} took longer than {COMMAND_TIMEOUT:g} s."
        raise ProviderError("auth", words) from None
    except OSError as error:
        raise ProviderError("auth", f"The key command in {source} cannot be run: {error}.") from None
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = words[-1][:300] if words else "it said nothing"
        raise ProviderError("auth", f"The key command in {source} failed with code {done.returncode}: {reason}")
    key = done.stdout.decode("utf-8", "replace").strip()
    if not key:
        raise ProviderError("auth", f"The key command in {source} printed nothing.")
    return key
