"""The winner's interval for more metrics, for groups, and where configurations were dropped."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    log_loss,
    matthews_corrcoef,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    root_mean_squared_error,
)

import earnest as en
from earnest import Predictions, estimate
from earnest.core import LossLimits, OverlapLimits, Purpose, Seeds, ShareLimits, Side
from earnest.core.results.interval import FewUnitsLimits
from earnest.inference.limits import local_level
from earnest.inference.limits.local_level import (
    DroppedConfigurations,
    StandardisedScores,
    winner_errors,
)
from earnest.inference.limits.winner_law import Law, law_of
from earnest.methods import NearWinner
from earnest.metrics import MomentMetric
from earnest.metrics import metric as resolve_metric
from earnest.resampling import GroupBootstrap, every_class_on_both_sides, something_out_of_bag
from earnest.testing import example_predictions
from tests.inference.limits.unseen_error_oracle import upper_limit
from tests.methods import near_winner_oracle as oracle
from tests.methods.oracles import auc, counts_of

SAME = 1e-9  # the bisections of an AUC stop at 1e-12; sums in another order add 1e-13
FEW = 12  # resamples, for loops
LEVELS = [(0.95, "two-sided"), (0.9, "pessimistic")]
Score = Callable[[NDArray[np.intp], int], float]


def ends(made: en.results.Estimate) -> tuple[float, float]:
    assert made.interval is not None
    return made.interval.low, made.interval.high


def labelled(classes: int, n: int = 60, configs: int = 4, groups: bool = False) -> Predictions:
    """Labels of configurations of unlike skill that share half of their luck."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % 4 % classes
    shared = rng.standard_normal((n, 1)) + (rng.standard_normal(12)[np.arange(n) % 12])[:, None]
    luck = shared + rng.standard_normal((n, configs))
    wrong = (y + rng.integers(1, classes, n)) % classes
    said = np.where(luck < np.linspace(0.8, 1.9, configs), y[:, None], wrong[:, None])
    return Predictions.from_arrays(
        y,
        said,
        response="label",
        task="binary" if classes == 2 else "multiclass",
        positive=1 if classes == 2 else None,
        groups=np.arange(n) % 12 if groups else None,
    )


def numbers(n: int = 60, configs: int = 4, groups: bool = False, seed: int = 5) -> Predictions:
    """Predictions of a number with normal errors."""
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    errors = rng.standard_normal((n, 1)) + rng.standard_normal((n, configs))
    if groups:
        errors += rng.standard_normal((12, 1))[np.arange(n) % 12]
    said = y[:, None] - np.linspace(0.35, 0.5, configs) * errors
    group = np.arange(n) % 12 if groups else None
    return Predictions.from_arrays(y, said, task="regression", groups=group)


def scored(classes: int, n: int = 60, configs: int = 4, groups: bool = False) -> Predictions:
    """Probabilities of classes, from odds with normal errors."""
    rng = np.random.default_rng(8)
    y = np.arange(n) % 4 % classes
    skill = np.linspace(0.8, 1.4, configs)[:, None]
    odds = skill * (y[:, None, None] == np.arange(classes)) + rng.standard_normal((n, 1, classes))
    odds = odds + 0.7 * rng.standard_normal((n, configs, classes))
    chances = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True)
    if classes == 2:
        group = np.arange(n) % 12 if groups else None
        return Predictions.from_arrays(y, chances[:, :, 1], response="probability", groups=group)
    return Predictions.from_arrays(
        y, chances[:, :, None], response="probability", task="multiclass"
    )


