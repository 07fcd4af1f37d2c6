"""A class of a module that is heavy, imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class _Deferred(Generic[T]):
    def __init__(self, load: Callable[[], type[T]]) -> None:
        self._load = load

    def __get__(self, instance: object, owner: type[Any]) -> type[T]:
        return self._load()


def deferred(load: Callable[[], type[T]]) -> type[T]:
    """For an attribute of a class: what `load` imports, each time the attribute is read."""
    return cast("type[T]", _Deferred(load))
