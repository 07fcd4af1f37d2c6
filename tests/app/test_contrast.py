"""Everything that is written can be read: 4.5 to 1 (WCAG 2.2, 1.4.3) in every theme, on the real screens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.widgets.text.contrast import MIN_CONTRAST, contrast

pytestmark = pytest.mark.anyio

TEXT = "# Heading\n\nSome *words*, `code` and [a link](https://example.org).\n\n```python\ndef f(x: int) -> str:\n    # why\n    return 'text' + str(1)\n```\n\n> quoted\n\n- [ ] task\n"


HOSTILE = Theme(name="hostile", primary="#555555", accent="#333333", foreground="#666666", background="#444444")
"""A theme of a person's own in which next to nothing can be read."""

QUIET = re.compile("[\\s|+.\\-·\u2500-\u259f]*")
"""Rules and dots, which nobody must read."""


def faint(stage: AppStage) -> Iterator[str]:
    """What is written with less contrast, letters and signs, and a caret that can't be seen."""
    for strip in stage.app.screen._compositor.render_strips():  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
        for segment in strip:  # pyright: ignore[reportUnknownVariableType]
            text, style = str(segment.text), segment.style or Style()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType]
            is_seen = not QUIET.fullmatch(text) or style.reverse  # pyright: ignore[reportUnknownMemberType]
            if is_seen and (ratio := ratio_of(style)) < MIN_CONTRAST:  # pyright: ignore[reportUnknownArgumentType]
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
        call("read", path="a.py"),
        call("write", path="a.py", content="def f():\n    return 1\n"),
        say("End."),
    ]
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("def f():\n    return 0\n")
    async with open_app(tmp_path, monkeypatch, turns, size=(110, 60)) as stage:
        stage.app.register_theme(HOSTILE)
        await stage.say("please")
        await stage.question()
        found = await faint_in_all(stage, "question")
        await stage.press("f")
        await stage.until(lambda: stage.app.view.panel.field is not None, "the field")
        await stage.pilot.press("(", "*", ")")
        found += await faint_in_few(stage, "field")
        await stage.press("escape", "h")
        found += await faint_in_few(stage, "hunks")
        await stage.press("escape", "w")
        found += await faint_in_few(stage, "rules")
        await stage.press("escape", "y")
        await stage.see("End.")
        found += await faint_in_few(stage, "placeholder")
        await stage.type("/")
        await stage.see("/theme")
        found += await faint_in_all(stage, "menu")
        await stage.press("escape", "ctrl+c")
        await stage.type("{ } [x] ~ $HOME #! `")
        found += await faint_in_all(stage, "draft")
        await stage.press("ctrl+c", "tab", "up")
        found += await faint_in_few(stage, "reading")
        await stage.press("/")
        await stage.pilot.press("e")
        found += await faint_in_few(stage, "find")
        await stage.press("escape", "escape")
        for command in SCREENS:
            await stage.say(command)
            await stage.until(lambda: len(stage.app.screen_stack) > 1, command)
            found += await faint_in_few(stage, command)
            await stage.press("escape")
            await stage.until(lambda: len(stage.app.screen_stack) == 1, f"{command} is left")
        await stage.press("f1")
        await stage.see("Say it")
        found += await faint_in_all(stage, "help")
    assert found == []


SCREENS = ("/theme", "/settings", "/resume", "/tree", "/diff", "/usage", "/rewind", "/search")
"""Commands that open a screen."""


async def faint_in_all(stage: AppStage, where: str) -> list[str]:
    """In every theme."""
    return await faint_in(stage, where, stage.app.available_themes)


async def faint_in_few(stage: AppStage, where: str) -> list[str]:
    """In the default themes and the hostile one."""
    return await faint_in(stage, where, ("textual-light", "textual-dark", HOSTILE.name))


async def faint_in(stage: AppStage, where: str, themes: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in sorted(themes):
        stage.app.theme = name
        await stage.pilot.pause()
        found += [f"{name}, {where}: {words}" for words in faint(stage)]
    return found
