"""The nested cross-validation interval: algorithm 1 by loops, its bounds and its refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from earnest import NestedPredictions, Predictions, estimate
from earnest.errors import EvidenceError, MetricError
from earnest.methods import BatesNCV
from earnest.results import Estimate
from tests.methods.learners import cross_validated, line_data, nested_ridge, random_folds, ridge

NESTED = nested_ridge()


def slow(n: int, folds: int, repeats: int, seed: int) -> dict[str, float]:
    """Return algorithm 1 by plain loops, training every model where it is needed."""
    X, y = line_data(n, seed)
    codes = random_folds(n, folds, repeats, seed)
    a_list, b_list, inner_errors, outer_errors = [], [], [], []
    for r in range(repeats):
        for k in range(folds):
            hold = codes[:, r] == k
            out = (ridge(X[~hold], y[~hold], X[hold]) - y[hold]) ** 2
            inner = []
            for j in range(folds):
                if j != k:
                    test = codes[:, r] == j
                    train = ~hold & ~test
                    inner.extend((ridge(X[train], y[train], X[test]) - y[test]) ** 2)
            a_list.append((np.mean(inner) - out.mean()) ** 2)
            b_list.append(out.var(ddof=1) / len(out))
            inner_errors.extend(inner)
            outer_errors.extend(out)
    mse = np.mean(a_list) - np.mean(b_list)
    naive = np.std(outer_errors, ddof=1) / np.sqrt(n)
    se = np.sqrt(max(mse, 0) * (folds - 1) / folds)
    value = np.mean(inner_errors)
    bias = (1 + (folds - 2) / folds) * (value - np.mean(outer_errors))
    return {
        "value": value - bias,
        "se": min(max(se, naive), np.sqrt(folds) * naive),
        "mse": mse,
        "cv": float(np.mean(outer_errors)),
    }


@pytest.mark.parametrize(("n", "folds", "repeats", "seed"), [(40, 5, 3, 0), (31, 4, 2, 1)])
def test_it_is_algorithm_1(n: int, folds: int, repeats: int, seed: int) -> None:
    expected = slow(n, folds, repeats, seed)
    made = estimate(nested_ridge(n, folds, repeats, seed), method="bates_ncv", metric="mse")
    assert made.value == pytest.approx(expected["value"], rel=1e-10)
    assert made.standard_error == pytest.approx(expected["se"], rel=1e-10)
    assert made.details.mean_squared_error == pytest.approx(expected["mse"], rel=1e-8)
    assert made.naive == pytest.approx(expected["cv"], rel=1e-10)


def test_without_the_correction_it_is_the_cross_validated_value() -> None:
    made = estimate(NESTED, method=BatesNCV(bias_correction=False), metric="mse")
    assert made.value == pytest.approx(made.naive, rel=1e-12)
    assert "extrapolated linearly" not in made.estimand
    assert "extrapolated linearly" in estimate(NESTED, method="bates_ncv", metric="mse").estimand


def test_the_error_lies_between_that_of_a_mean_and_sqrt_k_times_it() -> None:
    for seed in range(6):
        made = estimate(nested_ridge(seed=seed), method="ncv", metric="mse").details
        bounds = made.naive_error * (1 - 1e-12), np.sqrt(5) * made.naive_error * (1 + 1e-12)
        assert bounds[0] <= made.standard_error <= bounds[1]
        assert 1 - 1e-9 <= made.inflation <= np.sqrt(5) + 1e-9


def test_an_error_that_was_brought_back_is_told_of() -> None:
    found = [estimate(nested_ridge(seed=s), method="ncv", metric="mse") for s in range(6)]
    for made in found:
        bound = made.details.standard_error != made.details.measured_error
        assert ("EN086" in {c.code for c in made.cautions}) == bound
    assert any("EN086" in {c.code for c in made.cautions} for made in found)


def test_few_repeats_are_told_of_and_json_keeps_the_limits() -> None:
    made = estimate(NESTED, method="bates_ncv", metric="mse")
    assert "EN018" in {c.code for c in made.cautions}
    assert made.provenance.fingerprint == NESTED.fingerprint
    assert Estimate.from_dict(made.to_dict()).at(side="upper") == made.at(side="upper")


@pytest.mark.parametrize("metric", ["r2", "rmse"])
def test_metrics_that_are_no_means_are_refused(metric: str) -> None:
    with pytest.raises(MetricError, match="corrected_t"):
        estimate(NESTED, method="bates_ncv", metric=metric)


def test_predictions_without_an_inside_are_refused_with_the_way_to_train() -> None:
    with pytest.raises(EvidenceError, match="assess"):
        estimate(NESTED.outer, method="bates_ncv", metric="mse")


def test_two_folds_leave_nothing_to_train_on_inside() -> None:
    X, y = line_data(20)
    codes = random_folds(20, 2, 1)
    outer = Predictions.from_arrays(y, cross_validated(X, y, codes), codes)
    inner = []
    for k in range(2):
        held = codes == k
        inner.append(
            Predictions.from_arrays(y, np.where(held, np.nan, 0.1), np.where(held, -1, codes))
        )
    with pytest.raises(EvidenceError, match="3 folds"):
        estimate(NestedPredictions(outer, (tuple(inner),)), method="bates_ncv", metric="mse")


def test_exact_predictions_get_no_point_for_an_interval() -> None:
    def exact(part: Predictions) -> Predictions:
        truth = np.where(np.isnan(part.responses), np.nan, part.target.y[:, None, None])
        return replace(part, responses=truth)

    made = NestedPredictions(
        exact(NESTED.outer), tuple(tuple(map(exact, row)) for row in NESTED.inner)
    )
    found = estimate(made, method="bates_ncv", metric="mse")
    assert found.value == 0.0
    assert found.interval is not None
    assert found.interval.high == np.inf
    assert "EN035" in {c.code for c in found.cautions}
