"""Edits of generated files against a reference that counts bytes and knows nothing of how edits are done."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from pyagent_tui.tools.changes import Change, EditFailed, Replacement, plan_changes
from pyagent_tui.tools.matching import fold_line
from pyagent_tui.tools.textfile import NotText, TextFile

FILES_PER_EXAMPLE = 10
MANY = settings(max_examples=200, deadline=None)
"""With ten files per example: 2,000 files. Hypothesis chooses and shrinks the seed; drawing each character is slow."""

SOME = settings(max_examples=40, deadline=None)

CODECS = {
    "utf-8": b"",
    "utf-8-sig": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "latin-1": b"",
}
STYLES = [["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"]]
PLAIN = "ab =.("
WIDE = PLAIN + "é漢😀\u2019\u00a0\t"


@dataclass
class Sample:
    """A file as characters with their bytes. `text` has LF for each line break, whatever its bytes are."""

    codec: str
    pieces: list[tuple[str, bytes]]
    endings: set[str]

    @property
    def text(self) -> str:
        return "".join(character for character, _ in self.pieces)

    @property
    def data(self) -> bytes:
        return CODECS[self.codec] + self.bytes_between(0, len(self.pieces))

    def bytes_between(self, start: int, end: int) -> bytes:
        return b"".join(data for _, data in self.pieces[start:end])


def text_of(rng: random.Random, alphabet: str, longest: int) -> str:
    return "".join(rng.choices(alphabet, k=rng.randrange(longest + 1)))


def sample_of(rng: random.Random) -> Sample:
    codec = rng.choice(list(CODECS))
    encoder = "utf-8" if codec == "utf-8-sig" else codec
    # Latin-1 gets a byte that cannot be UTF-8, in a line of its own, so that it is taken for an unknown encoding.
    alphabet = PLAIN + "é" if codec == "latin-1" else WIDE
    lines = [text_of(rng, alphabet, 8) for _ in range(rng.randrange(1, 10))]
    style = rng.choice(STYLES)
    if codec == "latin-1":
        lines.insert(0, "é ")
    endings = [rng.choice(style) for _ in lines]
    if rng.random() < 0.5:
        endings[-1] = ""
    pieces: list[tuple[str, bytes]] = []
    for line, ending in zip(lines, endings, strict=True):
        pieces += [(character, character.encode(encoder)) for character in line]
        if ending:
            pieces.append(("\n", ending.encode(encoder)))
    return Sample(codec, pieces, {ending for ending in endings if ending})


def span_of(rng: random.Random, text: str) -> tuple[int, int]:
    """A span that is the only one of its kind: it grows until it is."""
    start = rng.randrange(max(1, len(text)))
    end = min(len(text), start + rng.randrange(13))
    while (end == start or len(re.findall(f"(?={re.escape(text[start:end])})", text)) != 1) and (start, end) != (
        0,
        len(text),
    ):
        start, end = max(0, start - 1), min(len(text), end + 1)
    return start, end


def edited(sample: Sample, *edits: tuple[str, str]) -> bytes:
    file = TextFile(sample.data)
    assert file.text == sample.text
    changes = plan_changes(file, [Replacement(old, new) for old, new in edits])
    return file.replace([(change.start, change.end, change.new) for change in changes])


def decoded(sample: Sample, data: bytes) -> str:
    return data.decode("utf-8" if sample.codec == "utf-8-sig" else sample.codec)


def folded(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check(sample: Sample, result: bytes, start: int, end: int, new: str) -> None:
    """Bytes outside of the span are the same; inside stands the new text, with line breaks that the file has."""
    before = CODECS[sample.codec] + sample.bytes_between(0, start)
    behind = sample.bytes_between(end, len(sample.pieces))
    assert result.startswith(before)
    assert result.endswith(behind)
    middle = decoded(sample, result[len(before) : len(result) - len(behind)])
    assert folded(middle) == new
    if sample.endings:
        breaks = set(re.findall("\r\n|\r|\n", middle))
        assert breaks <= sample.endings


@MANY
@given(st.integers(0, 2**48))
def test_an_edit_changes_its_span_and_no_other_byte(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(FILES_PER_EXAMPLE):
        sample = sample_of(rng)
        start, end = span_of(rng, sample.text)
        if start < end:
            check_edit(sample, start, end, text_of(rng, WIDE + "\n", 10))


def check_edit(sample: Sample, start: int, end: int, new: str) -> None:
    old = sample.text[start:end]
    try:
        result = edited(sample, (old, new))
    except EditFailed as error:
        reason = str(error)
    else:
        check(sample, result, start, end, new)
        return
    assert (
        ("Nothing would change" in reason and old == new)
        or ("only ASCII" in reason and sample.codec == "latin-1" and not (old + new).isascii())
        or ("half of a character" in reason and sample.codec == "latin-1")
        or ("times" in reason and sample.text.count(old) > 1)
    )


@SOME
@given(st.integers(0, 2**48))
def test_several_edits_are_as_one_after_the_other_from_the_end(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(FILES_PER_EXAMPLE):
        sample = sample_of(rng)
        first, second = sorted((span_of(rng, sample.text), span_of(rng, sample.text)))
        if sample.codec != "latin-1" and first[0] < first[1] <= second[0] < second[1]:
            check_two_edits(sample, first, second, text_of(rng, WIDE, 6), text_of(rng, WIDE, 6))


def check_two_edits(sample: Sample, first: tuple[int, int], second: tuple[int, int], one: str, two: str) -> None:
    text = sample.text
    try:
        result = edited(sample, (text[slice(*second)], two), (text[slice(*first)], one))
    except EditFailed:
        # Not unique, or the same text: what is refused is the business of other tests.
        return
    got = folded(decoded(sample, result[len(CODECS[sample.codec]) :]))
    assert got == text[: first[0]] + one + text[first[1] : second[0]] + two + text[second[1] :]
    assert result.endswith(sample.bytes_between(second[1], len(sample.pieces)))
    assert result.startswith(CODECS[sample.codec] + sample.bytes_between(0, first[0]))


LOOKS = {"'": "\u2018\u2019'", '"': '“”"', "-": "–—-", " ": "\u00a0\u2003 ", "(": "（(", "1": "１1"}


@SOME
@given(st.integers(0, 2**48))
def test_a_lenient_edit_keeps_every_byte_outside_and_every_line_that_it_keeps(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(FILES_PER_EXAMPLE):
        lines = [text_of(rng, "ab'\"- (1", 8) for _ in range(rng.randrange(1, 8))]
        disguised = [
            "".join(rng.choice(LOOKS.get(c, c)) for c in line) + rng.choice(["", "  ", "\t"]) for line in lines
        ]
        first, last = sorted((rng.randrange(len(lines)), rng.randrange(len(lines))))
        check_lenient_edit(lines, disguised, first, last, rng.randrange(first, last + 1))


def check_lenient_edit(lines: list[str], disguised: list[str], first: int, last: int, kept: int) -> None:
    """All lines from `first` to `last` change but one; the model sees them without their disguise."""
    old = lines[first : last + 1]
    new = [line if first + index == kept else line + "X" for index, line in enumerate(old)]
    file = TextFile(("\n".join(disguised) + "\n").encode())
    reason, changes = "", list[Change]()
    try:
        changes = plan_changes(file, [Replacement("\n".join(old), "\n".join(new))])
    except EditFailed as error:
        reason = str(error)
    if not changes:
        known = ("times", "Nothing would change", "is empty")
        assert any(word in reason for word in known) or not "".join(map(fold_line, old)).strip()
        return
    if changes[0].match.start != sum(len(line) + 1 for line in disguised[:first]):
        # A short text can stand undisguised at another place: the exact match is right, but not what is tried here.
        return
    result = file.replace([(change.start, change.end, change.new) for change in changes]).decode().split("\n")
    assert len(result) == len(disguised) + 1
    for index, line in enumerate(disguised):
        if not first <= index <= last or (index == kept and first < index < last):
            assert result[index] == line


@SOME
@given(st.binary(max_size=60))
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    try:
        file = TextFile(data)
    except NotText:
        return
    assert file.replace([]) == data
    for place in range(len(file.text) + 1):
        assert file.fold(file.original[: file.original_place(place)]) == file.text[:place]
    assert file.original_place(len(file.text)) == len(file.original)
