"""What the keys of the main screen do."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import events

from ...widgets.terminal.key_dispatch import drained, first_key, own_bindings
from ..keys.bindings import OF_MAIN_SCREEN, ONLY_IF_EMPTY
from ..terminal.app import TerminalApp

LEFT_TO_SEARCH = frozenset({"clear", "edit_outside"})
"""Actions whose keys end the search for an earlier prompt while it goes on."""

if TYPE_CHECKING:
    from ..conversation.asking import Asking
    from ..conversation.conversation import Conversation
    from ..conversation.jobs import Jobs
    from ..conversation.shell_commands import ShellCommands
    from ..view import View

QUIT_WINDOW = 0.5
"""Seconds in which a second ctrl+c quits."""


class MainActions(TerminalApp, inherit_bindings=False):
    """An app with the actions of the one table of keys (`bindings`); each is a verb of a widget or the conversation."""

    view: View
    asking: Asking
    conversation: Conversation
    commands: ShellCommands
    jobs: Jobs
    _last_clear = float("-inf")

    async def on_event(self, event: events.Event) -> None:
        """A key whose meaning depends on what is written waits until the keys before it are typed."""
        if isinstance(event, events.Key) and not event.is_forwarded and self._comes_first(event.key):
            await drained(self.focused)
        await super().on_event(event)

    def _comes_first(self, key: str) -> bool:
        return any(binding.priority for binding in own_bindings(self, key))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys are the main screen's; those that type something, only while the editor is empty and has the focus."""
        if len(self.screen_stack) > 1 and action in OF_MAIN_SCREEN:
            return False
        if action in LEFT_TO_SEARCH and self.view.editor.is_searching and self.view.editor.has_focus:
            return False
        if action in ONLY_IF_EMPTY:
            return self.view.editor.is_idle and self.focused in (None, self.view.editor, self.view.transcript)
        return True

    def action_stop(self) -> None:
        """Escape: the run, else the person's command, else what goes on in the background, else reading."""
        if not (self.conversation.stop() or self.commands.stop() or self.jobs.stop()) and self.is_reading:
            self.leave_transcript()

    def action_clear(self) -> None:
        """Ctrl+C: copies what is selected; else ends what is written, else the run; twice in a row the program."""
        if self.screen.get_selected_text():
            self.view.transcript.action_copy()
            self.screen.clear_selection()
            return
        now = time.monotonic()
        if now - self._last_clear < QUIT_WINDOW:
            self.leave()
            return
        self._last_clear = now
        if not self._clear_text() and not (self.conversation.stop() or self.commands.stop()):
            self.view.rule.notice = words = f"{first_key(self, 'app.clear')} again quits"
            self.set_timer(QUIT_WINDOW, partial(self.view.rule.retract, words))

    def _clear_text(self) -> bool:
        """Empty what is written in now: the draft, or a text for an answer (undo brings it back). False if it is empty."""
        field = self.view.panel.field if self.view.panel.is_open else self.view.editor
        if field is None or field.is_empty:
            return False
        if field is self.view.editor:
            self.view.editor.clear()
        else:
            field.set_text("")
        return True

    def action_leave(self) -> None:
        """Ctrl+D in an empty editor."""
        if self.view.editor.is_empty:
            self.leave()

    def action_take_back(self) -> None:
        """The newest queued message back into the editor."""
        self.conversation.take_back()

    def action_expand_all(self) -> None:
        """Open or fold every cell."""
        self.view.transcript.expand_all()
        self.asking.show_hints(is_reading=self.is_reading)

    def action_page(self, direction: Literal[-1, 1]) -> None:
        """A page through the transcript."""
        self.view.transcript.action_page(direction)

    def leave_transcript(self) -> None:
        """The focus to whoever is to be answered or written in."""
        self.screen.set_focus(self.view.panel if self.view.panel.is_open else self.view.editor)

    def leave(self) -> None:
        """Quit; what runs is stopped and the session is on disk."""
        self.conversation.stop()
        self.exit(0)

    @property
    def is_reading(self) -> bool:
        """Whether the keys are the transcript's."""
        return self.focused is self.view.transcript

    def action_read(self) -> None:
        """The keys to the transcript, or back."""
        if self.is_reading:
            self.leave_transcript()
        else:
            self.screen.set_focus(self.view.transcript)  # at once: the next key is for it

    def action_read_if_empty(self) -> None:
        """Tab, where the editor has nothing to complete."""
        self.action_read()

    def action_jump(self, direction: Literal[-1, 1]) -> None:
        """The previous or next message of the person."""
        self.view.transcript.jump(direction)

    def action_hunk(self, direction: Literal[-1, 1]) -> None:
        """The previous or next hunk of what is shown."""
        self.view.transcript.action_hunk(direction)

    def action_toggle_diff_view(self) -> None:
        """Diffs side by side, or one below the other."""
        self.view.transcript.action_toggle_diff_view()

    def action_top(self) -> None:
        """The beginning of the transcript."""
        self.view.transcript.action_to_start()

    def action_end(self) -> None:
        """The end of the transcript, and follow it."""
        self.view.transcript.action_follow()

    def action_end_if_empty(self) -> None:
        """End, where the editor has no use for it."""
        self.view.transcript.action_follow()

    def action_help(self) -> None:
        """All keys and commands."""
        from ..keys.essentials import ANSWER, READ, STOP
        from ..screens.help import HelpScreen

        busy = STOP if self.conversation.is_running else ""
        self.push_screen(HelpScreen(now=ANSWER if self.view.panel.is_open else READ if self.is_reading else busy))

    def action_help_if_empty(self) -> None:
        """The question mark, where it is no text."""
        self.action_help()