def survived(n: int = 40, configs: int = 3) -> Predictions:
    """Risks of exponential times, some of them censored."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal(n)
    time, end = rng.exponential(np.exp(-x)), rng.exponential(2.0, n)
    risks = x[:, None] + np.linspace(0.6, 1.5, configs) * rng.standard_normal((n, configs))
    return Predictions.from_arrays((np.minimum(time, end), time <= end), risks, task="survival")


def plain_score(pi: Predictions, function: Callable[..., float]) -> Score:
    y, said = pi.target.y, pi.responses[:, :, 0]
    return lambda rows, c: float(function(y[rows], said[rows, c]))


def one_against_rest(pi: Predictions) -> Score:
    y, said = pi.target.y, pi.responses[:, :, 0]

    def score(rows: NDArray[np.intp], c: int) -> float:
        return float(np.mean([auc(y[rows] == k, said[rows, c, k]) for k in range(said.shape[2])]))

    return score


def concordance(pi: Predictions) -> Score:
    time, event, risk = pi.target.y, pi.target.event, pi.responses[:, :, 0]
    assert event is not None

    def score(rows: NDArray[np.intp], c: int) -> float:
        won = pairs = 0.0
        for i in rows:
            for j in rows:
                if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                    pairs += 1
                    won += 1.0 * (risk[i, c] > risk[j, c]) + 0.5 * (risk[i, c] == risk[j, c])
        return won / pairs

    return score


def case_losses(pi: Predictions, metric: str) -> NDArray[np.float64]:
    """What each unit adds to the loss that a metric is made of: (units, C)."""
    y, said = pi.target.y[:, None], pi.responses[:, :, 0].astype(np.float64)
    if metric in ("log_loss", "brier"):
        missed = np.where(y == 1, 1 - said, said)
        made = missed**2 if metric == "brier" else -np.log(1 - missed)
    else:
        made = np.abs(y - said) if metric == "mae" else (y - said) ** 2
    if metric == "r2":  # the derivative of a ratio of sums
        made = made - made.mean(axis=0) * (y - y.mean()) ** 2 / y.var()
    return group_sums(pi, made)


def group_sums(pi: Predictions, made: NDArray[np.float64]) -> NDArray[np.float64]:
    """What groups add, less the mean of all cases: (groups, C); the numbers themselves without."""
    if pi.target.groups is None:
        return made
    made = made - made.mean(axis=0)
    return np.stack([made[pi.target.groups == g].sum(axis=0) for g in np.unique(pi.target.groups)])


def law_and_score(pi: Predictions, metric: str) -> tuple[oracle.PlainLaw, Score]:
    """The law of a metric by its definition, and the metric by scikit-learn's function."""
    y, configs = pi.target.y, pi.n_configs
    groups = 0 if pi.target.groups is None else len(np.unique(pi.target.groups))
    if metric == "f1":
        said = pi.responses[:, :, 0] == 1
        union = [float(((y == 1) | said[:, c]).sum()) for c in range(configs)]
        hits = said & (y == 1)[:, None]
        share = hits.mean(axis=0) / (said.mean(axis=0) + (y == 1).mean())  # F1 is twice this
        added = 2 * (hits - share * (said + (y == 1)[:, None].astype(float)))
        added = group_sums(pi, added / (said.mean(axis=0) + (y == 1).mean()))
        law = oracle.PlainShare(union, not groups, overlap=True, groups=groups, added=added)
        return law, plain_score(pi, lambda a, b: f1_score(a, b, zero_division=0))
    if metric == "accuracy":
        added = group_sums(pi, (pi.responses[:, :, 0] == y[:, None]).astype(float))
        trials = [float(len(y))] * configs
        law = oracle.PlainShare(trials, not groups, groups=groups, added=added)
        return law, plain_score(pi, accuracy_score)
    if metric == "balanced_accuracy":
        sizes = [float((y == k).sum()) for k in np.unique(y)]
        worth = len(sizes) ** 2 / sum(1 / size for size in sizes)
        return oracle.PlainShare([worth] * configs, False), plain_score(pi, balanced_accuracy_score)
    if metric in ("mcc", "cohen_kappa"):
        chance = 1 - sum(float((y == k).mean()) ** 2 for k in np.unique(y))
        law = oracle.PlainShare([float(len(y))] * configs, False, 1 - 1 / chance, 1.0)
        function = matthews_corrcoef if metric == "mcc" else cohen_kappa_score
        return law, plain_score(pi, function)
    if metric == "roc_auc_ovr":
        sizes = [(float((y == k).sum()), float((y != k).sum())) for k in range(3)]
        return oracle.PlainAreas(sizes), one_against_rest(pi)
    if metric == "roc_auc":  # of groups
        sizes = [(float((y == 1).sum()), float((y == 0).sum()))]
        assert groups
        score = plain_score(pi, auc)
        own = [
            oracle.delong_variance(y, pi.responses[:, c])
            / oracle.area_variance(score(np.arange(len(y)), c), *sizes[0])
            for c in range(configs)
        ]
        best = int(np.argmax([score(np.arange(len(y)), c) for c in range(configs)]))
        return oracle.PlainAreas(sizes, max(1.0, own[best]), groups), score
    if metric == "concordance":
        assert pi.target.event is not None
        half = float(pi.target.event.sum()) / 2
        return oracle.PlainAreas([(half, half)]), concordance(pi)
    functions: dict[str, Callable[..., float]] = {
        "mae": mean_absolute_error,
        "mse": mean_squared_error,
        "rmse": root_mean_squared_error,
        "r2": r2_score,
        "log_loss": log_loss,
        "brier": brier_score_loss,
    }
    line = (1.0, -1.0) if metric == "r2" else (0.0, 1.0)
    law = oracle.PlainLoss(case_losses(pi, metric), *line, root=metric == "rmse")
    return law, plain_score(pi, functions[metric])


