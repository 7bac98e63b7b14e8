"""Frozen dataclasses to plain JSON and back, strictly: an unknown or ill-typed field is Malformed.

So is a missing one, unless the dataclass has a default for it: that is how an older journal is read. A reader is made
once for each type and kept, since a table that opens reads its whole history.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar, Union

T = TypeVar("T")
Reader = Callable[[Any], Any]


class Malformed(ValueError):
    """JSON that is not the value it should be; the message names the field, what was expected and what came."""

    def __init__(self, what: str, at: str = "") -> None:
        super().__init__(f"{at}: {what}" if at else what)
        self.what, self.at = what, at

    def within(self, outer: str) -> Malformed:
        """The same fault, seen from one level further out."""
        dot = "." if outer and self.at and not self.at.startswith("[") else ""
        return Malformed(self.what, f"{outer}{dot}{self.at}")


def to_json(value: Any) -> Any:
    """Return `value` as JSON holds it: dataclasses as objects, tuples as lists, fractions as "77/256"."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    return str(value) if isinstance(value, Fraction) else value


def from_json(kind: type[T], data: Any, at: str = "") -> T:
    """Return the `kind` (a dataclass) that `data` holds; `at` is its place in messages."""
    try:
        return typing.cast("T", _reader(typing.cast("Any", kind))(data))
    except Malformed as fault:
        raise fault.within(at) from None


@cache
def _reader(kind: Any) -> Reader:
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        return _optional(typing.get_args(kind))
    if origin is tuple:
        return _tuple(typing.get_args(kind))
    if dataclasses.is_dataclass(kind):
        return _object(typing.cast("type", kind))
    if kind is Fraction or issubclass(kind, StrEnum):
        return _made(kind)
    return _float if kind is float else _plain(kind)


def _optional(kinds: tuple[Any, ...]) -> Reader:
    (kind,) = [kind for kind in kinds if kind is not type(None)]
    read = _reader(kind)
    return lambda data: None if data is None else read(data)


def _tuple(kinds: tuple[Any, ...]) -> Reader:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        read = _reader(kinds[0])
        return lambda data: _items([read] * len(_list(data)), data)
    reads = [_reader(kind) for kind in kinds]
    return lambda data: _items(reads, _list(data, len(reads)))


def _list(data: Any, length: int | None = None) -> list[Any]:
    if not isinstance(data, list):
        raise _unexpected("a list", data)
    if length is not None and len(data) != length:
        raise _unexpected(f"{length} items", data)
    return data


def _items(reads: list[Reader], data: list[Any]) -> tuple[Any, ...]:
    made = []
    for read, item in zip(reads, data, strict=True):
        try:
            made.append(read(item))
        except Malformed as fault:
            raise fault.within(f"[{len(made)}]") from None
    return tuple(made)


def _object(kind: type) -> Reader:
    hints = typing.get_type_hints(kind)
    fields = {field.name: _reader(hints[field.name]) for field in dataclasses.fields(kind)}
    needed = {field.name for field in dataclasses.fields(kind) if not _has_default(field)}

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise _unexpected("an object", data)
        if not (needed <= data.keys() <= fields.keys()):
            raise _misnamed(data, fields.keys(), needed)
        return kind(**{name: _field(fields[name], name, item) for name, item in data.items()})

    return read


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _field(read: Reader, name: str, data: Any) -> Any:
    try:
        return read(data)
    except Malformed as fault:
        raise fault.within(name) from None


def _misnamed(data: dict[str, Any], known: typing.AbstractSet[str], needed: set[str]) -> Malformed:
    unknown = sorted(data.keys() - known)
    return Malformed(f"unknown field {unknown[0]}" if unknown else f"missing field {sorted(needed - data.keys())[0]}")


def _made(kind: Any) -> Reader:
    """A reader of what is written as text: an enum's value, a fraction."""

    def read(data: Any) -> Any:
        if not isinstance(data, str):
            raise _unexpected(kind.__name__, data)
        try:
            return kind(data)
        except (ValueError, ZeroDivisionError):
            raise _unexpected(kind.__name__, data) from None

    return read


def _float(data: Any) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise _unexpected("float", data)
    try:
        return float(data)
    except OverflowError:
        raise _unexpected("float", "a number too large for one") from None


def _plain(kind: type) -> Reader:
    def read(data: Any) -> Any:
        if type(data) is not kind:
            raise _unexpected(kind.__name__, data)
        return data

    return read


def _unexpected(expected: str, data: Any) -> Malformed:
    return Malformed(f"expected {expected}, found {data!r:.80}")
