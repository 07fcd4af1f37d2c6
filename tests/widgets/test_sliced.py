"""Pictures in slices, one for each row of cells."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable

from PIL import Image
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome
from textual.strip import Strip

from pyagent_tui.widgets.pictures.graphics import CellSize
from pyagent_tui.widgets.pictures.sliced import MOST_CHARACTERS, SlicedGraphics
from pyagent_tui.widgets.pictures.strip import PictureStrip
from pyagent_tui.widgets.text.look import Load, Look
from pyagent_tui.widgets.transcript.body import INDENT
from pyagent_tui.widgets.transcript.picture import Picture

CONSOLE = Console(color_system="truecolor")
WIDTH = 40


class Encoder:
    """Stands for a protocol: `<columns:number>`, and keeps what it was given."""

    def __init__(self) -> None:
        self.images: list[Image.Image] = []

    def __call__(self, image: Image.Image, columns: int) -> str:
        self.images.append(image)
        return f"<{columns}:{len(self.images)}>"


def look(graphics: SlicedGraphics, ground: str = "#000000", load: Load | None = None) -> Look:
    return Look(lambda _: Style(color="#ffffff", bgcolor=ground), graphics=graphics, load=load)


def picture(colour: str | tuple[int, ...] = "red", size: tuple[int, int] = (200, 100), mode: str = "RGB") -> str:
    buffer = io.BytesIO()
    Image.new(mode, size, colour).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def sliced(encode: Encoder, most: int = MOST_CHARACTERS) -> SlicedGraphics:
    return SlicedGraphics(encode, CellSize(10, 20), most=most)


def written(strip: Strip) -> str:
    return strip.render(CONSOLE)


def slices(strips: list[Strip]) -> list[str]:
    """What is painted in each row."""
    return ["".join(re.findall(r"<[^>]*>", written(strip))) for strip in strips]


def row(text: str = "..ppp...", start: int = 2, end: int = 5) -> PictureStrip:
    """A row with a slice over its p."""

    class Slice:
        sequence = "<slice>"

    return PictureStrip([Segment(text, Style())], len(text), Slice(), start, end)


# A row


def test_the_cells_are_written_first_then_the_slice_over_its_cells_and_the_row_goes_on_behind_them() -> None:
    assert written(row()) == "\x1b7..ppp...\x1b8\x1b[2C<slice>\x1b8\x1b[8C"
    assert written(row("ppp", 0, 3)) == "\x1b7ppp\x1b8<slice>\x1b8\x1b[3C"


def test_a_part_of_a_row_has_the_slice_only_if_it_has_all_of_it() -> None:
    assert written(row().crop(1, 6)) == "\x1b7.ppp.\x1b8\x1b[1C<slice>\x1b8\x1b[5C"
    assert written(row().crop(2, 5)) == "\x1b7ppp\x1b8<slice>\x1b8\x1b[3C"
    assert written(row().crop(0, 4)) == "..pp"
    assert written(row().crop(3)) == "pp..."
    assert written(row().crop(0, 2)) == ".."
    whole = row()
    assert whole.crop(0, 8) is whole
    assert written(whole.crop(1, 8).crop(1, 5)) == "\x1b7ppp.\x1b8<slice>\x1b8\x1b[4C"


def test_a_divided_row_has_the_slice_where_all_of_it_is() -> None:
    assert [written(piece) for piece in row().divide([2, 5, 8])] == ["..", "\x1b7ppp\x1b8<slice>\x1b8\x1b[3C", "..."]
    assert [written(piece) for piece in row().divide([4, 8])] == ["..pp", "p..."]
    whole = row()
    assert list(whole.divide([8])) == [whole]


def test_what_knows_nothing_of_slices_gets_the_cells() -> None:
    whole = row()
    written(whole)
    assert Strip.join([whole, Strip([Segment("!")])]).render(CONSOLE) == "..ppp...!"
    assert whole.text == "..ppp..."
    assert whole.cell_length == 8
    assert written(whole.apply_style(Style())) == "..ppp..."


def test_filters_leave_the_slice() -> None:
    whole, colour = row(), Color(0, 0, 0)
    assert "<slice>" in written(whole.apply_filter(Monochrome(), colour))
    line_filter = Monochrome()
    assert whole.apply_filter(line_filter, colour) is whole.apply_filter(line_filter, colour)


def test_the_bar_of_a_chosen_cell_leaves_the_slice_and_is_made_once() -> None:
    whole = row()
    headed = whole.headed(Segment("|"))
    assert written(headed) == "\x1b7|.ppp...\x1b8\x1b[2C<slice>\x1b8\x1b[8C"
    assert whole.headed(Segment("|")) is headed


def test_a_row_whose_slice_is_forgotten_is_its_cells() -> None:
    class Forgotten:
        sequence = ""

    assert written(PictureStrip([Segment("ppp")], 3, Forgotten(), 0, 3)) == "ppp"


# A picture


def test_each_row_of_a_picture_paints_its_slice() -> None:
    encode = Encoder()
    strips = list(Picture(picture(), 8, is_small=True).strips(WIDTH, look(sliced(encode))))
    assert slices(strips) == [f"<20:{number}>" for number in range(1, 6)]
    assert [image.size for image in encode.images] == [(200, 20)] * 5
    assert {image.getpixel((0, 0)) for image in encode.images} == {(255, 0, 0)}
    assert all(isinstance(strip, PictureStrip) and strip.start == INDENT for strip in strips)
    assert [strip.text.count("▀") for strip in strips] == [20] * 5
    assert {strip.cell_length for strip in strips} == {WIDTH}


def test_what_does_not_fit_is_half_blocks() -> None:
    encode = Encoder()
    strips = list(Picture(picture(), 8, is_small=True).strips(10, look(sliced(encode))))
    assert not any(slices(strips))
    assert [strip.text.count("▀") for strip in strips] == [5] * len(strips)


def test_nothing_is_encoded_twice_but_for_another_width_or_ground() -> None:
    encode = Encoder()
    graphics = sliced(encode)
    solid = Picture(picture(), 8, is_small=True)
    clear = Picture(picture((255, 0, 0, 128), mode="RGBA"), 8, is_small=True)
    solid.strips(WIDTH, look(graphics))
    solid.release()
    solid.strips(WIDTH, look(graphics))
    Picture(picture(), 8, is_small=True).strips(WIDTH, look(graphics, "#ffffff"))
    assert len(encode.images) == 5
    clear.strips(WIDTH, look(graphics))
    assert encode.images[-1].getpixel((0, 0)) == (128, 0, 0)
    clear.strips(WIDTH, look(graphics, "#ffffff"))
    assert encode.images[-1].getpixel((0, 0)) == (255, 127, 127)
    assert len(encode.images) == 15
    assert len(solid.strips(20, look(graphics))) == 4
    assert len(encode.images) == 19


def test_a_picture_is_half_blocks_until_it_is_encoded_elsewhere() -> None:
    waiting: list[tuple[Callable[[], None], Callable[[], None]]] = []
    encode = Encoder()
    graphics = sliced(encode)

    def load(work: Callable[[], None], done: Callable[[], None]) -> None:
        waiting.append((work, done))

    here = look(graphics, load=load)
    part = Picture(picture(), 8, is_small=True)
    for is_painted, blocks in ((False, 0), (False, 20)):
        strips = list(part.strips(WIDTH, here))
        assert any(slices(strips)) is is_painted
        assert {strip.text.count("▀") for strip in strips} == {blocks}
        part.strips(WIDTH, here)
        ((work, done),) = waiting
        waiting.clear()
        work()
        assert slices(list(part.strips(WIDTH, here))) == slices(strips)
        done()
    assert len(encode.images) == 5
    assert all(slices(list(part.strips(WIDTH, here))))
    assert waiting == []
    part.release()
    assert all(slices(list(part.strips(WIDTH, here))))
    assert waiting == []


def test_a_picture_that_was_decoded_for_half_blocks_is_decoded_anew_for_slices() -> None:
    line = Image.new("RGB", (600, 400))
    line.paste((255, 255, 255), (0, 0, 1, 400))
    buffer = io.BytesIO()
    line.save(buffer, "PNG")
    part = Picture(base64.b64encode(buffer.getvalue()).decode(), 24, is_small=False)
    part.strips(80, Look(lambda _: Style(color="#ffffff", bgcolor="#000000")))
    encode = Encoder()
    part.strips(80, look(sliced(encode)))
    assert encode.images[0].size == (600, 20)
    assert [encode.images[0].getpixel((x, 5)) for x in (0, 2)] == [(255, 255, 255), (0, 0, 0)]


def test_what_is_kept_is_bounded_and_what_was_forgotten_is_half_blocks_or_encoded_anew() -> None:
    encode = Encoder()
    graphics = sliced(encode, most=70)  # each picture takes 30 to 35 characters
    parts = [Picture(picture((number, 0, 0)), 8, is_small=True) for number in range(5)]
    rows = [list(part.strips(WIDTH, look(graphics))) for part in parts]
    assert graphics.length <= 70
    assert [any(slices(strips)) for strips in rows] == [False, False, False, True, True]
    here = look(graphics)
    before = len(encode.images)
    assert all(slices(list(parts[0].strips(WIDTH, here))))
    assert len(encode.images) == before + 5
    assert graphics.length <= 70
    assert [any(slices(strips)) for strips in rows] == [False, False, False, False, True]


def test_what_was_not_seen_for_longest_is_forgotten_first() -> None:
    graphics = sliced(Encoder(), most=70)
    parts = [Picture(picture((number, 0, 0)), 8, is_small=True) for number in range(3)]
    first, second = (list(part.strips(WIDTH, look(graphics))) for part in parts[:2])
    parts[0].strips(WIDTH, look(graphics))
    parts[2].strips(WIDTH, look(graphics))
    assert all(slices(first))
    assert not any(slices(second))


def test_while_a_picture_is_encoded_no_other_size_of_it_is() -> None:
    waiting: list[tuple[Callable[[], None], Callable[[], None]]] = []

    def load(work: Callable[[], None], done: Callable[[], None]) -> None:
        waiting.append((work, done))

    def do_next() -> None:
        work, done = waiting.pop(0)
        work()
        done()

    here = look(sliced(Encoder()), load=load)
    part = Picture(picture(), 8, is_small=True)
    part.strips(WIDTH, here)
    do_next()
    for width in (WIDTH, 24, 22, 20):
        part.strips(width, here)
    assert len(waiting) == 1
    do_next()
    assert not any(slices(list(part.strips(20, here))))
    do_next()
    assert all(slices(list(part.strips(20, here))))
    assert waiting == []
