"""What a reply has used so far, by the provider's count or by a guess: a reply that is broken off was paid for too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..agent.messages import AssistantMessage, ImageContent, Usage
from ..agent.model import ModelRequest
from .usage import CHARS_PER_TOKEN, estimate, priced
from .wire import ReplyParser

PICTURE_TOKENS = 1_200
"""What a picture takes, about, however many bytes it has."""

STEP = 2_000
"""Characters of a reply after which its usage is told anew."""


class Counting:
    """Counts for one reply to `request`, whose body has `size` bytes."""

    def __init__(self, request: ModelRequest, size: int, parser: ReplyParser) -> None:
        self._model = request.model
        self._parser = parser
        self._prompt_chars = _text_size(request, size)
        self._told_chars = -STEP
        self._was_known = False

    def total(self) -> Usage:
        """The usage of a whole reply: the provider's, or a guess where it does not count."""
        if self._parser.tokens.is_known:
            return self._parser.tokens.usage(self._model)
        return estimate(self._model, self._prompt_chars, self._parser.reply.output_chars)

    def news(self) -> Usage | None:
        """The usage so far, if there is more to tell than the last time.

        Providers count the prompt at the start or at the end, the reply at the end: until then its length tells.
        """
        chars, is_known = self._parser.reply.output_chars, self._parser.tokens.is_known
        if not (is_known and not self._was_known) and (not chars or chars - self._told_chars < STEP):
            return None
        self._was_known, self._told_chars = is_known, chars
        usage = self.total()
        guess = round(chars / CHARS_PER_TOKEN)
        if usage.estimated or guess <= usage.output:
            return usage
        return priced(replace(usage, output=guess, estimated=True), self._model.prices)


def _text_size(request: ModelRequest, size: int) -> int:
    pictures = list(_pictures(request)) if request.model.vision else []
    text = size - sum(len(picture.data) for picture in pictures)
    return max(text, 0) + round(len(pictures) * PICTURE_TOKENS * CHARS_PER_TOKEN)


def _pictures(request: ModelRequest) -> Iterator[ImageContent]:
    for message in request.messages:
        if not isinstance(message, AssistantMessage):
            yield from (block for block in message.content if isinstance(block, ImageContent))
