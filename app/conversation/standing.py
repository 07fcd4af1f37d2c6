"""What the title and the status line say, kept up to date from events."""

from __future__ import annotations

from dataclasses import field

from ...agent.events import AgentEvent, MessageEnd
from ...agent.messages import AssistantMessage, Message, ToolResultMessage, Usage
from ...agent.model import Model
from ...agent.mutable import mutable


@mutable
class Standing:
    """Tokens and cost of the session, size of the context. `context_tokens` is None until a reply tells it.

    `has_unknown_cost`: the cost of the total is that of a part.
    """

    total: Usage = field(default_factory=Usage)
    context_tokens: int | None = None
    has_unknown_cost: bool = False

    def add_earlier(self, earlier: Standing) -> None:
        """Count what was said before this began to count."""
        self.total = earlier.total + self.total
        self.has_unknown_cost |= earlier.has_unknown_cost
        if self.context_tokens is None:
            self.context_tokens = earlier.context_tokens

    def see(self, event: AgentEvent) -> bool:
        """Take an event in; whether anything changed."""
        return isinstance(event, MessageEnd) and self.count(event.message)

    def count(self, message: Message) -> bool:
        """Count a message that was just said, or one of a resumed session; whether anything changed.

        What a tool spent on models is in the totals and not in the context. What came of a reply that failed is not
        sent again: its prompt tells the context, and a guess at that only where nothing else does.
        """
        match message:
            case AssistantMessage(usage=usage):
                self.add(usage)
                if message.stop_reason not in ("error", "aborted"):
                    self.context_tokens = usage.total_tokens or self.context_tokens
                elif not (usage.estimated and self.context_tokens):
                    self.context_tokens = usage.prompt_tokens or self.context_tokens
                return True
            case ToolResultMessage(usage=Usage() as usage):
                self.add(usage)
                return True
            case _:
                return False

    def add(self, usage: Usage) -> None:
        """Add what was used to the totals."""
        self.total += usage
        self.has_unknown_cost |= usage.cost is None and usage.total_tokens > 0

    def context_percent(self, model: Model | None) -> float | None:
        """How full the model's window is, in per cent; None if either is unknown."""
        if model is None or not model.context_window or self.context_tokens is None:
            return None
        return 100 * self.context_tokens / model.context_window
