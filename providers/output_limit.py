"""How long a reply may be, so that prompt and reply fit the context window together."""

from __future__ import annotations

from ..agent.model import ModelRequest
from .usage import CHARS_PER_TOKEN

IMAGE_CHARS = 5_000
"""What a picture counts in a prompt's length, in characters: about 1,400 tokens."""

_MARGIN = 4_096
_ENOUGH = 32_768


def output_limit(request: ModelRequest, prompt_chars: int) -> int | None:
    """Tokens of the reply: what was asked for or what the model can, less what the window has no room for.

    None where nobody knows. The margin is 15 % of the estimated prompt, or 4,096 tokens where that leaves little.
    """
    wanted = request.max_output or request.model.max_output
    window = request.model.context_window
    if wanted is None or window is None:
        return wanted
    prompt = round(prompt_chars / CHARS_PER_TOKEN)
    room = window - prompt - max(_MARGIN, prompt * 15 // 100)
    if room < _ENOUGH:
        room = min(window - prompt - _MARGIN, _ENOUGH)
    return max(1, min(wanted, room))
