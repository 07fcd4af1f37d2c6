"""Grapheme clusters and words: what a person takes for one character, how many cells it fills, where words end."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

from rich.cells import split_graphemes

from .outside_text import has_hidden

Cluster: TypeAlias = tuple[int, int, int]
"""Start and end as code point offsets, width in cells."""


_NARROW = "\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u2010-\\u2027\\u2030-\\u205e\\u2500-\\u25fc\\u2800-\\u28ff"
_WIDE = "\\u3001-\\u3029\\u3041-\\u3096\\u30a0-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_PLAIN = re.compile(f"[{_NARROW}]*")
_SIMPLE = re.compile(f"[{_NARROW}{_WIDE}]*")
"""Texts in which every code point is a cluster of one cell, or of two from U+3000 on: nearly all there are."""


def is_plain(text: str) -> bool:
    """Whether every code point of a text is a cluster of one cell."""
    return _PLAIN.fullmatch(text) is not None


def clusters(text: str) -> list[Cluster]:
    """The clusters of a text in order, without gaps. Flags are pairs; joined emoji and combining marks are one.

    A hidden character (bidi, zero width) and a control code are each a cluster, since they are shown as one.
    """
    if _SIMPLE.fullmatch(text):
        return [(index, index + 1, 2 if character >= "\u3000" else 1) for index, character in enumerate(text)]
    if not has_hidden(text) and not _CONTROL.search(text):
        return _clusters_from(text, 0)
    found: list[Cluster] = []
    start = 0
    for index in [*(index for index, character in enumerate(text) if _is_alone(character)), len(text)]:
        found += _clusters_from(text[start:index], start)
        if index < len(text):
            found.append((index, index + 1, 0))
        start = index + 1
    return found


def _is_alone(character: str) -> bool:
    return _CONTROL.match(character) is not None or has_hidden(character)


def _clusters_from(text: str, offset: int) -> list[Cluster]:
    """The clusters of a text that holds no hidden characters, as offsets in a larger one."""
    merged: list[Cluster] = []
    for start, end, width in split_graphemes(text)[0]:
        if merged and _is_flag(text[merged[-1][0] - offset : end]):
            merged[-1] = (merged[-1][0], end + offset, merged[-1][2] + width)
        else:
            merged.append((start + offset, end + offset, width))
    return merged


def cluster_before(text: str, index: int) -> int:
    """Where the cluster that ends at `index` begins; 0 at the start."""
    if index <= 0:
        return 0
    window = _safe_start(text, index)
    return window + clusters(text[window:index])[-1][0]


def cluster_after(text: str, index: int) -> int:
    """Where the cluster that begins at `index` ends; the length of the text at its end."""
    if index >= len(text):
        return len(text)
    return index + clusters(text[index : index + 64])[0][1]


def word_before(text: str, index: int) -> int:
    """Where the word left of `index` begins: blanks and punctuation behind it are passed over with it."""
    while index > 0 and _kind(text[index - 1]) == "gap":
        index -= 1
    if index > 0 and _kind(text[index - 1]) == "marker":
        return index - 1
    while index > 0 and _kind(text[index - 1]) == "word":
        index -= 1
    return index


def word_after(text: str, index: int) -> int:
    """Where the word right of `index` ends: blanks and punctuation before it are passed over with it."""
    end = len(text)
    while index < end and _kind(text[index]) == "gap":
        index += 1
    if index < end and _kind(text[index]) == "marker":
        return index + 1
    while index < end and _kind(text[index]) == "word":
        index += 1
    return index


def is_marker(character: str) -> bool:
    """Whether this code point stands for a paste or a picture: the editor keeps lone surrogates for that (`paste`)."""
    return "\ud800" <= character <= "\udfff"


def _kind(character: str) -> Literal["word", "marker", "gap"]:
    if character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M":
        return "word"
    return "marker" if is_marker(character) else "gap"


def _is_flag(text: str) -> bool:
    return len(text) == 2 and all("\U0001f1e6" <= character <= "\U0001f1ff" for character in text)


def _safe_start(text: str, index: int) -> int:
    """A place before `index` from which segmenting goes right: an ASCII character always starts a cluster."""
    start = index - 1
    while start > 0 and not text[start].isascii():
        start -= 1
    return start