QUESTIONS: dict[str, Callable[[], Predictions]] = {
    "f1": lambda: labelled(2),
    "mcc": lambda: labelled(2),
    "cohen_kappa": lambda: labelled(3),
    "balanced_accuracy": lambda: labelled(3),
    "roc_auc_ovr": lambda: scored(3),
    "concordance": survived,
    "mae": numbers,
    "mse": numbers,
    "rmse": numbers,
    "r2": numbers,
    "log_loss": lambda: scored(2),
    "brier": lambda: scored(2),
    "accuracy, groups": lambda: labelled(2, groups=True),
    "f1, groups": lambda: labelled(2, groups=True),
    "roc_auc, groups": lambda: scored(2, groups=True),
    "mae, groups": lambda: numbers(groups=True),
}


def plain_limits(
    pi: Predictions,
    metric: str,
    seed: int,
    dropped: list[tuple[float, float]] | None = None,
) -> list[tuple[float, float]]:
    """The bad and the good end of the plain loops at all `LEVELS`, on the draws of the method."""
    measure = resolve_metric(metric).on(pi.target.task)
    law, score = law_and_score(pi, metric)
    if pi.n_folds > 1 and isinstance(law, oracle.PlainShare | oracle.PlainAreas):
        law = replace(law, crossed=pi.n_cases)
    grouped = pi.target.groups is not None
    accept = every_class_on_both_sides(pi.target) if measure.needs_all_classes else None
    drawn = counts_of(
        pi, FEW, seed, accept or something_out_of_bag, GroupBootstrap() if grouped else None
    )
    return oracle.other_limits(
        law,
        score,
        drawn,
        pi.n_configs,
        Seeds.of(seed).generator(Purpose.LOCAL_LEVEL),
        [0.025, 0.1],
        groups=len(np.unique(pi.target.groups)) if grouped else 0,
        dropped=dropped,
    )


def assert_same(made: en.results.Estimate, plain: list[tuple[float, float]]) -> None:
    """Compare limits at all levels, moved to the value where they would leave it out."""
    sign = 1.0 if made.scale.greater_is_better else -1.0
    for (level, side), (bad, good) in zip(LEVELS, plain, strict=True):
        low, high = ends(made.at(confidence_level=level, side=side))
        got = (low, high) if sign > 0 else (high, low)
        bad = sign * min(sign * bad, sign * made.value)
        scale = made.scale.clip
        assert got[0] == pytest.approx(scale(bad), abs=SAME)
        if side == "two-sided":
            good = sign * max(sign * good, sign * made.value)
            assert got[1] == pytest.approx(scale(good), abs=SAME)


def cross_validate(pi: Predictions, folds: int = 5) -> Predictions:
    """The same predictions, of models that other cases trained."""
    fold = (np.arange(pi.n_cases) % folds).astype(np.int32)[:, None]
    return replace(pi, folds=fold, fold_names=(tuple(map(str, range(folds))),))


REFUSED = ("log_loss", "brier", "r2", "mae", "mse", "rmse")  # if they were cross-validated


