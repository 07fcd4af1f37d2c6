"""Reading the settings from the person's file and, over it, the project's. On the way to the first frame: see `model`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from ...agent.toml_lines import find_line
from ...policy.guarded import PROJECT_FOLDER
from ..spelling import did_you_mean
from .model import SECTIONS, SETTINGS, Settings
from .rules import change_tools

FILE = "config.toml"

HARMLESS_TOOLS = frozenset({"read", "grep", "find", "ls"})
"""Tools that a project may add to the person's own: they only look."""


class SettingsProblem(NamedTuple):
    """What is wrong in a settings file, and what happens instead. `line` counts from 1; None where it can't be told."""

    path: Path
    line: int | None
    key: str | None
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.message}"


def load_settings(
    config_dir: Path, project_dir: Path | None = None, trusted: bool = False
) -> tuple[Settings, list[SettingsProblem]]:
    """Read the person's file and, if the project is `trusted`, the project's over it.

    Every fault is a problem and leaves the value that would hold without it; nothing is written. Never raises.
    """
    problems: list[SettingsProblem] = []
    values: dict[str, Any] = {}
    _read_file(config_dir / FILE, values, problems, own=True)
    if project_dir is not None and trusted:
        _read_file(project_dir / PROJECT_FOLDER / FILE, values, problems, own=False)
    return _build(Settings, "", values), problems


def keys_set(config_dir: Path, project_dir: Path | None = None) -> tuple[frozenset[str], frozenset[str]]:
    """The settings that the person's file sets, and those that the project's does, valid ones only. Reads disk."""
    values: dict[str, Any] = {}
    own = _read_file(config_dir / FILE, values, [], own=True)
    if project_dir is None:
        return own, frozenset()
    return own, _read_file(project_dir / PROJECT_FOLDER / FILE, values, [], own=False)


def file_problem(path: Path, error: Exception) -> SettingsProblem:
    """A file that cannot be read or is no TOML: none of its settings holds."""
    words = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    if isinstance(error, UnicodeDecodeError):
        words = f"not UTF-8 (byte {error.start})"
    line = re.search(r"at line (\d+)", words)
    message = f"{words}; the file is left alone and none of its settings is used"
    return SettingsProblem(path, int(line[1]) if line else None, None, message)


def _build(kind: type[Any], prefix: str, values: Mapping[str, Any]) -> Any:
    chosen: dict[str, Any] = {}
    for entry in fields(kind):
        key = prefix + entry.name
        if section := entry.metadata.get("section"):
            chosen[entry.name] = _build(section, f"{key}.", values)
        elif key in values:
            chosen[entry.name] = values[key]
    return kind(**chosen)


def _read_file(path: Path, values: dict[str, Any], problems: list[SettingsProblem], *, own: bool) -> frozenset[str]:
    """Put the file's valid settings into `values`; which those are."""
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()
    except (OSError, UnicodeDecodeError) as error:
        problems.append(file_problem(path, error))
        return frozenset()
    import tomllib  # for those who have such a file

    try:
        document = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problems.append(file_problem(path, error))
        return frozenset()
    found: set[str] = set()
    for key, value in _flat(document, ""):
        fault = _fault(key, value, own)
        if fault is not None:
            problems.append(SettingsProblem(path, find_line(source, key.split(".")), key, fault + _used(key, values)))
            continue
        chosen = _value(key, value, values)
        if not own and (fault := _widened(key, chosen, values)):
            problems.append(SettingsProblem(path, find_line(source, key), key, fault + _used(key, values)))
            continue
        values[key] = chosen
        found.add(key)
    return frozenset(found)


def _flat(document: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        key = prefix + name
        if key in SECTIONS and isinstance(value, dict):
            yield from _flat(cast("dict[str, Any]", value), f"{key}.")
        else:
            yield key, value


def _fault(key: str, value: object, own: bool) -> str | None:
    if key in SECTIONS:
        return f"{key} is a section: write [{key}] on a line and its settings below"
    if key not in SETTINGS:
        return f"there is no setting {key}{_known_key(key)}"
    if SETTINGS[key].own_only and not own:
        return f"{key} counts only in your own settings, not in a project's"
    if SETTINGS[key].rule.accepts(value):
        return None
    from .values import value_fault  # only for a fault

    return value_fault(key, value)


def _value(key: str, value: Any, lower: Mapping[str, Any]) -> Any:
    if key == "default_tools":
        return change_tools(lower.get(key, SETTINGS[key].default), value)
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


def _widened(key: str, value: Any, lower: Mapping[str, Any]) -> str | None:
    """What is wrong with a project's value that would let more happen than the person's own settings do."""
    if key != "default_tools":
        return None
    added = [name for name in value if name not in lower.get(key, SETTINGS[key].default) and name not in HARMLESS_TOOLS]
    return f"a project may add no tool that can change something, such as {added[0]}" if added else None


def _used(key: str, values: Mapping[str, Any]) -> str:
    """The value that holds instead, in words; empty for a key that is no setting."""
    if key not in SETTINGS:
        return ""
    from .values import shown_value

    used = values.get(key, SETTINGS[key].default)
    return "; it stays unset" if used is None else f"; using {shown_value(used)}"


def _known_key(key: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
    return f"; did you mean {snake}?" if snake in SETTINGS else did_you_mean(snake, [*SETTINGS, *SECTIONS])
