"""What code of the user's own depends on beside its arguments: globals, and members of classes.

No version tells of a change in it, so whatever can be seen of it counts. What cannot be seen is
what is looked up by name while it runs, and objects that hold a state.
"""

from __future__ import annotations

import dis
import functools
import site
import sys
import sysconfig
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis))
GROUPS = (list, tuple, set, frozenset)
_LOADS, _STORES = ("LOAD_GLOBAL", "LOAD_NAME"), ("STORE_GLOBAL", "DELETE_GLOBAL")
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_OF_THE_INTERPRETER = ("_abc_impl",)  # a cache of isinstance


def members(kind: type) -> dict[str, object]:
    """Return what a class is made of: methods, properties and constants, as plain functions."""
    return {
        name: _unwrap(part)
        for name, part in vars(kind).items()
        if isinstance(part, types.FunctionType)
        or not (_is_dunder(name) or name in _OF_THE_INTERPRETER or isinstance(part, _SLOTS))
    }


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _unwrap(part: object) -> object:
    if isinstance(part, property):
        return ["property", part.fget, part.fset, part.fdel]
    if isinstance(part, staticmethod | classmethod):
        return [type(part).__name__, part.__func__]
    if isinstance(part, functools.cached_property):
        return ["cached_property", part.func]
    return _undecorate(part)


def _undecorate(value: object) -> object:
    """Return the function that a cache or a compiler has wrapped; their state does not count."""
    inside = getattr(value, "__dict__", {}).get("__wrapped__")
    plain = isinstance(inside, types.FunctionType) and not isinstance(value, types.FunctionType)
    return inside if plain else value


def find_globals(function: types.FunctionType) -> dict[str, object]:
    """Return the globals that a function reads and that can be told by what they are.

    These are functions and classes of the user's own, and plain values; also where they are read
    as attributes of a module of the user's own. A global that the function itself sets is a state,
    not a part of it.
    """
    loaded, stored, names = _find_names(function.__code__)
    found: dict[str, object] = {}
    for name in loaded - stored:
        value = _undecorate(function.__globals__.get(name))
        if isinstance(value, types.ModuleType) and not is_installed(value.__name__):
            inside = {f"{name}.{part}": _undecorate(vars(value).get(part)) for part in names}
            found |= {path: part for path, part in inside.items() if _is_counted(part)}
        elif name in function.__globals__ and _is_counted(value):
            found[name] = value
    return dict(sorted(found.items()))


def _find_names(code: types.CodeType) -> tuple[set[str], set[str], set[str]]:
    """Return the globals that are read and set, and all names, in a function and those in it."""
    loaded: set[str] = set()
    stored: set[str] = set()
    names: set[str] = set()
    for one in _walk_codes(code):
        names.update(one.co_names)
        for step in dis.get_instructions(one):
            if step.opname in _LOADS:
                loaded.add(step.argval)
            elif step.opname in _STORES:
                stored.add(step.argval)
    return loaded, stored, names


def _walk_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _walk_codes(part)


def _is_counted(value: object) -> bool:
    if isinstance(value, types.FunctionType | type):
        return not is_installed(value.__module__)
    if isinstance(value, functools.partial):
        return True
    return value is not None and _is_plain(value)


def _is_plain(value: object, depth: int = 5) -> bool:
    """Tell whether a value is numbers and text all through, not too deep."""
    if type(value) in PLAIN or isinstance(value, np.generic):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if depth and isinstance(value, (list, tuple, set, frozenset)) and type(value) in GROUPS:
        return all(_is_plain(part, depth - 1) for part in value)
    if depth and type(value) is dict:
        return all(_is_plain(k) and _is_plain(v, depth - 1) for k, v in value.items())
    return False


@functools.cache
def _find_homes() -> tuple[Path, ...]:
    """Return where installed code lives: its version tells of a change."""
    paths = sysconfig.get_paths()
    known = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return tuple(Path(path).resolve() for path in {*known, *site.getsitepackages()})


@functools.cache
def is_installed(name: str | None) -> bool:
    """Tell whether a module belongs to Python or a package, so that a version stands for it."""
    if name is None or name == "__main__" or name not in sys.modules:
        return False
    file = getattr(sys.modules[name], "__file__", None)
    if file is None or name.split(".")[0] == "earnest":
        return True  # part of the interpreter, or of this package
    return any(home in Path(file).resolve().parents for home in _find_homes())
