"""Every setting with its value and where that is from, to be changed in place."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeGuard

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from ...widgets.editor.rows import clip
from ...widgets.pick_list import PickRow
from ...widgets.text.fuzzy import fuzzy_filter
from ...widgets.text.marks import marks
from ...widgets.text.outside_text import outside_content
from ..keys.screens import SETTINGS_KEYS
from ..settings.model import SettingInfo
from ..settings.values import shown_value, toml_value
from .ask_text import AskTextScreen
from .palette import ValuePicker
from .picker import PickerScreen

_LINK = re.compile(r"[:,;]? (?:see|as) \[[^]]*\]\([^)]*\)(?: says)?")

BESIDE_VALUE = 46
"""Cells of a row that its value never has: the longest name, the source, and the space around."""

LEAST_VALUE = 14


class SettingRow(NamedTuple):
    """A setting, the value that holds and who gave it, the value that the files say, and the heading it is under."""

    info: SettingInfo
    value: Any
    source: str
    written: Any
    group: str

    @property
    def shown(self) -> str:
        """The value in one line."""
        if self.value is None:
            return marks().unknown
        return "none" if self.value == () else shown_value(self.value)


Item: TypeAlias = SettingRow | str
"""A setting, or the heading above some."""

Change = Callable[[SettingInfo, str | None], Awaitable[str]]
"""Stores a value as written in TOML, None for the default; what to say, such as why it could not be."""


class SettingsScreen(PickerScreen[Item, None]):
    """Enter gives the chosen setting another value, left and right turn one of a few. `rows` reads them anew."""

    DEFAULT_CSS = """
    SettingsScreen > .settings--about { height: auto; max-height: 3; padding: 0 1; margin: 1 0 0 0; color: $foreground 75%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(SETTINGS_KEYS)

    HINTS = (
        ("picker.pick", "changes it"),
        ("settings.previous,settings.next", "turn"),
        ("settings.default", "default"),
        ("picker.cancel", "back"),
    )
    PLACEHOLDER = "type a part of its name"

    def __init__(self, rows: Callable[[], Sequence[SettingRow]], change: Change) -> None:
        super().__init__()
        self.about = Static("", markup=False, classes="settings--about")
        self._read = rows
        self._rows = rows()
        self._change = change

    def compose(self) -> ComposeResult:
        yield self.heading
        yield self.field
        yield self.list
        yield self.about
        yield self.hints

    def row(self, item: Item) -> PickRow:
        if isinstance(item, str):
            return PickRow(item, is_heading=True)
        room = max(self.size.width - BESIDE_VALUE, LEAST_VALUE)
        return PickRow(item.info.key, (_cut(item.shown, room), f"{item.source:<7}"))

    def find(self, query: str) -> Sequence[Item]:
        if query.strip():
            return fuzzy_filter(query, self._rows, _key)
        return list(_under_headings(self._rows))

    def describe(self) -> None:
        own = sum(row.source == "yours" for row in self._rows)
        self.heading.title = "Settings"
        self.heading.facts = (f"{own} of {len(self._rows)} yours",)

    def on_pick_list_moved(self) -> None:
        row = self.list.current
        self.about.update(outside_content(_about(row.info) if _is_setting(row) else ""))

    def picked(self, item: Item) -> None:
        if _is_setting(item):
            self.run_worker(self._ask(item), group="change", exclusive=True, exit_on_error=False)

    def action_turn(self, step: int) -> None:
        """The next or previous of a few values."""
        row = self.list.current
        if _is_setting(row) and (words := _words(row.info)):
            now = toml_value(row.value)
            index = words.index(now) + step if now in words else 0
            self._store(row.info, words[index % len(words)])

    def action_default(self) -> None:
        """The value that holds if nothing is said."""
        row = self.list.current
        if _is_setting(row):
            self._store(row.info, None)

    async def _ask(self, item: SettingRow) -> None:
        """Another value: a flag is turned, a word is chosen, the rest is typed; empty text is the default."""
        info = item.info
        if isinstance(info.default, bool):
            self.action_turn(1)
            return
        if info.rule.choices:
            chosen = await self.ask(ValuePicker(info.key, info.rule.choices, str(item.value)))
            if chosen is not None:
                self._store(info, toml_value(chosen))
            return
        question = f"{info.key}: {info.rule.expected}; empty: the default"
        typed = await self.ask(
            AskTextScreen(question, "" if item.written == info.default else toml_value(item.written))
        )
        if typed is not None:
            self._store(info, typed or None)

    def _store(self, info: SettingInfo, value: str | None) -> None:
        self.run_worker(self._stored(info, value), group="store", exit_on_error=False)

    async def _stored(self, info: SettingInfo, value: str | None) -> None:
        said = await self._change(info, value)
        self._rows = self._read()
        self.search(next((row for row in self._rows if row.info.key == info.key), None))
        self.hints.notice = said


def _under_headings(rows: Sequence[SettingRow]) -> Iterator[Item]:
    for group, members in groupby(rows, lambda row: row.group):
        yield group
        yield from members


def _about(info: SettingInfo) -> str:
    """What a setting does, without what only the guide can show."""
    return _LINK.sub("", info.about).replace("`", "")


def _key(row: SettingRow) -> str:
    return row.info.key


def _words(info: SettingInfo) -> Sequence[str]:
    """The few values that there are, as TOML has them; none if there are many."""
    if isinstance(info.default, bool):
        return ("false", "true")
    return tuple(map(toml_value, info.rule.choices))


def _is_setting(item: Item | None) -> TypeGuard[SettingRow]:
    return isinstance(item, SettingRow)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else clip(f"{text[: width - 1]}{marks().ellipsis}", width)
