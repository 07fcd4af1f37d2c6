"""Every setting with its value and where that is from, to be changed in place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from ...widgets.fuzzy import fuzzy_filter
from ...widgets.pick_list import PickRow
from ..settings import SettingInfo
from .ask_text import AskTextScreen
from .palette import ValuePicker
from .picker import PickerScreen


class SettingRow(NamedTuple):
    """A setting, its value as TOML has it, and who gave it."""

    info: SettingInfo
    value: str
    source: str


Change = Callable[[SettingInfo, str | None], Awaitable[str]]
"""Stores a value as written in TOML, None for the default; what to say, such as why it could not be."""


class SettingsScreen(PickerScreen[SettingRow, None]):
    """Enter gives the chosen setting another value. `rows` reads them anew, `change` stores one."""

    HINTS = (("picker.pick", "changes it"), ("picker.cancel", "back"))
    PLACEHOLDER = "type a part of its name"

    def __init__(self, rows: Callable[[], Sequence[SettingRow]], change: Change) -> None:
        super().__init__()
        self._read = rows
        self._rows = rows()
        self._change = change
        self._said = ""

    def row(self, item: SettingRow) -> PickRow:
        return PickRow(item.info.key, (item.value, f"{item.source:<8}"))

    def find(self, query: str) -> Sequence[SettingRow]:
        return fuzzy_filter(query, self._rows, lambda row: row.info.key) if query.strip() else self._rows

    def describe(self) -> None:
        self.heading.title = "Settings"
        self.heading.facts = tuple(f"{key} {words}" for key, words in self.hints.hints)

    def on_pick_list_moved(self) -> None:
        row = self.list.current
        self.hints.notice = self._said or (row.info.about.replace("`", "") if row else "")
        self._said = ""

    def picked(self, item: SettingRow) -> None:
        self.run_worker(self._ask(item), group="change", exclusive=True, exit_on_error=False)

    async def _ask(self, item: SettingRow) -> None:
        """Another value: a flag is turned, a word is chosen, the rest is typed; empty text is the default."""
        info, value = item.info, item.value
        if isinstance(info.default, bool):
            value = "false" if value == "true" else "true"
        elif info.rule.choices:
            chosen = await self.ask(ValuePicker(info.key, info.rule.choices, value.strip('"')))
            if chosen is None:
                return
            value = f'"{chosen}"'
        else:
            question = f"{info.key}: {info.rule.expected}; empty: the default"
            typed = await self.ask(AskTextScreen(question, "" if item.source == "default" else value))
            if typed is None:
                return
            value = typed
        self._said = await self._change(info, value or None)
        self._rows = self._read()
        self.search(next((row for row in self._rows if row.info.key == info.key), None))
