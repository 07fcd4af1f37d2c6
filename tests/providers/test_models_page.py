"""docs/models.md tells the truth: every provider with its variables, and examples that work when they are pasted."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pyagent_tui.providers.compat import SWITCHES
from pyagent_tui.providers.config import PROVIDERS
from pyagent_tui.providers.models_toml import parse_models_toml
from pyagent_tui.providers.registry import Registry

PAGE = Path(__file__).parents[2].joinpath("docs", "models.md").read_text("utf-8")
EXAMPLES: list[str] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_is_there_with_its_variables(name: str):
    shown = PROVIDERS[name]
    if shown.is_local:
        assert all(f"`{variable}`" in PAGE for variable in shown.base_url_env)
        assert str(urlsplit(shown.base_url).port) in PAGE
        return
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` ")]
    for text in (*shown.key_env, *shown.bearer_env, *shown.header_env.values(), *shown.base_url_env, shown.base_url):
        assert f"`{text}`" in row


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_example_works_when_it_is_pasted(text: str):
    custom = parse_models_toml(text)
    assert custom.problems == ()
    registry = Registry({"WORK_KEY": "k"}, custom)
    for model in custom.models:
        assert registry.find(f"{model.provider}/{model.id}").model == model
        assert model.provider in registry.ready()


def test_the_switches_that_it_names_are_there():
    section = PAGE[PAGE.index("`compat` says") : PAGE.index("[providers.old-server]")]
    outside = re.sub(r"\([^)]*\)", "", section)
    named = set(re.findall(r"`(\w+)`", outside)) - {"compat"}
    assert len(named) > 8
    assert named <= SWITCHES
