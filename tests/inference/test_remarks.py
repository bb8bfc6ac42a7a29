"""Cautions that follow from the evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import earnest
from earnest import Predictions, metric
from earnest.cli.show.estimate import show_estimate
from earnest.inference.remarks import (
    evidence_remarks,
    few_for_an_auc,
    resampling_remarks,
    ties_at_the_top,
    unlike_scales,
    warn_of_undefined_folds,
)
from earnest.rules import MeanOfFolds, Pooled
from tests.snapshots import Golden

AUC = metric("roc_auc")


def told(pi: Predictions, name: str = "roc_auc") -> dict[str, str]:
    return {caution.kind: str(caution) for caution in evidence_remarks(pi, metric(name))}


def folded(n: int, folds: int, seed: int = 0, shift: float = 0.0) -> Predictions:
    rng = np.random.default_rng(seed)
    y, fold = np.tile([0, 1], n // 2), np.arange(n) // 2 % folds
    scores = y[:, None] + shift * fold[:, None] + rng.standard_normal((n, 2))
    return Predictions.from_arrays(y, scores, fold)


def test_the_smallest_class_of_the_smallest_fold_is_named(golden: Golden) -> None:
    y = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1])
    fold = np.array(["a"] * 4 + ["b"] * 8)
    text = told(Predictions.from_arrays(y, np.linspace(0, 1, 12), fold))["few_of_class_in_fold"]
    golden.check(text)


def test_the_repeat_of_a_small_fold_is_named_only_if_there_are_several() -> None:
    y = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1] * 2)
    fold = np.column_stack([np.arange(24) // 2 % 2, np.repeat([0, 1], [6, 18])])
    scores = np.linspace(0, 1, 24)
    several = Predictions.from_arrays(y, np.stack([scores, scores], axis=1)[:, None, :], fold)
    assert "fold 0, repeat 1" in told(several)["few_of_class_in_fold"]
    assert (
        "repeat" not in told(Predictions.from_arrays(y, scores, fold[:, 1]))["few_of_class_in_fold"]
    )


def test_a_fold_without_a_class_is_named() -> None:
    y = np.array([0] * 6 + [0, 1] * 6)
    text = told(Predictions.from_arrays(y, np.linspace(0, 1, 18), [0] * 6 + [1] * 12))[
        "few_of_class_in_fold"
    ]
    assert "no case of a class" in text


@pytest.mark.parametrize(("positives", "helps"), [(10, True), (9, False)])
def test_stratified_folds_are_advised_only_where_they_would_help(
    positives: int, helps: bool, golden: Golden
) -> None:
    # five folds, one of which has a single case of the rare class: of 10 strata could make it two
    y, fold = np.zeros(100, dtype=int), np.arange(100) % 5
    for at, count in enumerate((1, positives - 7, 2, 2, 2)):
        y[np.flatnonzero(fold == at)[:count]] = 1
    text = told(Predictions.from_arrays(y, np.linspace(0, 1, 100), fold))["few_of_class_in_fold"]
    golden.check(text)
    assert ("stratified" in text) == helps
    assert "selector" not in text


def test_incomplete_configurations_and_untested_cases_are_counted(golden: Golden) -> None:
    pi = folded(40, 4)
    responses = pi.responses.copy()
    responses[pi.folds[:, 0] == 0] = np.nan
    responses[pi.folds[:, 0] == 1, 1] = np.nan
    found = told(replace(pi, responses=responses))
    assert "1 of 2 configurations lack predictions: c1" in found["configurations_incomplete"]
    golden.check(found["cases_untested"])


def test_split_groups_are_counted_and_whole_ones_are_not() -> None:
    pi = folded(40, 4)
    groups = pi.folds[:, 0].astype(np.int64).copy()
    assert "groups_split" not in told(replace(pi, target=replace(pi.target, groups=groups)))
    groups[:4] = 7  # one more group, in two folds
    found = told(replace(pi, target=replace(pi.target, groups=groups)))
    assert "1 of 5 groups are split" in found["groups_split"]


def test_what_is_drawn_of_groups_is_told() -> None:
    pi = folded(40, 4)
    groups = pi.folds[:, 0].astype(np.int64)
    grouped = replace(pi, target=replace(pi.target, groups=groups))
    codes = {
        name: [caution.kind for caution in resampling_remarks(grouped, name)]
        for name in ("group", "case", "bayesian", None)
    }
    assert codes == {
        "group": ["few_groups_drawn"],
        "case": ["groups_not_drawn"],
        "bayesian": ["groups_not_drawn"],
        None: [],
    }
    both = replace(grouped, target=replace(grouped.target, strata=groups))
    assert [c.kind for c in resampling_remarks(both, "group")] == [
        "few_groups_drawn",
        "strata_unused",
    ]
    assert not list(resampling_remarks(pi, "case"))


def test_few_cases_of_a_class_are_told_whatever_the_repeats(golden: Golden) -> None:
    rng = np.random.default_rng(2)
    y = (np.arange(100) < 10).astype(int)
    fold = np.stack([rng.permutation(100) % 10 for _ in range(10)], axis=1)
    pi = Predictions.from_arrays(y, rng.random((100, 1, 10)), fold)
    golden.check(told(pi))


def test_hard_labels_under_a_ranking_metric_are_told() -> None:
    pi = Predictions.from_arrays([0, 1] * 4, [0, 1, 1, 1] * 2, response="label")
    assert "hard_labels" in told(pi)
    assert "hard_labels" not in told(pi, "accuracy")


def test_the_test_for_unlike_levels_is_an_analysis_of_variance_within_classes() -> None:
    # the F statistic of folds on scores less their class means, by scipy, decides at .1 %
    found = []
    for shift in np.linspace(0, 0.5, 11):
        pi = folded(200, 10, seed=4, shift=float(shift))
        y, fold, score = pi.target.y, pi.folds[:, 0], pi.responses[:, 0, 0]
        centred = score - np.where(y == 1, score[y == 1].mean(), score[y == 0].mean())
        plain = stats.f_oneway(*[centred[fold == k] for k in range(10)]).statistic
        corrected = plain * (200 - 9 - 2) / (200 - 10)  # the class means cost one degree more
        expected = corrected > stats.f.ppf(0.999, 9, 200 - 9 - 2)
        assert bool(list(unlike_scales(pi, AUC, Pooled(), 0))) == expected
        found.append(bool(expected))
    assert {True, False} == set(found)


def test_unlike_levels_are_rarely_seen_where_there_are_none() -> None:
    # 500 data sets: .1 % each, so 3 or more have a chance below 2 %; seeds 0 to 499
    seen = sum(
        bool(list(unlike_scales(folded(60, 5, seed=s), AUC, Pooled(), 0))) for s in range(500)
    )
    assert seen < 4


def test_unlike_levels_matter_only_to_pooled_ranks() -> None:
    pi = folded(200, 10, shift=3.0)
    assert list(unlike_scales(pi, AUC, Pooled(), 0))
    assert not list(unlike_scales(pi, AUC, MeanOfFolds(), 0))
    assert not list(unlike_scales(pi, metric("accuracy"), Pooled(), 0))
    assert not list(unlike_scales(folded(40, 1), AUC, Pooled(), 0))


def test_levels_that_differ_without_any_spread_are_unlike() -> None:
    y, fold = np.tile([0, 1], 20), np.arange(40) // 2 % 4
    pi = Predictions.from_arrays(y, y + 10.0 * fold, fold)
    assert list(unlike_scales(pi, AUC, Pooled(), 0))
    flat = Predictions.from_arrays(y, y.astype(float), fold, response="decision")
    assert not list(unlike_scales(flat, AUC, Pooled(), 0))


@pytest.mark.parametrize(("scores", "tied"), [([0.5, 0.5, 0.1], 1), ([0.5, 0.4, np.nan], 0)])
def test_ties_at_the_top_are_counted(scores: list[float], tied: int) -> None:
    pi = folded(20, 2).select([0, 1])
    pi = pi.concat(replace(pi.select(0), configs=replace(pi.select(0).configs, ids=("x",))))
    found = list(ties_at_the_top(pi, AUC, np.array(scores), 0))
    assert len(found) == tied


def test_undefined_folds_are_counted() -> None:
    assert not list(warn_of_undefined_folds(5, 5))
    said = str(next(warn_of_undefined_folds(5, 3)))
    assert "2 of 5 folds" in said
    assert "selector" not in said  # nothing that scores folds scores others by another selector


@pytest.mark.parametrize(("rarer", "told_of"), [(1, True), (10, True), (11, False)])
@pytest.mark.parametrize("turn", [False, True])
def test_few_cases_of_a_class_are_told_under_an_auc_only(
    rarer: int, told_of: bool, turn: bool, golden: Golden
) -> None:
    y = np.repeat([1, 0], [rarer, 40])
    pi = Predictions.from_arrays(1 - y if turn else y, np.linspace(0, 1, len(y)))
    found = [str(c) for c in few_for_an_auc(pi, AUC)]
    assert bool(found) == told_of
    if found:
        golden.check(found[0])
    assert not list(few_for_an_auc(pi, metric("accuracy")))


@pytest.mark.parametrize("scale", [1e-310, 1.0, 1e300, 1.7e308])
def test_scores_of_any_size_are_compared_between_folds(scale: float) -> None:
    """Squares of large scores overflow, and warned where nothing was wrong."""
    rng = np.random.default_rng(0)
    y, fold = np.tile([0, 1], 60), np.arange(120) // 2 % 5
    for shift in (0.0, 1.0):
        raw = 0.3 * y + 0.1 * rng.random(120) + 0.1 * shift * fold
        scores = np.stack([raw, raw[::-1]], axis=1) * scale
        pi = Predictions.from_arrays(y, scores, fold, response="decision")
        found = {c.kind for c in unlike_scales(pi, AUC, Pooled(), 0)}
        assert found == ({"unlike_scales"} if shift else set())


def test_an_interval_that_is_all_worse_than_chance_says_so_on_every_surface(
    capsys: pytest.CaptureFixture[str],
) -> None:
    y = np.tile([0, 1], 100)
    score = np.random.default_rng(3).standard_normal(200) - y
    pi = Predictions.from_arrays(y, score)
    estimate = earnest.estimate(pi, metric="roc_auc", rng=0)
    (kind,) = [each for each in estimate.cautions if each.kind == "worse_than_constant"]
    assert "labels may be flipped" in kind.consequence
    show_estimate(estimate)
    page = earnest.report(pi, metric="roc_auc", explain=False, rng=0).to_markdown()
    for surface in (str(estimate), " ".join(capsys.readouterr().out.split()), page):
        assert "EN030" in surface
        assert "worse than chance" in surface
    assert estimate.at(confidence_level=0.9).cautions == estimate.cautions
    turned = Predictions.from_arrays(y, -score)
    assert "EN030" not in str(earnest.estimate(turned, metric="roc_auc", rng=0))


def test_worse_than_chance_goes_with_a_level_whose_interval_reaches_it() -> None:
    y = np.tile([0, 1], 30)
    score = np.random.default_rng(12).standard_normal(60) - 0.6 * y
    estimate = earnest.estimate(Predictions.from_arrays(y, score), metric="roc_auc", rng=0)
    levels = [estimate.at(confidence_level=level) for level in (0.5, 0.9999)]
    assert ["EN030" in str(each) for each in levels] == [True, False]
    assert "EN030" in str(levels[1].at(confidence_level=0.5))


def test_a_share_of_variance_below_zero_is_worse_but_no_hint_at_flipped_labels() -> None:
    rng = np.random.default_rng(4)
    y = rng.standard_normal(200)
    pi = Predictions.from_arrays(y, 3.0 * rng.standard_normal(200))
    estimate = earnest.estimate(pi, metric="r2", rng=0)
    (kind,) = [each for each in estimate.cautions if each.kind == "worse_than_constant"]
    assert "flipped" not in kind.consequence
    assert "a constant prediction" in kind.what
