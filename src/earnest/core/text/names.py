"""Configurations in plain values, with objects by a name that people can read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from earnest.core.space.parameters import plain

LONGEST = 40  # characters up to which an object is shown as it prints
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PRINTED = (str, bytes, tuple, list, dict, set, frozenset, range, slice, np.ndarray)


def readable(configs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return configurations with plain values: numbers, text, bool and None.

    An object is shown as it prints if that is short, else by its class; objects of one parameter
    that differ and would be called the same are numbered in the order in which they come.

    Examples
    --------
    >>> from earnest.core.text.names import readable
    >>> readable([{"units": (10, 5), "f": lambda x: x}, {"units": (4,), "f": lambda x: -x}])
    [{'units': '(10, 5)', 'f': '<lambda>-1'}, {'units': '(4,)', 'f': '<lambda>-2'}]
    """
    known: dict[int, tuple[str, str]] = {}  # objects are alive here, so that an id is theirs
    names: dict[str, dict[str, str]] = {}
    for config in configs:
        for param, value in config.items():
            if _is_object(value):
                if id(value) not in known:
                    known[id(value)] = _identified(value)
                key, name = known[id(value)]
                names.setdefault(str(param), {}).setdefault(key, name)
    told = {param: _numbered(found) for param, found in names.items()}
    return [
        {
            str(param): told[str(param)][known[id(value)][0]] if _is_object(value) else plain(value)
            for param, value in config.items()
        }
        for config in configs
    ]


def _is_object(value: Any) -> bool:
    """Tell whether a value is named by what it is, not by what it prints."""
    if value is None or isinstance(value, (bool, int, float, np.generic, *_PRINTED)):
        return False
    return not isinstance(plain(value), float)  # NaN of another library stays missing


def _identified(value: Any) -> tuple[str, str]:
    """Return what tells an object from others, and what it is called."""
    printed = " ".join(repr(value).split())
    nameless = _ADDRESS.search(printed) is not None
    key = f"{printed} {id(value)}" if nameless else printed
    if isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
        return key, str(value.__name__)
    return key, type(value).__name__ if nameless or len(printed) > LONGEST else printed


def _numbered(found: dict[str, str]) -> dict[str, str]:
    """Return the names, those that several objects have with a number each."""
    counts, seen = Counter(found.values()), Counter[str]()
    out = {}
    for key, name in found.items():
        seen[name] += 1
        out[key] = f"{name}-{seen[name]}" if counts[name] > 1 else name
    return out
