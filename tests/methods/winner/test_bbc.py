"""Bootstrap bias corrected CV."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate
from earnest.methods import BBC
from earnest.methods.winner.bbc import BBCDetails
from earnest.resampling import (
    BayesianBootstrap,
    GroupBootstrap,
    StratifiedBootstrap,
    every_class_on_both_sides,
    something_out_of_bag,
)
from earnest.testing import squared_error
from tests.methods import oracles

EXACT = 1e-12


def test_bbc_equals_the_plain_loop_for_the_auc(binary: Predictions) -> None:
    y, scores = binary.target.y, binary.responses[:, :, 0]
    accept = every_class_on_both_sides(binary.target)
    counts = oracles.counts_of(binary, 80, 7, accept)
    draws, winners = oracles.bbc(y, scores, counts, oracles.auc)
    made = estimate(binary, method=BBC(n_resamples=80), metric="roc_auc", rng=7)
    np.testing.assert_allclose(made.draws, draws, atol=EXACT)
    np.testing.assert_array_equal(made.details.winners, winners)
    assert made.value == pytest.approx(draws.mean(), abs=EXACT)


def test_bbc_equals_the_plain_loop_for_accuracy_with_ties(binary: Predictions) -> None:
    y, scores = binary.target.y, binary.responses[:, :, 0]
    counts = oracles.counts_of(binary, 80, 8, something_out_of_bag)
    draws, winners = oracles.bbc(y, scores, counts, oracles.accuracy)
    made = estimate(binary, method=BBC(n_resamples=80), metric="accuracy", rng=8)
    np.testing.assert_allclose(made.draws, draws, atol=EXACT)
    np.testing.assert_array_equal(made.details.winners, winners)


def test_bbc_equals_the_plain_loop_for_a_loss(regression: Predictions) -> None:
    y, scores = regression.target.y, regression.responses[:, :, 0]
    counts = oracles.counts_of(regression, 80, 9, something_out_of_bag)
    draws, winners = oracles.bbc(y, scores, counts, oracles.minus_mse)
    made = estimate(regression, method=BBC(n_resamples=80), metric=squared_error, rng=9)
    np.testing.assert_allclose(made.draws, -draws, atol=EXACT)
    np.testing.assert_array_equal(made.details.winners, winners)


def test_repeats_of_a_case_go_together_and_metrics_are_averaged(repeated: Predictions) -> None:
    y = repeated.target.y
    counts = oracles.counts_of(repeated, 60, 3, every_class_on_both_sides(repeated.target))
    draws = []
    for count in counts:
        inside, outside = np.repeat(np.arange(len(y)), count), np.flatnonzero(count == 0)
        gains = [
            float(
                np.mean(
                    [oracles.auc(y[inside], repeated.responses[inside, c, r]) for r in range(3)]
                )
            )
            for c in range(3)
        ]
        best = oracles.first_best(gains)
        draws.append(
            np.mean(
                [oracles.auc(y[outside], repeated.responses[outside, best, r]) for r in range(3)]
            )
        )
    made = estimate(repeated, method=BBC(n_resamples=60), metric="roc_auc", rng=3)
    np.testing.assert_allclose(made.draws, draws, atol=EXACT)


def test_the_winner_and_the_naive_score_are_those_of_the_sample(binary: Predictions) -> None:
    y, scores = binary.target.y, binary.responses[:, :, 0]
    aucs = [oracles.auc(y, scores[:, c]) for c in range(5)]
    made = estimate(binary, metric="roc_auc", rng=0)
    assert made.winner == f"c{int(np.argmax(aucs))}"
    assert made.naive == pytest.approx(max(aucs), abs=EXACT)
    assert made.optimism == pytest.approx(max(aucs) - made.value, abs=EXACT)


def test_win_shares_count_the_in_bag_winners(binary: Predictions) -> None:
    details = estimate(binary, method=BBC(n_resamples=100), metric="roc_auc", rng=1).details
    expected = [np.mean(details.winners == c) for c in range(5)]
    np.testing.assert_allclose(details.win_share, expected)
    assert details.win_share.sum() == pytest.approx(1)


def test_win_shares_leave_out_resamples_without_a_winner() -> None:
    details = BBCDetails.of(np.array([1, -1, 1, 0]), 3)
    np.testing.assert_allclose(details.win_share, [1 / 3, 2 / 3, 0])


def test_one_configuration_is_close_to_its_own_score(binary: Predictions) -> None:
    # seed 0; 4 standard errors of a mean of 1000 out-of-bag AUCs
    made = estimate(binary.select("c4"), method="bbc", metric="roc_auc", rng=0)
    assert made.draws is not None
    assert made.naive is not None
    assert abs(made.value - made.naive) < 4 * made.draws.std() / np.sqrt(1000)
    assert "EN015" in {c.code for c in made.cautions}


def test_pure_noise_is_no_better_than_chance() -> None:
    # 100 equal configurations of noise, seed 5: the naive AUC is far above one half, the
    # corrected one within 4 of its own standard errors over data sets, sqrt((n+1)/12)/n... = .055
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], 40)
    made = estimate(Predictions.from_arrays(y, rng.random((80, 100))), metric="roc_auc", rng=0)
    assert made.naive is not None
    assert made.naive > 0.6
    assert abs(made.value - 0.5) < 4 * np.sqrt(81 / (12 * 40 * 40))


def test_a_dominating_configuration_leaves_nothing_to_correct() -> None:
    # the first column is right but for noise, all others are wrong: it wins every resample
    rng = np.random.default_rng(6)
    y = np.tile([0, 1], 50)
    good = y + 0.8 * rng.standard_normal(100)
    scores = np.column_stack([good, *(-y + rng.standard_normal(100) for _ in range(5))])
    pi = Predictions.from_arrays(y, scores)
    made = estimate(pi, metric="roc_auc", rng=0)
    alone = estimate(pi.select("c0"), method="bbc", metric="roc_auc", rng=0)
    np.testing.assert_array_equal(made.draws, alone.draws)
    assert made.details.win_share[0] == 1


def test_more_resamples_extend_the_earlier_draws(binary: Predictions) -> None:
    few = estimate(binary, method=BBC(n_resamples=100), metric="roc_auc", rng=2).draws
    more = estimate(binary, method=BBC(n_resamples=250), metric="roc_auc", rng=2).draws
    assert few is not None
    assert more is not None
    np.testing.assert_array_equal(few, more[:100])


def test_bayesian_weights_are_refused_with_the_reason(binary: Predictions) -> None:
    for given in ("bayesian", BayesianBootstrap()):
        with pytest.raises(en.errors.EvidenceError, match="never 0") as refusal:
            estimate(binary, method=BBC(resampler=given), metric="roc_auc")
        assert "naive_bootstrap" in refusal.value.cure


def test_stratified_resamples_keep_the_classes(binary: Predictions) -> None:
    made = estimate(binary, method=BBC(undefined="stratify"), metric="roc_auc", rng=1)
    named = estimate(binary, method=BBC(resampler="stratified"), metric="roc_auc", rng=1)
    assert made.provenance.knobs["resampler"] == "stratified"
    counts = oracles.counts_of(binary, 40, 1, None, StratifiedBootstrap())
    y, scores = binary.target.y, binary.responses[:, :, 0]
    draws, _ = oracles.bbc(y, scores, counts, oracles.auc)
    assert made.draws is not None
    np.testing.assert_allclose(made.draws[:40], draws, atol=EXACT)
    assert named.provenance.knobs["resampler"] == "stratified"


def test_dropped_resamples_are_counted() -> None:
    # three positives of ten: some resamples have none in-bag or out-of-bag; seed 4
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    scores = np.random.default_rng(4).standard_normal((10, 3))
    pi = Predictions.from_arrays(y, scores)
    dropped, redrawn = (
        estimate(pi, method=BBC(undefined=u, n_resamples=200), metric="roc_auc", rng=0)
        for u in ("drop", "redraw")
    )
    assert dropped.n_resamples == redrawn.n_resamples == redrawn.n_valid == 200
    assert dropped.n_valid is not None
    assert 0 < dropped.n_valid < 200
    assert dropped.draws is not None
    assert np.isnan(dropped.draws).sum() == 200 - dropped.n_valid
    assert "EN010" in {c.code for c in dropped.cautions}
    assert "EN010" not in {c.code for c in redrawn.cautions}


def test_dropping_and_redrawing_estimate_the_same() -> None:
    # both average over the accepted resamples: 4 sd of the difference of two means of 600
    y = np.array([1] * 4 + [0] * 12)
    scores = y[:, None] + np.random.default_rng(4).standard_normal((16, 3))
    pi = Predictions.from_arrays(y, scores)
    runs = [
        estimate(pi, method=BBC(undefined=u, n_resamples=600), metric="roc_auc", rng=0)
        for u in ("drop", "redraw")
    ]
    spread = [run.standard_error or 0.0 for run in runs]
    assert abs(runs[0].value - runs[1].value) < 4 * np.hypot(*spread) / np.sqrt(560)


def test_a_class_with_one_case_is_refused() -> None:
    pi = Predictions.from_arrays([1, 0, 0, 0, 0], np.linspace(0, 1, 10).reshape(5, 2))
    with pytest.raises(en.errors.EvidenceError, match="class 1 has one case"):
        estimate(pi, metric="roc_auc", rng=0)


def test_two_cases_are_refused_for_the_auc_and_answered_for_a_loss() -> None:
    two = Predictions.from_arrays([0, 1], [[0.1], [0.7]])
    with pytest.raises(en.errors.EvidenceError):
        estimate(two, method="bbc", metric="roc_auc", rng=0)
    pair = Predictions.from_arrays([0.25, 1.5], [[0.0, 0.2], [1.0, 1.1]], task="regression")
    made = estimate(pair, metric=squared_error, rng=0)
    # a resample is one case twice, the other one scores: case 0 in -> column 1 wins -> .16 there;
    # case 1 in -> column 1 wins -> .0025; both equally likely
    assert made.value == pytest.approx((0.16 + 0.0025) / 2, abs=4 * 0.079 / np.sqrt(1000))


def test_constant_scores_are_one_half_and_ties_go_to_the_first() -> None:
    pi = Predictions.from_arrays([0, 1] * 10, np.full((20, 3), 0.3))
    made = estimate(pi, metric="roc_auc", rng=0)
    assert (made.value, made.naive, made.winner) == (0.5, 0.5, "c0")
    assert made.interval is not None
    assert made.interval.low < 0.5 < made.interval.high  # ten pairs, every one a tie
    assert made.details.win_share[0] == 1
    assert {"EN005", "EN035"} <= {c.code for c in made.cautions}


def test_groups_are_drawn_whole(grouped: Predictions) -> None:
    made = estimate(grouped, metric="roc_auc", rng=2)
    assert made.provenance.knobs["resampler"] == "group"
    accept = every_class_on_both_sides(grouped.target)
    counts = oracles.counts_of(grouped, 50, 2, accept, GroupBootstrap())
    y, scores = grouped.target.y, grouped.responses[:, :, 0]
    draws, _ = oracles.bbc(y, scores, counts, oracles.auc)
    assert made.draws is not None
    np.testing.assert_allclose(made.draws[:50], draws, atol=EXACT)


def test_groups_cannot_be_stratified(grouped: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="groups"):
        estimate(grouped, method=BBC(undefined="stratify"), metric="roc_auc")


def test_in_bag_means_of_folds_are_for_means_over_cases_only(binary: Predictions) -> None:
    made = estimate(binary, method=BBC(selector="mean_of_folds"), metric="accuracy", rng=0)
    assert made.provenance.knobs["selector"] == "mean_of_folds"
    with pytest.raises(en.errors.MetricError, match="mean_of_folds"):
        estimate(binary, method=BBC(selector="mean_of_folds"), metric="roc_auc", rng=0)


def test_in_bag_mean_of_folds_equals_the_plain_loop(binary: Predictions) -> None:
    y, scores, fold = binary.target.y, binary.responses[:, :, 0], binary.folds[:, 0]
    counts = oracles.counts_of(binary, 80, 5, something_out_of_bag)
    draws = []
    for count in counts:
        inside, outside = np.repeat(np.arange(len(y)), count), np.flatnonzero(count == 0)
        table = oracles.fold_table(y[inside], scores[inside], fold[inside], oracles.accuracy)
        best = oracles.first_best(list(table.mean(axis=0)))
        draws.append(oracles.accuracy(y[outside], scores[outside, best]))
    made = estimate(
        binary, method=BBC(selector="mean_of_folds", n_resamples=80), metric="accuracy", rng=5
    )
    np.testing.assert_allclose(made.draws, draws, atol=EXACT)


def test_a_dropped_configuration_is_left_out(binary: Predictions) -> None:
    responses = binary.responses.copy()
    responses[binary.folds[:, 0] == 3, 4] = np.nan  # c4 was not evaluated in fold 3
    made = estimate(replace(binary, responses=responses), metric="roc_auc", rng=0)
    rest = estimate(binary.select(["c0", "c1", "c2", "c3"]), metric="roc_auc", rng=0)
    np.testing.assert_array_equal(made.draws, rest.draws)
    assert made.n_configs == 4
    assert "EN012" in {c.code for c in made.cautions}


def test_an_unfinished_cross_validation_uses_the_folds_that_are_there(binary: Predictions) -> None:
    responses = binary.responses.copy()
    missing = binary.folds[:, 0] == 3
    responses[missing] = np.nan
    made = estimate(replace(binary, responses=responses), metric="roc_auc", rng=0)
    assert made.n_cases == 60 - missing.sum()
    assert "EN013" in {c.code for c in made.cautions}


def lacking_cases(pi: Predictions) -> Predictions:
    """Return predictions in which the second repeat did not test the first six cases."""
    folds, responses = pi.folds.copy(), pi.responses.copy()
    folds[:6, 1], responses[:6, :, 1] = -1, np.nan
    return replace(pi, folds=folds, responses=responses)


def test_repeats_may_lack_cases(repeated: Predictions) -> None:
    made = estimate(lacking_cases(repeated), metric="roc_auc", rng=0)
    assert made.n_cases == 60
    y, counts = (
        repeated.target.y,
        oracles.counts_of(repeated, 20, 0, every_class_on_both_sides(repeated.target)),
    )
    draws = []
    for count in counts:
        rows = [np.arange(60), np.arange(6, 60), np.arange(60)]
        inside = [np.repeat(r, count[r]) for r in rows]
        outside = [r[count[r] == 0] for r in rows]

        def score(parts: list[np.ndarray], c: int) -> float:
            values = [oracles.auc(y[p], repeated.responses[p, c, r]) for r, p in enumerate(parts)]
            return float(np.mean(values))

        best = oracles.first_best([score(inside, c) for c in range(3)])
        draws.append(score(outside, best))
    assert made.draws is not None
    np.testing.assert_allclose(made.draws[:20], draws, atol=EXACT)


def test_without_folds_the_predictions_are_one_hold_out_set(binary: Predictions) -> None:
    whole = Predictions.from_arrays(binary.target.y, binary.responses[:, :, 0])
    made, folded = (estimate(pi, metric="roc_auc", rng=0) for pi in (whole, binary))
    np.testing.assert_array_equal(made.draws, folded.draws)
    assert made.provenance.n_folds == 1


@pytest.mark.parametrize("wrong", [3, "cases", object()])
def test_what_is_no_resampler_is_refused(binary: Predictions, wrong: object) -> None:
    with pytest.raises(en.errors.UnknownNameError, match="resampler"):
        estimate(binary, method=BBC(resampler=wrong), metric="roc_auc")


def test_knobs_are_checked_when_they_are_set() -> None:
    for knobs in ({"n_resamples": 0}, {"undefined": "ignore"}, {"limits": "other"}):
        with pytest.raises(en.errors.InputError):
            BBC(**knobs)


def test_the_result_survives_json_with_its_draws(binary: Predictions) -> None:
    made = estimate(binary, method=BBC(n_resamples=50), metric="roc_auc", rng=0)
    back = en.results.Estimate.from_dict(json.loads(json.dumps(made.to_dict(draws=True))))
    assert back == made
    np.testing.assert_array_equal(back.draws, made.draws)


def test_repeats_do_not_move_the_value() -> None:
    """Fifteen equal configurations, accuracy .75: one repeat and five have the truth as their mean.

    30 samples of 60 cases, seed 11; a case's difficulty is the same in every repeat. Both means,
    and their difference, are held to 4 standard errors.
    """
    runs, values = 30, []
    cut = np.sqrt(2.0) * NormalDist().inv_cdf(0.75)
    for run in range(runs):
        rng = np.random.default_rng([11, run])
        y = np.tile([0, 1], 30)
        own = rng.standard_normal((60, 15, 1)) + rng.standard_normal((60, 15, 5))
        said = np.where(own < cut, y[:, None, None], 1 - y[:, None, None])
        folds = np.stack([rng.permutation(np.arange(60) % 5) for _ in range(5)], axis=1)
        pair = []
        for repeats in (1, 5):
            pi = Predictions.from_arrays(
                y, said[:, :, :repeats], folds[:, :repeats], response="label"
            )
            made = estimate(pi, method="bbc", metric="accuracy", rng=run, n_resamples=100)
            pair.append(made.value)
        values.append(pair)
    found = np.array(values)  # (runs, 2)
    error = found.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (np.abs(found.mean(axis=0) - 0.75) <= 4 * error).all()
    apart = found[:, 1] - found[:, 0]
    assert abs(apart.mean()) <= 4 * apart.std(ddof=1) / np.sqrt(runs)


def blended(pi: Predictions, made: en.results.Estimate) -> np.ndarray:
    """Return what the ensemble of an estimate predicts: (n,)."""
    assert made.ensemble is not None
    places = [pi.configs.ids.index(name) for name in made.ensemble]
    return pi.responses[:, places, 0] @ np.array(list(made.ensemble.values()))


def score_one(y: np.ndarray, p: np.ndarray, metric: str) -> float:
    one = Predictions.from_arrays(y, p, response="probability")
    return float(en.kernels.score_table(one, metric, np.ones((1, len(y)), dtype=int))[0, 0])


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "f1"])
def test_an_ensemble_is_scored_on_cases_that_did_not_choose_it(
    binary: Predictions, metric: str
) -> None:
    from earnest.core import Purpose, Seeds
    from earnest.inference import choose_ensembles
    from earnest.inference.resampling.ensembles import leave_parts_out
    from earnest.resampling import Weights

    rule, measure = en.rules.GreedyEnsemble(size=4), en.metric(metric).on("binary")
    pi = replace(binary, kind=type(binary.kind)("probability"))
    pi = replace(pi, responses=1 / (1 + np.exp(-binary.responses)))
    y, p = pi.target.y, pi.responses[:, :, 0]
    scores = []
    for turn in range(2):  # the fewest partitions
        inside = leave_parts_out(pi.target, Seeds(7).generator(Purpose.CROSS_FIT, turn))
        assert ((inside == 0).sum(axis=0) == 1).all()  # each case is left out once
        crossed = np.empty(len(y))
        for row in inside:
            (own,) = choose_ensembles(pi, measure, Weights(row[None]), rule)
            crossed[row == 0] = p[row == 0] @ own
        scores.append(score_one(y, crossed, metric))
    made = estimate(pi, method=BBC(n_resamples=40, selector=rule), metric=metric, rng=7)
    assert made.value == pytest.approx(np.mean(scores), abs=EXACT)
    assert made.naive == pytest.approx(score_one(y, blended(pi, made), metric), abs=EXACT)
    assert sum(made.ensemble.values()) == pytest.approx(1.0)
    again = en.results.Estimate.from_dict(json.loads(json.dumps(made.to_dict(draws=True))))
    assert again.ensemble == dict(made.ensemble)
    assert again.winner == made.winner


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
def test_the_draws_of_an_ensemble_are_out_of_bag_scores_about_its_value(
    binary: Predictions, metric: str
) -> None:
    from earnest.inference import choose_ensembles
    from earnest.resampling import Weights

    rule, measure = en.rules.GreedyEnsemble(size=4), en.metric(metric).on("binary")
    pi = replace(binary, kind=type(binary.kind)("probability"))
    pi = replace(pi, responses=1 / (1 + np.exp(-binary.responses)))
    counts = oracles.counts_of(pi, 40, 7, oracles_accept(pi, metric))
    shares = choose_ensembles(pi, measure, Weights(counts.astype(np.uint8)), rule)
    y, p = pi.target.y, pi.responses[:, :, 0]
    pairs = zip(counts, shares, strict=True)
    draws = np.array([score_one(y[row == 0], p[row == 0] @ own, metric) for row, own in pairs])
    made = estimate(pi, method=BBC(n_resamples=40, selector=rule), metric=metric, rng=7)
    moved = np.clip(draws - draws.mean() + made.value, *measure.limits)
    np.testing.assert_allclose(made.draws, moved, atol=EXACT)


def oracles_accept(pi: Predictions, metric: str):  # type: ignore[no-untyped-def]
    rule = en.metric(metric).on("binary")
    return every_class_on_both_sides(pi.target) if rule.needs_all_classes else something_out_of_bag


def test_an_ensemble_of_one_step_is_the_single_winner(binary: Predictions) -> None:
    pi = replace(binary, kind=type(binary.kind)("probability"))
    pi = replace(pi, responses=1 / (1 + np.exp(-binary.responses)))
    single = estimate(pi, metric="roc_auc", n_resamples=60, rng=3)
    one = estimate(pi, metric="roc_auc", selector=en.rules.TopAverage(k=1), n_resamples=60, rng=3)
    moved = np.clip(single.draws - single.draws.mean() + one.value, 0.0, 1.0)
    np.testing.assert_allclose(one.draws, moved, atol=EXACT)
    assert (one.winner, dict(one.ensemble)) == (single.winner, {single.winner: 1.0})


def test_an_ensemble_rule_is_found_by_its_word_and_told_with_its_knobs(
    regression: Predictions,
) -> None:
    word = estimate(regression, metric="r2", selector="greedy_ensemble", n_resamples=20, rng=1)
    made = estimate(
        regression, metric="r2", selector=en.rules.GreedyEnsemble(size=25), n_resamples=20, rng=1
    )
    assert word.value == made.value
    assert made.provenance.knobs["selector"] == "greedy_ensemble"
    small = estimate(
        regression, metric="r2", selector=en.rules.GreedyEnsemble(size=3), n_resamples=20, rng=1
    )
    assert small.provenance.knobs["selector"] == "greedy_ensemble(size=3)"


def test_what_has_no_average_and_what_names_one_winner_refuse_ensembles() -> None:
    y = np.tile([0, 1], 20)
    rng = np.random.default_rng(0)
    labels = Predictions.from_arrays(y, rng.integers(0, 2, (40, 3)), response="label")
    with pytest.raises(en.errors.EvidenceError, match="average"):
        estimate(labels, metric="accuracy", selector=en.rules.TopAverage())
    pi = Predictions.from_arrays(y, rng.random((40, 3)), fold=np.arange(40) // 2 % 5)
    for method in ("naive", "bbc_fold", "near_winner", "tibshirani", "holdout"):
        with pytest.raises(en.errors.EarnestError):
            estimate(pi, method=method, metric="accuracy", selector=en.rules.TopAverage())
