"""Who decided about a call, for the record: on the screen, in the session, in what is exported."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .frozen import frozen

Verdict: TypeAlias = Literal["allowed", "changed", "refused"]
"""`changed`: allowed with arguments that the person changed."""

Decider: TypeAlias = Literal["person", "run", "rule", "mode", "nobody"]
"""The `person` at the question, their "all in this `run`", a `rule` of theirs, the approval `mode`; or `nobody` could be asked."""


@frozen
class Permission:
    """The decision about one call. `words` say more: the person's sentence, the rule in words, the mode's name, or how much
    of a change was applied (``3 of 4 · 1 edited``).

    `command` is what ran in place of the command that the model proposed. `parts` are what was declined or edited of a
    change, as lines with their signs.
    """

    verdict: Verdict
    by: Decider
    words: str = ""
    command: str = ""
    parts: str = ""

    def __str__(self) -> str:
        return self.told("the person")

    def told(self, person: str) -> str:
        """Who decided what; `person` is the one whom the record is about (``you`` on their own screen)."""
        by = f"by {person}" if self.by == "person" else _BY[self.by]
        return f"{self.verdict} {by}" + (f": {self.words}" if self.words else "")


_BY: dict[str, str] = {
    "run": 'by "all in this run"',
    "rule": "by rule",
    "mode": "by approval mode",
    "nobody": "as nobody could be asked",
}
