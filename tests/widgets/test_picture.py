"""Pictures in the transcript."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image
from rich.color import Color
from rich.style import Style

from pyagent_tui.agent.details import ImageDetails
from pyagent_tui.widgets.bodies import body_of
from pyagent_tui.widgets.look import Look, plain_look
from pyagent_tui.widgets.picture import half_blocks

LOOK = Look(lambda _: Style(color="#ffffff", bgcolor="#000000"))


def encoded(image: Image.Image, kind: str = "PNG") -> str:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return base64.b64encode(buffer.getvalue()).decode()


def test_two_pixels_make_a_cell() -> None:
    image = Image.new("RGB", (2, 3))
    image.putpixel((0, 0), (255, 0, 0))
    image.putpixel((0, 1), (0, 255, 0))
    rows = half_blocks(encoded(image), 60, 24, LOOK)
    assert rows is not None
    assert [len(row) for row in rows] == [2, 2]
    text, style = rows[0][0]
    assert (text, style.color, style.bgcolor) == ("▀", Color.from_rgb(255, 0, 0), Color.from_rgb(0, 255, 0))
    assert rows[1][0][1].bgcolor == LOOK.base.bgcolor


def test_a_large_picture_keeps_its_proportions_and_what_is_clear_shows_the_ground() -> None:
    rows = half_blocks(encoded(Image.new("RGBA", (900, 300), (9, 9, 9, 0))), 60, 24, LOOK)
    assert rows is not None
    assert (len(rows[0]), len(rows)) == (60, 10)
    assert rows[0][0][1].color == Color.from_rgb(0, 0, 0)


@pytest.mark.parametrize("data", ["", "####", base64.b64encode(b"no picture").decode()])
def test_what_cannot_be_decoded_is_said_in_words(data: str) -> None:
    details = ImageDetails("a.png", "image/png", 640, 480, 1280, 960)
    body = body_of(details, "Read image file", image=data)
    rows = [strip.text.strip() for part in body.parts(True) for strip in part.strips(80, LOOK)]
    assert rows[0] == "│ [image/png 640×480, was 1280×960]"
    assert rows[1:] in ([], ["│ this picture cannot be shown here"])


def test_without_colour_no_picture_is_drawn() -> None:
    details = ImageDetails("a.png", "image/png", 2, 2)
    body = body_of(details, "", image=encoded(Image.new("RGB", (2, 2))))
    rows = [strip.text.strip() for part in body.parts(True) for strip in part.strips(80, plain_look(has_colour=False))]
    assert rows == ["│ [image/png 2×2]", "│ this picture cannot be shown here"]
    assert not body.parts(False)[0].strips(80, LOOK)[0].text.count("▀")
