"""``/rules``: what goes without a question, and taking such a rule back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..policy.rule_book import RuleBook
from ..policy.rule_store import RuleError

if TYPE_CHECKING:
    from .tui import PyAgentApp

REMOVE = "remove"
NONE = "No rules: every call that the approval mode asks about is asked about. At a question, w makes one."


async def act(app: PyAgentApp, _: str, argument: str) -> None:
    """List the rules, or remove the one with a number."""
    composition = app.conversation.composition
    book = None if composition is None else composition.approval.rules
    if book is None:
        app.view.transcript.add_note("info", "There is no session yet.")
        return
    try:
        verb, _, number = argument.partition(" ")
        text = await _remove(book, number.strip()) if verb == REMOVE else await _list(book)
    except (RuleError, TimeoutError) as error:
        app.view.transcript.add_note("error", str(error))
        return
    app.view.transcript.add_note("info", text)


async def _list(book: RuleBook) -> str:
    rules = await book.listed()
    lines = [f"{number}. {rule}" for number, rule in enumerate(rules, 1)]
    return "\n".join([*lines, f"/rules {REMOVE} NUMBER takes one back."]) if lines else NONE


async def _remove(book: RuleBook, number: str) -> str:
    rules = await book.listed()
    if not number.isdecimal() or not 1 <= int(number) <= len(rules):
        return f"Which rule? /rules {REMOVE} NUMBER, as /rules numbers them." if rules else NONE
    await book.remove(int(number) - 1)
    return f"No longer: {rules[int(number) - 1]}"
