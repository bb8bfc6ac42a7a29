"""One run of the race, in a process of its own: `python -m benchmarks.race.child FOLDER`.

The folder has `train.parquet`, `test.parquet` without the outcome, and `job.json`. What the tool
says goes to `answer.json`, its predictions to `predictions.npy`. The outcomes of the rows held out
are not here, so that no tool can see them.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib import import_module
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd

from benchmarks.race.tools import TARGET, Fitted, Job


def main(folder: Path) -> None:
    """Fit, predict, and write both down."""
    asked = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    train = pd.read_parquet(folder / "train.parquet")
    job = Job(
        train.drop(columns=TARGET),
        train[TARGET],
        asked["task"],
        asked["metric"],
        asked["budget"],
        asked.get("cores", 1),
    )
    module, _, name = asked["function"].partition(":")
    warnings.simplefilter("ignore")
    run = getattr(import_module(module), name)
    for package in asked["imports"]:  # which is not the time of the tool's work
        import_module(package)
    began = monotonic()
    fitted: Fitted = run(job, **asked["options"])
    seconds = monotonic() - began
    began = monotonic()
    predictions = np.asarray(fitted.predict(pd.read_parquet(folder / "test.parquet")), dtype=float)
    np.save(folder / "predictions.npy", predictions)
    answer = {
        "claim": fitted.claim,
        "low": fitted.low,
        "high": fitted.high,
        "naive": fitted.naive,
        "version": fitted.version,
        "detail": fitted.detail,
        "seconds": seconds,
        "predict_seconds": monotonic() - began,
    }
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
