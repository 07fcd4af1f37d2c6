"""The settings: what there is, and what a value may be.

On the way to the first frame: no pydantic; small records are named tuples, as a frozen dataclass takes 1 ms to make; what only
a faulty file needs is imported for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from ...agent.approval import ApprovalMode
from ...agent.frozen import frozen
from ...agent.messages import ThinkingLevel
from ...agent.queue import QueueMode
from .rules import Rule, choice, flag, names, number, text, tool_names, whole

Sandbox: TypeAlias = Literal["auto", "on", "off"]
DiffView: TypeAlias = Literal["auto", "unified", "side-by-side"]
Notify: TypeAlias = Literal["auto", "off", "bell", "osc9", "osc777", "osc99"]
ExitOutput: TypeAlias = Literal["answer", "command", "off"]
Pictures: TypeAlias = Literal["auto", "blocks", "off"]
EditorMode: TypeAlias = Literal["normal", "vim"]
TrustDefault: TypeAlias = Literal["ask", "always", "never"]


def _setting(default: Any, rule: Rule, about: str, *, own_only: bool = False) -> Any:
    """`own_only`: a project's file may not set it."""
    return field(default=default, metadata={"rule": rule, "about": about, "own_only": own_only})


def _section(kind: type[Any], about: str) -> Any:
    return field(default_factory=kind, metadata={"section": kind, "about": about})


@frozen
class CompactionSettings:
    enabled: bool = _setting(
        True, flag(), "Summarise the conversation by itself when the context window is nearly full."
    )
    reserve_tokens: int = _setting(16384, whole(1000), "Tokens of the window kept free for the answer and the summary.")
    keep_recent_tokens: int = _setting(20000, whole(0), "Tokens of the newest messages that are never summarised.")


@frozen
class RetrySettings:
    enabled: bool = _setting(True, flag(), "Try again when a request fails for a passing reason.")
    max_retries: int = _setting(3, whole(0, 100), "How often one request is tried again.")
    base_delay_ms: int = _setting(
        2000, whole(0, 600_000), "Wait before the first retry in milliseconds; doubles each time."
    )
    max_agent_delay_ms: int = _setting(60_000, whole(0), "Longest wait in milliseconds that is taken without asking.")


@frozen
class LimitSettings:
    max_turns: int | None = _setting(2000, whole(1), "A run stops after this many replies of the model.", own_only=True)
    max_tool_calls: int | None = _setting(None, whole(1), "A run stops after this many tool calls.", own_only=True)
    max_cost: float | None = _setting(
        None, number(0), "A run stops when it has cost this many US dollars.", own_only=True
    )


