import os
import re
import time
from pathlib import Path

import pytest

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.sessions.outputs import KEPT_SECONDS, output_folder, remove_old_outputs
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.app.test_headless import Program
from pyagent_tui.tests.real_app import isolate, open_real_app, write_script
from pyagent_tui.tests.stage_app import call, say


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


LONG = [call("bash", command="seq 1 5000"), say("done")]


def named_file(printed: bytes) -> Path:
    found = re.search(r"Full output: (/[^\]\"]+)", printed.decode())
    assert found
    return Path(found[1])


def test_a_long_output_is_kept_with_its_session_for_its_owner_alone(program: Program, tmp_path: Path) -> None:
    done = program.run("--mode", "json", "--approval", "auto", "count", turns=LONG)
    file = named_file(done.stdout)
    assert file.read_text() == "".join(f"{number}\n" for number in range(1, 5001))
    assert file.parent.parent == tmp_path / "home" / "outputs"
    assert [path.stat().st_mode & 0o777 for path in (file, file.parent, file.parent.parent)] == [0o600, 0o700, 0o700]


def test_what_a_session_without_a_file_kept_is_gone_at_its_end(program: Program, tmp_path: Path) -> None:
    program.environment["TMPDIR"] = str(tmp_path)
    done = program.run("--mode", "json", "--approval", "auto", "--no-session", "count", turns=LONG)
    file = named_file(done.stdout)
    assert file.is_relative_to(tmp_path)
    assert not file.exists()
    assert not file.parent.exists()


def test_a_start_removes_outputs_of_sessions_that_nobody_opened_for_long(program: Program, tmp_path: Path) -> None:
    outputs = tmp_path / "home" / "outputs"
    for name in ("old", "new"):
        (outputs / name).mkdir(parents=True)
        (outputs / name / "bash.log").write_text("output")
    long_ago = time.time() - KEPT_SECONDS - 60
    os.utime(outputs / "old", (long_ago, long_ago))
    assert program.run("-p", "hi", turns=[say("done")]).returncode == 0
    assert os.listdir(outputs) == ["new"]


def test_to_open_a_session_keeps_its_outputs(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path)
    folder, _ = output_folder(tmp_path / "outputs", session)
    folder.mkdir(parents=True)
    later = time.time() + KEPT_SECONDS - 60
    os.utime(folder, (0, 0))
    output_folder(tmp_path / "outputs", session)
    remove_old_outputs(tmp_path / "outputs", later)
    assert folder.exists()
    remove_old_outputs(tmp_path / "outputs", later + 120)
    assert not folder.exists()
    session.close()


def test_a_link_among_the_outputs_is_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "link").symlink_to(kept)
    remove_old_outputs(tmp_path / "outputs", time.time() + 2 * KEPT_SECONDS)
    assert kept.exists()


@pytest.mark.anyio
async def test_a_start_removes_what_rewind_kept_of_projects_nobody_works_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = isolate(tmp_path, monkeypatch)
    old, fresh = (tmp_path / "config" / "snapshots" / name for name in ("old", "fresh"))
    for folder in (old, fresh):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [say("yes")]))) as stage:
        await stage.until(lambda: not old.exists(), "the old one is gone")
    assert fresh.exists()
