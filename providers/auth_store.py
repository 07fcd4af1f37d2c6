"""Stored keys: auth.json, readable by its owner only, changed under a lock and never half."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Generator
from pathlib import Path

from ..agent.json_values import is_object, object_of, text_of
from ..agent.messages import JsonObject
from .keys import StoredKey

LOCK_WAIT = 5.0
"""Seconds to wait for another process that is changing the file."""


class AuthStoreError(Exception):
    """The file cannot be read or written; nothing in it was changed."""


class AuthStore:
    """The keys in one file. Its methods block (a lock, the disk): call them off the event loop."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, provider: str) -> StoredKey | None:
        """The key stored for a provider."""
        entry = object_of(self._read().get(provider))
        text = text_of(entry.get("key")).strip()
        return StoredKey(text, text_of(entry.get("host"))) if text and entry.get("type") == "api_key" else None

    def providers(self) -> tuple[str, ...]:
        """Who has a key stored."""
        return tuple(name for name in self._read() if self.get(name) is not None)

    def put(self, provider: str, key: str, host: str) -> None:
        """Store a key for a provider; it will go to `host` only."""
        entry = {"type": "api_key", "key": key.strip(), "host": host}
        self._change(lambda entries: {**entries, provider: entry})

    def remove(self, provider: str) -> bool:
        """Forget a key; whether there was one."""
        known = provider in self._read()
        self._change(lambda entries: {name: entry for name, entry in entries.items() if name != provider})
        return known

    def _read(self) -> JsonObject:
        try:
            text = self.path.read_text("utf-8-sig")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise AuthStoreError(f"{self.path} cannot be read: {error}.") from None
        try:
            entries: object = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError) as error:
            raise AuthStoreError(f"{self.path} is not valid JSON: {error}.") from None
        if not is_object(entries):
            raise AuthStoreError(f"{self.path} must hold a JSON object.")
        return entries

    def _change(self, change: Callable[[JsonObject], JsonObject]) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._locked():
                self._write(change(self._read()))
        except OSError as error:
            raise AuthStoreError(f"{self.path} cannot be written: {error}.") from None

    def _write(self, entries: JsonObject) -> None:
        import tempfile

        target = self.path.resolve()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".auth-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(entries, file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o600)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise

    @contextlib.contextmanager
    def _locked(self) -> Generator[None]:
        handle = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            deadline = time.monotonic() + LOCK_WAIT
            while not _try_lock(handle):
                if time.monotonic() > deadline:
                    raise AuthStoreError(f"{self.path} is locked by another process.")
                time.sleep(0.02)
            yield
        finally:
            os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
