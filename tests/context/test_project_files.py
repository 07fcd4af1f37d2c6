import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pyagent_tui.context.project_files import LIMIT, ProjectFiles, find_project_files


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def texts(found: ProjectFiles) -> list[str]:
    return [file.text for file in found.files]


def test_own_folder_first_then_from_the_root_down(tmp_path: Path) -> None:
    cwd = tmp_path / "home" / "src" / "shop"
    put(tmp_path / "config" / "AGENTS.md", "own")
    put(tmp_path / "home" / "AGENTS.md", "home")
    put(tmp_path / "home" / "src" / "CLAUDE.md", "src")
    put(cwd / "AGENTS.md", "shop")
    found = find_project_files(cwd, tmp_path / "config")
    assert texts(found) == ["own", "home", "src", "shop"]
    assert [file.path for file in found.files][-1] == cwd / "AGENTS.md"
    assert found.notices == ()


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (("CLAUDE.md", "AGENTS.md"), "AGENTS.md"),
        (("AGENTS.md", "AGENTS.override.md"), "AGENTS.override.md"),
        (("CLAUDE.MD", "AGENTS.MD"), "AGENTS.MD"),
        (("CLAUDE.MD",), "CLAUDE.MD"),
    ],
)
def test_one_file_of_a_folder_counts(tmp_path: Path, names: tuple[str, ...], first: str) -> None:
    for name in names:
        put(tmp_path / name, name)
    assert texts(find_project_files(tmp_path)) == [first]


def test_each_text_comes_once_through_links_copies_and_the_own_folder(tmp_path: Path) -> None:
    real = put(tmp_path / "AGENTS.md", "rules")
    for folder in ("a", "a/b", "a/b/c"):
        (tmp_path / folder).mkdir()
    (tmp_path / "a" / "CLAUDE.md").symlink_to(real)
    put(tmp_path / "a/b/AGENTS.md", "rules")
    put(tmp_path / "a/b/c/AGENTS.md", "more")
    assert texts(find_project_files(tmp_path / "a/b/c", tmp_path)) == ["rules", "more"]


def test_working_in_the_own_folder_reads_it_once(tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", "home")
    assert texts(find_project_files(tmp_path, tmp_path)) == ["home"]


def test_a_huge_file_is_cut_at_a_line_and_both_are_told(tmp_path: Path) -> None:
    path = put(tmp_path / "AGENTS.md", "x" * 99 + "\n" + ("line of text\n" * 250_000))
    found = find_project_files(tmp_path)
    text = found.files[0].text
    assert found.files[0].truncated
    assert len(text.encode()) < LIMIT + 200
    assert "line of text\n[Cut here: the file has 3,250,100 bytes" in text
    assert found.notices == (f"{path} is longer than 32 KiB: the model is given its beginning",)


def test_a_huge_file_by_two_ways_comes_once(tmp_path: Path) -> None:
    real = put(tmp_path / "AGENTS.md", "line of text\n" * 10_000)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "AGENTS.md").symlink_to(real)
    assert [file.path for file in find_project_files(tmp_path / "sub").files] == [real]


def test_one_endless_line_is_cut_too(tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", "é" * LIMIT)
    found = find_project_files(tmp_path, limit=1001)
    assert found.files[0].text.startswith("é" * 500)
    assert len(found.files[0].text) < 700


def test_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", "y" * 1000)
    assert not find_project_files(tmp_path, limit=1000).files[0].truncated
    assert find_project_files(tmp_path, limit=999).files[0].truncated


def test_byte_order_mark_and_windows_line_ends_go(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert texts(find_project_files(tmp_path)) == ["one\ntwo"]


def test_bytes_that_are_no_text_are_tolerated(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes("caf\xe9 rules".encode("latin-1"))
    assert texts(find_project_files(tmp_path)) == ["caf\ufffd rules"]


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", " \n")
    assert find_project_files(tmp_path) == ProjectFiles()


def test_pipes_folders_and_dead_links_of_that_name_are_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENTS.override.md")
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "AGENTS.MD").symlink_to(tmp_path / "gone")
    put(tmp_path / "CLAUDE.md", "kept")
    assert texts(find_project_files(tmp_path)) == ["kept"]


def test_a_folder_that_is_gone_and_the_root_are_no_problem(tmp_path: Path) -> None:
    assert find_project_files(tmp_path / "gone" / "deep", tmp_path / "none").files == ()
    find_project_files(Path("/"))


@contextmanager
def as_nobody() -> Generator[None]:
    """Without root's rights, so that modes count."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder under /tmp that every user may enter (pytest's own is closed)."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_closed_folders_are_skipped_and_a_closed_file_is_told(open_folder: Path) -> None:
    cwd = open_folder / "outer" / "project"
    put(open_folder / "AGENTS.md", "top")
    put(open_folder / "outer" / "AGENTS.md", "outer")
    secret = put(cwd / "AGENTS.md", "project")
    secret.chmod(0o000)
    with as_nobody():
        found = find_project_files(cwd)
    assert texts(found) == ["top", "outer"]
    assert found.notices == (f"{secret} could not be read: Permission denied",)
    (open_folder / "outer").chmod(0o000)
    with as_nobody():
        found = find_project_files(cwd)
    (open_folder / "outer").chmod(0o755)
    assert (texts(found), found.notices) == (["top"], ())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_another_users_file_above_the_project_does_not_speak(open_folder: Path) -> None:
    cwd = open_folder / "project"
    put(cwd / "AGENTS.md", "project")
    planted = put(open_folder / "AGENTS.md", "planted")
    os.chown(planted, 12345, 12345)
    found = find_project_files(cwd)
    assert texts(found) == ["project"]
    assert found.notices == (f"{planted} belongs to another user and was not read",)
    os.chown(cwd, 12345, 12345)
    os.chown(cwd / "AGENTS.md", 54321, 54321)
    assert texts(find_project_files(cwd)) == ["planted", "project"]


def git(*words: str, cwd: Path) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=cwd, check=True, capture_output=True)


def test_a_linked_worktree_inside_its_repository_hides_the_main_copy(tmp_path: Path) -> None:
    main = tmp_path / "main"
    put(main / "AGENTS.md", "main, newer")
    put(tmp_path / "AGENTS.md", "above")
    git("init", cwd=main)
    git("add", ".", cwd=main)
    git("commit", "-m", "x", cwd=main)
    git("worktree", "add", "trees/work", cwd=main)
    work = main / "trees" / "work"
    put(work / "AGENTS.md", "work")
    put(work / "sub" / "AGENTS.md", "sub")
    assert texts(find_project_files(work / "sub")) == ["above", "work", "sub"]
    (work / "AGENTS.md").unlink()
    assert texts(find_project_files(work / "sub")) == ["above", "main, newer", "sub"]
