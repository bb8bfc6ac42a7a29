"""A bootstrap of the winner alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate
from earnest.core import Purpose, Seeds
from earnest.methods import NaiveBootstrap
from earnest.resampling import BayesianBootstrap
from tests.methods import oracles

EXACT = 1e-12


def winner_scores(pi: Predictions, repeat: int = 0, column: int | None = None) -> oracles.Floats:
    table = oracles.fold_table(
        pi.target.y, pi.responses[:, :, repeat], pi.folds[:, repeat], oracles.auc
    )
    best = oracles.first_best(list(table.mean(axis=0))) if column is None else column
    return table[:, best]


def test_over_folds_equals_the_plain_loop(binary: Predictions) -> None:
    scores = winner_scores(binary)
    rng = Seeds.of(4).generator(Purpose.FOLD_BOOTSTRAP, 0)
    picks = rng.integers(0, 5, (300, 5))
    draws = [sum(scores[k] for k in row) / 5 for row in picks]
    method = NaiveBootstrap(n_resamples=300)
    made = estimate(binary, method=method, metric="roc_auc", rng=4, side="lower")
    np.testing.assert_allclose(made.draws, draws, atol=EXACT)
    assert made.value == pytest.approx(scores.mean(), abs=EXACT)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(sorted(draws)[15], abs=EXACT)


def test_normal_limits_are_mean_and_spread_of_the_fold_scores(binary: Predictions) -> None:
    scores = winner_scores(binary)
    error = scores.std() / math.sqrt(5)
    made = estimate(binary, method=NaiveBootstrap(interval="normal"), metric="roc_auc")
    assert made.standard_error == pytest.approx(error, abs=EXACT)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(scores.mean() - 1.959963984540054 * error, abs=1e-9)
    high = scores.mean() + 1.959963984540054 * error
    assert made.interval.high == pytest.approx(min(1.0, high), abs=1e-9)
    assert made.draws is None
    assert made.n_resamples is None


def test_over_cases_equals_the_plain_loop(binary: Predictions) -> None:
    y, scores = binary.target.y, binary.responses[:, :, 0]
    best = oracles.first_best([oracles.auc(y, scores[:, c]) for c in range(5)])
    method = NaiveBootstrap(over="cases", n_resamples=100)
    made = estimate(binary, method=method, metric="roc_auc", rng=6)
    counts = oracles.counts_of(binary, 100, 6, None)  # no draw of 60 lacks a class here
    draws = [
        oracles.auc(np.repeat(y, count), np.repeat(scores[:, best], count)) for count in counts
    ]
    np.testing.assert_allclose(made.draws, draws, atol=EXACT)
    assert made.value == pytest.approx(oracles.auc(y, scores[:, best]), abs=EXACT)


@pytest.mark.parametrize("given", ["bayesian", BayesianBootstrap()])
def test_bayesian_weights_are_accepted_over_cases(binary: Predictions, given: object) -> None:
    method = NaiveBootstrap(over="cases", resampler=given, n_resamples=50)
    made = estimate(binary, method=method, metric="roc_auc", rng=6)
    weights = oracles.counts_of(binary, 50, 6, None, BayesianBootstrap())
    y, score = binary.target.y, binary.responses[:, int(str(made.winner)[1:]), 0]
    better = (score[y == 1][:, None] > score[y == 0][None]).astype(float)
    for draw, weight in zip(made.draws, weights, strict=True):
        pairs = np.outer(weight[y == 1], weight[y == 0])
        assert draw == pytest.approx((pairs * better).sum() / pairs.sum(), abs=1e-10)
    assert made.provenance.knobs["resampler"] == "bayesian"


def test_repeats_take_turns_over_folds(repeated: Predictions) -> None:
    method = NaiveBootstrap(n_resamples=30)
    made = estimate(repeated, method=method, metric="roc_auc", rng=1)
    column = int(str(made.winner)[1:])
    assert made.draws is not None
    for repeat in range(3):
        scores = winner_scores(repeated, repeat, column)
        picks = Seeds.of(1).generator(Purpose.FOLD_BOOTSTRAP, repeat).integers(0, 5, (10, 5))
        np.testing.assert_allclose(made.draws[repeat::3], scores[picks].mean(axis=1), atol=EXACT)
    assert "EN023" in {c.code for c in made.cautions}


def test_normal_limits_of_repeats_are_those_of_one_repeat(repeated: Predictions) -> None:
    made = estimate(repeated, method=NaiveBootstrap(interval="normal"), metric="roc_auc")
    column = int(str(made.winner)[1:])
    errors = [winner_scores(repeated, r, column).std() / math.sqrt(5) for r in range(3)]
    assert made.standard_error == pytest.approx(np.mean(errors), abs=EXACT)


def test_groups_are_drawn_whole_over_cases(grouped: Predictions) -> None:
    made = estimate(grouped, method=NaiveBootstrap(over="cases"), metric="roc_auc", rng=0)
    assert made.provenance.knobs["resampler"] == "group"


def test_folds_are_needed_only_over_folds() -> None:
    pi = Predictions.from_arrays([0, 1] * 8, np.linspace(0, 1, 16))
    with pytest.raises(en.errors.EvidenceError, match="needs more folds") as refusal:
        estimate(pi, method=NaiveBootstrap(over="folds"), metric="roc_auc")
    assert "over='cases'" in refusal.value.cure
    made = estimate(pi, method="naive_bootstrap", metric="roc_auc", rng=0)
    assert made.interval is not None
    assert made.provenance.knobs["over"] == "cases"


@pytest.mark.parametrize(
    "knobs", [{"over": "cases", "interval": "normal"}, {"over": "folds", "resampler": "case"}]
)
def test_knobs_that_would_be_ignored_are_refused(knobs: dict[str, str]) -> None:
    with pytest.raises(en.errors.InputError, match=r"limits|resampler"):
        NaiveBootstrap(**knobs)


def test_the_record_tells_what_was_resampled(binary: Predictions) -> None:
    folds = estimate(binary, method="naive_bootstrap", metric="roc_auc", rng=0).provenance.knobs
    assert (folds["over"], folds["resampler"], folds["undefined"]) == ("folds", None, None)
    given = NaiveBootstrap(resampler="bayesian")
    cases = estimate(binary, method=given, metric="roc_auc", rng=0).provenance.knobs
    assert (cases["over"], cases["resampler"]) == ("cases", "bayesian")


@pytest.mark.parametrize("over", ["folds", "cases"])
def test_more_resamples_extend_the_earlier_draws(binary: Predictions, over: str) -> None:
    runs = [
        estimate(binary, method=NaiveBootstrap(over=over, n_resamples=b), metric="roc_auc", rng=3)
        for b in (70, 200)
    ]
    assert runs[1].draws is not None
    np.testing.assert_array_equal(runs[0].draws, runs[1].draws[:70])


@pytest.mark.parametrize("undefined", ["redraw", "drop", "stratify"])
def test_undefined_resamples_follow_the_policy(undefined: str) -> None:
    # two positives of twelve: (10/12)**12 = 11 % of the resamples have none; seed 0
    y = np.array([1, 1] + [0] * 10)
    pi = Predictions.from_arrays(y, np.linspace(1, 0, 12) ** 2)
    method = NaiveBootstrap(over="cases", undefined=undefined)
    made = estimate(pi, method=method, metric="roc_auc", rng=0)
    assert made.n_resamples == 1000
    share = 1000 - (made.n_valid or 0)
    expected = 1000 * (10 / 12) ** 12 if undefined == "drop" else 0
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected))


def test_knobs_are_checked_when_they_are_set() -> None:
    wrong = ({"n_resamples": -1}, {"over": "rows"}, {"interval": "t"}, {"undefined": "skip"})
    for knobs in wrong:
        with pytest.raises(en.errors.InputError):
            NaiveBootstrap(**knobs)


def test_the_missing_correction_is_said(binary: Predictions) -> None:
    for over in ("folds", "cases"):
        made = estimate(binary, method=NaiveBootstrap(over=over), metric="roc_auc", rng=0)
        assert "EN022" in {c.code for c in made.cautions}
