"""The start of a process is told by the system, and otherwise by the time it has computed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from earnest.core.base import process
from earnest.core.base.process import find_process_start


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux tells in /proc")
def test_the_start_of_a_process_is_before_its_imports() -> None:
    script = (
        "import time; time.sleep(0.5)\n"
        "from earnest.core.base.process import find_process_start\n"
        "print(time.monotonic() - find_process_start())"
    )
    before = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    # It slept half a second, and the clock of the system goes in hundredths.
    assert 0.49 <= float(done.stdout) <= time.monotonic() - before + 0.02


@pytest.mark.parametrize("name", ["python", "a (b) 1 2 3"])
def test_the_age_is_read_whatever_the_program_is_called(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    (tmp_path / "proc/self").mkdir(parents=True)
    rest = " ".join(["S", *["0"] * 18, str(1000 * ticks), "0"])
    (tmp_path / "proc/self/stat").write_text(f"7 ({name}) {rest}")
    monkeypatch.setattr(process.time, "clock_gettime", lambda _: 1003.5)
    monkeypatch.setattr(process.time, "monotonic", lambda: 50.0)
    assert find_process_start(tmp_path) == pytest.approx(46.5)
    monkeypatch.setattr(process.time, "clock_gettime", lambda _: 9000.0)
    assert find_process_start(tmp_path) == 50.0  # hours old: started for something else


def test_elsewhere_the_time_of_the_processor_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process.time, "monotonic", lambda: 50.0)
    monkeypatch.setattr(process.time, "process_time", lambda: 2.5)
    assert find_process_start(tmp_path) == 47.5
