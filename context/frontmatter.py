"""The YAML block between ``---`` lines at the top of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, cast

from ..agent.frozen import frozen

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class FrontmatterError(ValueError):
    """The block is no YAML, or no table of names; `str(error)` is one line that says where."""


@frozen
class Document:
    """A file's fields and the text below them. Every scalar is text: YAML's own guesses (dates, ``no``) are not made."""

    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: str = ""

    def text(self, name: str) -> str:
        """The field as one text, stripped; empty if it is missing or not a text."""
        value = self.fields.get(name)
        return value.strip() if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in ("true", "yes", "on")


def parse_frontmatter(source: str) -> Document:
    """Take a file's text apart. A byte order mark and Windows line ends go; a block without an end is body.

    Raises `FrontmatterError`.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n")
    block = _BLOCK.match(source)
    if block is None:
        return Document({}, source)
    return Document(_fields(block[1]), source[block.end() :])


def _fields(text: str) -> Mapping[str, Any]:
    import yaml

    try:
        # BaseLoader makes text, lists and tables only: safer still than SafeLoader, which also makes dates and numbers.
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise FrontmatterError(f"{line}{error.problem or 'no YAML'}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise FrontmatterError(str(error).partition("\n")[0] or "nested too deep") from error
    if found is None or found == "":
        return {}
    if not isinstance(found, dict):
        raise FrontmatterError("line 2: not a list of `name: value` lines")
    return cast("dict[str, Any]", found)
