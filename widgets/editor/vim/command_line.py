"""What is typed behind a colon in Vim's normal mode."""

from __future__ import annotations

_ERASES = ("backspace", "ctrl+h")


class CommandLine:
    """One line without a caret. `text` is None while nothing is typed there."""

    def __init__(self) -> None:
        self.text: str | None = None

    def open(self) -> None:
        """Begin with an empty line."""
        self.text = ""

    def close(self) -> None:
        """Forget it."""
        self.text = None

    def press(self, key: str, character: str) -> str | None:
        """The whole command, at Enter; None while it is typed, or if it was given up."""
        text = self.text or ""
        if key == "enter":
            self.close()
            return text.strip()
        if key in _ERASES:
            self.text = text[:-1] if text else None
        elif key == "ctrl+u":
            self.text = ""
        elif character:
            self.text = text + character
        return None
