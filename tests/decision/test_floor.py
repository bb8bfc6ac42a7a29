"""How much of the best of many scores is luck."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

import earnest as en
from earnest.decision.luck import ErrorKind, ScoreLaw, both_below, expected_maximum
from earnest.errors import EarnestError
from tests.snapshots import Golden

# `selection_floor(k, n, p)` of evalfloor 0.3.0, seed 0: means of 4,000 simulated searches, whose
# spread is about .45 standard errors of a score.
EVALFLOOR = {
    (30, 200, 0.62): 0.06884374999999998,
    (10, 50, 0.5): 0.10982000000000003,
    (100, 1319, 0.9): 0.020116944655041658,
    (5, 30, 0.3): 0.09789166666666665,
}


@pytest.mark.parametrize("case", EVALFLOOR)
def test_independent_proportions_have_the_floor_of_evalfloor(case: tuple[int, int, float]) -> None:
    tries, n, p = case
    law = ScoreLaw(law=ErrorKind.PROPORTION, n=n)
    tolerance = 4 * 0.6 * math.sqrt(p * (1 - p) / n / 4_000)
    assert law.expected_luck(p, tries, 0.0) == pytest.approx(EVALFLOOR[case], abs=tolerance)


def simulate(law: str, correlation: float, runs: int = 1_500) -> tuple[float, float]:
    """Return the mean luck of the best of 30 equal tries on 200 cases, and its error."""
    rng = np.random.default_rng([3, round(100 * correlation)])
    luck = []
    for _ in range(runs):
        noise = math.sqrt(correlation) * rng.standard_normal((200, 1))
        noise = noise + math.sqrt(1 - correlation) * rng.standard_normal((200, 30))
        scores = (
            (noise <= ndtri(0.62)).mean(axis=0) - 0.62 if law == "proportion" else noise.mean(0)
        )
        luck.append(scores.max())
    return float(np.mean(luck)), float(np.std(luck) / math.sqrt(runs))


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_correlation_lowers_the_luck_as_simulated(correlation: float) -> None:
    # seeds 3; .070, .057 and .046 are known from elsewhere; .0015 is what the scaling leaves out
    luck, error = simulate("proportion", correlation)
    expected = ScoreLaw(law=ErrorKind.PROPORTION, n=200).expected_luck(0.62, 30, correlation)
    assert expected == pytest.approx(luck, abs=4 * error + 0.0015)
    known = {0.0: 0.070, 0.5: 0.057, 0.8: 0.046}[correlation]
    assert expected == pytest.approx(known, abs=0.002)
    luck, error = simulate("mean", correlation)
    law = ScoreLaw(law=ErrorKind.MEAN, n=200, deviation=1.0)
    assert law.expected_luck(0.0, 30, correlation) == pytest.approx(luck, abs=4 * error)


@pytest.mark.parametrize("height", [-1.0, 0.0, 0.7])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8, 0.999])
def test_two_normals_lie_below_as_scipy_says(height: float, correlation: float) -> None:
    cov = [[1.0, correlation], [correlation, 1.0]]
    oracle = multivariate_normal(cov=cov).cdf([height, height])
    assert both_below(height, correlation) == pytest.approx(oracle, abs=1e-5)


def test_the_expected_maximum_is_that_of_known_numbers() -> None:
    # Harter 1961: 1 / sqrt(pi), 1.5 / sqrt(pi), and the tenth
    known = {1: 0.0, 2: 1 / math.sqrt(math.pi), 3: 1.5 / math.sqrt(math.pi), 10: 1.5387527308}
    for tries, value in known.items():
        assert expected_maximum(tries) == pytest.approx(value, abs=1e-6)


def test_quantiles_of_luck_bracket_its_mean_and_hold() -> None:
    # 2,000 searches of 20 equal means, seed 5, correlation .5; binomial error of the share
    law, rng = ScoreLaw(law=ErrorKind.MEAN, n=100, deviation=1.0), np.random.default_rng(5)
    shared = math.sqrt(0.5) * rng.standard_normal((2_000, 1))
    luck = (shared + math.sqrt(0.5) * rng.standard_normal((2_000, 20))).max(axis=1) / 10
    low, high = (law.luck_quantile(0.0, 20, 0.5, share) for share in (0.025, 0.975))
    held = float(((low <= luck) & (luck <= high)).mean())
    assert held == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 2_000))


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_the_interval_holds_for_equal_and_unequal_tries(spread: float) -> None:
    # 300 searches of 12 proportions of 150 cases, correlation .5, seed 11: 95 % at least, within
    # four binomial errors; lows and highs are exact, so it is conservative
    rng = np.random.default_rng([11, round(spread)])
    held = 0
    for _ in range(300):
        truths = np.clip(0.7 + spread * 0.037 * rng.standard_normal(12), 0.05, 0.95)
        noise = math.sqrt(0.5) * (rng.standard_normal((150, 1)) + rng.standard_normal((150, 12)))
        scores = (noise <= ndtri(truths)).mean(axis=0)
        found = en.floor(scores, n=150)
        truth = truths[int(found.winner.removeprefix("c"))]
        held += found.interval.low <= truth <= found.interval.high
    assert held / 300 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 300)


def test_an_error_rate_is_one_less_an_accuracy() -> None:
    good = en.floor([0.8, 0.9, 0.85], n=100)
    bad = en.floor([0.2, 0.1, 0.15], n=100, metric="error_rate")
    assert bad.luck == pytest.approx(good.luck)
    assert bad.interval.low == pytest.approx(1 - good.interval.high)
    assert sorted(bad.corrected) == pytest.approx(sorted(1 - value for value in good.corrected))
    assert (bad.winner, bad.scale.greater_is_better) == ("c1", False)


def test_a_loss_is_a_mean_of_which_less_is_better() -> None:
    found = en.floor({"a": 0.5, "b": 0.3}, n=100, metric="log_loss", deviation=0.4)
    assert found.winner == "b"
    assert found.corrected[0] >= found.best
    mirror = en.floor({"a": -0.5, "b": -0.3}, n=100, metric="gain", deviation=0.4)
    assert mirror.interval.high == pytest.approx(-found.interval.low)


def test_tries_are_read_from_whatever_holds_them(tmp_path: object) -> None:
    import optuna
    import pandas as pd

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    scores = [0.61, 0.66, 0.64, 0.7]
    study = optuna.create_study(direction="maximize")
    for value in scores:
        study.add_trial(
            optuna.trial.create_trial(
                value=value,
                params={"x": value},
                distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
            )
        )
    from pathlib import Path

    path = Path(str(tmp_path)) / "board.csv"
    pd.DataFrame({"model": list("abcd"), "score": scores}).to_csv(path, index=False)
    plain = en.floor(scores, n=300)
    for source in (
        np.array(scores),
        tuple(scores),
        study,
        path,
        dict(zip("abcd", scores, strict=True)),
    ):
        found = en.floor(source, n=300)
        assert (found.best, found.luck, found.interval) == (plain.best, plain.luck, plain.interval)
    assert en.floor(path, n=300).winner == "d"


def test_what_cannot_be_answered_is_refused_in_one_voice(golden: Golden) -> None:
    questions: list[tuple[object, dict[str, object]]] = [
        ([0.5, 0.6], {}),
        ([50.0, 60.0], {"n": 10}),
        ([], {"n": 10}),
        ([math.nan], {"n": 10}),
        ([[0.5, 0.6]], {"n": 10}),
        (["a"], {"n": 10}),
        ([0.5], {"n": 10, "metric": "roc_auc"}),
        ([0.5], {"n": 10, "metric": "roc_auc", "positives": 10}),
        ([0.5], {"n": 10, "metric": "rmse"}),
        ([0.5], {"n": 10, "deviation": -1.0}),
        ([0.5], {"n": 10, "positives": 3}),
        ([0.5], {"n": 10, "correlation": 1.5}),
        ([0.5], {"n": 1}),
    ]
    for scores, how in questions:
        with golden.raises(EarnestError):
            en.floor(scores, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("scores", [[0.5], [1.0, 1.0], [0.0, 0.0, 1.0], [0.3] * 5])
def test_few_equal_and_perfect_scores_have_an_answer(scores: list[float]) -> None:
    found = en.floor(scores, n=20)
    assert found.interval.low <= found.best <= found.interval.high
    assert all(math.isfinite(value) for value in (*found.luck, *found.corrected, found.p_value))
    assert found == type(found).from_dict(found.to_dict())
