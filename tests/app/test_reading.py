"""Reading with the keys, on the real app."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.widgets.transcript.message_cells import UserCell

pytestmark = pytest.mark.anyio

LONG = "\n\n".join(f"paragraph {number}" for number in range(40))
CODE = "Either\n\n```sh\nmake one\n```\n\nor\n\n```sh\nmake two\n```\n"


@pytest.fixture(autouse=True)
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was sent to the clipboard, through the one function that copies."""
    texts: list[str] = []

    def copy_text(text: str, _: object) -> str:
        texts.append(text)
        return "Copied."

    monkeypatch.setattr("pyagent_tui.app.actions.copying.copy_text", copy_text)
    return texts


async def said(stage: AppStage, words: str, ends: str) -> None:
    await stage.say(words)
    await stage.see(ends)
    await stage.idle()


async def test_tab_reads_and_a_letter_goes_back_into_the_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("Hello.")]) as stage:
        await said(stage, "hi", "Hello.")
        await stage.press("tab")
        assert stage.app.is_reading
        await stage.see("tab back")
        await stage.press("w", "o")
        assert not stage.app.is_reading
        assert stage.draft == "wo"
        await stage.press("tab")
        assert not stage.app.is_reading
        await stage.press("f6")
        assert stage.app.is_reading
        await stage.press("tab")
        assert not stage.app.is_reading


async def test_escape_stops_the_run_before_it_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [call("bash", command="sleep 60")], approval="auto") as stage:
        await stage.say("go")
        await stage.see("running")
        await stage.press("tab", "escape")
        await stage.idle()
        assert stage.app.is_reading
        await stage.press("escape")
        assert not stage.app.is_reading


async def test_ctrl_up_leads_from_message_to_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say(LONG), say(LONG + "\n\nthe end")]) as stage:
        await said(stage, "first question", "paragraph 39")
        await said(stage, "second question", "the end")
        history = stage.app.view.transcript.history
        await stage.press("ctrl+up")
        assert "❯ second question" in stage.text()
        await stage.press("ctrl+up")
        assert "❯ first question" in stage.text()
        await stage.press("ctrl+down")
        assert isinstance(history.rows[0].cell, UserCell)
        assert "❯ second question" in stage.text()
        await stage.press("ctrl+down")
        assert history.is_following
        assert stage.app.focused is stage.app.view.editor


async def test_code_blocks_are_copied_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: list[str]
) -> None:
    async with open_app(tmp_path, monkeypatch, [say(CODE)]) as stage:
        await said(stage, "how?", "make two")
        await stage.press("tab", "Y")
        await stage.see("The code block 2 of 2: copied.")
        await stage.press("Y")
        await stage.see("The code block 1 of 2: copied.")
        assert copied == ["make two", "make one"]


async def test_an_output_alone_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: list[str]) -> None:
    turns = [call("bash", command="printf 'a\\n\\tb\\033[31mred\\n'"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await said(stage, "go", "done")
        await stage.press("tab", "up", "Y")
        await stage.until(lambda: copied == ["a\n\tbred"], "the output")


async def test_rows_are_selected_with_the_keys_and_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: list[str]
) -> None:
    async with open_app(tmp_path, monkeypatch, [say(LONG)]) as stage:
        await said(stage, "go", "paragraph 39")
        await stage.press("tab", "home", "down", "up", "v", "down", "down")
        await stage.see("selecting rows")
        await stage.press("y")
        await stage.until(lambda: copied, "the copy")
        assert copied == ["go\n\nparagraph 0"]
        assert not stage.app.screen.selections


async def test_find_counts_marks_and_leads_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say(LONG)]) as stage:
        await said(stage, "go", "paragraph 39")
        await stage.press("f3", *"paragraph", "space", "3")
        await stage.see("of 11 ·")
        await stage.press("tab")
        await stage.see("n next")
        before = stage.app.view.transcript.found
        await stage.press("n")
        after = stage.app.view.transcript.found
        assert before[0] == after[0] == 11
        assert after[1] == before[1] % 11 + 1
        await stage.press("escape", "escape")
        assert stage.app.focused is stage.app.view.editor
        await stage.say("/find paragraph 7")
        await stage.see("1 of 1 ·")
        await stage.press("escape")
        assert not stage.app.view.transcript.sought
        assert stage.app.focused is stage.app.view.editor
