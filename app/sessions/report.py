"""What `/session` says: the file, what was said, what it cost."""

from __future__ import annotations

from ...agent.messages import Usage
from ...sessions.session import Session
from ...sessions.statistics import SessionStatistics
from ...widgets.text.numbers import format_count, format_money, format_plural

NAMES = {
    "user": ("by you", "by you"),
    "assistant": ("by the model", "by the model"),
    "toolResult": ("result", "results"),
    "bashExecution": ("command of yours", "commands of yours"),
    "custom": ("other", "other"),
}
"""Roles of messages in words, for one and for several."""


def report(session: Session, statistics: SessionStatistics) -> str:
    """A few lines. Sums are over every branch and what was compacted."""
    said = ", ".join(_said(count, role) for role, count in statistics.messages.items())
    rows = [
        ("session", session.id),
        ("name", session.name or "none: /name gives one"),
        ("file", _file(session)),
        ("folder", session.cwd),
        *([("copy of", str(session.header.parent_session))] if session.header.parent_session else []),
        ("said", f"{said or 'nothing yet'}; {format_plural(statistics.tool_calls, 'call')}"),
        ("tokens", _tokens(statistics.total)),
        ("cost", _cost(statistics.total, statistics.has_unknown_cost)),
        *_models(statistics),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _said(count: int, role: str) -> str:
    return f"{count:,} {NAMES.get(role, (role, role))[count != 1]}"


def _file(session: Session) -> str:
    if session.path is None:
        return "none: it is kept in memory only"
    if session.is_read_only:
        return f"{session.path} (only read)"
    return str(session.path) if session.is_saved else f"{session.path} (nothing of it is written yet)"


def _tokens(usage: Usage) -> str:
    about = "about " if usage.estimated else ""
    counts = (
        f"{format_count(usage.input)} in, {format_count(usage.output)} out, {format_count(usage.cache_read)} cached"
    )
    share = f" ({usage.cache_hit:.0%} of what was sent)" if usage.cache_hit is not None else ""
    return f"{about}{counts}{share}"


def _cost(usage: Usage, has_unknown: bool) -> str:
    money = format_money(None if usage.cost is None else usage.cost.total)
    return f"{money}, and what nobody knows the price of" if has_unknown and usage.cost else money


def _models(statistics: SessionStatistics) -> list[tuple[str, str]]:
    """One row a model, where there are several."""
    named = {model: usage for model, usage in statistics.by_model.items() if model != ("", "")}
    if len(named) < 2:
        return []
    return [
        (
            "" if index else "models",
            f"{'/'.join(model)}: {_cost(usage, False)}; {_tokens(usage)}",
        )
        for index, (model, usage) in enumerate(named.items())
    ]
