"""What a terminal sends, made into keys, pastes and mouse events.

Textual's own parser takes Alt+Enter for Enter, types what is left of a broken mouse report and reads keys out of a
paste that holds escape bytes; this one replaces it. Grammar: ECMA-48 5.4 (control sequences) and 5.6 (strings).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from time import monotonic

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.message import Message

from .grammar import ESC, certain_part, is_unfinished, whole_sequence
from .key_names import typed, with_alt
from .sequences import SequenceReader, keys_of

PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"

ESCAPE_DELAY = 0.05
"""Seconds until a lone escape byte is the Escape key."""

HELD_ESCAPE_DELAY = 0.2
"""The same while there is a draft, where an Enter that comes late may belong to it (Alt+Enter over a slow line)."""

ALT_DELAY = 0.1
"""Seconds until an escape byte and one character that could begin a sequence are Alt with that character."""

SEQUENCE_DELAY = 0.5
"""Seconds after which the rest of a sequence does not come any more."""

LATE_DELAY = 1.0
"""Seconds in which the rest of a sequence is still known as one, though its beginning was given up."""

BURST_DELAY = 0.03
"""Seconds without input that end a paste from a terminal which does not mark pastes."""

BURST_GRACE = 0.25
"""Seconds that a burst goes on beyond that if there is input by then: whoever reads late must not cut it."""

TYPING_DELAY = 0.005
"""Seconds after a character in which a line end was not typed by a person, so that more may follow."""

STALLED_PASTE_DELAY = 2.0
"""Seconds without input after which a marked paste is delivered though its end has not come."""

BURST_LENGTH = 32
"""So many printable characters in one read were not typed one by one."""

_TEXT = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_LINE_END = re.compile("([\r\n])")
_INNER_LINE_END = re.compile("[\r\n](?=[^\r\n])")
_LOST_MOUSE_REPORT = re.compile(r"\[<\d{1,4};-?\d{1,5};-?\d{1,5}[Mm]")


class KeyParser:
    """Takes decoded input as it comes (`feed`) and the passing of time (`tick`), returns messages in order.

    `deadline` is when `tick` is due next, on the monotonic clock, or None. `holds_escape` chooses between the two
    delays of a lone escape byte. Where the terminal is known to mark pastes, lines in one read are keys that came fast.
    """

    def __init__(self, debug: bool = False) -> None:
        self.deadline: float | None = None
        self.holds_escape = False
        self._sequences = SequenceReader(debug)
        self._pending = ""
        self._escape_at = 0.0
        self._given_up = ""
        self._late_until = 0.0
        self._burst: list[str] = []
        self._text_at = float("-inf")
        self._paste: list[str] | None = None
        self._is_stalled = False
        self._messages: list[Message] = []

    def feed(self, data: str, now: float | None = None) -> Iterable[Message]:
        """Take what was read; an empty string is the end of input."""
        now = monotonic() if now is None else now
        self._messages = [] if data and self._burst_goes_on(now) else list(self.tick(now))
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
            self._pending = ""
        elif self._pending:
            pending, self._pending = self._pending, ""
            self._give_up(pending, now)
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
        elif len(self._pending) == 2:
            self.deadline = self._escape_at + ALT_DELAY
        elif self._pending:
            self.deadline = now + SEQUENCE_DELAY
        elif self._burst:
            self.deadline = now + BURST_DELAY

    def _give_up(self, pending: str, now: float) -> None:
        """The rest of a sequence did not come: Escape, Alt with a character and what was typed after it, or nothing."""
        self._given_up, self._late_until = pending, now + LATE_DELAY
        if pending == ESC:
            self._late_until = now + SEQUENCE_DELAY
            self._emit(events.Key("escape", ESC))
        elif keys := keys_of(pending):
            self._messages += keys
        elif not certain_part(pending):
            self._given_up = pending[:2]
            self._emit(with_alt(pending[1]))
            self._take(pending[2:], now)

    def _join_escape(self, data: str, now: float) -> str:
        """An escape byte and what came in a later read: one sequence, or Escape and then something else."""
        if data[0] in "\r\x1b" or now - self._escape_at <= ESCAPE_DELAY or whole_sequence(ESC + data):
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
                position = self._take_text(match.group(), match.end(), now)
            else:
                self._end_burst()
                self._take_control(text[position])
                position += 1

    def _skip_rest(self, text: str, now: float) -> int:
        """Take the rest of a sequence whose beginning was given up a moment ago; how many characters it has."""
        head, self._given_up = self._given_up, ""
        if not head or now > self._late_until or not _may_be_late(head, text):
            return 0
        sequence = whole_sequence(head + text)
        if not sequence:
            return 0
        self._take_sequence(sequence)
        return len(sequence) - len(head)

    def _take_text(self, run: str, end: int, now: float) -> int:
        """Printable characters and line ends in one read: typed, or pasted by a terminal that does not mark pastes."""
        if "[<" in run:
            run = _LOST_MOUSE_REPORT.sub("", run)
        if not self._sequences.marks_pastes and self._is_burst(run, now):
            self._burst.append(run)
        else:
            for part in _LINE_END.split(run):
                self._take_line(part)
        return end

    def _is_burst(self, run: str, now: float) -> bool:
        """Whether this may be a part of a paste: a line end that comes right behind text may have more lines behind it."""
        if run.strip("\r\n"):
            self._text_at = now
        is_fast = now - self._text_at <= TYPING_DELAY
        return bool(self._burst or _INNER_LINE_END.search(run) or (is_fast and run.endswith(("\r", "\n"))))

    def _burst_goes_on(self, now: float) -> bool:
        return bool(self._burst) and self.deadline is not None and now < self.deadline + BURST_GRACE

    def _take_line(self, part: str) -> None:
        """A line end, or characters of one line: many at once are delivered as one piece."""
        if len(part) < BURST_LENGTH:
            self._end_burst()
            self._type(part)
        elif self._sequences.marks_pastes:
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
        if character == "\x00":
            self._emit(events.Key("ctrl+space", character))
            return
        keys = ANSI_SEQUENCES_KEYS.get(character)
        if isinstance(keys, tuple) and character < "\x80":
            self._messages += [events.Key(key.value, character) for key in keys]

    def _end_burst(self) -> None:
        """Nothing more comes: lines were pasted; one line was typed or pasted, and the line end behind it is a key."""
        text, self._burst = "".join(self._burst), []
        if _INNER_LINE_END.search(text):
            self._emit(events.Paste(text))
            return
        line = text.rstrip("\r\n")
        if len(line) < BURST_LENGTH:
            self._type(line)
        else:
            self._emit(events.Paste(line))
        self._type(text[len(line) :])

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
        if sequence := whole_sequence(text, position):
            self._take_sequence(sequence)
            return position + len(sequence)
        if is_unfinished(text, position):
            self._pending = text[position:]
            self._escape_at = now
            return len(text)
        if broken := certain_part(text, position):
            return position + len(broken)
        following = text[position + 1]
        if following == ESC:
            return self._take_two_escapes(text, position)
        self._emit(with_alt(following))
        return position + 2

    def _take_two_escapes(self, text: str, position: int) -> int:
        """Escape twice; or, in front of a sequence, Alt with that key."""
        sequence = whole_sequence(text, position + 1)
        if not sequence.startswith(("\x1b[", "\x1bO")):
            self._emit(events.Key("escape", ESC))
            return position + 1
        before = len(self._messages)
        self._take_sequence(sequence)
        for message in self._messages[before:]:
            if isinstance(message, events.Key) and "alt+" not in message.key:
                message.key = f"alt+{message.key}"
        return position + 1 + len(sequence)

    def _take_sequence(self, sequence: str) -> None:
        if sequence == PASTE_START:
            self._paste = []
            self._sequences.marks_pastes = True
        else:
            self._messages += self._sequences.read(sequence)

    def _emit(self, message: Message) -> None:
        self._messages.append(message)


def _may_be_late(head: str, text: str) -> bool:
    """Whether a text can be the rest of a sequence: what was typed is no rest of a key."""
    return len(text) > 1 if head == ESC else head.startswith(("\x1b[<", "\x1b]", "\x1bP", "\x1b_"))
