"""The data sets of the recorded runs, all from scikit-learn, and where a recording is from."""

from __future__ import annotations

import datetime as dt
import platform
from importlib.metadata import version
from typing import Any

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris


def table(task: str) -> Any:
    """Return a pandas table with the column `outcome`."""
    if task == "binary":
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        X, y = X.iloc[:120, :6], y.iloc[:120].map({0: "malignant", 1: "benign"})
    elif task == "multiclass":
        X, y = load_iris(return_X_y=True, as_frame=True)
        names = {0: "setosa", 1: "versicolor", 2: "virginica"}
        X, y = X.iloc[::2].reset_index(drop=True), y.iloc[::2].reset_index(drop=True).map(names)
    else:
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        X, y = X.iloc[:100], y.iloc[:100]
    return X.assign(outcome=y)


def provenance(tool: str, command: str) -> dict[str, str]:
    """Return what made a recording: the command, the versions, and when."""
    names = (tool, "numpy", "pandas", "scikit-learn")
    day = dt.datetime.now(dt.UTC).date().isoformat()
    return {"command": f"python -m tests.adapters.files.{command}", "date": day} | {
        "python": platform.python_version(),
        **{name: version(name) for name in names},
    }
