"""What stands on the normal screen once the full one is gone: the last answer, and how to go on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ...agent.messages import AssistantMessage, Message
from ...widgets.text.numbers import format_plural
from ...widgets.text.outside_text import outside_text
from ..arguments import Arguments
from ..options import PROGRAM
from ..settings.model import ExitOutput

if TYPE_CHECKING:
    from ...sessions.session import Session

ROWS = 20
"""Lines of the answer at most: its last ones."""


def goodbye(messages: Sequence[Message], session: Session, arguments: Arguments, wanted: ExitOutput) -> str:
    """The text to print; empty if there is nothing to say. Free of control codes."""
    parts: list[str] = []
    if wanted == "answer":
        parts += _last_rows(messages)
    if wanted != "off" and session.is_saved and session.path is not None:
        parts += ["", f"To go on: {resume_command(session, arguments)}"]
    return "\n".join(parts).strip("\n")


def resume_command(session: Session, arguments: Arguments) -> str:
    """The command line that goes on with the session."""
    words = [PROGRAM, *(["--linear"] if arguments.linear else [])]
    if arguments.session_dir:
        words += ["--session-dir", arguments.session_dir]
    return shlex.join([*words, "--session", session.id])


def print_goodbye(text: str) -> None:
    """Print it; a terminal that is gone hears nothing."""
    if not text:
        return
    encoding = sys.stdout.encoding or "ascii"
    with suppress(OSError, ValueError):
        sys.stdout.buffer.write(f"{text}\n".encode(encoding, "replace"))
        sys.stdout.buffer.flush()


def _last_rows(messages: Sequence[Message]) -> list[str]:
    replies = (message for message in reversed(messages) if isinstance(message, AssistantMessage))
    text = next((reply.text for reply in replies if reply.text.strip()), "")
    rows = outside_text(text).strip("\n").split("\n") if text else []
    earlier = len(rows) - ROWS
    return rows if earlier <= 0 else [f"({format_plural(earlier, 'earlier line')} of the last answer)", *rows[-ROWS:]]
