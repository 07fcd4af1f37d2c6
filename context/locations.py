"""Where the person and a trusted project keep what the model is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..agent.frozen import frozen
from .resource import ResourceProblem, read_text

SHARED_SKILLS = Path(".agents") / "skills"


@frozen
class PromptTexts:
    """What replaces the system prompt and what is added to it; None where nothing does."""

    custom: str | None = None
    append: str | None = None


def template_folders(config_dir: Path, project_folder: Path | None) -> tuple[Path, ...]:
    """The folders of prompt templates, the project's first. `project_folder` is None for a project without trust."""
    return tuple(folder / "prompts" for folder in (project_folder, config_dir) if folder)


def skill_folders(config_dir: Path, project_folder: Path | None, cwd: Path, home: Path | None) -> tuple[Path, ...]:
    """The folders of skills, the project's first: its own, ``.agents/skills`` from `cwd` up to the repository's root.

    Then the person's: of `config_dir` and of ``~/.agents``. `project_folder` is None for a project without trust.
    """
    project = [project_folder / "skills", *_shared(cwd, home)] if project_folder else []
    own = [config_dir / "skills", *([home / SHARED_SKILLS] if home else [])]
    return tuple(dict.fromkeys([*project, *own]))


def find_prompt_texts(config_dir: Path, project_folder: Path | None) -> PromptTexts:
    """``SYSTEM.md`` and ``APPEND_SYSTEM.md``: of each the project's, if there is one, else the person's. Reads disk."""
    folders = [folder for folder in (project_folder, config_dir) if folder]
    return PromptTexts(_first_text(folders, "SYSTEM.md"), _first_text(folders, "APPEND_SYSTEM.md"))


def text_or_file(value: str) -> str:
    """A command line's text, or the content of the file it names. Raises OSError for a file that cannot be read."""
    path = Path(value).expanduser()
    try:
        is_file = "\n" not in value and path.is_file()
    except (OSError, ValueError):
        is_file = False
    return path.read_bytes().decode("utf-8-sig", errors="replace") if is_file else value


def _shared(cwd: Path, home: Path | None) -> Iterator[Path]:
    for folder in (cwd, *cwd.parents):
        if folder == home:
            return
        yield folder / SHARED_SKILLS
        if (folder / ".git").exists():
            return


def _first_text(folders: list[Path], name: str) -> str | None:
    for folder in folders:
        text = read_text(folder / name)
        if not isinstance(text, ResourceProblem) and text.strip():
            return text
    return None
