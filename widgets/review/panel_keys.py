"""The keys of the approval panel."""

from __future__ import annotations

from textual.binding import Binding

from .rule_keys import ORDINALS, rule_key

PANEL_BINDINGS: tuple[Binding, ...] = (
    Binding("y", "answer('apply')", "apply", id="approval.apply", show=False),
    Binding("n", "answer('refuse')", "refuse", id="approval.refuse", show=False),
    Binding("f", "explain", "refuse, and say why", id="approval.explain", show=False),
    Binding("h", "hunks", "choose hunks", id="approval.hunks", show=False),
    Binding("e", "edit", "edit what would be done", id="approval.edit", show=False),
    Binding("w", "always", "always allow: choose what exactly", id="approval.always", show=False),
    Binding("a", "answer('apply_all')", "apply all in this run", id="approval.apply_all", show=False),
    Binding("enter", "take", "what is highlighted", id="approval.take", show=False),
    Binding("right,tab", "choose(1)", "next choice", id="approval.next", show=False),
    Binding("left,shift+tab", "choose(-1)", "choice before", id="approval.previous", show=False),
    Binding("down", "scroll_body(1)", "scroll down", id="approval.down", show=False),
    Binding("up", "scroll_body(-1)", "scroll up", id="approval.up", show=False),
    Binding("pagedown", "scroll_body(10)", "a page down", id="approval.page_down", show=False),
    Binding("pageup", "scroll_body(-10)", "a page up", id="approval.page_up", show=False),
    Binding("escape", "rules_back", "in the rules: back", id="approval.rules_back", show=False),
    *(
        Binding(str(number), f"rule({number - 1})", f"in the rules: the {word} one", id=rule_key(number), show=False)
        for number, word in enumerate(ORDINALS, 1)
    ),
)
