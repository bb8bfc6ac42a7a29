"""DeLong's interval on all cases, on a part, and where its variance fails."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.core import AreaLimits, Estimand, Selection, Side
from earnest.errors import MetricError
from earnest.methods import DeLong
from earnest.results import Estimate
from earnest.testing import example_predictions
from tests.snapshots import Golden

Z = NormalDist().inv_cdf


def by_pairs(y: np.ndarray, score: np.ndarray) -> tuple[float, float]:
    """Return the AUC and DeLong's standard error by comparing all pairs."""
    difference = score[y == 1][:, None] - score[y == 0][None]
    psi = (difference > 0) + 0.5 * (difference == 0)
    v10, v01 = psi.mean(axis=1), psi.mean(axis=0)
    variance = v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01)
    return float(psi.mean()), float(np.sqrt(variance))


def codes(made: Estimate) -> set[str]:
    return {caution.kind for caution in made.cautions}


@pytest.fixture(scope="module")
def model() -> Predictions:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 30])
    return Predictions.from_arrays(y, np.round(y + rng.normal(size=80), 1))


def test_one_model_is_evaluated_on_all_cases_by_the_formula(model: Predictions) -> None:
    area, error = by_pairs(model.target.y, model.responses[:, 0, 0])
    made = estimate(model, method="delong", metric="roc_auc")
    assert made.value == pytest.approx(area, abs=1e-12)
    assert made.standard_error == pytest.approx(error, abs=1e-12)
    assert made.interval is not None
    reach = Z(0.975) * error
    assert (made.interval.low, made.interval.high) == pytest.approx(
        (area - reach, area + reach), abs=1e-12
    )
    assert made.estimand == Estimand.FIXED_MODEL
    assert made.naive is None
    assert "cases_only_select" not in codes(made)


def test_several_configurations_are_evaluated_on_the_part_that_did_not_choose() -> None:
    pi = example_predictions("binary", n_cases=200, n_configs=9)
    learn = np.random.default_rng(1).random(200) < 0.7
    made = estimate(pi, method=DeLong(learn=learn), metric="roc_auc")
    best = pi.configs.index(str(made.winner))
    area, error = by_pairs(pi.target.y[~learn], pi.responses[~learn, best, 0])
    assert made.value == pytest.approx(area, abs=1e-12)
    assert made.standard_error == pytest.approx(error, abs=1e-12)
    assert made.details.n_evaluated == int((~learn).sum())
    assert made.estimand == Estimand.CHOSEN_ON_LEARNING
    assert {"cases_only_select"} <= codes(made)
    assert made.provenance.knobs["learn"] == "".join(str(int(m)) for m in learn)


def test_the_random_split_is_a_quarter_of_each_class_and_needs_no_folds() -> None:
    pi = example_predictions("binary", n_cases=120, n_configs=4, n_folds=None)
    made = estimate(pi, method="delong", metric="roc_auc", rng=3)
    assert made.details.n_evaluated == 30
    again = estimate(pi, method="delong", metric="roc_auc", rng=3)
    assert made == again


def test_the_logit_scale_leaves_value_and_error_and_stays_inside(model: Predictions) -> None:
    plain = estimate(model, method="delong", metric="roc_auc")
    logit = estimate(model, method=DeLong(variant="logit"), metric="roc_auc")
    assert (logit.value, logit.standard_error) == (plain.value, plain.standard_error)
    near = Predictions.from_arrays([0] * 9 + [1] * 9, [*range(9), 6.5, *range(9, 17)])
    wald = estimate(near, method="delong", metric="roc_auc").interval
    ours = estimate(near, method=DeLong(variant="logit"), metric="roc_auc").interval
    assert wald is not None
    assert ours is not None
    assert wald.high == 1.0
    assert ours.low < wald.low
    assert ours.high < 1.0


