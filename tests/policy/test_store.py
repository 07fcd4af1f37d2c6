import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pyagent_tui.policy import store
from pyagent_tui.policy.store import locked, replace

INCREMENT = """
import sys
from pathlib import Path
from pyagent_tui.policy.store import locked, replace
path = Path(sys.argv[1])
for _ in range(40):
    with locked(path):
        replace(path, str(int(path.read_text()) + 1).encode())
"""


def test_processes_that_count_together_lose_no_step(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")
    runs = [subprocess.Popen([sys.executable, "-c", INCREMENT, str(path)]) for _ in range(3)]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    assert path.read_text() == "120"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".count.lock", "count"]


def test_a_lock_that_is_never_given_back_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LOCK_PATIENCE", 0.1)
    with locked(tmp_path / "f"), pytest.raises(TimeoutError, match="locked"), locked(tmp_path / "f"):
        pass
    with locked(tmp_path / "f"):
        pass


def test_new_folders_and_files_are_private_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with locked(tmp_path / "own" / "f.json"):
            replace(tmp_path / "own" / "f.json", b"{}")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "own", tmp_path / "own" / "f.json")]
    assert modes == [0o700, 0o600]


def test_the_mode_of_a_file_stays_under_any_umask(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.touch()
    path.chmod(0o644)
    before = os.umask(0o077)
    try:
        replace(path, b"new")
    finally:
        os.umask(before)
    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (0o644, b"new")


def test_a_failed_replace_leaves_the_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]
