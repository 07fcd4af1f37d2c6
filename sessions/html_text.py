"""Turns any text into HTML that shows it and does nothing else. Every sink of an exported page goes through here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Redact = Callable[[str], str]

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x1b\\|\x07)|[ -/]*[0-~])", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f]+", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class HtmlText:
    """`redact` takes secrets out of every text before it is shown."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._markdown = _parser()

    def plain(self, text: str) -> str:
        """The text literally, for an element or an attribute in quotes."""
        return escape(_clean(self._redact(text)))

    def line(self, text: str, limit: int) -> str:
        """The beginning of a text on one line. Redacted before it is cut: half a secret is one too."""
        return escape(" ".join(_clean(self._redact(text)).split())[:limit])

    def json(self, value: object) -> str:
        """A JSON value, indented. Its strings are redacted before quoting hides them from the redactor."""
        return escape(_clean(json.dumps(redacted(value, self._redact), ensure_ascii=False, indent=2, default=str)))

    def markdown(self, text: str) -> str:
        """Markdown as HTML: no HTML of its own, no pictures from elsewhere, only links to http, https and mail."""
        return self._markdown.render(_clean(self._redact(text)))

    def picture(self, data: str, mime_type: str) -> str:
        """An embedded picture; what is none is named instead."""
        if mime_type in _PICTURES and _BASE64.fullmatch(data):
            return f'<img alt="picture" src="data:{mime_type};base64,{data}">'
        return f'<p class="meta">[{self.plain(mime_type or "picture")}]</p>'

    def patch(self, patch: str) -> str:
        """The hunks of a unified patch, their lines coloured."""
        lines = patch.split("\n")
        start = next((index for index, line in enumerate(lines) if line.startswith("@@")), 0)
        return "<pre>" + "".join(self._patch_line(line) for line in lines[start:]) + "</pre>"

    def _patch_line(self, line: str) -> str:
        kind = {"+": "add", "-": "del", "@": "hunk"}.get(line[:1])
        text = self.plain(line) or " "
        return f'<span class="{kind}">{text}</span>' if kind else text + "\n"


def redacted(value: object, redact: Redact) -> object:
    """A JSON value with all its strings redacted, keys too."""
    match value:
        case str():
            return redact(value)
        case dict():
            return {
                redact(str(key)): redacted(item, redact) for key, item in cast("dict[object, object]", value).items()
            }
        case list() | tuple():
            return [redacted(item, redact) for item in cast("list[object]", value)]
        case _:
            return value


def _clean(text: str) -> str:
    return _CONTROL.sub("\ufffd", _ANSI.sub("", text.replace("\r\n", "\n")))


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    # Pictures of others would tell them that the page was opened.
    parser.disable(["image", "html_block", "html_inline"])
    parser.validateLink = lambda url: _SAFE_LINK.fullmatch(url) is not None
    parser.add_render_rule("link_open", _link_open)
    return parser


def _link_open(self: object, tokens: list[object], index: int, options: object, env: object) -> str:
    href = getattr(tokens[index], "attrs", {}).get("href", "")
    return f'<a href="{escape(str(href))}" rel="noopener noreferrer" target="_blank">'
