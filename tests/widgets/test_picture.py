"""Pictures in the transcript."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

import pytest
from PIL import Image
from rich.color import Color
from rich.style import Style

from pyagent_tui.agent.details import ImageDetails
from pyagent_tui.widgets.pictures.graphics import CellSize, PictureKey, fitting
from pyagent_tui.widgets.pictures.half_blocks import half_blocks
from pyagent_tui.widgets.pictures.kitty import KEPT, KittyGraphics
from pyagent_tui.widgets.text.lines import cells
from pyagent_tui.widgets.text.look import Look, plain_look
from pyagent_tui.widgets.transcript.bodies import body_of
from pyagent_tui.widgets.transcript.message_cells import UserCell
from pyagent_tui.widgets.transcript.part import Part
from pyagent_tui.widgets.transcript.picture import MAX_ROWS, SMALL_ROWS, Picture

LOOK = Look(lambda _: Style(color="#ffffff", bgcolor="#000000"))


def encoded(image: Image.Image, kind: str = "PNG") -> str:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return base64.b64encode(buffer.getvalue()).decode()


def test_two_pixels_make_a_cell() -> None:
    image = Image.new("RGB", (2, 3))
    image.putpixel((0, 0), (255, 0, 0))
    image.putpixel((0, 1), (0, 255, 0))
    rows = half_blocks(image, 60, 24, LOOK)
    assert [len(row) for row in rows] == [2, 2]
    text, style = rows[0][0]
    assert (text, style.color, style.bgcolor) == ("▀", Color.from_rgb(255, 0, 0), Color.from_rgb(0, 255, 0))
    assert rows[1][0][1].bgcolor == LOOK.base.bgcolor


def test_a_large_picture_keeps_its_proportions_and_what_is_clear_shows_the_ground() -> None:
    rows = half_blocks(Image.new("RGBA", (900, 300), (9, 9, 9, 0)), 60, 24, LOOK)
    assert (len(rows[0]), len(rows)) == (60, 10)
    assert rows[0][0][1].color == Color.from_rgb(0, 0, 0)


@pytest.mark.parametrize("data", ["", "####", base64.b64encode(b"no picture").decode()])
def test_what_cannot_be_decoded_is_said_in_words(data: str) -> None:
    details = ImageDetails("a.png", "image/png", 640, 480, 1280, 960)
    body = body_of(details, "Read image file", image=data)
    rows = [strip.text.strip() for part in body.parts(True) for strip in part.strips(80, LOOK)]
    assert rows[0] == "│ [image/png 640×480, was 1280×960]"
    assert rows[1:] in ([], ["│ this picture cannot be shown here"])
    small = [strip.text.strip() for part in body.parts(False) for strip in part.strips(80, LOOK)]
    assert small == rows[:1]


def test_without_colour_no_picture_is_drawn() -> None:
    details = ImageDetails("a.png", "image/png", 2, 2)
    body = body_of(details, "", image=encoded(Image.new("RGB", (2, 2))))
    rows = [strip.text.strip() for part in body.parts(True) for strip in part.strips(80, plain_look(has_colour=False))]
    assert rows == ["│ [image/png 2×2]", "│ this picture cannot be shown here"]
    small = [
        strip.text.strip() for part in body.parts(False) for strip in part.strips(80, plain_look(has_colour=False))
    ]
    assert small == ["│ [image/png 2×2]"]


def test_a_folded_picture_is_small_and_a_huge_one_is_opened_to_be_seen() -> None:
    data = encoded(Image.new("RGB", (300, 300)))
    body = body_of(ImageDetails("a.png", "image/png", 300, 300), "", image=data)
    heights = [sum(len(part.strips(80, LOOK)) for part in body.parts(is_open)) for is_open in (False, True)]
    assert heights == [1 + SMALL_ROWS, 1 + MAX_ROWS]
    huge = body_of(ImageDetails("a.png", "image/png", 3000, 3000), "", image=data)
    assert len(huge.parts(False)) == 1


def test_pictures_can_be_off() -> None:
    body = body_of(ImageDetails("a.png", "image/png", 2, 2), "", image=encoded(Image.new("RGB", (2, 2))))
    off = Look(lambda _: Style(color="#ffffff", bgcolor="#000000"), pictures="off")
    assert sum(len(part.strips(80, off)) for part in body.parts(False)) == 1


def test_a_picture_is_decoded_elsewhere_and_its_place_is_kept_free_meanwhile() -> None:
    waiting: list[tuple[Callable[[], None], Callable[[], None]]] = []
    look = Look(
        lambda _: Style(color="#ffffff", bgcolor="#000000"), load=lambda work, done: waiting.append((work, done))
    )
    part = Picture(encoded(Image.new("RGB", (300, 300), "red")), 8, is_small=True)
    for _ in range(2):
        assert [strip.text.strip() for strip in part.strips(80, look)] == ["│"] * 8
    ((work, done),) = waiting
    work()
    done()
    assert [strip.text.count("▀") for strip in part.strips(80, look)] == [16] * 8
    assert len(part.strips(60, look)) == 8
    assert len(waiting) == 1
    part.release()
    part.strips(80, look)
    assert len(waiting) == 2


def test_a_message_of_the_person_shows_its_pictures_and_is_copied_with_its_tabs() -> None:
    cell = UserCell("a\tb", [("image/png, 1kB", encoded(Image.new("RGB", (300, 300), "red")))])
    rows = [strip.text.strip() for part in cell.parts for strip in part.strips(80, LOOK)]
    assert rows[:2] == ["❯ a   b", "[image/png, 1kB]"]
    assert [row.count("▀") for row in rows[2:]] == [16] * SMALL_ROWS
    assert cell.can_expand
    assert cell.copied() == "a\tb"


def test_a_picture_stays_the_same_one_when_its_message_is_saved_or_opened_and_folded() -> None:
    cell = UserCell("a", [("image/png, 1kB", encoded(Image.new("RGB", (300, 300), "red")))])

    def picture() -> Part:
        (part,) = (part for part in cell.parts if isinstance(part, Picture))
        return part

    small = picture()
    cell.save("late")
    assert picture() is small
    cell.save("saved")
    assert picture() is small
    cell.expand(True)
    assert picture() is not small
    cell.expand(False)
    assert picture() is small


class Kitty:
    """Takes what is sent to a terminal with kitty's graphics."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.graphics = KittyGraphics(self.written.append)
        self.look = Look(lambda _: Style(color="#ffffff", bgcolor="#000000"), graphics=self.graphics)

    def commands(self) -> list[dict[str, str]]:
        """The keys of each command, its data aside."""
        heads = [text.removeprefix("\x1b_G").partition(";")[0].removesuffix("\x1b\\") for text in self.written]
        return [dict(pair.split("=") for pair in head.split(",")) for head in heads]

    def picture(self, start: int = 0) -> Image.Image:
        """The picture that the commands from `start` on brought."""
        pieces = (text.removesuffix("\x1b\\").partition(";")[2] for text in self.written[start:])
        return Image.open(io.BytesIO(base64.b64decode("".join(pieces))))


