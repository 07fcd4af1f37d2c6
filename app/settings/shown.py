"""What the screen takes from the settings, at start and when one is changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import constants

if TYPE_CHECKING:
    from ..tui import PyAgentApp

TOLD = 4.0
"""Seconds for which a short word stands above the editor."""


def show_settings(app: PyAgentApp) -> None:
    """Let the screen look as the settings say."""
    settings, transcript = app.conversation.settings, app.view.transcript
    app.animation_level = "none" if settings.reduced_motion else constants.TEXTUAL_ANIMATIONS
    app.attention.settings = settings
    app.view.editor.is_vim = settings.editor_mode == "vim"
    transcript.show_pictures(settings.pictures, app.graphics.graphics)
    transcript.diff_view = settings.diff_view
    if transcript.history.leaves_out != settings.hide_thinking:
        transcript.leave_out_thinking(settings.hide_thinking)


def toggle_thinking(app: PyAgentApp) -> None:
    """The model's thinking: always, or only while it goes on."""
    transcript = app.view.transcript
    transcript.leave_out_thinking(not transcript.history.leaves_out)
    tell(app, "thinking shows only while it goes on" if transcript.history.leaves_out else "thinking shows")


def tell(app: PyAgentApp, words: str) -> None:
    """Say something above the editor for a while."""
    app.view.rule.notice = words
    app.set_timer(TOLD, partial(app.view.rule.retract, words))
