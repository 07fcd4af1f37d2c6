"""What the person is told when the program starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.tests.stage_app import open_app, say

pytestmark = pytest.mark.anyio

BROKEN = """\
approval = "always"
[compaction]
reserve_tokens = "many"
"""


async def test_what_is_wrong_with_the_settings_stays_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(BROKEN)
    async with open_app(tmp_path, monkeypatch, [say("hello")]) as stage:
        await stage.say("hi")
        await stage.see("hello")
        words = " ".join(stage.text().split())
        assert 'config.toml:1: approval must be one of review, edits, auto, read-only, not "always"; using' in words
        assert "config.toml:3: compaction.reserve_tokens must be" in words
        assert words.count("config.toml:1") == 1
