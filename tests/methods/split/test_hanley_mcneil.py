"""Hanley and McNeil's interval: the formula of 1982, and the one that was published."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.core import AreaLimits, Estimand, Side
from earnest.errors import MetricError
from earnest.inference import hanley_mcneil_variance
from earnest.methods import HanleyMcNeil
from earnest.testing import example_predictions
from tests.methods.split.test_delong import by_pairs, codes

Z = NormalDist().inv_cdf(0.95)


@pytest.fixture(scope="module")
def model() -> Predictions:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [40, 25])
    return Predictions.from_arrays(y, y + rng.normal(size=65) - 0.5, response="decision")


def test_the_bound_is_that_of_1982(model: Predictions) -> None:
    a, _ = by_pairs(model.target.y, model.responses[:, 0, 0])
    n1, n0, q1, q2 = 25, 40, a / (2 - a), 2 * a**2 / (1 + a)
    error = np.sqrt((a * (1 - a) + (n1 - 1) * (q1 - a**2) + (n0 - 1) * (q2 - a**2)) / (n1 * n0))
    made = estimate(model, method="hanley_mcneil", metric="roc_auc", side="lower")
    assert made.interval is not None
    assert made.interval.low == pytest.approx(a - Z * error, abs=1e-12)
    assert made.standard_error == pytest.approx(error, abs=1e-12)


def test_it_needs_nothing_of_the_scores_but_their_order(model: Predictions) -> None:
    ranks = np.argsort(np.argsort(model.responses[:, 0, 0])).astype(float)
    other = Predictions.from_arrays(model.target.y, ranks, response="decision")
    first, second = (estimate(p, method="hanley_mcneil", metric="roc_auc") for p in (model, other))
    assert first.interval == second.interval


def test_an_auc_of_one_has_width_and_a_word() -> None:
    y = np.repeat([0, 1], [30, 10])
    made = estimate(Predictions.from_arrays(y, y), method="hanley_mcneil", metric="roc_auc")
    assert made.interval is not None
    law = AreaLimits(1.0, 10, 30).limits(0.95, Side.TWO_SIDED)[0]
    assert made.interval.low == pytest.approx(law, abs=1e-12)
    assert "area_without_spread" in codes(made)


def test_groups_are_told_of_and_other_metrics_refused(grouped: Predictions) -> None:
    assert "groups_in_formula" in codes(
        estimate(grouped, method="hanley_mcneil", metric="roc_auc", rng=0)
    )
    with pytest.raises(MetricError, match="AUC of two classes"):
        estimate(example_predictions("binary"), method="hanley_mcneil", metric="f1")


# ---- the best of the top tenth


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=240, n_configs=40, response="decision")


LEARN = tuple(bool(m) for m in np.arange(240) % 4 != 1)


def test_the_bound_is_read_at_sidaks_level(pi: Predictions) -> None:
    made = estimate(
        pi, method=HanleyMcNeil(preselect=0.1, learn=LEARN), metric="roc_auc", side="lower"
    )
    m, y = len(made.details.candidates), pi.target.y[~np.array(LEARN)]
    error = np.sqrt(hanley_mcneil_variance(made.value, int(y.sum()), int((1 - y).sum())))
    assert m > 1
    assert made.interval is not None
    reach = NormalDist().inv_cdf(0.95 ** (1 / m)) * error
    counts = int(y.sum()), int((1 - y).sum())
    perfect = AreaLimits(1.0, *counts).limits(0.95 ** (1 / m), Side.LOWER)[0]
    low = min(made.value - reach, perfect)  # no better than one without an error
    assert made.interval.low == pytest.approx(low, abs=1e-9)
    assert made.estimand == Estimand.CHOSEN_ON_EVALUATION
