"""Tools that the tests of the race run in its child processes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.race.tools import Fitted, Job


def tell_rows(frame: pd.DataFrame) -> str:
    """Return a digest of some rows in their order."""
    return hashlib.sha256(frame.to_numpy(dtype=float).tobytes()).hexdigest()[:12]


def follow_a_column(job: Job, column: str = "x0", sign: float = 1.0) -> Fitted:
    """Predict by a column, and tell which rows were given."""
    said = f"{tell_rows(job.frame)} {job.task} {job.metric} {os.environ['OMP_NUM_THREADS']}"

    def predict(features: pd.DataFrame) -> object:
        assert "target" not in features
        values = sign * features[column].to_numpy(dtype=float)
        if job.task == "multiclass":
            chances = np.exp(np.outer(values, np.arange(job.outcome.nunique())))
            return chances / chances.sum(axis=1, keepdims=True)
        return values

    return Fitted(predict, 0.75, "1.2.3", low=0.5, high=1.0, naive=0.8, detail=said)


def list_what_is_seen(job: Job) -> Fitted:
    """Tell the files that a tool can see, and the columns of the rows held out."""
    folder = Path(os.environ["TMPDIR"])
    files = sorted(path.name for path in folder.iterdir() if path.suffix != ".txt")
    held_out = sorted(pd.read_parquet(folder / "test.parquet").columns)
    made = follow_a_column(job)
    return Fitted(made.predict, 0.75, "1", detail=" ".join([*files, *held_out]))


def fail(job: Job) -> Fitted:
    """Raise an error, as a tool does that cannot read a table."""
    raise ValueError("cannot read column x1")


def go_on_and_on(job: Job, note: str) -> Fitted:
    """Never end, and start a process that does not end either."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(note).write_text(str(other.pid), encoding="utf-8")
    time.sleep(600)
    raise AssertionError


def predict_nothing(job: Job) -> Fitted:
    """Predict gaps."""
    return Fitted(lambda features: np.full(len(features), np.nan), 0.9, "1")
