"""Which models there are, which one a person means, and what it costs."""

from dataclasses import replace
from pathlib import Path

import pytest

from pyagent_tui.agent.messages import Cost, ThinkingLevel, Usage
from pyagent_tui.agent.model import Model, Prices
from pyagent_tui.providers.catalogue import ModelNotFound, find_model, fitting_models, load_catalogue, model_name
from pyagent_tui.providers.config import APIS, PROVIDERS, normal_base_url
from pyagent_tui.providers.models_toml import load_models_toml, parse_models_toml
from pyagent_tui.providers.registry import Registry
from pyagent_tui.providers.thinking import LEVELS, clamp_level, fitting_word, levels_of, wire_word
from pyagent_tui.providers.usage import TieredPrices, Tokens, cost_of, estimate, from_openai, priced


def test_the_catalogue_is_whole():
    catalogue = load_catalogue()
    assert catalogue.date.startswith("20")
    assert 50 <= len(catalogue.models) <= 100
    assert len({model_name(model) for model in catalogue.models}) == len(catalogue.models)
    for model in catalogue.models:
        assert model.provider in PROVIDERS
        assert model.api in APIS
        assert model.context_window is None or model.context_window >= 8_000
        assert set(model.thinking_levels) <= set(LEVELS[1:])
        assert model.thinking_levels or not model.always_thinks
        for price in (model.prices.input, model.prices.output, model.prices.cache_read):
            assert price is None or 0 < price < 1_000


MODELS = [
    Model("anthropic", "claude-sonnet-4-5", "a"),
    Model("anthropic", "claude-sonnet-4-5-20250929", "a"),
    Model("anthropic", "claude-sonnet-5", "a"),
    Model("anthropic", "claude-haiku-5", "a", name="Claude Haiku 5"),
    Model("openrouter", "anthropic/claude-sonnet-5", "a"),
    Model("openrouter", "openai/gpt-6", "a"),
    Model("openai", "gpt-6", "a"),
    Model("ollama", "gemma4:31b", "a"),
    Model("ollama", "qwen3:high", "a"),
    Model("ollama", "tiny2", "a"),
    Model("ollama", "tiny10", "a"),
]


