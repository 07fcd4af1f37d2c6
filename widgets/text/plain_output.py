"""Output of commands as plain text: progress lines show their last state, colours and other codes vanish."""

from __future__ import annotations

import re

from .outside_text import outside_text

TAB_SIZE = 8

ESCAPE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]*)m"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # other control sequences
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)


def output_lines(text: str) -> list[str]:
    """The lines of an output as it stands on a terminal, colour codes still in it, without empty ones at its end."""
    lines = [_last_state(line) if "\r" in line else line for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not plain_output(lines[-1]).strip():
        lines.pop()
    return lines


def plain_output(line: str) -> str:
    """A line without codes: literal text."""
    return outside_text(without_codes(line), tab_size=TAB_SIZE)


def without_codes(line: str) -> str:
    """A line without its control sequences."""
    return ESCAPE.sub("", line) if "\x1b" in line or "\x9b" in line else line


def _last_state(line: str) -> str:
    """What a line shows that was overwritten by carriage returns: its last state that says something."""
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""