def test_perfect_separation_has_width_and_a_word() -> None:
    y = np.repeat([0, 1], 20)
    for method in (DeLong(), DeLong(variant="logit")):
        made = estimate(
            Predictions.from_arrays(y, y), method=method, metric="roc_auc", side="lower"
        )
        assert made.value == 1.0
        assert made.interval is not None
        law = AreaLimits(1.0, 20, 20).limits(0.95, Side.LOWER)[0]
        assert made.interval.low == pytest.approx(law, abs=1e-12)
        assert "area_without_spread" in codes(made)


def test_repeats_of_the_same_predictions_narrow_nothing(model: Predictions) -> None:
    twice = replace(
        model,
        responses=np.repeat(model.responses, 2, axis=2),
        folds=np.repeat(model.folds, 2, axis=1),
        fold_names=model.fold_names * 2,
    )
    one, two = (estimate(p, method="delong", metric="roc_auc") for p in (model, twice))
    assert two.value == pytest.approx(one.value, abs=1e-12)
    assert two.standard_error == pytest.approx(one.standard_error, abs=1e-12)


def test_a_given_split_is_of_the_cases_as_given_also_where_some_were_never_tested() -> None:
    pi = example_predictions("binary", n_cases=100, n_configs=3)
    learn = np.arange(100) // 2 % 4 != 0
    responses = pi.responses.copy()
    untested = pi.folds[:, 0] == 2
    responses[untested] = np.nan
    partial = replace(pi, responses=responses)
    made = estimate(partial, method=DeLong(learn=learn), metric="roc_auc")
    assert made.details.n_evaluated == int((~learn & ~untested).sum())
    assert made.n_cases == int((~untested).sum())


def test_groups_make_the_variance_and_few_are_told_of(grouped: Predictions) -> None:
    made = estimate(grouped.select(0), method="delong", metric="roc_auc")
    alone = replace(grouped, target=replace(grouped.target, groups=np.arange(80)))
    plain = estimate(alone.select(0), method="delong", metric="roc_auc")
    assert "few_groups_in_variance" in codes(made)
    assert not {"groups_in_formula", "few_groups_in_variance"} & codes(plain)
    area, error = by_pairs(grouped.target.y, grouped.responses[:, 0, 0])
    assert plain.standard_error == pytest.approx(error, abs=1e-12)  # groups of one case
    assert made.value == plain.value == pytest.approx(area, abs=1e-12)
    assert made.standard_error != pytest.approx(error, rel=1e-3)


def test_few_cases_of_a_class_are_told_of_in_the_part_that_evaluates() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [20, 60])
    pi = Predictions.from_arrays(y, y[:, None] + rng.normal(size=(80, 3)))
    for method in ("delong", "delong_10p", "hanley_mcneil", "tilted", "mabt"):
        whole = estimate(pi.select(0), method=method, metric="roc_auc", rng=0)
        part = estimate(pi, method=method, metric="roc_auc", rng=0)  # five of twenty positives
        assert "few_for_an_auc" not in codes(whole)
        assert "few_for_an_auc" in codes(part)


def test_exact_limits_need_no_word_on_their_law() -> None:
    y = np.repeat([0, 1], [20, 4])
    made = estimate(Predictions.from_arrays(y, y), method="delong", metric="roc_auc")
    assert "area_without_spread" in codes(made)
    assert "few_for_an_auc" not in codes(made)


@pytest.mark.parametrize(
    ("task", "name"), [("binary", "accuracy"), ("multiclass", "roc_auc_ovr"), ("regression", "mse")]
)
def test_other_metrics_are_refused_with_a_way_out(task: str, name: str, golden: Golden) -> None:
    with golden.raises(MetricError):
        estimate(example_predictions(task), method="delong", metric=name)


def test_unknown_variants_are_refused() -> None:
    with pytest.raises(ValueError, match="variant"):
        DeLong(variant="arcsine")  # type: ignore[arg-type]


