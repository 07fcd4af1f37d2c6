"""Languages by name: as pygments chooses, without its search."""

import re

import pygments.lexers
import pytest
from pygments.util import ClassNotFound

from pyagent_tui.widgets.text.languages import lexer_of_file, lexer_of_language
from pyagent_tui.widgets.text.syntax import find_lexer

NAMES = [
    *(
        "a.py",
        "src/deep/a.b.py",
        "c:\\x\\a.rs",
        "a.h",
        "a.m",
        "a.pl",
        "a.txt",
        "a.html",
        "a.tsx",
        "a.v",
        "a.s",
        "a.cfg",
    ),
    *("Makefile", "Makefile.am", "Dockerfile", "CMakeLists.txt", "x.1", "a.php5", "bash_login", ".bashrc", "a.sql"),
    *("a.unknown", "README", "a.PY", "a.tar.gz", "package.json", "a.yml", "a.ts", "nginx.conf", "a.asm", "a.inc"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_lexer_that_pygments_chooses(name: str):
    base = name.replace("\\", "/").rpartition("/")[2]
    assert lexer_of_file(name) is pygments.lexers.find_lexer_class_for_filename(base)


@pytest.mark.parametrize("name", ["python", "Python", "py", "c++", "sh", "tsx", "nothing"])
def test_a_language_has_the_lexer_that_pygments_chooses(name: str):
    try:
        wanted = pygments.lexers.find_lexer_class_by_name(name)
    except ClassNotFound:
        wanted = None
    assert lexer_of_language(name) is wanted


def test_a_new_name_compiles_no_pattern_and_asks_no_package(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("searched")

    lexer_of_file("a.py")
    monkeypatch.setattr(pygments.lexers, "_fn_matches", refuse)
    monkeypatch.setattr(pygments.lexers, "find_plugin_lexers", refuse)
    find_lexer.cache_clear()
    assert find_lexer("other/names.py") is not None
    assert find_lexer("nothing.unknown") is None
    assert find_lexer("unknownlanguage") is None
    assert re.search("python", type(find_lexer("names.py")).__name__, re.IGNORECASE)
