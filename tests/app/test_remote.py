"""Work on another machine: the real program and the real app against a real ssh server on loopback."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.arguments import parse_arguments
from pyagent_tui.app.conversation.machine import reach
from pyagent_tui.app.conversation.remote_files import find_remote_files
from pyagent_tui.app.start_error import StartError
from pyagent_tui.tests.app.test_headless import Program
from pyagent_tui.tests.stage_app import call, open_app, say
from pyagent_tui.tests.tools.sshd import IS_AVAILABLE, running_sshd
from pyagent_tui.tools.memory import MemoryOperations
from pyagent_tui.tools.remote import Remote, parse_remote

needs_sshd = pytest.mark.skipif(not IS_AVAILABLE, reason="there is no sshd here")


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The destination, and a folder with a program `ssh` that reaches it without the person's own settings."""
    folder = tmp_path_factory.mktemp("sshd")
    with running_sshd(folder) as (destination, options):
        programs = folder / "bin"
        programs.mkdir()
        ssh = shutil.which("ssh") or "ssh"
        (programs / "ssh").write_text(f'#!/bin/sh\nexec {shlex.join([ssh, *options])} "$@"\n')
        (programs / "ssh").chmod(0o755)
        yield destination, programs


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """The folder on the other machine."""
    folder = tmp_path / "there"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.txt").write_text("one\n")
    (folder / "AGENTS.md").write_text("Say moin.\n")
    return folder


@pytest.fixture
def program(tmp_path: Path, far: tuple[str, Path]) -> Program:
    program = Program(tmp_path)
    program.environment["PATH"] = f"{far[1]}{os.pathsep}{os.environ['PATH']}"
    return program


READ = call("read", path="src/a.txt")
EDIT = call("edit", path="src/a.txt", oldText="one", newText="1")


def results(program: Program) -> list[dict[str, Any]]:
    return [e["message"] for e in program.sessions()[-1] if e.get("message", {}).get("role") == "toolResult"]


@needs_sshd
def test_files_and_commands_are_those_of_the_other_machine(
    program: Program, far: tuple[str, Path], there: Path
) -> None:
    program.environment["ANTHROPIC_API_KEY"] = "sk-not-for-there"
    turns = [READ, EDIT, call("bash", command="pwd; echo $SSH_CONNECTION; echo [$ANTHROPIC_API_KEY]"), say("done")]
    done = program.run("--remote", f"{far[0]}:{there}", "--approval", "auto", "-p", "go", turns=turns)
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert (there / "src" / "a.txt").read_text() == "1\n"
    text = results(program)[-1]["content"][0]["text"]
    assert text.startswith(f"{there}\n127.0.0.1")
    assert text.rstrip().endswith("[]")
    assert program.sessions()[-1][0]["cwd"] == f"ssh://{far[0]}{there}"
    assert list(program.project.iterdir()) == []


@needs_sshd
def test_a_session_goes_on_where_it_was(program: Program, far: tuple[str, Path], there: Path) -> None:
    remote = f"{far[0]}:{there}"
    program.run("--remote", remote, "-p", "look", turns=[READ, say("seen")])
    done = program.run("--remote", remote, "-c", "--approval", "auto", "-p", "edit", turns=[EDIT, say("done")])
    assert done.returncode == 0
    assert (there / "src" / "a.txt").read_text() == "1\n"
    (entries,) = program.sessions()
    done = program.run("--session", entries[0]["id"], "--approval", "auto", "-p", "look", turns=[READ, say("again")])
    assert done.stdout == b"again\n"
    assert results(program)[-1]["content"][0]["text"] == "1\n"


