"""Runs that are interrupted in the tests' own process, and what their file then holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from earnest.errors import EarnestError
from earnest.store import read_run


def count_stored(path: Path) -> int:
    """Return how many outcomes a run file holds; none while it is not there."""
    try:
        return len(read_run(path).outcomes)
    except EarnestError:
        return 0


def interrupt(run: Callable[[], object], fits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run something whose learner counts its fits, and interrupt it after so many."""
    with monkeypatch.context() as short:
        short.setenv("FITS_LEFT", str(fits))
        short.setenv("ENDED_BY", "interrupt")
        with pytest.raises(KeyboardInterrupt):
            run()
