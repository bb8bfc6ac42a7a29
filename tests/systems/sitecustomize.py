"""A system without what only Linux has, for every Python process that finds this file first
and the variable EARNEST_TEST_WITHOUT_LINUX.

No fork, no fcntl, no processor affinity, no /proc, no /sys; new processes are spawned.
"""

from __future__ import annotations

import builtins
import importlib.abc
import io
import multiprocessing
import os
import pathlib
import sys
from typing import Any

ABSENT = ("fork", "forkpty", "sched_getaffinity")
MODULES = ("fcntl", "resource", "pwd", "grp")


class Missing(importlib.abc.MetaPathFinder):
    """Refuse to find modules of POSIX for earnest's own code."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        caller = sys._getframe(1)
        while caller is not None and "importlib" in caller.f_globals.get("__name__", ""):
            caller = caller.f_back  # type: ignore[assignment]
        asking = "" if caller is None else caller.f_globals.get("__name__", "")
        if name in MODULES and asking.startswith("earnest"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide_folders() -> None:
    """Hide them from earnest's own code: other libraries look for Linux by its name."""
    for place, name in ((builtins, "open"), (io, "open"), (pathlib.Path, "open")):
        setattr(place, name, _refusing(getattr(place, name)))


def _refusing(plain: Any) -> Any:
    def refuse(path: Any, *given: Any, **options: Any) -> Any:
        named = isinstance(path, str | pathlib.Path) and str(path).startswith(("/proc", "/sys"))
        if named and _asking().startswith(("earnest", "__main__")):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return plain(path, *given, **options)

    return refuse


def _asking() -> str:
    """The module that asks for a file, through pathlib or not."""
    caller = sys._getframe(2)
    while caller.f_back and caller.f_globals.get("__name__", "").startswith((__name__, "pathlib")):
        caller = caller.f_back
    return str(caller.f_globals.get("__name__", ""))


def leave_linux() -> None:
    for name in ABSENT:
        if hasattr(os, name):
            delattr(os, name)
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Missing())
    hide_folders()
    multiprocessing.set_start_method("spawn", force=True)


if "EARNEST_TEST_WITHOUT_LINUX" in os.environ:  # and not where pytest looks for doctests
    leave_linux()
