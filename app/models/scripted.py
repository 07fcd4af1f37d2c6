"""The models that play a script: the demo's own one, and that of ``--script``. Imported only where one plays."""

from __future__ import annotations

import os

from ...providers.scenario import ScenarioError, load_scenario
from ...providers.scripted import Say, ScriptedProvider, Turn
from ..demo import OVER, SCENARIO
from ..start_error import StartError


def scripted_provider(script: str | None) -> ScriptedProvider:
    """What plays the scenario file `script`, or the demo if that is None. Raises `StartError`."""
    if script is None:
        # What is asked after the script gets a friendly answer.
        over = Turn([Say(OVER, chunk=6, delay=0.01)])
        return ScriptedProvider([*load_scenario(SCENARIO), *([over] * 50)])
    try:
        return ScriptedProvider(load_scenario(script, {"cwd": os.getcwd()}))
    except ScenarioError as error:
        raise StartError(str(error)) from None
