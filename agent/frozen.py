"""Frozen dataclasses that are quick to define."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform, overload

T = TypeVar("T")


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def frozen(cls: type[T], /) -> type[T]: ...
@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def frozen(*, weakref_slot: bool) -> Callable[[type[T]], type[T]]: ...
def frozen(cls: type[T] | None = None, /, *, weakref_slot: bool = False) -> type[T] | Callable[[type[T]], type[T]]:
    """What ``dataclass(frozen=True, slots=True)`` makes, for a fifth of its time.

    The standard decorator writes and compiles six methods for each class: with some 250 of them that was a third of
    the time to start on Python 3.11. Here one is compiled, the constructor, and that when the first of a class is made,
    as most classes of a run are never used; all share the others.
    `fields`, `replace` and `match` work as with every dataclass. Setting an attribute raises `FrozenInstanceError`.
    """
    if cls is None:
        return lambda cls: _define(cls, weakref_slot)
    return _define(cls, weakref_slot)


def _define(cls: type[T], weakref_slot: bool) -> type[T]:
    # For a class without a docstring the standard decorator writes its signature out, which takes as long as all else.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made = cast("Any", dataclass(init=False, repr=False, eq=False, slots=True, weakref_slot=weakref_slot)(cls))
    own = made.__dict__
    for name, method in _SHARED.items():
        if own.get(name) is None:
            setattr(made, name, method)
    if "__init__" not in own:
        made.__init__ = _unwritten(made)
    return cast("type[T]", made)


def _unwritten(cls: type[Any]) -> Callable[..., None]:
    """What stands for the constructor until it is first called, and then writes it."""

    def first(self: object, *given: object, **named: object) -> None:
        cls.__init__ = constructor = _constructor(cls)
        constructor(self, *given, **named)

    return first


def _constructor(cls: type[Any]) -> Callable[..., None]:
    """The one method that is written out: it takes the fields in their order, those of keywords last."""
    given = [item for item in fields(cls) if item.init]
    positional = [_parameter(item) for item in given if not item.kw_only]
    keywords = [_parameter(item) for item in given if item.kw_only]
    lines = [f"def __init__(self, {', '.join([*positional, *(['*'] if keywords else []), *keywords])}):"]
    lines += [f" _set(self, {item.name!r}, {_taken(item)})" for item in fields(cls) if _is_set(item)]
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
    return _getter([item.name for item in fields(cls) if item.compare])


@cache
def _hashed(cls: type[Any]) -> Callable[[object], object]:
    return _getter([item.name for item in fields(cls) if (item.compare if item.hash is None else item.hash)])


def _getter(names: list[str]) -> Callable[[object], object]:
    return attrgetter(*names) if names else lambda _: ()


@cache
def _shown(cls: type[Any]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(cls) if item.repr)


def _equals(self: object, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    taken = _compared(self.__class__)
    return taken(self) == taken(other)


def _hash(self: object) -> int:
    return hash(_hashed(self.__class__)(self))


def _represent(self: object) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _shown(self.__class__))
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, item.name) for item in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for item, content in zip(fields(self), state, strict=True):
        object.__setattr__(self, item.name, content)


_SHARED: dict[str, Callable[..., Any]] = {
    "__eq__": _equals,
    "__hash__": _hash,
    "__repr__": _represent,
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
