"""The crash benchmark, at the size that every test run can afford."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "crash.py"


@pytest.mark.skipif(sys.platform == "win32", reason="kills by fork and signal")
def test_kills_at_random_moments_lose_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(PROGRAM), "--runs", "40"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runs 40, killed 40" in done.stdout
