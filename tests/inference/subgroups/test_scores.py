"""The score of a winner on some of the cases: by a plain loop over the same resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import f1_score, log_loss, roc_auc_score

import earnest as en
from earnest.core import Seeds
from earnest.inference import ResampledSelection, score_masks
from earnest.kernels import score_table
from earnest.metrics import CallableMetric
from earnest.resampling import Weights
from earnest.results import Subgroups

N, C = 120, 12
LEVELS = np.random.default_rng(8).integers(0, 3, N)


def make_predictions(seed: int = 1, *, groups: bool = False, configs: int = C) -> en.Predictions:
    """Return probabilities of correlated configurations."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], N // 2)
    score = y[:, None] - 0.5 + rng.standard_normal((N, 1)) + 0.5 * rng.standard_normal((N, configs))
    return en.Predictions.from_arrays(
        y,
        1 / (1 + np.exp(-score)),
        np.arange(N) // 2 % 5,
        groups=np.arange(N) // 4 if groups else None,
        by={"site": LEVELS},
    )


def ask(pi: en.Predictions, metric: str, **options: object) -> Subgroups:
    answer = en.estimate(
        pi, metric=metric, method="bbc", n_resamples=200, rng=3, by="site", **options
    )
    assert answer.subgroups is not None
    return answer.subgroups


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss"])
def test_a_score_is_the_mean_of_in_bag_winners_on_the_cases_left_out_of_it(metric: str) -> None:
    """The oracle draws the counts by itself and scores by scikit-learn; rounding alone differs."""
    pi = make_predictions()
    counts: list[NDArray[np.uint8]] = []
    how = ResampledSelection(Seeds(3), n_resamples=200)

    def keep(inbag: Weights) -> NDArray[np.float64]:
        counts.append(inbag.values.copy())
        return np.zeros((len(inbag), 1))

    how.resample(keep, pi.target, en.metric(metric).on("binary"), Seeds(3), left_out=True)
    inbag, y, p = np.concatenate(counts), pi.target.y, pi.responses[:, :, 0]

    def score(cases: NDArray[np.bool_], config: int) -> float:
        if metric == "accuracy":
            return float(np.mean((p[cases, config] > 0.5) == y[cases]))
        if metric == "log_loss":
            return float(log_loss(y[cases], p[cases, config], labels=[0, 1]))
        both = len(np.unique(y[cases])) == 2
        return float(roc_auc_score(y[cases], p[cases, config])) if both else np.nan

    values = np.full((3, len(inbag)), np.nan)
    scores = score_table(pi, metric, Weights(inbag))
    for b in range(len(inbag)):
        worst = metric == "log_loss"
        winner = int(np.nanargmin(scores[b]) if worst else np.nanargmax(scores[b]))
        for level in range(3):
            cases = (inbag[b] == 0) & (level == LEVELS)
            if cases.any():
                values[level, b] = score(cases, winner)
    found = [each.value for each in ask(pi, metric)]
    np.testing.assert_allclose(found, np.nanmean(values, axis=1), rtol=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "f1", "rmse", "average_precision"])
def test_all_cases_as_one_subgroup_have_the_score_of_the_estimate(metric: str) -> None:
    pi = make_predictions()
    if metric == "rmse":
        pi = en.Predictions.from_arrays(
            pi.target.y + 0.5, pi.responses[:, :, 0], task="regression", fold=np.arange(N) % 5
        )
    answer = en.estimate(pi, metric=metric, method="bbc", n_resamples=200, rng=3)
    how = ResampledSelection.of(answer)
    measure = en.metric(metric).on(pi.target.task)
    every = np.ones(N, dtype=bool)
    best = pi.configs.index(str(answer.winner))
    scored = score_masks(pi, measure, best, how, [every]).scores[0]
    assert scored.value == pytest.approx(answer.value, rel=1e-12)
    assert scored.naive == pytest.approx(answer.naive, rel=1e-12)


def test_one_configuration_has_its_own_score_in_every_subgroup() -> None:
    pi = make_predictions(configs=1)
    for metric, plain in (("roc_auc", roc_auc_score), ("f1", None)):
        for each in ask(pi, metric):
            cases = int(each.level) == LEVELS
            y, p = pi.target.y[cases], pi.responses[cases, 0, 0]
            expected = plain(y, p) if plain else f1_score(y, p > 0.5)
            assert each.value == each.naive == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "f1", "log_loss"])
def test_moves_of_units_give_the_error_that_the_bootstrap_gives(metric: str) -> None:
    """Seed 4; 4,000 draws know a standard deviation within 1.1 %, 15 % is the linearisation's."""
    pi = make_predictions(configs=1)
    measure = en.metric(metric).on("binary")
    mask = LEVELS == 1
    score = score_masks(pi, measure, 0, ResampledSelection(Seeds(0)), [mask]).scores[0]
    rng, part = np.random.default_rng(4), pi.take(np.flatnonzero(mask))
    counts = rng.multinomial(mask.sum(), np.full(mask.sum(), 1 / mask.sum()), 4000)
    drawn = np.nanstd(score_table(part, measure, Weights(counts.astype(np.uint8)))[:, 0])
    assert score.variance**0.5 == pytest.approx(drawn, rel=0.15)
    assert np.count_nonzero(score.moves[~mask]) == 0


