"""How often the default interval of one cross-validated configuration holds, by its fold models.

Linear discriminant analysis on two normal classes, whose true accuracy is known for every model.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import earnest as en
from tests.validity.test_learner_intervals import Scene, cross_validated

RARE = 6.3e-5  # the two-sided tail beyond 4 standard deviations of a normal law


def count_held(method: str | None, n: int, p: int, apart: float, runs: int) -> tuple[int, int]:
    """Count how often the two-sided interval and the lower bound hold the mean of the models."""
    scene, both, lower = Scene(n, p, apart, seed=7), 0, 0
    for run in range(runs):
        X = scene.draw()
        pi = cross_validated(scene, X, folds=5, repeats=1)
        fold = pi.folds[:, 0]
        rules = [scene.fit(X, np.flatnonzero(fold != k)) for k in range(5)]
        truth = 1 - float(np.mean([scene.error(rule) for rule in rules]))
        asked = {} if method == "bayle_all_pairs" else {"n_resamples": 200}
        made = en.estimate(pi, method=method, metric="accuracy", rng=run, **asked)
        bound = made.at(side="lower").interval
        assert made.interval is not None
        assert bound is not None
        both += made.interval.low <= truth <= made.interval.high
        lower += bound.low <= truth
    return both, lower


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p", "apart"), [(20, 2, 2.0), (40, 5, 3.0), (100, 5, 1.2)])
def test_the_default_interval_of_one_configuration_holds_with_few_cases(
    n: int, p: int, apart: float
) -> None:
    both, lower = count_held(None, n, p, apart, 400)
    assert binom.cdf(both, 400, 0.95) >= RARE
    assert binom.cdf(lower, 400, 0.95) >= RARE


def test_the_default_holds_where_normal_limits_do_not() -> None:
    """40 cases, 60 samples: the bound of the default in 95 % or more, Bayle's in fewer.

    4 standard errors below 95 % of 60 are 50.2. In 250 samples Bayle's bound held in 88 %, which
    is why it is not the default (decision 0006); here the two are held on the same samples.
    """
    _, lower = count_held(None, 40, 5, 3.0, 60)
    _, normal = count_held("bayle_all_pairs", 40, 5, 3.0, 60)
    assert lower >= 51
    assert lower > normal
