"""A completing editor that brings earlier prompts back: one after the other, or those that a search finds."""

from __future__ import annotations

from textual import events
from textual.geometry import Offset
from textual.strip import Strip
from textual.widget import Widget

from ..terminal.key_dispatch import key_hint, own_bindings
from ..terminal.key_names import typed_text
from ..text.grapheme import is_marker
from ..text.marks import marks
from ..text.outside_text import outside_line
from .completing_editor import CompletingEditor
from .completion import Completion, CompletionQuery
from .history import EditorHistory
from .history_search import QUERY_VERBS, HistorySearch
from .rows import EditorStyles, draw_search, search_caret

MOST_FOUND = 100
_MENU_ACTIONS = frozenset({"history_search", "up", "down", "page"})


class RecallingEditor(CompletingEditor):
    """A `CompletingEditor` with a history. While it is searched the draft waits, out of sight and as it was.

    Enter or Tab puts what is found in the place of the draft (undo brings that back), Escape goes back to the draft,
    any other key of the editor takes what is found and then does its work there.
    """

    def __init__(
        self,
        history: EditorHistory | None = None,
        *,
        placeholder: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(placeholder=placeholder, id=id, classes=classes)
        self.history = history or EditorHistory()
        self._search_of_history: HistorySearch | None = None

    @property
    def is_searching(self) -> bool:
        """Whether what is typed is searched for rather than written."""
        return self._search_of_history is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is written or searched: keys that type may then be the app's."""
        return self.is_empty and not self.is_searching

    # One after the other

    def action_up(self) -> None:
        """A row up; at the start of the text, or while browsing, the earlier prompt."""
        at_start = (self._document.row, self._document.column) == (0, 0)
        if not self._menu.is_open and (self.history.is_browsing or at_start):
            self._show_entry(self.history.previous(self._document.text))
        else:
            super().action_up()

    def action_down(self) -> None:
        """A row down; while browsing the later prompt, at last the draft."""
        if not self._menu.is_open and self.history.is_browsing:
            self._show_entry(self.history.next())
        else:
            super().action_down()

    def _show_entry(self, raw: str | None) -> None:
        if raw is None:
            return
        self._document.set_text(raw)
        self._after_recall()
        self._after_move()
        self.post_message(self.Changed(self))

    def _after_recall(self) -> None:
        """Called when an earlier prompt stands there; it is no edit."""

    def _after_edit(self) -> None:
        """Whatever changes the text ends the search and the walk."""
        self.history.leave()
        if self.is_searching:
            self._end_search()
        super()._after_edit()

    def action_edit(self, verb: str) -> None:
        if verb.startswith("move"):
            self.history.leave()
        super().action_edit(verb)

    # The search

    def action_history_search(self) -> None:
        """Search earlier prompts; again: the next older one that is found."""
        if self._search_of_history is None:
            self._close_menu()
            self._search_of_history = HistorySearch()
            self._find()
        else:
            self._choose(1)

    def action_cancel_search(self) -> None:
        """Back to the draft."""
        self._end_search()
        self._after_move()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "cancel_search":
            return self.is_searching
        if action == "close_menu" and self.is_searching:
            return False
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        if self.is_searching and self._take_search_key(event):
            event.stop()
            event.prevent_default()
        else:
            super().on_key(event)

    def _take_search_key(self, event: events.Key) -> bool:
        """Whether the key was one of the search; else the search has ended, or the key is not the editor's."""
        assert self._search_of_history is not None
        if text := typed_text(event):
            self._search_of_history.type(text)
            self._find()
            return True
        for binding in own_bindings(self, event.key):
            if (taken := self._take_search_action(binding.action)) is not None:
                return taken
        return False

    def _take_search_action(self, action: str) -> bool | None:
        """The same for a key's action; None if it does not apply."""
        name, _, rest = action.partition("(")
        if name == "cancel_search":
            return False
        if name in _MENU_ACTIONS:
            return not self._menu.is_open
        if name in ("submit", "complete"):
            self._take_choice(sends=False)
            return True
        if name == "edit" and (verb := rest.strip("')")) in QUERY_VERBS:
            getattr(self._search_of_history, verb)()
            self._find()
            return True
        if name == "paste":
            self.action_paste()
            return True
        if name == "close_menu":
            return None
        if not self._menu.is_open:
            self.action_cancel_search()
            return True
        self._take_choice(sends=False)
        return False

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The draft is out of sight: a click moves no caret in it."""
        super().on_mouse_down(event)
        if self.is_searching:
            event.prevent_default()

    def paste(self, text: str) -> None:
        """While it is searched, what is searched for."""
        if self._search_of_history is None:
            super().paste(text)
        else:
            self._search_of_history.type(text.strip())
            self._find()

    def _find(self) -> None:
        assert self._search_of_history is not None
        prompts = ((entry, self._markers.expand(entry)) for entry in self.history.entries)
        found = self._search_of_history.find(prompts)[:MOST_FOUND]
        query = CompletionQuery("history", self._search_of_history.query, 0)
        self._menu.show(query, [Completion(entry, label=self._label(entry)) for entry in found])
        self._after_move()

    def _end_search(self) -> None:
        self._search_of_history = None
        self._close_menu()

    def _ask(self) -> None:
        if not self.is_searching:
            super()._ask()

    def _query_now(self) -> CompletionQuery | None:
        return self._menu.query if self.is_searching else super()._query_now()

    def _write_choice(self, query: CompletionQuery, item: Completion) -> None:
        if query.kind == "history":
            self._search_of_history = None
            self._document.set_text(item.text)
            self._after_recall()
        else:
            super()._write_choice(query, item)

    def _label(self, raw: str) -> str:
        first, _, rest = raw.partition("\n")
        text = "".join(self._markers.label(character) if is_marker(character) else character for character in first)
        return f"{text} {marks().ellipsis}" if rest else text

    # Drawing

    @property
    def _text_height(self) -> int:
        return 1 if self.is_searching else super()._text_height

    @property
    def _caret_position(self) -> Offset:
        if self._search_of_history is None:
            return super()._caret_position
        cell = search_caret(outside_line(self._search_of_history.query), self.content_size.width)
        return self.content_region.offset + Offset(cell, self._rows_above)

    def _draw_line(self, y: int, width: int, styles: EditorStyles) -> Strip:
        if self._search_of_history is None or y < self._rows_above:
            return super()._draw_line(y, width, styles)
        query = outside_line(self._search_of_history.query)
        return Strip(draw_search(query, self._outcome, width, self.has_focus, styles))

    @property
    def _outcome(self) -> str:
        """What the search has found, and which keys go on from there."""
        cancel = _hint(self, "editor.cancel_search", "back to the draft")
        if not self._menu.is_open:
            return f"no earlier prompt {cancel}" if self.history.entries else f"nothing was sent yet {cancel}"
        count = f"{self._menu.selected + 1} of {len(self._menu.items)}"
        return f"{count} {_hint(self, 'editor.submit', 'takes it')} {cancel}"


def _hint(editor: Widget, binding: str, words: str) -> str:
    hint = key_hint(editor, binding, words)
    return f"{marks().dot} {hint}" if hint else ""
