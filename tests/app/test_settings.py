import os
import re
import stat
import subprocess
import sys
import threading
import tomllib
from dataclasses import replace as changed
from pathlib import Path
from typing import Any, cast

import pytest

from pyagent_tui.app.settings.file import SettingsError, save_setting
from pyagent_tui.app.settings.model import SETTINGS, Settings
from pyagent_tui.app.settings.reading import load_settings


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.toml"
    path.write_bytes(text.encode())
    return path


def told(folder: Path) -> list[str]:
    """The problems of the person's file, without the path before them."""
    return [f"{problem.line}: {problem.message}" for problem in load_settings(folder)[1]]


def test_without_files_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none", tmp_path / "project", trusted=True) == (Settings(), [])


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        'default_model = "qwen3:8b"\nmouse = false\npass_environment = ["HF_*"]\ncommand_timeout = 90\n'
        "[retry]\nmax_retries = 0\n[limits]\nmax_cost = 1.5\n",
    )
    settings, problems = load_settings(tmp_path)
    assert problems == []
    assert (settings.default_model, settings.mouse, settings.command_timeout) == ("qwen3:8b", False, 90)
    assert settings.pass_environment == ("HF_*",)
    assert (settings.retry.max_retries, settings.retry.base_delay_ms, settings.limits.max_cost) == (0, 2000, 1.5)


def test_a_projects_file_counts_only_after_trust(tmp_path: Path) -> None:
    write(tmp_path / "own", 'default_model = "nord"\n[retry]\nmax_retries = 5\n')
    write(tmp_path / "project" / ".pyagent", 'theme = "nord"\n[retry]\nenabled = false\n')
    untrusted, _ = load_settings(tmp_path / "own", tmp_path / "project")
    assert (untrusted.theme, untrusted.retry.enabled) == ("system", True)
    trusted, problems = load_settings(tmp_path / "own", tmp_path / "project", trusted=True)
    assert problems == []
    assert (trusted.theme, trusted.default_model) == ("nord", "nord")
    assert (trusted.retry.enabled, trusted.retry.max_retries) == (False, 5)


def test_an_untrusted_projects_broken_file_is_not_even_opened(tmp_path: Path) -> None:
    write(tmp_path / "project" / ".pyagent", "=")
    assert load_settings(tmp_path / "own", tmp_path / "project", trusted=False)[1] == []


def test_a_project_cannot_set_what_is_the_persons_own(tmp_path: Path) -> None:
    write(tmp_path / "p" / ".pyagent", 'pass_environment = ["*"]\ndefault_project_trust = "always"\n')
    settings, problems = load_settings(tmp_path / "own", tmp_path / "p", trusted=True)
    assert (settings.pass_environment, settings.default_project_trust) == ((), "ask")
    assert [problem.line for problem in problems] == [1, 2]
    assert "only in your own settings" in str(problems[0])


@pytest.mark.parametrize(
    "line",
    [
        'external_editor = "sh -c evil"',
        'shell_path = "/p/evil"',
        'shell_command_prefix = "evil"',
        'approval = "auto"',
        'sandbox = "off"',
        'session_dir = "."',
        "[limits]\nmax_cost = 1000",
        "[limits]\nmax_turns = 100000",
        "[limits]\nmax_tool_calls = 100000",
    ],
)
def test_a_project_can_run_nothing_and_allow_nothing(tmp_path: Path, line: str) -> None:
    write(tmp_path / "p" / ".pyagent", f"{line}\n")
    settings, problems = load_settings(tmp_path / "own", tmp_path / "p", trusted=True)
    assert settings == load_settings(tmp_path / "own")[0]
    assert ["not in a project's" in str(problem) for problem in problems] == [True]


def test_a_project_can_add_no_tool_that_changes_something(tmp_path: Path) -> None:
    write(tmp_path / "own", 'default_tools = ["read", "grep"]\n')
    for words in ('["+bash"]', '["read", "write"]', '["+mcp__server__tool"]'):
        write(tmp_path / "p" / ".pyagent", f"default_tools = {words}\n")
        settings, problems = load_settings(tmp_path / "own", tmp_path / "p", trusted=True)
        assert settings.default_tools == ("read", "grep")
        assert "may add no tool" in str(problems[0])
    write(tmp_path / "p" / ".pyagent", 'default_tools = ["+find"]\n')
    assert load_settings(tmp_path / "own", tmp_path / "p", trusted=True)[0].default_tools == ("read", "grep", "find")


