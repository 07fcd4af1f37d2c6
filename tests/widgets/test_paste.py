"""What of a paste gets into the editor."""

from __future__ import annotations

import pytest

from pyagent_tui.widgets.editor.paste import Markers, clean, is_long


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        ("a\rb\r\nc\nd", "a\nb\nc\nd"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("a\x1bb \x1b(Bc", "ab c"),
        ("tab\there\x00\x07\x7f\x9b", "tab\there"),
        ("a\ud83db", "a\ufffdb"),
        ("arr[i] = '[' [/] [@click=app.quit]x[/]", "arr[i] = '[' [/] [@click=app.quit]x[/]"),
    ],
)
def test_a_paste_is_cleaned(pasted: str, kept: str) -> None:
    assert clean(pasted) == kept


@pytest.mark.parametrize(
    ("text", "folded"),
    [("x" * 1000, False), ("x" * 1001, True), ("\n".join("abcdefghij"), False), ("\n".join("abcdefghijk"), True)],
)
def test_over_ten_lines_or_a_thousand_characters_is_long(text: str, folded: bool) -> None:
    assert is_long(text) is folded


def test_markers_are_numbered_labelled_and_expanded() -> None:
    markers = Markers()
    lines = "\n".join(str(number) for number in range(12))
    first, second = markers.fold(lines), markers.fold("y" * 2000)
    assert [markers.label(first), markers.label(second)] == ["[paste #1 +12 lines]", "[paste #2 2000 chars]"]
    assert markers.expand(f"a {first} b {second}") == f"a {lines} b {'y' * 2000}"


def test_a_typed_look_alike_stays_text() -> None:
    markers = Markers()
    markers.fold("z" * 2000)
    assert markers.expand(clean("[paste #1 2000 chars]")) == "[paste #1 2000 chars]"


def test_markers_that_nothing_uses_are_forgotten_and_reused() -> None:
    markers = Markers()
    first, second = markers.fold("a" * 2000), markers.fold("b" * 2000)
    markers.keep_only([f"draft {second}"])
    assert not markers.holds(first)
    assert markers.expand(second) == "b" * 2000
    assert markers.fold("c" * 2000) == first


def test_when_all_markers_are_in_use_the_text_itself_stays() -> None:
    markers = Markers()
    for _ in range(0x800):
        markers.fold("a" * 1001)
    assert markers.fold("last" * 500) == "last" * 500
