"""H2O itself, from its training to an estimate; it needs a Java runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest.core.errors import EvidenceError
from tests.adapters.files.data import table

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings


@pytest.fixture(scope="module")
def frame() -> Iterator[Any]:
    import h2o

    h2o.init(nthreads=1, max_mem_size="1G", verbose=False, port=54811)
    h2o.no_progress()
    made = h2o.H2OFrame(table("binary"))
    made["outcome"] = made["outcome"].asfactor()
    yield made
    h2o.cluster().shutdown()


def trained(frame: Any, depth: int, **options: Any) -> Any:
    from h2o.estimators import H2OGradientBoostingEstimator

    model = H2OGradientBoostingEstimator(
        nfolds=4, seed=7, ntrees=10, max_depth=depth, fold_assignment="Modulo", **options
    )
    model.train(y="outcome", training_frame=frame)
    return model


KEEP = {
    "keep_cross_validation_predictions": True,
    "keep_cross_validation_fold_assignment": True,
}


def test_models_become_an_estimate(frame: Any) -> None:
    models = [trained(frame, depth, **KEEP) for depth in (1, 3)]
    pi = en.predictions_from(models)
    np.testing.assert_array_equal(pi.folds[:, 0], np.arange(120) % 4)
    for column, model in enumerate(models):
        auc = roc_auc_score(pi.target.y, pi.responses[:, column, 0])
        assert auc == pytest.approx(model.auc(xval=True), abs=1e-6)
    assert (pi.configs.params or ())[0]["max_depth"] == 1
    assert en.estimate(pi, metric="roc_auc", rng=0).value > 0.8


def test_automl_becomes_an_estimate(frame: Any) -> None:
    from h2o.automl import H2OAutoML

    automl = H2OAutoML(max_models=3, nfolds=4, seed=7, include_algos=["GLM", "DRF", "GBM"], **KEEP)
    automl.train(y="outcome", training_frame=frame)
    pi = en.predictions_from(automl)
    assert pi.n_configs == 3
    assert not pi.configs.static
    assert "EN101" in {remark.code for remark in pi.remarks}


def test_models_that_kept_nothing_are_refused(frame: Any) -> None:
    with pytest.raises(EvidenceError, match="keep_cross_validation_predictions=True"):
        en.predictions_from(trained(frame, 1))
