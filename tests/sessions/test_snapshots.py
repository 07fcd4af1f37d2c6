"""Files travel with the tree, and what the person changed is never overwritten."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import pytest
from anyio import move_on_after

from pyagent_tui.sessions.project_files import Seen, mode_of
from pyagent_tui.sessions.restore import RestorePlan, apply_restore, plan_restore
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.shadow_git import LARGE_FILE_BYTES, ShadowGit, SnapshotError
from pyagent_tui.sessions.snapshots import (
    SNAPSHOT_TYPE,
    SnapshotRecord,
    SnapshotRecords,
    Snapshots,
    discard_unused,
    records_between,
)
from pyagent_tui.tests.sessions.building import user

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")]


@pytest.fixture
async def git(tmp_path: Path) -> ShadowGit:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("a1\n")
    (project / "b.txt").write_text("b1\n")
    store = ShadowGit(project, tmp_path / "data", "s1")
    await store.prepare()
    return store


async def changing(git: ShadowGit, *edits: tuple[str, str | None], paths: tuple[str, ...] = ()) -> SnapshotRecord:
    """A call that writes (or, for None, deletes) files; its record."""
    snapshots = Snapshots(git)
    await snapshots.begin("c", paths)
    edit(git, *edits)
    assert snapshots.end("c")
    record = await snapshots.close()
    assert record is not None
    return record


def edit(git: ShadowGit, *edits: tuple[str, str | None]) -> None:
    for name, text in edits:
        path = git.project / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def files(git: ShadowGit) -> dict[str, str]:
    found = (path for path in git.project.rglob("*") if path.is_file())
    return {path.relative_to(git.project).as_posix(): path.read_text() for path in found}


async def test_undoing_brings_changed_new_and_deleted_files_back(git: ShadowGit) -> None:
    before = files(git)
    record = await changing(git, ("a.txt", "a2\n"), ("deep/new.txt", "n\n"), ("b.txt", None))
    plan = await plan_restore(git, [record])
    assert [(step.path, step.kind) for step in plan.steps] == [
        ("a.txt", "change"),
        ("b.txt", "create"),
        ("deep/new.txt", "delete"),
    ]
    await apply_restore(git, plan)
    assert files(git) == before
    assert not (git.project / "deep").exists()


async def test_an_undo_can_be_undone_and_that_again(git: ShadowGit) -> None:
    before = files(git)
    record = await changing(git, ("a.txt", "a2\n"), ("new.txt", "n\n"), ("b.txt", None))
    after = files(git)
    undo = await apply_restore(git, await plan_restore(git, [record]))
    redo = await apply_restore(git, await plan_restore(git, [undo]))
    assert files(git) == after
    await apply_restore(git, await plan_restore(git, [redo]))
    assert files(git) == before


async def test_several_calls_are_undone_to_where_the_first_began(git: ShadowGit) -> None:
    before = files(git)
    records = [await changing(git, ("a.txt", f"a{number}\n"), (f"n{number}", "x")) for number in range(2, 5)]
    await apply_restore(git, await plan_restore(git, records[1:]))
    assert files(git)["a.txt"] == "a2\n"
    await apply_restore(git, await plan_restore(git, records[:1]))
    assert files(git) == before


async def test_the_persons_own_later_change_is_shown_and_refused(git: ShadowGit) -> None:
    record = await changing(git, ("a.txt", "a2\n"), ("b.txt", "b2\n"))
    edit(git, ("a.txt", "mine\n"), ("mine.txt", "also mine\n"))
    plan = await plan_restore(git, [record])
    assert plan.conflicts == ("a.txt",)
    with pytest.raises(SnapshotError, match=r"a\.txt"):
        await apply_restore(git, plan)
    assert files(git) == {"a.txt": "mine\n", "b.txt": "b2\n", "mine.txt": "also mine\n"}
    await apply_restore(git, plan, skip_conflicts=True)
    assert files(git) == {"a.txt": "mine\n", "b.txt": "b1\n", "mine.txt": "also mine\n"}


async def test_a_change_of_the_person_between_two_calls_is_not_lost_either(git: ShadowGit) -> None:
    first = await changing(git, ("a.txt", "a2\n"))
    edit(git, ("a.txt", "a2\nmine\n"))
    second = await changing(git, ("a.txt", "a2\nmine\na3\n"))
    assert (await plan_restore(git, [first, second])).conflicts == ("a.txt",)
    plan = await plan_restore(git, [second])
    await apply_restore(git, plan)
    assert files(git)["a.txt"] == "a2\nmine\n"


async def test_what_the_person_already_put_back_is_no_conflict(git: ShadowGit) -> None:
    record = await changing(git, ("a.txt", "a2\n"))
    edit(git, ("a.txt", "a1\n"))
    assert await plan_restore(git, [record]) == RestorePlan((), ())


async def test_a_change_after_the_plan_was_made_is_refused(git: ShadowGit) -> None:
    record = await changing(git, ("a.txt", "a2\n"), ("b.txt", "b2\n"))
    plan = await plan_restore(git, [record])
    edit(git, ("a.txt", "mine\n"))
    with pytest.raises(SnapshotError, match="just now"):
        await apply_restore(git, plan)
    assert files(git) == {"a.txt": "mine\n", "b.txt": "b2\n"}


async def test_moving_to_another_branch_undoes_one_side_and_redoes_the_other(git: ShadowGit, tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    base = session.append_message(user("start"))
    left_record = await changing(git, ("a.txt", "left\n"), ("left.txt", "l\n"))
    left = session.append_custom(SNAPSHOT_TYPE, left_record.to_json())
    await apply_restore(git, await plan_restore(git, *records_between(session.tree, left, base)))
    session.branch(base)
    right_record = await changing(git, ("a.txt", "right\n"), ("right.txt", "r\n"))
    right = session.append_custom(SNAPSHOT_TYPE, right_record.to_json())
    assert SnapshotRecords(session.tree).get(right) == right_record
    await apply_restore(git, await plan_restore(git, *records_between(session.tree, right, left)))
    assert files(git) == {"a.txt": "left\n", "b.txt": "b1\n", "left.txt": "l\n"}
    await apply_restore(git, await plan_restore(git, *records_between(session.tree, left, right)))
    assert files(git) == {"a.txt": "right\n", "b.txt": "b1\n", "right.txt": "r\n"}


async def test_calls_that_run_together_make_one_record(git: ShadowGit) -> None:
    snapshots = Snapshots(git)
    await snapshots.begin("one")
    await snapshots.begin("two")
    edit(git, ("a.txt", "a2\n"))
    assert not snapshots.end("one")
    assert await snapshots.close() is None
    edit(git, ("b.txt", "b2\n"))
    assert snapshots.end("two")
    record = await snapshots.close()
    assert record is not None
    assert record.call_ids == ("one", "two")
    assert [change.path for change in await git.changes(record.before, record.after)] == ["a.txt", "b.txt"]
    assert not snapshots.end("never begun")


async def test_a_call_that_changes_nothing_leaves_no_record(git: ShadowGit, tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    snapshots = Snapshots(git)
    before = await snapshots.begin("c")
    opened = session.append_custom(SNAPSHOT_TYPE, SnapshotRecord(before, "", ("c",)).to_json())
    snapshots.end("c")
    record = await snapshots.close()
    assert record == SnapshotRecord(before, before, ("c",))
    assert record is not None
    session.append_custom(SNAPSHOT_TYPE, record.to_json_closing([opened]))
    assert records_between(session.tree, session.leaf_id, None) == ([], [])


async def test_bytes_links_and_execute_bits_come_back_as_they_were(git: ShadowGit) -> None:
    project = git.project
    (project / ".gitattributes").write_text("* text=auto eol=lf\n*.bin filter=lfs\n")
    (project / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    (project / "raw.bin").write_bytes(bytes(range(256)))
    (project / "run.sh").write_text("x\n")
    (project / "run.sh").chmod(0o750)
    (project / "link").symlink_to("a.txt")
    (project / "odd\nname ü").write_text("odd\n")
    names = ("dos.txt", "raw.bin", "run.sh", "odd\nname ü")
    before = {name: (project / name).read_bytes() for name in names}
    record = await changing(git, *((name, "changed") for name in names), ("link", None))
    (project / "run.sh").chmod(0o640)
    plan = await plan_restore(git, [record])
    assert "run.sh" in plan.conflicts
    (project / "run.sh").chmod(0o750)
    await apply_restore(git, await plan_restore(git, [record]))
    assert {name: (project / name).read_bytes() for name in names} == before
    assert os.readlink(project / "link") == "a.txt"
    assert (project / "run.sh").stat().st_mode & 0o777 == 0o750


async def test_ignored_and_huge_files_stay_out_unless_a_call_names_them(git: ShadowGit) -> None:
    edit(git, (".gitignore", "*.log\n.env\n"), (".env", "KEY=1\n"), ("x.log", "1"), ("node_modules/m.js", "1"))
    (git.project / "huge").write_bytes(b"0" * (LARGE_FILE_BYTES + 1))
    record = await changing(git, (".env", "KEY=2\n"), ("x.log", "2"), ("node_modules/m.js", "2"), paths=(".env",))
    (git.project / "huge").write_bytes(b"1" * (LARGE_FILE_BYTES + 1))
    assert [change.path for change in await git.changes(record.before, record.after)] == [".env"]


async def test_the_persons_own_repository_is_not_touched(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("a1\n")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    subprocess.run(["git", "add", "a.txt"], cwd=project, check=True)
    before = {path: path.read_bytes() for path in (project / ".git").rglob("*") if path.is_file()}
    git = ShadowGit(project, tmp_path / "data", "s")
    await git.prepare()
    record = await changing(git, ("a.txt", "a2\n"), ("new.txt", "n\n"))
    await apply_restore(git, await plan_restore(git, [record]))
    assert {path: path.read_bytes() for path in (project / ".git").rglob("*") if path.is_file()} == before
    assert (project / "a.txt").read_text() == "a1\n"
    assert not (project / "new.txt").exists()


async def test_a_folder_that_became_a_link_is_not_followed_out_of_the_project(git: ShadowGit, tmp_path: Path) -> None:
    record = await changing(git, ("deep/a.txt", "1\n"))
    again = await changing(git, ("deep/a.txt", "2\n"))
    outside = tmp_path / "outside"
    (git.project / "deep").rename(outside)
    (git.project / "deep").symlink_to(outside)
    plan = await plan_restore(git, [record, again])
    assert (plan.steps, plan.conflicts) == ((), ("deep/a.txt",))
    assert (outside / "a.txt").read_text() == "2\n"


async def test_a_snapshot_that_was_cancelled_does_not_stop_the_next(git: ShadowGit) -> None:
    (git.folder / "index-s1.lock").touch()
    record = await changing(git, ("a.txt", "a2\n"))
    with move_on_after(0.005):
        for number in range(1_000):
            edit(git, ("a.txt", f"{number}\n"))
            await git.write_tree()
    edit(git, ("a.txt", "a2\n"))
    await apply_restore(git, await plan_restore(git, [record]))
    assert files(git)["a.txt"] == "a1\n"


async def test_states_of_another_store_are_an_error(git: ShadowGit) -> None:
    with pytest.raises(SnapshotError):
        await plan_restore(git, [SnapshotRecord("1" * 40, "2" * 40)])


async def test_a_store_inside_the_project_does_not_keep_itself(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a1\n")
    git = ShadowGit(tmp_path, tmp_path / "home", "s")
    await git.prepare()
    record = await changing(git, ("a.txt", "a2\n"))
    assert [change.path for change in await git.changes(record.before, record.after)] == ["a.txt"]


async def test_the_home_folder_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SnapshotError, match="home"):
        await ShadowGit(tmp_path, tmp_path / "data", "s").prepare()


async def test_stores_that_nobody_uses_are_discarded(git: ShadowGit, tmp_path: Path) -> None:
    assert discard_unused(tmp_path / "data") == 0
    os.utime(git.folder, (1, 1))
    assert discard_unused(tmp_path / "data") == 1
    assert not git.folder.exists()


async def test_a_snapshot_of_2000_files_is_quick(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for number in range(2_000):
        path = project / f"d{number % 40}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"print({number})\n" * 20)
    git = ShadowGit(project, tmp_path / "data", "s")
    await git.prepare()
    await git.write_tree()
    times: list[float] = []
    for number in range(5):
        edit(git, (f"d1/f{number * 40 + 1}.py", f"changed {number}\n"))
        start = time.perf_counter()
        await git.write_tree()
        times.append(time.perf_counter() - start)
    # 250 ms is the aim on a quiet machine; this only tells a wrong order of magnitude.
    assert statistics.median(times) < 1.0, times


def tree_by_git(git: ShadowGit, index: Path) -> str:
    """What git itself makes of the project as it stands."""
    environment = {**os.environ, "GIT_DIR": str(git.folder), "GIT_WORK_TREE": str(git.project)}
    environment |= {"GIT_INDEX_FILE": str(index), "GIT_CONFIG_GLOBAL": os.devnull}

    def run(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=git.project, env=environment, check=True, capture_output=True, text=True
        ).stdout

    index.unlink(missing_ok=True)
    run("add", "-A", ".")
    return run("write-tree").strip()


CHANGES: list[tuple[tuple[str, str | None], ...]] = [
    (("a.txt", "a2\n"),),
    (("new.txt", "n\n"), ("deep/er/x.py", "x\n")),
    (("deep/er/x.py", None),),
    (("z.log", "ignored\n"), ("build/out", "ignored\n"), ("build.txt", "kept\n")),
    (("a.txt", None), ("b.txt", "b1\n")),
    (("deep/.gitignore", "*.tmp\n"), ("deep/one.tmp", "1\n"), ("deep/one.py", "1\n")),
    ((".gitignore", "*.log\n"), ("build/out", "no longer ignored\n")),
    (("a-b", "sorts before a/\n"), ("a/b", "in a folder\n"), ("a0", "sorts after a/\n")),
    (("deep/.gitignore", None),),
    (("a/b", None), ("a-b", None)),
    (("a", "a file where a folder was\n"),),
    (("a", None),),
    (("a/c/d", "and a folder again\n"),),
]


async def test_a_state_is_what_git_would_make_of_it_whatever_happens_between(git: ShadowGit, tmp_path: Path) -> None:
    edit(git, (".gitignore", "*.log\nbuild/\n"))
    assert await git.write_tree() == tree_by_git(git, tmp_path / "index")
    for change in CHANGES:
        edit(git, *change)
        for folder in (git.project / "deep", git.project / "a"):
            if folder.is_dir() and not any(path.is_file() for path in folder.rglob("*")):
                shutil.rmtree(folder)
        state = await git.write_tree()
        assert state == tree_by_git(git, tmp_path / "index"), change
        another = ShadowGit(git.project, tmp_path / "data", f"other{len(state)}")
        assert await another.write_tree() == state, change


async def test_a_change_within_one_tick_of_the_clock_is_seen(git: ShadowGit, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()

    def same_time(status: os.stat_result) -> Seen:
        return Seen(mode_of(status.st_mode), status.st_size, now, now + 10**12)

    monkeypatch.setattr(Seen, "of", same_time)
    states: set[str] = set()
    for number in range(3):
        edit(git, ("a.txt", f"a{number}\n"))
        states.add(await git.write_tree())
    assert len(states) == 3


async def test_a_time_that_was_set_back_hides_no_change(git: ShadowGit) -> None:
    path = git.project / "a.txt"
    os.utime(path, (1, 1))
    before = await git.write_tree()
    path.write_text("a2\n")
    os.utime(path, (1, 1))
    assert await git.write_tree() != before


async def test_a_repository_in_the_project_is_left_alone(git: ShadowGit) -> None:
    edit(git, ("sub/file", "1\n"))
    subprocess.run(["git", "init", "-q"], cwd=git.project / "sub", check=True)
    before = await git.write_tree()
    edit(git, ("sub/file", "2\n"), ("sub/other", "2\n"))
    assert await git.write_tree() == before


async def test_a_file_that_grows_too_large_is_never_brought_back_from_a_stale_state(git: ShadowGit) -> None:
    record = await changing(git, ("a.txt", "0" * (LARGE_FILE_BYTES + 1)))
    small = await changing(git, ("a.txt", "small\n"), ("b.txt", "b2\n"))
    plan = await plan_restore(git, [record, small])
    assert plan.conflicts == ("a.txt",)
    assert [step.path for step in plan.steps] == ["b.txt"]


async def one_call(snapshots: Snapshots, *edits: tuple[str, str | None], path: str) -> SnapshotRecord:
    """An edit or a write, which changes nothing but its path."""
    await snapshots.begin("c", (path,), changes_only_paths=True)
    edit(snapshots.git, *edits)
    assert snapshots.end("c")
    record = await snapshots.close()
    assert record is not None
    return record


async def changed(git: ShadowGit, record: SnapshotRecord) -> list[str]:
    return [change.path for change in await git.changes(record.before, record.after)]


async def test_what_the_person_does_beside_an_edit_is_not_taken_for_the_edits(git: ShadowGit) -> None:
    snapshots = Snapshots(git)
    record = await one_call(snapshots, ("a.txt", "a2\n"), ("b.txt", "the person's\n"), path="a.txt")
    assert await changed(git, record) == ["a.txt"]
    await apply_restore(git, await plan_restore(git, [record]))
    assert files(git) == {"a.txt": "a1\n", "b.txt": "the person's\n"}
    later = await changing(git, ("a.txt", "a3\n"))
    assert await changed(git, later) == ["a.txt"]


async def test_an_edit_through_a_link_is_seen_where_it_happens(git: ShadowGit) -> None:
    (git.project / "link").symlink_to("a.txt")
    os.link(git.project / "b.txt", git.project / "b2.txt")
    snapshots = Snapshots(git)
    assert await changed(git, await one_call(snapshots, ("link", "a2\n"), path="link")) == ["a.txt"]
    assert await changed(git, await one_call(snapshots, ("b2.txt", "b2\n"), path="b2.txt")) == ["b.txt", "b2.txt"]


async def test_a_command_that_joins_an_edit_hides_nothing_of_it(git: ShadowGit) -> None:
    edit(git, (".gitignore", "*.log\n"), ("x.log", "old\n"))
    snapshots = Snapshots(git)
    await snapshots.begin("edit", ("a.txt",), changes_only_paths=True)
    edit(git, ("a.txt", "half\n"))
    await snapshots.begin("command")
    edit(git, ("a.txt", "a2\n"), ("b.txt", "b2\n"))
    await snapshots.begin("log", ("x.log",), changes_only_paths=True)
    edit(git, ("x.log", "new\n"))
    await snapshots.begin("again", ("b.txt",), changes_only_paths=True)
    for call in ("edit", "command", "log", "again"):
        snapshots.end(call)
    record = await snapshots.close()
    assert record is not None
    assert record.call_ids == ("edit", "command", "log", "again")
    assert await changed(git, record) == ["a.txt", "b.txt", "x.log"]
    await apply_restore(git, await plan_restore(git, [record]))
    assert files(git) == {".gitignore": "*.log\n", "a.txt": "a1\n", "b.txt": "b1\n", "x.log": "old\n"}


async def test_a_call_that_was_never_closed_is_unknown_and_nothing_is_lost(git: ShadowGit, tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    base = session.append_message(user("start"))
    known = await changing(git, ("a.txt", "a2\n"), ("b.txt", "b2\n"))
    session.append_custom(SNAPSHOT_TYPE, known.to_json())
    session.append_custom(SNAPSHOT_TYPE, SnapshotRecord(await git.write_tree(), "", ("killed",)).to_json())
    edit(git, ("a.txt", "by the killed call\n"))
    undo, redo = records_between(session.tree, session.leaf_id, base)
    assert [record.is_unknown for record in undo] == [False, True]
    assert (undo[1].call_ids, undo[1].reverse, redo) == (("killed",), undo[1], [])
    plan = await plan_restore(git, [record for record in undo if not record.is_unknown])
    assert (plan.conflicts, [step.path for step in plan.steps]) == (("a.txt",), ["b.txt"])


async def test_the_first_look_tells_how_far_it_is_and_can_be_stopped(git: ShadowGit) -> None:
    edit(git, *((f"many/{number}", f"{number}\n") for number in range(1_200)))
    told: list[tuple[int, int]] = []

    def stop_at_500(done: int, total: int) -> bool:
        told.append((done, total))
        return done < 500

    with pytest.raises(SnapshotError, match="stopped"):
        await git.write_tree(tell=stop_at_500)
    assert told == [(0, 1_202), (500, 1_202)]
    assert await git.write_tree() == await ShadowGit(git.project, git.folder.parents[1], "other").write_tree()
