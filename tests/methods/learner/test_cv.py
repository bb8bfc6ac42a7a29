"""Cross-validation: the mean of folds, or of all cases for functions of sums."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from earnest import Predictions, estimate, estimate_all
from earnest.core import Estimand
from earnest.errors import EvidenceError
from earnest.methods import CV
from tests.snapshots import Golden

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 40)
SCORES = Y + RNG.normal(size=80) * 1.2
FOLD = np.arange(80) // 16
PI = Predictions.from_arrays(Y, SCORES, FOLD, response="decision")


def test_an_auc_is_the_mean_of_folds() -> None:
    each = [roc_auc_score(Y[k == FOLD], SCORES[k == FOLD]) for k in range(5)]
    made = estimate(PI, method="cv", metric="roc_auc")
    assert made.value == pytest.approx(np.mean(each), abs=1e-12)
    assert made.details.scores == pytest.approx(each, abs=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_a_function_of_sums_is_that_of_all_cases(metric: str) -> None:
    said = (SCORES > 0).astype(int)
    expected = {"accuracy": (said == Y).mean(), "f1": f1_score(Y, said)}[metric]
    made = estimate(PI, method="cv", metric=metric)
    assert made.value == pytest.approx(expected, abs=1e-12)


def test_the_mean_of_folds_can_be_asked_for() -> None:
    said = (SCORES > 0).astype(int)
    each = [f1_score(Y[k == FOLD], said[k == FOLD]) for k in range(5)]
    made = estimate(PI, method=CV(selector="mean_of_folds"), metric="f1")
    assert made.value == pytest.approx(np.mean(each), abs=1e-12)


def test_it_has_no_interval_and_is_about_the_learner() -> None:
    made = estimate(PI, method="cv", metric="accuracy")
    assert made.interval is None
    assert made.estimand == Estimand.LEARNER


def test_a_metric_without_a_value_for_a_fold_leaves_it_out_with_a_caution() -> None:
    y = np.r_[np.zeros(10), np.tile([0, 1], 20)].astype(int)
    pi = Predictions.from_arrays(y, RNG.random(50), np.arange(50) // 10)
    made = estimate(pi, method="cv", metric="roc_auc")
    assert "EN017" in {c.code for c in made.cautions}


def test_one_fold_is_refused_and_holdout_named() -> None:
    with pytest.raises(EvidenceError, match="holdout"):
        estimate(Predictions.from_arrays(Y, SCORES), method="cv", metric="roc_auc")


def test_of_several_configurations_it_is_told_that_nothing_is_corrected(golden: Golden) -> None:
    pi = Predictions.from_arrays(Y, RNG.random((80, 3)), FOLD)
    made = estimate(pi, method="cv", metric="accuracy")
    assert "EN022" in {c.code for c in made.cautions}
    golden.check_sentence(made.estimand, "as if it had")


def test_all_methods_of_several_configurations_leave_out_those_of_one_learner() -> None:
    several = Predictions.from_arrays(Y, RNG.random((80, 3)), FOLD)
    asked = estimate_all(several, metric="accuracy", n_resamples=50, rng=0)
    assert "cv" not in [*(e.method for e in asked), *asked.refused]
    alone = estimate_all(several.select(0), metric="accuracy", n_resamples=50, rng=0)
    assert "cv" in [e.method for e in alone]
