"""Scorers that name classes give what scikit-learn gives, whatever the labels are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

from earnest import Predictions
from earnest.errors import InputError, MetricError
from earnest.kernels import score_table
from earnest.metrics import metric
from earnest.resampling import Weights
from tests.snapshots import Golden

Values = NDArray[Any]
TOLERANCE = 1e-12  # the same function on the same rows, but for the order of its sums
CASES = np.arange(60)
CHANCES = np.random.default_rng(3).dirichlet(np.ones(3), 60)  # any seed
THREE = np.array(["x", "y", "z"])[CASES % 3]
TWO = np.array(["sick", "well"])[CASES % 2]


def value_of(pi: Predictions, scorer: Any) -> float:
    return float(score_table(pi, metric(scorer).on(pi.target.task), Weights.ones(60))[0, 0])


@pytest.mark.parametrize("labels", [["x", "z"], np.array(["z"]), ("y", "x")])
@pytest.mark.parametrize("function", [sk.f1_score, sk.precision_score, sk.jaccard_score])
def test_labels_of_a_scorer_are_the_user_s_own(function: Any, labels: Any) -> None:
    pi = Predictions.from_arrays(THREE, CHANCES[:, None, None])
    guess = np.array(["x", "y", "z"])[CHANCES.argmax(axis=1)]
    asked = {"labels": labels, "average": "macro", "zero_division": 0}
    expected = function(THREE, guess, **asked)
    assert value_of(pi, sk.make_scorer(function, **asked)) == pytest.approx(expected, abs=TOLERANCE)


def test_labels_beside_probabilities_change_nothing() -> None:
    pi = Predictions.from_arrays(THREE, CHANCES[:, None, None])
    given = {"response_method": "predict_proba", "greater_is_better": False}
    scorer = sk.make_scorer(sk.log_loss, labels=["x", "y", "z"], **given)
    assert value_of(pi, scorer) == pytest.approx(sk.log_loss(THREE, CHANCES), abs=TOLERANCE)


@pytest.mark.parametrize("positive", ["sick", "well"])
@pytest.mark.parametrize("asked", ["sick", "well"])
def test_pos_label_is_that_class_whichever_is_the_positive_one(positive: str, asked: str) -> None:
    pi = Predictions.from_arrays(TWO, CHANCES[:, 0], positive=positive)
    other = "well" if positive == "sick" else "sick"
    guess = np.where(CHANCES[:, 0] > 0.5, positive, other)
    expected = sk.f1_score(TWO, guess, pos_label=asked)
    assert value_of(pi, sk.make_scorer(sk.f1_score, pos_label=asked)) == pytest.approx(
        expected, abs=TOLERANCE
    )
    zero = Predictions.from_arrays(CASES % 2, CHANCES[:, 0], positive=0)
    one = sk.f1_score(CASES % 2, CHANCES[:, 0] <= 0.5, pos_label=1)
    assert value_of(zero, sk.make_scorer(sk.f1_score, pos_label=1)) == pytest.approx(
        one, abs=TOLERANCE
    )


@pytest.mark.parametrize("function", [sk.brier_score_loss, sk.average_precision_score])
def test_scores_of_one_class_are_not_judged_as_those_of_the_other(
    function: Any, golden: Golden
) -> None:
    pi = Predictions.from_arrays(TWO, CHANCES[:, 0], positive="sick")
    given: dict[str, Any] = {"response_method": "predict_proba"}
    right = sk.make_scorer(function, pos_label="sick", **given)
    expected = function(TWO, CHANCES[:, 0], pos_label="sick")
    assert value_of(pi, right) == pytest.approx(expected, abs=TOLERANCE)
    with pytest.raises(MetricError, match="are about different classes"):
        value_of(pi, sk.make_scorer(function, pos_label="well", **given))
    with golden.raises(MetricError):
        value_of(pi, sk.make_scorer(function, pos_label=1, **given))


def test_weights_in_a_scorer_are_refused() -> None:
    with pytest.raises(InputError, match="has `sample_weight`"):
        metric(sk.make_scorer(sk.accuracy_score, sample_weight=np.ones(60)))


def test_a_function_by_the_name_of_another_is_not_taken_for_it() -> None:
    def accuracy_score(y: Values, guess: Values) -> float:
        return 0.125

    pi = Predictions.from_arrays(TWO, CHANCES[:, 0], positive="sick")
    assert value_of(pi, sk.make_scorer(accuracy_score)) == 0.125
    assert value_of(pi, accuracy_score) == 0.125


def test_what_a_function_says_against_the_data_is_told() -> None:
    pi = Predictions.from_arrays(THREE, CHANCES[:, None, None])
    with pytest.raises(MetricError, match="average='binary'"):
        value_of(pi, sk.make_scorer(sk.jaccard_score))
