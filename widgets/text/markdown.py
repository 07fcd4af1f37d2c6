"""One block of Markdown as rows: emphasis, lists, tables, quotes, code. Everything in it is shown, nothing is live."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from textual.strip import Strip

from ..transcript.part import Part, estimate_rows
from .lines import Line, hang, line_cells, wrap
from .look import Look
from .markdown_stream import AnyBlock, Block, CodeBlock, parser
from .syntax import highlight_or_plain
from .table import table_rows

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

MARGIN = 3
"""Cells left of what the model says, where a mark would stand."""

PROSE_WIDTH = 100
"""Cells that a line of prose may take; code and tables may take all there are."""

_TASKS = {"[ ] ": False, "[x] ": True, "[X] ": True}


class BlockPart(Part):
    """A block of a reply, with the blank row before it."""

    __slots__ = ("_grown", "block")

    indent = MARGIN

    def __init__(self, block: AnyBlock) -> None:
        super().__init__()
        self.block = block
        self._grown: GrowingCode | None = None

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        block, inner = self.block, max(width - MARGIN - 1, 8)
        if isinstance(block, CodeBlock) and block.is_open:
            if self._grown is None or not self._grown.fits(width, look):
                self._grown = GrowingCode(block, width, look)
            strips = self._grown.strips(inner)
        else:
            self._grown = None
            strips = on_margin(block_rows(block, inner, look), width, look)
        return [look.blank(width), *strips] if block.is_spaced else strips

    def estimate(self, width: int) -> int:
        return estimate_rows(self.block.source, min(width - MARGIN - 1, PROSE_WIDTH)) + self.block.is_spaced


class GrowingCode:
    """Code that streams: each line is coloured once when it is whole, by itself; the whole stretch when it has ended."""

    def __init__(self, block: CodeBlock, width: int, look: Look) -> None:
        self._block = block
        self._width = width
        self._look = look
        self._count = 0
        self._strips: list[Strip] = []

    def fits(self, width: int, look: Look) -> bool:
        return (self._width, self._look) == (width, look)

    def strips(self, inner: int) -> list[Strip]:
        """The rows of what there is; only those of new lines are made."""
        block, look = self._block, self._look
        if new := block.code[self._count :]:
            self._strips += on_margin(code_rows(new, block.language, inner, look), self._width, look)
            self._count = len(block.code)
        if not block.partial and block.code:
            return list(self._strips)
        return [*self._strips, *on_margin(code_rows([block.partial], "", inner, look), self._width, look)]


def on_margin(rows: Sequence[Line], width: int, look: Look) -> list[Strip]:
    """The rows right of the margin."""
    margin = (" " * MARGIN, look.base)
    return [look.strip([margin, *row], width) for row in rows]


def block_rows(block: AnyBlock, width: int, look: Look) -> list[Line]:
    """The rows of a block, at most `width` cells wide."""
    if isinstance(block, CodeBlock):
        return code_rows(block.code, block.language, width, look)
    from markdown_it.tree import SyntaxTreeNode

    node = SyntaxTreeNode(block.tokens, create_root=True)
    return _Renderer(look, block).blocks(node.children, width)


def code_rows(code: Sequence[str], language: str, width: int, look: Look) -> list[Line]:
    """Code on its own ground, coloured where the language is known, folded where it is too long."""
    ground = look.style("code")
    rows: list[Line] = []
    for line in highlight_or_plain("\n".join(code), language, look):
        for row in wrap(line, width - 2, words=False):
            rows.append([(" ", ground), *row, (" " * (width - 1 - line_cells(row)), ground)])
    return rows


class _Renderer:
    def __init__(self, look: Look, block: Block) -> None:
        self._look = look
        self._block = block

    def blocks(self, nodes: Iterable[SyntaxTreeNode], width: int, *, spaced: bool = False) -> list[Line]:
        rows: list[Line] = []
        for index, node in enumerate(nodes):
            if spaced and index:
                rows.append([])
            rows += self.block(node, width)
        return rows

    def block(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        look = self._look
        match node.type:
            case "paragraph":
                return self._prose(node, width, look.base)
            case "heading":
                return self._prose(node, width, look.style("heading-1" if node.tag == "h1" else "heading"))
            case "bullet_list" | "ordered_list":
                return self._list(node, width)
            case "list_item":
                return self._item(node, width, self._block.number, 0)
            case "blockquote":
                bar: Line = [(f"{look.marks.rule} ", look.style("quote"))]
                return hang(self.blocks(node.children, width - 2, spaced=True), bar, bar)
            case "fence" | "code_block":
                code = node.content.removesuffix("\n").split("\n")
                return code_rows(code, node.info.strip().split(" ")[0], width, look)
            case "hr":
                return [[(look.marks.line * min(width, PROSE_WIDTH), look.style("rule"))]]
            case "table":
                return table_rows(self._cells(node), width, look)
            case _:
                return [[(line, look.base)] for line in node.content.split("\n")]

    def _prose(self, node: SyntaxTreeNode, width: int, style: Style) -> list[Line]:
        lines = self.inline(node.children[0], style) if node.children else []
        if lines and node.parent and node is node.parent.children[0] and _task_of(node.parent) is not None:
            lines[0] = _without_start(lines[0], 4)
        return [row for line in lines for row in wrap(line, min(width, PROSE_WIDTH))]

    def _list(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        start = node.attrs.get("start", 1)
        number = int(start) if node.type == "ordered_list" else None
        depth = _depth(node)
        rows: list[Line] = []
        for index, item in enumerate(node.children):
            rows += self._item(item, width, None if number is None else number + index, depth)
        return rows

    def _item(self, node: SyntaxTreeNode, width: int, number: int | None, depth: int) -> list[Line]:
        marks = self._look.marks
        mark = marks.bullets[depth % len(marks.bullets)] if number is None else f"{number}."
        if (task := _task_of(node)) is not None:
            mark = marks.task_done if task else marks.task_open
        first: Line = [(f"{mark} ", self._look.style("bullet"))]
        indent = line_cells(first)
        rows: list[Line] = []
        for index, child in enumerate(node.children):
            if index and not child.type.endswith("_list"):
                rows.append([])
            rows += self.block(child, max(width - indent, 8))
        return hang(rows or [[]], first, [(" " * indent, self._look.base)])

    def _cells(self, table: SyntaxTreeNode) -> list[list[tuple[list[Line], str]]]:
        """The rows of a table, the head first: each cell its lines and its alignment."""
        rows: list[list[tuple[list[Line], str]]] = []
        for section in table.children:
            style = self._look.style("strong") if section.type == "thead" else self._look.base
            for row in section.children:
                rows.append([(self._cell(cell, style), _alignment(cell)) for cell in row.children])
        return rows

    def _cell(self, cell: SyntaxTreeNode, style: Style) -> list[Line]:
        return self.inline(cell.children[0], style) if cell.children else [[]]

    def inline(self, node: SyntaxTreeNode, style: Style) -> list[Line]:
        """The lines of an inline text."""
        tokens: list[Token] = []
        md = parser()
        md.inline.parse(node.content, md, {"references": self._block.references}, tokens)
        return _Inline(self._look, style).lines(tokens)


class _Inline:
    """Walks inline tokens, keeping the styles that are open."""

    def __init__(self, look: Look, style: Style) -> None:
        self._look = look
        self._styles = [style]
        self._targets: list[str] = []
        self._text_before = 0  # characters of the row before the link that is open
        self._lines: list[Line] = [[]]

    def lines(self, tokens: Sequence[Token]) -> list[Line]:
        for token in tokens:
            self._take(token)
        return self._lines

    def _take(self, token: Token) -> None:
        match token.type:
            case "text" | "html_inline" | "text_special":
                self._add(token.content)
            case "code_inline":
                self._add(token.content, "code-inline")
            case "softbreak" | "hardbreak":
                self._lines.append([])
            case "strong_open" | "em_open" | "s_open" | "link_open":
                self._open(token)
            case "strong_close" | "em_close" | "s_close":
                self._styles.pop()
            case "link_close":
                self._styles.pop()
                self._close_link()
            case "image":
                self._add(f"[image: {token.content}]", "link")
                self._add_target(str(token.attrs.get("src", "")))
            case _:
                self._add(token.content)

    def _open(self, token: Token) -> None:
        name = {"strong_open": "strong", "em_open": "emphasis", "s_open": "struck"}.get(token.type, "link")
        self._styles.append(self._look.attributes(name, self._styles[-1]))
        if name == "link":
            self._targets.append(str(token.attrs.get("href", "")))
            self._text_before = len("".join(text for text, _ in self._lines[-1]))

    def _close_link(self) -> None:
        target = self._targets.pop()
        text = "".join(text for text, _ in self._lines[-1])[self._text_before :]
        if target not in (text, f"mailto:{text}"):
            self._add_target(target)

    def _add_target(self, target: str) -> None:
        if target:
            self._add(f" ({target})", "dim")

    def _add(self, text: str, name: str | None = None) -> None:
        style = self._styles[-1]
        if text:
            self._lines[-1].append((text, style if name is None else self._look.attributes(name, style)))


def _depth(node: SyntaxTreeNode) -> int:
    depth = 0
    parent = node.parent
    while parent is not None:
        depth += parent.type == "list_item"
        parent = parent.parent
    return depth


def _task_of(item: SyntaxTreeNode | None) -> bool | None:
    """Whether a list item is a task that is done; None if it is no task."""
    if item is None or item.type != "list_item" or not item.children or item.children[0].type != "paragraph":
        return None
    return _TASKS.get(item.children[0].children[0].content[:4]) if item.children[0].children else None


def _without_start(line: Line, count: int) -> Line:
    text, style = line[0]
    return [(text[count:], style), *line[1:]]


def _alignment(cell: SyntaxTreeNode) -> str:
    style = str(cell.attrs.get("style", ""))
    return style.removeprefix("text-align:") if style else "left"
