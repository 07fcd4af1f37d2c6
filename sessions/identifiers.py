"""Ids and times as session files carry them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Container
from datetime import UTC, datetime

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def new_session_id() -> str:
    """A UUID of version 7 (RFC 9562, 5.7): sorts by time."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    high = milliseconds << 16 | 0x7 << 12 | random >> 68
    low = 0b10 << 62 | random & (1 << 62) - 1
    digits = f"{high << 64 | low:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def is_session_id(text: str) -> bool:
    """Whether a person may give a session this id: letters, digits and ``._-``, alphanumeric at both ends."""
    return len(text) <= 128 and _SESSION_ID.fullmatch(text) is not None


def new_entry_id(taken: Container[str]) -> str:
    """Eight hex digits that no entry of the session has."""
    while (candidate := os.urandom(4).hex()) in taken:
        pass
    return candidate


def iso_now() -> str:
    """The time now as session files write it: UTC, milliseconds, ``Z``."""
    return iso_time(time.time_ns() // 1_000_000)


def iso_time(milliseconds: int) -> str:
    """Milliseconds since the epoch as UTC text, such as ``2026-01-31T09:00:00.000Z``."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


def milliseconds_of(text: str) -> int:
    """The inverse of `iso_time`; 0 for what is no time."""
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
