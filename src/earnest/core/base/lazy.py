"""Names of a module that are imported when first asked for, as its stub lists them (PEP 562)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path


def attach(
    module: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module that has a stub beside it.

    The stub holds only lines such as `from .room.file import Name as Name`. Type checkers read the
    same lines.

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
    path = Path(file)
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    homes = dict(_read_stub(path.with_suffix(".pyi"), package))

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, attribute = homes[name]
        thing = import_module(home)
        value: object = getattr(thing, attribute) if attribute else thing
        vars(sys.modules[module])[name] = value
        return value

    names = sorted(homes)
    return load, names.copy, names


def _read_stub(path: Path, package: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each name with its module, and with its name there; a module has none there."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0]
            for alias in node.names:
                if node.module:
                    yield alias.name, (f"{above}.{node.module}", alias.name)
                else:
                    yield alias.name, (f"{above}.{alias.name}", "")
