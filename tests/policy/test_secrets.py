import pytest

from pyagent_tui.policy.secrets import SHAPES, make_redactor
from pyagent_tui.tests.pace import budget, least_cost

KNOWN = {"ANTHROPIC_API_KEY": "correct-horse-battery", "OPENAI_API_KEY": "correct-horse", "SHORT": "abc"}


def test_a_known_value_is_replaced_by_its_name_wherever_it_stands() -> None:
    redact = make_redactor(KNOWN)
    assert redact("KEY=correct-horse-battery;") == "KEY=[redacted: ANTHROPIC_API_KEY];"
    assert (
        redact("xcorrect-horsex correct-horse-battery") == "x[redacted: OPENAI_API_KEY]x [redacted: ANTHROPIC_API_KEY]"
    )


def test_a_short_value_is_not_a_secret() -> None:
    assert make_redactor(KNOWN)("abc abc") == "abc abc"


def test_text_without_secrets_is_not_touched() -> None:
    text = "print('sk-learn')  # " * 1000
    assert make_redactor(KNOWN)(text) == text
    plain = "no beginning of a key here"
    assert make_redactor(KNOWN)(plain) is plain


@pytest.mark.parametrize(
    "key",
    [
        "sk-ant-" + "api03-" + "aB3_" * 10,
        "sk-" + "proj-" + "aB3-" * 12,
        "sk-" + "aB3c" * 12,
        "sk-" + "or-v1-" + "0a1b" * 16,
        "AI" + "za" + "Ab3-_" * 7,
        "gs" + "k_" + "Ab3d" * 13,
        "x" + "ai-" + "Ab3d" * 20,
        "h" + "f_" + "AbCd" * 9,
        "gh" + "p_" + "Ab3d" * 9,
        "github" + "_pat_" + "Ab3_" * 20,
        "gl" + "pat-" + "Ab3_" * 5,
        "xox" + "b-" + "1234-" * 6,
        "AK" + "IA" + "ABCD1234" * 2,
        "np" + "m_" + "Ab3d" * 9,
        "sk" + "_live_" + "Ab3d" * 6,
    ],
)
def test_what_looks_like_a_key_is_replaced_whole(key: str) -> None:
    redact = make_redactor({})
    assert redact(f'export KEY="{key}"\n') == 'export KEY="[redacted: key]"\n'
    assert redact(f"a {key} b {key}.") == "a [redacted: key] b [redacted: key]."
    assert make_redactor({}, shapes=False)(key) == key


@pytest.mark.parametrize(
    "text",
    [
        "sk-fading-circle-container-with-a-long-class-name",
        "task-list ghp_short hf_hub_download AKIAshort",
        "import hf_transfer; npm_config_registry=1; gsk_",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "sha256-" + "0a1b2c3d" * 8,
    ],
)
def test_ordinary_code_is_left_alone(text: str) -> None:
    assert make_redactor({})(text) == text


def test_a_private_key_goes_whole_even_if_its_end_was_cut_off() -> None:
    begin, end = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    redact = make_redactor({})
    assert redact(f"a\n{begin}\nMIIE\nabcd\n{end}\nb") == "a\n[redacted: key]\nb"
    assert redact(f"a\n{begin}\nMIIE\nabcd") == "a\n[redacted: key]"


def test_a_megabyte_takes_milliseconds() -> None:
    redact = make_redactor(KNOWN)
    text = "some sk- text hf_ with AKIA beginnings ghp_ but no keys\n" * 20_000
    assert redact(text) == text
    assert least_cost(lambda: redact(text)) < budget(0.5)


def test_every_shape_begins_as_its_key_says() -> None:
    for beginning, shape in SHAPES.items():
        assert shape.startswith(beginning.rstrip())
