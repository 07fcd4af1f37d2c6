"""The one sanitiser: what comes from outside is shown literally and never reaches the terminal as a control code.

Outside is everything that this program did not write: the model, files, commands, paths, names, errors, the person.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from .marks import marks

if TYPE_CHECKING:
    from textual.content import Content

DEFAULT_TAB_SIZE = 4

_CONTROL = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"  # C0 and C1 but tab and newline
    "\\ud800-\\udfff"  # lone surrogates
)
_HIDDEN = "\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e007f"
_ASCII_UNSAFE = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f]")
_UNSAFE = re.compile(f"[{_CONTROL}{_HIDDEN}]")
_JOINER = "\u200d"
_STRAY_JOINER = re.compile("(?:^|(?<=\\s))\u200d|\u200d(?=\\s|$)", re.MULTILINE)  # it would swallow the blank beside it
_HIDDEN_ONLY = re.compile(f"[{_HIDDEN}]")
_LINE_ENDS = re.compile("\r\n?")
_BREAKS = re.compile("[\t\n\r]")


def outside_text(text: str, *, tab_size: int = DEFAULT_TAB_SIZE) -> str:
    """The same text, literal: control codes as signs, bidi and zero-width codes as ``⟨U+202E⟩``, tabs as blanks.

    Newlines stay (CRLF and CR become one); lone surrogates become U+FFFD. Cost is linear, and small for clean text.
    """
    is_ascii = text.isascii()
    if is_ascii and text.isprintable():
        return text
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    text = (_ASCII_UNSAFE if is_ascii else _UNSAFE).sub(_visible, text)
    if not is_ascii and _JOINER in text:
        text = _STRAY_JOINER.sub(_visible, text)
    return expand_tabs(text, tab_size) if "\t" in text else text


def outside_copy(text: str) -> str:
    """`outside_text` to be copied: tabs stay tabs."""
    return "\t".join(map(outside_text, text.split("\t"))) if "\t" in text else outside_text(text)


def outside_line(text: str) -> str:
    """`outside_text` in one row: newlines and tabs become one blank each."""
    return outside_text(
        text.strip("\r\n").replace("\r\n", " ").replace("\n", " ").replace("\r", " ").replace("\t", " ")
    )


def outside_name(text: str) -> str:
    """`outside_text` of a path or another name in one row: line breaks and tabs in it are signs like other codes."""
    return outside_text(_BREAKS.sub(_visible, text))


def outside_content(text: str) -> Content:
    """Outside text as a Textual `Content`: no markup, no control codes."""
    from textual.content import Content

    return Content(outside_text(text))


def has_hidden(text: str) -> bool:
    """Whether the text holds characters that a reader can't see or that reorder what is seen (bidi, zero width)."""
    return _HIDDEN_ONLY.search(text) is not None


def expand_tabs(text: str, size: int) -> str:
    """Tabs as blanks up to the next multiple of `size` cells, wide characters counted as two."""
    if text.isascii():
        return text.expandtabs(size)
    return "\n".join(_expand_line(line, size) if "\t" in line else line for line in text.split("\n"))


def _expand_line(line: str, size: int) -> str:
    parts: list[str] = []
    column = 0
    for part in line.split("\t"):
        if parts:
            blanks = size - column % size
            parts.append(" " * blanks)
            column += blanks
        parts.append(part)
        column += cell_len(part)
    return "".join(parts)


def _visible(match: re.Match[str]) -> str:
    return _sign_of(match.group())


@lru_cache(maxsize=512)
def _sign_of(character: str) -> str:
    code = ord(character)
    unicode = marks().bad == "\ufffd"
    if code == 0x1B:
        return marks().escape
    if code < 0x20 or code == 0x7F:
        caret = f"^{chr(code ^ 0x40)}"
        return chr(0x2421 if code == 0x7F else 0x2400 + code) if unicode else caret
    if 0x80 <= code <= 0x9F or 0xD800 <= code <= 0xDFFF:
        return marks().bad
    return f"⟨U+{code:04X}⟩" if unicode else f"<U+{code:04X}>"
