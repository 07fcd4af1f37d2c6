"""The rooms of the checkout: imports point down, heavy things stay where they belong, nothing is forgotten in the wheel."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ALLOWED: dict[str, set[str]] = {
    "agent": set(),
    "providers": {"agent"},
    "tools": {"agent"},
    "sessions": {"agent"},
    "policy": {"agent"},
    "context": {"agent"},
    "extensions": {"agent", "context", "policy", "tools"},
    "widgets": {"agent"},
    "app": {"agent", "providers", "tools", "sessions", "policy", "context", "extensions", "widgets"},
}
"""Which rooms a room may import besides itself."""

ONLY_IN: dict[str, set[str]] = {
    "textual": {"widgets", "app"},
    "rich": {"widgets", "app"},
    "httpx": {"providers", "extensions"},
}
"""Third-party packages that belong to some rooms only."""


def files(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every imported module, absolute, with its line; `TYPE_CHECKING` blocks count."""
    package = ["pyagent_tui", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module, node.lineno
            if node.level and not node.module:
                yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "pyagent_tui" and len(parts) > 1 and parts[1] in ALLOWED else None


@pytest.mark.parametrize("room", ALLOWED)
def test_imports_point_down(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in files(room)
        for module, line in imports(path)
        if (target := room_of(module)) is not None and target != room and target not in ALLOWED[room]
    ]
    assert wrong == []


@pytest.mark.parametrize("package", ONLY_IN)
def test_heavy_packages_stay_in_their_rooms(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for room in ALLOWED
        if room not in ONLY_IN[package]
        for path in files(room)
        for module, line in imports(path)
        if module.split(".")[0] == package
    ]
    assert wrong == []


def test_the_core_touches_no_disk_process_or_network() -> None:
    banned = {"os", "pathlib", "subprocess", "shutil", "tempfile", "socket", "sqlite3", "asyncio.subprocess"}
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in files("agent")
        for module, line in imports(path)
        if module in banned
    ]
    assert wrong == []


def test_our_own_modules_are_imported_relatively() -> None:
    wrong: list[str] = []
    for room in ALLOWED:
        for path in files(room):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.ImportFrom)
                    and node.level == 0
                    and (node.module or "").startswith("pyagent_tui")
                ):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_init_files_hold_a_docstring_only() -> None:
    for room in ALLOWED:
        for path in (ROOT / room).rglob("__init__.py"):
            body = ast.parse(path.read_text("utf-8")).body
            assert len(body) == 1, path
            assert isinstance(body[0], ast.Expr), path


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    out = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd="/")
    return set(out.stdout.split())


def test_the_core_runs_without_a_screen_or_a_network_library() -> None:
    modules = loaded_after("import pyagent_tui.agent.agent")
    assert not modules & {"textual", "rich", "httpx", "pygments", "PIL"}


def test_the_vocabulary_of_the_core_is_light() -> None:
    modules = loaded_after("import pyagent_tui.agent.events, pyagent_tui.agent.hooks, pyagent_tui.agent.approval")
    assert not modules & {"pydantic", "anyio", "textual", "httpx"}


def test_the_wheel_forgets_no_folder() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    declared = set(config["tool"]["setuptools"]["packages"])
    on_disk = {
        ".".join(["pyagent_tui", *path.parent.relative_to(ROOT).parts])
        for room in ALLOWED
        for path in (ROOT / room).rglob("__init__.py")
    }
    assert declared == on_disk | {"pyagent_tui"}


def test_nothing_else_ends_in_py_at_the_root() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "__main__.py"}
