import base64
import io
from dataclasses import replace

import pytest
from PIL import Image

from pyagent_tui.agent.details import ImageDetails
from pyagent_tui.agent.messages import ImageContent
from pyagent_tui.agent.model import Model
from pyagent_tui.agent.tool import ToolContext, ToolError, ToolResult
from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.images import MAX_BASE64

pytestmark = pytest.mark.anyio


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def shown(result: ToolResult) -> Image.Image:
    [block] = [block for block in result.content if isinstance(block, ImageContent)]
    assert len(block.data) <= MAX_BASE64
    image = Image.open(io.BytesIO(base64.b64decode(block.data)))
    assert Image.MIME[image.format or ""] == block.mime_type
    return image


async def read(bench: Workbench, content: bytes, name: str = "picture") -> ToolResult:
    bench.file(name, content)
    return await bench.call("read", path=name)


async def test_a_small_picture_comes_as_it_is(bench: Workbench) -> None:
    content = saved(Image.new("RGB", (30, 20), "red"), "PNG")
    result = await read(bench, content, "named.txt")
    assert result.text == "[Picture image/png, 30x20 pixels]"
    [_, block] = result.content
    assert block == ImageContent(base64.b64encode(content).decode(), "image/png")
    assert result.details == ImageDetails("named.txt", "image/png", 30, 20)


async def test_text_named_like_a_picture_is_text(bench: Workbench) -> None:
    assert (await read(bench, b"hello\n", "x.png")).text == "hello\n"


async def test_a_wide_picture_is_shrunk_and_the_factor_is_told(bench: Workbench) -> None:
    result = await read(bench, saved(Image.new("RGB", (9000, 40), "red"), "PNG"))
    assert shown(result).size == (2000, 9)
    assert "original 9000x40: multiply coordinates by 4.50" in result.text


async def test_a_heavy_picture_is_shrunk_until_it_fits(bench: Workbench) -> None:
    noise = Image.effect_noise((1900, 1900), 200).convert("RGB")
    content = saved(noise, "BMP")
    assert len(content) > 7_000_000
    assert max(shown(await read(bench, content)).size) <= 2000


async def test_transparency_survives(bench: Workbench) -> None:
    image = Image.effect_noise((1300, 1300), 200).convert("RGBA")
    image.putalpha(Image.effect_noise((1300, 1300), 200))
    result = shown(await read(bench, saved(image, "PNG", compress_level=1)))
    assert result.mode == "RGBA"


async def test_a_photo_is_turned_upright(bench: Workbench) -> None:
    image = Image.new("RGB", (40, 20), "red")
    image.paste("blue", (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = 6
    result = await read(bench, saved(image, "JPEG", exif=exif, quality=95), "photo.png")
    upright = shown(result).convert("RGB")
    assert upright.size == (20, 40)
    red, _, blue = upright.getpixel((10, 2))  # type: ignore[misc]
    assert blue > red


async def test_a_bitmap_becomes_png(bench: Workbench) -> None:
    assert shown(await read(bench, saved(Image.new("RGB", (4, 4)), "BMP"))).format == "PNG"


async def test_an_animated_png_becomes_still(bench: Workbench) -> None:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "green")]
    content = saved(frames[0], "PNG", save_all=True, append_images=frames[1:])
    assert getattr(shown(await read(bench, content)), "is_animated", False) is False


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "JPEG"])
async def test_other_kinds_are_known_by_their_bytes(bench: Workbench, kind: str) -> None:
    assert shown(await read(bench, saved(Image.new("RGB", (4, 4)), kind))).format == kind


async def test_broken_pictures_are_errors(bench: Workbench) -> None:
    content = saved(Image.effect_noise((300, 300), 100), "PNG")
    bench.file("half.png", content[: len(content) // 2])
    bench.file("empty.png", b"")
    bench.file("only-magic", b"\x89PNG\r\n\x1a\n")
    assert "cannot be shown" in await bench.refused("read", path="half.png")
    assert "is empty" in await bench.refused("read", path="empty.png")
    assert "cannot be shown" in await bench.refused("read", path="only-magic")


async def test_a_bomb_is_not_decoded(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    bench.file("bomb.png", saved(Image.new("RGB", (100, 100)), "PNG"))
    with pytest.raises(ToolError, match="cannot be shown"):
        await bench.call("read", path="bomb.png")


async def test_a_model_without_eyes_is_said(bench: Workbench) -> None:
    bench.file("p.png", saved(Image.new("RGB", (4, 4)), "PNG"))
    blind = Model("p", "m", "scripted", name="Blind")
    for model, said in ((blind, True), (replace(blind, vision=True), False)):
        tool = bench.tools["read"]
        result = await tool.execute("1", bench.validated("read", {"path": "p.png"}), ToolContext(model=model))
        assert ("Blind cannot see pictures" in result.text) is said
