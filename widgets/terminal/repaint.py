"""Painting one widget at once, for the echo of a key: Textual would wait for the next tick of its frame timer.

Its compositor would also ask every visible widget for its lines; here only the one widget is drawn.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false
from __future__ import annotations

from typing import Any

from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget


def repaint_now(widget: Widget) -> None:
    """Paint a widget that `refresh` has marked; left to the timer where a layout is due or something lies over it."""
    if not widget.is_attached or not widget.display:
        return
    screen: Screen[Any] = widget.screen
    if not screen.is_current or screen._layout_required or screen._repaint_required or screen.app._batch_count:
        return
    region = _uncovered_region(widget, screen)
    if region is None:
        return
    widget._exchange_repaint_regions()
    widget._repaint_required = False
    screen._dirty_widgets.discard(widget)
    strips = widget.render_lines(Region(0, 0, region.width, region.height))
    screen.app._display(screen, LayoutUpdate([[strip] for strip in strips], region))


def _uncovered_region(widget: Widget, screen: Screen[Any]) -> Region | None:
    """Where the widget is, if all of it is in sight and nothing but its ancestors stands at that place."""
    visible = screen._compositor.visible_widgets
    place = visible.get(widget)
    if place is None or place[0].intersection(place[1]) != place[0]:
        return None
    region = place[0]
    under = {widget, *widget.ancestors}
    covered = any(
        other not in under and other_region.intersection(clip).overlaps(region)
        for other, (other_region, clip) in visible.items()
    )
    return None if covered else region
