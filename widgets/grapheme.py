"""Grapheme clusters and words: what a person takes for one character, how many cells it fills, where words end."""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

from rich.cells import split_graphemes

from .outside_text import has_hidden

Cluster: TypeAlias = tuple[int, int, int]
"""Start and end as code point offsets, width in cells."""


def clusters(text: str) -> list[Cluster]:
    """The clusters of a text in order, without gaps. Flags are pairs; joined emoji and combining marks are one.

    A hidden character (bidi, zero width) is a cluster of its own, since it is shown as one.
    """
    if text.isascii():
        return [(index, index + 1, 1) for index in range(len(text))]
    found: list[Cluster] = []
    start = 0
    for index in [*(index for index, character in enumerate(text) if has_hidden(character)), len(text)]:
        found += _clusters_from(text[start:index], start)
        if index < len(text):
            found.append((index, index + 1, 0))
        start = index + 1
    return found


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
