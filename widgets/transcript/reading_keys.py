"""The keys of a history that is read: a chosen cell, jumps, search, copying."""

from __future__ import annotations

from textual.binding import Binding

READING_KEYS: tuple[Binding, ...] = (
    Binding("up,k", "cursor(-1)", "the cell before, or a row up", show=False, id="transcript.previous"),
    Binding("down,j", "cursor(1)", "the next cell, or a row down", show=False, id="transcript.next"),
    Binding("enter,space", "toggle_cell", "open or fold the chosen cell", show=False, id="transcript.toggle"),
    Binding(
        "left_curly_bracket",
        "jump(-1, 'question')",
        "your message before",
        show=False,
        id="transcript.previous_question",
    ),
    Binding(
        "right_curly_bracket", "jump(1, 'question')", "your next message", show=False, id="transcript.next_question"
    ),
    Binding("left_parenthesis", "jump(-1, 'answer')", "the answer before", show=False, id="transcript.previous_answer"),
    Binding("right_parenthesis", "jump(1, 'answer')", "the next answer", show=False, id="transcript.next_answer"),
    Binding("left_square_bracket", "hunk(-1)", "the hunk before", show=False, id="transcript.previous_hunk"),
    Binding("right_square_bracket", "hunk(1)", "the next hunk", show=False, id="transcript.next_hunk"),
    Binding(
        "s", "toggle_diff_view", "diffs side by side, or one below the other", show=False, id="transcript.diff_view"
    ),
    Binding("slash", "open_find", "find a text", show=False, id="transcript.find"),
    Binding("n", "find(1)", "next hit", show=False, id="transcript.next_hit"),
    Binding("N", "find(-1)", "hit before", show=False, id="transcript.previous_hit"),
    Binding("v", "select_rows", "select rows, from the chosen cell on", show=False, id="transcript.select"),
    Binding("y", "copy", "copy the selection, the chosen cell, or the last answer", show=False, id="transcript.copy"),
    Binding(
        "Y",
        "copy_part",
        "copy a code block or the output alone; again: the one before",
        show=False,
        id="transcript.copy_part",
    ),
    Binding("escape", "end_mode", "end selecting, then finding", show=False, id="transcript.end_mode"),
)
