"""The few signs that the screen uses, in Unicode and in ASCII."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Mapping
from functools import lru_cache

from ...agent.frozen import frozen


@frozen
class Marks:
    """Signs of one character set. Each stands beside a word: no meaning hangs on a sign or a colour alone."""

    ok: str = "✓"
    failed: str = "✗"
    refused: str = "⊘"
    aborted: str = "◼"
    waiting: str = "●"
    pending: str = "○"
    still: str = "…"
    spinner: tuple[str, ...] = ("⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏")
    prompt: str = "❯"
    steer: str = "↳"
    later: str = "⇣"
    thinking: str = "∴"
    note: str = "·"
    warning: str = "!"
    rule: str = "│"
    line: str = "─"
    dot: str = "·"
    ellipsis: str = "…"
    unknown: str = "–"
    minus: str = "−"
    times: str = "×"
    down: str = "↓"
    up: str = "↑"
    open_word: str = "⟦"
    close_word: str = "⟧"
    blank: str = "·"
    tab: str = "→"
    bullets: tuple[str, ...] = ("•", "◦", "▪")
    task_open: str = "☐"
    task_done: str = "☑"
    corner: str = "┼"
    tee_down: str = "┬"
    tee_up: str = "┴"
    scrollbar: str = "▐"
    escape: str = "␛"
    bad: str = "\ufffd"
    half_block: str = "▀"
    """What pictures are made of; empty where they cannot be."""


UNICODE_MARKS = Marks()

ASCII_MARKS = Marks(
    ok="ok",
    failed="x",
    refused="-",
    aborted="#",
    waiting="*",
    pending="o",
    still="...",
    spinner=("|", "/", "-", "\\"),
    prompt=">",
    steer="+>",
    later="v",
    thinking="~",
    note="-",
    rule="|",
    line="-",
    dot="-",
    ellipsis="...",
    unknown="-",
    minus="-",
    times="x",
    down="v",
    up="^",
    open_word="[[",
    close_word="]]",
    blank="_",
    tab=">",
    bullets=("*", "-", "+"),
    task_open="[ ]",
    task_done="[x]",
    corner="+",
    tee_down="+",
    tee_up="+",
    scrollbar="|",
    escape="^[",
    bad="?",
    half_block="",
)


def can_draw_unicode(environ: Mapping[str, str], encoding: str) -> bool:
    """Whether the terminal shows more than ASCII: a UTF-8 locale, and not the Linux console or a dumb terminal."""
    if environ.get("TERM", "") in ("dumb", "linux"):
        return False
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "cp65001")


@lru_cache(maxsize=1)
def marks() -> Marks:
    """The signs for the terminal that this process runs in, found once."""
    encoding = "utf-8" if sys.platform == "win32" else _locale_encoding(os.environ)
    return UNICODE_MARKS if can_draw_unicode(os.environ, encoding) else ASCII_MARKS


def _locale_encoding(environ: Mapping[str, str]) -> str:
    """The character set that the locale variables name, which UTF-8 mode and C.UTF-8 coercion would hide."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if value := environ.get(name, ""):
            return value.partition(".")[2].partition("@")[0] or _encoding_of_bare_locale(value)
    return locale.getpreferredencoding(False) if sys.platform == "darwin" else "ascii"


def _encoding_of_bare_locale(name: str) -> str:
    """A locale without a character set: ``C`` and ``POSIX`` are ASCII, others are what the system makes of them."""
    return "ascii" if name in ("C", "POSIX") else locale.getpreferredencoding(False)