@needs_sshd
def test_a_session_of_another_folder_is_not_moved_silently(
    program: Program, far: tuple[str, Path], there: Path
) -> None:
    program.run("-p", "hi", turns=[say("local")])
    (entries,) = program.sessions()
    words = ("--remote", f"{far[0]}:{there}", "-p", "go")
    done = program.run("--session", entries[0]["id"], *words, turns=[say("no")])
    assert done.returncode == 1
    assert b"That session belongs to" in done.stderr
    assert b"--fork" in done.stderr
    done = program.run("--fork", entries[0]["id"], *words, turns=[READ, say("copied")])
    assert done.stdout == b"copied\n"
    assert not any(e.get("isError") for e in results(program))


@needs_sshd
@pytest.mark.parametrize(("folder", "words"), [("/nope/nope", "There is no folder"), ("~root/x", "There is no folder")])
def test_a_folder_that_is_not_there_is_said(program: Program, far: tuple[str, Path], folder: str, words: str) -> None:
    done = program.run("--remote", f"{far[0]}:{folder}", "-p", "go", turns=[say("no")])
    assert (done.returncode, done.stdout) == (1, b"")
    assert words in done.stderr.decode()


@pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh here")
def test_a_machine_out_of_reach_is_an_error_that_says_why(program_without_far: Program) -> None:
    done = program_without_far.run("--remote", "ssh://x@127.0.0.1:1/x", "-p", "go", turns=[say("no")])
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"x@127.0.0.1:1 cannot be reached:" in done.stderr
    assert program_without_far.sessions() == []


@pytest.fixture
def program_without_far(tmp_path: Path) -> Program:
    return Program(tmp_path)


def fake_ssh(program: Program, folder: Path, script: str) -> None:
    folder.mkdir()
    (folder / "ssh").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "ssh").chmod(0o755)
    program.environment["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_machine_that_wants_a_password_is_not_waited_for(program_without_far: Program, tmp_path: Path) -> None:
    words = "echo 'x@y: Permission denied (publickey,password).' >&2; exit 255"
    fake_ssh(program_without_far, tmp_path / "bin", f'case "$*" in *BatchMode=yes*) {words};; esac; cat')
    done = program_without_far.run("--remote", "x@y:/x", "-p", "go", turns=[say("no")])
    assert done.returncode == 1
    assert b"Permission denied" in done.stderr
    assert b"ssh-copy-id" in done.stderr


@needs_sshd
@pytest.mark.anyio
async def test_the_screen_works_on_the_other_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, far: tuple[str, Path], there: Path
) -> None:
    monkeypatch.setenv("PATH", f"{far[1]}{os.pathsep}{os.environ['PATH']}")
    remote = parse_remote(f"{far[0]}:{there}")
    async with open_app(tmp_path, monkeypatch, [READ, say("seen it")], remote=remote, size=(160, 30)) as stage:
        await stage.see(f"{far[0]}:{there}")
        await stage.see("cannot be brought back with /rewind")
        await stage.say("look")
        await stage.see("seen it")
        await stage.idle()
        await stage.say("!pwd; echo $SSH_CONNECTION")
        await stage.see("127.0.0.1")
        complete = stage.app.view.editor.complete_file
        assert complete is not None
        found = [answer async for answer in complete("a.t")][-1]
        assert [each.text for each in found] == ["src/a.txt"]
        composition = stage.app.conversation.composition
        assert composition is not None
        prompt = composition.agent.setup.system_prompt
        assert "Say moin." in prompt
        assert f"<cwd>\n{there}\nThis folder is on another machine" in prompt
        await stage.say("/new")
        await stage.until(lambda: stage.app.conversation.composition not in (None, composition), "a new session")
        composition = stage.app.conversation.composition
        assert composition is not None
        assert composition.folder == str(there)


@pytest.mark.anyio
async def test_an_unreachable_machine_loses_nothing_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote, words = Remote("ssh://x@127.0.0.1:1", "/x"), ("keep me",)
    async with open_app(tmp_path, monkeypatch, [say("x")], has_agent=False, remote=remote, messages=words) as stage:
        await stage.see("cannot be reached")
        await stage.see("/new tries again")
        await stage.until(lambda: stage.draft == "keep me")
        await stage.press("enter")
        await stage.see("There is no session to send this to")
        assert stage.draft == "keep me"


