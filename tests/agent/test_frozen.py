import copy
import dataclasses
import pickle
import weakref

import pytest

from pyagent_tui.agent.frozen import frozen


@frozen
class Point:
    """Two numbers and what is remembered of them."""

    x: int
    y: int = 2
    seen: list[str] = dataclasses.field(default_factory=list[str], compare=False, repr=False)
    unit: str = dataclasses.field(default="cm", kw_only=True)


@frozen
class Solid(Point):
    """A point with a height that is made from the others."""

    z: int = 0
    volume: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "volume", self.x * self.y * self.z)


@frozen(weakref_slot=True)
class Held:
    """What others may refer to weakly."""

    name: str


@frozen
class Unhashed:
    """Compared whole, hashed by its name."""

    name: str
    table: dict[str, int] = dataclasses.field(default_factory=dict[str, int], hash=False)


@frozen
class Nothing:
    """No field at all."""


@frozen
class Loose:
    """Equal whatever its case."""

    word: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loose) and self.word.lower() == other.word.lower()

    def __hash__(self) -> int:
        return hash(self.word.lower())


def test_it_is_made_as_a_dataclass_is():
    point = Point(1, unit="m")
    assert (point.x, point.y, point.seen, point.unit) == (1, 2, [], "m")
    assert Point(1).seen is not Point(1).seen
    assert Solid(2, 3, [], 4, unit="m").volume == 24
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError):
        Point(1, 2, [], "m")  # pyright: ignore[reportCallIssue]


def test_it_does_not_change():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        point.x = 3  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        del point.x  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.other = 3  # pyright: ignore[reportAttributeAccessIssue]
    assert not hasattr(point, "__dict__")


def test_equal_ones_are_equal_and_hash_alike():
    assert Point(1, seen=["a"]) == Point(1, seen=["b"])
    assert hash(Point(1, seen=["a"])) == hash(Point(1))
    assert Point(1) != Point(2)
    assert Point(1, 2) != Solid(1, 2)
    assert hash(Unhashed("a", {"b": 1})) == hash(Unhashed("a"))
    assert Unhashed("a", {"b": 1}) != Unhashed("a")
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert Loose("A") == Loose("a")
    assert len({Loose("A"), Loose("a")}) == 1


def test_it_shows_its_fields():
    assert repr(Point(1)) == "Point(x=1, y=2, unit='cm')"


def test_the_tools_of_dataclasses_know_it():
    assert dataclasses.is_dataclass(Point)
    assert [item.name for item in dataclasses.fields(Solid)] == ["x", "y", "seen", "unit", "z", "volume"]
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    match Point(1):
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert copy.deepcopy(Point(1, seen=["a"])).seen == ["a"]
    assert pickle.loads(pickle.dumps(Held("a"))) == Held("a")
    held = Held("a")
    assert weakref.ref(held)() is held
