"""When Python looks for garbage."""

from __future__ import annotations

import subprocess
import sys

from pyagent_tui.app.garbage import COLLECT_AFTER

RUN = """
import gc
from pyagent_tui.app import main as program

def chosen(arguments):
    print(gc.isenabled())
    return run

def run():
    print(gc.isenabled(), gc.get_threshold()[0], gc.get_freeze_count() > 1000)
    program.made = [[] for _ in range(1000)]
    return 3

program._chosen = chosen
print(program.main([]))
print(gc.isenabled(), gc.get_freeze_count() > 1000, len(gc.get_objects()) < 100)
"""


def test_garbage_is_looked_for_while_the_program_runs_and_not_while_it_starts_or_ends() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", RUN], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", f"True {COLLECT_AFTER} True", "3", "False True True"]
