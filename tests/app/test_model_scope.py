"""`enabled_models`: which models the keys go through."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pyagent_tui.app.models.scope import models_in_scope
from pyagent_tui.providers.catalogue import load_catalogue, model_name

MODELS = [
    model
    for name in ("anthropic/claude-opus-4-5", "anthropic/claude-sonnet-4-5", "openai/gpt-5", "openai/gpt-5-mini")
    for model in load_catalogue().models
    if model_name(model) == name
]


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ((), ["anthropic/claude-opus-4-5", "anthropic/claude-sonnet-4-5", "openai/gpt-5", "openai/gpt-5-mini"]),
        (("openai/*",), ["openai/gpt-5", "openai/gpt-5-mini"]),
        (("GPT-5", "claude-*"), ["openai/gpt-5", "anthropic/claude-opus-4-5", "anthropic/claude-sonnet-4-5"]),
        (
            ("*mini:high", "sonnet:low", "openai/*"),
            ["openai/gpt-5-mini:high", "anthropic/claude-sonnet-4-5:low", "openai/gpt-5"],
        ),
        (("nothing", "google/*"), []),
    ],
)
def test_patterns_say_which_and_in_which_order(patterns: Sequence[str], names: list[str]) -> None:
    assert len(MODELS) == 4
    assert list(models_in_scope(patterns, MODELS).values()) == names
