"""The window on the history: it keeps its place whatever happens around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from textual.strip import Strip

from pyagent_tui.widgets.text.lines import Line
from pyagent_tui.widgets.text.look import Look, plain_look
from pyagent_tui.widgets.transcript.cell import Cell
from pyagent_tui.widgets.transcript.history import KEPT_PARTS, History
from pyagent_tui.widgets.transcript.part import Part


class Lines(Part):
    """`count` numbered rows; twice as many in a window under 40 cells."""

    rendered = 0

    def __init__(self, name: str, count: int) -> None:
        super().__init__()
        self.name = name
        self.count = count

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        Lines.rendered += 1
        rows: list[Line] = [[(f"{self.name}.{number}", look.base)] for number in range(self.count)]
        return [look.strip(row, width) for row in rows for _ in range(2 if width < 40 else 1)]

    def estimate(self, width: int) -> int:
        return self.count


class LinesCell(Cell):
    """Parts of the given heights, and ten rows more when it is open."""

    def __init__(self, name: str, *counts: int) -> None:
        super().__init__()
        self.name = name
        self.counts = counts

    @property
    def can_expand(self) -> bool:
        return True

    def build(self) -> list[Part]:
        more = [10] if self.is_expanded else []
        return [Lines(f"{self.name}.{index}", count) for index, count in enumerate([*self.counts, *more])]

    def text(self) -> str:
        return self.name


def history(*cells: LinesCell, height: int = 5) -> History:
    made = History(plain_look())
    made.resize(60, height)
    for cell in cells:
        made.add(cell)
    made.view()
    return made


def texts(window: History) -> list[str]:
    return [row.strip.text.strip() for row in window.view()]


def test_a_short_history_stands_at_the_top_and_a_long_one_shows_its_end() -> None:
    window = history(LinesCell("a", 2))
    assert texts(window) == ["a.0.0", "a.0.1"]
    window.add(LinesCell("b", 4))
    assert texts(window) == ["", "b.0.0", "b.0.1", "b.0.2", "b.0.3"]


def test_scrolling_stops_at_both_ends_and_follows_again_at_the_end() -> None:
    window = history(LinesCell("a", 10))
    window.scroll(-3)
    assert texts(window)[0] == "a.0.2"
    assert not window.is_following
    window.scroll(-99)
    assert texts(window)[0] == "a.0.0"
    window.scroll(99)
    assert window.is_following
    assert texts(window)[-1] == "a.0.9"


def test_what_comes_and_goes_elsewhere_moves_nothing() -> None:
    first, second = LinesCell("a", 10), LinesCell("b", 10)
    window = history(first, second, LinesCell("c", 10))
    window.show(second, row=1)
    before = texts(window)
    assert before[1] == "b.0.0"
    window.add(LinesCell("d", 10))
    window.add(LinesCell("e", 3), before=first)
    assert texts(window) == before
    window.remove(window.cells[0])
    window.remove(window.cells[-1])
    assert texts(window) == before


def test_the_cell_at_the_top_may_vanish() -> None:
    first, second = LinesCell("a", 10), LinesCell("b", 10)
    window = history(first, second, LinesCell("c", 10))
    window.show(second)
    window.remove(second)
    assert texts(window)[:2] == ["", "c.0.0"]


def test_the_rows_below_are_counted_from_where_the_reader_left() -> None:
    window = history(LinesCell("a", 10))
    window.scroll(-2)
    assert window.news() == (0, True)
    window.add(LinesCell("b", 3))
    assert window.news() == (4, True)
    for number in range(20):
        window.add(LinesCell(f"n{number}", 3))
    count, is_exact = window.news()
    assert count == 84
    assert not is_exact
    for _ in range(10):
        count, is_exact = window.news()
    assert (count, is_exact) == (84, True)
    window.follow()
    assert window.news() == (0, True)


def test_only_what_is_seen_is_rendered_and_only_so_much_is_kept() -> None:
    Lines.rendered = 0
    window = history(*(LinesCell(f"c{number}", 2) for number in range(1000)))
    assert Lines.rendered <= 4
    for _ in range(1200):
        window.scroll(-2)
    kept = [part for cell in window.cells for part in cell._parts if part._strips is not None]  # pyright: ignore[reportPrivateUsage]
    assert len(kept) <= KEPT_PARTS


def test_a_resize_keeps_the_line_at_the_top() -> None:
    window = history(*(LinesCell(f"c{number}", 20) for number in range(5)))
    window.scroll(-30)
    top = texts(window)[0]
    for width, height in ((30, 5), (60, 9), (25, 3), (60, 5)):
        window.resize(width, height)
        assert texts(window)[0] == top


Step = Callable[[History], None]
STEPS: st.SearchStrategy[tuple[str, int]] = st.tuples(
    st.sampled_from(["add", "insert", "remove", "scroll", "start", "follow", "expand", "resize", "show"]),
    st.integers(-12, 40),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_the_window_is_full_and_in_order_after_any_steps(steps: list[tuple[str, int]]) -> None:
    window = history(LinesCell("x", 3))
    for number, (step, amount) in enumerate(steps):
        cells = window.cells
        chosen = cells[amount % len(cells)] if cells else None
        if step == "add":
            window.add(LinesCell(f"c{number}", abs(amount) % 7, abs(amount) % 3))
        elif step == "insert" and chosen:
            window.add(LinesCell(f"c{number}", abs(amount) % 7), before=chosen)
        elif step == "remove" and chosen:
            window.remove(chosen)
        elif step == "scroll":
            window.scroll(amount)
        elif step == "start":
            window.to_start()
        elif step == "follow":
            window.follow()
        elif step == "expand" and chosen:
            chosen.expand(not chosen.is_expanded)
        elif step == "resize":
            window.resize(30 + abs(amount), 1 + abs(amount) % 9)
        elif step == "show" and chosen:
            window.show(chosen, row=abs(amount) % 5)
        everything = [
            strip for cell in window.cells for part in cell.parts for strip in part.strips(window.width, window.look)
        ]
        rows = window.view()
        assert len(rows) == min(window.height, len(everything))
        shown, stretch = [id(row.strip) for row in rows], [id(strip) for strip in everything]
        assert any(stretch[at : at + len(rows)] == shown for at in range(len(everything) - len(rows) + 1))
        if window.is_following:
            assert rows == [] or rows[-1].strip is everything[-1]
        window.news()
