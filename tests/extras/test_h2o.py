"""H2O itself, from its training to an estimate; it needs a Java runtime."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest.errors import EvidenceError, InputError
from tests.adapters import laws, replays
from tests.adapters.files.data import table
from tests.adapters.files.h2o import make

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings

KEPT = {"keep_cross_validation_predictions": True}
KEEP = KEPT | {"keep_cross_validation_fold_assignment": True}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import h2o

    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])  # each has a cluster of its own
    h2o.init(nthreads=1, max_mem_size="1G", verbose=False, port=54811 + 10 * worker)
    h2o.no_progress()
    yield h2o
    h2o.cluster().shutdown()


@pytest.fixture(scope="module", params=laws.TASKS)
def live(request: pytest.FixtureRequest, cluster: Any) -> tuple[Any, str]:
    """An AutoML trained as the recorded ones were, and its task."""
    return make.trained(request.param), request.param


@pytest.mark.parametrize("law", laws.H2O)
def test_the_tool_keeps_the_laws_of_its_recordings(
    live: tuple[Any, str], law: Callable[[Any, str], None]
) -> None:
    law(*live)


def test_a_recording_reads_as_the_run_that_it_is_of(
    live: tuple[Any, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    automl, task = live
    make.record(automl, tmp_path / f"{task}.json", task)
    recorded = replays.H2OAutoML(tmp_path / f"{task}.json")
    now = en.predictions_from(automl)
    monkeypatch.setitem(sys.modules, "h2o", recorded)  # whose functions a reader calls
    laws.reads_alike(now, en.predictions_from(recorded))


def test_what_is_recorded_is_what_would_be_recorded_now(live: tuple[Any, str]) -> None:
    automl, task = live
    old, now = replays.H2OAutoML(task).facts, make.answers(automl, task)
    assert set(old) == set(now)
    assert old["leaderboard"][0] == now["leaderboard"][0]
    params = {one["algo"]: one for one in now["models"]}
    for one in old["models"]:
        assert one["algo"] in params
        for part in ("params", "actual_params", "default_params"):
            assert set(one[part]) == set(params[one["algo"]][part])


# ---- what the recordings do not have


def framed(data: pd.DataFrame, *, factor: bool = True) -> Any:
    import h2o

    made = h2o.H2OFrame(data)
    if factor:
        made["outcome"] = made["outcome"].asfactor()
    return made


@pytest.fixture(scope="module")
def frame(cluster: Any) -> Any:
    return framed(table("binary"))


def trained(frame: Any, depth: int, *, folds: str | None = "Modulo", **options: Any) -> Any:
    from h2o.estimators import H2OGradientBoostingEstimator

    dealt = {} if folds is None else {"nfolds": 4, "fold_assignment": folds}
    model = H2OGradientBoostingEstimator(seed=7, ntrees=10, max_depth=depth, **dealt, **options)
    model.train(y="outcome", training_frame=frame)
    return model


def test_models_become_an_estimate(frame: Any) -> None:
    models = [trained(frame, depth, **KEEP) for depth in (1, 3)]
    pi = en.predictions_from(models)
    np.testing.assert_array_equal(pi.folds[:, 0], np.arange(120) % 4)
    for column, model in enumerate(models):
        auc = roc_auc_score(pi.target.y, pi.responses[:, column, 0])
        assert auc == pytest.approx(model.auc(xval=True), abs=1e-6)
    assert (pi.configs.params or ())[0]["max_depth"] == 1
    assert en.estimate(pi, metric="roc_auc", rng=0).value > 0.8


def test_a_grid_is_read_like_its_models(frame: Any) -> None:
    from h2o.estimators import H2OGradientBoostingEstimator
    from h2o.grid.grid_search import H2OGridSearch

    base = H2OGradientBoostingEstimator(
        seed=7, ntrees=5, nfolds=3, fold_assignment="Modulo", **KEEP
    )
    grid = H2OGridSearch(base, {"max_depth": [1, 2]})
    with pytest.raises(EvidenceError, match="no models"):
        en.predictions_from(grid)
    grid.train(y="outcome", training_frame=frame)
    pi = en.predictions_from(grid)
    assert (pi.n_configs, pi.n_folds, pi.configs.static) == (2, 3, True)


def test_what_kept_nothing_or_was_not_trained_is_refused(frame: Any) -> None:
    from h2o.automl import H2OAutoML
    from h2o.estimators import H2OGradientBoostingEstimator

    with pytest.raises(EvidenceError, match="keep_cross_validation_predictions=True"):
        en.predictions_from(trained(frame, 1))
    with pytest.raises(InputError, match="not trained"):
        en.predictions_from(H2OAutoML(max_models=2))
    with pytest.raises(InputError, match="not trained"):
        en.predictions_from(H2OGradientBoostingEstimator())


def test_folds_are_known_from_how_they_were_made(frame: Any) -> None:
    turns = en.predictions_from(trained(frame, 1, **KEPT))
    np.testing.assert_array_equal(turns.folds[:, 0], np.arange(120) % 4)
    drawn = en.predictions_from(trained(frame, 1, folds="Random", **KEPT))
    assert "folds_unknown" in {remark.kind for remark in drawn.remarks}
    clinics = framed(table("binary").assign(clinic=[f"clinic {i % 3}" for i in range(120)]))
    clinics["clinic"] = clinics["clinic"].asfactor()
    for keep in (KEEP, KEPT):
        pi = en.predictions_from(trained(clinics, 1, folds=None, fold_column="clinic", **keep))
        assert pi.n_folds == 3


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_rows_of_no_weight_are_left_out(cluster: Any, task: str) -> None:
    """H2O writes zeros for them, which look like predictions."""
    data = table(task)
    data["w"] = np.where(np.arange(len(data)) % 5 == 0, 0.0, 2.0)
    frame = framed(data, factor=task == "binary")  # H2O removes a frame that no name holds
    model = trained(frame, 1, weights_column="w", **KEEP)
    pi = en.predictions_from(model, groups=np.arange(len(data)) // 2)
    assert pi.n_cases == np.sum(data["w"] > 0)
    told = {remark.kind: remark.what for remark in pi.remarks}
    assert "a weight of 0" in told["cases_left_out_by_tool"]
    assert "tool_weighted" in told
    if task == "regression":  # with equal weights the others count alike
        error = np.mean((pi.target.y - pi.responses[:, 0, 0]) ** 2)
        assert error == pytest.approx(model.mse(xval=True), rel=1e-6)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_rows_without_an_outcome_are_left_out(cluster: Any, task: str, tmp_path: Path) -> None:
    data = table(task)
    data["outcome"] = data["outcome"].where(np.arange(len(data)) % 9 != 0)
    data.to_csv(tmp_path / "data.csv", index=False)
    frame = cluster.import_file(str(tmp_path / "data.csv"))
    if task == "binary":
        frame["outcome"] = frame["outcome"].asfactor()
    model = trained(frame, 1, **KEEP)
    alone, given = en.predictions_from(model), en.predictions_from(model, data["outcome"])
    assert alone.fingerprint == given.fingerprint
    assert alone.n_cases == data["outcome"].notna().sum()
    assert "cases_left_out_by_tool" in {remark.kind for remark in alone.remarks}


def test_labels_come_back_as_they_were(cluster: Any) -> None:
    yes = table("binary")["outcome"] == "benign"
    odd = framed(table("binary").assign(outcome=np.where(yes, 'not "bad", fine', "übel")))
    pi = en.predictions_from(trained(odd, 1, **KEEP))
    assert pi.target.classes == ('not "bad", fine', "übel")
    coded = table("binary").assign(outcome=np.where(yes, 1, 0))
    frame = framed(coded)
    model = trained(frame, 1, **KEEP)
    assert en.predictions_from(model, coded["outcome"]).target.classes == (0, 1)
    other = en.predictions_from(model, positive=0)
    assert other.target.classes == ("1", "0")  # the last is positive
    with pytest.raises(InputError, match="differs from the outcome"):
        en.predictions_from(model, 1 - coded["outcome"])


def test_a_model_that_was_saved_needs_the_outcome(cluster: Any, tmp_path: Path) -> None:
    data = table("binary")
    frame = framed(data)
    model = trained(frame, 1, **KEEP)
    before = en.predictions_from(model)
    path = cluster.save_model(model, str(tmp_path), export_cross_validation_predictions=True)
    cluster.remove_all()
    loaded = cluster.load_model(path)
    with pytest.raises(InputError, match="in the cluster"):
        en.predictions_from(loaded)
    np.testing.assert_array_equal(
        en.predictions_from(loaded, data["outcome"]).responses, before.responses
    )
