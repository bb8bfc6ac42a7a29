"""Names of a module that are imported when first asked for, as its stub lists them (PEP 562).

A stub holds only lines such as `from .room.file import Name as Name`, and type checkers read the
same lines. Where it has an `__all__`, the other names are for the rooms and tests of earnest alone.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


def attach(
    module: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module that has a stub beside it.

    Parameters
    ----------
    module, file : str
        The `__name__` and the `__file__` of the module.

    Examples
    --------
    >>> from earnest.core.base.lazy import attach
    >>> import earnest.errors
    >>> load, names, _ = attach("earnest.errors", earnest.errors.__file__)
    >>> load(names()[0]).__name__
    'ClusterError'
    """
    load, list_names = open_door(module, file)
    return load, list_names, list_names()


def open_door(module: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a room; its stub is read when a name is asked for.

    Examples
    --------
    >>> from earnest.core.base.lazy import open_door
    >>> import earnest.core
    >>> load, names = open_door("earnest.core", earnest.core.__file__)
    >>> load("TaskOutcome").__module__, "Seeds" in names()
    ('earnest.core.base.protocols', True)
    """
    path = Path(file)
    package = module if path.stem == "__init__" else module.rpartition(".")[0]

    @cache
    def read() -> tuple[dict[str, tuple[str, str]], list[str]]:
        return _read_stub(path.with_suffix(".pyi"), package)

    def load(name: str) -> object:
        homes, _ = ({}, []) if name.startswith("__") else read()
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, attribute = homes[name]
        thing = import_module(home)
        value: object = getattr(thing, attribute) if attribute else thing
        vars(sys.modules[module])[name] = value
        return value

    def list_names() -> list[str]:
        return read()[1].copy()

    return load, list_names


def _read_stub(path: Path, package: str) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return each name with its module and its name there, and which names are listed.

    A module has no name there.
    """
    homes: dict[str, tuple[str, str]] = {}
    listed: list[str] | None = None
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0]
            for alias in node.names:
                if node.module:
                    homes[alias.name] = (f"{above}.{node.module}", alias.name)
                else:
                    homes[alias.name] = (f"{above}.{alias.name}", "")
        elif isinstance(node, ast.Assign):
            listed = ast.literal_eval(node.value)
    return homes, sorted(homes) if listed is None else listed