def with_unseen(
    made: en.results.Estimate, pi: Predictions, plain: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """The same limits, with the bad end of a loss of probabilities at least at the plain limit."""
    if made.metric not in ("log_loss", "brier"):
        return plain
    config = pi.configs.ids.index(str(made.winner))
    tails = [made.source.local_tail(tail) for tail in (0.025, 0.1)]
    unseen = [upper_limit(pi, config, made.metric, tail) for tail in tails]
    return [(max(bad, end), fine) for (bad, fine), end in zip(plain, unseen, strict=True)]


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_law_equals_its_plain_loops(name: str, crossed: bool) -> None:
    pi, metric = QUESTIONS[name](), name.split(",")[0]
    pi = cross_validate(pi) if crossed else pi
    if crossed and metric in REFUSED:
        with pytest.raises(en.errors.EvidenceError, match="cross-validated"):
            estimate(pi, method=NearWinner(n_resamples=FEW), metric=metric, rng=5)
        told = NearWinner().find_objection(pi, metric)
        assert told is not None
        assert "cross-validated" in told
        return
    made = estimate(pi, method=NearWinner(n_resamples=FEW), metric=metric, rng=5)
    assert_same(made, with_unseen(made, pi, plain_limits(pi, metric, 5)))


@pytest.mark.parametrize("name", QUESTIONS)
def test_one_configuration_has_the_limits_of_a_single_model(name: str) -> None:
    pi, metric = QUESTIONS[name]().select(0), name.split(",")[0]
    made = estimate(pi, method=NearWinner(n_resamples=FEW), metric=metric, rng=7)
    assert_same(made, with_unseen(made, pi, plain_limits(pi, metric, 7)))
    assert made.source.local_tail(0.013) == 0.013


@pytest.mark.parametrize("name", QUESTIONS)
def test_levels_nest_and_hold_the_value_of_bbc(name: str) -> None:
    pi, metric = QUESTIONS[name](), name.split(",")[0]
    made = estimate(pi, method="near_winner", metric=metric, rng=0)
    bbc = estimate(pi, method="bbc", metric=metric, rng=0)
    assert (made.value, made.winner, made.naive) == (bbc.value, bbc.winner, bbc.naive)
    np.testing.assert_array_equal(made.draws, bbc.draws)
    spans = [ends(made.at(confidence_level=c)) for c in (0.1, 0.5, 0.8, 0.95, 0.99, 0.9999)]
    assert all(low <= made.value <= high for low, high in spans)
    assert [low for low, _ in spans] == sorted((low for low, _ in spans), reverse=True)
    assert [high for _, high in spans] == sorted(high for _, high in spans)


@pytest.mark.parametrize("name", ["f1", "r2", "concordance", "accuracy, groups"])
def test_the_result_survives_json_and_answers_at_other_levels(name: str) -> None:
    pi, metric = QUESTIONS[name](), name.split(",")[0]
    made = estimate(pi, method=NearWinner(n_resamples=50), metric=metric, rng=0)
    back = en.results.Estimate.from_dict(json.loads(json.dumps(made.to_dict(draws=True))))
    assert back == made
    assert back.at(confidence_level=0.8, side="lower") == made.at(
        confidence_level=0.8, side="lower"
    )


@pytest.mark.parametrize(("positives", "told"), [(6, True), (40, False)])
def test_f1_of_few_positives_has_a_caution(positives: int, told: bool) -> None:
    y = (np.arange(100) < positives).astype(np.int64)
    right = np.random.default_rng(0).random((100, 3)) < 0.8
    said = np.where(right, y[:, None], 1 - y[:, None])
    pi = Predictions.from_arrays(y, said, response="label", positive=1)
    made = estimate(pi, method=NearWinner(n_resamples=FEW), metric="f1", rng=0)
    assert ("EN044" in {caution.code for caution in made.cautions}) == told


# ---- laws of losses


@pytest.mark.parametrize("power", [-560, 460])  # about 1e-169 and 1e138: fourth powers overflow
def test_losses_in_other_units_have_the_interval_in_these_units(power: int) -> None:
    losses = np.random.default_rng(0).gamma(4, 1, (60, 3))
    one, other = (
        estimate(
            en.Scores(losses * unit, greater_is_better=False, limits=(0, np.inf)),
            method=NearWinner(n_resamples=FEW),
            rng=0,
        )
        for unit in (1.0, 2.0**power)
    )
    assert np.array(ends(other)) / 2.0**power == pytest.approx(np.array(ends(one)), rel=1e-9)


@pytest.mark.parametrize(("metric", "power"), [("mae", 1.0), ("mse", 2.0), ("rmse", 1.0)])
def test_scaling_a_loss_scales_the_limits(metric: str, power: float) -> None:
    pi = numbers()
    far = Predictions.from_arrays(8.0 * pi.target.y, 8.0 * pi.responses[:, :, 0], task="regression")
    made, scaled = (estimate(one, method="near_winner", metric=metric, rng=0) for one in (pi, far))
    assert ends(scaled) == pytest.approx([8.0**power * end for end in ends(made)], rel=1e-9)


def test_r2_and_its_unit_do_not_know_each_other() -> None:
    pi = numbers()
    far = Predictions.from_arrays(
        8.0 * pi.target.y + 3.0, 8.0 * pi.responses[:, :, 0] + 3.0, task="regression"
    )
    made, scaled = (estimate(one, method="near_winner", metric="r2", rng=0) for one in (pi, far))
    assert ends(scaled) == pytest.approx(ends(made), abs=1e-9)


def test_flipping_the_sign_of_a_loss_mirrors_the_sides() -> None:
    # 1 - R² as a loss of its own
    pi, r2 = numbers(), resolve_metric("r2")
    share = replace(
        resolve_metric("mse"),
        name="unexplained",
        aliases=(),
        mean_of_cases=False,
        features=r2.features,
        centre=r2.centre,
        combine=lambda own, shared: 1.0 - r2.combine(own, shared),
        limits=(0.0, np.inf),
    )
    assert law_of(share, pi.target) is None  # which the method does not know
    made = estimate(pi, method="near_winner", metric="r2", rng=0)
    assert isinstance(made.source.inner, LossLimits)
    alone = replace(made.source.inner, constant=0.0, slope=1.0)
    for side, back in ((Side.LOWER, Side.UPPER), (Side.UPPER, Side.LOWER)):
        low, high = made.source.inner.limits(0.9, side)
        other = alone.limits(0.9, back)
        assert (1.0 - high, 1.0 - low) == pytest.approx(other, abs=1e-12)


def test_squared_normal_errors_have_the_limits_of_chi_square() -> None:
    # SSE / sigma² has chi-square with n degrees of freedom; shape n / 2 is that law
    from scipy.stats import chi2

    for tail in (0.3, 0.05, 0.001):
        _, high = LossLimits(2.5, 30 / 2).limits(1 - tail, Side.UPPER)
        assert high == pytest.approx(30 * 2.5 / chi2.ppf(tail, 30), rel=1e-9)
        low, _ = LossLimits(2.5, 30 / 2).limits(1 - tail, Side.LOWER)
        assert low == pytest.approx(30 * 2.5 / chi2.isf(tail, 30), rel=1e-9)


def test_heavy_tails_give_the_interval_of_bbc_and_name_the_kurtosis() -> None:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(200)
    errors = rng.standard_t(2.0, (200, 5)) * np.linspace(0.5, 0.6, 5)
    pi = Predictions.from_arrays(y, y[:, None] - errors, task="regression")
    made = estimate(pi, method="near_winner", metric="mse", rng=0)
    bbc = estimate(pi, method="bbc", metric="mse", rng=0)
    assert ends(made) == ends(bbc)
    told = {c.code: c for c in made.cautions}
    losses = errors[:, pi.configs.ids.index(str(made.winner))] ** 2
    away = losses - losses.mean()
    kurtosis = (away**4).mean() / (away**2).mean() ** 2
    assert kurtosis > 15
    assert f"{kurtosis:.0f}" in told["EN131"].what
    assert "EN131" not in {c.code for c in bbc.cautions}


@pytest.mark.parametrize("wrong", [0, 12])
def test_losses_that_are_lumps_give_the_interval_of_bbc(wrong: int) -> None:
    y = np.linspace(1.0, 2.0, 60)
    said = np.tile(y[:, None], (1, 3))
    said[:wrong] += 0.5
    pi = Predictions.from_arrays(y, said, task="regression")
    made = estimate(pi, method="near_winner", metric="mae", rng=0)
    assert ends(made) == ends(estimate(pi, method="bbc", metric="mae", rng=0))
    assert "EN131" in {c.code for c in made.cautions}


def test_the_least_of_eight_groups_is_no_lump() -> None:
    pi = numbers(n=40)
    grouped = Predictions.from_arrays(
        pi.target.y, pi.responses[:, :, 0], task="regression", groups=np.arange(40) // 5
    )
    made = estimate(grouped, method="near_winner", metric="mae", rng=0)
    assert "EN131" not in {c.code for c in made.cautions}
    assert NearWinner().find_objection(grouped, "mae") is None


# ---- laws of scores


def test_the_limits_of_f1_are_exact_by_hand() -> None:
    # nine of ten in the union of true and predicted positives are hits: 10 J^9 - 9 J^10 = .05
    y = np.repeat([1, 0], [9, 31])
    said = y.copy()
    said[9] = 1  # one false alarm
    pi = Predictions.from_arrays(y, said[:, None], response="label", positive=1)
    made = estimate(pi, method="near_winner", metric="f1", side="lower", rng=0)
    low = ends(made)[0]
    overlap = low / (2 - low)
    assert 10 * overlap**9 - 9 * overlap**10 == pytest.approx(0.05, abs=1e-12)


def test_kappa_of_two_equal_classes_is_twice_the_accuracy_less_one() -> None:
    # chance errs in half of the cases, and predictions are balanced in every configuration
    y = np.tile([0, 1], 30)
    said = np.stack([y, y], axis=1)
    said[:6, 0], said[:10, 1] = 1 - y[:6], 1 - y[:10]
    pi = Predictions.from_arrays(y, said, response="label", positive=1)
    inner = estimate(pi, method="near_winner", metric="cohen_kappa", rng=0).source.inner
    assert isinstance(inner, ShareLimits)
    assert (inner.low, inner.high) == (-1.0, 1.0)
    assert inner.centre == pytest.approx(2 * 0.9 - 1)
    assert inner.trials <= 60


def test_a_perfect_score_is_no_certainty() -> None:
    y = np.arange(60) % 3
    perfect = Predictions.from_arrays(
        y, np.tile(y[:, None], (1, 5)), response="label", task="multiclass"
    )
    odds = 5.0 * (y[:, None] == np.arange(3))
    chances = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    scores = Predictions.from_arrays(
        y, np.tile(chances[:, None, None], (1, 5, 1, 1)), task="multiclass", response="probability"
    )
    questions = [(perfect, "cohen_kappa"), (perfect, "mcc"), (perfect, "balanced_accuracy")]
    for pi, metric in [*questions, (scores, "roc_auc_ovr")]:
        made = estimate(pi, method="near_winner", metric=metric, rng=0)
        low, high = ends(made)
        assert (made.value, high) == (1.0, 1.0)
        assert 0.7 < low < 0.99


# ---- groups


def test_groups_of_one_case_give_wider_limits_of_the_same_law() -> None:
    # Student's quantile for 59 degrees of freedom in the place of the normal one
    pi = numbers()
    alone = Predictions.from_arrays(
        pi.target.y, pi.responses[:, :, 0], task="regression", groups=np.arange(60)
    )
    made, grouped = (estimate(p, method="near_winner", metric="mae", rng=0) for p in (pi, alone))
    assert isinstance(grouped.source.inner, FewUnitsLimits)
    assert grouped.source.inner.df == 59
    assert ends(grouped)[0] < ends(made)[0]
    assert ends(made)[1] < ends(grouped)[1] < ends(made)[1] + 0.03


def test_copies_of_cases_in_groups_tell_nothing_new() -> None:
    # every case four times, its copies a group: trials are at most about the number of groups
    pi = labelled(2)
    rows = np.repeat(np.arange(60), 4)
    copied = Predictions.from_arrays(
        pi.target.y[rows],
        pi.responses[rows, :, 0],
        response="label",
        positive=1,
        groups=rows,
    )
    made = estimate(pi, method="near_winner", metric="accuracy", rng=0)
    again = estimate(copied, method="near_winner", metric="accuracy", rng=0)
    assert isinstance(again.source.inner, FewUnitsLimits)
    inner = again.source.inner.inner
    assert isinstance(inner, ShareLimits)
    right = pi.responses[:, int(str(made.winner)[1:]), 0] == pi.target.y
    worth = 60 / oracle.widened(right.astype(float), 0.5)
    assert inner.trials == pytest.approx(worth, rel=0.15)  # 1000 resamples: a variance to 4.5 %
    assert ends(again) == pytest.approx(ends(made), abs=0.05)


def test_perfect_groups_count_as_one_trial_each() -> None:
    y = np.tile([0, 1], 30)
    pi = Predictions.from_arrays(
        y, np.tile(y[:, None], (1, 2)), response="label", positive=1, groups=np.arange(60) // 5
    )
    inner = estimate(pi, method="near_winner", metric="accuracy", rng=0).source.inner.inner
    assert inner.trials == 12


def test_limits_of_a_share_in_groups_hold_for_one_model_near_the_ceiling() -> None:
    # 20 groups of 5, each case right with probability .95 and the errors of a group alike. 4000
    # samples, four standard errors. Without the widening bounds at 95 % held in .924
    rng = np.random.default_rng(0)
    luck = np.sqrt(0.5) * (rng.standard_normal((4000, 20, 1)) + rng.standard_normal((4000, 20, 5)))
    hits = (luck < ndtri(0.95)).sum(axis=2)
    share = hits.sum(axis=1) / 100
    away = hits - hits.mean(axis=1, keepdims=True)
    held = 0
    for s, one in zip(share, away, strict=True):
        variance = float(np.square(one).sum()) / 100**2  # that of resampled groups
        trials = 20.0
        if variance > 0:
            trials = min(s * (1 - s) / variance / oracle.widened(one, 0.5), 100.0)
        inner = ShareLimits(float(s), trials, exact=True)
        held += FewUnitsLimits(inner, 19).limits(0.95, Side.LOWER)[0] <= 0.95
    assert held / 4000 >= 0.95 - 4 * np.sqrt(0.0475 / 4000)


# ---- configurations that were dropped, and cases that were not tested


def dropped_early(pi: Predictions, kept: list[int]) -> Predictions:
    """All configurations but some stop after the first of two folds."""
    responses = pi.responses.astype(np.float64).copy()
    stopped = [c for c in range(pi.n_configs) if c not in kept]
    responses[30:, stopped] = np.nan
    folds = (np.arange(60) // 30).astype(np.int32)[:, None]
    return replace(pi, responses=responses, folds=folds, fold_names=(("0", "1"),))


@pytest.mark.parametrize("metric", ["accuracy", "f1", "roc_auc"])
def test_dropped_configurations_are_rivals_as_in_the_plain_loops(metric: str) -> None:
    whole = scored(2, configs=9) if metric == "roc_auc" else labelled(2, configs=9)
    if metric == "roc_auc":  # in groups of one case, whose law the oracle knows
        whole = Predictions.from_arrays(
            whole.target.y, whole.responses[:, :, 0], groups=np.arange(60)
        )
    pi = dropped_early(whole, [0, 4, 8])
    made = estimate(pi, method=NearWinner(n_resamples=FEW), metric=metric, rng=2)
    rest = whole.select([0, 4, 8])
    law, score = law_and_score(rest, metric)
    best = [0, 4, 8].index(int(str(made.winner)[1:]))
    _, part = law_and_score(whole, metric)
    half, everything = np.arange(30), np.arange(60)
    own = law.read(part(half, [0, 4, 8][best]))
    x = law.read(score(everything, best))
    gaps = []
    for c in (1, 2, 3, 5, 6, 7):
        other = law.read(part(half, c))
        q = law.trials(x) if isinstance(law, oracle.PlainAreas) else law.trials[best]
        far = oracle.anscombe(own, q / 2) - oracle.anscombe(other, q / 2)
        gaps.append((max(0.0, far), 0.5))
    assert_same(made, plain_limits(cross_validate(rest), metric, 2, dropped=gaps))
    assert (made.n_configs, made.source.configs) == (3, 9)
    alone = estimate(rest, method=NearWinner(n_resamples=FEW), metric=metric, rng=2)
    assert made.value == alone.value
    assert made.source.local_tail(0.05) <= alone.source.local_tail(0.05)


def test_rivals_that_were_dropped_far_behind_cost_nothing_and_equals_cost_much() -> None:
    y = np.tile([0, 1], 30)
    rng = np.random.default_rng(1)
    good = np.where(rng.random((60, 3)) < 0.85, y[:, None], 1 - y[:, None])
    equal = np.where(rng.random((60, 40)) < 0.85, y[:, None], 1 - y[:, None])
    bad = np.where(rng.random((60, 40)) < 0.1, y[:, None], 1 - y[:, None])

    def tail(others: NDArray[np.int64]) -> float:
        said = np.hstack([good, others])
        pi = Predictions.from_arrays(y, said, response="label", positive=1)
        made = estimate(
            dropped_early(pi, [0, 1, 2]), method="near_winner", metric="accuracy", rng=0
        )
        return float(made.source.local_tail(0.05))

    alone = estimate(
        Predictions.from_arrays(y, good, response="label", positive=1),
        method="near_winner",
        metric="accuracy",
        rng=0,
    ).source.local_tail(0.05)
    assert tail(bad) == pytest.approx(alone, rel=0.05)
    assert tail(equal) < alone / 4  # the best of 43 in place of the best of 3


def test_a_configuration_that_was_never_evaluated_is_no_rival() -> None:
    pi = labelled(2, configs=4)
    responses = pi.responses.astype(np.float64).copy()
    responses[:, 3] = np.nan
    made = estimate(replace(pi, responses=responses), method="near_winner", metric="f1", rng=0)
    rest = estimate(pi.select([0, 1, 2]), method="near_winner", metric="f1", rng=0)
    assert ends(made) == ends(rest)


def test_many_dropped_equals_have_the_law_of_the_largest() -> None:
    # one known configuration and 99 dropped: errors are the largest of 100 normals, whose .95
    # quantile is that of .95^(1/100). Of 2000 draws the tail beyond has the error .0049, times 4
    table = np.random.default_rng(0).standard_normal((500, 1))
    equals = DroppedConfigurations(np.zeros(99), np.ones(99))
    found = winner_errors(table, np.zeros(1), 0, np.random.default_rng(1), dropped=equals)
    from scipy.stats import norm

    beyond = float((found.errors > norm.ppf(0.95 ** (1 / 100))).mean())
    assert beyond == pytest.approx(0.05, abs=4 * 0.0049)


def test_draws_that_were_kept_are_those_that_would_be_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of other seeds and sizes in between, and with draws that come after them."""
    table = np.random.default_rng(0).standard_normal((40, 3))
    table[:, 1] = 0.5  # constant: it takes the next numbers of the generator
    equals = DroppedConfigurations(np.zeros(4), np.ones(4))
    asked = [(1, 60), (1, 200), (1, 60), (2, 60), (1, 60), (2, 60)]

    def ask(seed: int, draws: int) -> bytes:
        rng = np.random.default_rng(seed)
        made = winner_errors(table, np.zeros(3), 0, rng, dropped=equals, draws=draws)
        return made.errors.tobytes() + rng.standard_normal(3).tobytes()

    kept = [ask(*one) for one in asked]
    monkeypatch.setattr(local_level, "MOST_KEPT", 0)
    assert kept == [ask(*one) for one in asked]
    assert len(local_level._kept) <= local_level.KEPT


def test_untested_cases_change_nothing() -> None:
    pi = labelled(2)
    n = pi.n_cases
    y = np.r_[pi.target.y, np.zeros(20, dtype=int)]
    said = np.r_[pi.responses[:, :, 0], np.full((20, pi.n_configs), np.nan)]
    fold = np.r_[np.arange(n) % 5, np.full(20, 5)]
    part = Predictions.from_arrays(y, said, fold)
    whole = Predictions.from_arrays(pi.target.y, pi.responses[:, :, 0], np.arange(n) % 5)
    for metric in ("accuracy", "f1"):
        made, rest = (
            estimate(p, method="near_winner", metric=metric, rng=0) for p in (part, whole)
        )
        assert ends(made) == ends(rest)
    assert "EN013" in {c.code for c in made.cautions}


# ---- where it holds


def test_what_speaks_against_the_interval_is_told_without_resampling() -> None:
    method = NearWinner()
    binary = scored(2, n=200)
    for metric in ("roc_auc", "accuracy", "f1", "mcc", "brier", "log_loss", "balanced_accuracy"):
        assert method.find_objection(binary, metric) is None
    assert method.find_objection(numbers(n=200), "mae") is None
    assert "'average_precision'" in str(method.find_objection(binary, "average_precision"))
    few = scored(3, n=60)  # 30, 15 and 15 cases
    assert "15 cases" in str(method.find_objection(few, "roc_auc_ovr"))
    rng = np.random.default_rng(0)
    y = rng.standard_normal(200)
    heavy = Predictions.from_arrays(
        y, y[:, None] - rng.standard_t(2.0, (200, 3)), task="regression"
    )
    assert "kurtosis" in str(method.find_objection(heavy, "mse"))


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_objection_is_what_the_estimate_warns_of(name: str) -> None:
    pi, metric = QUESTIONS[name](), name.split(",")[0]
    objection = NearWinner().find_objection(pi, metric)
    made = estimate(pi, method="near_winner", metric=metric, rng=0)
    told = [c for c in made.cautions if c.code in ("EN131", "EN131", "EN044", "EN131", "EN131")]
    assert (objection is None) == (not told)
    if told:
        assert told[0].what in str(objection) or told[-1].what in str(objection)


@pytest.mark.parametrize(
    ("task", "metric", "law"),
    [
        ("binary", "recall", Law.SHARE),
        ("binary", "f1", Law.OVERLAP),
        ("binary", "f_beta(beta=2)", None),
        ("binary", "balanced_accuracy", Law.MEAN_OF_SHARES),
        ("binary", "mcc", Law.AGREEMENT),
        ("binary", "roc_auc", Law.AREA),
        ("binary", "average_precision", None),
        ("binary", "log_loss", Law.LOSS),
        ("binary", "risk(costs=(5, 1))", None),
        ("multiclass", "accuracy", Law.SHARE),
        ("multiclass", "roc_auc_ovo", Law.MEAN_OF_AREAS),
        ("multiclass", "f1_macro", None),
        ("multiclass", "quadratic_kappa", None),
        ("multiclass", "brier", Law.LOSS),
        ("regression", "rmse", Law.LOSS),
        ("regression", "r2", Law.LOSS),
        ("regression", "pearson", None),
        ("regression", "median_absolute_error", None),
        ("survival", "concordance", Law.CONCORDANCE),
    ],
)
def test_metrics_have_the_law_that_was_shown_to_hold(
    task: str, metric: str, law: Law | None
) -> None:
    target = example_predictions(task).target
    assert law_of(resolve_metric(metric).on(target.task), target) is law


def test_a_metric_of_the_same_sums_does_not_inherit_a_law() -> None:
    """A geometric mean of the recalls sums up the same cases as their mean, and spreads wider."""
    target = example_predictions("binary").target
    mean = resolve_metric("balanced_accuracy").on(target.task)
    assert isinstance(mean, MomentMetric)
    other = replace(
        mean, name="g_mean", combine=lambda own, shared: np.sqrt((own / shared).prod(axis=0))
    )
    assert law_of(mean, target) is Law.MEAN_OF_SHARES
    assert law_of(other, target) is None


def test_overlap_limits_are_those_of_the_share_of_the_union() -> None:
    share = ShareLimits(0.6, 50, exact=True).limits(0.9, Side.TWO_SIDED)
    made = OverlapLimits(2 * 0.6 / 1.6, 50).limits(0.9, Side.TWO_SIDED)
    assert made == pytest.approx([2 * end / (1 + end) for end in share], abs=1e-12)


def test_standardised_columns_have_no_mean_and_length_1_and_keep_the_table() -> None:
    table = np.random.default_rng(0).random((60, 7))
    table[:, 3] = 0.25  # constant
    given = table.copy()
    made = StandardisedScores.of(table)
    np.testing.assert_array_equal(table, given)
    np.testing.assert_allclose(made.spread, table.std(axis=0, ddof=1), rtol=1e-14)
    np.testing.assert_allclose(made.columns.mean(axis=0), 0.0, atol=1e-15)
    lengths = np.square(made.columns).sum(axis=0)
    np.testing.assert_allclose(lengths, [1, 1, 1, 0, 1, 1, 1], atol=1e-13)
    again = StandardisedScores.of(table, overwrite=True)
    assert again.columns is table
    np.testing.assert_array_equal(again.columns, made.columns)


@pytest.mark.parametrize("cells", [1, 40, 1 << 20])
def test_blocks_change_no_error_of_a_winner(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(0).random((60, 7))
    given = table.copy()

    def errors() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        found = winner_errors(table, table.mean(axis=0), 2, np.random.default_rng(1), draws=90)
        return found.errors, found.near

    expected = errors()
    monkeypatch.setattr(local_level, "CELLS", cells)
    for found, same in zip(errors(), expected, strict=True):
        np.testing.assert_allclose(found, same, rtol=1e-13)  # squares are summed in other blocks
    np.testing.assert_array_equal(table, given)
