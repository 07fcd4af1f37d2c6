"""Themes of the terminal's own 16 colours, on its own ground: for terminals that have no others, or want none.

Nobody knows how these colours look. Blue is left out on a dark ground, yellow and cyan on a light one: with the palettes
of VGA and xterm they can hardly be read there.
"""

from __future__ import annotations

from dataclasses import replace

from textual.theme import BUILTIN_THEMES


def _variables(like: str, mark: str, ink: str) -> dict[str, str]:
    """Scroll bars, and what is selected: blocks of the colour `mark` with text in `ink`; all else as in Textual's."""
    return {
        **BUILTIN_THEMES[like].variables,
        "scrollbar": "ansi_default",
        "scrollbar-hover": "ansi_default",
        "scrollbar-active": "ansi_default",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "screen-selection-background": mark,
        "screen-selection-foreground": ink,
        "input-selection-background": mark,
        "input-selection-foreground": ink,
    }


DARK = replace(
    BUILTIN_THEMES["ansi-dark"],
    name="terminal-dark",
    primary="ansi_bright_cyan",
    secondary="ansi_bright_magenta",
    accent="ansi_bright_cyan",
    success="ansi_bright_green",
    warning="ansi_bright_yellow",
    error="ansi_bright_red",
    variables=_variables("ansi-dark", "ansi_bright_cyan", "ansi_black"),
)

LIGHT = replace(
    BUILTIN_THEMES["ansi-light"],
    name="terminal-light",
    primary="ansi_blue",
    secondary="ansi_magenta",
    accent="ansi_blue",
    success="ansi_green",
    warning="ansi_magenta",
    error="ansi_red",
    variables=_variables("ansi-light", "ansi_blue", "ansi_bright_white"),
)

OWN_COLOURS = (DARK, LIGHT)
"""For a dark and for a light terminal."""
