"""Run AutoGluon on small data, and write down what its predictor says.

For example `python -m tests.adapters.files.autogluon.make binary 1`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.adapters.files.data import table

HERE = Path(__file__).resolve().parent

KEPT = ("model_type", "val_in_fit", "hyperparameters", "bagged_info", "stacker_info")
BAGGED = ("child_model_type", "_n_repeats", "bagged_mode", "child_hyperparameters")


def main(task: str, stack_levels: int) -> None:
    """Fit with seven kinds of models and five folds, and record what can be asked of it."""
    from autogluon.tabular import TabularPredictor

    with tempfile.TemporaryDirectory() as folder:
        predictor = TabularPredictor(label="outcome", path=folder, verbosity=1).fit(
            table(task),
            num_bag_folds=5,
            num_bag_sets=1,
            num_stack_levels=stack_levels,
            hyperparameters={
                "LR": {},
                "RF": [{"n_estimators": 50}],
                "XT": [{"n_estimators": 50}],
                "KNN": [{"weights": "uniform"}, {"weights": "distance"}],
                "GBM": [{}, {"extra_trees": True, "ag_args": {"name_suffix": "XT"}}],
            },
            ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
            num_cpus=1,
            num_gpus=0,
        )
        record(predictor, HERE / task)


def record(predictor: Any, folder: Path) -> None:
    """Write the answers of a predictor as text."""
    folder.mkdir(exist_ok=True)
    facts = predictor.info()
    classes = None if facts["problem_type"] == "regression" else list(predictor.class_labels)
    kept = {
        "problem_type": facts["problem_type"],
        "num_bag_folds": facts["num_bag_folds"],
        "version": facts["version"],
        "best_model": facts["best_model"],
        "class_labels": classes,
        "positive_class": predictor.positive_class if facts["num_classes"] == 2 else None,
        "model_info": {
            name: {k: _some(k, v) for k, v in one.items() if k in KEPT}
            for name, one in facts["model_info"].items()
        },
    }
    text = json.dumps(kept, indent=1, default=str)
    (folder / "info.json").write_text(text + "\n", encoding="utf-8")
    _, internal = predictor.load_data_internal(data="train", return_X=False)
    predictor.transform_labels(internal, inverse=True).to_csv(folder / "outcome.csv")
    for name in predictor.model_names():
        oof = predictor.predict_oof(name) if classes is None else predictor.predict_proba_oof(name)
        oof.to_csv(folder / f"{name}.csv", float_format="%.9g")


def _some(key: str, value: object) -> object:
    if key == "bagged_info" and isinstance(value, dict):
        return {k: v for k, v in value.items() if k in BAGGED}
    if key == "hyperparameters" and isinstance(value, dict):
        return {k: v for k, v in value.items() if k == "use_child_oof"}
    return value


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
