"""The editor: where the person writes to the agent."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from rich.segment import Segment
from textual import events, work
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from ...agent.messages import ImageContent
from ..text.grapheme import is_marker
from ..text.outside_text import outside_line
from .completion import CompleteAsFound, CompleteLater, CompleteNow
from .history import EditorHistory
from .keys import EDITOR_BINDINGS
from .paste import clean
from .rows import EditorStyles
from .vim_editor import VimEditor

if TYPE_CHECKING:
    from .dropped import Dropped

Intent: TypeAlias = Literal["send", "follow_up"]
"""`send`: start a run, or steer the one that runs. `follow_up`: wait until the run would stop."""

LoadImage: TypeAlias = Callable[[str], Awaitable[ImageContent | None]]
"""Takes a path that was pasted or dropped; None if it is no picture."""

ArgumentHint: TypeAlias = Callable[[str], str]
"""Takes a line that begins a command, such as ``/name``; what may follow or what it will do, or nothing."""

_IMAGE_NAME = re.compile(r"\[image #\d+\]")
_COMMAND_SIGNS = ("/", "!")


class Editor(VimEditor):
    """The text that is sent, with history and completion.

    `escape` (while no menu is open), `ctrl+c` and `ctrl+d` in an empty editor are left to the app, which calls
    `clear`. The sources of completions, and `load_image`, are injected: the widget touches no disk.
    """

    DEFAULT_CSS = """
    Editor.-command > .editor--prompt { color: $text-warning; }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(EDITOR_BINDINGS)

    @dataclass
    class Submitted(Message):
        """The person sends this text; the editor is empty by now and the text is in its history."""

        text: str
        images: tuple[ImageContent, ...]
        intent: Intent

    def __init__(
        self,
        *,
        history: EditorHistory | None = None,
        complete_command: CompleteNow | None = None,
        complete_file: CompleteAsFound | None = None,
        complete_path: CompleteLater | None = None,
        load_image: LoadImage | None = None,
        argument_hint: ArgumentHint | None = None,
        placeholder: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(history, placeholder=placeholder, id=id, classes=classes)
        self.complete_command = complete_command
        self.complete_file = complete_file
        self.complete_path = complete_path
        self.load_image = load_image
        self.argument_hint = argument_hint
        self._images: dict[str, ImageContent] = {}
        self._is_recalled = False
        self.left_when_empty: frozenset[str] = frozenset()
        """Printable keys that are the app's while nothing is written."""

    # What the app does with the text

    def take(self) -> str:
        """The text, and an empty editor; not kept in the history."""
        text = self.text
        self._start_anew()
        return text

    def clear(self) -> None:
        """Empty the editor; Up brings the text back."""
        self._keep_in_history()
        self._start_anew()

    def restore(self, texts: Iterable[str], images: Sequence[Sequence[ImageContent]] = ()) -> None:
        """Put texts that were taken back before the draft, parted by blank lines; with `images`, those of each text.

        A picture stands where its name stood, else behind its text.
        """
        pairs = zip(texts, chain(images, repeat(())), strict=False)
        restored = [self._with_images(self._for_editor(text), own) for text, own in pairs]
        parts = [part for part in (*restored, self._document.text) if part.strip()]
        self._document.set_text("\n\n".join(parts))
        self._after_edit()

    def _with_images(self, raw: str, images: Sequence[ImageContent]) -> str:
        done, rest = "", raw
        for image in images:
            name = _IMAGE_NAME.search(rest)
            head, rest = (rest[: name.start()], rest[name.end() :]) if name else (rest, "")
            done += head + self._image_marker(image, "")
        return done + rest

    def rewrite(self, text: str) -> None:
        """Replace everything by an edited form of it; pictures whose names still stand there stay."""
        raw = self._for_editor(text)
        for mark in self._images:
            raw = raw.replace(self._markers.expand(mark), mark, 1)
        self._document.set_text(raw)
        self._after_edit()

    def attach(self, image: ImageContent, name: str = "") -> None:
        """Insert a picture at the caret; it goes with the text for as long as its marker stands there."""
        self._document.insert(self._image_marker(image, name), "paste")
        self._after_edit()

    @property
    def lacks_pictures(self) -> bool:
        """Whether an earlier prompt stands there that names pictures which did not outlive the program."""
        return self._is_recalled and names_image(self._document.text)

    # Keys

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """As every text field, but for the keys that the app has while nothing is written."""
        if self.is_idle and key in self.left_when_empty:
            return False
        return super().check_consume_key(key, character)

    def _is_typed(self, event: events.Key) -> bool:
        """Whether the key is the app's while nothing is written, or begins a command, which then is typed."""
        if not self.is_empty:
            return False
        if event.character in _COMMAND_SIGNS:
            self.enter_insert()
            return True
        return event.key in self.left_when_empty

    # Sending

    def action_submit(self, intent: Intent) -> None:
        """Send; after a backslash break the line instead; take what is highlighted in the menu."""
        if self._menu.current is not None and not self._menu.is_typed():
            self._take_choice(sends=intent == "send")
        elif self._document.before.endswith("\\"):
            self._document.replace_before(1, "\n")
            self._after_edit()
        elif self.text.strip():
            self._send(intent)

    def _send(self, intent: Intent) -> None:
        raw = self._document.text
        images = tuple(self._images[mark] for mark in raw if mark in self._images)
        text = self.text.strip("\n").rstrip()
        self._keep_in_history()
        self._start_anew()
        self.post_message(self.Submitted(text, images, intent))

    def _keep_in_history(self) -> None:
        self.history.add(self._document.text, self.text)
        self._markers.keep_only(self.history.kept)
        self._images = {mark: image for mark, image in self._images.items() if self._markers.holds(mark)}

    def _start_anew(self) -> None:
        self._menu.close()
        self.enter_insert()
        self._document.reset()
        self._is_recalled = False
        self._after_edit()

    # History

    def _after_edit(self) -> None:
        self._show_prefix()
        super()._after_edit()

    def _after_recall(self) -> None:
        self._is_recalled = True
        self._show_prefix()

    def _show_prefix(self) -> None:
        self.set_class(self._document.lines[0].startswith("!"), "-command")

    def _send_choice(self) -> None:
        self._send("send")

    # Pictures

    def paste(self, text: str) -> None:
        """Insert a paste; paths of pictures become the pictures, those that can be read."""
        from .dropped import dropped_pictures  # nothing is dropped before the first frame

        cleaned = clean(text).strip()
        pictures = [] if self.load_image is None or self.is_searching else dropped_pictures(cleaned)
        if len(pictures) < 2:
            super().paste(text)
        else:
            self._document.insert(cleaned, "paste")  # never folded: the paths must be found again
            self._after_edit()
        if pictures:
            self._load(cleaned, pictures)

    @work(group="picture", exit_on_error=False)
    async def _load(self, pasted: str, pictures: Sequence[Dropped]) -> None:
        """Put the pictures that there are in the place of their paths, as long as what was pasted stands there."""
        assert self.load_image is not None
        loaded = [(picture, await self.load_image(picture.path)) for picture in pictures]
        raw = self._document.text
        if pasted not in raw or not any(image for _, image in loaded):
            return
        done, position = "", 0
        for picture, image in loaded:
            if image is not None:
                done += pasted[position : picture.start] + self._image_marker(image, picture.name)
                position = picture.end
        self._document.set_text((done + pasted[position:]).join(raw.rsplit(pasted, 1)))
        self._after_edit()

    def _image_marker(self, image: ImageContent, name: str) -> str:
        number = len(self._images) + 1
        label = f"[image #{number} {outside_line(name)}]" if name else f"[image #{number}]"
        marker = self._markers.add(f"[image #{number}]", label)
        if is_marker(marker):
            self._images[marker] = image
        return marker

    # Drawing

    def _draw_line(self, y: int, width: int, styles: EditorStyles) -> Strip:
        row = super()._draw_line(y, width, styles)
        return row if y < self._rows_above else self._with_hint(row, styles)

    def _with_hint(self, row: Strip, styles: EditorStyles) -> Strip:
        """The row, followed by what the command in it still wants or will do; only while the command is all there is."""
        line = self._document.line
        is_alone = len(self._document.lines) == 1 and self._layout_of_text.row_count == 1
        is_command = is_alone and line.startswith(_COMMAND_SIGNS) and self._document.column == len(line)
        if not is_command or self.argument_hint is None or self._menu.is_open:
            return row
        hint = self.argument_hint(line)
        return Strip.join([row, Strip([Segment(outside_line(hint), styles.placeholder)])]) if hint else row

    def _for_editor(self, text: str) -> str:
        return self._fold_if_huge(clean(text))


def names_image(text: str) -> bool:
    """Whether a text names a picture that went with it."""
    return _IMAGE_NAME.search(text) is not None
