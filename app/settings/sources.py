"""Which value of a setting holds now, and who gave it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from .model import Settings, setting_of
from .rules import change_tools

if TYPE_CHECKING:
    from ..arguments import Arguments

Source: TypeAlias = Literal["default", "yours", "project", "option", "env", "session"]
"""`yours`: the person's file, also where it says what is the default. `session`: chosen here, by a key or a command."""

OPTIONS: Mapping[str, str] = {
    "default_provider": "--provider",
    "default_model": "--model",
    "default_thinking_level": "--thinking",
    "default_tools": "--tools",
    "approval": "--approval",
    "sandbox": "--sandbox",
    "session_dir": "--session-dir",
    "linear": "--linear",
    "mouse": "--no-mouse",
    "limits.max_turns": "--max-turns",
    "limits.max_cost": "--max-cost",
}
"""Settings over which an option of the command line counts."""


class Held(NamedTuple):
    """A value and its source."""

    value: Any
    source: Source


class Given(NamedTuple):
    """What there is to choose from: `settings` as read, `own` and `project` the keys that either file sets."""

    settings: Settings
    own: Collection[str]
    project: Collection[str]
    arguments: Arguments
    session: Mapping[str, Any]
    environment: Mapping[str, str] = os.environ


def held(given: Given, key: str) -> Held:
    """The value of a setting with a dotted key, by the strongest that gives one."""
    value = setting_of(given.settings, key)
    file: Source = "project" if key in given.project else "yours" if key in given.own else "default"
    under = Held(value, file)
    if (option := option_value(given.arguments, key, value)) is not None:
        under = Held(option, "option")
    elif file == "default" and (found := _in_environment(given.environment, key)) is not None:
        under = Held(found, "env")
    now = given.session.get(key, under.value)
    return under if now == under.value else Held(now, "session")


def option_value(arguments: Arguments, key: str, below: Any) -> Any:
    """What the command line says of a setting; None if it says nothing."""
    if key not in OPTIONS:
        return None
    said = getattr(arguments, OPTIONS[key].removeprefix("--").replace("-", "_"))
    match key:
        case "mouse":
            return False if said else None
        case "linear":
            return True if said else None
        case "default_tools":
            return None if said is None else change_tools(below, said)
        case _:
            return said


def _in_environment(environment: Mapping[str, str], key: str) -> Any:
    if key == "external_editor":
        return environment.get("VISUAL") or environment.get("EDITOR") or None
    if key == "reduced_motion":
        return True if environment.get("TEXTUAL_ANIMATIONS", "").lower() == "none" else None
    return None
