"""How a call ended, in a word or two, by what its details say."""

from __future__ import annotations

from ...agent.details import Details, DiffDetails, FileDetails, ImageDetails, ListingDetails, OutputDetails
from ...agent.permission import Permission
from ..text.marks import marks
from ..text.numbers import format_plural


def success_words(details: Details | None, permission: Permission | None = None) -> str:
    """What a call that went well brought: ``applied``, ``48 lines``; of a change that the person cut, how much."""
    match details:
        case DiffDetails():
            changed = permission.words if permission is not None and permission.verdict == "changed" else ""
            word = "created" if details.created else "applied"
            joint = " " if " of " in changed else " · "
            return f"{word}{joint}{changed}" if changed else word
        case FileDetails(lines=lines):
            return format_plural(lines, "line")
        case ListingDetails(count=count, noun=noun):
            return f"{count:,} {noun}"
        case ImageDetails(width=width, height=height):
            return f"{width}{marks().times}{height}"
        case OutputDetails(exit_code=code) if code:
            return f"exit {code}"
        case _:
            return "ok"


def failure_words(details: Details | None) -> str:
    """Why a call failed, to be put behind ``failed``; empty where the details don't say."""
    match details:
        case OutputDetails(timed_out=True):
            return ": timeout"
        case OutputDetails(signal=str(signal)):
            return f": {signal}"
        case OutputDetails(exit_code=int(code)):
            return f": exit {code}"
        case _:
            return ""
