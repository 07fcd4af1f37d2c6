import os
from pathlib import Path

import pytest

from pyagent_tui.context.locations import skill_folders
from pyagent_tui.context.skills import Skill, describe_skills, expand_skill, load_skills


def put(path: Path, text: str = "---\ndescription: d\n---\nbody\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def names(*folders: Path) -> list[str]:
    return [skill.name for skill in load_skills(folders)[0]]


def test_a_skill_with_every_oddity_is_read(tmp_path: Path) -> None:
    path = put(
        tmp_path / "pdf" / "SKILL.md",
        "\ufeff---\r\nname: pdf\r\ndescription: |\r\n  Reads PDFs.\r\n  Twice.\r\nmetadata:\r\n  x: [1]\r\n---\r\nDo.\r\n",
    )
    assert load_skills([tmp_path]) == ((Skill("pdf", "Reads PDFs.\nTwice.", path, "Do.\n"),), ())


def test_the_name_falls_back_to_the_folder_or_the_file(tmp_path: Path) -> None:
    put(tmp_path / "in-folder" / "SKILL.md")
    put(tmp_path / "at-top.md")
    assert names(tmp_path) == ["at-top", "in-folder"]


def test_a_note_at_the_top_is_no_skill_and_no_problem(tmp_path: Path) -> None:
    put(tmp_path / "README.md", "# Notes")
    assert load_skills([tmp_path]) == ((), ())


def test_without_a_description_it_is_not_loaded(tmp_path: Path) -> None:
    path = put(tmp_path / "a" / "SKILL.md", "---\nname: a\n---\nx")
    skills, problems = load_skills([tmp_path])
    assert skills == ()
    assert [str(problem) for problem in problems] == [f"{path}: has no description; not loaded"]


def test_a_broken_skill_gives_one_problem_with_its_path_and_the_rest_loads(tmp_path: Path) -> None:
    path = put(tmp_path / "bad" / "SKILL.md", "---\ndescription: x\na: b: c\n---\n")
    put(tmp_path / "good" / "SKILL.md")
    skills, problems = load_skills([tmp_path])
    assert [skill.name for skill in skills] == ["good"]
    assert [problem.path for problem in problems] == [path]
    assert "line 3" in str(problems[0])


@pytest.mark.parametrize("name", ["Bad", "-a", "a-", "a--b", "a_b", "é", "x" * 65])
def test_a_bad_name_is_told_and_used_all_the_same(tmp_path: Path, name: str) -> None:
    put(tmp_path / "s" / "SKILL.md", f"---\nname: {name}\ndescription: d\n---\n")
    skills, problems = load_skills([tmp_path])
    assert [skill.name for skill in skills] == [name]
    assert len(problems) == 1


def test_a_long_description_is_told(tmp_path: Path) -> None:
    put(tmp_path / "s" / "SKILL.md", f"---\ndescription: {'d' * 1025}\n---\n")
    assert "1024" in str(load_skills([tmp_path])[1][0])


def test_the_project_wins_a_clash_and_it_is_told(tmp_path: Path) -> None:
    theirs = put(tmp_path / "project" / "x" / "SKILL.md")
    mine = put(tmp_path / "own" / "x" / "SKILL.md")
    skills, problems = load_skills([tmp_path / "project", tmp_path / "own"])
    assert [skill.path for skill in skills] == [theirs]
    assert [str(problem) for problem in problems] == [f"{mine}: hidden by {theirs}, which has the same name"]


def test_one_skill_by_two_ways_comes_once_without_a_word(tmp_path: Path) -> None:
    put(tmp_path / "own" / "x" / "SKILL.md")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "link").symlink_to(tmp_path / "own" / "x")
    skills, problems = load_skills([tmp_path / "project", tmp_path / "own"])
    assert (len(skills), problems) == (1, ())


def test_a_skill_ends_the_search_below_it_and_nesting_is_found(tmp_path: Path) -> None:
    put(tmp_path / "group" / "deep" / "SKILL.md")
    put(tmp_path / "group" / "deep" / "inner" / "SKILL.md")
    put(tmp_path / "group" / "note.md")
    assert names(tmp_path) == ["deep"]


