"""An assessment that is killed goes on where it was, and says the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from earnest.core.base.errors import FormatError
from earnest.store import read_run
from tests.training.killed_assess import FITS, assessed

ROOT = Path(__file__).parents[3]


def stored(path: Path) -> int:
    """How many outcomes a run file holds; none while it is being made."""
    try:
        return len(read_run(path).outcomes)
    except FormatError:
        return 0


def test_killed_and_resumed_it_gives_the_same_estimate(tmp_path: Path) -> None:
    store, out = tmp_path / "run.db", tmp_path / "out.json"
    command = [sys.executable, "-m", "tests.training.killed_assess", str(store), str(out)]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    limit = time.monotonic() + 60.0
    while stored(store) < 5:
        assert process.poll() is None
        assert time.monotonic() < limit
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert 5 <= stored(store) < FITS
    assert not out.exists()
    resumed = assessed(str(store))
    assert stored(store) == FITS
    assert resumed.to_dict() == assessed(None).to_dict()
