"""Everything that is written can be read: 4.5 to 1 (WCAG 2.2, 1.4.3) in every theme, on the real screens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color

from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.widgets.text.contrast import MIN_CONTRAST, contrast

pytestmark = pytest.mark.anyio

TEXT = "# Heading\n\nSome *words*, `code` and [a link](https://example.org).\n\n```python\ndef f(x: int) -> str:\n    # why\n    return 'text' + str(1)\n```\n\n> quoted\n\n- [ ] task\n"


def faint(stage: AppStage) -> Iterator[str]:
    """What is written with less contrast. Rules and dots, which nobody must read, don't count."""
    for strip in stage.app.screen._compositor.render_strips():  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
        for segment in strip:  # pyright: ignore[reportUnknownVariableType]
            text, style = str(segment.text), segment.style or Style()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType]
            if any(letter.isalnum() for letter in text) and (ratio := ratio_of(style)) < MIN_CONTRAST:  # pyright: ignore[reportUnknownArgumentType]
                yield f"{text.strip()!r} in {style}: {ratio:.2f}"


def ratio_of(style: Style) -> float:
    """The contrast of a style; the terminal's own colours, which nobody knows, are taken as readable."""
    if style.color is None or style.bgcolor is None or style.color.triplet is None or style.bgcolor.triplet is None:
        return 21.0
    fore, back = style.color.triplet, style.bgcolor.triplet
    if style.dim:
        mixed = Color(*back).blend(Color(*fore), 0.5)
        fore = mixed.rich_color.triplet or fore
    return contrast(fore, back)


async def test_every_theme_can_be_read_on_every_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [
        {"parts": [{"think": "Hm."}, {"say": TEXT}, {"call": "read", "arguments": {"path": "missing"}}]},
        call("write", path="a.py", content="def f():\n    return 1\n"),
        say("End."),
    ]
    async with open_app(tmp_path, monkeypatch, turns, size=(110, 60)) as stage:
        await stage.say("please")
        await stage.question()
        found = await faint_in_all(stage, "question")
        await stage.press("y")
        await stage.see("End.")
        await stage.type("/")
        await stage.see("/theme")
        found += await faint_in_all(stage, "menu")
        await stage.press("escape", "ctrl+c")
        await stage.say("/theme")
        await stage.see("tokyo-night")
        found += await faint_in_all(stage, "picker")
        await stage.press("escape", "f1")
        await stage.see("Talk and stop")
        found += await faint_in_all(stage, "help")
    assert found == []


async def faint_in_all(stage: AppStage, where: str) -> list[str]:
    found: list[str] = []
    for name in sorted(stage.app.available_themes):
        stage.app.theme = name
        await stage.pilot.pause()
        found += [f"{name}, {where}: {words}" for words in faint(stage)]
    return found
