"""The app's own keys: one table for the key map, the help screen and the docs."""

from __future__ import annotations

from textual.binding import Binding

APP_BINDINGS: tuple[Binding, ...] = (
    Binding("escape", "stop", "stop the run; queued text comes back", id="app.stop", show=False),
    Binding(
        "ctrl+c",
        "clear",
        "copy a selection, else clear what is written, else stop the run; twice quits",
        id="app.clear",
        show=False,
        priority=True,
    ),
    Binding("ctrl+d", "leave", "quit, if the editor is empty", id="app.leave", show=False),
    Binding(
        "alt+up,alt+q", "take_back", "take the last queued message back", id="app.take_back", show=False, priority=True
    ),
    Binding("ctrl+o", "expand_all", "open or fold all tool output", id="app.expand_all", show=False, priority=True),
    Binding("ctrl+p", "palette", "find any command or action", id="app.palette", show=False, priority=True),
    Binding("ctrl+l", "command('model')", "choose the model", id="app.model", show=False, priority=True),
    Binding("alt+p", "command('model', 'next')", "next model", id="app.next_model", show=False, priority=True),
    Binding(
        "alt+P,alt+shift+p",
        "command('model', 'previous')",
        "the model before",
        id="app.previous_model",
        show=False,
        priority=True,
    ),
    Binding("shift+tab", "command('thinking', 'next')", "next thinking level", id="app.cycle_thinking", show=False),
    Binding(
        "ctrl+t",
        "toggle_thinking",
        "show thinking, or only while it goes on",
        id="app.toggle_thinking",
        show=False,
        priority=True,
    ),
    Binding("f2", "command('approval', 'next')", "next approval mode", id="app.cycle_approval", show=False),
    Binding("ctrl+g", "edit_outside", "write in your own editor", id="app.edit_outside", show=False, priority=True),
    Binding(
        "ctrl+z",
        "suspend_process",
        "put the program into the background; fg brings it back",
        id="app.suspend",
        show=False,
        priority=True,
    ),
    Binding("pageup", "page(-1)", "a page up in the transcript", id="app.page_up", show=False),
    Binding("pagedown", "page(1)", "a page down in the transcript", id="app.page_down", show=False),
    Binding(
        "ctrl+up",
        "jump(-1)",
        "your message before, in the transcript",
        id="app.previous_message",
        show=False,
        priority=True,
    ),
    Binding(
        "ctrl+down", "jump(1)", "your next message, in the transcript", id="app.next_message", show=False, priority=True
    ),
    Binding("f6", "read", "read with the keys, and back", id="app.read", show=False, priority=True),
    Binding(
        "tab", "read_if_empty", "the same, if the editor is empty", id="app.read_if_empty", show=False, priority=True
    ),
    Binding("f3,ctrl+shift+f", "find", "find a text in the transcript", id="app.find", show=False, priority=True),
    Binding(
        "left_square_bracket", "hunk(-1)", "the hunk before, while a change waits", id="app.previous_hunk", show=False
    ),
    Binding("right_square_bracket", "hunk(1)", "the next hunk, while a change waits", id="app.next_hunk", show=False),
    Binding("s", "toggle_diff_view", "diffs side by side or not, while a change waits", id="app.diff_view", show=False),
    Binding("ctrl+home", "top", "top of the transcript", id="app.top", show=False, priority=True),
    Binding("ctrl+end", "end", "end of the transcript, and follow it", id="app.end", show=False, priority=True),
    Binding(
        "end", "end", "end of the transcript, if the editor is empty", id="app.end_if_empty", show=False, priority=True
    ),
    Binding("f1", "help", "all keys and commands", id="app.help", show=False, priority=True),
    Binding(
        "question_mark",
        "help_if_empty",
        "the same, if the editor is empty",
        id="app.help_if_empty",
        show=False,
        priority=True,
    ),
)

ONLY_IF_EMPTY = frozenset({"end_if_empty", "help_if_empty", "read_if_empty"})
"""Actions of keys that type something or move in the editor: they work while it is empty."""

OF_MAIN_SCREEN = frozenset(binding.action.partition("(")[0] for binding in APP_BINDINGS)
"""Actions that do nothing while another screen stands over the main one, which may have other uses for the keys."""
