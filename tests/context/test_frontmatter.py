import pytest

from pyagent_tui.context.frontmatter import Document, FrontmatterError, parse_frontmatter


@pytest.mark.parametrize(
    ("source", "fields", "body"),
    [
        ("---\na: 1\n---\nbody\n", {"a": "1"}, "body\n"),
        ("\ufeff---\r\na: x\r\n---\r\nbody\r\n", {"a": "x"}, "body\n"),
        ("---\ndescription: |\n  one\n  two\n---\nb", {"description": "one\ntwo\n"}, "b"),
        ("---\n---\nbody", {}, "body"),
        ("---\n\n# only a comment\n---\nbody", {}, "body"),
        ("---\na: 1\n---", {"a": "1"}, ""),
        ("---\na: 1\nno end", {}, "---\na: 1\nno end"),
        ("no block", {}, "no block"),
        ("text\n---\na: 1\n---\n", {}, "text\n---\na: 1\n---\n"),
        (
            "---\na: 2024-01-01\nb: no\nc: 1.10\nd: [x, y]\n---\n",
            {"a": "2024-01-01", "b": "no", "c": "1.10", "d": ["x", "y"]},
            "",
        ),
        ("---\na: ---x\n---\nb\n---\n", {"a": "---x"}, "b\n---\n"),
    ],
)
def test_the_block_and_the_body_are_taken_apart(source: str, fields: dict[str, object], body: str) -> None:
    assert parse_frontmatter(source) == Document(fields, body)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("a: b: c", "line 2: mapping values are not allowed here"),
        ("ok: 1\na: [", "line 4: expected the node content"),
        ("- a list", "line 2: not a list of `name: value` lines"),
        ("just text", "not a list"),
        ("a: \x00", "special characters are not allowed"),
        ("[" * 5000, ""),
    ],
)
def test_what_is_no_table_is_an_error_with_its_line(block: str, words: str) -> None:
    with pytest.raises(FrontmatterError) as caught:
        parse_frontmatter(f"---\n{block}\n---\nbody")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_python_object_is_ever_made() -> None:
    source = "---\na: !!python/object/apply:os.system ['exit 1']\n---\n"
    assert parse_frontmatter(source).fields == {"a": ["exit 1"]}


def test_fields_are_read_as_text_and_flags() -> None:
    document = parse_frontmatter("---\na: ' x '\nb: [1]\non: TRUE\noff: nope\n---\n")
    assert (document.text("a"), document.text("b"), document.text("none")) == ("x", "", "")
    assert (document.flag("on"), document.flag("off"), document.flag("none")) == (True, False, False)
