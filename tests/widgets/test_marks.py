"""Which signs a terminal gets."""

from __future__ import annotations

from dataclasses import fields

from pyagent_tui.widgets.text.marks import ASCII_MARKS, can_draw_unicode


def test_dumb_terminals_and_other_locales_get_ascii() -> None:
    assert can_draw_unicode({"TERM": "xterm-256color"}, "UTF-8")
    assert not can_draw_unicode({"TERM": "dumb"}, "UTF-8")
    assert not can_draw_unicode({"TERM": "linux"}, "utf8")
    assert not can_draw_unicode({"TERM": "xterm"}, "ISO-8859-1")


def test_ascii_marks_are_ascii_and_states_differ() -> None:
    for field in fields(ASCII_MARKS):
        value: str | tuple[str, ...] = getattr(ASCII_MARKS, field.name)
        assert "".join(value).isascii(), field.name
    states = {ASCII_MARKS.ok, ASCII_MARKS.failed, ASCII_MARKS.refused, ASCII_MARKS.aborted, ASCII_MARKS.waiting}
    assert len(states) == 5
