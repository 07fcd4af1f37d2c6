"""Prompt templates: Markdown files that become commands, with places for arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..agent.frozen import frozen
from .frontmatter import Document
from .resource import ResourceProblem, read_document

DESCRIPTION_WIDTH = 60
"""Characters of the first line that stand for a missing description."""


@frozen
class PromptTemplate:
    """A template: its command is ``/name``; `argument_hint` is shown behind it."""

    name: str
    description: str
    argument_hint: str
    body: str
    path: Path


def load_templates(folders: Iterable[Path]) -> tuple[tuple[PromptTemplate, ...], tuple[ResourceProblem, ...]]:
    """Read the ``.md`` files that lie directly in these folders, sorted by name; of one name the earlier folder wins.

    A folder that does not exist has none. Reads disk.
    """
    found: dict[str, PromptTemplate] = {}
    problems: list[ResourceProblem] = []
    for folder in folders:
        for path in _files(folder):
            if path.stem in found:
                if path.resolve() != found[path.stem].path.resolve():
                    problems.append(
                        ResourceProblem(path, f"hidden by {found[path.stem].path}, which has the same name")
                    )
                continue
            document = read_document(path)
            if isinstance(document, ResourceProblem):
                problems.append(document)
            else:
                found[path.stem] = _template(path, document)
    return tuple(sorted(found.values(), key=lambda template: template.name)), tuple(problems)


def expand_template(template: PromptTemplate, arguments: str) -> str:
    """The template's text with the arguments of the command line ``/name arguments`` put in."""
    return substitute(template.body, split_arguments(arguments)).strip()


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.is_file())
    except OSError:
        return []


def _template(path: Path, document: Document) -> PromptTemplate:
    description = document.text("description") or _first_line(document.body)
    return PromptTemplate(path.stem, description, document.text("argument-hint"), document.body, path)


def _first_line(body: str) -> str:
    line = next((line.strip() for line in body.splitlines() if line.strip()), "")
    return line if len(line) <= DESCRIPTION_WIDTH else f"{line[: DESCRIPTION_WIDTH - 1]}…"


_WORD = re.compile(r"\S+")
_CLOSING = {quote: re.compile(rf"{quote}(?=\s|\Z)") for quote in "'\""}


def split_arguments(text: str) -> list[str]:
    """Split at white space, line ends included.

    A quote at the start of an argument holds it together up to the same quote at an end; without one it is literal.
    """
    arguments: list[str] = []
    unclosed: set[str] = set()
    position = 0
    while word := _WORD.search(text, position):
        quote, start = word[0][0], word.start() + 1
        closing = _CLOSING[quote].search(text, start) if quote in _CLOSING and quote not in unclosed else None
        if closing is None:
            unclosed.add(quote)
            arguments.append(word[0])
            position = word.end()
        else:
            arguments.append(text[start : closing.start()])
            position = closing.end()
    return arguments


_PLACE = re.compile(
    r"""
    \$(?P<number>[0-9]{1,6})
    | \$(?P<all>@|ARGUMENTS\b)
    | \$\{(?P<name>[0-9]{1,6}|@|ARGUMENTS):-(?P<default>[^}]*)\}
    | \$\{@:(?P<start>[0-9]{1,6})(?::(?P<length>[0-9]{1,6}))?\}
    """,
    re.VERBOSE,
)


def substitute(body: str, arguments: Sequence[str]) -> str:
    """Put arguments into the places of a template, in one pass: what is put in is not looked at again.

    ``$1`` one argument, ``$@`` and ``$ARGUMENTS`` all of them, ``${1:-x}`` and ``${@:-x}`` with a default for nothing,
    ``${@:2}`` from the second on, ``${@:2:3}`` three of them. What is missing is empty; any other ``$`` is literal.
    """
    return _PLACE.sub(lambda place: _value(place, arguments), body)


def _value(place: re.Match[str], arguments: Sequence[str]) -> str:
    if place["number"] is not None:
        return _one(int(place["number"]), arguments)
    if place["all"] is not None:
        return " ".join(arguments)
    if place["name"] is not None:
        name = place["name"]
        return (_one(int(name), arguments) if name.isdecimal() else " ".join(arguments)) or place["default"]
    start = max(int(place["start"]) - 1, 0)
    end = None if place["length"] is None else start + int(place["length"])
    return " ".join(arguments[start:end])


def _one(number: int, arguments: Sequence[str]) -> str:
    """Arguments count from 1; there is no argument 0."""
    return arguments[number - 1] if 1 <= number <= len(arguments) else ""