@pytest.mark.parametrize(
    ("pattern", "found", "level"),
    [
        ("gpt-6", "openai/gpt-6", None),
        ("openai/gpt-6", "openai/gpt-6", None),
        ("openrouter/openai/gpt-6", "openrouter/openai/gpt-6", None),
        ("GPT-6:high", "openai/gpt-6", "high"),
        ("anthropic/sonnet", "anthropic/claude-sonnet-5", None),
        ("anthropic/claude-sonnet-5:max", "anthropic/claude-sonnet-5", "max"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", None),
        ("sonnet 4-5", "anthropic/claude-sonnet-4-5", None),
        ("haiku", "anthropic/claude-haiku-5", None),
        ("claude haiku", "anthropic/claude-haiku-5", None),
        ("gemma4:31b", "ollama/gemma4:31b", None),
        ("gemma4:31b:low", "ollama/gemma4:31b", "low"),
        ("qwen3:high", "ollama/qwen3:high", None),
        ("tiny", "ollama/tiny10", None),
    ],
)
def test_a_pattern_finds_its_model(pattern: str, found: str, level: ThinkingLevel | None):
    choice = find_model(pattern, MODELS, ready={"anthropic"})
    assert (model_name(choice.model), choice.level) == (found, level)


def test_several_providers_are_an_error_unless_one_has_a_key():
    with pytest.raises(ModelNotFound, match="Several providers") as caught:
        find_model("sonnet", MODELS)
    assert caught.value.candidates == ("anthropic/claude-sonnet-5", "openrouter/anthropic/claude-sonnet-5")
    assert find_model("sonnet", MODELS, ready={"openrouter"}).model.provider == "openrouter"
    assert find_model("sonnet", MODELS, provider="anthropic").model.id == "claude-sonnet-5"


@pytest.mark.parametrize("pattern", ["claude-sonet-5", "gpt-6:extreme", "openai/gtp-6", "", "///", "zzz:high"])
def test_a_model_that_is_not_there_names_the_nearest(pattern: str):
    with pytest.raises(ModelNotFound) as caught:
        find_model(pattern, MODELS)
    if len(pattern) > 8:
        assert caught.value.candidates
        assert caught.value.candidates[0] in str(caught.value)


@pytest.mark.parametrize("pattern", ["nope", "nope/zzz"])
def test_no_far_name_is_offered(pattern: str):
    with pytest.raises(ModelNotFound) as caught:
        Registry({}).find(pattern)
    assert str(caught.value) == f"There is no model {pattern!r}. /model and --list-models show those there are."


def test_an_unknown_id_that_is_like_a_known_one_is_taken_with_that_hint():
    warning = Registry({}).find("openai/gtp-5").warning
    assert warning is not None
    assert "Did you mean openai/gpt-5" in warning


@pytest.mark.parametrize(
    ("pattern", "found"), [("claude-sonnet-5", 1), ("sonnet", 3), ("sonnet:high", 3), ("zzz", 0), ("", 0)]
)
def test_every_model_that_may_be_meant_is_told(pattern: str, found: int):
    fitting, level = fitting_models(pattern, MODELS, ready={"anthropic"})
    assert (len(fitting), level) == (found, "high" if ":" in pattern else None)


def test_an_unknown_id_of_a_known_provider_is_taken_with_a_warning():
    registry = Registry({})
    choice = registry.find("groq/brand-new")
    assert (choice.model.provider, choice.model.id, choice.model.api) == ("groq", "brand-new", "openai-completions")
    assert choice.warning is not None
    assert "groq/brand-new" in choice.warning
    assert registry.find("brand-new", "groq").model.id == "brand-new"
    with pytest.raises(ModelNotFound, match="nobody"):
        registry.find("x", "nobody")
    with pytest.raises(ModelNotFound):
        registry.find("nobody/x")


def test_the_first_provider_with_a_key_gives_the_model_to_start_with():
    assert Registry({}).default_model() is None
    model = Registry({"GROQ_API_KEY": "k"}).default_model()
    assert model is not None
    assert model.provider == "groq"
    both = Registry({"GROQ_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
    assert both.ready() == {"groq", "anthropic"}
    model = both.default_model()
    assert model is not None
    assert model.provider == "anthropic"


def test_a_foreign_server_behind_the_openai_address_is_asked_in_chat_completions():
    registry = Registry({"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1/"})
    config = registry.configs["openai"]
    assert (config.api, config.base_url, config.key_required) == (
        "openai-completions",
        "http://127.0.0.1:8080/v1",
        False,
    )
    assert {model.api for model in registry.models() if model.provider == "openai"} == {"openai-completions"}
    assert "openai" in registry.ready()
    official = Registry({"OPENAI_BASE_URL": "https://api.openai.com"}).configs["openai"]
    assert (official.api, official.base_url) == ("openai-responses", "https://api.openai.com/v1")


@pytest.mark.parametrize(
    ("given_url", "api", "used"),
    [
        ("http://h:1/", "openai-completions", "http://h:1/v1"),
        ("http://h:1/v1/", "openai-completions", "http://h:1/v1"),
        ("http://h/api/v3", "openai-completions", "http://h/api/v3"),
        ("http://h/v1/chat/completions", "openai-completions", "http://h/v1"),
        ("http://h/v1/responses", "openai-responses", "http://h/v1"),
        ("http://h", "anthropic-messages", "http://h"),
        ("http://h/v1", "anthropic-messages", "http://h/v1"),
        ("http://h/v1/messages", "anthropic-messages", "http://h"),
        ("http://h", "google-generative-ai", "http://h/v1beta"),
        (" http://h/v1beta/ ", "google-generative-ai", "http://h/v1beta"),
    ],
)
def test_a_base_url_is_taken_as_people_write_it(given_url: str, api: str, used: str):
    assert normal_base_url(given_url, api) == used


TOML = """
[providers.work]
api = "openai-completions"
base_url = "http://10.0.0.7:8000"
key = "$WORK_KEY"
headers = { "x-team" = "tools" }
allow_http = true
compat = { max_tokens_field = "max_completion_tokens" }

[[providers.work.models]]
id = "big"
context_window = 200000
max_output = 32000
vision = true
thinking = ["low", "high"]
prices = { input = 3, output = 15.5 }

[[providers.work.models]]
id = "small"
thinking = { high = "deep" }

[providers.anthropic]
base_url = "https://gateway.example.org"

[[providers.anthropic.models]]
id = "claude-sonnet-5-5"
context_window = 123456
"""


def test_own_providers_and_models_add_and_override():
    custom = parse_models_toml(TOML)
    assert custom.problems == ()
    registry = Registry({"WORK_KEY": "k"}, custom)
    config = registry.configs["work"]
    assert (config.base_url, config.key, config.allow_http) == ("http://10.0.0.7:8000/v1", "$WORK_KEY", True)
    assert config.compat == {"max_tokens_field": "max_completion_tokens"}
    big = registry.find("big").model
    assert big == Model(
        "work", "big", "openai-completions", "", 200_000, 32_000, True, {"low": "low", "high": "high"}, Prices(3, 15.5)
    )
    assert registry.find("small").model.thinking_levels == {"high": "deep"}
    assert registry.configs["anthropic"].base_url == "https://gateway.example.org"
    assert registry.configs["anthropic"].key_env == ("ANTHROPIC_API_KEY",)
    assert registry.find("anthropic/claude-sonnet-5-5").model.context_window == 123_456
    first = registry.default_model()
    assert first is not None
    assert first.provider == "work"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[providers", "models.toml: Expected"),
        ("a = 1\nb = !\n", "line 2"),
        ("[stuff]\n", "models.toml:1: unknown key 'stuff'"),
        (
            "\n[providers.x]\napi = 'openai-completions'\n",
            "models.toml:2: the provider 'x' is ignored: it needs base_url",
        ),
        ("[providers.x]\napi = 'soap'\nbase_url = 'http://h'", "models.toml:2: api must be one of"),
        ("[providers.groq]\n\nkey = 3", "models.toml:3: key has the wrong kind of value (3)"),
        ("[providers.groq]\ncompat = { strange = 1 }", "models.toml:2: unknown switch 'strange'"),
        ("[providers.groq]\nheaders = { a = 1 }", "models.toml:2: headers must be a table of texts"),
        ("[providers.groq]\nbase_url = 'http://[::1'", "models.toml:2: base_url must be an address"),
        ("[providers.b]\napi = 'ollama-chat'\nbase_url = 'nope'", "the provider 'b' is ignored: it needs base_url"),
        ("[[providers.groq.models]]\nid = 'm'\ncontext_window = 0", "models.toml:3: context_window must be a number"),
        ("[[providers.groq.models]]\nid = 'm'\nprices = { input = nan }", "models.toml:3: input must be a price"),
        ("[providers.groq]\ncompat = { stream_usage = 1 }", "models.toml:2: stream_usage must be true or false"),
        ("[providers.groq]\ncompat = { off_word = 0 }", "models.toml:2: off_word must be a text"),
        ("[providers.groq]\ncompat = { betas = [1] }", "models.toml:2: betas must be a list of texts"),
        ("[providers.groq]\ncompat = { extra = 1 }", "models.toml:2: extra must be a table"),
        ("[providers.groq]\ncompat = { system_role = 'user' }", "system_role must be one of 'system', 'developer'"),
        (
            "[providers.groq]\n[[providers.groq.models]]\nid='a'\n[[providers.groq.models]]\nname='b'",
            "models.toml:4: a model",
        ),
        (
            "[[providers.groq.models]]\nid = 'a'\ncontext_window = '1'",
            "models.toml:3: context_window has the wrong kind",
        ),
        ("[[providers.groq.models]]\nid = 'a'\nthinking = ['deep']", "models.toml:3: 'deep' is no thinking level"),
        ("[[providers.groq.models]]\nid = 'a'\nprices = { input = true }", "models.toml:3: input has the wrong kind"),
        ("[providers.groq]\nlabel = '''\nkey = 1\n'''\nkey = 3", "models.toml:5: key has the wrong kind"),
        (
            "[[providers.groq.models]]\nid = 'a'\n[providers.zai]\n[[providers.zai.models]]\nid = 1",
            "models.toml:5: id has the wrong kind",
        ),
        ("[providers.groq]\nmodels = [\n { id = 'a' },\n { id = 2 }]", "models.toml:2: id has the wrong kind"),
        ("providers = 3", "models.toml:1: providers has the wrong kind"),
    ],
)
def test_what_is_wrong_in_models_toml_is_named_with_its_line(text: str, problem: str):
    problems = parse_models_toml(text).problems
    assert any(problem in each for each in problems), problems


def test_one_mistake_does_not_lose_the_rest(tmp_path: Path):
    path = tmp_path / "models.toml"
    path.write_text(TOML.replace("vision = true", 'vision = "yes"'))
    custom = load_models_toml(path)
    assert len(custom.problems) == 1
    assert str(path) in custom.problems[0]
    assert [model.id for model in custom.models] == ["big", "small", "claude-sonnet-5-5"]
    assert load_models_toml(tmp_path / "none.toml").problems == ()


def test_a_level_that_a_model_lacks_becomes_the_next_one_up_or_else_down():
    model = Model("p", "m", "a", thinking_levels={"low": "l", "high": "h"})
    wanted: list[ThinkingLevel] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
    assert [clamp_level(model, level) for level in wanted] == ["off", "low", "low", "high", "high", "high", "high"]
    assert wire_word(model, "max") == "h"
    assert wire_word(model, "off") == ""
    assert levels_of(model) == ("off", "low", "high")
    assert clamp_level(Model("p", "m", "a"), "max") == "off"


def test_a_model_that_always_thinks_has_no_off():
    model = Model("p", "m", "a", thinking_levels={"low": "l", "high": "h"}, always_thinks=True)
    assert levels_of(model) == ("low", "high")
    assert clamp_level(model, "off") == "low"
    assert wire_word(model, "off") == "l"
    assert levels_of(Model("p", "m", "a", always_thinks=True)) == ("off",)


@pytest.mark.parametrize(
    ("word", "allowed", "fitting"),
    [
        ("high", (), "high"),
        ("xhigh", ("low", "high"), "high"),
        ("medium", ("low", "high"), "high"),
        ("none", ("low", "high"), "low"),
        ("max", ("none", "low"), "low"),
        ("", ("none", "low"), ""),
        ("8192", ("low",), "8192"),
    ],
)
def test_a_word_that_a_server_refused_becomes_the_nearest_that_it_takes(
    word: str, allowed: tuple[str, ...], fitting: str
):
    assert fitting_word(word, allowed) == fitting


def test_the_same_prompt_counts_the_same_on_each_wire():
    openai = from_openai(
        {"prompt_tokens": 1900, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 900}}
    )
    anthropic = Tokens(1000, 50, 900)
    model = Model("p", "m", "a")
    assert openai.usage(model) == anthropic.usage(model)
    assert openai.usage(model).prompt_tokens == 1900


def test_reports_that_do_not_add_up_never_go_below_zero():
    tokens = from_openai({"prompt_tokens": 5, "total_tokens": 3, "prompt_tokens_details": {"cached_tokens": 50}})
    assert (tokens.input, tokens.output, tokens.cache_read) == (0, 0, 5)
    odd = from_openai({"prompt_tokens": None, "completion_tokens": "7", "prompt_tokens_details": 3})
    assert (odd.input, odd.output) == (0, 0)


def test_a_cost_is_price_times_tokens_and_unknown_where_a_price_is():
    usage = Usage(1_000_000, 2_000_000, 3_000_000, 4_000_000)
    assert cost_of(usage, Prices(1, 10, 0.1, 1.25)) == pytest.approx(Cost(1, 20, 0.3, 5))
    assert cost_of(usage, Prices(1, 10)) == pytest.approx(Cost(1, 20, 3, 4))
    assert cost_of(usage, Prices()) is None
    assert cost_of(usage, Prices(1)) is None
    assert priced(usage, Prices()).cost is None


def test_prices_rise_with_the_prompt_where_they_do():
    prices = TieredPrices(1, 10, 0.1, 1, above=((200_000, Prices(2, 15, 0.2, 2)), (400_000, Prices(4, 20, 0.4, 4))))
    for prompt, price in ((200_000, 1), (200_001, 2), (500_000, 4)):
        cost = cost_of(Usage(prompt, 0), prices)
        assert cost is not None
        assert cost.input == pytest.approx(prompt * price / 1e6)
    half_cached = cost_of(Usage(100_001, 0, 100_000), prices)
    assert half_cached is not None
    assert half_cached.input == pytest.approx(100_001 * 2 / 1e6)


def test_what_a_provider_billed_is_the_truth():
    tokens = Tokens(1_000_000, 1_000_000, billed=5.5)
    cost = tokens.usage(Model("p", "m", "a", prices=Prices(1, 10))).cost
    assert cost is not None
    assert cost.total == pytest.approx(5.5)
    assert cost.output == pytest.approx(5.0)
    unknown = tokens.usage(Model("p", "m", "a")).cost
    assert unknown is not None
    assert unknown.total == pytest.approx(5.5)


def test_a_guess_says_that_it_is_one():
    usage = estimate(replace(Model("p", "m", "a"), prices=Prices(1, 1)), 3_500, 35)
    assert (usage.input, usage.output, usage.estimated) == (1_000, 10, True)
