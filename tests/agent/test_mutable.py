import copy
import dataclasses
import pickle

import pytest

from pyagent_tui.agent.mutable import mutable


@mutable
class Tally:
    """Numbers that grow."""

    count: int = 0
    seen: list[str] = dataclasses.field(default_factory=list[str])
    hidden: int = dataclasses.field(default=0, repr=False, compare=False)


@mutable
class Named(Tally):
    name: str = dataclasses.field(default="", kw_only=True)
    twice: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        self.twice = 2 * self.count


@mutable(kw_only=True, eq=False)
class Node:
    id: str
    parent: str | None = None


@mutable(kw_only=True, eq=False)
class Leaf(Node):
    text: str


def test_it_is_made_as_a_dataclass_is():
    assert (Tally(3).count, Tally(3).seen, Tally(3, ["a"]).seen) == (3, [], ["a"])
    assert Tally().seen is not Tally().seen
    assert Named(2, name="n").twice == 4
    assert Leaf(id="a", text="b").parent is None
    with pytest.raises(TypeError, match=r"Leaf\.__init__\(\) missing 1 required keyword-only argument: 'text'"):
        Leaf(id="a")  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError):
        Node("a")  # pyright: ignore[reportCallIssue]


def test_it_changes_and_has_no_other_attributes():
    tally = Tally()
    tally.count += 1
    assert tally == Tally(1)
    with pytest.raises(AttributeError):
        tally.other = 3  # pyright: ignore[reportAttributeAccessIssue]


def test_equal_ones_are_equal_and_none_is_hashed():
    assert Tally(1, hidden=1) == Tally(1, hidden=2)
    assert Tally(1) != Tally(2)
    assert Tally(1) != Named(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Tally())


def test_those_that_equal_themselves_only_are_hashed():
    first, second = Node(id="a"), Node(id="a")
    assert first == first
    assert first != second
    assert len({first, second}) == 2


def test_the_tools_of_dataclasses_know_it():
    assert repr(Tally(1, ["a"])) == "Tally(count=1, seen=['a'])"
    assert repr(Leaf(id="a", text="b")) == "Leaf(id='a', parent=None, text='b')"
    assert [item.name for item in dataclasses.fields(Leaf)] == ["id", "parent", "text"]
    assert dataclasses.replace(Tally(1), count=5) == Tally(5)
    assert dataclasses.asdict(Tally(1)) == {"count": 1, "seen": [], "hidden": 0}
    match Tally(7):
        case Tally(count):
            assert count == 7
    assert copy.deepcopy(Tally(1, ["a"])) == Tally(1, ["a"])
    assert pickle.loads(pickle.dumps(Tally(1, ["a"]))) == Tally(1, ["a"])
