"""The keys of the screens over the main one: with `bindings` and the tables of the widgets all keys there are.

They stand here and not with the screens, so that `keys.toml` can be checked at start without importing any of them.
"""

from __future__ import annotations

from textual.binding import Binding

PICKER_KEYS: tuple[Binding, ...] = (
    Binding("escape,ctrl+c", "cancel", "back", id="picker.cancel", show=False),
    Binding("enter", "pick", "take it", id="picker.pick", show=False),
    Binding("up", "move(-1)", "up", id="picker.up", show=False),
    Binding("down", "move(1)", "down", id="picker.down", show=False),
    Binding("pageup", "page(-1)", "a page up", id="picker.page_up", show=False),
    Binding("pagedown", "page(1)", "a page down", id="picker.page_down", show=False),
    Binding("ctrl+home", "edge(False)", "first", id="picker.first", show=False),
    Binding("ctrl+end", "edge(True)", "last", id="picker.last", show=False),
    Binding("f1", "help", "all keys of the list", id="picker.help", show=False),
)

MODEL_KEYS: tuple[Binding, ...] = (
    Binding("ctrl+s", "save", "take it, also as the default", id="picker.save", show=False),
)

RESUME_KEYS: tuple[Binding, ...] = (
    Binding("tab", "scope", "this folder or all", id="resume.scope", show=False),
    Binding("ctrl+r", "rename", "rename", id="resume.rename", show=False),
    Binding("ctrl+d", "delete", "move to the trash", id="resume.delete", show=False),
    Binding("ctrl+s", "order", "another order", id="resume.order", show=False),
    Binding("ctrl+n", "named", "only those with a name", id="resume.named", show=False),
)

RULE_KEYS: tuple[Binding, ...] = (
    Binding("delete,ctrl+d", "remove", "take the rule back", id="rules.remove", show=False, priority=True),
)

TREE_KEYS: tuple[Binding, ...] = (
    Binding("ctrl+o", "filter", "what is shown", id="tree.filter", show=False),
    Binding("left", "fold(True)", "fold", id="tree.fold", show=False, priority=True),
    Binding("right", "fold(False)", "unfold", id="tree.unfold", show=False, priority=True),
    Binding("ctrl+l", "label", "label", id="tree.label", show=False),
    Binding("ctrl+t", "times", "times of labels", id="tree.times", show=False),
    Binding("ctrl+x", "copy", "copy", id="tree.copy", show=False),
)

SETTINGS_KEYS: tuple[Binding, ...] = (
    Binding("left", "turn(-1)", "the value before", id="settings.previous", show=False, priority=True),
    Binding("right", "turn(1)", "the next value", id="settings.next", show=False, priority=True),
    Binding("ctrl+r", "default", "back to the default", id="settings.default", show=False),
)

SEARCH_KEYS: tuple[Binding, ...] = (Binding("tab", "scope", "this folder or all", id="search.scope", show=False),)

CHOICE_KEYS: tuple[Binding, ...] = (
    Binding("escape,ctrl+c", "dismiss(None)", "back", id="choice.cancel", show=False),
    Binding("enter", "pick", "take the highlighted answer", id="choice.pick", show=False),
    Binding("up", "move(-1)", "up", id="choice.up", show=False),
    Binding("down,tab", "move(1)", "down", id="choice.down", show=False),
)

ASK_TEXT_KEYS: tuple[Binding, ...] = (
    Binding("escape,ctrl+c", "dismiss(None)", "back", id="ask_text.cancel", show=False),
    Binding("enter", "take", "take the text", id="ask_text.take", show=False),
)

LOGIN_KEYS: tuple[Binding, ...] = (
    Binding("escape,ctrl+c", "cancel", "back", id="login.cancel", show=False, priority=True),
    Binding("enter", "submit", "check and store the key", id="login.store", show=False),
)

WAIT_KEYS: tuple[Binding, ...] = (Binding("escape,ctrl+c", "stop", "stop", id="wait.stop", show=False),)

TRUST_KEYS: tuple[Binding, ...] = (
    Binding("y", "answer('trust')", "trust it, and remember that", id="trust.yes", show=False),
    Binding("o", "answer('once')", "trust it this time", id="trust.once", show=False),
    Binding("p", "answer('trust-parent')", "trust the folder above, and remember that", id="trust.parent", show=False),
    Binding("n", "answer('refuse')", "don't, and remember that", id="trust.no", show=False),
    Binding("enter,escape,ctrl+c", "answer('refuse-once')", "don't this time", id="trust.not_now", show=False),
    Binding("up", "scroll(-1)", "up", id="trust.up", show=False),
    Binding("down", "scroll(1)", "down", id="trust.down", show=False),
)

START_KEYS: tuple[Binding, ...] = (
    Binding("1", "take(0)", "use the first server that was found", id="start.first", show=False),
    Binding("2", "take(1)", "use the second", id="start.second", show=False),
    Binding("3", "take(2)", "use the third", id="start.third", show=False),
    Binding("4", "take(3)", "use the fourth", id="start.fourth", show=False),
    Binding("l", "choose('login')", "give a key", id="start.login", show=False),
    Binding("d", "choose('demo')", "play the demo", id="start.demo", show=False),
    Binding("escape,enter", "choose('editor')", "go to the editor", id="start.editor", show=False),
    Binding("ctrl+c,ctrl+d", "dismiss('quit')", "quit", id="start.quit", show=False),
)

HELP_KEYS: tuple[Binding, ...] = (
    Binding("escape,f1,ctrl+c", "dismiss", "close", id="help.close", show=False),
    Binding("up", "scroll(-1)", "up", id="help.up", show=False),
    Binding("down", "scroll(1)", "down", id="help.down", show=False),
    Binding("pageup", "page(-1)", "a page up", id="help.page_up", show=False),
    Binding("pagedown", "page(1)", "a page down", id="help.page_down", show=False),
    Binding("ctrl+home", "edge(False)", "beginning", id="help.start", show=False),
    Binding("ctrl+end", "edge(True)", "end", id="help.end", show=False),
)

DIFF_KEYS: tuple[Binding, ...] = (
    Binding("escape,q,ctrl+c", "back", "back", id="diff.back", show=False),
    Binding("r", "reload", "read the files again", id="diff.reload", show=False),
    Binding("f1,question_mark", "help", "all keys of the changes", id="diff.help", show=False),
)
