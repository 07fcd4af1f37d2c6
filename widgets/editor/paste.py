"""Pasted text: cleaned, and when long folded into one marker that moves and deletes as a single character."""

from __future__ import annotations

import re

from ..text.grapheme import is_marker
from ..text.numbers import format_plural

MAX_LINES = 10
MAX_CHARACTERS = 1_000
"""A paste over either of these becomes a marker."""

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]+[0-~]|[78=>c])"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")
_FIRST_MARKER = 0xD800
_MARKER_COUNT = 0x800


def clean(text: str) -> str:
    """What may stand in the editor: line ends as LF, no escape sequences or control codes, no lone surrogates."""
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    if "\x1b" in text:
        text = _ESCAPE_SEQUENCE.sub("", text)
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def is_long(text: str) -> bool:
    """Whether a paste is folded: more than `MAX_LINES` lines or `MAX_CHARACTERS` characters."""
    return len(text) > MAX_CHARACTERS or text.count("\n") >= MAX_LINES


class Markers:
    """The folded parts of a draft. Each is one code point in the editor's raw text, and a label on the screen.

    The code points are lone surrogates: `clean` lets none of them in from outside, so that a typed look-alike of a
    label stays plain text.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._count = 0

    def fold(self, text: str) -> str:
        """The marker for a long text; the text itself once all markers are in use."""
        lines = text.count("\n") + 1
        size = f"+{format_plural(lines, 'line')}" if lines > MAX_LINES else f"{len(text)} chars"
        return self.add(text, f"[paste #{self._count + 1} {size}]")

    def add(self, text: str, label: str) -> str:
        """A marker that shows `label` and expands to `text`."""
        for code in range(_MARKER_COUNT):
            marker = chr(_FIRST_MARKER + code)
            if marker not in self._texts:
                self._count += 1
                self._texts[marker] = text
                self._labels[marker] = label
                return marker
        return text

    def label(self, marker: str) -> str:
        """What the screen shows for a marker."""
        return self._labels.get(marker, "\ufffd")

    def expand(self, raw: str) -> str:
        """The text with every marker replaced by what it stands for."""
        if not any(map(is_marker, raw)):
            return raw
        return "".join(self._texts.get(character, "\ufffd") if is_marker(character) else character for character in raw)

    def holds(self, marker: str) -> bool:
        """Whether a marker still stands for something."""
        return marker in self._texts

    def keep_only(self, raws: list[str]) -> None:
        """Forget every marker that none of these raw texts uses."""
        used = {character for raw in raws for character in raw if is_marker(character)}
        for marker in self._texts.keys() - used:
            del self._texts[marker]
            del self._labels[marker]
