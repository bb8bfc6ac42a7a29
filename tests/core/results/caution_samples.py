"""Cautions of every kind of the catalogue, with facts made up by their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import product
from types import UnionType
from typing import Any, get_args, get_origin

from earnest.core import list_kinds
from earnest.results import Caution

LARGE = 1234


def sample_cautions() -> list[Caution]:
    """Return cautions of every kind: of each fact the values that may change the words."""
    return [
        kind(**dict(zip(kind.types, facts, strict=True)))
        for kind in list_kinds().values()
        for facts in product(*(list(sample_facts(type_)) for type_ in kind.types.values()))
    ]


def sample_facts(type_: Any) -> Iterator[Any]:
    """Yield some facts of a type."""
    origin, inner = get_origin(type_), get_args(type_)
    simple = {int: (1, LARGE), float: (0.5,), bool: (False, True), str: ("a1",)}
    if type_ in simple:
        yield from simple[type_]
    elif isinstance(type_, type) and issubclass(type_, Enum):
        yield from type_
    elif origin is UnionType:
        yield None
        yield from sample_facts(inner[0])
    elif origin is tuple and inner[-1] is Ellipsis:
        each = next(sample_facts(inner[0]))
        yield (each,)
        yield (each, each)
    elif origin is tuple:
        yield tuple(next(sample_facts(part)) for part in inner)
    elif origin is Mapping:
        yield {"a1": next(sample_facts(inner[1]))}
    else:
        raise TypeError(type_)
