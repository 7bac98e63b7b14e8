"""Frozen dataclasses to plain JSON and back, strictly: an unknown or ill-typed field is Malformed.

So is a missing one, unless the dataclass has a default for it: that is how an older journal is read.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeVar, Union

T = TypeVar("T")


class Malformed(ValueError):
    """JSON that is not the value it should be; the message names the field, what was expected and what came."""


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
    return typing.cast("T", _read(kind, data, at))


def _read(kind: Any, data: Any, at: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        return _optional(typing.get_args(kind), data, at)
    if origin is tuple:
        return _tuple(typing.get_args(kind), data, at)
    if origin is Literal:
        return _expect(data in typing.get_args(kind), data, at, data, f"one of {typing.get_args(kind)}")
    if dataclasses.is_dataclass(kind):
        return _object(typing.cast("type", kind), data, at)
    return _plain(kind, data, at)


def _optional(kinds: tuple[Any, ...], data: Any, at: str) -> Any:
    (kind,) = [kind for kind in kinds if kind is not type(None)]
    return None if data is None else _read(kind, data, at)


def _tuple(kinds: tuple[Any, ...], data: Any, at: str) -> tuple[Any, ...]:
    _expect(isinstance(data, list), None, at, data, "a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(data)
    _expect(len(kinds) == len(data), None, at, data, f"{len(kinds)} items")
    return tuple(_read(kind, item, f"{at}[{n}]") for n, (kind, item) in enumerate(zip(kinds, data, strict=True)))


def _object(kind: type, data: Any, at: str) -> Any:
    hints, optional = _fields(kind)
    _expect(isinstance(data, dict), None, at, data, "an object")
    unknown, missing = data.keys() - hints.keys(), hints.keys() - data.keys() - optional
    if unknown or missing:
        raise Malformed(f"{at}: {'unknown' if unknown else 'missing'} field {sorted(unknown or missing)[0]}")
    return kind(**{name: _read(hints[name], item, f"{at}.{name}") for name, item in data.items()})


@cache
def _fields(kind: type) -> tuple[dict[str, Any], frozenset[str]]:
    """The types of a dataclass's fields, and the names of those that have a default."""
    hints, fields = typing.get_type_hints(kind), dataclasses.fields(kind)
    has_default = {
        f.name for f in fields if dataclasses.MISSING is not f.default or f.default_factory is not dataclasses.MISSING
    }
    return {field.name: hints[field.name] for field in fields}, frozenset(has_default)


def _plain(kind: Any, data: Any, at: str) -> Any:
    if kind is Fraction or issubclass(kind, StrEnum):
        return _made(kind, data, at)
    right = isinstance(data, kind) or (kind is float and isinstance(data, int))
    right = right and (kind is bool or not isinstance(data, bool))
    return _expect(right, float(data) if kind is float and right else data, at, data, kind.__name__)


def _made(kind: Any, data: Any, at: str) -> Any:
    _expect(isinstance(data, str), None, at, data, kind.__name__)
    try:
        return kind(data)
    except (ValueError, ZeroDivisionError):
        raise Malformed(f"{at}: expected {kind.__name__}, found {data!r:.80}") from None


def _expect(right: bool, value: Any, at: str, data: Any, expected: str) -> Any:
    if not right:
        raise Malformed(f"{at}: expected {expected}, found {data!r:.80}")
    return value
