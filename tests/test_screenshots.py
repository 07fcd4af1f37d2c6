"""The pictures in screenshots/ show the program as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

MAKE = Path(__file__).resolve().parent.parent / "screenshots" / "make.py"
ATTEMPTS = 2
"""A machine that stalls can show a moment more than the scene means."""

NAMES = sorted(path.stem for path in MAKE.parent.glob("*.svg"))


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_is_what_the_program_shows(name: str) -> None:
    """Where the change is meant: `make screenshots`, and look at each."""
    command = [sys.executable, str(MAKE), "--check", name]
    runs = (subprocess.run(command, capture_output=True, text=True) for _ in range(ATTEMPTS))
    assert any(run.returncode == 0 for run in runs), f"run: make screenshots, and look at {name}.svg"
