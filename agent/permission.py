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
    """The decision about one call. `words` say more: the person's sentence, the rule in words, the mode's name."""

    verdict: Verdict
    by: Decider
    words: str = ""

    def __str__(self) -> str:
        return f"{self.verdict} {_BY[self.by]}" + (f": {self.words}" if self.words else "")


_BY: dict[Decider, str] = {
    "person": "by the person",
    "run": 'by "all in this run"',
    "rule": "by rule",
    "mode": "by approval mode",
    "nobody": "as nobody could be asked",
}
