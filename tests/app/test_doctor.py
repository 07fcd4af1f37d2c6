import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pyagent_tui.app.doctor import Finding, Machine, Section, examine, report
from pyagent_tui.app.paths import Paths
from pyagent_tui.policy.trust import TrustStore


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which all is well."""
    for name in ("bash", "rg", "git", "vim"):
        program(tmp_path / "bin", name, f"echo {name} 1.0")
    cwd = tmp_path / "project"
    cwd.mkdir()
    environ = {
        "PATH": f"{tmp_path / 'bin'}",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "EDITOR": "vim -u NONE",
        "ANTHROPIC_API_KEY": "secret-value-1",
    }
    return Machine(Paths(tmp_path / "config", tmp_path / "data"), environ, cwd, True, (100, 40), "utf-8")


def found(machine: Machine, topic: str) -> Finding:
    """The one finding on this topic."""
    (finding,) = [finding for section in examine(machine) for finding in section.findings if finding.topic == topic]
    return finding


def changed(machine: Machine, **environ: str) -> Machine:
    return replace(machine, environ={**machine.environ, **environ})


def test_a_good_machine_has_only_good_findings(machine: Machine) -> None:
    sections = examine(machine)
    assert {finding.level for section in sections for finding in section.findings} == {"ok"}
    assert report(sections).endswith("\nNothing needs mending.\n")
    assert found(machine, "rg").text == f"rg 1.0 at {machine.environ['PATH']}/rg"


def test_keys_are_named_and_never_shown(machine: Machine) -> None:
    text = report(
        examine(changed(machine, OPENAI_API_KEY="secret-value-2", OPENAI_BASE_URL="http://u:pw@host/v1?k=pw"))
    )
    assert "OPENAI_API_KEY is set" in text
    assert "OPENAI_BASE_URL http://host/v1" in text
    assert "secret-value" not in text
    assert "pw" not in text


def test_proxies_are_told_without_their_password(machine: Machine) -> None:
    assert found(changed(machine, all_proxy="socks5://u:pw@proxy:1080"), "network").text == (
        "ALL_PROXY socks5://proxy:1080"
    )


def test_without_a_key_it_says_what_to_set(machine: Machine) -> None:
    assert "ANTHROPIC_API_KEY" in found(changed(machine, ANTHROPIC_API_KEY=""), "keys").text


@pytest.mark.parametrize(
    ("environ", "topic", "words", "level"),
    [
        ({"TERM": "dumb"}, "TERM", "dumb", "note"),
        ({"COLORTERM": ""}, "colours", "256;", "note"),
        ({"NO_COLOR": "1"}, "colours", "off, by NO_COLOR", "ok"),
        ({"TMUX": "/tmp/x"}, "inside", "tmux", "ok"),
        ({"STY": "1.pts"}, "inside", "screen", "ok"),
        ({"SSH_CONNECTION": "1 2"}, "over", "ssh", "ok"),
        ({"EDITOR": "", "PATH": "/nowhere"}, "editor", "none", "note"),
        ({"EDITOR": "nowhere-edit"}, "editor", "not found", "note"),
        ({"PATH": "/nowhere"}, "shell", "no command can run", "fix"),
        ({"PATH": "/nowhere"}, "rg", "install ripgrep", "note"),
    ],
)
def test_the_environment_is_read(machine: Machine, environ: dict[str, str], topic: str, words: str, level: str) -> None:
    finding = found(changed(machine, **environ), topic)
    assert words in finding.text
    assert finding.level == level


def test_a_small_or_plain_terminal_is_noted(machine: Machine) -> None:
    assert found(replace(machine, size=(40, 10)), "size") == Finding("size", "40x10", "note")
    assert found(replace(machine, is_terminal=False), "output").level == "note"
    assert "UTF-8 locale" in found(replace(machine, encoding="ascii"), "characters").text


def test_a_program_that_hangs_or_fails_costs_little(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyagent_tui.app.doctor.PATIENCE", 0.1)
    program(Path(machine.environ["PATH"]), "rg", "exec /bin/sleep 30")
    program(Path(machine.environ["PATH"]), "git", "exit 1")
    assert found(machine, "rg").text.startswith("(version unknown) at ")
    assert found(machine, "git").text.startswith("(version unknown) at ")


def test_faults_in_the_settings_are_to_mend(machine: Machine) -> None:
    machine.paths.config.mkdir()
    machine.paths.config_file.write_text('shell_path = "/no/shell"\nmouse = 3\n')
    assert found(machine, "shell") == Finding("shell", "shell_path /no/shell cannot be run", "fix")
    assert "config.toml:2: mouse must be true or false" in found_all(machine, "settings")[-1].text
    assert "To mend: 2, marked `fix`." in report(examine(machine))


def test_faults_in_every_other_file_are_to_mend(machine: Machine) -> None:
    paths = machine.paths
    paths.themes.mkdir(parents=True)
    (paths.themes / "mine.toml").write_text("dark = 3\n")
    paths.models_file.write_text('[providers.x]\napi = "nope"\n')
    for path, text in ((paths.auth_file, '{"a"'), (paths.rules_file, "[rules\n")):
        path.write_text(text)
        path.chmod(0o600)
    for topic, words in (
        ("models", "models.toml:2: api must be one of"),
        ("stored keys", "auth.json"),
        ("rules", "rules.toml is no TOML"),
        ("themes", "mine.toml"),
    ):
        fault = found_all(machine, topic)[0]
        assert fault.level == "fix"
        assert words in fault.text


def found_all(machine: Machine, topic: str) -> list[Finding]:
    return [finding for section in examine(machine) for finding in section.findings if finding.topic == topic]


def test_files_with_secrets_must_be_private(machine: Machine) -> None:
    machine.paths.config.mkdir()
    machine.paths.auth_file.write_text("{}")
    machine.paths.auth_file.chmod(0o644)
    assert found(machine, "auth.json").level == "fix"
    machine.paths.auth_file.chmod(0o600)
    assert found(machine, "auth.json").level == "ok"


def test_a_folder_that_cannot_be_made_is_to_mend(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = replace(machine, paths=Paths(tmp_path / "file" / "config", tmp_path / "data"))
    assert found(blocked, "settings").level == "fix"
    assert "is not a folder" in found(blocked, "settings").text


def test_looking_makes_nothing(machine: Machine, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    examine(machine)
    assert sorted(tmp_path.rglob("*")) == before


def test_trust_of_the_folder_and_what_it_brings_is_told(machine: Machine) -> None:
    assert machine.cwd is not None
    config = machine.cwd / ".pyagent" / "config.toml"
    config.parent.mkdir()
    config.write_text("theme = 1\n")
    assert found(machine, "trust").text == "not decided; what it brings is left alone"
    assert found(machine, "brings").text == str(config)
    assert len(found_all(machine, "settings")) == 1
    TrustStore(machine.paths.trust_file).save(machine.cwd, True)
    assert found(machine, "trust").text == "trusted"
    assert f"{config}:1: theme must be" in found_all(machine, "settings")[-1].text
    machine.paths.trust_file.write_text("{")
    assert found(machine, "trust").level == "fix"


def test_outside_text_cannot_drive_the_terminal(machine: Machine) -> None:
    text = report(examine(changed(machine, TERM="x\x1b]0;owned\x07\n\u202efix")))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("\n  fix") == 0


def test_sections_of_others_are_shown_and_count() -> None:
    text = report([Section("Sandbox", (Finding("bwrap", "not found", "fix"),))])
    assert "\nSandbox\n  fix   bwrap        not found\n" in text


def run(tmp_path: Path, code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    base = {"PATH": os.environ["PATH"], "PYAGENT_TUI_HOME": str(tmp_path / "home"), "TERM": "xterm-256color"}
    return subprocess.run(
        [sys.executable, "-c", code], env={**base, **environ}, cwd=tmp_path, capture_output=True, text=True, check=False
    )


DOCTOR = "from pyagent_tui.app.doctor import run_doctor; raise SystemExit(run_doctor())"


def test_the_exit_status_tells_whether_something_needs_mending(tmp_path: Path) -> None:
    good = run(tmp_path, DOCTOR)
    assert (good.returncode, good.stderr) == (0, "")
    assert str(tmp_path / "home") in good.stdout
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("=")
    bad = run(tmp_path, DOCTOR)
    assert bad.returncode == 1
    assert "config.toml:1:" in bad.stdout


def test_it_works_in_a_deleted_folder_without_home_in_ascii(tmp_path: Path) -> None:
    code = f"import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); {DOCTOR}"
    done = run(tmp_path, code, PYTHONIOENCODING="ascii", EDITOR="é", PYAGENT_TUI_HOME="")
    assert done.stderr == ""
    assert done.returncode == 1
    assert "no longer exists" in done.stdout
