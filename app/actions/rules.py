"""``/rules``: what goes without a question, and taking such a rule back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...policy.rule_book import RuleBook
from ...policy.rule_store import RuleError
from ..screens.ask import ask
from ..screens.rules import RuleRow, RulesScreen

if TYPE_CHECKING:
    from ..tui import PyAgentApp

REMOVE = "remove"
NONE = "No rules: every call that the approval mode asks about is asked about. At a question, w makes one."


async def act(app: PyAgentApp, _: str, argument: str) -> None:
    """Show the rules as a list, or remove the one with a number."""
    composition = app.conversation.composition
    book = None if composition is None else composition.approval.rules
    if book is None:
        app.view.transcript.add_note("info", "There is no session yet.")
        return
    try:
        verb, _, number = argument.partition(" ")
        if verb and verb != REMOVE:
            text = f"/rules lists what goes without a question; /rules {REMOVE} NUMBER takes one back."
        else:
            text = await _remove(book, number.strip()) if verb else await _choose(app, book)
    except (RuleError, TimeoutError) as error:
        app.view.transcript.add_note("error", str(error))
        return
    if text:
        app.view.transcript.add_note("info", text)


async def _choose(app: PyAgentApp, book: RuleBook) -> str:
    """The list, until it is left; what to say if there is nothing to show."""
    rules = await _words(book)
    if not rules:
        return NONE

    async def remove(row: RuleRow) -> tuple[Sequence[str], str]:
        now = rules
        try:
            now = await _words(book)
            if now[row.place : row.place + 1] != [row.words]:
                return now, "The rules have changed meanwhile: choose again."
            await book.remove(row.place)
            return await _words(book), ""
        except (RuleError, TimeoutError) as error:
            return now, str(error)

    await ask(app, RulesScreen(rules, remove))
    return ""


async def _words(book: RuleBook) -> list[str]:
    return [str(rule) for rule in await book.listed()]


async def _remove(book: RuleBook, number: str) -> str:
    rules = await _words(book)
    if not number.isdecimal() or not 1 <= int(number) <= len(rules):
        return f"Which rule? /rules {REMOVE} NUMBER, as /rules lists them from the first." if rules else NONE
    await book.remove(int(number) - 1)
    return f"No longer: {rules[int(number) - 1]}"
