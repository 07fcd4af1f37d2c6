"""The widgets of the main screen, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from textual.widget import Widget

from ..agent.mutable import mutable
from ..widgets.editor.editor import Editor
from ..widgets.hint_rule import HintRule
from ..widgets.queue import QueueView
from ..widgets.review.panel import ApprovalPanel
from ..widgets.status import StatusLine
from ..widgets.title import TitleLine
from ..widgets.transcript.transcript import Transcript


@mutable
class View:
    """From top to bottom; the panel stands where the editor is while it asks."""

    title: TitleLine = field(default_factory=TitleLine)
    transcript: Transcript = field(default_factory=Transcript)
    rule: HintRule = field(default_factory=HintRule)
    queue: QueueView = field(default_factory=QueueView)
    editor: Editor = field(default_factory=Editor)
    panel: ApprovalPanel = field(default_factory=ApprovalPanel)
    status: StatusLine = field(default_factory=StatusLine)

    def __iter__(self) -> Iterator[Widget]:
        yield from (self.title, self.transcript, self.rule, self.queue, self.editor, self.panel, self.status)
