"""Run mljar-supervised on small data, and keep the text that it writes.

For example `python -m tests.adapters.files.mljar.make binary`, and for one of the other kinds
`python -m tests.adapters.files.mljar.make binary split`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.adapters.files.data import provenance, table

HERE = Path(__file__).resolve().parent

KEPT = ("predictions_*.csv", "framework.json", "ensemble.json")
DROPPED = (
    "X_path",
    "y_path",
    "results_path",
    "sample_weight_path",
)  # of the machine that it ran on


FOLDS = {"validation_type": "kfold", "k_folds": 5, "shuffle": True}
SPLIT = {"validation_type": "split", "train_ratio": 0.75, "shuffle": True}
PLAIN = {
    "mode": "Perform",
    "algorithms": ["Baseline", "Linear", "Decision Tree", "Xgboost", "LightGBM"],
    "start_random_models": 2,
    "golden_features": False,
    "features_selection": False,
    "validation_strategy": FOLDS,
}
KINDS: dict[str, dict[str, Any]] = {
    "folds": {},
    "split": {"algorithms": ["Linear", "Decision Tree"], "validation_strategy": SPLIT},
    # what the mode Compete adds to a model, on two folds
    "compete": {
        "mode": "Compete",
        "algorithms": ["LightGBM"],
        "start_random_models": 1,
        "golden_features": True,
        "features_selection": True,
        "kmeans_features": True,
        "boost_on_errors": True,
        "mix_encoding": False,
        "validation_strategy": FOLDS | {"k_folds": 2},
    },
    "repeats": {
        "algorithms": ["Linear", "Decision Tree"],
        "validation_strategy": FOLDS | {"k_folds": 2, "repeats": 2},
    },
}


def main(task: str, kind: str) -> None:
    """Fit, and copy what tells of the models."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "results"
        fitted(task, kind, folder)
        keep(folder, HERE / (task if kind == "folds" else kind), f"mljar.make {task} {kind}")


def fitted(task: str, kind: str, folder: Path) -> Any:
    """Fit a few kinds of models."""
    from supervised import AutoML

    data = table(task)
    options = PLAIN | KINDS[kind]
    strategy = options["validation_strategy"] | {"stratify": task != "regression"}
    automl = AutoML(
        **options | {"validation_strategy": strategy},
        results_path=str(folder),
        total_time_limit=3600,
        train_ensemble=True,
        stack_models=task == "binary" and kind == "folds",
        hill_climbing_steps=0,
        top_models_to_improve=1,
        explain_level=0,
        random_state=7,
        n_jobs=1,
        verbose=0,
    )
    return automl.fit(data.drop(columns="outcome"), data["outcome"])


def keep(folder: Path, to: Path, command: str) -> None:
    """Copy the text files that matter; models and figures are large and not needed."""
    shutil.rmtree(to, ignore_errors=True)
    kept = ("params.json", "data_info.json", *(f"*/{one}" for one in KEPT))
    indices = ("folds/*_validation_indices.npy", "split_validation_indices.npy")
    for pattern in (*kept, *indices):
        for path in folder.glob(pattern):
            target = to / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for path in to.rglob("*.json"):
        shorten(path)
    text = json.dumps(provenance("mljar-supervised", command), indent=1)
    (to / "provenance.json").write_text(text + "\n", encoding="utf-8")


def shorten(path: Path) -> None:
    """Leave out paths of the machine, and all of the preprocessing but the labels."""
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts.pop("results_path", None)
    for name in DROPPED:
        facts.get("validation_strategy", {}).pop(name, None)
        facts.get("params", {}).get("validation_strategy", {}).pop(name, None)
    for step in facts.get("params", {}).get("preprocessing", {}).values():
        if isinstance(step, dict):
            step.pop("results_path", None)
    if "preprocessing" in facts:
        facts["preprocessing"] = [
            {k: v for k, v in step.items() if k in ("categorical_y", "ml_task")}
            for step in facts["preprocessing"]
        ]
    facts.pop("learners", None)
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "folds")
