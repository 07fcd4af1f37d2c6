"""Edits of generated files against a reference that counts bytes and knows nothing of how edits are done."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pyagent_tui.tools.changes import EditFailed, Replacement, plan_changes
from pyagent_tui.tools.matching import fold_line
from pyagent_tui.tools.textfile import NotText, TextFile

MANY = settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
SOME = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))

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


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    codec = draw(st.sampled_from(list(CODECS)))
    encoder = "utf-8" if codec == "utf-8-sig" else codec
    # Latin-1 gets a byte that cannot be UTF-8, in a line of its own, so that it is taken for an unknown encoding.
    alphabet = PLAIN + "é" if codec == "latin-1" else WIDE
    lines = draw(st.lists(st.text(alphabet, max_size=8), min_size=1, max_size=9))
    style = draw(st.sampled_from(STYLES))
    if codec == "latin-1":
        lines.insert(0, "é ")
    endings = [draw(st.sampled_from(style)) for _ in lines]
    if draw(st.booleans()):
        endings[-1] = ""
    pieces: list[tuple[str, bytes]] = []
    for line, ending in zip(lines, endings, strict=True):
        pieces += [(character, character.encode(encoder)) for character in line]
        if ending:
            pieces.append(("\n", ending.encode(encoder)))
    return Sample(codec, pieces, {ending for ending in endings if ending})


def span(text: str, data: st.DataObject) -> tuple[int, int]:
    """A span that is the only one of its kind: it grows until it is."""
    start = data.draw(st.integers(0, max(0, len(text) - 1)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
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
@given(st.data(), samples())
def test_an_edit_changes_its_span_and_no_other_byte(data: st.DataObject, sample: Sample) -> None:
    start, end = span(sample.text, data)
    old = sample.text[start:end]
    new = data.draw(st.text(WIDE + "\n", max_size=10))
    assume(old)
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
@given(st.data(), samples())
def test_several_edits_are_as_one_after_the_other_from_the_end(data: st.DataObject, sample: Sample) -> None:
    assume(sample.codec != "latin-1")
    first, second = sorted((span(sample.text, data), span(sample.text, data)))
    assume(first[1] <= second[0] and first[0] < first[1] and second[0] < second[1])
    new_first, new_second = (data.draw(st.text(WIDE, max_size=6)) for _ in range(2))
    edits = [(sample.text[start:end], new) for (start, end), new in ((second, new_second), (first, new_first))]
    try:
        result = edited(sample, *edits)
    except EditFailed:
        # Not unique, or the same text: what is refused is the business of other tests.
        assume(False)
        raise
    expected = folded(decoded(sample, result[len(CODECS[sample.codec]) :]))
    text = sample.text
    assert expected == text[: first[0]] + new_first + text[first[1] : second[0]] + new_second + text[second[1] :]
    assert result.endswith(sample.bytes_between(second[1], len(sample.pieces)))
    assert result.startswith(CODECS[sample.codec] + sample.bytes_between(0, first[0]))


LOOKS = {"'": "\u2018\u2019'", '"': '“”"', "-": "–—-", " ": "\u00a0\u2003 ", "(": "（(", "1": "１1"}


@SOME
@given(st.data(), st.lists(st.text("ab'\"- (1", min_size=1, max_size=8), min_size=1, max_size=7))
def test_a_lenient_edit_keeps_every_byte_outside_and_every_line_that_it_keeps(
    data: st.DataObject, lines: list[str]
) -> None:
    disguised = [
        "".join(data.draw(st.sampled_from(LOOKS.get(character, character))) for character in line)
        + data.draw(st.sampled_from(["", "  ", "\t"]))
        for line in lines
    ]
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    kept = data.draw(st.integers(first, last))
    old_lines = lines[first : last + 1]
    new_lines = [line if first + index == kept else line + "X" for index, line in enumerate(old_lines)]
    text = "\n".join(disguised) + "\n"
    file = TextFile(text.encode())
    reason = ""
    try:
        changes = plan_changes(file, [Replacement("\n".join(old_lines), "\n".join(new_lines))])
    except EditFailed as error:
        reason = str(error)
        changes = []
    if not changes:
        assert "times" in reason or "Nothing would change" in reason or not "".join(map(fold_line, old_lines)).strip()
        return
    result = file.replace([(change.start, change.end, change.new) for change in changes]).decode()
    result_lines = result.split("\n")
    assert len(result_lines) == len(disguised) + 1
    for index, line in enumerate(disguised):
        inside = first <= index <= last
        if not inside or (index == kept and first < index < last):
            assert result_lines[index] == line


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
