"""``pyagent-tui doctor``: what this program finds on this machine, and what needs mending."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from .. import __version__
from ..agent.frozen import frozen
from ..policy.environment import PROVIDER_KEYS
from ..policy.trust import TrustError, TrustStore, decide_trust
from ..widgets.text.palette import FULL
from .paths import Paths, find_paths
from .settings.model import Settings
from .settings.reading import load_settings
from .terminal.editor_choice import editor_command

Level: TypeAlias = Literal["ok", "note", "fix"]
"""`note`: works, but worth knowing. `fix`: something of this program will not work until it is mended."""

PATIENCE = 2.0
"""Seconds that a program may take to tell its version."""

PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@frozen
class Finding:
    """One line: what was looked for, what was found, how it is."""

    topic: str
    text: str
    level: Level = "ok"


@frozen
class Section:
    title: str
    findings: tuple[Finding, ...]


@frozen
class Machine:
    """Where to look. `cwd` None: it was deleted. `is_terminal`, `size` (columns, lines) and `encoding` are stdout's."""

    paths: Paths
    environ: Mapping[str, str]
    cwd: Path | None
    is_terminal: bool
    size: tuple[int, int]
    encoding: str


def run_doctor(more: Iterable[Section] = ()) -> int:
    """Print everything to stdout; 0 if nothing needs mending, else 1. `more` are sections that other rooms bring."""
    machine = this_machine()
    sections = (*examine(machine), *more)
    text = report(sections)
    sys.stdout.write(text.encode(machine.encoding, "replace").decode(machine.encoding))
    return 1 if _faults(sections) else 0


def report(sections: Iterable[Section]) -> str:
    """The findings as text, one a line."""
    sections = tuple(sections)
    lines = [f"pyagent-tui {__version__}"]
    for section in sections:
        lines += ["", section.title]
        lines += [f"  {found.level:<4}  {found.topic:<11}  {plain(found.text)}" for found in section.findings]
    faults = _faults(sections)
    return "\n".join([*lines, "", f"To mend: {faults}, marked `fix`." if faults else "Nothing needs mending.", ""])


def _faults(sections: Iterable[Section]) -> int:
    return sum(finding.level == "fix" for section in sections for finding in section.findings)


def this_machine() -> Machine:
    """The machine, terminal and folder that this process runs in."""
    columns, lines = shutil.get_terminal_size()
    encoding = sys.stdout.encoding or "ascii"
    return Machine(find_paths(), os.environ, _cwd(), sys.stdout.isatty(), (columns, lines), encoding)


def _cwd() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def examine(machine: Machine) -> tuple[Section, ...]:
    """Look at everything; changes nothing, asks no server."""
    settings, problems = load_settings(machine.paths.config)
    faults = tuple(Finding("settings", str(problem), "fix") for problem in problems)
    return (
        Section("Program", tuple(_program())),
        Section("Terminal", tuple(_terminal(machine))),
        Section("Commands", tuple(_commands(machine, settings))),
        Section("Models", tuple(_models(machine))),
        Section("Files", (*_files(machine), *faults, *_keys(machine), *_faults_inside(machine.paths))),
        Section("This folder", tuple(_project(machine))),
    )


