"""The pickers of a model and of how much it may think."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.binding import BindingType

from ...agent.model import Model
from ...widgets.pick_list import PickRow
from ...widgets.text.fuzzy import fuzzy_filter
from ...widgets.text.marks import marks
from ...widgets.text.numbers import format_count, format_plural
from ..keys.screens import MODEL_KEYS
from .picker import PickerScreen

WITH_PRICES = 76
"""Columns of the screen from which on prices are shown: names go first."""


class ModelOffer(NamedTuple):
    """A model in the list. `is_ready`: it can be asked now, for a key is there or its server was found."""

    model: Model
    is_ready: bool
    is_current: bool = False

    @property
    def name(self) -> str:
        """``provider/id``."""
        return f"{self.model.provider}/{self.model.id}"

    @property
    def title(self) -> str:
        """The name as it is shown: of a file of weights without its folders."""
        return f"{self.model.provider}/{self.model.label}" if self.model.id.endswith(".gguf") else self.name


class Picked(NamedTuple):
    """What was chosen; `saves`: as the default too."""

    name: str
    saves: bool = False


class ModelPicker(PickerScreen[ModelOffer, Picked]):
    """The models: ready ones first, then those that lack a key. What is typed and fits none can be asked for as it is."""

    BINDINGS: ClassVar[list[BindingType]] = list(MODEL_KEYS)

    HINTS = (("picker.pick", "this session"), ("picker.save", "also as default"), ("picker.cancel", "back"))
    PLACEHOLDER = "type a part of its name"

    def __init__(self, offers: Sequence[ModelOffer], query: str = "") -> None:
        super().__init__(query)
        self._offers: Sequence[ModelOffer] = ()
        self._saves = False
        self._widths = (0, 0, 0)
        self._take(offers)

    def search(self, chosen: ModelOffer | None = None) -> None:
        """Find again; of all models the current one is chosen first."""
        current = next((offer for offer in self._offers if offer.is_current), None)
        super().search(chosen or (None if self.query_text else current))

    def update(self, offers: Sequence[ModelOffer]) -> None:
        """Other models than before: a server was found. The choice stays where it is."""
        chosen = self.list.current
        self._take(offers)
        self.search(next((offer for offer in self._offers if chosen and offer.name == chosen.name), None))

    def row(self, item: ModelOffer) -> PickRow:
        lead = f"{marks().waiting} " if item.is_current else "  "
        cells = (cell.rjust(width) for cell, width in zip(_cells(item), self._widths, strict=True))
        columns = (*cells, "ready " if item.is_ready else "no key")
        if self.size.width < WITH_PRICES:
            columns = columns[2:]
        return PickRow(item.title, columns, lead, style="" if item.is_ready else "muted")

    def find(self, query: str) -> Sequence[ModelOffer]:
        if not query.strip():
            return self._offers
        found = fuzzy_filter(query, self._offers, lambda offer: f"{offer.name} {offer.model.name}")
        return sorted(found, key=lambda offer: not offer.is_ready)

    def describe(self) -> None:
        self.heading.title = "Model"
        ready = sum(offer.is_ready for offer in self._offers)
        prices = f"$ per million tokens in, out {marks().dot} window"
        facts = (prices,) if self.size.width >= WITH_PRICES else ("window",)
        self.heading.facts = (*facts, f"{ready} of {format_plural(len(self._offers), 'model')} ready")

    @property
    def empty(self) -> str:
        return "none has that name; enter asks for it all the same" if self.query_text.strip() else "nothing here"

    def picked(self, item: ModelOffer) -> None:
        self.dismiss(Picked(item.name, self._saves))

    def action_pick(self) -> None:
        """Enter: for this session."""
        super().action_pick()
        name = self.query_text.strip()
        if self.list.current is None and name:
            self.dismiss(Picked(name, self._saves))

    def action_save(self) -> None:
        """Ctrl+S: as the default too."""
        self._saves = True
        self.action_pick()

    def _take(self, offers: Sequence[ModelOffer]) -> None:
        self._offers = sorted(offers, key=lambda offer: not offer.is_ready)
        rows = [_cells(offer) for offer in offers] or [("", "", "")]
        first, second, third = (max(len(row[column]) for row in rows) for column in range(3))
        self._widths = (first, second, third)


class LevelPicker(PickerScreen[str, Picked]):
    """How much the model may think: the levels that it has."""

    BINDINGS: ClassVar[list[BindingType]] = list(MODEL_KEYS)

    HINTS = (("picker.pick", "this session"), ("picker.save", "also as default"), ("picker.cancel", "back"))
    PLACEHOLDER = "type a level"
    WRAPS = True

    def __init__(self, levels: Sequence[str], now: str, model: str) -> None:
        super().__init__()
        self._levels = levels
        self._now = next((level for level in levels if level == now), now)
        self._saves = False
        self._model = model

    def search(self, chosen: str | None = None) -> None:
        """Find again; of all levels the current one is chosen first."""
        super().search(chosen or (None if self.query_text else self._now))

    def row(self, item: str) -> PickRow:
        return PickRow(item, lead=f"{marks().waiting} " if item == self._now else "  ")

    def find(self, query: str) -> Sequence[str]:
        return fuzzy_filter(query, self._levels, str) if query.strip() else self._levels

    def describe(self) -> None:
        self.heading.title = "Thinking"
        self.heading.facts = (self._model,)

    def picked(self, item: str) -> None:
        self.dismiss(Picked(item, self._saves))

    def action_save(self) -> None:
        """Ctrl+S: as the default too."""
        self._saves = True
        self.action_pick()


def _cells(offer: ModelOffer) -> tuple[str, str, str]:
    prices = offer.model.prices
    return _price(prices.input), _price(prices.output), format_count(offer.model.context_window)


def _price(dollars: float | None) -> str:
    return marks().unknown if dollars is None else f"${dollars:g}"
