from pyagent_tui.policy.environment import command_environment, known_secrets, withheld_names

ENVIRON = {"PATH": "/bin", "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "HF_TOKEN": "h", "OPENAI_BASE_URL": "u"}


def test_provider_keys_stay_behind_and_the_rest_passes() -> None:
    assert command_environment(ENVIRON, session_id="s1") == {
        "PATH": "/bin",
        "OPENAI_BASE_URL": "u",
        "PYAGENT_TUI": "1",
        "PYAGENT_TUI_SESSION": "s1",
    }


def test_names_and_patterns_pass_again() -> None:
    visible = command_environment(ENVIRON, passed=["HF_*", "OPENAI_API_KEY"])
    assert visible["HF_TOKEN"] == "h"
    assert visible["OPENAI_API_KEY"] == "o"
    assert "ANTHROPIC_API_KEY" not in visible
    assert "PYAGENT_TUI_SESSION" not in visible


def test_more_names_can_be_withheld() -> None:
    assert "MY_KEY" not in command_environment({"MY_KEY": "x"}, withheld=["MY_KEY"])
    assert withheld_names(ENVIRON, passed=["*"]) == frozenset()


def test_the_given_environment_is_not_changed() -> None:
    before = dict(ENVIRON)
    command_environment(ENVIRON)
    assert before == ENVIRON


def test_known_secrets_are_those_that_are_set() -> None:
    assert known_secrets({"HF_TOKEN": "h", "OPENAI_API_KEY": "", "PATH": "p"}) == {"HF_TOKEN": "h"}
