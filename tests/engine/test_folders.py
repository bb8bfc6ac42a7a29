"""The folder of a run is gone after it, and those of killed runs are removed by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from earnest.core import EngineTask
from earnest.engine import OWNER, make_own_folder, run_tasks
from earnest.errors import EarnestError
from tests.engine.works import powers
from tests.snapshots import Golden

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from earnest.engine.parcels import make_own_folder
with make_own_folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def held(place: Path) -> subprocess.Popen[str]:
    """A process, in a group of its own, that has a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(place)},
        start_new_session=True,
    )
    assert process.stdout is not None
    assert Path(process.stdout.readline().strip()).parent == place
    return process


def test_folders_are_apart_and_gone_afterwards(place: Path) -> None:
    with make_own_folder() as first, make_own_folder() as second:
        assert first != second
        assert {str(path) for path in place.iterdir()} == {first, second}
    assert list(place.iterdir()) == []


def test_a_folder_that_is_held_stays_and_one_that_is_not_goes(place: Path) -> None:
    with held(place) as process:
        with make_own_folder():
            assert len(list(place.iterdir())) == 2
        assert len(list(place.iterdir())) == 1
        os.killpg(process.pid, signal.SIGKILL)  # the tracker of loky too
        process.wait()
    assert len(list(place.iterdir())) == 1
    with make_own_folder():
        assert len(list(place.iterdir())) == 1  # only its own
    assert list(place.iterdir()) == []


def test_the_tracker_removes_the_folder_of_a_process_that_is_killed_alone(place: Path) -> None:
    with held(place) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    limit = time.monotonic() + 20.0
    while list(place.iterdir()):
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_the_folder_of_joblib_is_taken_if_it_is_named(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "named").mkdir()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(place / "named"))
    with make_own_folder() as folder:
        assert Path(folder).parent == place / "named"


def test_no_room_for_the_data_is_told(
    place: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(place / "nowhere"))
    with golden.raises(EarnestError):
        list(run_tasks(powers, np.zeros(5000), [EngineTask((0,)), EngineTask((1,))], n_jobs=2))


def test_what_is_not_ours_is_left_alone(place: Path) -> None:
    (place / "earnest-notes").mkdir()
    (place / "earnest-file").write_text("mine")
    (place / "earnest-linked").mkdir()
    (place / "earnest-linked" / OWNER).symlink_to(place / "earnest-file")
    with make_own_folder():
        pass
    assert sorted(p.name for p in place.iterdir()) == [
        "earnest-file",
        "earnest-linked",
        "earnest-notes",
    ]
