"""SIGTERM ends a command that trains: in order, under its code, with what is finished kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.training.interrupted import count_stored
from tests.training.tune_tables import portfolio

COMMANDS = {
    "tune": ("--portfolio", "quick.toml", "--n-configs", "5", "--repeats", "200", "--out", "run"),
    "assess": ("--model", "rf", "--n-replicates", "2000", "--store", "run.db"),
    "compare-learners": (
        "--model",
        "rf",
        "--versus",
        "svm",
        "--n-repeats",
        "200",
        "--store",
        "run.db",
    ),
}
STORES = {"tune": "run/run.db"}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    y = X[:, 0] + rng.standard_normal(300) > 0
    rows = [
        ",".join([f"{v:.4f}" for v in row] + [str(int(c))]) for row, c in zip(X, y, strict=True)
    ]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,c,d,e,y", *rows]) + "\n")
    portfolio(tmp_path)
    return tmp_path


def wait_until(true: object) -> bool:
    """Wait for something; five minutes are far more than it takes."""
    limit = time.monotonic() + 300.0
    while not true():  # type: ignore[operator]
        if time.monotonic() > limit:
            return False
        time.sleep(0.1)
    return True


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


# Each takes ten seconds: the ordinary run ends one command, whose workers hear nothing of the
# signal; the others are slow.
ORDINARY = {("tune", "the process")}


@pytest.mark.parametrize(
    ("command", "to"),
    [
        pytest.param(command, to, marks=() if (command, to) in ORDINARY else pytest.mark.slow)
        for command in COMMANDS
        for to in ("the process", "its group")
    ],
)
def test_sigterm_ends_workers_keeps_results_and_warns_of_nothing(
    command: str, to: str, here: Path
) -> None:
    store = here / STORES.get(command, "run.db")
    process = subprocess.Popen(
        [sys.executable, "-m", "earnest", command, "table.csv", "-t", "y", "--n-jobs", "2",
         "--rng", "7", *COMMANDS[command]],
        cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert wait_until(lambda: count_stored(store) >= 3 or process.poll() is not None)
    (process.send_signal if to == "the process" else lambda s: os.killpg(process.pid, s))(
        signal.SIGTERM
    )
    said = process.communicate(timeout=300)[1].decode()
    assert process.returncode == 143, said
    assert said.splitlines()[-1] == "terminated"
    assert "to continue" in said
    assert not [w for w in ("resource_tracker", "Warning", "Traceback", "leaked") if w in said]
    assert count_stored(store) >= 3
    assert wait_until(lambda: is_gone(process.pid))
