"""Sharp pictures on the real app, in terminals that say what they can."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pyagent_tui.app.terminal.graphics import ASK, GraphicsQuery, may_be_kitty
from pyagent_tui.app.terminal.painting import ASK_NAME, ASK_SIZES
from pyagent_tui.tests.painted_terminal import PAINTED, PaintedTerminal
from pyagent_tui.widgets.pictures.graphics import CellSize
from pyagent_tui.widgets.pictures.half_blocks import resized

PLACEHOLDER = "\U0010eeee".encode()

HERE = {"TERM": "xterm-256color"}

needs_pty = pytest.mark.skipif(sys.platform == "win32", reason="needs a pty")

SIZE = (600, 400)


def shade(y: float) -> int:
    """How bright the picture is at that height, 0 to 1."""
    return round(255 * y)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a picture that is darkest at its top, and a model that looks at it."""
    folder = tmp_path / "project"
    folder.mkdir()
    resized(Image.linear_gradient("L"), *SIZE).save(folder / "shades.png")
    (tmp_path / "script.toml").write_text(
        '[[turns]]\nparts = [{ call = "read", arguments = { path = "shades.png" } }]\n'
        '[[turns]]\nparts = [{ say = "shades of grey" }]\n'
    )
    return folder


def program(
    project: Path, *, env: Mapping[str, str] = {}, columns: int = 100, rows: int = 30, **says: Any
) -> PaintedTerminal:
    """The program, on a terminal that says this of itself."""
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", str(project.parent / "script.toml"), "look"]
    alone = dict.fromkeys(
        ("TMUX", "STY", "ZELLIJ", "TERM_PROGRAM", "LC_TERMINAL", "KONSOLE_VERSION", "KITTY_WINDOW_ID"), ""
    )
    given = {"PYAGENT_TUI_HOME": str(project.parent / "home"), **alone, **env}
    return PaintedTerminal(argv, env=given, cwd=project, columns=columns, rows=rows, **says)


SIXEL: dict[str, Any] = {"name": "", "abilities": "62;4;22"}
INLINE: dict[str, Any] = {"name": "iTerm2 3.5.0", "abilities": "62"}


# What is asked


@pytest.mark.parametrize(
    ("environ", "may"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-ghostty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, False),
    ],
)
def test_only_what_may_be_kitty_is_asked_for_its_protocol(environ: dict[str, str], may: bool) -> None:
    assert may_be_kitty(environ) is may
    written: list[str] = []
    GraphicsQuery(written.append, environ, lambda: None).ask()
    assert written == [ASK_NAME, *([ASK] if may else [])]


@pytest.mark.parametrize(
    "environ", [{"TERM": "tmux-256color", "TMUX": "/tmp/tmux", "KITTY_WINDOW_ID": "1"}, {"TERM": "linux"}, {}]
)
def test_multiplexers_and_poor_terminals_are_asked_nothing(environ: dict[str, str]) -> None:
    written: list[str] = []
    query = GraphicsQuery(written.append, environ, lambda: (10, 20))
    query.ask()
    assert not query.answered("\x1b[?62;4c")
    assert not query.resized()
    assert written == []


def answered(
    *answers: str, environ: Mapping[str, str] = HERE, pixels: tuple[int, int] | None = None
) -> tuple[GraphicsQuery, list[str], list[bool]]:
    """A query after these answers, what it asked, and which answers brought something new."""
    written: list[str] = []
    query = GraphicsQuery(written.append, environ, lambda: pixels)
    query.ask()
    return query, written, [query.answered(answer) for answer in answers]


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        ("\x1bP>|kitty(0.26.5)\x1b\\", False),
        ("\x1bP>|kitty(0.28.0)\x1b\\", True),
        ("\x1bP>|kitty(1.0.0)\x1b\\", True),
        ("\x1bP>|ghostty 1.0.1\x1b\\", True),
        ("\x1bP>|XTerm(379)\x1b\\", False),
        ("", False),
    ],
)
def test_a_kitty_without_placeholders_is_not_believed(name: str, shows: bool) -> None:
    query, _, _ = answered(name, "\x1b_Gi=31;OK\x1b\\", environ={"TERM": "xterm-kitty"}, pixels=(9, 20))
    assert (query.graphics is not None) is shows
    assert query.graphics is None or query.graphics.cell == CellSize(9, 20)


