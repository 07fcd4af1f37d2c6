"""What the person has sent and the agent has not taken yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...agent.frozen import frozen
from ...agent.messages import ImageContent, UserMessage

if TYPE_CHECKING:
    from ...widgets.editor.editor import Intent


@frozen
class Draft:
    """Text, pictures, and whether it starts or steers a run or waits for its end."""

    text: str
    images: tuple[ImageContent, ...] = ()
    intent: Intent = "send"

    @property
    def message(self) -> UserMessage:
        return UserMessage.of(self.text, self.images)


def images_of(message: UserMessage) -> tuple[ImageContent, ...]:
    """The pictures of a message."""
    return tuple(block for block in message.content if isinstance(block, ImageContent))
