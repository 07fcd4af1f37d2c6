"""Painting one widget at once, for the echo of a key: Textual would wait for the next tick of its frame timer."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget


def repaint_now(widget: Widget) -> None:
    """Paint what `refresh` has marked on this widget, and nothing else; a no-op where a layout must come first."""
    if not widget.is_attached or not widget.display:
        return
    screen: Screen[object] = widget.screen
    if not screen.is_current or screen._layout_required or screen.app._batch_count:  # pyright: ignore[reportUnknownMemberType]
        return
    others = screen._dirty_widgets - {widget}
    screen._compositor.update_widgets({widget})
    screen._compositor_refresh()
    screen._dirty_widgets |= others
