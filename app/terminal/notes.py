"""What a terminal is told that is no picture: its title, a notification, how far the work is. Sequences as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ...widgets.text.marks import marks
from ...widgets.text.outside_text import outside_line
from ..settings.model import Notify

Way: TypeAlias = Literal["bell", "osc9", "osc777", "osc99"]
"""`osc9`: iTerm2's notification. `osc777`: that of urxvt. `osc99`: kitty's."""

ProgressState: TypeAlias = Literal["busy", "failed", "none"]

MOST = 120
"""Characters of a title or a notification."""

_BY_PROGRAM: dict[str, Way] = {
    "iTerm.app": "osc9",
    "WezTerm": "osc9",
    "ghostty": "osc9",
    "WarpTerminal": "osc9",
    "kitty": "osc99",
    "rio": "osc9",
}
_BY_TERM: dict[str, Way] = {"xterm-kitty": "osc99", "xterm-ghostty": "osc9", "foot": "osc777", "rxvt-unicode": "osc777"}


def way_of(setting: Notify, environ: Mapping[str, str]) -> Way | None:
    """How this terminal is told; None for not at all. Inside tmux or screen nobody knows the terminal: the bell."""
    if setting == "off":
        return None
    if setting != "auto":
        return setting
    if is_multiplexed(environ):
        return "bell"
    program = environ.get("TERM_PROGRAM") or environ.get("LC_TERMINAL", "")
    if program in _BY_PROGRAM:
        return _BY_PROGRAM[program]
    if environ.get("ConEmuPID"):
        return "osc9"
    known: list[Way] = [way for name, way in _BY_TERM.items() if environ.get("TERM", "").startswith(name)]
    return known[0] if known else "bell"


def is_multiplexed(environ: Mapping[str, str]) -> bool:
    """Whether tmux or screen stands between this program and the terminal."""
    return bool(environ.get("TMUX") or environ.get("STY"))


def notification(way: Way, title: str, text: str) -> str:
    """Tell the person, who looks elsewhere."""
    title, text = _clean(title), _clean(text)
    match way:
        case "bell":
            return "\a"
        case "osc9":
            return f"\x1b]9;{title}: {text}\x1b\\"
        case "osc777":
            return f"\x1b]777;notify;{title.replace(';', ',')};{text}\x1b\\"
        case "osc99":
            return f"\x1b]99;i=pyagent-tui:d=0;{title}\x1b\\\x1b]99;i=pyagent-tui:p=body;{text}\x1b\\"


def title_sequence(text: str) -> str:
    """Name the window (xterm control sequences, OSC 2)."""
    return f"\x1b]2;{_clean(text)}\x1b\\"


def progress(state: ProgressState) -> str:
    """How the work stands, for the tab or the task bar (ConEmu's OSC 9;4)."""
    return {"busy": "\x1b]9;4;3\x1b\\", "failed": "\x1b]9;4;2;100\x1b\\", "none": "\x1b]9;4;0\x1b\\"}[state]


def through_multiplexer(sequence: str, environ: Mapping[str, str]) -> str:
    """The sequence so that tmux hands it on to the terminal outside, where it may."""
    if environ.get("TMUX") and sequence != "\a":
        return f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}\x1b\\"
    return sequence


def _clean(text: str) -> str:
    """One row without control codes, bounded."""
    row = outside_line(text)
    return row if len(row) <= MOST else f"{row[: MOST - len(marks().ellipsis)]}{marks().ellipsis}"
