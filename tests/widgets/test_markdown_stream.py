"""A growing Markdown text: blocks are finished as soon as they are sure, and always the same ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyagent_tui.widgets.text.markdown_stream import LONG_PARAGRAPH, AnyBlock, Block, CodeBlock, MarkdownStream

DOCUMENT = """Lead-in:
- one
- two

  more of two
- three

## Title

1. first
2. second
   - nested
9. third

```python
x = 1

```
| a | b |
|---|---|
| 1 | 2 |

> quote
> goes on

Setext
===
text
#no heading
***
~~~
open
"""


def stream(text: str, sizes: list[int] | int) -> list[AnyBlock]:
    stream = MarkdownStream()
    blocks: list[AnyBlock] = []
    offset = index = 0
    while offset < len(text):
        size = sizes if isinstance(sizes, int) else sizes[index % len(sizes)]
        stream.feed(text[offset : offset + size])
        offset, index = offset + size, index + 1
        blocks += stream.take()
        stream.open_blocks()
    return blocks + stream.finish()


def outline(blocks: list[AnyBlock]) -> list[object]:
    return [
        (block.source, block.is_spaced, block.number if isinstance(block, Block) else (block.is_first, block.is_last))
        for block in blocks
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_the_blocks_do_not_depend_on_how_the_text_was_cut(size: int) -> None:
    assert outline(stream(DOCUMENT, size)) == outline(stream(DOCUMENT, len(DOCUMENT)))


PIECES = st.sampled_from(
    [
        "- a\n",
        "1. b\n",
        "   c\n",
        "\n",
        "# h\n",
        "```\n",
        "code\n",
        "> q\n",
        "|a|\n|-|\n",
        "===\n",
        "x",
        " ",
        "\n\n",
        "2) d\n",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_any_text_gives_the_same_blocks_however_it_was_cut(text: str, sizes: list[int]) -> None:
    assert outline(stream(text, sizes)) == outline(stream(text, max(len(text), 1)))


def test_items_keep_their_numbers_and_only_source_blanks_space_them() -> None:
    blocks = stream("1. a\n1. b\n\n1. c\n", 3)
    assert [(block.number, block.is_spaced) for block in blocks if isinstance(block, Block)] == [
        (1, False),
        (2, False),
        (3, True),
    ]


def test_an_open_fence_is_code_until_the_message_ends() -> None:
    growing = MarkdownStream()
    growing.feed("```py\nx=1\n")
    assert growing.take() == []
    (block,) = growing.open_blocks()
    assert isinstance(block, CodeBlock)
    assert (block.language, block.code) == ("py", ["x=1"])
    (block,) = growing.finish()
    assert isinstance(block, CodeBlock)
    assert block.code == ["x=1"]
    assert block.is_last


def test_long_code_is_cut_into_stretches_that_lose_no_line() -> None:
    code = [f"line {index}" if index % 7 else "" for index in range(400)]
    text = "```\n" + "\n".join(code) + "\n```\nend"
    for size in (13, len(text)):
        blocks = stream(text, size)
        parts = [block for block in blocks if isinstance(block, CodeBlock)]
        assert [line for part in parts for line in part.code] == code
        assert max(len(part.code) for part in parts) <= 120
        assert [part.is_first for part in parts] == [True] + [False] * (len(parts) - 1)


def test_a_paragraph_without_end_is_given_out_in_pieces() -> None:
    text = "some words in a line\n" * 1000
    growing = MarkdownStream()
    growing.feed(text)
    growing.take()
    blocks = growing.finish()
    assert "\n".join(block.source for block in blocks) == text.rstrip("\n")
    assert max(len(block.source) for block in blocks) < LONG_PARAGRAPH + 30
    assert not any(block.is_spaced for block in blocks)


def test_what_is_parsed_again_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyagent_tui.widgets.text import markdown_stream

    parsed = 0
    parse = markdown_stream.parser().parse

    def counting(text: str, env: dict[str, object] | None = None) -> object:
        nonlocal parsed
        parsed += len(text)
        return parse(text, env)

    monkeypatch.setattr(markdown_stream.parser(), "parse", counting)
    generator = random.Random(1)
    text = "\n\n".join(" ".join("word" for _ in range(generator.randint(5, 40))) for _ in range(400))
    stream(text, 40)
    assert parsed < 12 * len(text)


def test_control_codes_are_neutral_even_when_a_delta_cuts_them() -> None:
    growing = MarkdownStream()
    for character in "a\r\nb\x1b[31m\tc":
        growing.feed(character)
        growing.take()
        assert all("\x1b" not in block.source for block in growing.open_blocks())
    assert "".join(block.source for block in growing.finish()) == "a\nb␛[31m  c"