@frozen
class Settings:
    """Every setting with its default. None: nothing is set."""

    default_provider: str | None = _setting(None, text(), "The provider to use at start, such as `anthropic`.")
    default_model: str | None = _setting(None, text(), "The model to use at start: its id or part of it.")
    enabled_models: tuple[str, ...] = _setting(
        (),
        names(),
        "The models that Alt+P goes through, such as `anthropic/*` or `gpt-5*`, in this order; empty: all that can be asked.",
    )
    default_thinking_level: ThinkingLevel = _setting(
        "medium", choice(*get_args(ThinkingLevel)), "How much a model that reasons may think."
    )
    default_tools: tuple[str, ...] = _setting(
        ("read", "bash", "edit", "write"),
        tool_names(),
        "The tools that are active at start; `+name` and `-name` change the list.",
    )
    approval: ApprovalMode = _setting(
        "review",
        choice(*get_args(ApprovalMode)),
        "What asks before it happens: see [approval](approval.md).",
        own_only=True,
    )
    sandbox: Sandbox = _setting(
        "auto",
        choice(*get_args(Sandbox)),
        "Which commands run confined: see [sandbox](sandbox.md).",
        own_only=True,
    )
    sandbox_network: bool = _setting(True, flag(), "Whether confined commands have the network.", own_only=True)
    sandbox_writable: tuple[str, ...] = _setting(
        ("~/.cache", "~/.npm", "~/.cargo/registry", "~/.cargo/git", "~/go/pkg"),
        names(),
        "Folders that confined commands may write besides the project and the temporary ones.",
        own_only=True,
    )
    steering_mode: QueueMode = _setting(
        "one-at-a-time", choice(*get_args(QueueMode)), "How many waiting steering messages go to the model at once."
    )
    follow_up_mode: QueueMode = _setting(
        "one-at-a-time", choice(*get_args(QueueMode)), "How many waiting follow-ups go to the model at once."
    )
    theme: str = _setting(
        "system", text(), "The colours: `system` follows the terminal's light or dark, else a theme's name."
    )
    theme_dark: str = _setting(
        "textual-dark", text(), "The theme where the terminal is dark, while `theme` is `system`."
    )
    theme_light: str = _setting(
        "textual-light", text(), "The theme where the terminal is light, while `theme` is `system`."
    )
    diff_view: DiffView = _setting(
        "auto",
        choice(*get_args(DiffView)),
        "How changes are laid out; `auto`: side by side from 140 columns on, else one below the other.",
    )
    pictures: Pictures = _setting(
        "auto",
        choice(*get_args(Pictures)),
        "How pictures are shown; `auto`: as sharp as the terminal can, `blocks`: coarse, `off`: in words.",
    )
    hide_thinking: bool = _setting(
        False, flag(), "Show the model's thinking only while it thinks; Ctrl+T shows it again."
    )
    mouse: bool = _setting(True, flag(), "Take mouse clicks and the wheel; off leaves them to the terminal.")
    reduced_motion: bool = _setting(False, flag(), "Nothing on the screen moves by itself.")
    notify: Notify = _setting(
        "auto",
        choice(*get_args(Notify)),
        "How you are told, while the terminal is not in front, that a run has ended or needs you: see [terminal](terminal.md).",
    )
    title: bool = _setting(True, flag(), "Name the terminal's window after the project and what goes on.")
    progress: bool = _setting(
        False, flag(), "Show in the tab or task bar that a run goes on, in terminals that know OSC 9;4."
    )
    exit_output: ExitOutput = _setting(
        "answer",
        choice(*get_args(ExitOutput)),
        "What is printed when the screen is left: the end of the last answer and how to go on, only the latter, nothing.",
    )
    linear: bool = _setting(
        False,
        flag(),
        "Talk in plain lines instead of on the full screen, as `--linear` does: see [linear](linear.md).",
        own_only=True,
    )
    editor_mode: EditorMode = _setting(
        "normal",
        choice(*get_args(EditorMode)),
        "The keys of the editor; `vim`: Escape leads to Vim's normal mode, as [keys](keys.md) says.",
    )
    external_editor: str | None = _setting(
        None,
        text(),
        "The editor command to open drafts with; unset: `$VISUAL`, `$EDITOR`, or one that is there.",
        own_only=True,
    )
    session_dir: str | None = _setting(None, text(), "The folder for sessions; unset: the data folder.", own_only=True)
    shell_path: str | None = _setting(
        None, text(), "The shell that runs commands; unset: bash, else sh.", own_only=True
    )
    shell_command_prefix: str | None = _setting(
        None, text(), "Shell text put before every command, such as `set -o pipefail`.", own_only=True
    )
    command_timeout: float | None = _setting(None, number(1), "Seconds after which a command is stopped; unset: never.")
    pass_environment: tuple[str, ...] = _setting(
        (),
        names(),
        "Variables that commands get although they hold a provider's key; `*` stands for any characters.",
        own_only=True,
    )
    http_idle_timeout_ms: int = _setting(
        300_000, whole(1000), "Milliseconds without a byte after which a reply counts as dropped."
    )
    default_project_trust: TrustDefault = _setting(
        "ask", choice(*get_args(TrustDefault)), "What to do with a project nobody has decided about.", own_only=True
    )
    compaction: CompactionSettings = _section(CompactionSettings, "Summaries of long conversations.")
    retry: RetrySettings = _section(RetrySettings, "Requests that fail.")
    limits: LimitSettings = _section(LimitSettings, "What stops a run that does not stop by itself.")


class SettingInfo(NamedTuple):
    """One setting as the guide and the settings screen show it; `key` is dotted."""

    key: str
    default: Any
    rule: Rule
    about: str
    own_only: bool


def all_settings() -> tuple[SettingInfo, ...]:
    """Every setting, sections last, in the order of the guide."""
    return tuple(_infos(Settings, ""))


def _infos(kind: type[Any], prefix: str) -> Iterator[SettingInfo]:
    for entry in fields(kind):
        if section := entry.metadata.get("section"):
            yield from _infos(section, f"{prefix}{entry.name}.")
        else:
            yield _info(entry, prefix)


def _info(entry: Field[Any], prefix: str) -> SettingInfo:
    assert entry.default is not MISSING
    facts = entry.metadata
    return SettingInfo(prefix + entry.name, entry.default, facts["rule"], facts["about"], facts["own_only"])


SETTINGS: Mapping[str, SettingInfo] = {info.key: info for info in all_settings()}
SECTIONS = frozenset(key.rpartition(".")[0] for key in SETTINGS if "." in key)


def setting_of(settings: Settings, key: str) -> Any:
    """The value of the setting with a dotted key."""
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def with_setting(settings: Settings, key: str, value: Any) -> Settings:
    """The settings with another value for a dotted key."""
    section, _, name = key.rpartition(".")
    if not section:
        return replace(settings, **{key: value})
    return replace(settings, **{section: replace(getattr(settings, section), **{name: value})})
