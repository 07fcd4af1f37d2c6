"""Fixtures of the tools."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.filestate import FileState
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.registry import create_tools


@pytest.fixture(autouse=True)
def outputs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where long outputs are kept, so that a test run leaves none behind."""
    folder = tmp_path_factory.mktemp("outputs")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """The tools in an empty folder of this machine."""
    operations, state = LocalOperations(), FileState()
    yield Workbench(tmp_path, operations, create_tools(str(tmp_path), operations, state=state), state)
    operations.keeper.close()
