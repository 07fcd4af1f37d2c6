"""The call ids under which commands of the person are shown."""

from __future__ import annotations

_PERSON = "person-"


def person_call_id(timestamp: int) -> str:
    """The id for a command; `timestamp` is that of its message, in milliseconds."""
    return f"{_PERSON}{timestamp}"


def is_persons(call_id: str) -> bool:
    """Whether a call is a command of the person."""
    return call_id.startswith(_PERSON)