def test_a_terminal_with_sixel_is_asked_for_sizes_and_used_when_it_has_said_all() -> None:
    answers = ("\x1b[?62;4;22c", "\x1b[?1;0;16S", "\x1b[6;21;11t", "\x1b[?62;4;22c")
    query, written, new = answered(*answers)
    assert written == [ASK_NAME, ASK_SIZES]
    assert new == [False, False, False, True]
    assert query.graphics is not None
    assert query.graphics.cell == CellSize(11, 21)
    assert not query.answered("\x1b[6;21;11t")
    assert not query.resized()
    assert written[-1] == "\x1b[16t"
    assert query.answered("\x1b[6;30;15t")
    assert query.graphics.cell == CellSize(15, 30)


def test_the_kernel_knows_the_cell_where_the_terminal_does_not_say_it() -> None:
    query, _, _ = answered("\x1b[?62;4c", "\x1b[?62;4c", pixels=(6, 13))
    assert query.graphics is not None
    assert query.graphics.cell == CellSize(6, 13)


@pytest.mark.parametrize(
    ("answers", "environ", "pixels"),
    [
        (["\x1b[?62;22c"] * 2, {}, (10, 20)),
        (["\x1b[?4c"] * 2, {}, (10, 20)),
        (["\x1b[?62;4c"] * 2, {}, None),
        (["\x1b[?62;4c", "\x1b[6;0;0t", "\x1b[?62;4c"], {}, (9999, 20)),
        (["\x1bP>|Konsole 22.12.3\x1b\\", *["\x1b[?62;1;4c"] * 2], {}, (10, 20)),
        (["\x1b[?62;1;4c"] * 2, {"KONSOLE_VERSION": "220400"}, (10, 20)),
        (["\x1bP>|XTerm(379)\x1b\\", *["\x1b[?62;22c"] * 2], {"TERM_PROGRAM": "iTerm.app"}, (10, 20)),
        (["\x1b[?62;22c"] * 2, {"TERM_PROGRAM": "vscode"}, (10, 20)),
        ([], {}, (10, 20)),
    ],
    ids=[
        "no sixel",
        "a level of 4",
        "no cell",
        "a broken cell",
        "konsole",
        "old konsole",
        "in iTerm2",
        "vscode",
        "silent",
    ],
)
def test_everything_else_gets_half_blocks(
    answers: list[str], environ: dict[str, str], pixels: tuple[int, int] | None
) -> None:
    query, _, new = answered(*answers, environ={**HERE, **environ}, pixels=pixels)
    assert query.graphics is None
    assert not any(new)


@pytest.mark.parametrize(
    ("name", "environ"),
    [
        ("\x1bP>|iTerm2 3.5.0\x1b\\", {}),
        ("\x1bP>|WezTerm 20240203-110809\x1b\\", {"TERM_PROGRAM": "WezTerm"}),
        ("\x1bP>|mintty 3.7.4\x1b\\", {}),
        ("", {"LC_TERMINAL": "iTerm2"}),
        ("", {"TERM_PROGRAM": "vscode"}),
    ],
)
def test_terminals_with_inline_images_are_known_by_name(name: str, environ: dict[str, str]) -> None:
    query, _, _ = answered(name, "\x1b[?62;4c", "\x1b[?62;4c", environ={**HERE, **environ})
    assert query.graphics is not None
    assert query.graphics.cell == CellSize(10, 20)


# What is on the screen


def wait_for_picture(terminal: PaintedTerminal, rows: range, of: int, columns: int) -> int:
    """Wait until exactly these of the picture's `of` rows are painted, each in its colours; where the first of them is."""

    def is_there(screen: list[str]) -> bool:
        painted = [(y, row) for y, row in enumerate(screen) if PAINTED in row]
        return (
            [y for y, _ in painted] == list(range(painted[0][0], painted[0][0] + len(rows)))
            and all(row.count(PAINTED) == columns for _, row in painted)
            and all(
                has_shades(terminal.slices[y, row.index(PAINTED)], number, of)
                for number, (y, row) in zip(rows, painted, strict=True)
            )
            if painted
            else False
        )

    screen = terminal.wait_for(is_there)
    return next(y for y, row in enumerate(screen) if PAINTED in row)


