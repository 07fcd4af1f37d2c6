"""Going back: the conversation, the files, or both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...agent.frozen import frozen
from ...agent.messages import AssistantMessage, CustomMessage, TextContent, ToolCall
from ...sessions.branch_summary import BranchSummary, move_with_summary
from ...sessions.context import entry_message
from ...sessions.navigation import Destination, destination_of, user_entries
from ...sessions.restore import FileStep, RestorePlan
from ...sessions.shadow_git import SnapshotError
from ...sessions.snapshots import SnapshotRecords
from ...sessions.tree import SessionTree
from ...widgets.text.numbers import format_plural
from ..screens.ask import ask
from ..screens.choice import Answer, ChoiceScreen
from ..screens.prompts import Prompt, PromptsScreen
from ..sessions.rewind import FileMove
from ..start_error import StartError
from .sessions import composition_of, prompts_of, say

if TYPE_CHECKING:
    from ..conversation.composition import Composition
    from ..tui import PyAgentApp

What: TypeAlias = Literal["conversation", "files", "both"]

SHOWN = 8
"""Files that the question names."""

TELLING = 60
"""Characters of a call's argument."""

VERBS = {"create": "comes back", "change": "changes", "delete": "goes away"}

UNDO = "undo"
"""The argument of `/rewind` that takes the last restore back."""

RESTORED = "pyagent.restored"
"""The type of the message that tells the model of files that the person brought back."""


@frozen
class Choice:
    """What the person wants to go back to, and what it takes for the files."""

    what: What
    move: FileMove
    plan: RestorePlan


async def act(app: PyAgentApp, _name: str, argument: str) -> None:
    """`/rewind`: choose a message and go back before it."""
    await app.conversation.started()
    try:
        composition = await idle_composition(app)
        if argument not in ("", UNDO):
            raise StartError(f"/rewind takes nothing behind it but {UNDO}; nothing was done.")
        await (_undo(app, composition) if argument else _rewind(app, composition))
    except (StartError, SnapshotError) as error:
        app.view.transcript.add_note("error", str(error))


async def idle_composition(app: PyAgentApp) -> Composition:
    """The conversation, while it does nothing and all that it did is kept. Raises `StartError`."""
    composition = composition_of(app)
    if app.conversation.is_running:
        raise StartError("That can be done when the run is over; escape stops it.")
    await composition.settled()
    return composition


async def _rewind(app: PyAgentApp, composition: Composition) -> None:
    tree = composition.session.tree
    prompts = with_changes(tree, prompts_of(user_entries(tree)))
    if not prompts:
        raise StartError("You have not said anything here yet.")
    entry_id = await ask(app, PromptsScreen("Go back before which of your messages?", prompts, "goes back before it"))
    destination = None if entry_id is None else destination_of(tree, entry_id)
    choice = None if destination is None else await choose_what(app, composition, destination)
    if choice is not None and destination is not None:
        await carry_out(app, composition, choice, destination)


async def choose_what(app: PyAgentApp, composition: Composition, destination: Destination) -> Choice | None:
    """Conversation, files or both, if files changed since; None: the person gave up. Raises `SnapshotError`."""
    rewinder = composition.rewinder
    move = FileMove((), ()) if rewinder is None else rewinder.move(destination.leaf_id)
    plan = RestorePlan((), ()) if rewinder is None else await rewinder.plan(move)
    unknown = describe_unknown(composition.session.tree, move.unknown_calls)
    if not (plan.steps or plan.conflicts or unknown):
        return Choice("conversation", move, plan)
    but = " but those" if plan.conflicts else ""
    files = (Answer("b", f"conversation and files{but}"), Answer("f", f"only the files{but}")) if plan.steps else ()
    told = "\n".join(filter(None, (describe(plan), unknown)))
    screen = ChoiceScreen("Go back with what?", (Answer("c", "only the conversation"), *files), told)
    answer = await ask(app, screen)
    whats: dict[str, What] = {"c": "conversation", "f": "files", "b": "both"}
    return None if answer is None else Choice(whats[answer], move, plan)


