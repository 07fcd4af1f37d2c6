"""What the transcript imports when it is first needed, imported ahead of that."""

from __future__ import annotations

from .markdown_stream import parser
from .syntax import find_lexer


def warm_up() -> None:
    """Import the Markdown parser and pygments (some 100 ms), so that the first answer does not wait for them.

    Safe to call in a worker thread.
    """
    parser().parse("")
    find_lexer("python")
