"""Run mljar-supervised on small data, and keep the text that it writes.

For example `python -m tests.adapters.files.mljar.make binary`, and for a single split
`python -m tests.adapters.files.mljar.make binary split`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from tests.adapters.files.data import table

HERE = Path(__file__).resolve().parent

KEPT = ("predictions_*.csv", "framework.json", "ensemble.json")
DROPPED = ("X_path", "y_path", "results_path")  # of the machine that it ran on


FOLDS = {"validation_type": "kfold", "k_folds": 5, "shuffle": True}
SPLIT = {"validation_type": "split", "train_ratio": 0.75, "shuffle": True}
MODELS = ["Baseline", "Linear", "Decision Tree", "Xgboost", "LightGBM"]


def main(task: str, *, split: bool) -> None:
    """Fit a few kinds of models on five folds or one split, and copy what tells of them."""
    from supervised import AutoML

    data = table(task)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "results"
        AutoML(
            results_path=str(folder),
            total_time_limit=900,
            mode="Perform",
            algorithms=MODELS[1:3] if split else MODELS,
            train_ensemble=True,
            stack_models=task == "binary" and not split,
            start_random_models=2,
            hill_climbing_steps=0,
            top_models_to_improve=1,
            golden_features=False,
            features_selection=False,
            explain_level=0,
            random_state=7,
            validation_strategy=(SPLIT if split else FOLDS) | {"stratify": task != "regression"},
            n_jobs=1,
        ).fit(data.drop(columns="outcome"), data["outcome"])
        keep(folder, HERE / ("split" if split else task))


def keep(folder: Path, to: Path) -> None:
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


def shorten(path: Path) -> None:
    """Leave out paths of the machine, and all of the preprocessing but the labels."""
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts.pop("results_path", None)
    for name in DROPPED:
        facts.get("validation_strategy", {}).pop(name, None)
        facts.get("params", {}).get("validation_strategy", {}).pop(name, None)
    if "preprocessing" in facts:
        facts["preprocessing"] = [
            {k: v for k, v in step.items() if k in ("categorical_y", "ml_task")}
            for step in facts["preprocessing"]
        ]
    facts.pop("learners", None)
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], split="split" in sys.argv)
