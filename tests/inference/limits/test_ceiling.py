"""Near the best score: limits fall as errors are added, and hold."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binom

import earnest as en
from earnest.core import AreaLimits, Side, TighterLimits, WidenedLimits
from earnest.core.results.interval import NearWinnerLimits, binormal_trials
from earnest.inference.limits import ceiling, contest
from earnest.inference.limits.ceiling import LEVELS, perfect_limits
from earnest.inference.limits.local_level import DRAWS
from earnest.kernels.contest import RoughScores

ERRORS = (0, 1, 2, 3, 6)
NOISE = 0.01  # by which the level of a winner may rise with other draws of its rivals


def with_errors(n: int, configs: int, errors: int) -> en.Predictions:
    """One configuration with some wrong labels, and others that know nothing."""
    y = np.tile([0, 1], n // 2)
    score = 0.1 + 0.8 * y
    score[:errors] = 1.0 - score[:errors]
    noise = np.random.default_rng(0).random((n, configs - 1))
    return en.Predictions.from_arrays(y, np.column_stack([score, noise]), np.arange(n) // 2 % 5)


def with_discordant_pairs(n: int, configs: int, pairs: int, *, folds: bool) -> en.Predictions:
    """One configuration that ranks some pairs wrongly, each of another positive and its fold."""
    half = n // 2
    y, score = np.repeat([0, 1], half), np.arange(n) / n
    fold = np.tile(np.arange(5 if folds else 1), n)[:n]
    for place in range(pairs):  # below the greatest negatives, one further for each of them
        mine = np.flatnonzero((y == 1) & (fold == fold[half + place]))
        rivals = np.sort(score[(y == 0) & (fold == fold[half + place])])
        score[mine[place // 5]] = rivals[-1 - place // 5] - 1e-4
    noise = np.random.default_rng(0).random((n, configs - 1))
    return en.Predictions.from_arrays(y, np.column_stack([score, noise]), fold)


def bad_ends(made: list[en.Predictions], method: str, metric: str, *, rng: int = 0) -> list[float]:
    found = []
    few = {"n_resamples": 300} if method in ("bbc", "bbc_fold", "naive_bootstrap") else {}
    for pi in made:
        answer = en.estimate(pi, method=method, metric=metric, rng=rng, **few)
        if answer.winner != pi.configs.ids[0]:  # one that knows nothing was luckier
            break
        assert answer.interval is not None
        sign = 1.0 if answer.scale.greater_is_better else -1.0
        found.append(answer.interval.low if sign > 0 else -answer.interval.high)
    return found


@pytest.mark.parametrize("configs", [1, 15])
@pytest.mark.parametrize("method", ["bbc", "bbc_fold", "holdout", "naive_bootstrap"])
@pytest.mark.parametrize(
    "metric", ["accuracy", "error_rate", "balanced_accuracy", "recall", "f1", "mcc", "brier"]
)
def test_the_bad_end_falls_as_errors_are_added(method: str, metric: str, configs: int) -> None:
    ends = bad_ends([with_errors(40, configs, errors) for errors in ERRORS], method, metric)
    assert np.diff(ends).max() <= NOISE, ends


@pytest.mark.parametrize("configs", [1, 40])
@pytest.mark.parametrize(
    ("method", "folds", "metric"),
    [
        ("bbc", False, "roc_auc"),
        ("bbc_fold", True, "roc_auc"),
        ("naive_bootstrap", True, "roc_auc"),
        ("bbc", False, "average_precision"),
        ("bbc_fold", True, "average_precision"),
        ("naive_bootstrap", True, "average_precision"),
        ("delong", False, "roc_auc"),
        ("hanley_mcneil", False, "roc_auc"),
        ("tilted", False, "roc_auc"),
        ("mabt", False, "roc_auc"),
        ("bayle_all_pairs", True, "roc_auc"),
        ("bayle_within_fold", True, "roc_auc"),
    ],
)
def test_the_bad_end_falls_as_pairs_are_ranked_wrongly(
    method: str, folds: bool, metric: str, configs: int
) -> None:
    made = [with_discordant_pairs(60, configs, pairs, folds=folds) for pairs in ERRORS]
    ends = bad_ends(made, method, metric)
    assert np.diff(ends).max() <= NOISE, ends


@pytest.mark.parametrize("configs", [1, 40])
def test_a_perfect_auc_of_forty_cases_is_neither_wide_nor_a_point(configs: int) -> None:
    made = [with_discordant_pairs(40, configs, pairs, folds=False) for pairs in (0, 1)]
    perfect, one = bad_ends(made, "bbc", "roc_auc")
    assert 0.85 < one <= perfect < 0.95  # .692 and .978 before, .832 and .978 without a choice


@pytest.mark.parametrize("n", [40, 100])
def test_the_lower_limit_of_an_accuracy_holds_for_every_accuracy_near_1(n: int) -> None:
    # Coverage is exact: a sum over the number of errors. Quantiles of the draws held in 88 %.
    most = 16
    made = [with_errors(n, 1, errors) for errors in range(most)]
    answers = [en.estimate(pi, metric="accuracy", rng=0) for pi in made]
    for level, side in ((0.95, "lower"), (0.95, "two-sided"), (0.8, "lower")):
        tail = (1.0 - level) / (2.0 if side == "two-sided" else 1.0)
        intervals = [answer.at(confidence_level=level, side=side).interval for answer in answers]
        lows = np.array([interval.low for interval in intervals if interval is not None])
        for truth in np.linspace(0.93, 0.999, 60):
            missed = binom.pmf(np.arange(most), n, 1.0 - truth)[lows > truth].sum()
            assert missed <= tail + 1e-9, (level, side, truth)


def test_the_lower_limit_of_a_nearly_perfect_auc_holds() -> None:
    # 150 samples of 100 binormal cases, AUC .99, seed 7: at least .95 less 3 sd of a share of .95.
    # Quantiles of the draws held in 87 %.
    truth, runs, held = 0.99, 150, 0
    y, distance = np.tile([0, 1], 50), np.sqrt(2.0) * NormalDist().inv_cdf(0.99)
    for run in range(runs):
        score = np.random.default_rng([7, run]).standard_normal(100) + distance * y
        pi = en.Predictions.from_arrays(y, score, np.arange(100) // 2 % 5)
        made = en.estimate(pi, metric="roc_auc", side="lower", rng=run, n_resamples=100)
        assert made.interval is not None
        held += made.interval.low <= truth
    assert held >= runs * (0.95 - 3.0 * np.sqrt(0.05 * 0.95 / runs))


def test_the_level_near_the_best_allows_for_rivals_that_could_have_won_only() -> None:
    rng, y = np.random.default_rng(0), np.tile([0, 1], 20)
    best = 0.1 + 0.8 * y
    equals = np.tile(best[:, None], (1, 20)) + 0.01 * rng.random((40, 20))
    noise = rng.random((40, 19))

    def low(scores: np.ndarray) -> float:
        pi = en.Predictions.from_arrays(y, scores, np.arange(40) // 2 % 5)
        made = en.estimate(pi, metric="roc_auc", rng=0).interval
        assert made is not None
        return made.low

    alone, beside_noise, beside_equals = low(best), low(np.c_[best, noise]), low(equals)
    assert beside_equals < beside_noise <= alone
    bonferroni = AreaLimits(1.0, 20, 20).limits(1 - 0.025 / 20, Side.LOWER)[0]
    assert beside_equals >= bonferroni


def test_a_limit_that_draws_would_put_nearer_is_told_once() -> None:
    made = en.estimate(with_errors(40, 1, 1), metric="accuracy", rng=0)
    said = [caution for caution in made.cautions if caution.kind == "near_best"]
    assert [caution.severity for caution in said] == ["note"]
    middling = en.estimate(with_errors(40, 1, 16), metric="accuracy", rng=0)
    assert "near_best" not in {caution.kind for caution in middling.cautions}


def test_groups_can_tell_no_more_than_as_many_perfect_ones() -> None:
    y, groups = np.tile([0, 1], 30), np.arange(60) // 6
    for wrong in (0, 1, 2):
        said = y.copy()
        said[:wrong] = 1 - said[:wrong]
        pi = en.Predictions.from_arrays(
            y, said, np.arange(60) // 12, groups=groups, response="label"
        )
        made = en.estimate(pi, metric="accuracy", rng=0).interval
        assert made is not None
        assert made.low <= 0.025 ** (1 / 10) + 1e-12


def test_a_perfect_balanced_accuracy_fears_errors_of_the_rare_class() -> None:
    y = np.r_[np.zeros(32, int), np.ones(8, int)]
    pi = en.Predictions.from_arrays(y, y, np.arange(40) % 4, response="label")
    made = en.estimate(pi, metric="balanced_accuracy", rng=0).interval
    assert made is not None
    assert made.low == pytest.approx(0.5 + 0.5 * 0.025 ** (1 / 8), abs=1e-9)


def test_what_perfect_cases_tell_grows_with_their_number() -> None:
    for metric in ("accuracy", "f1", "roc_auc", "average_precision", "mcc"):
        lows = []
        for n in (20, 40, 80):
            pi = with_errors(n, 1, 0)
            source = perfect_limits(pi, en.metric(metric).on(pi.target.task))
            lows.append(source.limits(0.95, Side.LOWER)[0])
        assert lows == sorted(lows), metric
        assert lows[-1] < 1.0


def rivals(seed: int, strength: float) -> en.Predictions:
    """Sixty configurations of unlike strength, the better the nearer to 1 their AUC is."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], 100)
    means = strength * rng.uniform(0.2, 1.0, 60)
    scores = (
        y[:, None] * means + 0.5 * rng.standard_normal((200, 1)) + rng.normal(0, 0.8, (200, 60))
    )
    return en.Predictions.from_arrays(y, scores, np.arange(200) // 2 % 5, response="decision")


def test_few_gaussian_draws_decide_only_where_all_of_them_change_no_limit(monkeypatch) -> None:
    """At the levels that are looked at the interval is the same to the last bit."""
    parts = []
    for seed in range(2):
        for strength in (1.2, 2.0, 4.0):
            pi = rivals(seed, strength)
            monkeypatch.setattr(ceiling, "FIRST_DRAWS", 250)
            drawn = en.methods.BBC(n_resamples=500, limits="drawn")
            made = en.estimate(pi, method=drawn, metric="roc_auc", rng=seed).source
            monkeypatch.setattr(ceiling, "FIRST_DRAWS", DRAWS)
            whole = en.estimate(pi, method=drawn, metric="roc_auc", rng=seed).source
            if not isinstance(made, WidenedLimits):
                continue
            assert isinstance(made.floors[0], NearWinnerLimits)
            parts.append(len(made.floors[0].errors))
            for level in LEVELS:
                for side in (Side.LOWER, Side.TWO_SIDED):
                    assert made.limits(level, side) == whole.limits(level, side)
    assert set(parts) == {250, DRAWS}  # both happen


def test_the_scores_that_bbc_has_computed_are_those_that_would_be_drawn_again(monkeypatch) -> None:
    pi = rivals(0, 3.0)
    shared = en.estimate(pi, metric="roc_auc", rng=0)
    monkeypatch.setattr(contest, "MOST_KEPT", 0)  # nothing is kept on the way
    again = en.estimate(pi, metric="roc_auc", rng=0)
    assert isinstance(shared.source, TighterLimits)
    assert isinstance(shared.source.drawn, WidenedLimits)
    assert (
        shared.source.drawn.floors[0].errors.tolist()
        == again.source.drawn.floors[0].errors.tolist()
    )
    assert shared.source.law.errors.tolist() == again.source.law.errors.tolist()
    assert shared.to_dict(draws=True)["interval"] == again.to_dict(draws=True)["interval"]


def test_bbc_scores_its_resamples_once(monkeypatch) -> None:
    pi, rows = rivals(0, 3.0), []
    real = contest.score_table

    def count(*given, **options):
        rows.append(1)
        return real(*given, **options)

    monkeypatch.setattr(contest, "score_table", count)
    en.estimate(pi, metric="roc_auc", rng=0)
    assert rows == []
    en.estimate(pi, metric="roc_auc", n_resamples=100, rng=0)  # too few: more are drawn
    assert rows


@pytest.mark.parametrize("slope", [1.0, -1.0])
def test_limits_of_an_area_are_those_of_halving(slope: float) -> None:
    """To 1e-11: both stop at 2**-40 of the range."""
    rng = np.random.default_rng(3)
    for area in (0.0, 0.004, 0.5, 0.83, 0.999, 1.0):
        for _ in range(4):
            m, k, widening, tail = (
                *rng.integers(2, 300, 2),
                rng.uniform(1, 2),
                rng.choice([0.2, 1e-6]),
            )
            law = AreaLimits(area, m, k, widening, constant=0.5, slope=slope)

            def no_surprise(seen: float, tested: float, law=law, tail=tail) -> bool:
                trials = binormal_trials(np.array(tested), law.positives, law.negatives)
                worth = float(trials) / law.widening
                return betainc(seen * worth + 1 / 3, (1 - seen) * worth + 2 / 3, tested) >= tail

            def halved(seen: float, no_surprise=no_surprise) -> float:
                low, high = 0.0, seen
                for _ in range(40):
                    middle = 0.5 * (low + high)
                    low, high = (low, middle) if no_surprise(seen, middle) else (middle, high)
                return low

            ends = sorted(0.5 + slope * end for end in (halved(area), 1.0 - halved(1.0 - area)))
            found = law.limits(1.0 - 2.0 * tail, Side.TWO_SIDED)
            np.testing.assert_allclose(found, ends, atol=1e-11)
            low, high = (law.limits(1.0 - tail, side) for side in (Side.LOWER, Side.UPPER))
            assert (low[1], high[0]) == (np.inf, -np.inf)
            np.testing.assert_allclose((low[0], high[1]), found, atol=1e-9)  # 1 - tail is rounded


@pytest.mark.parametrize("name", ["roc_auc", "error_rate"])
@pytest.mark.parametrize(("jobs", "cells"), [(1, 1), (3, 50), (2, 1 << 20)])
def test_parts_and_threads_change_no_score_on_the_steady_scale(
    name: str, jobs: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, metric = np.random.default_rng(0).random((41, 7)), en.metric(name)
    good = table if metric.greater_is_better else 1.0 - table
    trials = np.full(7, 30.0)
    expected = np.arcsin(np.sqrt((30.0 * good + 0.375) / 30.75))  # Anscombe (1948)
    found = contest.steady_scores(metric, table, trials, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    monkeypatch.setattr(contest, "CELLS", cells)
    np.testing.assert_array_equal(contest.steady_scores(metric, table, trials, jobs), found)


def test_first_scores_are_kept_where_rounding_does_not_show() -> None:
    count = contest.RESAMPLES
    scores = np.random.default_rng(3).normal(0.2, 0.01, (count + 50, 3))

    def keep(*parts: object) -> object:
        first = contest.FirstScores(3)
        for part in parts:
            first(part)  # type: ignore[arg-type]
        return first.table

    fine, coarse = np.full(3, 0.005), np.array([0.005, 0.02, 0.005])
    np.testing.assert_array_equal(keep(scores), scores[:count])
    parts = [RoughScores(scores[:60], fine), RoughScores(scores[60:], fine)]
    np.testing.assert_array_equal(keep(*parts), scores[:count])
    assert keep(RoughScores(scores, coarse)) is None
    assert keep(RoughScores(scores[:60], fine), None, scores) is None  # the rest came too late
    assert keep(scores[:60]) is None
