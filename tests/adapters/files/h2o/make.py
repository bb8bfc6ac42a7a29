"""Run H2O on small data, and write down what its models say.

For example `python -m tests.adapters.files.h2o.make binary`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.adapters.files.data import provenance, table

HERE = Path(__file__).resolve().parent


def main(task: str) -> None:
    """Let AutoML train five models, and record them."""
    import h2o

    h2o.init(nthreads=1, max_mem_size="2G", verbose=False, port=54799)
    h2o.no_progress()
    try:
        record(trained(task), HERE / f"{task}.json", task)
    finally:
        h2o.cluster().shutdown()


def trained(task: str) -> Any:
    """Let AutoML train five models with kept predictions, in a cluster that runs."""
    import h2o
    from h2o.automl import H2OAutoML

    frame = h2o.H2OFrame(table(task))
    if task != "regression":
        frame["outcome"] = frame["outcome"].asfactor()
    automl = H2OAutoML(
        max_models=5,
        seed=7,
        nfolds=5,
        exclude_algos=["DeepLearning"],
        keep_cross_validation_predictions=True,
        keep_cross_validation_fold_assignment=True,
    )
    automl.train(y="outcome", training_frame=frame)
    return automl


def record(automl: Any, path: Path, task: str) -> None:
    """Write the leaderboard, the outcome, and the answers of every model as text."""
    text = json.dumps(answers(automl, task))
    path.write_text(text + "\n", encoding="utf-8")


def answers(automl: Any, task: str) -> dict[str, Any]:
    """Return what AutoML and its models say."""
    import h2o

    rows = automl.leaderboard.as_data_frame(use_pandas=False)
    models = [h2o.get_model(row[0]) for row in rows[1:]]
    frame = h2o.get_frame(models[0].actual_params["training_frame"])["outcome"]
    return {
        "provenance": provenance("h2o", f"h2o.make {task}"),
        "leaderboard": rows,
        "outcome": frame.as_data_frame(use_pandas=False),
        "type": frame.types["outcome"],
        "models": [described(model) for model in models],
    }


def described(model: Any) -> dict[str, Any]:
    """Return what one model says of itself."""
    held = model.cross_validation_holdout_predictions()
    fold = None if held is None else model.cross_validation_fold_assignment()
    plain = (bool, int, float, str, type(None))
    return {
        "model_id": model.model_id,
        "algo": model.algo,
        "params": {
            name: {kind: v for kind, v in one.items() if isinstance(v, plain)}
            for name, one in model.params.items()
        },
        "actual_params": {k: v for k, v in model.actual_params.items() if isinstance(v, plain)},
        "default_params": {k: v for k, v in model.default_params.items() if isinstance(v, plain)},
        "names": None if held is None else list(held.names),
        "predictions": None if held is None else held.as_data_frame(use_pandas=False),
        "folds": None if fold is None else fold.as_data_frame(use_pandas=False),
    }


if __name__ == "__main__":
    main(sys.argv[1])
