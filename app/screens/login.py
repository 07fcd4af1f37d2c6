"""Giving a key: whose it is, what it is, whether the provider takes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ...widgets.editor.keys import TEXT_BINDINGS
from ...widgets.pick_list import PickRow
from ...widgets.text.fuzzy import fuzzy_filter
from ...widgets.text.marks import marks
from ...widgets.text.outside_text import outside_content
from ..keys.screens import LOGIN_KEYS
from .key_line import key_line
from .picker import PickerScreen


class KeyOwner(NamedTuple):
    """A provider in the list; `state` says in a few words whether there is a key, and where it is from."""

    name: str
    title: str
    state: str


class Refused(Exception):
    """The key was not stored; the text says why."""


StoreKey = Callable[[str], Awaitable[str]]
"""Checks a key and stores it; what to tell the person. Raises `Refused`."""


class OwnerPicker(PickerScreen[KeyOwner, str]):
    """Whose key it is. Gives the provider's name."""

    PLACEHOLDER = "type a part of its name"

    def __init__(self, heading: str, owners: Sequence[KeyOwner]) -> None:
        super().__init__()
        self._heading = heading
        self._owners = owners

    def row(self, item: KeyOwner) -> PickRow:
        return PickRow(item.title, (item.state,))

    def find(self, query: str) -> Sequence[KeyOwner]:
        return fuzzy_filter(query, self._owners, lambda owner: f"{owner.name} {owner.title}") if query else self._owners

    def describe(self) -> None:
        self.heading.title = self._heading

    def picked(self, item: KeyOwner) -> None:
        self.dismiss(item.name)


VERBS = {
    "editor.left": "cursor_left",
    "editor.right": "cursor_right",
    "editor.line_start": "home",
    "editor.line_end": "end",
    "editor.delete_left": "delete_left",
    "editor.delete_right": "delete_right",
    "editor.kill_to_start": "delete_left_all",
    "editor.kill_to_end": "delete_right_all",
}
"""What a field that hides its text does for the keys of the editor; words cannot be told in it."""


class SecretField(Input, inherit_bindings=False):
    """A line of text that is not shown, with the editor's keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(binding, action=VERBS[binding.id]) for binding in TEXT_BINDINGS if binding.id in VERBS
    ]


class LoginScreen(ModalScreen[str | None], inherit_bindings=False):
    """Asks for a key, which is never shown. Gives what to tell the person, None if there is nothing."""

    DEFAULT_CSS = """
    LoginScreen {
        background: $background 60%;
        align: center middle;
        & > Vertical {
            width: 70; max-width: 100%; height: auto; padding: 1 2;
            background: $background; border: round $foreground 30%;
        }
        & Static { width: 100%; height: auto; }
        & .login--question { text-style: bold; }
        & Input { margin: 1 0; padding: 0 1; background: $surface; }
        & #login-said { margin-bottom: 1; display: none; }
        & #login-said.-shown { display: block; }
        & #login-said.-refused { color: $text-error; }
        & .login--keys { color: $foreground 70%; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(LOGIN_KEYS)

    def __init__(self, title: str, host: str, store: StoreKey) -> None:
        super().__init__()
        self._title = title
        self._host = host
        self._store = store

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(outside_content(f"The key for {self._title}"), classes="login--question", markup=False)
            yield Static(outside_content(f"It goes to {self._host} and nowhere else."), markup=False)
            yield SecretField(
                password=True, placeholder="paste or type it; it is not shown", select_on_focus=False, compact=True
            )
            yield Static(id="login-said", markup=False)
            yield Static(
                key_line(self, ("login.store", "checks and stores it"), ("login.cancel", "back")),
                classes="login--keys",
                markup=False,
            )

    def on_mount(self) -> None:
        self.query_one(SecretField).focus()

    def action_submit(self) -> None:
        """Enter."""
        key = self.query_one(SecretField).value.strip()
        if key:
            self._check(key)

    @work(group="login", exclusive=True, exit_on_error=False)
    async def _check(self, key: str) -> None:
        field = self.query_one(SecretField)
        field.disabled = True
        self._say(f"asking {self._host} {marks().ellipsis}")
        try:
            self.dismiss(await self._store(key))
        except Refused as error:
            self._say(str(error), is_refused=True)
            field.disabled = False
            field.focus()

    def _say(self, words: str, *, is_refused: bool = False) -> None:
        said = self.query_one("#login-said", Static)
        said.update(outside_content(words))
        said.set_class(True, "-shown")
        said.set_class(is_refused, "-refused")

    def action_cancel(self) -> None:
        """Escape: back; a check that goes on is given up."""
        self.workers.cancel_group(self, "login")  # pyright: ignore[reportUnknownMemberType]
        self.dismiss(None)
