"""What the transcript imports when it is first needed, imported ahead of that."""

from __future__ import annotations

from ..text.markdown_stream import parser
from ..text.syntax import find_lexer

_LANGUAGES = ("python", "typescript", "bash", "json", "name.txt")


def warm_up() -> None:
    """Import the Markdown parser and the commonest lexers (some 200 ms), so that the first answer does not wait for them.

    Safe to call in a worker thread.
    """
    parser().parse("")
    for language in _LANGUAGES:
        if (lexer := find_lexer(language)) is not None:
            list(lexer.get_tokens("x\n"))