def test_a_broken_file_is_told_with_its_line_and_gives_the_defaults(tmp_path: Path) -> None:
    path = write(tmp_path, 'default_model = "nord"\nmouse = yes\n')
    settings, problems = load_settings(tmp_path)
    assert settings == Settings()
    assert str(problems[0]).startswith(f"{path}:2: Invalid value (at line 2, column 9); the file is left alone")


def test_a_bad_value_names_line_rule_and_what_is_used(tmp_path: Path) -> None:
    write(tmp_path, '# mine\n\napproval = "revew"\n[retry]\nenabled = true\nmax_retries = "many"\n')
    assert told(tmp_path) == [
        '3: approval must be one of review, edits, auto, read-only, not "revew"; did you mean review?; using "review"',
        '6: retry.max_retries must be a whole number, from 0 to 100, not "many"; using 3',
    ]


def test_a_bad_value_in_the_project_leaves_the_persons_own(tmp_path: Path) -> None:
    write(tmp_path / "own", 'default_model = "nord"\n')
    write(tmp_path / "p" / ".pyagent", "default_model = 3\n")
    settings, problems = load_settings(tmp_path / "own", tmp_path / "p", trusted=True)
    assert settings.default_model == "nord"
    assert str(problems[0]).endswith('default_model must be a text in quotes, not 3; using "nord"')


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ('them = "x"', "did you mean theme?"),
        ('defaultModel = "x"', "did you mean default_model?"),
        ("retry.maxRetries = 3", "did you mean retry.max_retries?"),
        ("retries.max = 3", "there is no setting retries; did you mean retry?"),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest_name(tmp_path: Path, line: str, suggestion: str) -> None:
    write(tmp_path, f"mouse = false\n{line}\n")
    settings, problems = load_settings(tmp_path)
    assert not settings.mouse
    assert [problem.line for problem in problems] == [2]
    assert suggestion in str(problems[0])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mouse", "1"),
        ("mouse", '"true"'),
        ("retry.max_retries", "true"),
        ("retry.max_retries", "-1"),
        ("retry.max_retries", "1.5"),
        ("limits.max_cost", "inf"),
        ("limits.max_cost", "nan"),
        ("default_model", '" "'),
        ("pass_environment", '"HF_TOKEN"'),
        ("pass_environment", "[1]"),
        ("default_tools", '["read", "+grep"]'),
        ("retry", "3"),
        ("steering_mode", "[]"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(tmp_path: Path, key: str, value: str) -> None:
    write(tmp_path, f"{key} = {value}\n")
    settings, problems = load_settings(tmp_path)
    assert settings == Settings()
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("default_model = 1", 1),
        ("\ufefftheme = 1", 1),
        ('mouse = true\r\n# "default_model"\r\ntheme = 1\r\n', 3),
        ('default_tools = [\n  "default_model",\n  "read",\n]\ntheme = 1', 5),
        ('shell_command_prefix = """\ntheme = 1\n"""\ntheme = 2', 4),
    ],
)
def test_the_line_of_a_problem_is_that_of_its_statement(tmp_path: Path, source: str, line: int) -> None:
    write(tmp_path, source)
    assert [problem.line for problem in load_settings(tmp_path)[1]] == [line]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("[retry]\nenabled = true\n[compaction]\nenabled = 1\n", 4),
        ("mouse = true\ncompaction.enabled = 1\n", 2),
        ("retry = { enabled = true }\nlimits = { max_turns = 5, max_cost = true }\n", 2),
        ("[compaction] # x\n\n'enabled' = 1\n", 3),
    ],
)
def test_a_key_of_a_section_is_found_in_every_notation(tmp_path: Path, source: str, line: int) -> None:
    write(tmp_path, source)
    assert [problem.line for problem in load_settings(tmp_path)[1]] == [line]


