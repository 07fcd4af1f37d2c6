"""The person's own messages on the current branch: to go back to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...widgets.pick_list import PickRow
from ..ages import format_age
from .picker import PickerScreen


class Prompt(NamedTuple):
    """An entry of the session with what was said there; `timestamp` in ms since the epoch. `facts` stand on the right."""

    entry_id: str
    text: str
    timestamp: int
    facts: str = ""


class PromptsScreen(PickerScreen[Prompt, str | None]):
    """Returns the id of the chosen message's entry; the newest is chosen at first."""

    def __init__(self, title: str, prompts: Sequence[Prompt], verb: str) -> None:
        super().__init__()
        self._title = title
        self._prompts = prompts
        self._verb = verb

    def begin(self) -> None:
        self.show_hints((("picker.pick", self._verb), ("picker.cancel", "back")))
        self.list.to_edge(end=True)

    def find(self, query: str) -> Sequence[Prompt]:
        words = query.lower().split()
        return [prompt for prompt in self._prompts if all(word in prompt.text.lower() for word in words)]

    def describe(self) -> None:
        self.heading.title = self._title
        self.heading.facts = (f"{len(self.list.items):,}",)

    def row(self, item: Prompt) -> PickRow:
        columns = (
            (item.facts, f"{format_age(item.timestamp):>10}") if item.facts else (f"{format_age(item.timestamp):>10}",)
        )
        return PickRow(" ".join(item.text[:400].split()), columns)

    def picked(self, item: Prompt) -> None:
        self.dismiss(item.entry_id)
