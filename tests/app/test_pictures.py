"""Pictures that are pasted, dropped or named on the command line go to the model."""

from __future__ import annotations

import base64
import io
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image
from textual import events

from pyagent_tui.agent.messages import ImageContent, UserMessage
from pyagent_tui.app.prompts import first_messages
from pyagent_tui.app.start_error import StartError
from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.widgets.editor.dropped import dropped_pictures
from pyagent_tui.widgets.pictures.decoding import decode
from pyagent_tui.widgets.pictures.graphics import Decoded

pytestmark = pytest.mark.anyio


def picture(path: Path, size: tuple[int, int] = (30, 20), **options: Any) -> Path:
    Image.new("RGB", size, "red").save(path, **options)
    return path


def pictures_of(message: object) -> list[Image.Image]:
    assert isinstance(message, UserMessage)
    blocks = [block for block in message.content if isinstance(block, ImageContent)]
    return [Image.open(io.BytesIO(base64.b64decode(block.data))) for block in blocks]


async def paste(stage: AppStage, text: str) -> None:
    stage.app.post_message(events.Paste(text))
    await stage.pilot.pause()


@pytest.mark.parametrize("form", ["{}", "'{}'", "file://{}", "{} "])
async def test_the_path_of_a_picture_that_is_dropped_becomes_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = picture(tmp_path / "shot.png")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, form.format(path))
        await stage.see("[image #1 shot.png]")
        await stage.say("what is this?")
        await stage.see("red")
        await stage.see("▀▀")
        (image,) = pictures_of(stage.messages[0])
        assert image.size == (30, 20)
        assert str(path) not in stage.said()[0]
        assert "cannot see" not in stage.text()


async def test_a_large_picture_is_shrunk_before_it_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    picture(tmp_path / "project" / "large shot.png", (3000, 1500))
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, "large\\ shot.png")
        await stage.see("[image #1 large shot.png]")
        await stage.press("enter")
        await stage.see("red")
        (image,) = pictures_of(stage.messages[0])
        assert image.size == (2000, 1000)


@pytest.mark.parametrize("form", ["file://{}", "'file://{}'", "file://localhost{}", "FILE://{}"])
async def test_an_address_of_a_dropped_picture_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = picture(tmp_path / "my schöner shot (50%).png")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, form.format(quote(str(path))))
        await stage.see("[image #1 my schöner shot (50%).png]")


async def test_signs_that_a_terminal_escapes_in_a_dropped_path_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = picture(tmp_path / "a (1) & b's.png")
    escaped = (
        str(path).replace(" ", "\\ ").replace("(", "\\(").replace(")", "\\)").replace("&", "\\&").replace("'", "\\'")
    )
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, escaped)
        await stage.see("[image #1 a (1) & b's.png]")


DROPS = ["{a} {b}", "{a}\n{b}\n", "'{a}' '{b}' ", '"{a}"\r\n"{b}"', "file://{a}\r\nfile://{b}\r\n"]


@pytest.mark.parametrize("form", DROPS)
async def test_all_pictures_that_are_dropped_together_are_attached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    first, second = picture(tmp_path / "shot.png"), picture(tmp_path / "second shot.png", (7, 8))
    named = str(second) if form[0] in "'\"" or "\n" in form else str(second).replace(" ", "\\ ")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, form.format(a=first, b=quote(named) if "file" in form else named))
        await stage.see("[image #2 second shot.png]")
        assert "[image #1 shot.png]" in stage.text()
        assert str(tmp_path) not in stage.draft
        await stage.press("enter")
        await stage.see("red")
        assert [image.size for image in pictures_of(stage.messages[0])] == [(30, 20), (7, 8)]


async def test_of_many_paths_those_of_pictures_are_attached_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shots = [picture(tmp_path / f"{number}.png") for number in range(12)]
    names = [str(tmp_path / "notes.txt"), *map(str, shots), str(tmp_path / "absent.png")]
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, "\n".join(names))
        await stage.until(lambda: "[image #12]" in stage.draft, "all of them")
        assert names[0] in stage.draft
        assert names[-1] in stage.draft
        assert str(shots[0]) not in stage.draft


def test_what_is_no_drop_names_no_pictures() -> None:
    for text in ("compare /a.png with /b.png please", "cat a.txt\n/b.png", "\n".join(f"/{n}.png" for n in range(21))):
        assert dropped_pictures(text) == []
    assert [each.path for each in dropped_pictures("/a/it's.png")] == ["/a/it's.png"]
    assert [each.path for each in dropped_pictures("'/a/it'\\''s.png' /b.png")] == ["/a/it's.png", "/b.png"]


async def test_a_name_is_no_picture_and_a_damaged_one_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, damaged = tmp_path / "text.png", tmp_path / "damaged.png"
    text.write_text("I am no picture")
    damaged.write_bytes(picture(tmp_path / "whole.png", (300, 200)).read_bytes()[:60])
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(200, 40)) as stage:
        for path in (text, tmp_path / "absent.png", tmp_path):
            await paste(stage, str(path))
        await paste(stage, str(damaged))
        await stage.see("damaged.png is not attached")
        assert "[image" not in stage.draft
        assert str(text) in stage.draft


async def test_a_model_that_cannot_see_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = picture(tmp_path / "shot.png")
    async with open_app(tmp_path, monkeypatch, [say("hm")]) as stage:
        composition = stage.app.conversation.composition
        assert composition is not None
        composition.agent.setup.model = replace(composition.agent.setup.model, vision=False)
        await paste(stage, str(path))
        await stage.see("[image #1")
        await stage.press("enter")
        await stage.see("cannot see pictures")


async def test_pictures_of_the_command_line_are_attached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture(tmp_path / "shot.jpg", (3000, 1500))
    async with open_app(
        tmp_path, monkeypatch, [say("red")], files=(str(tmp_path / "shot.jpg"),), messages=("what?",)
    ) as stage:
        await stage.see("red")
        (image,) = pictures_of(stage.messages[0])
        assert image.size == (2000, 1000)
        assert "original 3000x1500" in stage.said()[0]


def test_a_picture_of_the_command_line_that_is_damaged_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(picture(tmp_path / "whole.png").read_bytes()[:60])
    with pytest.raises(StartError, match=r"shot\.png cannot be attached"):
        first_messages(["look"], ["shot.png"], tmp_path)
    turned = Image.Exif()
    turned[0x0112] = 6
    picture(tmp_path / "turned.jpg", (30, 20), exif=turned)
    (message,) = first_messages([], ["turned.jpg"], tmp_path)
    assert pictures_of(message)[0].size == (20, 30)


async def test_a_picture_is_decoded_off_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def watched(data: str, box: tuple[int, int]) -> Decoded | None:
        threads.append(threading.get_ident())
        return decode(data, box)

    monkeypatch.setattr("pyagent_tui.widgets.pictures.decoding.decode", watched)
    path = picture(tmp_path / "shot.png")
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await paste(stage, str(path))
        await stage.see("[image #1 shot.png]")
        await stage.say("what is this?")
        await stage.see("▀▀")
        assert threads
        assert threading.get_ident() not in threads
