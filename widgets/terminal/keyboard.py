"""What a terminal sends, made into keys, pastes and mouse events.

Textual's own parser takes Alt+Enter for Enter, types what is left of a broken mouse report and reads keys out of a
paste that holds escape bytes; this one replaces it. Grammar: ECMA-48 5.4 (control sequences) and 5.6 (strings).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from time import monotonic

from textual import constants, events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.message import Message
from textual.messages import InBandWindowResize, TerminalSupportsSynchronizedOutput

from .key_names import key_of_code, key_of_function, typed, with_alt

ESC = "\x1b"
PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"

ESCAPE_DELAY = 0.05
"""Seconds until a lone escape byte is the Escape key."""

HELD_ESCAPE_DELAY = 0.2
"""The same while there is a draft, where an Enter that comes late may belong to it (Alt+Enter over a slow line)."""

SEQUENCE_DELAY = 0.5
"""Seconds after which the rest of a sequence does not come any more, and what came of it is dropped."""

BURST_DELAY = 0.03
"""Seconds without input that end a paste from a terminal which does not mark pastes."""

STALLED_PASTE_DELAY = 2.0
"""Seconds without input after which a marked paste is delivered though its end has not come."""

BURST_LENGTH = 32
"""So many printable characters in one read were not typed one by one."""

_SEQUENCE = re.compile(
    "\x1b(?:"
    r"\[<[^\x1bMm]{0,40}[Mm]"  # a mouse report, however broken
    r"|\[M[\s\S]{3}"  # an old mouse report
    r"|\[\[[A-E]"  # function keys of the Linux console
    r"|\[(?![<M\[])[0-?]*[ -/]*[@-~]"
    r"|O[ -~]"
    r"|[\]PX^_](?:[^\x07\x1b]*)(?:\x07|\x1b\\)"
    ")"
)
_UNFINISHED = re.compile(
    "\x1b(?:"
    r"\[(?:<[^\x1bMm]{0,40}|M[\s\S]{0,2}|\[|[0-?]*[ -/]*)?"
    r"|O?|[\]PX^_][^\x07\x1b]{0,4096}\x1b?"
    r")\Z"
)
_TEXT = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_LINE_END = re.compile("([\r\n])")
_INNER_LINE_END = re.compile("[\r\n](?=[^\r\n])")
_LOST_MOUSE_REPORT = re.compile(r"\[<\d{1,4};-?\d{1,5};-?\d{1,5}[Mm]")
_MOUSE_REST = re.compile(r"[\d;-]*[Mm]")
_LATE_SEQUENCE = re.compile(r"\[[\d;:<?]*[A-Za-z~]|O[A-Za-z]")
_KITTY = re.compile(r"\x1b\[(\d+)(?::(\d*))?(?::(\d*))?(?:;(\d*)(?::(\d+))?)?(?:;([\d:]*))?u")
_MODIFY_OTHER = re.compile(r"\x1b\[27;(\d+);(\d+)~")
_FUNCTION = re.compile(r"\x1b\[(\d*)(?:;(\d*)(?::(\d+))?)?([~A-HPQRS])")
_CURSOR = re.compile(r"\x1b\[(\d+);(\d+)R")
_MODE_REPORT = re.compile(r"\x1b\[\?(\d+);(\d)\$y")
_IN_BAND_RESIZE = re.compile(r"\x1b\[48;(\d+)[:\d]*;(\d+)[:\d]*;(\d+)[:\d]*;(\d+)[:\d]*t")
_RELEASE = "3"


class TerminalReply(Message):
    """What the terminal answers to a query of the app, such as its background colour; `sequence` is the whole answer."""

    def __init__(self, sequence: str) -> None:
        super().__init__()
        self.sequence = sequence


class KeyParser(XTermParser):
    """Takes decoded input as it comes (`feed`) and the passing of time (`tick`), returns messages in order.

    `deadline` is when `tick` is due next, on the monotonic clock, or None. `holds_escape` chooses between the two
    delays of a lone escape byte. `marks_pastes`: the terminal is known to mark pastes, so lines in one read are keys
    that came fast.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.deadline: float | None = None
        self.holds_escape = False
        self.marks_pastes = False
        self._pending = ""
        self._escape_at = 0.0
        self._escaped_at = 0.0
        self._dropped_mouse_at = 0.0
        self._burst: list[str] = []
        self._paste: list[str] | None = None
        self._is_stalled = False
        self._messages: list[Message] = []

    def feed(self, data: str, now: float | None = None) -> Iterable[Message]:
        """Take what was read; an empty string is the end of input."""
        now = monotonic() if now is None else now
        self._messages = list(self.tick(now))
        if self._is_stalled and data:
            data = self._resume_paste(data)
        text = self._pending + data
        was_escape = self._pending == ESC and self._paste is None
        self._pending = ""
        if was_escape and data:
            text = self._join_escape(data, now)
        self._take(text, now)
        self._set_deadline(now)
        return self._messages

    def tick(self, now: float | None = None) -> Iterable[Message]:
        """Settle what waited too long."""
        now = monotonic() if now is None else now
        self._messages = []
        if self.deadline is None or now < self.deadline:
            return self._messages
        if self._paste is not None:
            self._is_stalled = True
            self._end_paste(self._pending)
        elif self._pending:
            self._give_up(self._pending, now)
        self._pending = ""
        self._end_burst()
        self._set_deadline(now)
        return self._messages

    # Time

    def _set_deadline(self, now: float) -> None:
        self.deadline = None
        if self._paste is not None:
            self.deadline = now + STALLED_PASTE_DELAY
        elif self._pending == ESC:
            self.deadline = self._escape_at + (HELD_ESCAPE_DELAY if self.holds_escape else ESCAPE_DELAY)
        elif self._pending:
            self.deadline = now + SEQUENCE_DELAY
        elif self._burst:
            self.deadline = now + BURST_DELAY

    def _give_up(self, pending: str, now: float) -> None:
        """The rest of a sequence did not come: Escape, Alt with a bracket, or nothing, but never typed text."""
        if pending == ESC:
            self._escaped_at = now
            self._emit(events.Key("escape", ESC))
        elif len(pending) == 2:
            self._emit(with_alt(pending[1]))
        elif pending.startswith("\x1b[<"):
            self._dropped_mouse_at = now

    def _join_escape(self, data: str, now: float) -> str:
        """An escape byte and what came in a later read: one sequence, or Escape and then something else."""
        if data[0] in "\r[O\x1b" or now - self._escape_at <= ESCAPE_DELAY:
            return ESC + data
        self._emit(events.Key("escape", ESC))
        return data

    # Text

    def _take(self, text: str, now: float) -> None:
        position = 0
        if text and self._paste is None:
            position = self._skip_rest(text, now)
        while position < len(text):
            if self._paste is not None:
                position = self._take_paste(text, position)
            elif text[position] == ESC:
                position = self._take_escape(text, position, now)
            elif match := _TEXT.match(text, position):
                position = self._take_text(match.group(), match.end(), text)
            else:
                self._end_burst()
                self._take_control(text[position])
                position += 1

    def _skip_rest(self, text: str, now: float) -> int:
        """Pass over the tail of a sequence whose head was given up a moment ago."""
        if now - self._escaped_at < SEQUENCE_DELAY and len(text) > 1 and (match := _LATE_SEQUENCE.match(text)):
            self._escaped_at = 0.0
            self._take_sequence(ESC + match.group())
            return match.end()
        if now - self._dropped_mouse_at < 2 * SEQUENCE_DELAY and (match := _MOUSE_REST.match(text)):
            self._dropped_mouse_at = 0.0
            return match.end()
        return 0

    def _take_text(self, run: str, end: int, text: str) -> int:
        """Printable characters and line ends in one read: typed, or pasted by a terminal that does not mark pastes."""
        if "[<" in run:
            run = _LOST_MOUSE_REPORT.sub("", run)
        if not self.marks_pastes and (self._burst or _INNER_LINE_END.search(run)):
            self._burst.append(run)
        else:
            for part in _LINE_END.split(run):
                self._take_line(part)
        return end

    def _take_line(self, part: str) -> None:
        """A line end, or characters of one line: many at once are delivered as one piece."""
        if len(part) < BURST_LENGTH:
            self._end_burst()
            self._type(part)
        elif self.marks_pastes:
            self._emit(events.Paste(part))
        else:
            self._burst.append(part)

    def _type(self, run: str) -> None:
        for character in run:
            if character in "\r\n\t":
                self._take_control(character)
            else:
                self._emit(typed(character))

    def _take_control(self, character: str) -> None:
        keys = ANSI_SEQUENCES_KEYS.get(character)
        if isinstance(keys, tuple) and character < "\x80":
            for key in keys:
                self._emit(events.Key(key.value, character))

    def _end_burst(self) -> None:
        if self._burst:
            text, self._burst = "".join(self._burst), []
            self._emit(events.Paste(text))

    # Pastes

    def _take_paste(self, text: str, position: int) -> int:
        """Everything up to the end mark, whatever it is."""
        assert self._paste is not None
        end = text.find(PASTE_END, position)
        if end >= 0:
            self._end_paste(text[position:end])
            return end + len(PASTE_END)
        keep = next(size for size in range(len(PASTE_END) - 1, -1, -1) if text.endswith(PASTE_END[:size], position))
        self._paste.append(text[position : len(text) - keep])
        self._pending = text[len(text) - keep :]
        return len(text)

    def _end_paste(self, rest: str) -> None:
        pasted = "".join([*(self._paste or ()), rest])
        self._paste = None
        if pasted:
            self._emit(events.Paste(pasted.replace("\x00", "")))

    def _resume_paste(self, data: str) -> str:
        """After a paste that stalled: its rest, if this looks like one. Returns what is not part of it."""
        self._is_stalled = False
        if PASTE_END in data or (len(data) > 1 and data[0] != ESC):
            self._paste = []
        return data

    # Sequences

    def _take_escape(self, text: str, position: int, now: float) -> int:
        self._end_burst()
        if match := _SEQUENCE.match(text, position):
            self._take_sequence(match.group())
            return match.end()
        if _UNFINISHED.match(text, position):
            self._pending = text[position:]
            self._escape_at = now
            return len(text)
        following = text[position + 1]
        if following == ESC:
            return self._take_two_escapes(text, position)
        if following in "[O]PX^_":
            return self._drop_broken(text, position)
        self._emit(with_alt(following))
        return position + 2

    def _take_two_escapes(self, text: str, position: int) -> int:
        """Escape twice; or, in front of a sequence, Alt with that key."""
        match = _SEQUENCE.match(text, position + 1)
        if match is None or not match.group().startswith(("\x1b[", "\x1bO")):
            self._emit(events.Key("escape", ESC))
            return position + 1
        before = len(self._messages)
        self._take_sequence(match.group())
        for message in self._messages[before:]:
            if isinstance(message, events.Key) and "alt+" not in message.key:
                message.key = f"alt+{message.key}"
        return match.end()

    def _drop_broken(self, text: str, position: int) -> int:
        """A sequence broken off by another byte: pass over what belongs to it."""
        position += 2
        while position < len(text) and " " <= text[position] < "\x40":
            position += 1
        return position

    def _take_sequence(self, sequence: str) -> None:
        if sequence == PASTE_START:
            self._paste = []
            self.marks_pastes = True
        elif sequence.startswith(("\x1b[<", "\x1b[M")):
            mouse = self.parse_mouse_code(sequence) if sequence[2] == "<" else None
            if mouse is not None:
                self._emit(mouse)
        elif not (self._take_report(sequence) or self._take_key(sequence)) and _is_reply(sequence):
            self._emit(TerminalReply(sequence))

    def _take_key(self, sequence: str) -> bool:
        """A key in any of its forms; True if it was one, known or not."""
        if match := _KITTY.fullmatch(sequence):
            code, shifted, base, modifiers, event, text = match.groups("")
            if event != _RELEASE and not (code == "0" and not text):
                shown = "".join(chr(int(part)) for part in text.split(":") if part)
                bits = _bits(modifiers)
                for key in key_of_code(int(code), bits, shifted=_int(shifted), base=_int(base), text=shown):
                    self._emit(key)
            return True
        if match := _MODIFY_OTHER.fullmatch(sequence):
            for key in key_of_code(int(match[2]), _bits(match[1])):
                self._emit(key)
            return True
        return self._take_function_key(sequence)

    def _take_function_key(self, sequence: str) -> bool:
        match = _FUNCTION.fullmatch(sequence)
        if match and (found := key_of_function(_int(match[1]) or 1, match[4], _bits(match[2] or ""))):
            if match[3] != _RELEASE:
                self._messages += found
            return True
        keys = ANSI_SEQUENCES_KEYS.get(sequence)
        if not isinstance(keys, tuple):
            return False
        for key in keys:
            self._emit(events.Key(key.value, None))
        return True

    def _take_report(self, sequence: str) -> bool:
        """Focus, sizes, cursor and modes that the terminal reports."""
        if sequence == "\x1b[I":
            self._emit(events.AppFocus())
        elif sequence == "\x1b[O":
            self._emit(events.AppBlur())
        elif match := _CURSOR.fullmatch(sequence):
            self._emit(events.CursorPosition(int(match[2]) - 1, int(match[1]) - 1))
        elif match := _MODE_REPORT.fullmatch(sequence):
            self._take_mode(match[1], int(match[2]))
        elif match := _IN_BAND_RESIZE.fullmatch(sequence):
            self._take_resize(*map(int, match.groups()))
        else:
            return False
        return True

    def _take_mode(self, mode: str, setting: int) -> None:
        if mode == "2004":
            self.marks_pastes = setting in (1, 2, 3)
        elif mode == "2026" and setting > 0:
            self._emit(TerminalSupportsSynchronizedOutput())
        elif mode == "2048" and constants.SMOOTH_SCROLL:
            self._emit(InBandWindowResize.from_setting_parameter(setting))

    def _take_resize(self, height: int, width: int, pixel_height: int, pixel_width: int) -> None:
        resize = events.Resize.from_dimensions((width, height), (pixel_width, pixel_height))
        self.terminal_size, self.terminal_pixel_size = resize.size, resize.pixel_size
        self.mouse_pixels = True
        self._emit(resize)

    def _emit(self, message: Message) -> None:
        self._messages.append(message)


def _bits(modifiers: str) -> int:
    """Modifier bits from a parameter, which counts from 1; the lock bits but Caps Lock are left out."""
    return max(0, _int(modifiers) - 1) & 0x7F


def _int(digits: str | None) -> int:
    return int(digits) if digits else 0


def _is_reply(sequence: str) -> bool:
    return sequence[1] in "]P_["
