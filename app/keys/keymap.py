"""Which key does what: the defaults, and over them what the person's `keys.toml` says."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, cast

from ...agent.toml_lines import find_line
from ...widgets.terminal.key_labels import UNBOUND, key_label
from ..settings.reading import SettingsProblem, file_problem
from ..spelling import did_you_mean
from .spelling import parse_key, types_letter
from .table import KEY_TABLE, PLACES, WAYS_OUT, takes_letters

FILE = "keys.toml"


class Clash(NamedTuple):
    """One key for two actions in one place: `winner` has it. `is_wanted`: the person asked for both."""

    key: str
    winner: str
    loser: str
    place: str
    is_wanted: bool

    def __str__(self) -> str:
        key = key_label(self.key)
        if self.is_wanted:
            return f"{key} is given to {self.winner} and {self.loser}; in {self.place} only {self.winner} has it"
        return f"{key} is {self.winner} now, no longer {self.loser}"


class Keymap(NamedTuple):
    """`changed` has the keys, parted by commas, of every action whose keys are not the default ones.

    `own` are the actions that the file names. `problems` and `clashes` are to be told.
    """

    changed: Mapping[str, str] = {}
    own: frozenset[str] = frozenset()
    problems: tuple[SettingsProblem, ...] = ()
    clashes: tuple[Clash, ...] = ()

    def keys(self, binding_id: str) -> str:
        """The keys of an action, parted by commas, as Textual names them."""
        return self.changed.get(binding_id) or KEY_TABLE[binding_id].key

    def label(self, binding_id: str) -> str:
        """The keys of an action as people write them; empty if it has none."""
        return key_label(self.keys(binding_id))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told: each mistake, then all clashes in one."""
        problems = tuple(str(problem) for problem in self.problems)
        return (*problems, f"{FILE}: {'; '.join(map(str, self.clashes))}") if self.clashes else problems


def load_keymap(path: Path) -> Keymap:
    """Read the file. A mistake is a problem and leaves the default; a file that is no TOML leaves them all. Never raises."""
    try:
        source = path.read_bytes().decode("utf-8-sig")
        document = tomllib.loads(source)
    except (FileNotFoundError, NotADirectoryError):
        return Keymap()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return Keymap(problems=(_file_problem(path, error),))
    wanted: dict[str, tuple[str, ...]] = {}
    problems: list[SettingsProblem] = []
    for name, value in _flat(document, ()):
        binding_id = ".".join(name)
        keys = _keys(binding_id, value)
        if isinstance(keys, str):
            problems.append(SettingsProblem(path, find_line(source, name), binding_id, keys))
        else:
            wanted[binding_id] = keys
    return _resolved(path, wanted, tuple(problems))


def _flat(document: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Names with dots may be quoted, or not: then they are tables to TOML."""
    for name, value in document.items():
        if isinstance(value, dict):
            yield from _flat(cast("dict[str, Any]", value), (*above, name))
        else:
            yield (*above, name), value


def _keys(binding_id: str, value: object) -> tuple[str, ...] | str:
    """The keys that the file gives to an action, or what is wrong with them."""
    if binding_id not in KEY_TABLE:
        return f"there is no action {binding_id}{did_you_mean(binding_id, KEY_TABLE)}"
    texts = cast("list[object]", value) if isinstance(value, list) else [value]
    found: list[str] = []
    for text in texts:
        keys = parse_key(text) if isinstance(text, str) else ()
        if fault := _fault(binding_id, text, keys):
            return f"{fault}; {binding_id} stays at {key_label(KEY_TABLE[binding_id].key)}"
        found.extend(keys)
    return tuple(dict.fromkeys(found))


def _fault(binding_id: str, text: object, keys: tuple[str, ...]) -> str:
    if not keys:
        shown = f'"{text}"' if isinstance(text, str) else str(text)
        return f'{shown} is no key, such as "ctrl+x", "alt+enter", "f5" or "?"'
    if types_letter(keys[0]) and not takes_letters(binding_id):
        return f'"{text}" is typed where {binding_id} counts; it needs a key with ctrl or alt, or one like f5'
    return ""


def _resolved(path: Path, wanted: Mapping[str, tuple[str, ...]], problems: tuple[SettingsProblem, ...]) -> Keymap:
    """Keys that were asked for are taken from actions that have them by default in the same place."""
    before = {binding_id: tuple(binding.key.split(",")) for binding_id, binding in KEY_TABLE.items()}
    keys = {**before, **wanted}
    clashes: dict[tuple[str, str], Clash] = {}
    for clash in _clashes(keys, wanted):
        clashes.setdefault((clash.key, clash.loser), clash)
    for clash in clashes.values():
        keys[clash.loser] = tuple(key for key in keys[clash.loser] if key != clash.key)
    shut = [binding_id for binding_id in sorted(WAYS_OUT) if not keys[binding_id]]
    for binding_id in shut:
        keys[binding_id] = before[binding_id]
        label = key_label(KEY_TABLE[binding_id].key)
        problems = (
            *problems,
            SettingsProblem(
                path, None, binding_id, f"{binding_id} is the only way out and needs a key; it stays at {label}"
            ),
        )
    changed = {binding_id: ",".join(held) or UNBOUND for binding_id, held in keys.items() if held != before[binding_id]}
    return Keymap(changed, frozenset(wanted), problems, tuple(clashes.values()))


def _clashes(keys: Mapping[str, tuple[str, ...]], wanted: Mapping[str, tuple[str, ...]]) -> Iterator[Clash]:
    for place in PLACES:
        ids = dict.fromkeys(binding.id or "" for binding in place.bindings)
        for first, second in combinations(ids, 2):
            shared = [key for key in keys[first] if key in keys[second]]
            if not shared or (first not in wanted and second not in wanted) or _go_together(first, second):
                continue
            is_wanted = first in wanted and second in wanted
            winner, loser = (first, second) if first in wanted else (second, first)
            yield from (Clash(key, winner, loser, place.name, is_wanted) for key in shared)


def _go_together(first: str, second: str) -> bool:
    """Whether two actions share a key by default: then they know when each of them has its turn."""
    mine, others = KEY_TABLE[first].key.split(","), KEY_TABLE[second].key.split(",")
    return any(key in others for key in mine)


def _file_problem(path: Path, error: Exception) -> SettingsProblem:
    problem = file_problem(path, error)
    return problem._replace(message=problem.message.replace("none of its settings is used", "the default keys hold"))
