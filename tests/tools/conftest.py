"""Fixtures of the tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools.filestate import FileState
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.registry import create_tools


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """The tools in an empty folder of this machine."""
    operations, state = LocalOperations(), FileState()
    yield Workbench(tmp_path, operations, create_tools(str(tmp_path), operations, state=state), state)
    operations.keeper.close()
