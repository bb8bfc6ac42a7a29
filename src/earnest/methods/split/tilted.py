"""Bootstrap tilting for the configuration chosen on another part.

A tilt gives case i the weight exp(tau * l_i), where l_i is its influence on the estimate. A
resample is then worth w_r(tau) = prod_i (n p_i)^F_ri = exp(tau * sum_i F_ri l_i - n A(tau)), with
A(tau) the logarithm of the mean of exp(tau * l_i): one number per resample. So all tilts of all
resamples are one outer product, and no resample is drawn again for a tilt.

Rink and Brannath 2022; Paraschakis et al. 2024, the rivals BT and MABT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.shared import MOST_RESAMPLES
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.base.rng import Seeds
from earnest.core.base.sums import weighted_sums
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    EqualCaseLimits,
    LimitSource,
    NormalLimits,
    ShareLimits,
    TailCurve,
    TiltedLimits,
    best_of,
)
from earnest.core.results.specs import LimitLaw, MethodSpec, MetricFamily
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import case_values
from earnest.inference.cases.fold_variance import ROUNDING, rounding
from earnest.inference.cases.placements import auc_influence
from earnest.inference.limits.auc import FormulaLimits, delong
from earnest.inference.limits.ceiling import never_beyond_perfect
from earnest.inference.limits.unseen_errors import is_loss_of_chances
from earnest.inference.resampling.resampled import resample_statistic
from earnest.inference.resampling.splits import TENTH, Choice
from earnest.kernels.score import score_selected, score_table
from earnest.methods.base import Call, register
from earnest.methods.split.splitting import SplitMethod, declare
from earnest.metrics.families import Metric
from earnest.metrics.ranking import is_auc, line_of
from earnest.resampling.bootstrap import (
    CaseBootstrap,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
    UndefinedRule,
    find_resampler,
    in_bag_rule,
)

REACH = 8.0  # of the strongest tilt, in standard deviations of the linearised estimate
STEPS = 96  # tilts of an end; between two of them limits are interpolated
CELLS = 1 << 20  # weights held at a time
DIGITS = 9  # of a standardised value: what differs by less is tied

Array = NDArray[np.float64]


@register
@dataclass(frozen=True, kw_only=True)
class Tilted(SplitMethod):
    """Bootstrap tilting (BT): the values under which the estimate would be just too good.

    Cases are reweighted, those with more influence more strongly, until the resampled score exceeds
    the estimate only with probability alpha; the score under those weights is the limit. The other
    limit tilts the other way. With one configuration nothing is chosen, and all cases evaluate.

    **What is estimated.** The performance of the configuration chosen on the learning part,
    treating its predictions as those of one fixed model.

    **What it assumes.** Independent cases (or independent groups), and a metric that is a mean over
    cases, or the AUC.

    **When it fails.** The weights of strong tilts depend on few resamples. With perfect separation
    or very few cases no tilt goes far enough, and you get DeLong's limits for the AUC and Wilson's
    for means in a finite range. A caution tells you of both.

    Efron 1981; Rink and Brannath 2022; the competitor BT in Paraschakis et al. 2024.

    Parameters
    ----------
    variant : {None, 'uncapped'}
        'uncapped' leaves the pessimistic limit of an AUC where the tilt puts it, even if that is
        nearer to 1 than that of a perfect one.
    n_resamples : int
        The number of resamples, R.
    resampler : str or Resampler, optional
        By default groups if there are any, otherwise cases, for the AUC within classes.
    preselect : float, optional
        The share of the configurations, the best of the learning part (with ties), that are
        compared again on the evaluation part; `method="tilted_10p"` has 0.1. The
        pessimistic limit is read at Sidak's level 1 - (1 - alpha)^(1/m) for m of them. The value is
        that of the best of them, so slightly optimistic. By default only the best of the learning
        part goes there.
    evaluate : float
        The share of cases that evaluate, a quarter by default.
    split : {'stratified', 'unstratified'}
        How the parts are drawn; 'unstratified' is the published redraw.
    learn : sequence of bool, optional
        Which cases learn, one boolean per case, instead of a random split.
    selector : str or Selector, optional
        The rule that scores configurations on the learning part; 'mean_of_folds' by default.
    direction : {'fixed', 'auto'}
        For an AUC: 'auto' reverses scores if the negatives have the greater median.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.repeat([0, 1], 40)
    >>> score = y + np.sin(np.arange(80))
    >>> en.estimate(en.Predictions.from_arrays(y, score), method="tilted", metric="roc_auc", rng=0)
    roc_auc 0.81, 95 % interval [0.71, 0.89] (tilted, n=80)
    """

    spec: ClassVar[MethodSpec] = declare(
        name="tilted",
        title="Bootstrap tilting on a held-out part",
        title_alone="Bootstrap tilting",
        short="Bootstrap tilting",
        metrics=MetricFamily.MEANS_AND_AUC,
        cites="Efron 1981, as in Paraschakis et al. 2024, the rival BT",
        aliases=("bt",),
        presets={"tilted_10p": {"preselect": TENTH}},
    )
    corrected: ClassVar[bool] = False  # whether tilts allow for the choice, as those of MABT
    variant: Literal["uncapped"] | None = None
    n_resamples: int = 2000
    resampler: str | Resampler | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.one_of_or_none("variant", self.variant, ["uncapped"])
        check.whole_number("n_resamples", self.n_resamples, low=1, high=MOST_RESAMPLES)

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse metrics that cannot be tilted."""
        need_tiltable(self.spec.name, metric, target)

    def find_limits(
        self, call: Call, choice: Choice
    ) -> tuple[LimitSource, tuple[Caution, ...], Mapping[str, object]]:
        """Return tilted limits."""
        metric, rivals = call.metric, len(choice.candidates)
        default = find_resampler(self.resampler)
        resampler = choose_tilt_resampler(default, metric, call.pi.target)
        limits: LimitSource = tilt_limits(
            choice,
            metric,
            resampler,
            self.n_resamples,
            call.seeds,
            corrected=self.corrected,
            n_jobs=call.n_jobs,
        )
        if self.variant is None:
            apart = rivals if self.corrected else 1
            limits = no_better_than_perfect(limits, choice, metric, rivals=apart)
        if not self.corrected:
            limits = best_of(limits, rivals, metric.greater_is_better)
        return limits, (), {"resampler": resampler}


