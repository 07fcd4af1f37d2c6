from pathlib import Path

import pytest

from pyagent_tui.context.templates import expand_template, load_templates, split_arguments, substitute


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("A=$1 B=$@ C=$5 D=$HOME", ["$2", "x y"], "A=$2 B=$2 x y C= D=$HOME"),
        ("$ARGUMENTS|$@", ["a", "b"], "a b|a b"),
        ("$ARGUMENTS", ["$ARGUMENTS", "$1"], "$ARGUMENTS $1"),
        ("$0|$1|$2", ["a"], "|a|"),
        ("$10$1", ["a", *"bcdefghi", "j"], "ja"),
        (r"\$1", ["a"], "\\a"),
        ("$$1", ["a"], "$a"),
        ("${1:-x}|${2:-y z}|${3:-}", ["a", ""], "a|y z|"),
        ("${@:-none}", [], "none"),
        ("${@:-none}|${ARGUMENTS:-none}", ["a", "b"], "a b|a b"),
        ("${1:-$2}", ["", "b"], "$2"),
        ("${@:2}|${@:0}|${@:1}|${@:9}", ["a", "b", "c"], "b c|a b c|a b c|"),
        ("${@:2:1}|${@:2:9}|${@:1:0}", ["a", "b", "c"], "b|b c|"),
        ("${@:0:2}", ["a", "b", "c"], "a b"),
        ("${HOME} $HOME $ ${1} ${@} $1x $x1", ["a"], "${HOME} $HOME $ ${1} ${@} ax $x1"),
        ("$ARGUMENTS_X", ["a"], "$ARGUMENTS_X"),
        ("$" + "9" * 5000, ["a"], "9" * 4994),
    ],
)
def test_arguments_are_put_in_once(body: str, arguments: list[str], expected: str) -> None:
    assert substitute(body, arguments) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  a\tb\nc  ", ["a", "b", "c"]),
        ("'$2' 'x y'", ["$2", "x y"]),
        ("'x\ny' \"a 'b' c\"", ["x\ny", "a 'b' c"]),
        ("'' \"\"", ["", ""]),
        ("don't a'b c'd", ["don't", "a'b", "c'd"]),
        ("'don't stop' now", ["don't stop", "now"]),
        ("'unclosed and more", ["'unclosed", "and", "more"]),
        ("\"a b' c", ['"a', "b'", "c"]),
        ("'a'b", ["'a'b"]),
        ("'", ["'"]),
        (r"a\ b", ["a\\", "b"]),
    ],
)
def test_arguments_are_split_at_white_space_and_quotes_hold(text: str, expected: list[str]) -> None:
    assert split_arguments(text) == expected


def test_a_huge_paste_of_open_quotes_is_split_in_linear_time() -> None:
    assert len(split_arguments("'tis " * 200_000)) == 200_000


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_a_file_becomes_a_command_with_description_and_hint(tmp_path: Path) -> None:
    put(tmp_path / "review.md", "---\ndescription: Review it\nargument-hint: <file>\n---\n\nReview $1.\n")
    put(tmp_path / "bare.md", f"\n# {'long ' * 30}\nrest")
    put(tmp_path / "notes.txt", "no")
    put(tmp_path / "sub" / "deep.md", "no")
    (bare, review), problems = load_templates([tmp_path])
    assert problems == ()
    assert (review.name, review.description, review.argument_hint) == ("review", "Review it", "<file>")
    assert expand_template(review, "'a b.py'") == "Review a b.py."
    assert bare.name == "bare"
    assert len(bare.description) == 60
    assert bare.description.endswith("…")


def test_the_project_wins_over_the_persons_own_and_it_is_told(tmp_path: Path) -> None:
    mine, theirs = put(tmp_path / "own" / "x.md", "mine"), put(tmp_path / "project" / "x.md", "theirs")
    (found,), problems = load_templates([tmp_path / "project", tmp_path / "own", tmp_path / "none"])
    assert found.path == theirs
    assert [str(problem) for problem in problems] == [f"{mine}: hidden by {theirs}, which has the same name"]


def test_a_broken_template_is_one_problem_and_the_others_load(tmp_path: Path) -> None:
    bad = put(tmp_path / "bad.md", "---\na: b: c\n---\nx")
    put(tmp_path / "good.md", "x")
    (found,), (problem,) = load_templates([tmp_path])
    assert found.name == "good"
    assert str(problem) == f"{bad}: bad frontmatter, line 2: mapping values are not allowed here; not loaded"
