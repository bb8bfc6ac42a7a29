"""Record PyCaret: `python -m tests.adapters.files.pycaret.make binary` (or multiclass, regression).

PyCaret 3.3.2 needs Python 3.11 or older and a NumPy that earnest does not work with, so it stands
in an environment of its own, from the root of the repository:

    uv venv --python 3.11 .venv-pycaret
    uv pip install --python .venv-pycaret/bin/python --exclude-newer 2024-07-01 pycaret==3.3.2
    .venv-pycaret/bin/python -m tests.adapters.files.pycaret.make binary

The table is what the function of the page on AutoML writes; beside it stands PyCaret's leaderboard,
the mean over the folds of what PyCaret itself computed from predictions that it throws away.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.adapters.files.data import provenance, table

FILES = Path(__file__).parent
PAGE = Path(__file__).resolve().parents[4] / "docs" / "how-to" / "from-automl.md"
MODELS = {
    "binary": ["lr", "nb", "dt"],
    "multiclass": ["lr", "knn", "dt"],
    "regression": ["lr", "knn", "dt"],
    "groups": ["lr", "nb", "dt"],
}


def read_function() -> Callable[..., None]:
    """Return the function `write_predictions` of the page on AutoML."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    (code,) = (block for block in blocks if "def write_predictions" in block)
    names: dict[str, Any] = {}
    exec(compile(code, "<PyCaret>", "exec"), names)
    found: Callable[..., None] = names["write_predictions"]
    return found


def make_experiment(task: str) -> Any:
    """Return an experiment of PyCaret whose models were compared over four folds."""
    from pycaret.classification import ClassificationExperiment
    from pycaret.regression import RegressionExperiment

    data = table("binary" if task == "groups" else task)
    more: dict[str, Any] = {}
    if task == "groups":
        data["site"] = [f"site {number % 10}" for number in range(len(data))]
        more = {"fold_strategy": "groupkfold", "fold_groups": "site"}
    experiment = RegressionExperiment() if task == "regression" else ClassificationExperiment()
    experiment.setup(
        data,
        target="outcome",
        session_id=7,
        fold=4,
        normalize=True,
        verbose=False,
        html=False,
        n_jobs=1,
        **more,
    )
    experiment.compare_models(include=MODELS[task], verbose=False)
    return experiment


def main(task: str) -> None:
    """Record one task."""
    experiment = make_experiment(task)
    groups = experiment.X_train["site"] if task == "groups" else None
    read_function()(experiment, FILES / f"{task}.csv", groups)
    board = experiment.get_leaderboard(verbose=False).drop(columns="Model")
    said = {
        "provenance": provenance("pycaret", f"pycaret.make {task}"),
        "cases": len(experiment.X_train),
        "leaderboard": board.to_dict("records"),
    }
    (FILES / f"{task}.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
