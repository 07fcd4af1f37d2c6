"""What the title and the status line show of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...agent.model import Model
from ..view import View
from .standing import Standing

if TYPE_CHECKING:
    from .composition import Composition


def show_standing(view: View, standing: Standing, model: Model | None, composition: Composition | None) -> None:
    """Show tokens, cost, context, model and mode as they are now."""
    status, title = view.status, view.title
    total = standing.total
    status.tokens_in = total.input
    status.tokens_out = total.output
    status.tokens_cached = total.cache_read
    status.cost = None if total.cost is None else total.cost.total
    status.has_unknown_cost = standing.has_unknown_cost
    status.context_percent = standing.context_percent(model)
    if composition is not None:
        status.approval = composition.approval.mode
        status.sandbox = composition.sandbox.state(composition.approval.mode == "auto")
        title.model = composition.agent.setup.model.label
        title.thinking = composition.agent.setup.thinking_level
        title.session = composition.session.name or ""
