"""What a project brings: its trust, its settings, skills, prompt templates and additions to the system prompt."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from anyio import to_thread

from ...agent.frozen import frozen
from ...agent.messages import TextContent, UserMessage
from ...context.locations import PromptTexts, find_prompt_texts, skill_folders, template_folders
from ...context.skills import Skill, expand_skill, load_skills
from ...context.templates import PromptTemplate, expand_template, load_templates
from ...policy.guarded import PROJECT_FOLDER, guarded_resources
from ...policy.trust import Trust, TrustChoice, TrustError, TrustStore, answer_trust, decide_trust
from ..arguments import Arguments
from ..commands import BY_NAME, Command
from ..paths import Paths
from ..settings.model import Settings
from ..settings.reading import SettingsProblem, load_settings

AskTrust: TypeAlias = Callable[[Path, Sequence[Path]], Awaitable[TrustChoice]]
"""Asks the person about a folder and what it brings."""

_CALL = re.compile(r"/(?P<name>\S+)\s*(?P<arguments>.*)", re.DOTALL)

SKILL = "skill:"
"""What stands before a skill's name in its command."""

YES: tuple[TrustChoice, ...] = ("trust", "trust-parent", "once")
"""The answers that trust a project."""


@frozen
class Project:
    """What counts in a folder: of an untrusted one only what is the person's own.

    `problems` are those of the settings files, `notices` what else the person should know.
    """

    cwd: Path
    settings: Settings
    trust: Trust = Trust(True)
    skills: tuple[Skill, ...] = ()
    templates: tuple[PromptTemplate, ...] = ()
    texts: PromptTexts = PromptTexts()
    problems: tuple[SettingsProblem, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands that templates and skills add."""
        templates = (Command(each.name, each.description, each.argument_hint) for each in self.templates)
        skills = (Command(f"{SKILL}{each.name}", each.description, "[request]") for each in self.skills)
        return (*templates, *skills)

    def expand(self, text: str) -> str:
        """The text, or what stands for it if it calls a template (``/name …``) or a skill (``/skill:name …``)."""
        call = _CALL.fullmatch(text)
        if call is None:
            return text
        name, arguments = call["name"], call["arguments"]
        if name.startswith(SKILL):
            skill = next((each for each in self.skills if each.name == name.removeprefix(SKILL)), None)
            return expand_skill(skill, arguments) if skill else text
        template = next((each for each in self.templates if each.name == name), None)
        return expand_template(template, arguments) if template else text

    def expanded(self, message: UserMessage) -> UserMessage:
        """A message with its text expanded."""
        content = message.content
        first = content[0] if content else None
        if not isinstance(first, TextContent) or (text := self.expand(first.text)) == first.text:
            return message
        return replace(message, content=(TextContent(text), *content[1:]))


async def open_project(
    arguments: Arguments, paths: Paths, cwd: Path, ask: AskTrust | None = None, *, is_remote: bool = False
) -> Project:
    """Decide about the folder, asking the person if they must be asked, and read what counts.

    `ask` None: nobody can be asked, so nothing is trusted silently. `is_remote`: the project is on another machine, so
    that only what is the person's own counts here. Reads disk in threads; raises nothing.
    """
    if arguments.demo:
        return Project(cwd, load_settings(paths.config)[0])
    if is_remote:
        return await to_thread.run_sync(load_project, paths, cwd, Trust(False))
    trust, fault = Trust(False), ""
    try:
        trust = await to_thread.run_sync(judge, arguments, paths, cwd, ask is not None)
        if trust.trusted is None and ask is not None:
            choice = await ask(cwd, trust.guarded)
            trust = replace(trust, trusted=choice in YES, source="answer")
            await to_thread.run_sync(answer_trust, cwd, TrustStore(paths.trust_file), choice)
    except TrustError as error:
        fault = str(error)
    project = await to_thread.run_sync(load_project, paths, cwd, trust)
    return replace(project, notices=(fault, *project.notices)) if fault else project


async def decide_again(paths: Paths, cwd: Path, ask: AskTrust) -> bool | None:
    """Ask about a folder whatever was decided before; whether it is trusted now, None if it brings nothing.

    Raises `TrustError`.
    """
    from anyio import to_thread

    guarded = await to_thread.run_sync(lambda: tuple(guarded_resources(cwd, home_folder())))
    if not guarded:
        return None
    return await to_thread.run_sync(answer_trust, cwd, TrustStore(paths.trust_file), await ask(cwd, guarded))


def judge(arguments: Arguments, paths: Paths, cwd: Path, can_ask: bool) -> Trust:
    """What is decided about a folder. Reads disk; raises `TrustError` if the file of decisions is broken."""
    settings, _ = load_settings(paths.config)
    return decide_trust(
        cwd,
        TrustStore(paths.trust_file),
        option=arguments.trust,
        default=settings.default_project_trust,
        can_ask=can_ask,
        home=home_folder(),
    )


def load_project(paths: Paths, cwd: Path, trust: Trust) -> Project:
    """Read what counts in a folder on which the verdict is `trust`. Reads disk."""
    is_trusted = trust.trusted is True
    folder = cwd / PROJECT_FOLDER if is_trusted else None
    settings, problems = load_settings(paths.config, cwd, is_trusted)
    skills, skill_problems = load_skills(skill_folders(paths.config, folder, cwd, home_folder()))
    templates, template_problems = load_templates(template_folders(paths.config, folder))
    return Project(
        cwd,
        settings,
        trust,
        skills,
        templates,
        find_prompt_texts(paths.config, folder),
        tuple(problems),
        (*_skipped(trust, cwd), *map(str, (*skill_problems, *template_problems)), *_shadowed(templates)),
    )


def home_folder() -> Path | None:
    """The person's home; None where there is none."""
    home = os.path.expanduser("~")
    return None if home == "~" else Path(home)


def short_name(path: Path, cwd: Path) -> str:
    """A path as seen from the project: relative where it is in it."""
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)


def _skipped(trust: Trust, cwd: Path) -> Iterator[str]:
    """What an untrusted project brought in vain."""
    if trust.trusted or not trust.guarded:
        return
    names = ", ".join(short_name(path, cwd) for path in trust.guarded)
    ways = {
        "nobody to ask": "nobody could be asked; --trust counts for one run",
        "answer": "/trust asks again",
        "saved": "you decided so; /trust asks again",
        "option": "--no-trust says so",
        "setting": "default_project_trust says so; /trust asks again",
    }
    why = f" ({ways[trust.source]})" if trust.source in ways else ""
    yield f"This project is not trusted, so these were left alone: {names}{why}"


def _shadowed(templates: Sequence[PromptTemplate]) -> Iterator[str]:
    for template in templates:
        if template.name in BY_NAME:
            yield f"{template.path}: hidden by the built-in command /{template.name}"
