"""Limits of a winner that one half of the cases guided and the other half judges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest.core import Guides, Seeds, Side
from earnest.inference import Contest, JudgeShares, cross_judges

N, SAMPLES, DRAWS = 200, 1000, 200


def simulate_spreads(shares: tuple[float, float, float], seed: int) -> tuple[float, float]:
    """Return the variances of value and draws of one configuration with normal terms.

    Winners all have the same term of a case, so only who judges differs. The draws of a sample vary
    about their own mean.
    """
    rng = np.random.default_rng(seed)
    halves = np.arange(N) % 2
    codes = np.repeat([0, 1, -1], np.round(np.array(shares) * DRAWS).astype(int))
    judges = halves != codes[:, None]
    draw = np.arange(len(codes))[:, None]
    values, spreads = [], []
    for _ in range(SAMPLES):
        terms = rng.standard_normal(N)
        left = judges.copy()
        left[draw, rng.integers(N, size=(len(codes), N), dtype=np.uint8)] = False
        draws = (left @ terms) / left.sum(axis=1)
        values.append(draws.mean())
        spreads.append(draws.var())
    return float(np.var(values)) * N, float(np.mean(spreads)) * N


@pytest.mark.parametrize(
    "shares", [(0.5, 0.5, 0.0), (0.8, 0.2, 0.0), (1.0, 0.0, 0.0), (0.3, 0.3, 0.4), (0, 0, 1)]
)
def test_variances_of_value_and_draws_are_those_of_simulated_means(
    shares: tuple[float, float, float],
) -> None:
    """Tolerances: four errors of a variance of 1000 values, and 4 % as N is finite."""
    value, spread = simulate_spreads(shares, 7)
    theory = JudgeShares(*shares)
    luck = 4.0 * np.sqrt(2.0 / SAMPLES)
    assert value == pytest.approx(theory.variance, rel=luck)
    assert spread == pytest.approx(theory.variance_of_draws, rel=0.04 + luck / 4.0)


def test_draws_keep_the_slack_that_they_have_without_guidance() -> None:
    """Scaled draws vary e - 1 times as much as the value, whoever judges."""
    for shares in ((0.5, 0.5, 0.0), (0.9, 0.1, 0.0), (0.2, 0.1, 0.7), (0.0, 0.0, 1.0)):
        both = JudgeShares(*shares)
        slack = both.factor**2 * both.variance_of_draws / both.variance
        assert slack == pytest.approx(np.e - 1.0)


def crossed_table(seed: int = 0, n: int = 80, configs: int = 6) -> en.Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    scores = 1 / (1 + np.exp(-(2.0 * (2 * y - 1)[:, None] + rng.standard_normal((n, configs)))))
    pi = en.Predictions.from_arrays(y, scores, np.arange(n) // 2 % 5)
    halves = (np.arange(n) // 2 % 2).astype(np.int8)
    return en.Predictions(
        target=pi.target,
        configs=pi.configs,
        responses=pi.responses,
        folds=pi.folds,
        fold_names=pi.fold_names,
        kind=pi.kind,
        guides=Guides(halves, np.array([0, 1, 0, 1, 0, -1], np.int8)),
    )


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "log_loss"])
def test_no_case_of_a_crossed_contest_judges_what_it_guided(name: str) -> None:
    pi, metric = crossed_table(), en.metric(name)
    guides = pi.guides
    assert guides is not None
    scores = np.array(
        [en.estimate(pi.select(c), metric=name, method="naive").value for c in range(6)]
    )
    best = int(np.argmax(metric.sign * scores))
    crossed = cross_judges(Contest(pi, best, scores, Seeds(0)), metric)
    assert crossed.pi.configs.ids[0] == pi.configs.ids[best]
    assert crossed.pi.guides is None
    for half in (0, 1):
        cases = guides.halves == half
        allowed = np.flatnonzero(guides.guided_by != half)
        first = allowed[np.argmax(metric.sign * scores[allowed])]
        mine, its = crossed.pi.responses[cases, 0, 0], pi.responses[cases, first, 0]
        assert (np.argsort(mine) == np.argsort(its)).all()
        if name != "roc_auc":
            np.testing.assert_array_equal(mine, its)
        y = pi.target.y[cases]
        assert roc_auc_score(y, mine) == pytest.approx(roc_auc_score(y, its))


@pytest.mark.parametrize("name", ["accuracy", "log_loss", "roc_auc"])
def test_near_a_perfect_score_every_case_counts(name: str) -> None:
    """Crossed limits are not those of half of the cases: 1.12 is the width they may have more."""
    n = 100
    y = np.tile([0, 1], n // 2)
    rng = np.random.default_rng(3)
    sure = np.clip(np.abs(y[:, None] - 0.05 * rng.random((n, 8))), 0.0, 1.0)
    pi = en.Predictions.from_arrays(y, sure, np.arange(n) // 2 % 5)
    halves = (np.arange(n) // 2 % 2).astype(np.int8)
    crossed = replace(pi, guides=Guides(halves, np.tile([0, 1], 4).astype(np.int8)))
    widths = []
    for table in (pi, crossed):
        interval = en.estimate(table, metric=name, rng=0).interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[1] <= 1.12 * widths[0]


def test_scaled_limits_are_kept_in_files() -> None:
    pi = crossed_table()
    estimate = en.estimate(pi, metric="f1", rng=0)
    again = en.results.Estimate.from_dict(estimate.to_dict(draws=True))
    assert again.at(confidence_level=0.8).interval == estimate.at(confidence_level=0.8).interval
    assert estimate.source is not None
    low, high = estimate.source.limits(0.9, Side.TWO_SIDED)
    assert low < estimate.value < high
