"""Copying from the transcript on the real app."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyagent_tui.tests.stage_app import AppStage, open_app, say

pytestmark = pytest.mark.anyio

ANSWER = "Do this:\n\n```sh\nmake test\n```\n\nThen rest."


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a clipboard tool puts what it gets."""
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "wl-copy"
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied.part && mv {tmp_path}/copied.part {tmp_path}/copied\n")
    tool.chmod(0o755)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.delenv("SSH_TTY", raising=False)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return tmp_path / "copied"


async def answered(stage: AppStage) -> None:
    await stage.say("what now?")
    await stage.see("Then rest.")
    await stage.idle()
    stage.app.view.transcript.focus()
    await stage.pilot.pause()


async def test_y_copies_the_last_answer_and_says_what_worked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: Path
) -> None:
    async with open_app(tmp_path, monkeypatch, [say(ANSWER)]) as stage:
        await answered(stage)
        await stage.press("y")
        await stage.see("The answer: copied with wl-copy.")
        assert copied.read_text() == ANSWER
        await stage.press("Y")
        await stage.until(lambda: copied.read_text() == "make test", "the code alone")


async def test_without_a_tool_the_terminal_is_asked_and_tmux_passes_it_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    monkeypatch.setenv("TMUX", "/tmp/tmux,1,0")
    async with open_app(tmp_path, monkeypatch, [say(ANSWER)]) as stage:
        written: list[str] = []
        driver = stage.app._driver  # pyright: ignore[reportPrivateUsage]
        assert driver is not None
        monkeypatch.setattr(driver, "write", written.append)
        stage.app.view.transcript.focus()
        await stage.press("y")
        await stage.see("Nothing to copy.")
        await answered_from_editor(stage)
        await stage.press("y")
        await stage.see("it does not say")
        output = "".join(written)
        assert "\x1b]52;c;RG8gdGhpczo" in output
        assert "\x1bPtmux;\x1b\x1b]52;c;RG8gdGhpczo" in output


async def answered_from_editor(stage: AppStage) -> None:
    stage.app.view.editor.focus()
    await answered(stage)