def need_tiltable(name: str, metric: Metric, target: Target) -> None:
    """Refuse a metric of which the influence of a case is not known."""
    if not (metric.pointwise or is_auc(metric, target)):
        raise MetricError(
            f"method {name!r} is for means over cases and for the AUC of two classes",
            needs="a metric such as 'accuracy', 'brier' or 'mse', or 'roc_auc' on a binary task",
            got=f"{metric.name!r} on a {target.task} task",
            cure=f"Use {arg('method', 'bbc')} or 'holdout', which work for any metric.",
        )


def choose_tilt_resampler(default: Resampler | None, metric: Metric, target: Target) -> Resampler:
    """Return the resampler: as given, else groups, else within classes for the AUC."""
    if default is not None:
        if not default.has_out_of_bag:
            raise EvidenceError(
                "tilting needs resamples that draw cases",
                needs="a resampler that draws cases: 'case', 'stratified' or 'group'",
                got=repr(default.name),
            )
        return default
    if target.groups is not None:
        return GroupBootstrap()
    apart = is_auc(metric, target) or target.strata is not None
    return StratifiedBootstrap() if apart else CaseBootstrap()


def case_influence(choice: Choice, metric: Metric, resampler: Resampler) -> Array:
    """Return the influence of each case on the chosen configuration's gain: (n,).

    For the AUC it is the placement, as published for resamples within classes; where classes are
    drawn together it is weighted by how rare the case's class is. The cases of a unit that adds
    rounding only have none.
    """
    scored = choice.part
    if is_auc(metric, scored.target):
        influence, least = _auc_influence(choice, metric, within_classes(resampler, scored.target))
    else:
        influence, least = _mean_influence(scored.select(choice.chosen), metric)
    units = list_drawn_units(scored, resampler)
    seen = np.abs(np.bincount(units, weights=influence)) > least * np.bincount(units)
    influence = np.where(seen[units], influence, 0.0)
    return metric.sign * (-influence if choice.turned[0] else influence)


