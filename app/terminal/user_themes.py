"""Themes of the person's own: one TOML file each, with the fields of Textual's themes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any, cast

from textual.color import Color, ColorParseError
from textual.theme import Theme

from ...agent.mutable import mutable
from ...agent.toml_lines import find_line
from ..spelling import did_you_mean

COLORS = (
    "primary",
    "secondary",
    "warning",
    "error",
    "success",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
)
KEYS = ("name", "dark", "colors", "variables")


class ThemeFault(Exception):
    """A file is no theme; the text names file and line."""


@mutable
class UserThemes:
    """What a folder holds: themes and their files by name, and what is wrong with other files."""

    themes: dict[str, Theme] = field(default_factory=dict[str, Theme])
    files: dict[str, Path] = field(default_factory=dict[str, Path])
    problems: list[str] = field(default_factory=list[str])


def load_user_themes(folder: Path) -> UserThemes:
    """Every ``*.toml`` in the folder. Reads disk; raises nothing."""
    found = UserThemes()
    for path in _files(folder):
        try:
            theme = load_theme(path)
        except ThemeFault as fault:
            found.problems.append(str(fault))
            continue
        found.themes[theme.name] = theme
        found.files[theme.name] = path
    return found


def load_theme(path: Path) -> Theme:
    """The theme in a file. Raises `ThemeFault`."""
    try:
        source = path.read_bytes().decode("utf-8-sig")
        values = tomllib.loads(source)
    except OSError as error:
        raise ThemeFault(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ThemeFault(f"{path}: not UTF-8 (byte {error.start})") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise ThemeFault(f"{path}{f':{line[1]}' if line else ''}: {error}") from None
    for keys, words in _faults(values):
        line = find_line(source, keys)
        raise ThemeFault(f"{path}{f':{line}' if line else ''}: {words}")
    colors = cast("dict[str, str]", values["colors"])
    return Theme(
        name=values.get("name", path.stem),
        dark=values.get("dark", True),
        variables=values.get("variables", {}),
        **cast("dict[str, Any]", colors),
    )


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*.toml"))
    except OSError:
        return []


def _faults(values: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """What is wrong, with the keys that lead there."""
    for key in values:
        if key not in KEYS:
            yield [key], f"there is no key {key}{did_you_mean(key, KEYS) or _belongs(key)}"
    if not isinstance(values.get("name", ""), str) or ("name" in values and not values["name"].strip()):
        yield ["name"], "name must be a text in quotes"
    if not isinstance(values.get("dark", True), bool):
        yield ["dark"], "dark must be true or false"
    for section in ("colors", "variables"):
        if not isinstance(values.get(section, {}), dict):
            yield [section], f"{section} is a section: write [{section}] on a line and its values below"
            return
    colors = cast("dict[str, Any]", values.get("colors", {}))
    if "primary" not in colors:
        yield ["colors"], "[colors] needs at least primary"
    for name, value in colors.items():
        if name not in COLORS:
            yield ["colors", name], f"there is no color {name}{did_you_mean(name, COLORS)}"
        elif not _is_color(value):
            yield ["colors", name], f'{name} must be a color such as "#88c0d0", not {value!r}'
    for name, value in cast("dict[str, Any]", values.get("variables", {})).items():
        if not isinstance(value, str):
            yield ["variables", name], f"{name} must be a text in quotes"


def _belongs(key: str) -> str:
    return "; it belongs below [colors]" if key in COLORS else ""


def _is_color(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        Color.parse(value)
    except ColorParseError:
        return False
    return True
