"""A system without what only Linux has, for every Python process that finds this file first
and the variable EARNEST_TEST_WITHOUT_LINUX.

No fork, no fcntl, no processor affinity, no /proc, no /sys; new processes are spawned.
"""

from __future__ import annotations

import importlib.abc
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
    plain = pathlib.Path.open

    def refuse(self: pathlib.Path, *given: Any, **options: Any) -> Any:
        if str(self).startswith(("/proc", "/sys")):
            raise FileNotFoundError(2, "No such file or directory", str(self))
        return plain(self, *given, **options)

    pathlib.Path.open = refuse  # type: ignore[method-assign]


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