def within_classes(resampler: Resampler, target: Target) -> bool:
    """Tell whether resamples have as many cases of every class as the sample."""
    return isinstance(resampler, StratifiedBootstrap) and target.strata is None


def fallback_limits(choice: Choice, metric: Metric, resampler: Resampler) -> FormulaLimits:
    """Return the limits for where no tilt is found.

    DeLong's for the AUC and Wilson's for shares, as the authors of the tilts do; Wilson's also
    for other means in a finite range, for which they are wide, and normal ones for the rest.
    """
    if is_auc(metric, choice.part.target):
        return delong(choice, metric)
    units = len(np.unique(list_drawn_units(choice.part, resampler)))
    low, high = metric.limits
    if np.isfinite(low) and np.isfinite(high):
        return FormulaLimits(ShareLimits(choice.value, units, low, high), LimitLaw.WILSON)
    influence = case_influence(choice, metric, resampler)
    sums = np.bincount(list_drawn_units(choice.part, resampler), weights=influence)
    error = float(np.sqrt((sums**2).sum() * units / max(units - 1, 1))) / choice.part.n_cases
    if error > 0:
        return FormulaLimits(NormalLimits(choice.value, error), LimitLaw.NORMAL)
    return FormulaLimits(EqualCaseLimits(choice.value, units, low, high), LimitLaw.EQUAL_CASES)


def no_better_than_perfect(
    source: LimitSource, choice: Choice, metric: Metric, *, rivals: int = 1
) -> LimitSource:
    """Return limits of an AUC whose bad end is never nearer to 1 than that of a perfect one.

    Those of a mean loss of probabilities allow for unseen errors.
    """
    if not (is_auc(metric, choice.part.target) or is_loss_of_chances(metric)):
        return source  # Wilson's limits, where no tilt is found, have no gap to those of tilts
    alone = choice.part.select(choice.chosen)
    return never_beyond_perfect(source, alone, metric, choice.value, rivals=rivals)


def _auc_influence(choice: Choice, metric: Metric, apart: bool) -> tuple[Array, float]:
    """Return what each case adds to the AUC (n,), and below what it is rounding."""
    y = choice.part.target.y
    influence = line_of(metric)[1] * auc_influence(choice.placements, y == 1)
    weight = np.ones(len(y)) if apart else len(y) / np.bincount(y)[y]
    return influence * weight, ROUNDING * float(weight.max())


def _mean_influence(pi: Predictions, metric: Metric) -> tuple[Array, float]:
    """Return value less mean of each case over its repeats (n,), and below what it is rounding."""
    terms = case_values(pi, metric).terms[:, 0]  # (n, R)
    tested = ~np.isnan(terms)
    used = tested.any(axis=0)
    terms, tested = terms[:, used], tested[:, used]
    count = tested.sum(axis=0)
    filled = np.where(tested, terms, 0.0)
    away = np.where(tested, terms - filled.sum(axis=0) / count, 0.0)
    share = pi.n_cases / count
    least = float(rounding(filled[:, None, :])[0]) * float(share.max())
    return np.asarray((away * share).mean(axis=1)), least


def list_drawn_units(pi: Predictions, resampler: Resampler) -> NDArray[np.intp]:
    """Return the unit that each case is drawn with (n,): its group, or itself."""
    if isinstance(resampler, GroupBootstrap) and pi.target.groups is not None:
        return np.unique(pi.target.groups, return_inverse=True)[1]
    return np.arange(pi.n_cases)


