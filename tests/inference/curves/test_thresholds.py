"""Thresholds: counts against brute force, rules, bands, refusals, and simulations of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict, Unpack, cast

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix

import earnest as en
from benchmarks.calibration.thresholds import Cell, simulate
from earnest import Predictions
from earnest.core import MEASURES, Seeds
from earnest.errors import EarnestError, EvidenceError, InputError
from earnest.inference import (
    choose_resampler,
    choose_winners,
    resample_statistic,
    thresholds_beside,
)
from earnest.resampling import UndefinedRule, every_class_on_both_sides
from earnest.results import Thresholds
from earnest.rules import Pooled
from earnest.testing import example_predictions


class SampleOptions(TypedDict, total=False):
    """How a sample differs from the plain one."""

    configs: int
    repeats: int
    tied: bool
    groups: bool
    decision: bool


class Rule(TypedDict, total=False):
    """How a threshold is chosen."""

    rule: str
    sensitivity: float
    specificity: float
    act_from: float


def sample(
    n: int = 60,
    configs: int = 5,
    *,
    seed: int = 0,
    repeats: int = 1,
    tied: bool = False,
    groups: bool = False,
    decision: bool = False,
) -> Predictions:
    """Return scores of two classes, a third of the cases positive."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    raw = 1.2 * y[:, None, None] + rng.standard_normal((n, configs, repeats))
    scores = raw * np.linspace(1.0, 3.0, configs)[:, None] if decision else 1 / (1 + np.exp(-raw))
    if tied:
        scores = scores.round(1)
    given = np.arange(n) // 3 if groups else None
    folds = np.stack([(np.arange(n) // 3 + r) % 5 for r in range(repeats)], axis=1)
    return Predictions.from_arrays(y, scores, folds, groups=given)


class ThresholdOptions(TypedDict, total=False):
    """What may be asked of thresholds beside the predictions."""

    metric: str
    thresholds: Sequence[float] | None
    confidence_level: float
    side: str
    selector: str | None
    n_resamples: int
    rng: int | None
    n_jobs: int | None


def ask(pi: Predictions, **more: Unpack[ThresholdOptions]) -> Thresholds:
    options: ThresholdOptions = {"metric": "roc_auc", "n_resamples": 200, "rng": 3}
    return en.thresholds(pi, **{**options, **more})


def known(value: float | None) -> float:
    """Return a value that must be there."""
    assert value is not None
    return value


def count_slowly(pi: Predictions, made: Thresholds, resamples: int) -> np.ndarray:
    """Return (B, 2, 2, G): in-bag and left out, positives and negatives, above each threshold."""
    metric, size = en.metric("roc_auc"), len(made.thresholds)
    final = pi.configs.ids.index(made.winner)
    everything = []

    def statistic(inbag: en.resampling.Weights) -> np.ndarray:
        best = choose_winners(pi, metric, inbag, Pooled())
        out = np.zeros((len(best), 2, 2, size))
        for b, config in enumerate(best):
            for which, weights in enumerate((inbag.values[b], inbag.values[b] == 0)):
                for g, cut in enumerate(made.thresholds):
                    if made.response == "decision" and config != final:
                        below = np.mean(pi.responses[:, final] <= cut)
                        ranked = np.sort(pi.responses[:, config].ravel())
                        count = int(np.ceil(below * len(ranked) - 1e-12))
                        cut = ranked[count - 1] if count else -np.inf
                    for label in (1, 0):
                        for r in range(pi.n_repeats):
                            above = (pi.responses[:, config, r] > cut) & (pi.target.y == label)
                            out[b, which, 1 - label, g] += (weights * above).sum()
        everything.append(out)
        return np.zeros((len(best), 1))

    resample_statistic(
        statistic,
        pi.target,
        choose_resampler(None, pi.target, UndefinedRule.REDRAW),
        resamples,
        Seeds.of(3),
        accept=every_class_on_both_sides(pi.target),
        redraw=True,
        columns=pi.n_configs,
    )
    return np.concatenate(everything)


def correct_slowly(
    pi: Predictions, made: Thresholds, above: np.ndarray, totals: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return hits, alarms, positives and negatives of the winner, without what its choice adds."""
    scores = pi.responses[:, pi.configs.ids.index(made.winner)].astype(float)
    parts, sizes = [], []
    for which, label in enumerate((1, 0)):
        mine = scores[pi.target.y == label]
        fair = []
        for g, cut in enumerate(made.thresholds):
            seen, left = (above[side, which, g] / totals[side, which] for side in (0, 1))
            fair.append(min(max(float((mine > cut).mean()) - (seen - left) / 2**0.5, 0.0), 1.0))
        falling = [(min(fair[: g + 1]) + max(fair[g:])) / 2 for g in range(len(fair))]
        parts.append(np.array(falling) * len(mine))
        sizes.append(float(len(mine)))
    return parts[0], parts[1], sizes[0], sizes[1]


@pytest.mark.parametrize(
    "kind",
    [{}, {"tied": True}, {"groups": True}, {"repeats": 2}, {"decision": True}, {"configs": 1}],
    ids=["plain", "ties", "groups", "repeats", "decision values", "one configuration"],
)
def test_every_count_is_that_of_a_loop_over_resamples_and_thresholds(
    kind: SampleOptions,
) -> None:
    plain: SampleOptions = {"configs": 3}
    pi = sample(36, **{**plain, **kind})
    made = ask(pi, n_resamples=12)
    slow = count_slowly(pi, made, 12)
    draws = made.draws
    assert draws is not None
    np.testing.assert_array_equal(draws.hits_in, slow[:, 0, 0])
    np.testing.assert_array_equal(draws.alarms_in, slow[:, 0, 1])
    np.testing.assert_array_equal(draws.hits_out, slow[:, 1, 0])
    np.testing.assert_array_equal(draws.alarms_out, slow[:, 1, 1])
    totals = draws.totals.sum(axis=0).reshape(2, 2)
    hits, alarms, pos, neg = correct_slowly(pi, made, slow.sum(axis=0), totals)
    expected = {
        "sensitivity": hits / pos,
        "specificity": 1 - alarms / neg,
        "flagged": (hits + alarms) / (pos + neg),
        "accuracy": (hits + neg - alarms) / (pos + neg),
        "balanced_accuracy": (hits / pos + 1 - alarms / neg) / 2,
    }
    with np.errstate(invalid="ignore"):
        expected["ppv"] = hits / (hits + alarms)
        expected["npv"] = (neg - alarms) / (pos + neg - hits - alarms)
    if made.response == "probability":
        odds = np.array(made.thresholds) / (1 - np.array(made.thresholds))
        expected["net_benefit"] = (hits - odds * alarms) / (pos + neg)
        expected["standardized_net_benefit"] = (hits - odds * alarms) / pos
    assert set(expected) == set(made.measures)
    for name in ("ppv", "npv"):  # undefined where the winner calls no case so
        naive = np.array(made.curves[name].naive, dtype=float)
        expected[name] = np.where(np.isnan(naive), np.nan, expected[name])
    for name, values in expected.items():
        found = np.array(made.curves[name].value, dtype=float)
        np.testing.assert_allclose(found, values, rtol=0, atol=1e-12, err_msg=name)


def test_the_naive_values_are_those_of_the_winner_on_all_cases() -> None:
    pi = sample(150, 8, tied=True)
    made = ask(pi)
    column = pi.responses[:, pi.configs.ids.index(made.winner), 0]
    for cut in (0.3, 0.5):
        tn, fp, fn, tp = confusion_matrix(pi.target.y, column > cut).ravel()
        row = made.at(cut)
        found = [rate.naive for rate in map(row.rate, MEASURES) if rate is not None]
        sens, spec = tp / (tp + fn), tn / (tn + fp)
        expected = [
            sens,
            spec,
            tp / (tp + fp),
            tn / (tn + fn),
            (tp + fp) / 150,
            (tp + tn) / 150,
            (sens + spec) / 2,
            (tp - fp * cut / (1 - cut)) / 150,
            (tp - fp * cut / (1 - cut)) / 50,
        ]
        assert found == pytest.approx(expected, abs=1e-12)
        assert row.treat_all == pytest.approx((50 - 100 * cut / (1 - cut)) / 150, abs=1e-12)


def test_the_winner_and_its_resamples_are_those_of_the_estimate() -> None:
    pi = sample(120, 10)
    estimate = en.estimate(pi, metric="accuracy", n_resamples=300, rng=3)
    made = thresholds_beside(estimate, pi, en.metric("accuracy"))
    assert made == ask(pi, metric="accuracy", n_resamples=300)
    assert made.winner == estimate.winner
    # The winner's own less the optimism, and a mean over the cases left out, know the same choice:
    # one standard error of a share of 120 cases is 0.04.
    assert made.at(0.5).accuracy.value == pytest.approx(estimate.value, abs=0.02)


def test_a_table_is_the_winner_s_and_not_a_mixture_of_scales() -> None:
    """A confident and a timid model with one log loss: resamples choose both, the table is one's.

    Half of the resamples choose the other, whose sensitivity is 0.3 away or more at some threshold.
    What a choice between two of the same ranks adds to a share of 50 positives is below 0.07, one
    standard error; a mean over what resamples choose would be 0.15 away.
    """
    rng = np.random.default_rng(4)
    y = (np.arange(200) % 4 == 0).astype(int)
    odds = 1.5 * y - 2.2 + rng.standard_normal(200)

    def scale(by: float) -> np.ndarray:
        return 1 / (1 + np.exp(1.1 - by * (odds + 1.8)))

    def lose(by: float) -> float:
        return float(-np.log(np.where(y == 1, scale(by), 1 - scale(by))).mean())

    timid = min(np.linspace(0.05, 1.0, 2000), key=lambda by: abs(lose(by) - lose(2.4)))
    pi = Predictions.from_arrays(y, np.column_stack([scale(2.4), scale(timid)]))
    winners = en.estimate(pi, metric="log_loss", n_resamples=200, rng=3).details.winners
    assert 0.25 <= np.mean(winners == 0) <= 0.75
    made = ask(pi, metric="log_loss")
    for name in ("sensitivity", "specificity"):
        curve = made.curves[name]
        for value, naive in zip(curve.value, curve.naive, strict=True):
            assert known(value) == pytest.approx(known(naive), abs=0.07)
    other = scale(timid if made.winner == pi.configs.ids[0] else 2.4)
    away = [
        abs((other[y == 1] > cut).mean() - known(naive))
        for cut, naive in zip(made.thresholds, made.curves["sensitivity"].naive, strict=True)
    ]
    assert max(away) > 0.3


def test_a_search_answers_on_the_resamples_of_its_estimate() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 3))
    y = (X[:, 0] + rng.standard_normal(80) > 0).astype(int)
    search = en.SearchCV(
        LogisticRegression(), {"C": [0.01, 1.0, 100.0]}, scoring="roc_auc", random_state=1
    ).fit(X, y)
    found = search.thresholds([0.333])
    assert found.at(0.333).threshold == 0.333
    assert found.winner == search.estimate_.winner
    made = search.estimate_
    again = thresholds_beside(made, search.predictions_, en.metric("roc_auc"), given=[0.333])
    assert found == again
    assert found.provenance.seed == made.provenance.seed


def test_rules_choose_on_all_cases_what_they_say() -> None:
    made = ask(sample(200, 6))
    naive = {name: np.array(made.curves[name].naive, dtype=float) for name in made.measures}
    grid = made.thresholds
    found = grid.index(made.choose(sensitivity=0.9).threshold)
    assert naive["sensitivity"][found] >= 0.9 > naive["sensitivity"][found + 1]
    kept = grid.index(made.choose(specificity=0.8).threshold)
    assert naive["specificity"][kept] >= 0.8 > naive["specificity"][kept - 1]
    best = made.choose("youden")
    assert best.balanced_accuracy.naive == naive["balanced_accuracy"].max()
    useful = made.choose("net_benefit", act_from=0.25)
    hits, alarms = naive["sensitivity"] * 67, (1 - naive["specificity"]) * 133
    assert useful.net_benefit is not None
    assert useful.net_benefit.naive == pytest.approx((hits - alarms / 3).max() / 200, abs=1e-12)
    assert useful.treat_all == pytest.approx((67 - 133 / 3) / 200, abs=1e-12)
    for choice in (best, useful):
        for name in made.measures:
            rate = choice.rate(name)
            assert rate is not None
            assert known(rate.low) <= known(rate.value) <= known(rate.high)


def test_a_chosen_threshold_is_corrected_for_what_resamples_lose_by_choosing() -> None:
    """The difference of in-bag and left-out counts, over the root of two, comes off the naive."""
    made = ask(sample(120, 4))
    draws = made.draws
    assert draws is not None
    good = draws.hits_in >= 0.9 * draws.totals[:, :1] - 1e-9
    last = np.array([np.flatnonzero(row)[-1] for row in good])
    rows = np.arange(len(last))
    seen = draws.hits_in[rows, last].sum() / draws.totals[:, 0].sum()
    left = draws.hits_out[rows, last].sum() / draws.totals[:, 2].sum()
    choice = made.choose(sensitivity=0.9)
    assert choice.sensitivity.naive is not None
    expected = choice.sensitivity.naive - (seen - left) / np.sqrt(2)
    assert choice.sensitivity.value == pytest.approx(expected, abs=1e-12)
    assert choice.sensitivity.value < choice.sensitivity.naive


def test_bands_hold_the_value_and_those_at_once_hold_those_of_one() -> None:
    made = ask(sample(100, 5), confidence_level=0.9)
    wider = ask(sample(100, 5), confidence_level=0.99)
    for name in made.measures:
        curve, other = made.curves[name], wider.curves[name]
        parts = (curve.low, curve.pointwise_low, curve.value, curve.pointwise_high, curve.high)
        for one in zip(other.low, *parts, other.high, strict=True):
            known = [value for value in one if value is not None]
            assert known == sorted(known)


def test_one_side_leaves_the_other_open_and_is_narrower() -> None:
    pi = sample(100, 5)
    both, lower, upper = (ask(pi, side=side) for side in ("two-sided", "pessimistic", "upper"))
    assert (lower.side, upper.side) == ("lower", "upper")
    place = both.thresholds.index(0.5)
    for name in ("sensitivity", "ppv"):
        assert lower.curves[name].high[place] == 1.0
        assert upper.curves[name].low[place] == 0.0
        whole = both.curves[name]
        assert known(lower.curves[name].low[place]) > known(whole.low[place])
        assert known(upper.curves[name].high[place]) < known(whole.high[place])
    assert lower.curves["net_benefit"].high[place] is None


def test_groups_of_equal_cases_are_worth_one_case_each() -> None:
    """Every case four times as a group: limits are those of the cases alone, not of four times."""
    pi = sample(60, 1)
    rows = np.repeat(np.arange(60), 4)
    copied = Predictions.from_arrays(
        pi.target.y[rows], pi.responses[rows, 0, 0], np.arange(240) % 5, groups=rows
    )
    alone, together = (ask(one).at(0.5) for one in (pi, copied))
    independent = ask(replace(copied, target=replace(copied.target, groups=None))).at(0.5)
    width, grouped, apart = (
        known(one.specificity.pointwise_high) - known(one.specificity.pointwise_low)
        for one in (alone, together, independent)
    )
    assert grouped == pytest.approx(width, rel=0.05)
    assert apart < 0.6 * width


def test_decision_values_are_read_by_rank_and_have_no_net_benefit() -> None:
    pi = sample(90, 4, decision=True)
    other = replace(pi, responses=np.exp(pi.responses.astype(np.float64)))
    made, warped = ask(pi), ask(other)
    assert "net_benefit" not in made.measures
    assert made.at(made.thresholds[50]).net_benefit is None
    assert "decision_values" in [caution.kind for caution in made.cautions]
    for cut in made.thresholds[5:90:20]:
        if cut != made.usual:
            here, there = made.at(cut), warped.at(float(np.exp(np.float32(cut))))
            assert here.sensitivity.value == pytest.approx(there.sensitivity.value, abs=0.03)
    with pytest.raises(EvidenceError, match="net benefit"):
        made.choose("net_benefit", act_from=0.2)


def test_small_probabilities_have_a_fine_grid_and_named_thresholds_are_on_it() -> None:
    pi = sample(200, 3)
    rare = replace(pi, responses=pi.responses / 50)
    made = ask(rare, thresholds=[0.00123, 0.7])
    assert made.thresholds[0] < float(rare.responses.min())
    assert len([one for one in made.thresholds if one < 0.02]) > 50
    assert made.at(0.00123).threshold == 0.00123
    assert made.at(0.7).sensitivity.value == 0.0
    assert made.at(0.7).ppv.value is None
    assert max(made.thresholds) < 1.0


def test_the_grid_reaches_over_the_scores_of_every_configuration() -> None:
    pi = sample(200, 3)
    spread = pi.responses.astype(np.float64)
    spread[:, 1] = 0.45 + spread[:, 1] / 10  # the same ranks, all near the middle
    for wide in (0, 2):
        spread[:, wide] = np.random.default_rng(wide).random((200, 1))  # no skill, and far apart
    made = ask(replace(pi, responses=spread))
    assert made.winner == pi.configs.ids[1]
    near = [one for one in made.thresholds if 0.45 <= one <= 0.55]
    assert len(near) > 40
    assert made.thresholds[0] < spread.min()
    assert made.thresholds[-1] > 0.98


def test_a_threshold_far_from_the_scores_is_refused() -> None:
    made = ask(sample(60, 2))
    with pytest.raises(InputError, match="range"):
        made.at(7.0)
    with pytest.raises(InputError, match="number"):
        made.at(cast(float, "high"))


@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"rule": "best"},
        {"rule": "youden", "sensitivity": 0.9},
        {"rule": "youden", "act_from": 0.2},
        {"rule": "net_benefit"},
        {"sensitivity": 1.5},
        {"sensitivity": 0.9, "specificity": 0.9},
    ],
)
def test_a_rule_that_is_none_or_two_is_refused(rule: Rule) -> None:
    with pytest.raises(InputError):
        ask(sample(30, 1), n_resamples=5).choose(**rule)


def test_a_choice_needs_the_draws() -> None:
    made = ask(sample(30, 1), n_resamples=5)
    with pytest.raises(EvidenceError, match="draws"):
        Thresholds.from_dict(made.to_dict()).choose("youden")
    again = Thresholds.from_dict(made.to_dict(draws=True))
    assert again.choose("youden") == made.choose("youden")


def test_a_rule_that_no_threshold_satisfies_is_told() -> None:
    y = np.tile([0, 1], 40)
    scores = np.where(np.arange(80) % 4 == 0, 1.0, 0.3)  # negatives with a score of 1
    made = ask(Predictions.from_arrays(y, scores[:, None], response="probability"))
    choice = made.choose(specificity=0.9)
    assert choice.met < 0.1
    assert [each.kind for each in choice.cautions] == ["rule_not_met"]
    assert made.choose(sensitivity=0.9).cautions == ()


@pytest.mark.parametrize(
    "given",
    [
        example_predictions("multiclass"),
        example_predictions("regression"),
        example_predictions("survival"),
        en.Scores([[0, 1], [1, 1], [0, 0]]),
        Predictions.from_arrays([0, 1, 0, 1], [0, 1, 1, 1], response="label"),
        "scores.csv",
    ],
    ids=["classes", "regression", "survival", "scores", "labels", "path"],
)
def test_what_no_threshold_cuts_is_refused(given: object) -> None:
    with pytest.raises(EarnestError):
        en.thresholds(cast(Predictions, given), metric="accuracy")


def test_options_that_are_none_are_refused() -> None:
    pi = sample(30, 2)
    for wrong in (
        {"n_resamples": 1},
        {"side": "left"},
        {"confidence_level": 1.0},
        {"selector": en.rules.GreedyEnsemble()},
        {"thresholds": [2.0]},
        {"thresholds": [None]},
    ):
        with pytest.raises(EarnestError):
            ask(pi, **wrong)


def test_threads_and_selectors() -> None:
    pi = sample(80, 6)
    assert ask(pi, n_jobs=1) == ask(pi, n_jobs=2)
    simple = ask(pi, metric="accuracy", selector="mean_of_folds")
    assert simple.provenance.knobs["selector"] == "mean_of_folds"


@pytest.mark.parametrize(("n", "configs"), [(100, 1), (100, 10)])
def test_chosen_thresholds_are_unbiased_and_bands_hold_at_once(n: int, configs: int) -> None:
    """Thirty samples: 4 standard errors of a share of 0.95 are 0.159; of a bias, as measured."""
    row = simulate(Cell(n, configs), 30)
    for name in ("sensitivity", "specificity", "ppv", "npv", "balanced_accuracy", "net_benefit"):
        assert getattr(row, f"all_{name}") >= 0.95 - 0.159, name
    assert min(row.youden_holds, row.found_holds) >= 0.95 - 0.159
    assert abs(row.youden_bias) <= 4 * row.youden_error
    assert abs(row.found_bias) <= 4 * row.found_error
    assert row.youden_naive > 4 * row.youden_error  # the uncorrected choice is visibly too good


def test_one_class_among_the_tested_cases_is_refused() -> None:
    fold = np.repeat([0, 1], 4)
    scores = np.where(fold == 0, np.linspace(0.1, 0.8, 8), np.nan)[:, None]
    pi = Predictions.from_arrays(np.repeat([0, 1], 4), scores, fold)
    with pytest.raises(EvidenceError, match="none of 1"):
        en.thresholds(pi, metric="accuracy", n_resamples=20, rng=0)
