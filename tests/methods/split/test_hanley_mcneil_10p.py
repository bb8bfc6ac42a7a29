"""Hanley and McNeil's interval for the best of the top tenth."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.core.results.interval import AreaLimits
from earnest.core.results.specs import Estimand, Side
from earnest.inference.limits.auc import hanley_mcneil_variance
from earnest.methods import HanleyMcNeil10p
from earnest.testing import example_predictions


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=240, n_configs=40, response="decision")


LEARN = tuple(bool(m) for m in np.arange(240) % 4 != 1)


def test_the_bound_is_read_at_sidaks_level(pi: Predictions) -> None:
    made = estimate(pi, method=HanleyMcNeil10p(learn=LEARN), metric="roc_auc", side="lower")
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


def test_as_published_forgets_the_adjustment(pi: Predictions) -> None:
    method = HanleyMcNeil10p(learn=LEARN, variant="as_published")
    made = estimate(pi, method=method, metric="roc_auc", side="lower")
    assert len(made.details.candidates) > 1
    assert made.interval is not None
    assert made.standard_error is not None
    reach = NormalDist().inv_cdf(0.95) * made.standard_error
    assert made.interval.low == pytest.approx(made.value - reach, abs=1e-9)
