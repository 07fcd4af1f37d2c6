"""The rules that count now: the session's own, and those kept for the project."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .rule_store import KeptRule, RuleError, RuleStore
from .rules import CallFacts, Offer, Rule, first_that_allows, in_words, offers_for


def _silent(_: str) -> None:
    """Nobody is told."""


class RuleBook:
    """Rules for one session in one project (its real path). `warn` is told, once each, what is wrong with the kept ones.

    `store` None: nothing is kept, and nothing kept counts.
    """

    def __init__(self, project: str, store: RuleStore | None = None, warn: Callable[[str], None] = _silent) -> None:
        self.project = project
        self._store = store
        self._warn = warn
        self._warned: set[str] = set()
        self._session: list[Rule] = []

    async def allowing(self, call: CallFacts) -> str | None:
        """The rule that lets this call run, in words; None if none does."""
        rule = first_that_allows(self._session, call)
        if rule is not None:
            return in_words(rule, self.project, "session")
        return next((str(kept) for kept in await self._kept() if kept.rule.allows(call)), None)

    def offers(self, call: CallFacts) -> tuple[Offer, ...]:
        """What "always" can mean for this call."""
        offers = offers_for(call, self.project)
        return offers if self._store is not None else tuple(offer for offer in offers if offer.scope == "session")

    async def add(self, offer: Offer) -> None:
        """Let it count from now on. What cannot be kept counts for the session, and `warn` is told."""
        if offer.scope == "project" and self._store is not None:
            try:
                await asyncio.to_thread(self._store.add, KeptRule(offer.rule, self.project))
                return
            except (RuleError, TimeoutError) as error:
                self._warn(f"{error}; the rule holds for this session only")
        if offer.rule not in self._session:
            self._session.append(offer.rule)

    async def listed(self) -> tuple[str | KeptRule, ...]:
        """Every rule: the session's in words, then the kept ones of all projects, this one's first. Raises `RuleError`."""
        kept = () if self._store is None else await asyncio.to_thread(self._store.rules)
        ours = [rule for rule in kept if rule.project == self.project]
        others = [rule for rule in kept if rule.project != self.project]
        return (*(in_words(rule, self.project, "session") for rule in self._session), *ours, *others)

    async def remove(self, number: int) -> None:
        """Take out the rule with this place (from 0) in `listed`. Raises `RuleError`, IndexError."""
        rule = (await self.listed())[number]
        if isinstance(rule, KeptRule):
            assert self._store is not None
            await asyncio.to_thread(self._store.remove, rule)
        else:
            del self._session[number]

    async def _kept(self) -> tuple[KeptRule, ...]:
        if self._store is None:
            return ()
        try:
            return await asyncio.to_thread(self._store.rules, self.project)
        except RuleError as error:
            if str(error) not in self._warned:
                self._warned.add(str(error))
                self._warn(f"No kept rule counts: {error}")
            return ()
