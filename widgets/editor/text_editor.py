"""A field for text of any number of lines: caret by grapheme, undo, kill ring, pastes folded into markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from ..terminal.driver import hold_escape
from ..terminal.key_dispatch import run_own
from ..terminal.key_names import is_text, typed_text
from ..terminal.repaint import repaint_now
from ..text.grapheme import is_marker
from ..text.marks import marks
from .document import EditorDocument
from .keys import TEXT_BINDINGS
from .layout import EditorLayout
from .paste import Markers, clean, is_long
from .rows import GUTTER, EditorStyles, draw_placeholder, draw_row, mark_selection
from .soft_wrap import SoftWrap

MAX_ROWS = 10
FOLD_ALWAYS = 50_000
"""A text of more characters than this is folded into a marker, whichever way it came in."""


class TextEditor(Widget, can_focus=True):
    """Text with a caret. It grows from one row to `max_rows`, a third of the screen at most.

    Keys are handled here, in the order in which they arrive, rather than by Textual's bindings, which would run a
    Backspace after the letters that follow it. The table is the same and `keys.toml` applies to it.
    """

    DEFAULT_CSS = """
    TextEditor {
        height: auto;
        padding: 0 1;
        color: $foreground;
        & > .editor--prompt { color: $text-accent; text-style: bold; }
        & > .editor--marker { color: $text-accent; }
        & > .editor--placeholder { color: $foreground 65%; }
        & > .editor--caret { text-style: reverse; }
        & > .editor--choice { color: $foreground; }
        & > .editor--chosen { color: $text-accent; text-style: bold; }
        & > .editor--detail { color: $foreground 70%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "editor--prompt",
        "editor--marker",
        "editor--placeholder",
        "editor--caret",
        "editor--choice",
        "editor--chosen",
        "editor--detail",
    }

    BINDINGS: ClassVar[list[BindingType]] = list(TEXT_BINDINGS)

    placeholder: reactive[str] = reactive("", layout=True)

    @dataclass
    class Changed(Message):
        """The text is another one; read it from `text`."""

        editor: TextEditor

        @property
        def control(self) -> TextEditor:
            return self.editor

    @dataclass
    class PasteWanted(Message):
        """The person wants what the clipboard holds; the widget cannot read it."""

        editor: TextEditor

        @property
        def control(self) -> TextEditor:
            return self.editor

    def __init__(
        self,
        text: str = "",
        *,
        placeholder: str = "",
        max_rows: int = MAX_ROWS,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.set_reactive(TextEditor.placeholder, placeholder)
        self._max_rows = max_rows
        self._markers = Markers()
        self._document = EditorDocument()
        self._wrap = SoftWrap(self._markers.label)
        self._layout_of_text = EditorLayout(self._document, self._wrap)
        self._first_row = 0
        self._height_shown = 1
        self._jump: bool | None = None
        self._styles_of_rows: EditorStyles | None = None
        self._document.reset(self._fold_if_huge(clean(text)))

    # The text

    @property
    def text(self) -> str:
        """The text as it would be sent: markers expanded."""
        return self._markers.expand(self._document.text)

    @property
    def is_empty(self) -> bool:
        return self._document.is_empty

    def set_text(self, text: str) -> None:
        """Replace everything; undo brings the old text back."""
        self._document.set_text(self._fold_if_huge(clean(text)))
        self._after_edit()

    def insert(self, text: str) -> None:
        """Insert text at the caret, as one step of undo."""
        self._document.insert(self._fold_if_huge(clean(text)))
        self._after_edit()

    def paste(self, text: str) -> None:
        """Insert text as a paste: a long one becomes a marker. It never sends."""
        text = clean(text)
        if not text:
            return
        if _is_path(text) and _ends_word(self._document.before):
            text = f" {text}"
        self._document.insert(self._markers.fold(text) if is_long(text) else text, "paste")
        self._after_edit()

    # Keys

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Printable characters are typed; Textual asks before it takes one for a binding of the app."""
        return character is not None and is_text(character)

    def on_key(self, event: events.Key) -> None:
        text = typed_text(event)
        if self._jump is not None and text:
            forward, self._jump = self._jump, None
            self._document.move_to_character(text, forward=forward)
            self._after_move()
        elif run_own(self, event.key):
            pass
        elif text:
            self._type(text)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste(event.text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`delete_right` of an empty text is left to others: Ctrl+D ends the program there."""
        return not (action == "edit" and parameters == ("delete_right",) and self.is_empty)

    def _type(self, text: str) -> None:
        self._document.type(clean(text))
        self._after_edit()

    def action_newline(self) -> None:
        """Break the line."""
        self._document.insert("\n")
        self._after_edit()

    def action_paste(self) -> None:
        """Ask for what the clipboard holds."""
        self.post_message(self.PasteWanted(self))

    def action_edit(self, verb: str) -> None:
        """Run a verb of `EditorDocument`: an edit or a move."""
        if verb.startswith("move"):
            getattr(self._document, verb)()
            self._after_move()
        elif getattr(self._document, verb)():
            self._after_edit()

    def action_row_edge(self, end: bool) -> None:
        """Go to the start or end of the row, then of the line."""
        line, column = self._layout_of_text.row_edge(end=end)
        if (line, column) == (self._document.row, self._document.column):
            column = len(self._document.line) if end else 0
        self._document.move_to(line, column)
        self._after_move()

    def action_up(self) -> None:
        """A row up; on the first row to the start of the text."""
        if not self._layout_of_text.move_vertically(-1):
            self._document.move_to_start()
        self._after_move()

    def action_down(self) -> None:
        """A row down; on the last row to the end of the text."""
        if not self._layout_of_text.move_vertically(1):
            self._document.move_to_end()
        self._after_move()

    def action_page(self, direction: int) -> None:
        """A page up (-1) or down (1)."""
        self._layout_of_text.move_vertically(direction * self._text_height)
        self._after_move()

    def action_jump(self, forward: bool) -> None:
        """The next key says to which character the caret goes."""
        self._jump = forward

    # Mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        offset = event.get_content_offset(self)
        if offset is None or (row := offset.y - self._rows_above) < 0:
            return
        self._document.move_to(*self._layout_of_text.place(self._first_row + row, offset.x - GUTTER))
        self._after_move()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(-1, event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(1, event)

    def _scroll(self, rows: int, event: events.MouseEvent) -> None:
        if self._layout_of_text.row_count > self._text_height:
            event.stop()
            self._layout_of_text.move_vertically(rows)
            self._after_move()

    # Layout

    @property
    def _rows_above(self) -> int:
        """Rows that a subclass draws above the text."""
        return 0

    @property
    def _text_height(self) -> int:
        limit = min(self._max_rows, max(1, self.app.size.height // 3))  # pyright: ignore[reportUnknownMemberType]
        return max(1, min(self._layout_of_text.row_count, limit))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The rows of the text up to the limit, and what stands above them."""
        self._wrap.width = width - GUTTER - 1
        self._height_shown = self._rows_above + self._text_height
        self._show_caret()
        return self._height_shown

    def on_resize(self, event: events.Resize) -> None:
        self._wrap.width = self.content_size.width - GUTTER - 1
        self._show_caret()
        self.refresh()

    def _after_edit(self) -> None:
        """Show a changed text and tell of it."""
        self._after_move()
        if self.is_attached:
            hold_escape(self.app, not self.is_empty)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        self.post_message(self.Changed(self))

    def _after_move(self) -> None:
        """Show the caret where it is; at once, unless more keys wait or the height changes."""
        if not self.is_attached:
            return
        self._show_caret()
        if self._rows_above + self._text_height != self._height_shown:
            self.refresh(layout=True)
            return
        is_last_key = not self.message_queue_size
        self.refresh()
        if is_last_key:
            repaint_now(self)

    def _show_caret(self) -> None:
        row, _ = self._layout_of_text.caret
        height = self._text_height
        highest = max(0, self._layout_of_text.row_count - height)
        self._first_row = max(0, min(max(self._first_row, row - height + 1), row, highest))

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw, and put the terminal's own cursor under the caret, where input methods open their window."""
        if self.has_focus:
            self.app.cursor_position = self._caret_position  # pyright: ignore[reportUnknownMemberType]
        return super().render_lines(crop)

    @property
    def _caret_position(self) -> Offset:
        """The caret's cell on the screen."""
        row, cell = self._layout_of_text.caret
        origin = self.content_region.offset
        return origin + Offset(GUTTER + cell, self._rows_above + row - self._first_row)

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        styles = self._row_styles
        return self._draw_line(y, width, styles).adjust_cell_length(width, styles.text)

    def _draw_line(self, y: int, width: int, styles: EditorStyles) -> Strip:
        if self.is_empty and y == 0:
            return Strip(draw_placeholder(self.placeholder, width, self.has_focus, styles))
        row = self._first_row + y
        rows = self._layout_of_text.rows(row, 1)
        if not rows:
            return Strip([])
        caret_row, _ = self._layout_of_text.caret
        caret = self._document.column if self.has_focus and caret_row == row else None
        segments = draw_row(rows[0], self._gutter(y), caret, styles)
        return mark_selection(segments, row, self._selected, self.screen.get_component_rich_style("screen--selection"))

    @property
    def _selected(self) -> Selection | None:
        """What is drawn as selected: rows, and characters in them."""
        return self.text_selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What the mouse has selected, as it would be sent: folds are no line breaks, markers are expanded."""
        start, end = selection.start or Offset(0, 0), selection.end or Offset(1_000_000, 1_000_000)
        first = self._layout_of_text.place_of_character(start.y, start.x)
        last = self._layout_of_text.place_of_character(end.y, end.x)
        text = self._markers.expand(self._document.between(*first, *last))
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def _gutter(self, y: int) -> str:
        """The prompt before the first row; arrows where rows are out of sight."""
        if y == 0:
            return marks().up if self._first_row else marks().prompt
        is_last = y == self._text_height - 1
        return marks().down if is_last and self._first_row + y + 1 < self._layout_of_text.row_count else ""

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_of_rows = None

    @property
    def _row_styles(self) -> EditorStyles:
        """The styles of the theme, looked up once per change of style."""
        if self._styles_of_rows is None:
            self._styles_of_rows = self._look_up_styles()
        return self._styles_of_rows

    def _look_up_styles(self) -> EditorStyles:
        def style(name: str) -> Style:
            return self.rich_style + self.get_component_rich_style(f"editor--{name}", partial=True)

        return EditorStyles(
            text=self.rich_style,
            prompt=style("prompt"),
            marker=style("marker"),
            placeholder=self.get_component_rich_style("editor--placeholder"),
            caret=self.get_component_rich_style("editor--caret", partial=True),
            choice=style("choice"),
            chosen=style("chosen"),
            detail=self.get_component_rich_style("editor--detail"),
        )

    def _fold_if_huge(self, text: str) -> str:
        return self._markers.fold(text) if len(text) > FOLD_ALWAYS else text


def _ends_word(before: str) -> bool:
    return bool(before) and (before[-1].isalnum() or is_marker(before[-1]))


def _is_path(text: str) -> bool:
    return text.startswith(("/", "~/", "./", "../")) and "\n" not in text
