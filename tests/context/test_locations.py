import os
from pathlib import Path

import pytest

from pyagent_tui.context.locations import PromptTexts, find_prompt_texts, template_folders, text_or_file


def test_the_projects_text_is_used_instead_of_the_persons(tmp_path: Path) -> None:
    own, project = tmp_path / "own", tmp_path / "project"
    for folder in (own, project):
        folder.mkdir()
        (folder / "SYSTEM.md").write_text(f"{folder.name} prompt")
    (own / "APPEND_SYSTEM.md").write_text("own more")
    assert find_prompt_texts(own, project) == PromptTexts("project prompt", "own more")
    assert find_prompt_texts(own, None) == PromptTexts("own prompt", "own more")
    (project / "SYSTEM.md").write_text(" \n")
    assert find_prompt_texts(own, project).custom == "own prompt"
    assert find_prompt_texts(tmp_path / "none", None) == PromptTexts()


def test_templates_come_from_the_project_first(tmp_path: Path) -> None:
    assert template_folders(tmp_path, None) == (tmp_path / "prompts",)
    assert template_folders(tmp_path, tmp_path / "p") == (tmp_path / "p" / "prompts", tmp_path / "prompts")


def test_a_text_is_a_text_and_a_path_is_read(tmp_path: Path) -> None:
    path = tmp_path / "prompt.md"
    path.write_bytes(b"\xef\xbb\xbfYou are")
    assert text_or_file(str(path)) == "You are"
    for text in ("You are a poet", "x" * 10_000, "a\nb", str(tmp_path), "nul\0"):
        assert text_or_file(text) == text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "prompt.md"
    path.touch(mode=0)
    with pytest.raises(PermissionError):
        text_or_file(str(path))
