"""Limits of a winner that one half of the cases guided and the other half judges."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import r2_score, roc_auc_score

import earnest as en
from earnest.core import Guides, Seeds, Side
from earnest.inference import Contest, JoinedScores, JudgeShares, choose_winners, cross_judges
from earnest.resampling import Weights
from earnest.rules import Pooled

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


def numbers_table(codes: list[int], seed: int = 0, n: int = 50) -> en.Predictions:
    """Return predictions of numbers by configurations of unlike errors, guided by halves."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    scores = y[:, None] + rng.uniform(0.6, 1.0, len(codes)) * rng.standard_normal((n, len(codes)))
    pi = en.Predictions.from_arrays(y, scores, np.arange(n) % 5)
    halves = (np.arange(n) // 5 % 2).astype(np.int8)
    return replace(pi, guides=Guides(halves, np.array(codes, np.int8)))


def test_joined_scores_are_those_of_a_plain_loop() -> None:
    """The best in-bag that a half did not guide predicts what is left out of that half."""
    codes, metric = [0, 1, 0, 1, -1, 1, 0], en.metric("r2")
    pi = numbers_table(codes)
    y, p, guides = pi.target.y, pi.responses[:, :, 0], pi.guides
    assert guides is not None
    counts = np.random.default_rng(1).multinomial(50, np.full(50, 0.02), 40).astype(np.uint8)

    def choose(some: en.Predictions, inbag: Weights) -> np.ndarray:
        return choose_winners(some, metric, inbag, Pooled())

    table = JoinedScores(pi, metric, choose)(Weights(counts))
    pairs, scores = [], []
    for count in counts:
        inside = np.repeat(np.arange(50), count)
        pair = [
            max(
                (c for c in range(len(codes)) if codes[c] != half),
                key=lambda c: r2_score(y[inside], p[inside, c]),
            )
            for half in (0, 1)
        ]
        pairs.append(np.where(guides.halves == 0, p[:, pair[0]], p[:, pair[1]]))
        left = count == 0
        scores.append(r2_score(y[left], pairs[-1][left]))
    np.testing.assert_allclose(table[:, 0], scores, atol=1e-12)
    dealt = [pairs[-1], *pairs[:-1]]  # the winner of the one before, as 40 are one block
    effects = [
        r2_score(y[count == 0], mine[count == 0]) - r2_score(y, mine)
        for count, mine in zip(counts, dealt, strict=True)
    ]
    np.testing.assert_allclose(table[:, 1], effects, atol=1e-12)


def test_draws_are_joined_where_a_score_is_no_mean_and_both_halves_are_judged() -> None:
    pi = numbers_table([0, 1, -1])
    assert JoinedScores.fit(pi, en.metric("r2"))
    assert not JoinedScores.fit(pi, en.metric("mse"))  # a mean over cases
    assert not JoinedScores.fit(replace(pi, guides=None), en.metric("r2"))
    assert not JoinedScores.fit(numbers_table([0, 0, 0]), en.metric("r2"))  # half 0 has no judge
    assert JoinedScores.fit(crossed_table(), en.metric("f1"))
    assert not JoinedScores.fit(crossed_table(), en.metric("roc_auc"))


@pytest.mark.parametrize("metric", ["r2", "pearson", "explained_variance"])
def test_where_all_predict_the_same_joined_draws_are_those_without_guidance(metric: str) -> None:
    """So they have the slack of ordinary ones; raw draws on half of the cases spread more."""
    pi = numbers_table([-1, 0, 1, 0])
    alike = replace(pi, responses=np.repeat(np.asarray(pi.responses[:, :1]), 4, axis=1))
    bbc = en.methods.BBC(n_resamples=100)
    crossed, plain = (
        en.estimate(table, metric=metric, method=bbc, rng=0)
        for table in (alike, replace(alike, guides=None))
    )
    assert (crossed.guide, plain.guide) == ("crossed", None)
    assert crossed.value == pytest.approx(plain.value, abs=1e-9)
    assert crossed.interval is not None
    assert plain.interval is not None
    for low, high in zip(
        (crossed.interval.low, crossed.interval.high),
        (plain.interval.low, plain.interval.high),
        strict=True,
    ):
        assert low == pytest.approx(high, abs=1e-9)


def test_where_one_half_judges_alone_distances_are_those_of_joined_draws_times_root_two() -> None:
    pi = numbers_table([0, 1, 1])
    assert pi.guides is not None
    responses = np.asarray(pi.responses).copy()
    responses[:, 0] = pi.target.y[:, None] + 0.05 * responses[:, 0]  # it wins every resample
    led = replace(pi, responses=responses)
    estimate = en.estimate(led, metric="r2", method=en.methods.BBC(n_resamples=100), rng=0)
    shares = JudgeShares.of(pi.guides, estimate.details.winners)
    assert shares.variance == 2.0
    assert estimate.source is not None
    assert '"factor": 1.41421' in json.dumps(estimate.source.to_dict(draws=False))
