"""Unified patches of one file, from what is known to have changed."""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from ..agent.details import DiffDetails
from ..agent.frozen import frozen
from .matching import lines_in_common

CONTEXT = 4
"""Unchanged lines around a change."""

MAX_COMPARED = 1_000_000
"""Pairs of equal lines up to which every line takes part in the comparison."""

MAX_LINES = 200_000
"""Lines up to which a region is compared; a larger one is shown as removed and added."""

Span: TypeAlias = tuple[int, int, str]
"""Start and end of a replaced span, and its new text."""

MAX_PATCH = 512 * 1024
"""Characters of a patch; a longer one is left out."""


@frozen
class Region:
    """Lines `old_start` up to `old_end` became `new_start` up to `new_end` (from 0, ends exclusive)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def diff_details(path: str, old: str | None, new: str, spans: Sequence[Span] = ()) -> DiffDetails:
    """What changed between two texts with LF line breaks; `old` None for a file that did not exist.

    `spans` say what is known: each (start, end, new text) of `old` that was replaced, in order.
    """
    old_lines, new_lines = split_lines(old or ""), split_lines(new)
    known = _regions_of_spans(old or "", old_lines, spans) if spans else [_whole(old_lines, new_lines)]
    regions = [fine for region in known for fine in _refine(old_lines, new_lines, region)]
    patch = "".join(_patch(path, old_lines, new_lines, regions, is_new=old is None))
    note = None
    if len(patch) > MAX_PATCH:
        note = f"The change is too large to be shown ({len(patch):,} characters)."
        patch = ""
    return DiffDetails(
        path,
        patch,
        added=sum(region.new_end - region.new_start for region in regions),
        removed=sum(region.old_end - region.old_start for region in regions),
        first_changed_line=regions[0].new_start + 1 if regions else None,
        created=old is None,
        note=note,
    )


def _whole(old: list[str], new: list[str]) -> Region:
    return Region(0, len(old), 0, len(new))


def _regions_of_spans(text: str, old: list[str], spans: Sequence[Span]) -> list[Region]:
    """The whole lines that the spans touch, and what they became."""
    starts = list(accumulate(map(len, old), initial=0))
    lookup = starts if not old or old[-1].endswith("\n") else starts[:-1]
    groups: list[tuple[int, int, list[Span]]] = []
    for span in spans:
        first = bisect_right(lookup, span[0]) - 1
        last = min(bisect_right(lookup, span[1]), len(old))
        if groups and first < groups[-1][1]:
            groups[-1] = (groups[-1][0], max(last, groups[-1][1]), [*groups[-1][2], span])
        else:
            groups.append((first, last, [span]))
    regions: list[Region] = []
    shift = 0
    for first, last, members in groups:
        count = len(split_lines(_replaced(text, starts[first], starts[last], members)))
        regions.append(Region(first, last, first + shift, first + shift + count))
        shift += count - (last - first)
    return regions


def _replaced(text: str, start: int, end: int, spans: list[Span]) -> str:
    pieces: list[str] = []
    for span_start, span_end, new in spans:
        pieces += [text[start:span_start], new]
        start = span_end
    return "".join([*pieces, text[start:end]])


def split_lines(text: str) -> list[str]:
    """Lines with their LF; only LF ends a line."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _refine(old: list[str], new: list[str], region: Region) -> list[Region]:
    """The lines of a region that really differ."""
    removed, added = old[region.old_start : region.old_end], new[region.new_start : region.new_end]
    head, tail = lines_in_common(removed, added)
    region = Region(region.old_start + head, region.old_end - tail, region.new_start + head, region.new_end - tail)
    removed, added = removed[head : len(removed) - tail], added[head : len(added) - tail]
    if not removed and not added:
        return []
    if not removed or not added or len(removed) + len(added) > MAX_LINES:
        return [region]
    # Where many lines repeat, the popular ones must not be anchors: the comparison would become quadratic.
    matcher = difflib.SequenceMatcher(None, removed, added, autojunk=_equal_pairs(removed, added) > MAX_COMPARED)
    return [
        Region(region.old_start + i1, region.old_start + i2, region.new_start + j1, region.new_start + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _equal_pairs(removed: list[str], added: list[str]) -> int:
    counts = Counter(added)
    return sum(counts[line] for line in removed)


def _patch(path: str, old: list[str], new: list[str], regions: list[Region], *, is_new: bool) -> Iterator[str]:
    if not regions:
        return
    name = path.replace("\n", "?").replace("\t", " ")
    yield f"--- {'/dev/null' if is_new else 'a/' + name.lstrip('/')}\n"
    yield f"+++ b/{name.lstrip('/')}\n"
    for group in _groups(regions):
        yield from _hunk(old, new, group)


def _groups(regions: list[Region]) -> Iterator[list[Region]]:
    """Regions that share a hunk because their context touches."""
    group = [regions[0]]
    for region in regions[1:]:
        if region.old_start - group[-1].old_end > 2 * CONTEXT:
            yield group
            group = []
        group.append(region)
    yield group


def _hunk(old: list[str], new: list[str], group: list[Region]) -> Iterator[str]:
    before = min(CONTEXT, group[0].old_start)
    after = min(CONTEXT, len(old) - group[-1].old_end)
    old_start, old_end = group[0].old_start - before, group[-1].old_end + after
    new_start, new_end = group[0].new_start - before, group[-1].new_end + after
    yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"
    at = old_start
    for region in group:
        yield from (_line(" ", line) for line in old[at : region.old_start])
        yield from (_line("-", line) for line in old[region.old_start : region.old_end])
        yield from (_line("+", line) for line in new[region.new_start : region.new_end])
        at = region.old_end
    yield from (_line(" ", line) for line in old[at:old_end])


def _range(start: int, end: int) -> str:
    """A hunk's range as the unified format writes it: from 1, the length left out if it is 1."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _line(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
