"""The refined bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV

import earnest as en
from earnest.errors import InputError, MetricError
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=3)
    expected = oracles.refined(made, score)
    answer = en.estimate(made, method="refined", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


def test_the_shifted_interval_is_the_quantiles_on_own_samples_less_the_optimism() -> None:
    made = example_replicates("binary", n_cases=40, n_replicates=80, seed=4)
    answer = en.estimate(made, method="refined(interval='shifted')", metric="roc_auc")
    plain = en.estimate(made, method="refined", metric="roc_auc")
    assert plain.interval is None
    assert answer.value == plain.value
    assert answer.draws is not None
    y = made.target.y
    drawn = [
        roc_auc_score(y, p, sample_weight=counts)
        for p, counts in zip(made.responses, made.counts, strict=True)
    ]
    optimism = answer.value - roc_auc_score(y, made.apparent)
    np.testing.assert_allclose(answer.draws, np.array(drawn) + optimism, atol=1e-9)


def test_a_slope_on_the_own_sample_does_not_vary_so_that_it_has_no_such_interval() -> None:
    made = example_replicates("regression", n_cases=40, n_replicates=30, seed=4)
    with pytest.raises(MetricError):
        en.estimate(made, method="refined(interval='shifted')", metric="calibration_slope")
    with pytest.raises(InputError):
        en.estimate(made, method="refined(interval='none of these')", metric="r2")


def test_harrell_s_correction_includes_the_tuning_of_a_learner_that_tunes() -> None:
    """Every sample is searched anew: its model is fitted to it, and which of the two differs."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(int)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=3)
    made = en.bootstrap_train(search, X, y, metric="brier", n_replicates=12, rng=1)
    tuned = []
    for counts, responses in zip(made.counts, made.responses, strict=True):
        rows = np.repeat(np.arange(60), counts)
        fits = [LogisticRegression(C=C).fit(X[rows], y[rows]) for C in (0.01, 1.0)]
        away = [np.abs(responses - fit.predict_proba(X)[:, 1]).max() for fit in fits]
        assert min(away) < 1e-3  # the solver stops a little earlier for rows in another order
        tuned.append(int(np.argmin(away)))
    assert set(tuned) == {0, 1}
    answer = en.estimate(made, method="harrell", metric="brier")
    assert answer.naive == pytest.approx(brier_score_loss(y, made.apparent), abs=1e-7)
    assert answer.value > answer.naive
