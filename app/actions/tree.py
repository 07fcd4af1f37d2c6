"""Going to another place in the session's tree."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...agent.frozen import frozen
from ...sessions.branch_summary import BranchSummary, left_entries, summarise_branch
from ...sessions.context import entry_message
from ...sessions.entries import SessionEntry
from ...sessions.navigation import destination_of
from ...sessions.outline import TreeOutline, outline_of
from ...sessions.shadow_git import SnapshotError
from ...sessions.summary import SummaryError
from ..conversation.conversation import READ_ONLY
from ..screens.ask import ask
from ..screens.ask_text import AskTextScreen
from ..screens.choice import Answer, ChoiceScreen
from ..screens.tree import TreeActions, TreeScreen
from ..screens.wait import WaitScreen
from ..start_error import StartError
from .rewind import carry_out, choose_what, idle_composition
from .sessions import copy, say

if TYPE_CHECKING:
    from ..conversation.composition import Composition
    from ..tui import PyAgentApp


@frozen
class Failure:
    """Why there is no summary."""

    reason: str


Summary: TypeAlias = BranchSummary | Literal["none"] | Failure | None
"""What becomes of the branch that is left: a summary of it, or nothing; None: the person wants to choose again."""


async def act(app: PyAgentApp, _name: str, _argument: str) -> None:
    """`/tree`: choose a place and go there."""
    await app.conversation.started()
    try:
        await _tree(app, await idle_composition(app))
    except (StartError, SnapshotError) as error:
        app.view.transcript.add_note("error", str(error))


async def _tree(app: PyAgentApp, composition: Composition) -> None:
    session = composition.session
    chosen, notice = session.leaf_id, ""
    while True:
        outline = await asyncio.to_thread(TreeOutline, session.tree)
        chosen = await ask(app, TreeScreen(outline, chosen, _actions(app, composition), notice))
        if chosen is None:
            return
        destination = destination_of(session.tree, chosen)
        if destination is None:
            say(app, "You are there already.")
            return
        choice = await choose_what(app, composition, destination)
        if choice is None:
            continue
        summary = await _summary_of_left(app, composition, destination.leaf_id) if choice.what != "files" else "none"
        if isinstance(summary, Failure):
            notice = f"You are still on your branch: {summary.reason}."
        elif summary is not None:
            await carry_out(app, composition, choice, destination, None if summary == "none" else summary)
            return


def _actions(app: PyAgentApp, composition: Composition) -> TreeActions:
    session = composition.session

    def label(entry_id: str, text: str) -> str:
        if session.is_read_only:
            return READ_ONLY
        session.set_label(entry_id, text)
        return ""

    async def copy_entry(entry_id: str) -> str:
        message = entry_message(session.tree[entry_id])
        return "There is no text in it." if message is None else await copy(app, outline_of(message).partition(": ")[2])

    return TreeActions(label, copy_entry)


# The summary of the branch that is left


async def _summary_of_left(app: PyAgentApp, composition: Composition, to_id: str | None) -> Summary:
    """Ask whether the branch that is left shall be summarised, and have it done."""
    session = composition.session
    left = left_entries(session.tree, session.leaf_id, to_id)
    if session.is_read_only or not any(entry_message(entry) is not None for entry in left):
        return "none"
    answer = await ask(app, _question())
    if answer != "c":
        return None if answer is None else "none" if answer == "n" else await _summarise(app, composition, left)
    words = await ask(
        app, AskTextScreen("What shall the summary say?", placeholder="such as: only what the tests showed")
    )
    return await _summarise(app, composition, left, words) if words else None


async def _summarise(
    app: PyAgentApp, composition: Composition, left: list[SessionEntry], instructions: str = ""
) -> Summary:
    async def work() -> BranchSummary | Failure:
        try:
            return await summarise_branch(left, composition.compacting.summariser(), instructions)
        except SummaryError as error:
            return Failure(str(error))

    return await ask(app, WaitScreen("summarising the branch that is left", work))


def _question() -> ChoiceScreen:
    answers = (
        Answer("n", "leave it without a summary"),
        Answer("s", "summarise it for the model"),
        Answer("c", "summarise it with words of your own"),
    )
    return ChoiceScreen("You leave a branch.", answers, "It stays in the tree either way.")