def test_hidden_folders_modules_and_ignored_ones_are_left_out(tmp_path: Path) -> None:
    for name in (".git", "node_modules", "ignored", "kept", "also"):
        put(tmp_path / name / "SKILL.md")
    put(tmp_path / "sub" / "a" / "SKILL.md")
    put(tmp_path / "sub" / "b" / "SKILL.md")
    put(tmp_path / ".gitignore", "ignored/\nal*\n!\n[z-a]\n")
    put(tmp_path / ".ignore", "!also/\n")
    put(tmp_path / "sub" / ".fdignore", "/a\n")
    assert names(tmp_path) == ["also", "kept", "b"]


def test_loops_dead_links_and_closed_ends_are_no_problem(tmp_path: Path) -> None:
    put(tmp_path / "a" / "x" / "SKILL.md")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "dead").symlink_to(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    assert load_skills([tmp_path, tmp_path / "none", tmp_path / "empty"])[1] == ()
    assert names(tmp_path) == ["x"]


def test_folders_that_loop_in_many_ways_are_seen_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "a" / "SKILL.md")
    for name in "bcdefg":
        (tmp_path / name).symlink_to(tmp_path)
    looks: list[str] = []
    real_scandir = os.scandir

    def counted(path: str) -> object:
        looks.append(str(path))
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    assert names(tmp_path) == ["a"]
    assert len(looks) < 20


def test_the_nearest_ignore_file_has_the_last_word(tmp_path: Path) -> None:
    put(tmp_path / "sub" / "b" / "SKILL.md")
    put(tmp_path / ".gitignore", "b/\n")
    assert names(tmp_path) == []
    put(tmp_path / "sub" / ".gitignore", "!b/\n")
    assert names(tmp_path) == ["b"]


def test_the_list_for_the_model_is_escaped_and_leaves_out_the_hidden(tmp_path: Path) -> None:
    skills = (
        Skill("a", "x < y & <b>", Path("/s/a/SKILL.md"), ""),
        Skill("b", "d", Path("/s/b/SKILL.md"), "", hidden=True),
    )
    text = describe_skills(skills, ["read"]) or ""
    assert "<description>x &lt; y &amp; &lt;b&gt;</description>\n<location>/s/a/SKILL.md</location>" in text
    assert "/s/b" not in text


def test_the_list_needs_a_tool_that_can_open_it() -> None:
    skills = (Skill("a", "d", Path("/s/a/SKILL.md"), ""),)
    assert describe_skills(skills, ["bash", "edit"])
    assert describe_skills(skills, ["edit", "grep"]) is None
    assert describe_skills((), ["read"]) is None


def test_disable_model_invocation_hides(tmp_path: Path) -> None:
    put(tmp_path / "s" / "SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\n")
    assert [skill.hidden for skill in load_skills([tmp_path])[0]] == [True]


def test_a_called_skill_comes_with_its_place_and_the_arguments() -> None:
    skill = Skill("pdf", "d", Path('/s/"p"/SKILL.md'), "\nDo $1 it.\n")
    text = expand_skill(skill, " file.pdf ")
    assert text == (
        '<skill name="pdf" location="/s/&quot;p&quot;/SKILL.md">\nRelative paths start at /s/"p".\n\n'
        "Do $1 it.\n</skill>\n\nfile.pdf"
    )
    assert expand_skill(skill, " ").endswith("</skill>")


def test_places_end_at_the_repository_and_need_trust(tmp_path: Path) -> None:
    home, config = tmp_path / "home", tmp_path / "config"
    repository = home / "src" / "repo"
    cwd = repository / "pkg"
    (repository / ".git").mkdir(parents=True)
    own = (config / "skills", home / ".agents" / "skills")
    assert skill_folders(config, None, cwd, home) == own
    assert skill_folders(config, cwd / ".pyagent", cwd, home) == (
        cwd / ".pyagent" / "skills",
        cwd / ".agents" / "skills",
        repository / ".agents" / "skills",
        *own,
    )


def test_without_a_repository_places_end_at_home(tmp_path: Path) -> None:
    home, config = tmp_path / "home", tmp_path / "config"
    cwd = home / "src"
    assert skill_folders(config, cwd / ".pyagent", cwd, home) == (
        cwd / ".pyagent" / "skills",
        cwd / ".agents" / "skills",
        config / "skills",
        home / ".agents" / "skills",
    )