def test_a_sharp_picture_is_sent_once_for_each_size_and_stands_in_cells_of_text() -> None:
    terminal, data = Kitty(), encoded(Image.effect_noise((600, 400), 90))
    small = Picture(data, 8, is_small=True)
    strips = small.strips(80, terminal.look)
    (first, *more) = terminal.commands()
    assert first == {**first, "a": "T", "U": "1", "f": "100", "q": "2", "c": "24", "r": "8"}
    assert [command["m"] for command in (first, *more)] == [*("1" for _ in more), "0"]
    assert all(len(text) < 4096 + 100 for text in terminal.written)
    assert terminal.picture().size == (480, 320)
    assert len(strips) == 8
    text, style, _ = list(strips[2])[2]
    assert cells(text) == 24
    assert text.startswith("\U0010eeee\u030e\u0305\U0010eeee\u030e\u030d")
    assert style is not None
    assert style.color == Color.from_ansi(int(first["i"]))
    count = len(terminal.written)
    small.invalidate()
    small.strips(80, terminal.look)
    assert len(terminal.written) == count
    assert len(Picture(data, 24, is_small=False).strips(80, terminal.look)) == 20
    larger = terminal.commands()[count]
    assert (larger["c"], larger["r"]) == ("60", "20")
    assert larger["i"] != first["i"]
    assert terminal.picture(count).size == (600, 400)


def test_the_terminal_forgets_old_pictures_and_they_are_sent_anew_when_seen() -> None:
    terminal = Kitty()
    every = [encoded(Image.new("RGB", (20, 20), (number, 0, 0))) for number in range(KEPT + 1)]
    parts = [Picture(data, 8, is_small=True) for data in every]
    for part in parts:
        part.strips(80, terminal.look)
    deleted = [command["i"] for command in terminal.commands() if command["a"] == "d"]
    assert deleted == [terminal.commands()[0]["i"]]
    before = len(terminal.written)
    parts[-1].strips(80, terminal.look)
    assert len(terminal.written) == before
    parts[0].strips(80, terminal.look)
    assert [command["a"] for command in terminal.commands()[before:]] == ["d", "T"]
    terminal.graphics.close()
    assert not terminal.graphics.holds(PictureKey(every[0], 2, 1, None))
    count = len(terminal.written)
    Picture(every[0], 8, is_small=True).strips(80, terminal.look)
    assert len(terminal.written) == count


def test_pictures_keep_their_shape_and_are_not_blown_up() -> None:
    assert fitting((600, 400), 60, 24) == (60, 20)
    assert fitting((30, 40), 60, 24) == (3, 2)
    assert fitting((1, 1), 60, 24) == (1, 1)
    assert fitting((10_000, 10), 60, 24) == (60, 1)
    assert fitting((600, 400), 60, 24, CellSize(10, 10)) == (36, 24)
    assert fitting((100, 100), 60, 24, CellSize(6, 13)) == (17, 8)
    assert fitting((100, 100), 60, 24, CellSize(20, 40)) == (10, 5)
