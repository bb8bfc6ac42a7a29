"""Run AutoGluon on small data, and write down what its predictor says.

For example `python -m tests.adapters.files.autogluon.make binary`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.adapters.files.data import provenance, table

HERE = Path(__file__).resolve().parent

KEPT = ("model_type", "val_in_fit", "hyperparameters", "bagged_info", "stacker_info")
BAGGED = ("child_model_type", "_n_repeats", "bagged_mode", "child_hyperparameters")


def main(task: str) -> None:
    """Fit, and record what can be asked of the predictor."""
    with tempfile.TemporaryDirectory() as folder:
        record(fitted(task, folder), HERE / task)


def fitted(task: str, folder: str) -> Any:
    """Fit seven kinds of models on five folds; the binary ones are stacked, too."""
    from autogluon.tabular import TabularPredictor

    return TabularPredictor(label="outcome", path=folder, verbosity=0).fit(
        table(task),
        num_bag_folds=5,
        num_bag_sets=1,
        num_stack_levels=int(task == "binary"),
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


def record(predictor: Any, folder: Path) -> None:
    """Write the answers of a predictor as text."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(answers(predictor), indent=1, default=str)
    (folder / "info.json").write_text(text + "\n", encoding="utf-8")
    _, internal = predictor.load_data_internal(data="train", return_X=False)
    predictor.transform_labels(internal, inverse=True).to_csv(folder / "outcome.csv")
    ask = predictor.predict_oof
    if predictor.problem_type != "regression":
        ask = predictor.predict_proba_oof
    for name in predictor.model_names():
        ask(name, internal_oof=True).to_csv(folder / f"{name}.csv", float_format="%.9g")


def answers(predictor: Any) -> dict[str, Any]:
    """Return what a predictor says of itself and of its models."""
    facts = predictor.info()
    classes = None if facts["problem_type"] == "regression" else list(predictor.class_labels)
    board = predictor.leaderboard(display=False).set_index("model")["score_val"]
    return {
        "provenance": provenance("autogluon.tabular", f"autogluon.make {facts['problem_type']}"),
        "problem_type": facts["problem_type"],
        "num_bag_folds": facts["num_bag_folds"],
        "eval_metric": facts["eval_metric"],
        "best_model": facts["best_model"],
        "leaderboard": board.to_dict(),
        "rows_given": predictor._learner._pre_X_rows,
        "class_labels": classes,
        "positive_class": predictor.positive_class if facts["num_classes"] == 2 else None,
        "model_info": {
            name: {k: _some(k, v) for k, v in one.items() if k in KEPT}
            for name, one in facts["model_info"].items()
        },
    }


def _some(key: str, value: object) -> object:
    if key == "bagged_info" and isinstance(value, dict):
        return {k: v for k, v in value.items() if k in BAGGED}
    if key == "hyperparameters" and isinstance(value, dict):
        return {k: v for k, v in value.items() if k == "use_child_oof"}
    return value


if __name__ == "__main__":
    main(sys.argv[1])