def plain(text: str) -> str:
    """Outside text on one line, without codes that a terminal would act on."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _program() -> Iterator[Finding]:
    yield Finding("Python", f"{platform.python_version()} at {sys.executable}")
    yield Finding("system", f"{platform.system()} {platform.release()} {platform.machine()}")


def _terminal(machine: Machine) -> Iterator[Finding]:
    environ = machine.environ
    term = environ.get("TERM", "")
    if not machine.is_terminal:
        yield Finding("output", "not a terminal here; the screen needs one", "note")
    limited = term in ("", "dumb")
    yield Finding("TERM", term or "not set", "note" if limited else "ok")
    columns, lines = machine.size
    yield Finding("size", f"{columns}x{lines}", "note" if columns < 60 or lines < 15 else "ok")
    yield _colours(environ)
    utf8 = machine.encoding.lower().replace("-", "") == "utf8"
    advice = "" if utf8 else "; set LANG or LC_ALL to a UTF-8 locale"
    yield Finding("characters", f"{machine.encoding}{advice}", "ok" if utf8 else "note")
    if environ.get("TMUX") or term.startswith("tmux"):
        yield Finding("inside", "tmux")
    elif environ.get("STY"):
        yield Finding("inside", "screen")
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        yield Finding("over", "ssh: copying goes through the terminal (OSC 52)")


def _colours(environ: Mapping[str, str]) -> Finding:
    if environ.get("NO_COLOR"):
        return Finding("colours", "off, by NO_COLOR")
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or environ.get("TERM") in FULL:
        return Finding("colours", "16 million")
    if "256color" in environ.get("TERM", ""):
        return Finding("colours", "256; with COLORTERM=truecolor 16 million, if the terminal can", "note")
    return Finding("colours", "16, the terminal's own: no theme is shown", "note")


def _commands(machine: Machine, settings: Settings) -> Iterator[Finding]:
    path = machine.environ.get("PATH")
    yield _shell(settings, path)
    yield _program_found("rg", path, "not found: searching works, but slower; install ripgrep")
    yield _program_found("git", path, "not found: the branch is not shown and ignored files are not known")
    yield _sandbox(machine, settings)
    command = editor_command(settings.external_editor, machine.environ)
    if not command:
        yield Finding("editor", "none: set VISUAL, EDITOR or external_editor", "note")
        return
    editor = shlex.join(command)
    found = shutil.which(command[0], path=path)
    yield Finding("editor", editor if found else f"{editor}: not found", "ok" if found else "note")


def _shell(settings: Settings, path: str | None) -> Finding:
    if settings.shell_path:
        found = shutil.which(settings.shell_path, path=path)
        return Finding("shell", found or f"shell_path {settings.shell_path} cannot be run", "ok" if found else "fix")
    found = next((where for name in ("bash", "sh") if (where := shutil.which(name, path=path))), None)
    return Finding("shell", found or "neither bash nor sh found: no command can run", "ok" if found else "fix")


def _sandbox(machine: Machine, settings: Settings) -> Finding:
    """Whether commands can be confined, by trying it."""
    from ..policy.sandbox import Sandbox, SandboxLimits

    fault = Sandbox("on", SandboxLimits(str(machine.cwd or "/"))).probe()
    if fault:
        return Finding("sandbox", fault, "fix" if settings.sandbox == "on" else "note")
    what = {"on": "commands run confined", "auto": "commands that nobody reads run confined", "off": "off by setting"}
    return Finding("sandbox", f"bubblewrap works; {what[settings.sandbox]}")


def _program_found(name: str, path: str | None, missing: str) -> Finding:
    where = shutil.which(name, path=path)
    return Finding(name, f"{_version(where)} at {where}") if where else Finding(name, missing, "note")


def _version(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "(version unknown)"
    return (done.stdout.strip().splitlines() or ["(version unknown)"])[0]


def _models(machine: Machine) -> Iterator[Finding]:
    """Names of keys only; of addresses the part without user and password."""
    environ = machine.environ
    keys = [name for name in PROVIDER_KEYS if environ.get(name)]
    if keys:
        yield from (Finding(PROVIDER_KEYS[name], f"{name} is set") for name in keys)
    else:
        yield Finding(
            "keys", "none in the environment: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use a local server", "note"
        )
    for name in sorted(environ):
        if name.endswith("_BASE_URL") and environ[name]:
            yield Finding("address", f"{name} {_without_password(environ[name])}")
    for name in PROXY_NAMES:
        value = environ.get(name) or environ.get(name.lower())
        if value:
            yield Finding("network", f"{name} {_without_password(value)}")


def _without_password(address: str) -> str:
    """Without user, password and query."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "(no valid address)"
    if not parts.netloc:
        return address.partition("?")[0].rpartition("@")[2]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _files(machine: Machine) -> Iterator[Finding]:
    paths = machine.paths
    yield _folder("settings", paths.config)
    yield _folder("data", paths.data)
    log = paths.log_file
    yield Finding("log", str(log) if log.exists() else f"{log} (empty: no library has complained)")
    for path in (paths.config_file, paths.models_file, paths.keys_file):
        if path.exists():
            yield Finding(path.name, str(path))
    for path in (paths.auth_file, paths.trust_file, paths.rules_file):
        if path.exists():
            yield _private(path)


def _keys(machine: Machine) -> Iterator[Finding]:
    """What is wrong with the person's keys; imported for them alone, as it needs the widgets."""
    if not machine.paths.keys_file.exists():
        return
    from .keys.keymap import load_keymap

    keymap = load_keymap(machine.paths.keys_file)
    yield from (Finding("keys", str(problem), "fix") for problem in keymap.problems)
    yield from (Finding("keys", str(clash), "fix" if clash.is_wanted else "note") for clash in keymap.clashes)


def _faults_inside(paths: Paths) -> Iterator[Finding]:
    """What is wrong inside the other files of the person's own; the project's trust is a section of its own."""
    from ..policy.rule_store import RuleError, RuleStore
    from ..providers.auth_store import AuthStore, AuthStoreError
    from ..providers.models_toml import load_models_toml
    from .terminal.user_themes import load_user_themes

    yield from (Finding("models", problem, "fix") for problem in load_models_toml(paths.models_file).problems)
    try:
        AuthStore(paths.auth_file).providers()
    except AuthStoreError as error:
        yield Finding("stored keys", str(error), "fix")
    try:
        RuleStore(paths.rules_file).rules()
    except RuleError as error:
        yield Finding("rules", f"{error}; until then none of its rules counts", "fix")
    yield from (Finding("themes", problem, "fix") for problem in load_user_themes(paths.themes).problems)


def _folder(topic: str, folder: Path) -> Finding:
    existing = next((above for above in (folder, *folder.parents) if above.exists()), folder)
    if not existing.is_dir():
        return Finding(topic, f"{folder}: {existing} is not a folder", "fix")
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding(topic, f"{folder}: {existing} cannot be written; nothing will be kept", "fix")
    return Finding(topic, str(folder) if existing == folder else f"{folder} (made when needed)")


def _private(path: Path) -> Finding:
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name != "nt" and mode & 0o077:
        return Finding(path.name, f"{path} can be read by others: chmod 600 it", "fix")
    return Finding(path.name, str(path))


def _project(machine: Machine) -> Iterator[Finding]:
    if machine.cwd is None:
        yield Finding("folder", "it no longer exists: no command can run in it", "fix")
        return
    yield Finding("folder", str(machine.cwd))
    home = Path.home() if os.path.expanduser("~") != "~" else None
    try:
        trust = decide_trust(machine.cwd, TrustStore(machine.paths.trust_file), home=home)
    except TrustError as error:
        yield Finding("trust", str(error), "fix")
        return
    words = {True: "trusted", False: "not trusted", None: "not decided; what it brings is left alone"}[trust.trusted]
    if not trust.guarded:
        words += "; it brings nothing that needs trust" if trust.trusted else ""
    yield Finding("trust", words)
    yield from (Finding("brings", str(path)) for path in trust.guarded)
    if trust.trusted:
        _, problems = load_settings(machine.paths.config, machine.cwd, trusted=True)
        own = machine.paths.config_file
        yield from (Finding("settings", str(problem), "fix") for problem in problems if problem.path != own)
