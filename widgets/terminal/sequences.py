"""Whole sequences from a terminal, made into keys, mouse events and reports."""

from __future__ import annotations

import re
import sys

from textual import constants, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.message import Message
from textual.messages import InBandWindowResize, TerminalSupportsSynchronizedOutput

from .key_names import key_of_code, key_of_function, typed

ASK_BACKGROUND = "\x1b]11;?\x1b\\"
"""Ask the terminal for its background colour (xterm control sequences, OSC 11)."""

_KITTY = re.compile(r"\x1b\[(\d+)(?::(\d*))?(?::(\d*))?(?:;(\d*)(?::(\d+))?)?(?:;([\d:]*))?u")
_MODIFY_OTHER = re.compile(r"\x1b\[27;(\d+);(\d+)~")
_FUNCTION = re.compile(r"\x1b\[(\d*)(?:;(\d*)(?::(\d+))?)?([~A-HPQRS])")
_CURSOR = re.compile(r"\x1b\[(\d+);(\d+)R")
_MODE_REPORT = re.compile(r"\x1b\[\?(\d+);(\d)\$y")
_IN_BAND_RESIZE = re.compile(r"\x1b\[48;(\d+)[:\d]*;(\d+)[:\d]*;(\d+)[:\d]*;(\d+)[:\d]*t")
KIND = re.compile(r"\x1b\[\?[\d;]*c")
"""What kind of terminal it is (the answer to DA1)."""

_ANSWER = re.compile(KIND.pattern + r"|\x1b\[\?997;[12]n")
"""That, and that it is dark or light now (mode 2031)."""

_RELEASE = "3"


class TerminalReply(Message):
    """What the terminal answers to a query of the app, such as its background colour; `sequence` is the whole answer."""

    def __init__(self, sequence: str) -> None:
        super().__init__()
        self.sequence = sequence


class SequenceReader:
    """Reads one sequence after the other (`read`). `marks_pastes`: the terminal has said that it marks pastes."""

    def __init__(self, debug: bool = False) -> None:
        self.marks_pastes = False
        self._mouse = XTermParser(debug)

    def read(self, sequence: str) -> list[Message]:
        """What a whole sequence stands for; nothing if that is unknown."""
        if sequence.startswith(("\x1b[<", "\x1b[M")):
            mouse = self._mouse.parse_mouse_code(sequence) if sequence[2] == "<" else None
            return [mouse] if mouse is not None else []
        for found in (self._report(sequence), keys_of(sequence)):
            if found is not None:
                return found
        return [TerminalReply(sequence)] if sequence[1] in "]P_[" else []

    def _report(self, sequence: str) -> list[Message] | None:
        """Focus, sizes, cursor and modes that the terminal reports."""
        if sequence == "\x1b[I":
            return [events.AppFocus()]
        if sequence == "\x1b[O":
            return [events.AppBlur()]
        if match := _CURSOR.fullmatch(sequence):
            return [events.CursorPosition(int(match[2]) - 1, int(match[1]) - 1)]
        if match := _MODE_REPORT.fullmatch(sequence):
            return self._mode(match[1], int(match[2]))
        if _ANSWER.fullmatch(sequence):
            return [TerminalReply(sequence)]
        if match := _IN_BAND_RESIZE.fullmatch(sequence):
            return [self._resize(*map(int, match.groups()))]
        return None

    def _mode(self, mode: str, setting: int) -> list[Message]:
        if mode == "2004":
            self.marks_pastes = setting in (1, 2, 3)
        elif mode == "2026" and setting > 0:
            return [TerminalSupportsSynchronizedOutput()]
        elif mode == "2048" and constants.SMOOTH_SCROLL:
            return [InBandWindowResize.from_setting_parameter(setting)]
        return []

    def _resize(self, height: int, width: int, pixel_height: int, pixel_width: int) -> Message:
        resize = events.Resize.from_dimensions((width, height), (pixel_width, pixel_height))
        self._mouse.terminal_size, self._mouse.terminal_pixel_size = resize.size, resize.pixel_size
        self._mouse.mouse_pixels = True
        return resize


def keys_of(sequence: str) -> list[Message] | None:
    """A key in any of its forms, as messages, none if it is an unknown key or its release; None if it is no key."""
    if match := _KITTY.fullmatch(sequence):
        return _kitty_keys(match)
    if match := _MODIFY_OTHER.fullmatch(sequence):
        return list(key_of_code(int(match[2]), _bits(match[1]))) if int(match[2]) <= sys.maxunicode else []
    match = _FUNCTION.fullmatch(sequence)
    if match and (found := key_of_function(_int(match[1]) or 1, match[4], _bits(match[2] or ""))):
        return list(found) if match[3] != _RELEASE else []
    keys = ANSI_SEQUENCES_KEYS.get(sequence)
    if isinstance(keys, str):
        return [typed(keys)] if len(keys) == 1 else []
    return [events.Key(key.value, None) for key in keys] if isinstance(keys, tuple) else None


def _kitty_keys(match: re.Match[str]) -> list[Message]:
    code, shifted, base, modifiers, event, text = match.groups("")
    characters = [int(part) for part in text.split(":") if part]
    if event == _RELEASE or (code == "0" and not text):
        return []
    if max(int(code), _int(shifted), _int(base), *characters) > sys.maxunicode:
        return []
    shown = "".join(map(chr, characters))
    return list(key_of_code(int(code), _bits(modifiers), shifted=_int(shifted), base=_int(base), text=shown))


def _bits(modifiers: str) -> int:
    """Modifier bits from a parameter, which counts from 1; the lock bits but Caps Lock are left out."""
    return max(0, _int(modifiers) - 1) & 0x7F


def _int(digits: str | None) -> int:
    return int(digits) if digits else 0
