"""The palette: every command and action, found by a few letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...widgets.pick_list import PickRow
from ...widgets.text.fuzzy import fuzzy_filter
from .picker import PickerScreen


class PaletteItem(NamedTuple):
    """Something to do: in words, by the command that does it, by keys. `command` or `action` says what is done.

    `argument` describes what the command wants, in brackets if it can do without.
    """

    words: str
    name: str = ""
    keys: str = ""
    action: str = ""
    argument: str = ""


class Palette(PickerScreen[PaletteItem, PaletteItem]):
    """Gives what is to be done."""

    HINTS = (("picker.pick", "does it"), ("picker.cancel", "back"))
    PLACEHOLDER = "type what you want to do"

    def __init__(self, items: Sequence[PaletteItem]) -> None:
        super().__init__()
        self._items = items
        self._widths = (max(len(item.name) for item in items), max(len(item.keys) for item in items))

    def row(self, item: PaletteItem) -> PickRow:
        name, keys = self._widths
        return PickRow(item.words, (item.name.ljust(name), item.keys.ljust(keys)))

    def find(self, query: str) -> Sequence[PaletteItem]:
        """What is named like it first, then what it is said of."""
        if not query.strip():
            return self._items
        named = fuzzy_filter(query.removeprefix("/"), self._items, lambda item: item.name)
        said = fuzzy_filter(query, self._items, lambda item: f"{item.words} {item.keys}")
        return list(dict.fromkeys([*named, *said]))

    def describe(self) -> None:
        self.heading.title = "What do you want to do?"

    def picked(self, item: PaletteItem) -> None:
        self.dismiss(item)


class ValuePicker(PickerScreen[str, str]):
    """One of a few values. Gives it; `notes` says a few words about some of them."""

    WRAPS = True
    PLACEHOLDER = "type a part of it"

    def __init__(self, title: str, values: Sequence[str], now: str, notes: dict[str, str] | None = None) -> None:
        super().__init__()
        self._title = title
        self._values = values
        self._now = next((value for value in values if value == now), None)
        self._notes = notes or {}

    def search(self, chosen: str | None = None) -> None:
        """Find again; of all values the present one is chosen first."""
        super().search(chosen or (None if self.query_text else self._now))

    def row(self, item: str) -> PickRow:
        note = self._notes.get(item, "")
        return PickRow(item, (*((note,) if note else ()), "now" if item == self._now else "   "))

    def find(self, query: str) -> Sequence[str]:
        return fuzzy_filter(query, self._values, str) if query.strip() else self._values

    def describe(self) -> None:
        self.heading.title = self._title

    def picked(self, item: str) -> None:
        self.dismiss(item)
