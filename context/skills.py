"""Skills: folders with a SKILL.md that tell the model how to do one kind of work."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..agent.frozen import frozen
from .ignore import IgnoreRules
from .resource import ResourceProblem, read_document

FILE = "SKILL.md"
NAME_LENGTH = 64
DESCRIPTION_LENGTH = 1024
MAX_DEPTH = 8
"""Folders below a skills folder that are looked into."""

READERS = frozenset({"read", "bash"})
"""Tools with which a model can open a skill it has been told of."""


@frozen
class Skill:
    """A skill: what the model is told of it (`name`, `description`, `path`) and the text that is put in on demand.

    `hidden`: not listed to the model, only called by the person.
    """

    name: str
    description: str
    path: Path
    body: str
    hidden: bool = False

    @property
    def folder(self) -> Path:
        return self.path.parent


def load_skills(folders: Iterable[Path]) -> tuple[tuple[Skill, ...], tuple[ResourceProblem, ...]]:
    """Read the skills below these folders; of one name the earlier folder wins, of one file by two ways the first.

    A folder that does not exist has none. Reads disk.
    """
    skills: dict[str, Skill] = {}
    problems: list[ResourceProblem] = []
    seen: set[str] = set()
    for folder in folders:
        for path in _skill_files(folder):
            real_path = os.path.realpath(path)
            if real_path in seen:
                continue
            seen.add(real_path)
            skill = _load(path, problems, is_root_file=path.parent == folder and path.name != FILE)
            if skill is None:
                continue
            first = skills.setdefault(skill.name, skill)
            if first is not skill:
                problems.append(ResourceProblem(path, f"hidden by {first.path}, which has the same name"))
    return tuple(skills.values()), tuple(problems)


def describe_skills(skills: Sequence[Skill], tools: Iterable[str]) -> str | None:
    """The list for the system prompt; None if there is nothing to list or no active tool can open a file."""
    listed = [skill for skill in skills if not skill.hidden]
    if not listed or not READERS & set(tools):
        return None
    entries = [
        f"<skill>\n<name>{_escape(skill.name)}</name>\n<description>{_escape(skill.description)}</description>\n"
        f"<location>{_escape(str(skill.path))}</location>\n</skill>"
        for skill in listed
    ]
    return "\n".join([PROMPT, *entries])


PROMPT = (
    "Each skill is a file that says how to do one kind of work. When a task fits a description, read that file first. "
    "Relative paths in it start at its folder."
)


def expand_skill(skill: Skill, arguments: str) -> str:
    """The message for ``/skill:name arguments``: the skill's text, where it lies, then the arguments."""
    place = f"<skill name={_quoted(skill.name)} location={_quoted(str(skill.path))}>"
    text = f"{place}\nRelative paths start at {skill.folder}.\n\n{skill.body.strip()}\n</skill>"
    return f"{text}\n\n{arguments.strip()}" if arguments.strip() else text


def _quoted(value: str) -> str:
    return '"' + _escape(value).replace('"', "&quot;") + '"'


def _skill_files(folder: Path) -> Iterator[Path]:
    """SKILL.md files, sorted by path, and the ``.md`` files at the top; a folder with a SKILL.md ends the search there."""
    yield from _walk(folder, IgnoreRules(), MAX_DEPTH, frozenset())


def _walk(folder: Path, rules: IgnoreRules, depth: int, above: frozenset[str]) -> Iterator[Path]:
    real_path = os.path.realpath(folder)
    if depth < 0 or real_path in above:
        return
    if (folder / FILE).is_file():
        yield folder / FILE
        return
    rules = rules.below(folder)
    for entry in _entries(folder):
        if rules.ignores(entry.path, is_folder=entry.is_dir()):
            continue
        if entry.is_dir():
            yield from _walk(Path(entry.path), rules, depth - 1, above | {real_path})
        elif not above and entry.name.endswith(".md"):
            yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []
    return [entry for entry in found if not entry.name.startswith(".") and entry.name != "node_modules"]


def _load(path: Path, problems: list[ResourceProblem], *, is_root_file: bool) -> Skill | None:
    document = read_document(path)
    if isinstance(document, ResourceProblem):
        problems.append(document)
        return None
    description = document.text("description")
    if not description:
        # A file at the top without a description is any note, not a broken skill.
        if not is_root_file:
            problems.append(ResourceProblem(path, "has no description; not loaded"))
        return None
    name = document.text("name") or (path.stem if is_root_file else path.parent.name)
    problems.extend(ResourceProblem(path, fault) for fault in _faults(name, description))
    return Skill(name, description, path, document.body, document.flag("disable-model-invocation"))


def _faults(name: str, description: str) -> Iterator[str]:
    """What the Agent Skills format asks for and this file does not keep; it is loaded all the same."""
    if len(name) > NAME_LENGTH or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        yield f"the name {name[:80]!r} should have at most {NAME_LENGTH} of a-z, 0-9 and single hyphens"
    if len(description) > DESCRIPTION_LENGTH:
        yield f"the description should have at most {DESCRIPTION_LENGTH} characters"


def _escape(text: str) -> str:
    """Text between tags (`html.escape` would bring a table of all named characters along)."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
