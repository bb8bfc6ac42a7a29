"""An assessment that is killed goes on where it was, and says the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.interrupted import count_stored, interrupt
from tests.training.killed_assess import FITS, assessed

ROOT = Path(__file__).parents[3]


def test_interrupted_and_resumed_it_gives_the_same_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "run.db"
    interrupt(lambda: assessed(str(store)), 7, monkeypatch)
    assert count_stored(store) == 7
    resumed = assessed(str(store))
    assert count_stored(store) == FITS
    assert resumed.to_dict() == assessed(None).to_dict()


@pytest.mark.slow
def test_killed_and_resumed_it_gives_the_same_estimate(tmp_path: Path) -> None:
    """In a process that is killed; the test above holds the law where it is interrupted."""
    store, out = tmp_path / "run.db", tmp_path / "out.json"
    command = [sys.executable, "-m", "tests.training.killed_assess", str(store), str(out)]
    env = {**os.environ, "FITS_LEFT": "7", "ENDED_BY": "kill"}
    killed = subprocess.run(command, cwd=ROOT, env=env, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert count_stored(store) == 7
    assert not out.exists()
    resumed = assessed(str(store))
    assert count_stored(store) == FITS
    assert resumed.to_dict() == assessed(None).to_dict()