async def carry_out(
    app: PyAgentApp,
    composition: Composition,
    choice: Choice,
    destination: Destination,
    summary: BranchSummary | None = None,
) -> None:
    """Files first, as they may refuse; then the conversation, with a summary of what it leaves if there is one.

    Raises `SnapshotError`, and then nothing has moved.
    """
    if choice.what != "conversation":
        await restore(app, composition, choice.plan, tells_model=choice.what == "files")
    if choice.what == "files":
        return
    if summary is None:
        composition.session.branch(destination.leaf_id)
    else:
        move_with_summary(composition.session, destination.leaf_id, summary)
    if choice.what == "conversation":
        choice.move.keep_files(composition.session)
    await arrive(app, destination)


async def arrive(app: PyAgentApp, destination: Destination) -> None:
    """Show the branch, and put what was said there into an empty editor."""
    await app.conversation.session_view.show_branch()
    if app.view.editor.is_empty and destination.text:
        app.view.editor.set_text(destination.text)
        for image in destination.images:
            app.view.editor.attach(image)


async def restore(app: PyAgentApp, composition: Composition, plan: RestorePlan, *, tells_model: bool) -> None:
    """Bring the files back and say so; to the model too, if it knows of what is gone now."""
    if composition.rewinder is None:
        return
    await composition.rewinder.restore(plan)
    say(app, f"{describe(plan)}\n/rewind {UNDO} takes that back.")
    if tells_model and not composition.session.is_read_only:
        paths = ", ".join(step.path for step in plan.steps)
        text = f"I have brought these files to another state; read them again before you change them: {paths}"
        message = CustomMessage(RESTORED, (TextContent(text),), display=False)
        composition.session.append_message(message)
        composition.agent.messages.append(message)


async def _undo(app: PyAgentApp, composition: Composition) -> None:
    move = None if composition.rewinder is None else composition.rewinder.last_restore
    if composition.rewinder is None or move is None:
        raise StartError("No files were brought back since the program began.")
    plan = await composition.rewinder.plan(move)
    if not plan.steps:
        raise StartError(f"Nothing can be taken back. {describe(plan)}")
    await restore(app, composition, plan, tells_model=True)


def describe(plan: RestorePlan) -> str:
    """The files of a plan, and those in the way, in a few lines."""
    lines = [f"{step.path} {VERBS[step.kind]}" for step in plan.steps[:SHOWN]]
    lines += _more(plan.steps)
    if plan.conflicts:
        lines.append("Changed by you or others since, so they stay as they are:")
        lines += [f"  {path}" for path in plan.conflicts[:SHOWN]]
        lines += _more(plan.conflicts)
    return "\n".join(lines)


def describe_unknown(tree: SessionTree, call_ids: Sequence[str]) -> str:
    """The calls of which nobody knows what they changed; empty if there are none."""
    if not call_ids:
        return ""
    messages = (entry_message(entry) for entry in tree)
    calls = [call for each in messages if isinstance(each, AssistantMessage) for call in each.tool_calls]
    names = [f"  {call.name} {_telling(call)}" for call in calls if call.id in call_ids]
    return "\n".join(("The program was killed at these calls, so what they changed stays:", *names[:SHOWN]))


def _telling(call: ToolCall) -> str:
    value = call.arguments.get("command", call.arguments.get("path", ""))
    return " ".join(str(value).split())[:TELLING]


def _more(items: Sequence[FileStep | str]) -> list[str]:
    return [f"  and {format_plural(len(items) - SHOWN, 'more file')}"] if len(items) > SHOWN else []


def with_changes(tree: SessionTree, prompts: list[Prompt]) -> list[Prompt]:
    """The prompts, each with how many of the calls that followed it changed files."""
    counts: dict[str, int] = {}
    current = ""
    names = {prompt.entry_id for prompt in prompts}
    records = SnapshotRecords(tree)
    for entry in tree.path():
        current = entry.id if entry.id in names else current
        record = records.get(entry.id)
        counts[current] = counts.get(current, 0) + (len(record.call_ids) if record else 0)
    return [
        prompt._replace(facts=format_plural(count, "change")) if (count := counts.get(prompt.entry_id, 0)) else prompt
        for prompt in prompts
    ]