def test_tools_are_listed_or_changed(tmp_path: Path) -> None:
    write(tmp_path / "own", 'default_tools = ["+grep", "-bash"]\n')
    write(tmp_path / "p" / ".pyagent", 'default_tools = ["-write", "+find"]\n')
    assert load_settings(tmp_path / "own")[0].default_tools == ("read", "edit", "write", "grep")
    both, _ = load_settings(tmp_path / "own", tmp_path / "p", trusted=True)
    assert both.default_tools == ("read", "edit", "grep", "find")
    write(tmp_path / "p" / ".pyagent", 'default_tools = ["read"]\n')
    assert load_settings(tmp_path / "own", tmp_path / "p", trusted=True)[0].default_tools == ("read",)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a = " + b"[" * 20_000, b"\x00"])
def test_rubbish_in_the_file_is_a_problem_and_no_crash(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config.toml").write_bytes(data)
    settings, problems = load_settings(tmp_path)
    assert settings == Settings()
    assert len(problems) == 1


def test_a_folder_in_place_of_the_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    assert "Is a directory" in str(load_settings(tmp_path)[1][0])


def test_reading_writes_nothing(tmp_path: Path) -> None:
    load_settings(tmp_path / "own", tmp_path / "project", trusted=True)
    assert list(tmp_path.iterdir()) == []


HAND_WRITTEN = """\
# my settings
default_model = "nord"   # dark

unknown_key = { a = 1 }

[retry]
# patience
max_retries = 7

[my.own.table]
x = [1,
  2]
"""


def test_saving_changes_one_value_and_keeps_every_other_byte(tmp_path: Path) -> None:
    path = write(tmp_path, HAND_WRITTEN)
    save_setting(tmp_path, "default_model", "gruvbox")
    assert path.read_text() == HAND_WRITTEN.replace('"nord"', '"gruvbox"')
    save_setting(tmp_path, "retry.max_retries", 2)
    assert path.read_text() == HAND_WRITTEN.replace('"nord"', '"gruvbox"').replace("= 7", "= 2")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mouse", False),
        ("default_tools", ("read", "grep")),
        ("limits.max_cost", 0.5),
        ("retry.enabled", False),
        ("compaction.reserve_tokens", 9000),
        ("theme", 'a"b\\c\n[x]'),
    ],
)
@pytest.mark.parametrize("before", ["", HAND_WRITTEN, "retry.max_retries = 1\n", "[retry]\nmax_retries = 1"])
def test_a_saved_value_is_read_back_and_the_rest_is_what_it_was(
    tmp_path: Path, before: str, key: str, value: Any
) -> None:
    write(tmp_path, before)
    old, _ = load_settings(tmp_path)
    save_setting(tmp_path, key, value)
    section, _, name = key.rpartition(".")
    expected = (
        changed(old, **{section: changed(getattr(old, section), **{name: value})})
        if section
        else changed(old, **{name: value})
    )
    assert load_settings(tmp_path)[0] == expected
    for line in before.splitlines():
        assert line in (tmp_path / "config.toml").read_text()


def test_none_takes_a_setting_out(tmp_path: Path) -> None:
    write(tmp_path, HAND_WRITTEN)
    save_setting(tmp_path, "default_model", None)
    save_setting(tmp_path, "retry.max_retries", None)
    save_setting(tmp_path, "limits.max_cost", None)
    settings, _ = load_settings(tmp_path)
    assert (settings.default_model, settings.retry.max_retries) == (None, 3)
    left = (tmp_path / "config.toml").read_text()
    assert "unknown_key" in left
    assert "limits" not in left


def test_a_broken_file_is_never_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path, '{"a":1,}\n')
    with pytest.raises(SettingsError, match=r"config\.toml:1: "):
        save_setting(tmp_path, "default_model", "nord")
    assert path.read_bytes() == b'{"a":1,}\n'
    path.write_bytes(b"default_model = '\xe9'\n")
    with pytest.raises(SettingsError, match="not UTF-8"):
        save_setting(tmp_path, "default_model", "nord")
    assert path.read_bytes() == b"default_model = '\xe9'\n"


