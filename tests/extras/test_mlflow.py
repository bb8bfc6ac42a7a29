"""MLflow itself: what is logged can be read back from its store."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import earnest as en

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings


def test_an_estimate_is_read_back_from_a_run(tmp_path: Path, binary: en.Predictions) -> None:
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    place = mlflow.create_experiment("honest", artifact_location=(tmp_path / "files").as_uri())
    page = tmp_path / "page.html"
    page.write_text("<p>", encoding="utf-8")
    made = en.estimate(binary, metric="roc_auc", rng=3)
    with mlflow.start_run(experiment_id=place) as run:
        assert en.results.log_estimate(made, report=page) == run.info.run_id
    found = mlflow.get_run(run.info.run_id).data
    assert found.metrics == pytest.approx(made.to_metrics())
    assert found.tags["earnest.method"] == "bbc"
    text = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/earnest/estimate.json")
    assert en.results.Estimate.from_dict(json.loads(text)).value == made.value
    assert mlflow.artifacts.load_text(f"{run.info.artifact_uri}/earnest/page.html") == "<p>"


@pytest.mark.parametrize("scaled", [False, True])
def test_autologging_records_the_winner_of_a_search_and_its_corrected_score(
    tmp_path: Path, scaled: bool
) -> None:
    import mlflow
    import mlflow.sklearn
    from sklearn.datasets import load_breast_cancer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    tree, name = DecisionTreeClassifier(random_state=0), "max_depth"
    if scaled:
        tree, name = make_pipeline(StandardScaler(), tree), "decisiontreeclassifier__max_depth"
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    place = mlflow.create_experiment("search", artifact_location=(tmp_path / "files").as_uri())
    X, y = load_breast_cancer(return_X_y=True)
    mlflow.sklearn.autolog()
    try:
        with mlflow.start_run(experiment_id=place) as run:
            search = en.SearchCV(tree, {name: [1, 3, 5]}, cv=3).fit(X[:150], y[:150])
    finally:
        mlflow.sklearn.autolog(disable=True)
    found = mlflow.get_run(run.info.run_id)
    assert found.data.params == {f"best_{name}": str(search.best_params_[name])}
    assert found.data.metrics == pytest.approx(search.estimate_.to_metrics())
    assert len(mlflow.search_runs([place])) == 1
    model = mlflow.sklearn.load_model(f"runs:/{run.info.run_id}/best_estimator")
    assert type(model) is type(search.best_estimator_)
    np.testing.assert_array_equal(model.predict_proba(X), search.predict_proba(X))
