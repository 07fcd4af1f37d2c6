"""Changing one setting in the person's file and nothing else in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ...agent.toml_lines import find_line
from ...policy.store import locked, replace
from .reading import FILE, file_problem
from .values import value_fault

BOM = b"\xef\xbb\xbf"


class SettingsError(Exception):
    """A setting could not be saved; the file is as it was. `str(error)` says why, with file and line."""


def save_setting(config_dir: Path, key: str, value: Any) -> None:
    """Write the setting with the dotted `key` into the person's file; None takes it out, so that the default holds.

    Everything else in the file stays as it is: comments, order, unknown keys, and what was changed by hand meanwhile.
    Blocks for the disk and the lock. Raises `SettingsError`; KeyError for a key that is no setting.
    """
    if isinstance(value, tuple):
        value = list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if value is not None and (fault := value_fault(key, value)):
        raise SettingsError(fault)
    path = config_dir / FILE
    try:
        with locked(path):
            replace(path, _edited(path, key, value))
    except OSError as error:
        raise SettingsError(f"{path} could not be written: {error.strerror or error}") from error


def _edited(path: Path, key: str, value: Any) -> bytes:
    data = path.read_bytes() if path.exists() else b""
    try:
        source = data.decode("utf-8-sig")
        before = tomllib.loads(source)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(str(file_problem(path, error))) from error
    if value is None and not find_line(source, key.split(".")):
        return data
    after = _with_value(source, path, key, value)
    # A check of the library that writes: better an error than a setting lost.
    if tomllib.loads(after) != _put(before, path, key, value):
        raise SettingsError(f"{path} could not be changed without changing more than {key}; please edit it by hand")
    return (BOM if data.startswith(BOM) else b"") + after.encode()


def _with_value(source: str, path: Path, key: str, value: Any) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(source)
        section = key.rpartition(".")[0]
        if section and section not in document:
            document[section] = tomlkit.table()
        return tomlkit.dumps(_put(document, path, key, value))
    except TOMLKitError as error:
        raise SettingsError(f"{path} could not be changed: {error}") from error


def _put(document: Any, path: Path, key: str, value: Any) -> Any:
    """Set or remove the key in plain or tomlkit tables alike; gives the document back."""
    section, _, name = key.rpartition(".")
    table = document.setdefault(section, {}) if section else document
    if not hasattr(table, "setdefault"):
        raise SettingsError(f"{path}: {section} must be a section")
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
    return document
