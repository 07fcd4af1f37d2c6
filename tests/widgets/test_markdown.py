"""Blocks of Markdown as rows."""

from __future__ import annotations

import pytest
from rich.style import Style

from pyagent_tui.widgets.text.look import Look, plain_look
from pyagent_tui.widgets.text.markdown import BlockPart
from pyagent_tui.widgets.text.markdown_stream import MarkdownStream

LOOK = plain_look()


def parts(text: str) -> list[BlockPart]:
    stream = MarkdownStream()
    stream.feed(text)
    return [BlockPart(block) for block in stream.finish()]


def rows(text: str, width: int = 60) -> list[str]:
    strips = [strip for part in parts(text) for strip in part.strips(width, LOOK)]
    assert all(strip.cell_length == width for strip in strips)
    return [strip.text.rstrip().removeprefix("   ") for strip in strips]


def test_emphasis_code_and_links() -> None:
    text = "*em* **strong** ~~gone~~ `c[0]` [t](http://x.y) <http://a.b> ![pic](p.png) [j](javascript:alert(1))"
    assert rows(text, 120) == [
        "em strong gone c[0] t (http://x.y) http://a.b [image: pic] (p.png) [j](javascript:alert(1))"
    ]


def test_line_breaks_of_the_model_are_kept_and_html_is_text() -> None:
    assert rows("one\ntwo\n\n<div>\n**b**\n</div>\n\na &amp; b &lt;") == [
        "one", "two", "", "<div>", "b", "</div>", "", "a & b <",
    ]  # fmt: skip


def test_tildes_and_brackets_of_prose_stay() -> None:
    assert rows("`~5` ~5 and ~6, arr[i] = '[' [/] [bold]x") == ["~5 ~5 and ~6, arr[i] = '[' [/] [bold]x"]


def test_lists_nest_and_number_and_tick() -> None:
    text = "- one\n  - two\n    - three\n- [ ] open\n- [x] done\n\n  more\n\n7. seven\n8. eight\n   1. inner\n"
    assert rows(text) == [
        "• one", "  ◦ two", "    ▪ three", "☐ open", "☑ done", "", "  more", "", "7. seven", "8. eight", "   1. inner",
    ]  # fmt: skip


def test_quotes_rules_and_headings() -> None:
    assert rows("# One\n## Two\n> said\n> > twice\n\n---", 20) == [
        "One", "", "Two", "", "│ said", "│", "│ │ twice", "", "─" * 16,
    ]  # fmt: skip


def test_long_items_hang_under_their_text() -> None:
    assert rows("10. one two three four five\n", 22) == ["10. one two three", "    four five"]


def test_code_is_folded_not_cut_and_keeps_its_blanks() -> None:
    text = "```py\nif x:\n    " + "y" * 30 + "\n```"
    shown = rows(text, 30)
    assert shown[0] == " if x:"
    assert "".join(row.strip() for row in shown[1:]) == "y" * 30
    assert shown[1].startswith("     y")


@pytest.mark.parametrize("width", [18, 24, 40, 61, 120])
def test_a_table_keeps_its_borders_and_all_its_text_at_every_width(width: int) -> None:
    long = "sixty characters of text that must not get lost in any column"
    text = f"| 漢字 | kind | note | d | e | f |\n|---|:-:|--:|---|---|---|\n| 漢字漢字 | int | {long} | a | b | c |\n| r | i | x | 1 | 2 | 3 |\n"
    shown = rows(text, width)
    if any("┼" in row for row in shown):
        borders = {tuple(index for index, sign in enumerate(cells_of(row)) if sign in "│┼") for row in shown}
        assert len(borders) == 1
        assert len(borders.pop()) == 5
    joined = "".join("".join(row.split()) for row in shown).replace("│", "")
    for word in long.split():
        assert word in joined or all(character in joined for character in word)


def cells_of(row: str) -> str:
    """The row with a blank after each wide character, so that an index is a column."""
    return "".join(character + " " if character in "漢字" else character for character in row)


def test_alignment_of_columns() -> None:
    assert rows("| ab | ab | ab |\n|:--|:-:|--:|\n| 1 | 1 | 1 |\n| abcd | abcd | abcd |") == [
        "ab   │  ab  │   ab",
        "─────┼──────┼─────",
        "1    │  1   │    1",
        "abcd │ abcd │ abcd",
    ]


def test_a_table_with_too_many_columns_becomes_records() -> None:
    head = "|" + "|".join(f"column{number}" for number in range(8)) + "|\n|" + "--|" * 8 + "\n"
    assert rows(head + "|" + "|".join("value" for _ in range(8)) + "|", 30)[:3] == [
        "column0: value", "column1: value", "column2: value",
    ]  # fmt: skip


def test_code_that_streams_is_coloured_line_by_line_and_whole_at_its_end() -> None:
    look = Look(lambda name: Style(bold=True) if name == "code-keyword" else Style())
    stream = MarkdownStream()
    stream.feed("```python\nimport os\n")
    stream.take()
    (block,) = stream.open_blocks()
    part = BlockPart(block)
    first = part.strips(40, look)[0]
    assert any(segment.text == "import" and segment.style and segment.style.bold for segment in first)
    stream.feed("import sys\nimp")
    assert stream.take() == []
    assert stream.open_blocks() == [block]
    part.invalidate()
    strips = part.strips(40, look)
    assert strips[0] is first
    assert [strip.text.strip() for strip in strips] == ["import os", "import sys", "imp"]
    assert stream.finish() == [block]
    part.invalidate()
    assert [strip.text.strip() for strip in part.strips(40, look)] == ["import os", "import sys", "imp"]
