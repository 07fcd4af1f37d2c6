"""What the classes made by `frozen` and `mutable` share, so that each is quick to define."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

T = TypeVar("T")


def define(cls: type[T], methods: dict[str, Callable[..., Any]], assignment: str, **options: bool) -> type[T]:
    """A dataclass with slots that has these methods where it has none of its own, and a constructor.

    The standard decorator writes and compiles up to six methods for each class: with some 250 of them that was a third
    of the time to start on Python 3.11. Here one is compiled, the constructor, and that when the first of a class is
    made, as most classes of a run are never used. `assignment` is how it sets the attribute ``{name}`` to ``{value}``.
    """
    # For a class without a docstring the standard decorator writes its signature out, which takes as long as all else.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made = cast("Any", dataclass(init=False, repr=False, eq=False, slots=True, **options)(cls))
    own = made.__dict__
    for name, method in methods.items():
        if own.get(name) is None:
            setattr(made, name, method)
    if "__init__" not in own:
        made.__init__ = _unwritten(made, assignment)
    return cast("type[T]", made)


def _unwritten(cls: type[Any], assignment: str) -> Callable[..., None]:
    """What stands for the constructor until it is first called, and then writes it."""

    def first(self: object, *given: object, **named: object) -> None:
        cls.__init__ = constructor = _constructor(cls, assignment)
        constructor(self, *given, **named)

    return first


def _constructor(cls: type[Any], assignment: str) -> Callable[..., None]:
    """The one method that is written out: it takes the fields in their order, those of keywords last."""
    given = [item for item in fields(cls) if item.init]
    positional = [_parameter(item) for item in given if not item.kw_only]
    keywords = [_parameter(item) for item in given if item.kw_only]
    lines = [f"def __init__(self, {', '.join([*positional, *(['*'] if keywords else []), *keywords])}):"]
    lines += [" " + assignment.format(name=item.name, value=_taken(item)) for item in fields(cls) if _is_set(item)]
    lines += [" self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    for item in fields(cls):
        names |= {f"_default_{item.name}": item.default, f"_factory_{item.name}": item.default_factory}
    exec("\n".join([*lines, " return None"]), names)
    constructor = names["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    constructor.__module__ = cls.__module__
    return constructor


def _parameter(item: Field[Any]) -> str:
    if item.default is not MISSING:
        return f"{item.name}=_default_{item.name}"
    return f"{item.name}=_missing" if item.default_factory is not MISSING else item.name


def _taken(item: Field[Any]) -> str:
    if item.default_factory is MISSING:
        return item.name if item.init else f"_default_{item.name}"
    made = f"_factory_{item.name}()"
    return f"{made} if {item.name} is _missing else {item.name}" if item.init else made


def _is_set(item: Field[Any]) -> bool:
    return item.init or item.default is not MISSING or item.default_factory is not MISSING


@cache
def _compared(cls: type[Any]) -> Callable[[object], object]:
    """What makes two of the class equal, taken out of one."""
    return getter([item.name for item in fields(cls) if item.compare])


def getter(names: list[str]) -> Callable[[object], object]:
    """What takes these attributes out of an object."""
    return attrgetter(*names) if names else lambda _: ()


@cache
def _shown(cls: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(cls) if item.repr)


def equals(self: object, other: object) -> bool:
    """`__eq__`: of the same class, and equal in all that is compared."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    taken = _compared(self.__class__)
    return taken(self) == taken(other)


def represent(self: object) -> str:
    """`__repr__`: as it is made."""
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _shown(self.__class__))
    return f"{self.__class__.__qualname__}({shown})"