@pytest.mark.anyio
async def test_instructions_are_read_up_to_the_repository_or_the_home() -> None:
    files = {
        "/AGENTS.md": b"of the machine",
        "/srv/AGENTS.md": b"of strangers",
        "/srv/app/.git/HEAD": b"x",
        "/srv/app/AGENTS.md": b"of the repository",
        "/srv/app/sub/CLAUDE.md": b"of the folder",
        "/home/AGENTS.md": b"of the home",
        "/home/work/plain/x": b"",
    }
    machine = MemoryOperations(files)

    async def texts(folder: str) -> list[str]:
        return [file.text for file in (await find_remote_files(machine, folder)).files]

    assert await texts("/srv/app/sub") == ["of the repository", "of the folder"]
    assert await texts("/srv") == ["of strangers"]
    assert await texts("/home/work/plain") == ["of the home"]


@needs_sshd
@pytest.mark.anyio
async def test_paths_are_completed_with_and_without_git(
    far: tuple[str, Path], there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{far[1]}{os.pathsep}{os.environ['PATH']}")
    machine = await reach(Remote(far[0], str(there)))
    try:
        listed = [name async for names in machine.list_files() for name in names]
        assert sorted(listed) == ["AGENTS.md", "src/a.txt"]
        paths = machine.paths()
        assert [item.text for item in await paths.complete("s")] == ["src/"]
        assert [item.text for item in await paths.complete("src/")] == ["src/a.txt"]
        assert not await paths.complete("nope/")
        with pytest.raises(StartError, match="There is no folder"):
            await reach(Remote(far[0], str(there / "nope")))
    finally:
        await machine.operations.aclose()


@pytest.mark.parametrize(
    ("text", "shown", "address"),
    [
        ("me@box:/srv/app", "me@box:/srv/app", "ssh://me@box/srv/app"),
        ("ssh://me@box/srv/app", "me@box:/srv/app", "ssh://me@box/srv/app"),
        ("ssh://me@box:2222/srv", "me@box:2222:/srv", "ssh://me@box:2222/srv"),
        ("me@[::1]:/srv", "me@::1:/srv", "ssh://me@[::1]/srv"),
        ("ssh://me@[::1]:22/srv", "me@[::1]:22:/srv", "ssh://me@[::1]:22/srv"),
    ],
)
def test_an_address_leads_back_to_the_same_folder(text: str, shown: str, address: str) -> None:
    remote = parse_arguments(["--remote", text]).remote
    assert remote is not None
    assert (str(remote), remote.address) == (shown, address)
    assert parse_remote(address) == remote


@pytest.mark.parametrize("text", ["ssh://-oProxyCommand=x/", "ssh://a b/", "ssh:///x", "ssh://me@-x/", "ssh://x`y`/z"])
def test_an_address_that_could_mean_something_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no remote folder"):
        parse_remote(text)


def test_the_command_line_refuses_what_is_no_remote(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--remote", "/local/folder"], ["--remote", "box:/x", "--demo"]):
        with pytest.raises(SystemExit):
            parse_arguments(words)
    assert "no remote folder" in capsys.readouterr().err


@needs_sshd
def test_the_linear_mode_works_there_too(program: Program, far: tuple[str, Path], there: Path) -> None:
    words = ("--linear", "--remote", f"{far[0]}:{there}", "--approval", "auto")
    done = program.run(*words, turns=[EDIT, READ, EDIT, say("all done")], piped=b"go\n")
    assert f"connecting to {far[0]}" in done.stdout.decode()
    assert f"in {far[0]}:{there}" in done.stdout.decode()
    assert "all done" in done.stdout.decode()
    assert "has not been read" in done.stdout.decode()
    assert (there / "src" / "a.txt").read_text() == "1\n"
