"""Hold-out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate
from earnest.core import Purpose, Seeds
from earnest.inference import split_cases
from earnest.methods import HoldOut
from earnest.testing import in_order, squared_error
from tests.methods import oracles
from tests.snapshots import Golden

EXACT = 1e-12


def unfolded(pi: Predictions) -> Predictions:
    return Predictions.from_arrays(pi.target.y, pi.responses[:, :, 0])


def test_one_configuration_is_scored_on_all_cases(binary: Predictions) -> None:
    pi = unfolded(binary).select("c3")
    made = estimate(pi, method="holdout", metric="roc_auc", rng=0)
    y, score = binary.target.y, binary.responses[:, 3, 0]
    assert made.value == pytest.approx(oracles.auc(y, score), abs=EXACT)
    counts = oracles.counts_of(pi, 40, 0, None)
    draws = [oracles.auc(np.repeat(y, c), np.repeat(score, c)) for c in counts]
    assert made.draws is not None
    np.testing.assert_allclose(made.draws[:40], draws, atol=EXACT)
    assert "EN023" not in {c.code for c in made.cautions}


def test_the_first_fold_scores_what_the_others_select(binary: Predictions) -> None:
    y, scores, fold = binary.target.y, binary.responses[:, :, 0], binary.folds[:, 0]
    rest = fold != 0
    gains = [oracles.auc(y[rest], scores[rest, c]) for c in range(5)]
    best = oracles.first_best(gains)
    made = estimate(binary, method="holdout", metric="roc_auc", rng=0)
    assert made.winner == f"c{best}"
    assert made.naive == pytest.approx(max(gains), abs=EXACT)
    assert made.value == pytest.approx(oracles.auc(y[~rest], scores[~rest, best]), abs=EXACT)
    assert "EN023" in {c.code for c in made.cautions}


def test_one_set_is_split_by_the_seed_into_selecting_and_scoring(binary: Predictions) -> None:
    pi = unfolded(binary)
    scoring = split_cases(pi, 0.25, Seeds.of(3).generator(Purpose.EVALUATION))
    y, scores = binary.target.y, binary.responses[:, :, 0]
    gains = [oracles.auc(y[~scoring], scores[~scoring, c]) for c in range(5)]
    best = oracles.first_best(gains)
    made = estimate(pi, method="holdout", metric="roc_auc", rng=3)
    assert made.winner == f"c{best}"
    assert made.value == pytest.approx(oracles.auc(y[scoring], scores[scoring, best]), abs=EXACT)


def test_the_split_is_stratified_and_of_the_asked_size(binary: Predictions) -> None:
    for share, each in ((0.25, 8), (0.5, 15), (0.01, 1)):
        taken = split_cases(unfolded(binary), share, np.random.default_rng(0))
        assert [int(taken[binary.target.y == k].sum()) for k in (0, 1)] == [each, each]


def test_the_split_keeps_groups_whole(grouped: Predictions) -> None:
    taken = split_cases(grouped, 0.3, np.random.default_rng(0))
    assert grouped.target.groups is not None
    for group in range(20):
        assert len(set(taken[grouped.target.groups == group].tolist())) == 1
    assert taken.sum() == 6 * 4


def test_normal_limits_are_those_of_a_mean(regression: Predictions) -> None:
    y, score = regression.target.y, regression.responses[:, 0, 0]
    losses = (y - score) ** 2
    error = losses.std() / math.sqrt(40)
    pi = Predictions.from_arrays(y, score)
    made = estimate(pi, method=HoldOut(interval="normal"), metric=squared_error)
    assert made.standard_error == pytest.approx(error, abs=EXACT)
    assert made.interval is not None
    assert made.interval.high == pytest.approx(losses.mean() + 1.959963984540054 * error)


def test_normal_limits_are_for_means_over_independent_cases(
    binary: Predictions, grouped: Predictions
) -> None:
    for pi, metric in ((binary, "roc_auc"), (grouped, "accuracy")):
        with pytest.raises(en.errors.MetricError, match="normal limits"):
            estimate(pi, method=HoldOut(interval="normal"), metric=metric)


def test_normal_limits_need_every_scoring_case_in_every_repeat(
    repeated: Predictions, golden: Golden
) -> None:
    folds, responses = repeated.folds.copy(), repeated.responses.copy()
    case = int(np.flatnonzero(folds[:, 0] == 0)[0])
    folds[case, 1], responses[case, :, 1] = -1, np.nan
    pi = replace(repeated, folds=folds, responses=responses)
    with pytest.raises(en.errors.EvidenceError) as refusal:
        estimate(pi, method=HoldOut(interval="normal"), metric="accuracy")
    golden.check(str(refusal.value))
    made = estimate(pi, method="holdout", metric="accuracy", rng=0)
    assert made.standard_error is not None
    assert made.standard_error > 0


def test_a_scoring_part_without_a_class_is_refused(golden: Golden) -> None:
    y = np.array([0, 0, 0, 0, 0, 1, 0, 1, 0, 1])
    pi = Predictions.from_arrays(y, np.linspace(0, 1, 20).reshape(10, 2), [0] * 4 + [1] * 6)
    with pytest.raises(en.errors.EvidenceError) as refusal:
        estimate(pi, method="holdout", metric="roc_auc")
    golden.check(str(refusal.value))


def test_the_order_of_cases_moves_nothing_but_the_draws(binary: Predictions) -> None:
    rows = np.random.default_rng(1).permutation(60)
    moved, made = (
        estimate(pi, method="holdout", metric="roc_auc", rng=0)
        for pi in (in_order(binary, rows), binary)
    )
    assert (moved.value, moved.winner) == (made.value, made.winner)


def test_repeats_are_averaged_on_the_scoring_cases(repeated: Predictions) -> None:
    y, scoring = repeated.target.y, repeated.folds[:, 0] == 0
    made = estimate(repeated, method="holdout", metric="roc_auc", rng=0)
    best = int(str(made.winner)[1:])
    values = [oracles.auc(y[scoring], repeated.responses[scoring, best, r]) for r in range(3)]
    assert made.value == pytest.approx(np.mean(values), abs=EXACT)


def test_an_unfinished_first_fold_leaves_the_scoring_to_the_next(binary: Predictions) -> None:
    responses = binary.responses[:, :, 0].copy()
    responses[binary.folds[:, 0] == 0] = np.nan
    pi = Predictions.from_arrays(binary.target.y, responses, binary.folds[:, 0])
    made = estimate(pi, method="holdout", metric="roc_auc", rng=0)
    kept = binary.folds[:, 0] != 0
    rest = in_order(binary, np.flatnonzero(kept))
    y, scores, fold = rest.target.y, rest.responses[:, :, 0], rest.folds[:, 0]
    gains = [oracles.auc(y[fold > 1], scores[fold > 1, c]) for c in range(5)]
    best = oracles.first_best(gains)
    assert made.value == pytest.approx(oracles.auc(y[fold == 1], scores[fold == 1, best]))


def test_knobs_are_checked_when_they_are_set() -> None:
    for knobs in ({"evaluate": 1.0}, {"evaluate": 25}, {"interval": "t"}, {"n_resamples": 0}):
        with pytest.raises(en.errors.InputError):
            HoldOut(**knobs)


@pytest.mark.parametrize(
    ("metric", "interval"),
    [
        ("accuracy", "percentile"),
        ("accuracy", "normal"),
        ("roc_auc", "percentile"),
        ("f1", "percentile"),
        ("average_precision", "percentile"),
    ],
)
def test_scoring_cases_without_a_mistake_are_no_certainty(metric: str, interval: str) -> None:
    pi = Predictions.from_arrays([0, 1] * 6, [0.1, 0.9] * 6)
    made = estimate(pi, method=HoldOut(interval=interval), metric=metric, rng=0)
    assert made.value == 1.0
    assert "EN035" in {c.code for c in made.cautions}
    assert made.interval is not None
    if metric != "average_precision":  # which has no part a case, so that only the caution tells
        assert made.interval.low < 0.95


def test_the_limits_of_a_perfect_accuracy_are_the_rule_of_three() -> None:
    pi = Predictions.from_arrays([0, 1] * 10, [0.1, 0.9] * 10)
    made = estimate(pi, method="holdout", metric="accuracy", side="lower", rng=0)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.05 ** (1 / 20), abs=EXACT)


def test_the_words_say_whether_anything_was_selected(golden: Golden) -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    scores = y[:, None] + rng.standard_normal((60, 3))
    several = Predictions.from_arrays(y, scores, response="decision")
    one = several.select(0)
    golden.check(estimate(several, method="holdout", metric="roc_auc", rng=0).estimand)
    golden.check(estimate(one, method="holdout", metric="roc_auc", rng=0).estimand)


@pytest.mark.parametrize(("y", "pairs"), [([0, 1], 1), ([0, 0, 0, 1], 1)])
def test_an_auc_of_one_case_of_a_class_is_no_point(y: list[int], pairs: int) -> None:
    pi = Predictions.from_arrays(y, np.arange(len(y)) / 10)
    made = estimate(pi, method="holdout", metric="roc_auc", rng=0)
    assert made.value == 1.0
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025 ** (1 / pairs))  # Clopper and Pearson
    assert "EN035" in {caution.code for caution in made.cautions}
