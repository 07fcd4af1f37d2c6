"""A session as one HTML page that stands alone: tree, tool cells, diffs, search, light and dark. Nothing in it acts."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from .entries import CustomEntry
from .folders import open_private
from .html_assets import SCRIPT, STYLE
from .html_cells import HtmlCells
from .html_text import HtmlText, Redact
from .session import Session
from .statistics import SessionStatistics, Spending, statistics_of
from .tree import SessionTree

Progress = Callable[[int, int], None]


class ExportCancelledError(Exception):
    """The person stopped the export; no file was left."""


def export_html(
    session: Session,
    target: Path,
    redact: Redact = str,
    on_progress: Progress = lambda done, total: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Write the page, for its owner only, whole or not at all. Blocks: call it in a thread for a long session.

    `on_progress` gets (entries done, in all). Raises `OSError` or `ExportCancelledError`.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            for number, part in enumerate(page(session, redact)):
                if is_cancelled():
                    raise ExportCancelledError
                file.write(part)
                on_progress(min(number, len(session.tree)), len(session.tree))
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def page(session: Session, redact: Redact = str) -> Iterator[str]:
    """The page in parts: its head and sidebar, one part for each entry that is shown, its end."""
    text = HtmlText(redact)
    cells = HtmlCells(text)
    numbers = {entry.id: f"e{index}" for index, entry in enumerate(session.tree)}
    active = {entry.id for entry in session.tree.path()}
    title = text.plain(session.name or "Session")
    yield f"{_head(title)}<nav>{_TOOLS}{_tree(session.tree, numbers, active, cells)}</nav><main>{_about(session, title, text)}"
    for entry in session.tree:
        cell = cells.cell(entry)
        if cell is not None:
            hidden = "" if entry.id in active else " hidden"
            yield f'<article class="{cell[0]}" id="{numbers[entry.id]}"{hidden}>{cell[1]}</article>\n'
    yield f"</main><script>{SCRIPT}</script></body></html>\n"


def _head(title: str) -> str:
    script = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>"
    )


_TOOLS = (
    '<div class="tools"><input id="search" type="search" placeholder="Search" aria-label="Search">'
    '<span class="meta" id="count"></span> <button id="theme" type="button">Light / dark</button> '
    '<button id="fold" type="button">Fold / unfold</button></div>'
)


def _tree(tree: SessionTree, numbers: dict[str, str], active: set[str], cells: HtmlCells) -> str:
    """Every entry as a link; a branch stands further right than where it begins, a line of entries does not."""
    parts: list[str] = []
    waiting = [(entry.id, 0) for entry in reversed(tree.children(None))]
    labels = tree.labels
    while waiting:
        entry_id, depth = waiting.pop()
        entry = tree[entry_id]
        children = tree.children(entry_id)
        parent = numbers.get(entry.parent_id or "", "")
        label = f'<span class="label">{cells.label(labels[entry_id])}</span> ' if entry_id in labels else ""
        classes = ("" if entry_id in active else "off", "quiet" if isinstance(entry, CustomEntry) else "")
        off = f' class="{names}"' if (names := " ".join(filter(None, classes))) else ""
        number = numbers[entry_id]
        parts.append(
            f'<a href="#{number}" data-id="{number}" data-parent="{parent}"{off} style="margin-left:{min(depth, 12) * 0.8:.1f}rem">'
            f"{label}{cells.outline(entry)}</a>"
        )
        deeper = depth + (len(children) > 1)
        waiting.extend((child.id, deeper) for child in reversed(children))
    return "".join(parts)


def _about(session: Session, title: str, text: HtmlText) -> str:
    statistics = statistics_of(session.tree)
    messages = sum(statistics.messages.values())
    known = statistics.total.cost
    cost = f"${known.total:.2f}{' and more' if statistics.has_unknown_cost else ''}" if known else "cost –"
    line = f"{messages:,} messages, {statistics.total.total_tokens:,} tokens, {cost}"
    return (
        f"<header><h1>{title}</h1><p>{text.plain(session.cwd)}</p><p>{text.plain(session.header.timestamp)} · "
        f"{text.plain(session.id)}</p><p>{line}</p>{usage_chart(statistics)}</header>"
    )


def usage_chart(statistics: SessionStatistics) -> str:
    """Bars for every reply: the context after it above the line, its cost below; numbers only."""
    replies = [
        spending for spending in statistics.spendings if spending.kind == "reply" and spending.usage.total_tokens
    ]
    if len(replies) < 2:
        return ""
    most = max((spending.context_tokens or 0 for spending in replies), default=0) or 1
    dearest = max(map(_money, replies)) or 1.0
    width = 1000 / len(replies)
    bars: list[str] = []
    for index, spending in enumerate(replies):
        x, tokens = index * width, spending.context_tokens or 0
        high, low = 55 * tokens / most, 30 * _money(spending) / dearest
        cost = f"${_money(spending):.4f}" if spending.usage.cost else "cost –"
        about = f"<title>{tokens:,} tokens, {cost}</title>"
        size = f'x="{x:.2f}" width="{max(width * 0.8, 0.2):.2f}"'
        bars.append(f'<rect class="tokens" {size} y="{57 - high:.1f}" height="{high:.1f}">{about}</rect>')
        bars.append(f'<rect class="cost" {size} y="59" height="{low:.1f}">{about}</rect>')
    return (
        '<svg class="usage" viewBox="0 0 1000 90" preserveAspectRatio="none" role="img" '
        f'aria-label="Context and cost of each reply">{"".join(bars)}</svg>'
        '<p class="meta">Reply by reply: the context above the line, the cost below.</p>'
    )


def _money(spending: Spending) -> float:
    return spending.usage.cost.total if spending.usage.cost else 0.0
