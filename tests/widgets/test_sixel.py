"""Pictures as sixels and inline images, read back."""

from __future__ import annotations

import base64
import io
import re

import pytest
from PIL import Image, ImageChops, ImageDraw

from pyagent_tui.tests.pace import budget, least_cost
from pyagent_tui.tests.painted_terminal import decoded_sixel
from pyagent_tui.widgets.pictures.half_blocks import resized
from pyagent_tui.widgets.pictures.inline_image import inline_image, inline_images
from pyagent_tui.widgets.pictures.sixel import sixel_pictures, sixels


def drawing(width: int, height: int) -> Image.Image:
    """Some flat colours, lines and a gradient."""
    image = resized(Image.linear_gradient("L"), width, height).convert("RGB")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width // 2, height // 2), fill=(200, 30, 30), outline=(255, 255, 0))
    draw.line((0, height - 1, width - 1, 0), fill=(0, 0, 255))
    return image


def body(sequence: str) -> str:
    """What is between the introducer and the terminator."""
    match = re.fullmatch(r"\x1bP0;1;0q([^\x1b]*)\x1b\\", sequence)
    assert match is not None
    return match[1]


def distance(one: Image.Image, other: Image.Image) -> int:
    """The largest difference of any part of any pixel."""
    parts = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getextrema()
    return max(int(most) for _, most in parts)  # type: ignore[misc]


@pytest.mark.parametrize("size", [(60, 20), (7, 13), (1, 1), (300, 6), (255, 21), (2, 5)])
def test_a_picture_is_read_back_with_all_its_pixels_and_no_others(size: tuple[int, int]) -> None:
    image = drawing(*size)
    read = decoded_sixel(body(sixels(image)))
    assert read.size == size
    assert read.getchannel("A").getextrema() == (255, 255)
    assert distance(read, image) <= 8


def test_no_more_colours_are_taken_than_the_terminal_has() -> None:
    noise = Image.merge("RGB", [Image.effect_noise((100, 20), 90) for _ in range(3)])
    text = body(sixel_pictures((10, 20), 16)._encode(noise, 10))  # pyright: ignore[reportPrivateUsage]
    numbers = {int(number) for number in re.findall(r"#(\d+)", text)}
    assert max(numbers) < 16
    assert decoded_sixel(text).size == (100, 20)
    many = body(sixels(noise, 1024))
    assert max(int(number) for number in re.findall(r"#(\d+)", many)) < 256


def test_a_flat_picture_is_short() -> None:
    assert len(sixels(Image.new("RGB", (600, 20), (10, 20, 30)))) < 100


@pytest.mark.parametrize("width", [1, 3, 4, 254, 255, 256, 511, 600])
def test_runs_of_any_length_are_counted(width: int) -> None:
    assert decoded_sixel(body(sixels(Image.new("RGB", (width, 6), (255, 0, 0))))).getpixel((width - 1, 5)) == (
        255,
        0,
        0,
        255,
    )


def test_a_large_picture_is_encoded_in_well_under_a_second() -> None:
    image = drawing(600, 480)

    def work() -> None:
        for y in range(0, 480, 20):
            sixels(image.crop((0, y, 600, y + 20)))

    assert least_cost(work) < budget(0.5)


def test_an_inline_image_says_its_size_in_cells_and_is_the_picture() -> None:
    image = drawing(60, 20)
    match = re.fullmatch(r"\x1b\]1337;File=([^:]*):([^\x07]*)\x07", inline_image(image, 6))
    assert match is not None
    data = base64.b64decode(match[2], validate=True)
    assert match[1] == f"inline=1;size={len(data)};width=6;height=1;preserveAspectRatio=0"
    assert distance(Image.open(io.BytesIO(data)), image) == 0


def test_where_pixels_may_be_points_inline_images_are_finer() -> None:
    assert inline_images((7, 15)).fine == (14, 30)
    assert inline_images((7, 15)).cell == (7, 15)
    assert inline_images((14, 30)).fine == (14, 30)
