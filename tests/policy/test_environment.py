from pyagent_tui.policy.environment import known_secrets, withheld_names

ENVIRON = {"PATH": "/bin", "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "HF_TOKEN": "h", "OPENAI_BASE_URL": "u"}


def test_provider_keys_stay_behind_and_the_rest_passes() -> None:
    assert withheld_names(ENVIRON) == {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HF_TOKEN"}


def test_names_and_patterns_pass_again() -> None:
    assert withheld_names(ENVIRON, passed=["HF_*", "OPENAI_API_KEY"]) == {"ANTHROPIC_API_KEY"}
    assert withheld_names(ENVIRON, passed=["*"]) == frozenset()


def test_other_names_can_be_withheld() -> None:
    assert withheld_names({"MY_KEY": "x", "HF_TOKEN": "h"}, withheld=["MY_KEY"]) == {"MY_KEY"}


def test_known_secrets_are_those_that_are_set() -> None:
    assert known_secrets({"HF_TOKEN": "h", "OPENAI_API_KEY": "", "PATH": "p"}) == {"HF_TOKEN": "h"}