def test_a_value_in_place_of_a_section_is_not_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path, "retry = 3\n")
    with pytest.raises(SettingsError, match="retry must be a section"):
        save_setting(tmp_path, "retry.enabled", False)
    assert path.read_text() == "retry = 3\n"


def test_an_invalid_value_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="approval must be one of"):
        save_setting(tmp_path, "approval", "yolo")
    assert not (tmp_path / "config.toml").exists()
    with pytest.raises(KeyError):
        save_setting(tmp_path, "no_such_setting", 1)


def test_byte_order_mark_and_windows_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbfdefault_model = "nord"\r\nmouse = true\r\n')
    save_setting(tmp_path, "default_model", "gruvbox")
    assert path.read_bytes() == b'\xef\xbb\xbfdefault_model = "gruvbox"\r\nmouse = true\r\n'


@pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
def test_mode_and_link_of_the_file_stay_and_a_new_one_is_private(tmp_path: Path) -> None:
    save_setting(tmp_path / "new", "default_model", "nord")
    assert stat.S_IMODE((tmp_path / "new" / "config.toml").stat().st_mode) == 0o600
    target = write(tmp_path / "dotfiles", 'default_model = "nord"\n')
    target.chmod(0o644)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").symlink_to(target)
    save_setting(tmp_path / "own", "default_model", "gruvbox")
    assert (tmp_path / "own" / "config.toml").is_symlink()
    assert target.read_text() == 'default_model = "gruvbox"\n'
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SettingsError, match="could not be written: Permission denied"):
        save_setting(tmp_path, "default_model", "nord")


def test_a_config_folder_that_cannot_be_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="could not be written: Not a directory"):
        save_setting(tmp_path / "file" / "config", "default_model", "nord")


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    changes = [("default_model", "nord"), ("mouse", False), ("retry.max_retries", 9), ("limits.max_turns", 5)]
    threads = [threading.Thread(target=save_setting, args=(tmp_path, key, value)) for key, value in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settings, problems = load_settings(tmp_path)
    assert problems == []
    assert (settings.default_model, settings.mouse) == ("nord", False)
    assert (settings.retry.max_retries, settings.limits.max_turns) == (9, 5)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_defaults_obey_their_own_rules() -> None:
    for info in SETTINGS.values():
        value = tomllib.loads(f"value = {toml(info.default)}")["value"] if info.default is not None else None
        assert value is None or info.rule.accepts(value), info.key


def test_settings_are_light_enough_for_the_start() -> None:
    code = (
        "import sys, pyagent_tui.app.settings.reading as s; s.load_settings(__import__('pathlib').Path('/nowhere'));"
        "print([m for m in ('pydantic','httpx','anyio','pygments','textual','tomlkit','platformdirs','difflib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_guide_lists_every_setting_with_its_default() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    for info in SETTINGS.values():
        assert settings_row(info.key) in guide, f"docs/settings.md should have: {settings_row(info.key)}"
    rows = [line for line in guide.splitlines() if line.startswith("| `")]
    assert len(rows) == len(SETTINGS)


def settings_row(key: str) -> str:
    info = SETTINGS[key]
    default = "–" if info.default is None else f"`{toml(info.default)}`"
    own_only = " Own file only." if info.own_only else ""
    return f"| `{key}` | {default} | {info.rule.expected} | {info.about}{own_only} |"


def test_every_setting_is_asked_for() -> None:
    app = Path(__file__).parents[2] / "app"
    readers = {app / "settings" / f"{name}.py" for name in ("model", "reading", "values", "groups")}
    files = [path for path in app.rglob("*.py") if path not in readers and path.name != "doctor.py"]
    asked = {name for path in files for name in re.findall(r"\bsettings\.(\w+)\b(?! import)", path.read_text())}
    assert not {key.partition(".")[0] for key in SETTINGS} - asked


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return (
        f"[{', '.join(toml(item) for item in cast('tuple[str, ...]', value))}]"
        if isinstance(value, tuple)
        else str(value)
    )
