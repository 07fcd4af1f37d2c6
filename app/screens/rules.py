"""The list of what goes without a question, and taking it back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, NamedTuple

from textual.binding import BindingType

from ...widgets.pick_list import PickRow
from ...widgets.text.fuzzy import fuzzy_filter
from ...widgets.text.numbers import format_plural
from ..keys.screens import RULE_KEYS
from .choice import Answer, ChoiceScreen
from .picker import PickerScreen


class RuleRow(NamedTuple):
    """A rule in words, and its place (from 0) among all."""

    place: int
    words: str


class RulesScreen(PickerScreen[RuleRow, None]):
    """Shows the rules. `remove` takes out the one at a place and gives those that are left, or says what went wrong."""

    BINDINGS: ClassVar[list[BindingType]] = list(RULE_KEYS)

    HINTS = (("rules.remove", "takes back"), ("picker.cancel", "back"))
    PLACEHOLDER = "type a part of it"

    def __init__(self, rules: Sequence[str], remove: Callable[[RuleRow], Awaitable[tuple[Sequence[str], str]]]) -> None:
        super().__init__()
        self._rules = [RuleRow(*each) for each in enumerate(rules)]
        self._remove_rule = remove

    def row(self, item: RuleRow) -> PickRow:
        return PickRow(item.words)

    def find(self, query: str) -> Sequence[RuleRow]:
        return fuzzy_filter(query, self._rules, lambda rule: rule.words) if query.strip() else self._rules

    def describe(self) -> None:
        self.heading.title = "Goes without a question"
        self.heading.facts = (format_plural(len(self._rules), "rule"),)

    @property
    def empty(self) -> str:
        return "nothing found" if self._rules else "no rules: w at a question makes one"

    def picked(self, item: RuleRow) -> None:
        self.action_remove()

    def action_remove(self) -> None:
        """The chosen rule goes, after a question."""
        if self.list.current is not None:
            self.run_worker(self._remove(self.list.current), group="change", exclusive=True, exit_on_error=False)

    async def _remove(self, rule: RuleRow) -> None:
        answers = (Answer("k", "keep it"), Answer("t", "take it back: such calls are asked about again"))
        if await self.ask(ChoiceScreen("Take this rule back?", answers, rule.words)) != "t":
            return
        index = self.list.index
        rules, fault = await self._remove_rule(rule)
        self._rules = [RuleRow(*each) for each in enumerate(rules)]
        items = self.find(self.query_text)
        self.search(items[min(index, len(items) - 1)] if items else None)
        self.hints.notice = fault or f"No longer: {rule.words}"