def test_the_jackknife_stands_in_for_a_metric_without_terms() -> None:
    """The same accuracy as a function of the user's own, whose terms nobody knows."""
    pi, mask = make_predictions(configs=1), LEVELS == 0
    how = ResampledSelection(Seeds(0))

    def share(y: NDArray[np.int64], label: NDArray[np.int64]) -> float:
        return float(np.mean(y == label))

    usual = en.metric("accuracy")
    own = CallableMetric(
        name="share",
        title="Share",
        greater_is_better=True,
        limits=(0.0, 1.0),
        needs=usual.needs,
        tasks=usual.tasks,
        function=share,
        coded=True,
    )
    errors = [
        score_masks(pi, measure, 0, how, [mask]).scores[0].variance ** 0.5
        for measure in (en.metric("accuracy").on("binary"), own)
    ]
    assert errors[1] == pytest.approx(errors[0], rel=0.02)  # (U / (U - 1)) ** .5 of 40 units


def test_cases_of_a_unit_count_as_one() -> None:
    """Every case four times, in groups, has the errors of the cases once."""
    pi = make_predictions(configs=1)
    rows = np.repeat(np.arange(N), 4)
    copies = pi.take(rows)
    copies = replace(copies, target=replace(copies.target, groups=rows.astype(np.int64)))
    for metric in ("accuracy", "roc_auc", "log_loss"):
        for once, fourfold in zip(ask(pi, metric), ask(copies, metric), strict=True):
            assert fourfold.n_cases == 4 * once.n_cases
            assert fourfold.n_units == once.n_units
            assert once.low is not None
            assert once.high is not None
            assert fourfold.low is not None
            assert fourfold.high is not None
            assert fourfold.high - fourfold.low > 0.95 * (once.high - once.low)


def test_marks_stand_where_cases_are_few_or_the_metric_is_undefined() -> None:
    pi = make_predictions()
    y = pi.target.y
    levels = np.where(np.arange(N) < 8, "few", np.where(y == 1, "one class", "rest"))
    levels[np.arange(8, 60)] = "both"
    groups = en.estimate(pi, metric="roc_auc", rng=0, by={"site": levels}, n_resamples=100)
    assert groups.subgroups is not None
    standing = {each.level: str(each.standing) for each in groups.subgroups}
    assert standing["few"] == "too few cases"
    assert standing["one class"] == standing["rest"] == "undefined"
    assert standing["both"] == "no difference shown"
    for each in groups.subgroups:
        assert each.judged is (each.level == "both")
    assert groups.subgroups.gaps == ()


def test_the_same_question_has_the_same_answer_whatever_the_threads() -> None:
    pi = make_predictions()
    assert ask(pi, "roc_auc", n_jobs=1) == ask(pi, "roc_auc", n_jobs=2)


def test_limits_hold_the_value_and_widen_with_more_subgroups() -> None:
    pi = make_predictions()
    few = ask(pi, "accuracy")
    many = en.estimate(
        pi,
        metric="accuracy",
        method="bbc",
        n_resamples=200,
        rng=3,
        by={"site": LEVELS, "half": np.arange(N) % 2, "third": np.arange(N) // 40},
    ).subgroups
    assert many is not None
    for each in many:
        assert each.low is not None
        assert each.value is not None
        assert each.high is not None
        assert each.low <= each.value <= each.high
    for level in "012":
        ours, theirs = few["site", level], many["site", level]
        assert ours.value == theirs.value
        assert ours.low is not None
        assert theirs.low is not None
        assert theirs.low < ours.low


def test_a_subgroup_that_is_worse_is_named_and_its_deficit_told() -> None:
    """Half of the cases are guessed, half are right in nine of ten; seed 2."""
    rng = np.random.default_rng(2)
    y, site = np.tile([0, 1], 300), np.repeat(["good", "bad"], 300)
    right = rng.random(600) < np.where(site == "good", 0.9, 0.5)
    label = np.where(right, y, 1 - y)
    pi = en.Predictions.from_arrays(y, label[:, None], response="label", by={"site": site})
    groups = en.estimate(pi, metric="accuracy", by="site", rng=0).subgroups
    assert groups is not None
    assert groups.worse == ("site = bad",)
    assert 0.25 < groups.shown_worse_by < 0.4 < (groups.worse_by_at_most or 0.0) < 0.55
    assert groups.shows_worse(0.2)
    assert not groups.shows_worse(0.4)
    gap = groups.gaps[0]
    assert (gap.best, gap.worst) == ("good", "bad")
    assert gap.low < 0.4 < gap.high
    assert Subgroups.from_dict(groups.to_dict()) == groups


def test_scores_shrink_to_their_mean_where_chance_explains_them() -> None:
    """Equal subgroups of 20 shrink all the way or nearly; seed 11."""
    rng = np.random.default_rng(11)
    y = np.tile([0, 1], 100)
    label = np.where(rng.random(200) < 0.8, y, 1 - y)
    pi = en.Predictions.from_arrays(
        y, label[:, None], response="label", by={"site": np.arange(200) // 20}
    )
    groups = en.estimate(pi, metric="accuracy", by="site", rng=0).subgroups
    assert groups is not None
    values = np.array([each.value for each in groups], dtype=float)
    shrunk = np.array([each.shrunk for each in groups], dtype=float)
    assert np.ptp(shrunk) < 0.5 * np.ptp(values)
    assert abs(shrunk.mean() - values.mean()) < 0.03


def test_losses_that_are_all_equal_have_no_limits_without_width() -> None:
    y, site = np.tile([0.0, 1.0], 30), np.arange(60) // 20
    pi = en.Predictions.from_arrays(y, y, task="regression", by={"site": site})
    for metric in ("mae", "rmse"):
        groups = en.estimate(pi, metric=metric, by="site", rng=0).subgroups
        assert groups is not None
        assert {str(each.standing) for each in groups} == {"too few cases"}