def test_the_limits_of_a_perfect_auc_and_near_one_are_wider_than_the_normal_ones() -> None:
    y = np.repeat([0, 1], 20)
    score = y + np.linspace(0, 0.4, 40)
    perfect = estimate(Predictions.from_arrays(y, score), method="delong", metric="roc_auc")
    assert perfect.interval is not None
    assert perfect.interval.low < 0.95
    score = y + np.linspace(0, 0.9, 40)
    score[19] = 1.6  # one negative above some positives: 396 of 400 pairs or so are in order
    near = Predictions.from_arrays(y, score)
    area, error = by_pairs(y, score)
    made = estimate(near, method="delong", metric="roc_auc", side="lower")
    assert made.interval is not None
    assert made.interval.low < area - Z(0.95) * error


# ---- the best of the top tenth


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=240, n_configs=40)


def test_the_bad_end_is_read_at_sidaks_level_and_the_other_is_not(pi: Predictions) -> None:
    learn = np.random.default_rng(5).random(240) < 0.75
    made = estimate(pi, method=DeLong(preselect=0.1, learn=learn), metric="roc_auc")
    m = len(made.details.candidates)
    assert m == 4
    best = pi.configs.index(str(made.winner))
    area, error = by_pairs(pi.target.y[~learn], pi.responses[~learn, best, 0])
    z = NormalDist().inv_cdf
    assert made.interval is not None
    low, high = area - z((1 - 0.025) ** (1 / m)) * error, area + z(0.975) * error
    counts = int(pi.target.y[~learn].sum()), int((1 - pi.target.y[~learn]).sum())
    perfect = AreaLimits(1.0, *counts).limits((1 - 0.025) ** (1 / m), Side.LOWER)[0]
    low = min(low, perfect)  # no better than one without an error
    assert (made.interval.low, made.interval.high) == pytest.approx((low, min(high, 1)), abs=1e-9)
    assert made.standard_error == pytest.approx(error, abs=1e-12)


def test_the_elected_is_the_best_of_the_candidates_on_the_evaluation_part(pi: Predictions) -> None:
    learn = np.random.default_rng(5).random(240) < 0.75
    made = estimate(pi, method=DeLong(preselect=0.1, learn=learn), metric="roc_auc")
    areas = {
        name: by_pairs(pi.target.y[~learn], pi.responses[~learn, pi.configs.index(name), 0])[0]
        for name in made.details.candidates
    }
    assert made.value == max(areas.values())
    assert made.winner == made.details.candidates[0] == max(areas, key=areas.__getitem__)
    assert made.estimand == Estimand.CHOSEN_ON_EVALUATION
    assert made.selection is Selection.BOUND_ONLY


def test_with_one_candidate_it_is_delong() -> None:
    few = example_predictions("binary", n_cases=120, n_configs=6)
    plain, elected = (
        estimate(few, method=DeLong(preselect=share), metric="roc_auc", rng=2)
        for share in (None, 0.1)
    )
    assert elected.interval == plain.interval
    assert elected.winner == plain.winner
    assert elected.selection is Selection.CORRECTED


def test_one_model_is_evaluated_whole(pi: Predictions) -> None:
    one = pi.select(0)
    made = estimate(one, method="delong_10p", metric="roc_auc")
    assert made.interval == estimate(one, method="delong", metric="roc_auc").interval


def test_perfect_separation_is_bounded_at_sidaks_level() -> None:
    y = np.tile([0, 1], 40)
    scores = np.tile(y[:, None], (1, 5)) + 0.0
    made = estimate(
        Predictions.from_arrays(y, scores, np.arange(80) // 2 % 4),
        method="delong_10p",
        metric="roc_auc",
        side="lower",
        rng=0,
    )
    assert made.interval is not None
    sidak = 1 - 0.95 ** (1 / 5)  # all five tie, and ties are kept
    law = AreaLimits(1.0, 10, 10).limits(1 - sidak, Side.LOWER)[0]
    assert made.interval.low == pytest.approx(law, abs=1e-9)
    assert "area_without_spread" in codes(made)