@dataclass(frozen=True, eq=False)
class TiltProblem:
    """All that tilts are computed from, greater being better.

    Parameters
    ----------
    gains : ndarray, shape (R, m)
        The resampled scores, the chosen configuration's first, standardised: (t - t0) / sd.
    sums : ndarray, shape (R,)
        The influence summed over a resample.
    influence : ndarray, shape (U,)
        The influence of each unit that is drawn.
    units : ndarray of int, shape (n,)
        The unit of each case.
    """

    gains: Array
    sums: Array
    influence: Array
    units: NDArray[np.intp]

    @property
    def flat(self) -> bool:
        """Whether resamples do not differ but by rounding, so that no tilt changes anything."""
        least = ROUNDING * np.abs(self.influence).sum()
        return bool(np.ptp(self.sums) <= least or np.ptp(self.gains[:, 0]) == 0)


def tilt_limits(
    choice: Choice,
    metric: Metric,
    resampler: Resampler,
    n_resamples: int,
    seeds: Seeds,
    *,
    corrected: bool = False,
    n_jobs: int | None = None,
) -> TiltedLimits:
    """Return tilted limits for the chosen configuration.

    With `corrected` the bad end takes the choice among the candidates into account (MABT).
    """
    influence = case_influence(choice, metric, resampler)
    draws, sums = _draw(choice, metric, resampler, n_resamples, seeds, influence, n_jobs)
    tilting = _standardise(choice, metric, resampler, draws, sums, influence)
    formula = fallback_limits(choice, metric, resampler)
    candidates = len(choice.candidates) if corrected else 1
    fallback = formula.source
    if candidates > 1:
        fallback = best_of(fallback, candidates, metric.greater_is_better)
    finite = draws[:, 0]
    limits = partial(
        TiltedLimits,
        fallback=fallback,
        law=formula.law,
        pairs=formula.pairs,
        candidates=candidates,
        draws=finite,
    )
    if tilting.flat:
        none = TailCurve(np.array([1.0]), np.array([choice.value]), np.array([float(len(finite))]))
        return limits(none, none)
    bad, good = (
        _curve(choice, metric, tilting, direction, corrected and direction < 0)
        for direction in (-1.0, 1.0)
    )
    low, high = (bad, good) if metric.greater_is_better else (good, bad)
    return limits(low, high)


def _draw(
    choice: Choice,
    metric: Metric,
    resampler: Resampler,
    n_resamples: int,
    seeds: Seeds,
    influence: Array,
    n_jobs: int | None,
) -> tuple[Array, Array]:
    """Return resampled scores of the candidates (R, m) and summed influences (R,)."""
    target = choice.part.target
    some = choice.part.select([int(c) for c in choice.candidates])
    by_class = within_classes(resampler, target)

    def scores(weights: Weights) -> Array:
        table = score_table(some, metric, weights, n_jobs=n_jobs)
        return np.column_stack([table, weighted_sums(weights.values, influence[:, None])])

    table = resample_statistic(
        scores,
        target,
        resampler,
        n_resamples,
        seeds,
        accept=None if by_class else in_bag_rule(metric, target, UndefinedRule.REDRAW),
        redraw=True,
        columns=max(len(choice.candidates), target.n),  # the product takes 8 bytes per case
        n_jobs=n_jobs,
    )
    table = table[~np.isnan(table).any(axis=1)]
    draws = np.where(choice.turned, sum(metric.limits) - table[:, :-1], table[:, :-1])
    return draws, table[:, -1]


def _standardise(
    choice: Choice,
    metric: Metric,
    resampler: Resampler,
    draws: Array,
    sums: Array,
    influence: Array,
) -> TiltProblem:
    units = list_drawn_units(choice.part, resampler)
    away = metric.sign * (draws - choice.values)
    spread = away.std(axis=0)
    differ = spread > ROUNDING * np.abs(draws).max(axis=0)
    gains = np.where(differ, np.round(away / np.where(differ, spread, 1.0), DIGITS), 0.0)
    return TiltProblem(gains, sums, np.bincount(units, weights=influence).astype(np.float64), units)