def has_shades(piece: Image.Image, number: int, of: int) -> bool:
    """Whether this is that row of the picture."""
    for place in (0.1, 0.5, 0.9):
        expected = shade((number + place) / of)
        pixel = piece.getpixel((piece.width // 2, int(piece.height * place)))
        assert isinstance(pixel, tuple)
        if pixel[3] != 255 or max(abs(part - expected) for part in pixel[:3]) > 8:
            return False
    return True


@needs_pty
@pytest.mark.parametrize("says", [SIXEL, INLINE], ids=["sixel", "inline images"])
def test_a_picture_is_painted_row_by_row(project: Path, says: dict[str, Any]) -> None:
    with program(project, rows=20, **says) as terminal:
        terminal.wait_for("shades of grey")
        top = wait_for_picture(terminal, range(8), 8, 24)
        assert "[image/png 600×400]" in terminal.screen()[top - 1]

        terminal.send("\x0f")  # Ctrl+O opens it; the end stays in sight, so it is cut off at the top
        wait_for_picture(terminal, range(6, 20), 20, 60)

        before = terminal.count
        terminal.send("\x1b[<64;10;5M")  # a turn of the wheel; a line at the end says so
        terminal.wait_for("more below")
        wait_for_picture(terminal, range(3, 18), 20, 60)
        assert terminal.count - before == 15

        terminal.send("\x1bOP")  # F1: help over it
        terminal.wait_for("Say it")
        terminal.wait_for(lambda rows: not any(PAINTED in row for row in rows))
        terminal.send("\x1b")
        wait_for_picture(terminal, range(3, 18), 20, 60)

        terminal.send("\x1b[5~" * 3)  # pages up to the beginning: cut off at the bottom
        terminal.wait_for("❯ look")
        wait_for_picture(terminal, range(11), 20, 60)

        terminal.send("\t\x1b[A\x1b[B")  # the keys read, and the cell of the picture is chosen
        terminal.wait_for(lambda rows: sum(row.startswith("│") and PAINTED in row for row in rows) == 11)
        wait_for_picture(terminal, range(11), 20, 60)

        terminal.send("\t\x04")
        assert terminal.wait() == 0
        assert b"\x1b_G" not in terminal.output


@needs_pty
def test_a_picture_is_cut_anew_for_other_cells(project: Path) -> None:
    with program(project, **SIXEL) as terminal:
        top = wait_for_picture(terminal, range(8), 8, 24)
        assert [piece.size for (y, _), piece in terminal.slices.items() if y == top] == [(240, 20)]
        terminal.slices.clear()
        terminal.cell_pixels = (6, 13)
        terminal.resize(110, 31)
        terminal.wait_for(lambda rows: any(row.count(PAINTED) == 26 for row in rows))
        top = wait_for_picture(terminal, range(8), 8, 26)
        assert {piece.size for (y, _), piece in terminal.slices.items() if y == top} == {(156, 13)}


@needs_pty
@pytest.mark.parametrize(
    ("says", "env"),
    [
        ({"name": "terminal 1.0", "abilities": "62;22"}, {}),
        ({**SIXEL, "cell": None}, {}),
        ({**SIXEL, "answers": False}, {}),
        (SIXEL, {"TMUX": "/tmp/tmux-1000/default,1,0"}),
    ],
    ids=["cannot", "no cell", "silent", "in tmux"],
)
def test_without_the_ability_a_picture_is_half_blocks(project: Path, says: dict[str, Any], env: dict[str, str]) -> None:
    with program(project, env=env, **says) as terminal:
        terminal.wait_for("shades of grey")
        terminal.wait_for(lambda rows: sum("▀" in row for row in rows) == 8)
        terminal.send("\x04")
        assert terminal.wait() == 0
        assert terminal.count == 0


@needs_pty
@pytest.mark.parametrize("says_yes", [True, False])
def test_kitty_is_sent_a_picture_if_it_says_yes_and_forgets_it_at_the_end(project: Path, says_yes: bool) -> None:
    with program(project, env={"TERM": "xterm-kitty"}, name="kitty(0.35.2)", abilities="62") as terminal:
        terminal.wait_for_output(ASK.encode())
        if says_yes:
            terminal.send("\x1b_Gi=31;OK\x1b\\")
        terminal.wait_for("shades of grey")
        if says_yes:
            terminal.wait_for_output(b"\x1b_Ga=T,U=1,f=100")
            terminal.wait_for_output(PLACEHOLDER + "\u0305\u0305".encode())
        else:
            terminal.wait_for("▀")
        terminal.send("\x04")
        assert terminal.wait() == 0
        assert (b"\x1b_Ga=d,d=I" in terminal.output) is says_yes
        assert (PLACEHOLDER in terminal.output) is says_yes
        assert "Gi=31" not in terminal.text
