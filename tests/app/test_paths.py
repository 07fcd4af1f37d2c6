import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pyagent_tui.app.paths import find_paths


def test_one_folder_holds_both_if_it_is_set(tmp_path: Path) -> None:
    paths = find_paths({"PYAGENT_TUI_HOME": str(tmp_path)})
    assert paths.config_file == tmp_path / "config.toml"
    assert paths.sessions == tmp_path / "sessions"
    assert list(tmp_path.iterdir()) == []


def test_that_folder_may_be_relative_or_below_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert find_paths({"PYAGENT_TUI_HOME": "here"}).config == tmp_path / "here"
    assert find_paths({"PYAGENT_TUI_HOME": "~/there"}).config == Path("/home/me/there")


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")
def test_without_it_the_platforms_folders_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    paths = find_paths({})
    assert paths.config == Path("/home/me/.config/pyagent-tui")
    assert paths.data == Path("/home/me/.local/share/pyagent-tui")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/x")
    assert find_paths({}).config == Path("/x/pyagent-tui")


def test_an_unset_home_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    assert find_paths({}).config.is_absolute()


HOMELESS = """
import os, pwd
def gone(uid): raise KeyError(uid)
pwd.getpwuid = gone
from pyagent_tui.app.paths import find_paths
print(find_paths({}).config)
"""


@pytest.mark.skipif(os.name == "nt", reason="users of POSIX")
def test_without_any_home_a_private_temporary_folder_is_used(tmp_path: Path) -> None:
    def config() -> Path:
        environ = {"TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
        done = subprocess.run([sys.executable, "-c", HOMELESS], env=environ, capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())

    usual = tmp_path / f"pyagent-tui-{os.getuid()}"
    assert config() == usual
    assert stat.S_IMODE(usual.stat().st_mode) == 0o700
    usual.rmdir()
    usual.symlink_to(tempfile.gettempdir())
    assert config() not in (usual, Path(tempfile.gettempdir()))