def _curve(
    choice: Choice, metric: Metric, tilting: TiltProblem, direction: float, corrected: bool
) -> TailCurve:
    """Return one end for every tilt in a direction: -1 for the bad end, 1 for the good one."""
    taus = direction * np.linspace(0.0, REACH, STEPS + 1) / tilting.sums.std()
    ends, levels = _tilted_values(choice, metric, tilting, taus)
    sums, top = _sum_weighted(tilting, taus, direction)
    total, beyond, tied = sums.T
    if corrected and tilting.gains.shape[1] > 1:
        tails = _tail_of_the_best(tilting.gains, 1.0 - beyond / total)
    else:
        scale = np.exp(top - len(tilting.influence) * levels)
        tails = scale * (beyond + 0.5 * tied) / len(tilting.sums)
    worse = np.minimum if direction * metric.sign < 0 else np.maximum
    return TailCurve(np.minimum.accumulate(tails), worse.accumulate(ends), _effective(total))


def _sum_weighted(tilting: TiltProblem, taus: Array, direction: float) -> tuple[Array, Array]:
    """Return sums over resamples of w, w beyond t0 and w at t0 for every tilt: (K, 3).

    Weights are relative to the greatest of a tilt, whose logarithm comes second. As the tilts are
    evenly spaced, the weights of the next one are those of this one times a constant.
    """
    gain = tilting.gains[:, 0]
    flags = np.stack([np.ones(len(gain)), direction * gain < 0, gain == 0])
    greatest = tilting.sums.max() if direction > 0 else tilting.sums.min()
    factor = np.exp(taus[1] * (tilting.sums - greatest))
    weights = np.ones(len(gain))
    out = np.empty((len(taus), 3))
    for k in range(len(taus)):
        out[k] = flags @ weights
        weights *= factor
    return out, taus * greatest


def _effective(total: Array) -> Array:
    """Return how many resamples the weights of each tilt are worth: (sum w)² / sum w².

    The square of a weight is the weight of twice the tilt. Beyond half the reach, where hardly one
    resample is left, the worth there stands for the rest.
    """
    last = (len(total) - 1) // 2
    half = total[: last + 1] ** 2 / total[: 2 * last + 1 : 2]
    return np.concatenate([half, np.full(len(total) - last - 1, half[-1])])


def _tail_of_the_best(gains: Array, reached: Array) -> Array:
    """Return how often the best rank among the candidates exceeds what the estimate reached.

    Ranks are those of the untilted resamples, ties at their greatest, over R + 1.
    """
    size = len(gains)
    ranks = [np.searchsorted(np.sort(column), column, side="right") for column in gains.T]
    limits = np.sort(np.max(ranks, axis=0)) / (size + 1)
    return 1.0 - np.searchsorted(limits, reached, side="right") / size


def _tilted_values(
    choice: Choice, metric: Metric, tilting: TiltProblem, taus: Array
) -> tuple[Array, Array]:
    """Return the metric under the weights of every tilt, and A(tau)."""
    ends, levels = np.empty(len(taus)), np.empty(len(taus))
    step = max(1, CELLS // len(tilting.units))
    for start in range(0, len(taus), step):
        block = slice(start, start + step)
        powers = np.outer(taus[block], tilting.influence)
        top = powers.max(axis=1, keepdims=True)
        raised = np.exp(powers - top)
        levels[block] = top[:, 0] + np.log(raised.mean(axis=1))
        weights = Weights(np.take(raised, tilting.units, axis=1))
        columns = np.full(len(weights), choice.chosen)
        ends[block] = score_selected(choice.part, metric, weights, columns)
    ends = sum(metric.limits) - ends if choice.turned[0] else ends
    ends[0] = choice.value
    return ends, levels
