"""A Markdown text that grows, cut into blocks: finished ones are given out once, only the last is parsed again.

Where a block ends depends on the text alone, never on how it was cut into deltas, so a stored message looks like the
one that was streamed. Lists are cut into their items and long code into stretches, so that no block grows for ever.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ...agent.frozen import frozen
from ...agent.mutable import mutable
from .outside_text import outside_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

CODE_STRETCH = 40
"""Lines of code after which a blank line ends a stretch; twice as many end it anywhere."""

LONG_PARAGRAPH = 6_000
"""Characters after which a paragraph is cut at the next blank."""

_HELD_BACK = "\r\u200d"  # what the next delta decides about


@frozen
class Block:
    """A piece of Markdown that is rendered at once: the tokens of one top-level block or list item, not yet inline.

    `is_spaced`: a blank row stands before it. `number` is that of an ordered item. `references` are the link
    definitions of the message, shared by its blocks.
    """

    tokens: Sequence[Token]
    source: str
    is_spaced: bool
    number: int | None = None
    references: dict[str, Any] = field(default_factory=dict[str, Any])

    def is_like(self, other: Block) -> bool:
        """Whether both are drawn alike."""
        return (self.source, self.is_spaced, self.number) == (other.source, other.is_spaced, other.number)


@mutable
class CodeBlock:
    """A stretch of a fenced block. `code` lines have no line ends; `is_first` and `is_last` say where it stands.

    While it is open the same object grows: `partial` is the line that has not ended.
    """

    language: str
    code: list[str]
    is_spaced: bool
    is_first: bool = True
    is_last: bool = False
    partial: str = ""
    is_open: bool = False

    @property
    def source(self) -> str:
        return "\n".join(self.code)


AnyBlock: TypeAlias = Block | CodeBlock


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough; HTML is text. Inline text is parsed when a block is rendered."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("inline")


class MarkdownStream:
    """Takes deltas, gives blocks. `take` returns those that are finished, `open_blocks` what may still change."""

    def __init__(self) -> None:
        self._raw: list[str] = []  # deltas not yet looked at
        self._partial = ""  # the line that has not ended, as it came
        self._lines: list[str] = []  # whole lines of blocks that may still change, literal
        self._done: list[AnyBlock] = []
        self._fence: _Fence | None = None
        self._references: dict[str, Any] = {}
        self._before = ""  # the kind of block before those lines; empty at the beginning
        self._after_blank = False
        self._number: int | None = None  # the number of the ordered item that they begin with

    def feed(self, delta: str) -> None:
        """Add text: constant time."""
        self._raw.append(delta)

    @property
    def has_news(self) -> bool:
        return bool(self._raw)

    def take(self) -> list[AnyBlock]:
        """The blocks that were finished since the last call."""
        if self._raw:
            text = self._partial + "".join(self._raw)
            self._raw.clear()
            whole, newline, self._partial = text.rpartition("\n")
            if newline:
                self._lines += outside_text(whole + newline).split("\n")[:-1]
                self._cut()
        done, self._done = self._done, []
        return done

    def open_blocks(self) -> list[AnyBlock]:
        """What has begun and may still change, to be shown as it stands."""
        partial = outside_text(self._partial.rstrip(_HELD_BACK))
        if self._fence is not None:
            return self._fence.open_part(partial)
        lines = [*self._lines, partial]
        groups = self._parse(lines)
        return [block for index in range(len(groups)) for block in self._blocks(lines, groups, index)]

    def finish(self) -> list[AnyBlock]:
        """The text is whole: the last blocks. An open fence ends here."""
        done = self.take()
        if self._partial:
            self.feed("\n")
            done += self.take()
        if self._fence is not None:
            self._fence.close(done)
            self._fence = None
        done += self.open_blocks()
        self._lines = []
        return done

    def _parse(self, lines: Sequence[str]) -> list[_Group]:
        tokens = parser().parse("\n".join(lines), {"references": self._references})
        return _group(tokens, self._number)

    def _cut(self) -> None:
        """Move every finished block of the whole lines to `_done`."""
        while self._lines:
            if self._fence is not None:
                self._lines = self._fence.consume(self._lines, self._done)
                if not self._fence.is_closed:
                    return
                self._fence, self._before, self._after_blank = None, "fence", False
                continue
            groups = self._parse(self._lines)
            for index in range(len(groups) - 1):
                self._done += self._blocks(self._lines, groups, index)
            if not groups:
                self._after_blank, self._lines = True, []
            elif groups[-1].kind == "fence":
                self._open_fence(groups)
            else:
                self._keep_last(groups)
                return

    def _open_fence(self, groups: Sequence[_Group]) -> None:
        fence = groups[-1]
        token, opening = fence.tokens[0], self._lines[fence.start]
        indent = len(opening) - len(opening.lstrip(" "))
        self._fence = _Fence(_language(token.info), self._is_spaced(self._lines, groups, -1), token.markup, indent)
        self._lines = self._lines[fence.start + 1 :]
        self._number = None

    def _keep_last(self, groups: Sequence[_Group]) -> None:
        """Keep the lines of the last block, which may still change."""
        start, lines = groups[-1].start, self._lines
        if len(groups) > 1:
            self._before = groups[-2].kind
        if start > 0:
            self._after_blank = not lines[start - 1].strip()
            self._number = groups[-1].number
            self._lines = lines[start:]

    def _blocks(self, lines: Sequence[str], groups: Sequence[_Group], index: int) -> list[AnyBlock]:
        """What is shown of one group: mostly one block, several of long code or a long paragraph."""
        group = groups[index]
        is_spaced = self._is_spaced(lines, groups, index)
        if group.kind in ("fence", "code_block"):
            token = group.tokens[0]
            return _stretches(_language(token.info), token.content.removesuffix("\n").split("\n"), is_spaced)
        end = groups[index + 1].start if index + 1 < len(groups) else len(lines)
        source = "\n".join(lines[group.start : end]).rstrip("\n")
        if group.kind == "paragraph_open" and len(source) > LONG_PARAGRAPH:
            return self._pieces(source, is_spaced)
        return [Block(group.tokens, source, is_spaced, group.number, self._references)]

    def _pieces(self, source: str, is_spaced: bool) -> list[AnyBlock]:
        blocks: list[AnyBlock] = []
        while source:
            cut = source.find("\n", LONG_PARAGRAPH)
            head, source = (source, "") if cut < 0 else (source[:cut], source[cut + 1 :])
            blocks.append(Block(parser().parse(head, {}), head, is_spaced and not blocks, None, self._references))
        return blocks

    def _is_spaced(self, lines: Sequence[str], groups: Sequence[_Group], index: int) -> bool:
        """A blank row before every block but the first; between items and after a lead-in as the source has it."""
        group = groups[index]
        before = self._before if group is groups[0] else groups[index - 1].kind
        after_blank = not lines[group.start - 1].strip() if group.start else self._after_blank
        if group.kind == "list_item_open" and before in ("list_item_open", "paragraph_open"):
            return after_blank
        return before != ""


class _Fence:
    """An open fenced block: takes lines until its closing fence."""

    def __init__(self, language: str, is_spaced: bool, markup: str = "```", indent: int = 0) -> None:
        self._closing = re.compile(f" {{0,3}}{re.escape(markup[0])}{{{len(markup)},}}\\s*$")
        self._indent = re.compile(f" {{0,{indent}}}")
        self._part = CodeBlock(language, [], is_spaced, is_open=True)
        self.is_closed = False

    def consume(self, lines: list[str], done: list[AnyBlock]) -> list[str]:
        """Take lines, hand finished stretches to `done`, return the lines after the closing fence."""
        for index, line in enumerate(lines):
            if self._closing.match(line):
                self.is_closed = True
                self.close(done)
                return lines[index + 1 :]
            self.add(line, done)
        return []

    def add(self, line: str, done: list[AnyBlock]) -> None:
        """Take one line of code; a stretch that is long enough goes to `done`."""
        part = self._part
        part.code.append(self._indent.sub("", line, count=1))
        length = len(part.code)
        if length >= 2 * CODE_STRETCH or (length >= CODE_STRETCH and not line.strip()):
            self._finish(done)
            self._part = CodeBlock(part.language, [], is_spaced=False, is_first=False, is_open=True)

    def close(self, done: list[AnyBlock]) -> None:
        self._part.is_last = True
        if self._part.code or self._part.is_first:
            self._finish(done)

    def open_part(self, partial: str) -> list[AnyBlock]:
        """The stretch that grows, with the line that has not ended."""
        self._part.partial = "" if self._closing.match(partial) else self._indent.sub("", partial, count=1)
        return [self._part]

    def _finish(self, done: list[AnyBlock]) -> None:
        self._part.partial, self._part.is_open = "", False
        done.append(self._part)


@frozen
class _Group:
    """The tokens of one top-level block or list item, which starts on line `start` of the text that was parsed."""

    tokens: Sequence[Token]
    start: int
    number: int | None = None

    @property
    def kind(self) -> str:
        return self.tokens[0].type


def _group(tokens: Sequence[Token], next_number: int | None) -> list[_Group]:
    """Tokens by top-level block, lists by item. `next_number` is that of an ordered item at the beginning, where it goes on a list."""
    groups: list[_Group] = []
    members: list[Token] = []
    number: int | None = None
    for token in tokens:
        if token.level == 0 and token.type.endswith(("_list_open", "_list_close")):
            if token.type == "ordered_list_open":
                start = token.attrGet("start")
                number = 1 if start is None else int(start)
                number = next_number if next_number is not None and not groups else number
            else:
                number = None
            continue
        is_item = token.level == 1 and token.type == "list_item_open"
        if is_item or (token.level == 0 and token.nesting >= 0):
            members = []
            groups.append(_Group(members, token.map[0] if token.map else 0, number if is_item else None))
            number = number + 1 if is_item and number is not None else number
        members.append(token)
    return groups


def _stretches(language: str, code: list[str], is_spaced: bool) -> list[AnyBlock]:
    """Code that came at once, cut as if it had been streamed."""
    fence = _Fence(language, is_spaced)
    done: list[AnyBlock] = []
    for line in code:
        fence.add(line, done)
    fence.close(done)
    return done


def _language(info: str) -> str:
    """The first word of a fence's info, without what some models add to it."""
    word = info.strip().split(maxsplit=1)
    return word[0].split("{")[0].split(":")[0].lower() if word else ""
