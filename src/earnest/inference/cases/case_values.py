"""What every case adds to a metric, so that the mean over cases is the metric itself.

A variance needs one number per case. A metric that is a mean over cases has them; a function of
sums gets them from its derivative, the AUC from its placements. Where cases weigh w with mean 1, a
term is the value plus w times what the case is away from it, so that plain means and variances of
terms are those of the weighted metric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.text.doors import arg
from earnest.inference.cases.placements import Placements, placements
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Array, Metric, MetricLike, MomentMetric, RankMetric, View
from earnest.metrics.responding import pick_answer, respond

STEP = 1e-3  # the weight that moves, as a share of the weight of one case
ROUNDING = 4 * float(np.finfo(np.float64).eps)  # of a difference of two values of a metric


def find_influence(moved: Callable[[float], Array], n: int) -> Array:
    """Return the influence of every case (n, C), centred so that they sum to 0.

    The statistic is evaluated with a share `step` of all weight moved to a case, and with as much
    taken from it. `step` is so small against 1 / n that every weight stays positive, so the metric
    never leaves its range.

    The five-point rule has an error of the order `STEP`⁴ where one case makes up the whole
    statistic and far less elsewhere, and rounding of about n * 1e-12 of the value; influences
    that are smaller count as 0.

    Parameters
    ----------
    moved : callable
        `step -> (n, C)`: the statistic with that share of the weight moved to each case in turn.
    n : int
        The number of cases.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.case_values import find_influence
    >>> x = np.array([[1.0], [2.0], [6.0]])
    >>> root = find_influence(lambda step: np.sqrt(x.mean() + step * (x - x.mean())), 3)
    >>> np.allclose(root, (x - 3) / (2 * np.sqrt(3)))
    True
    """
    effect, rounding = slope(moved, n)
    effect -= effect.mean(axis=0)
    effect[np.abs(effect) <= rounding] = 0.0
    return effect


def slope(moved: Callable[[float], Array], n: int) -> tuple[Array, Array]:
    """Return the derivative by the share of the weight that is moved, and the rounding in it."""
    step = STEP / n
    up, down = moved(step), moved(-step)
    derivative = (8.0 * (up - down) - (moved(2 * step) - moved(-2 * step))) / (12.0 * step)
    return np.asarray(derivative), np.asarray(ROUNDING / step * np.abs(up))


def placement_terms(
    metric: RankMetric, target: Target, scores: Numbers, folds: NDArray[np.int32]
) -> tuple[Array, Array]:
    """Return the mean over folds of the AUC (C,), and the terms of the cases (n, C).

    With K folds of n_j cases a case of fold j has the term A + (n / (K n_j)) (A_j - A + D_i),
    where A_j is the AUC in the fold, A the mean over folds, and D_i the influence of the case on
    A_j from its placement. So the terms have the mean A whatever the sizes of the folds, and
    their variance within folds is (1/K²) times the sum of DeLong's variances of the A_j.
    """
    codes = np.unique(folds)
    n, spread = len(folds), np.empty(scores.shape[:2])
    areas = np.empty((len(codes), scores.shape[1]))
    for turn, code in enumerate(codes):
        rows = np.flatnonzero(folds == code)
        areas[turn], moves = _score_fold(metric, target.take(rows), scores[rows])
        spread[rows] = (areas[turn] + moves) * (n / (len(codes) * len(rows)))
    value = areas.mean(axis=0)
    sizes = np.bincount(folds)[folds]
    shares = n / (len(codes) * sizes)[:, None]
    return value, value + (spread - shares * value)


def pooled_terms(
    metric: RankMetric, target: Target, scores: Numbers, folds: NDArray[np.int32]
) -> Array:
    """Return the terms of the cases (n, C), with placements centred on the mean over folds.

    A fold with one case of a class does not show what that case does: its placement is the AUC of
    the fold. Centred on the mean over folds it does, as if the placements of all folds had one
    mean. With K folds of n_1j and n_0j cases a positive has A + (n / (K n_1j)) (V10 - A) and a
    negative A + (n / (K n_0j)) (V01 - A), where the distances from A are multiplied by sqrt(N / (N
    - 1)), N being the cases of the class in all folds: DeLong's divisors.

    The terms of a fold sum to twice what the fold adds, so they are only for variances over all
    cases: correct for means of cases over many repeats, and rather wide for one partition, by a
    factor of 2 in the variance if a fold has only one case of either class.
    """
    codes, views = np.unique(folds), metric.views(target)
    rows = [np.flatnonzero(folds == code) for code in codes]
    areas = np.stack(
        [_find_areas(metric, target.take(mine), scores[mine]) for mine in rows]
    )  # (K, C, V)
    sizes = [np.bincount(view.truth[view.truth >= 0], minlength=2) for view in views]
    about, values, away = (areas.mean(axis=0), sizes), [], np.empty(scores.shape[:2])
    for mine in rows:
        value, moves = _score_fold(metric, target.take(mine), scores[mine], about)
        values.append(value)
        away[mine] = moves * (len(folds) / (len(codes) * len(mine)))
    away -= away.mean(axis=0)  # 0 already, but where classes are weighted by how frequent they are
    return np.asarray(np.mean(values, axis=0) + away)


def _find_areas(metric: RankMetric, target: Target, scores: Numbers) -> Array:
    """Return the AUC of every view in a fold: (C, V)."""
    weights = target.masses
    return np.stack(
        [_place_view(view, scores, weights)[1].auc for view in metric.views(target)], axis=1
    )


About = tuple[Array, list[NDArray[np.int64]]]  # AUCs (C, V), and how many cases of a view's sides


def _score_fold(
    metric: RankMetric, target: Target, scores: Numbers, about: About | None = None
) -> tuple[Array, Array]:
    """Return the metric in a fold (C,), and the influence of its cases (n_j, C).

    Placements are centred on the AUC in the fold, or on `about`.
    """
    views, weights = metric.views(target), target.masses
    scored = [
        _score_view(view, scores, weights)
        if about is None
        else _score_about(view, scores, weights, about[0][:, number], about[1][number])
        for number, view in enumerate(views)
    ]
    areas = np.stack([area for area, _ in scored], axis=1)[None]  # (1, C, V)
    influences = np.stack([moves for _, moves in scored], axis=2)  # (n_j, C, V)
    shares = np.stack([_find_mass(view) for view in views], axis=1)  # (n_j, V)
    if weights is not None:
        shares = shares * weights[:, None]
    masses = shares.mean(axis=0, keepdims=True)
    value = metric.combine(areas, masses)[0]
    by_order = metric.combine(areas + influences, np.repeat(masses, len(scores), axis=0)) - value

    away = shares - (masses if weights is None else weights[:, None] * masses)

    def moved(step: float) -> Array:  # some metrics weight classes by how frequent they are
        everywhere = np.repeat(areas, len(scores), axis=0)
        return metric.combine(everywhere, masses + step * away)

    return value, by_order + find_influence(moved, len(scores))


def _find_mass(view: View) -> Array:
    return np.ones(len(view.truth)) if view.mass is None else view.mass.astype(np.float64)


def _place_view(
    view: View, scores: Numbers, weights: Array | None
) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], Placements]:
    """Return the cases of both sides of a view, positives first, and their placements."""
    used = np.flatnonzero(view.truth >= 0)
    column = scores if view.column is None else scores[:, :, view.column]
    positive = view.truth[used] == 1
    masses = None if weights is None else weights[used]
    return (used[positive], used[~positive]), placements(positive, column[used], masses)


def _score_view(view: View, scores: Numbers, weights: Array | None) -> tuple[Array, Array]:
    """Return the AUC of one view (C,), and the influence of the cases of a fold (n_j, C).

    A positive's is (n_j / n_1)(V10 - A), a negative's (n_j / n_0)(V01 - A) (LeDell et al. 2015),
    here times sqrt(n_1 / (n_1 - 1) * (n_j - 1) / n_j), and likewise n_0: with it the unbiased
    variance over the fold is DeLong's, whose divisors are n_1 - 1 and n_0 - 1. One case alone has
    none: its placement is the AUC.
    """
    sides, placed = _place_view(view, scores, weights)
    moves, total = np.zeros(scores.shape[:2]), len(scores)
    for side, members in zip((placed.positives, placed.negatives), sides, strict=True):
        size = len(side)
        if size > 1:
            scale = (total / size) * np.sqrt(size / (size - 1) * (total - 1) / total)
            moves[members] = scale * (side - placed.auc)
    return placed.auc, moves


def _score_about(
    view: View, scores: Numbers, weights: Array | None, centre: Array, sizes: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Return the AUC of one view (C,), and placements about the mean of all folds (n_j, C)."""
    sides, placed = _place_view(view, scores, weights)
    moves, total = np.zeros(scores.shape[:2]), len(scores)
    every = zip((placed.positives, placed.negatives), sides, sizes[::-1], strict=True)
    for side, members, whole in every:
        moves[members] = total / len(side) * np.sqrt(whole / (whole - 1)) * (side - centre)
    return placed.auc, moves


def single_cases(pi: Predictions) -> tuple[int, int]:
    """Return in how many folds a class has one case, and how many folds there are."""
    tables = [_count_classes(pi, repeat) for repeat in range(pi.n_repeats)]
    used = [table[table.sum(axis=1) > 0] for table in tables]
    return sum(int((table == 1).any(axis=1).sum()) for table in used), sum(map(len, used))


def _count_classes(pi: Predictions, repeat: int) -> NDArray[np.int64]:
    """Return how many cases of each class every fold of a repeat tests."""
    used = np.flatnonzero(pi.tested(repeat))
    table = np.zeros((len(pi.fold_names[repeat]), len(pi.target.classes)), dtype=np.int64)
    np.add.at(table, (pi.folds[used, repeat], pi.target.y[used]), 1)
    return table


def need_each_class(pi: Predictions, *, singles: bool) -> None:
    """Refuse folds in which DeLong's variance is undefined: two cases of each class are needed.

    With `singles` one is enough, if the other folds of the repeat have more.
    """
    least = 1 if singles else 2
    for repeat in range(pi.n_repeats):
        table = _count_classes(pi, repeat)
        few = np.argwhere((table < least) & (table.sum(axis=1, keepdims=True) > 0))
        if len(few):
            fold, label = (int(v) for v in few[0])
            raise _make_too_few_error(
                f"{'two cases' if least == 2 else 'a case'} of each class in every fold",
                f"at least {least} of each class in each fold",
                f"{int(table[fold, label])} of class {pi.target.classes[label]} in fold "
                f"{pi.fold_names[repeat][fold]}, in {len(few)} such places",
            )
        alone = np.flatnonzero(table.sum(axis=0) == 1)
        if singles and len(alone):
            raise _make_too_few_error(
                "two cases of each class",
                "at least 2 of each class in a repeat",
                f"1 of class {pi.target.classes[int(alone[0])]}",
            )


def _make_too_few_error(what: str, needs: str, got: str) -> EvidenceError:
    return EvidenceError(
        f"the variance of an AUC over folds needs {what}",
        needs=needs,
        got=got,
        cure="Use fewer or stratified folds, a metric that is a mean over cases, or "
        f"{arg('method', 'delong')}, which reads the pooled scores.",
    )


CELLS = 1 << 21  # feature values held at a time
ValueKind = Literal["pointwise", "delta", "placements"]


@dataclass(frozen=True, eq=False)
class CaseValues:
    """What each case adds to a metric in each repeat, in the metric's own units.

    The difference of two columns is the difference of their terms: `terms[:, a] - terms[:, b]`
    has the mean `value[a] - value[b]`.

    Parameters
    ----------
    value : ndarray, shape (C,)
        The metric: the mean over repeats of the mean over cases; NaN where it is undefined.
    terms : ndarray, shape (n, C, R)
        What a case adds: the mean over the tested cases of a repeat is that repeat's value. NaN
        where a repeat did not test a case.
    folds : ndarray of int, shape (n, R)
        The fold of a case, -1 where it was not tested.
    groups : ndarray of int, shape (n,), optional
        The unit that a case belongs to.
    kind : {'pointwise', 'delta', 'placements'}
        Whether the terms are the cases' own losses, linearised sums, or placements in folds.
    pooled : ndarray, shape (n, C, R), optional
        Where a fold has one case of a class: the terms by placements about the mean over folds.
    single_folds : tuple of int
        In how many folds a class has one case, of how many; (0, 0) but for placements.
    """

    value: Array
    terms: Array
    folds: NDArray[np.int32]
    groups: NDArray[np.int64] | None
    kind: ValueKind
    pooled: Array | None = None
    single_folds: tuple[int, int] = (0, 0)

    @property
    def n_units(self) -> int:
        """The number of independent units: groups, or cases."""
        return len(self.terms) if self.groups is None else len(np.unique(self.groups))

    @property
    def spread(self) -> Array:
        """What a variance over all cases is read from: the terms, or the pooled ones."""
        return self.terms if self.pooled is None else self.pooled


def find_case_kind(metric: Metric) -> ValueKind:
    """Return what the cases would add to a metric of a task.

    Raises
    ------
    MetricError
        For a metric that is neither a function of sums over cases nor an AUC.
    """
    return _choose_rule(metric)[0]


def case_values(pi: Predictions, metric: MetricLike, *, singles: bool = False) -> CaseValues:
    """Return what each case adds to the metric of each configuration.

    A metric that is a mean over cases gives the loss or the score of the case. One that is a
    function g of sums is linearised (the delta method): g(m) + g'(m)(m_i - m) at the mean m of the
    repeat. The AUC is the mean over folds of the AUC in a fold, linearised by placements (LeDell
    et al. 2015).

    Parameters
    ----------
    pi : Predictions
        Out-of-sample predictions; incomplete configurations get NaN.
    metric : str, Metric or callable
        What to measure.
    singles : bool
        Whether an AUC may have folds with one case of a class; `pooled` is then made.

    Raises
    ------
    MetricError
        For a metric that is neither a function of sums over cases nor an AUC.
    EvidenceError
        For an AUC where a fold has too few cases of a class.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.cases.case_values import case_values
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [0.2, 0.7, 0.3])
    >>> values = case_values(pi, "accuracy")
    >>> values.value, values.terms[:, 0, 0], values.kind
    (array([0.66666667]), array([1., 1., 0.]), 'pointwise')
    """
    metric = resolve_metric(metric).on(pi.target.task)
    pi = pick_answer(pi, metric)
    kind, rule = _choose_rule(metric)
    check_terms(pi, metric, singles=singles)
    single = single_cases(pi) if kind == "placements" else (0, 0)
    terms = np.full((pi.n_cases, pi.n_configs, pi.n_repeats), np.nan)
    pooled = np.full(terms.shape, np.nan) if single[0] else None
    values = []
    folds = pi.folds.copy()
    for repeat in range(pi.n_repeats):
        rows = np.flatnonzero(pi.tested(repeat))
        folds[~pi.tested(repeat), repeat] = -1
        if len(rows) == 0:
            continue
        response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
        value, mine = rule(pi.target.take(rows), response, folds[rows, repeat])
        values.append(value)
        terms[rows, :, repeat] = mine
        if pooled is not None and isinstance(metric, RankMetric):
            about = pooled_terms(metric, pi.target.take(rows), response, folds[rows, repeat])
            pooled[rows, :, repeat] = about
    if not values:
        raise EvidenceError(
            "no case was tested",
            needs="predictions of at least one fold",
            cure="Look for configurations whose fits all failed.",
        )
    value = np.mean(values, axis=0)
    value[~pi.complete], terms[:, ~pi.complete] = np.nan, np.nan
    return CaseValues(value, terms, folds, pi.target.groups, kind, pooled, single)


def score_terms(pi: Predictions, metric: Metric) -> tuple[Array, Array] | None:
    """Return the pooled score of every configuration (C,) and the terms of its cases (n, C).

    The score is that of `score_table`: over all cases of a repeat at once, and the mean over
    repeats. A term is the score plus the influence of the case on it, so that the terms have the
    score as their mean. None for a metric that does not say what a case adds to it.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.cases.case_values import score_terms
    >>> pi = en.Predictions.from_arrays([0, 1, 1], [0.2, 0.7, 0.3])
    >>> score_terms(pi, en.metric("accuracy"))[1][:, 0]
    array([1., 1., 0.])
    """
    if not metric.has_terms:
        return None
    _, rule = _choose_rule(metric)
    values, moves = [], np.zeros((pi.n_cases, pi.n_configs))
    for repeat in range(pi.n_repeats):
        rows = np.flatnonzero(pi.tested(repeat))
        if len(rows) == 0:
            continue
        response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
        value, mine = rule(pi.target.take(rows), response, np.zeros(len(rows), dtype=np.int32))
        values.append(value)
        moves[rows] += (mine - value) * (pi.n_cases / len(rows))
    value = np.mean(values, axis=0)
    return value, value + moves / len(values)


def check_terms(pi: Predictions, metric: Metric, *, singles: bool = False) -> None:
    """Refuse a metric that has no terms, or folds in which it has none, before any work."""
    kind, _ = _choose_rule(metric)
    if kind == "placements":
        need_each_class(pi, singles=singles)


Rule = Callable[
    [Target, Numbers, NDArray[np.int32]], tuple[Array, Array]
]  # target, response (n, C[, K]), folds (n,) -> value (C,), terms (n, C)


def _choose_rule(metric: Metric) -> tuple[ValueKind, Rule]:
    """Return how the terms of a metric are made."""
    if isinstance(metric, MomentMetric):
        if metric.mean_of_cases:
            return "pointwise", lambda target, response, _: _find_own_numbers(
                metric, target, response
            )
        return "delta", lambda target, response, _: _linearise(metric, target, response)
    if isinstance(metric, RankMetric) and metric.area:
        return "placements", lambda *parts: placement_terms(metric, *parts)
    raise MetricError(
        f"metric {metric.name!r} has no contribution of a single case",
        needs="a mean over cases such as 'accuracy' or 'mse', a function of sums such as 'f1', "
        "'r2' or 'rmse', or an AUC",
        got=metric.name,
        cure="Write your own function as a MomentMetric, or use "
        f"{arg('method', 'corrected_t')}, or "
        f"{arg('method', 'bbc')} for the winner of a search.",
    )


def mean_moments(pi: Predictions, metric: MomentMetric, repeat: int) -> tuple[Array, Array]:
    """Return the mean moments of a repeat as `combine` takes them: (m, 1, C) and (s, 1, 1)."""
    rows = np.flatnonzero(pi.tested(repeat))
    response = respond(pi, metric.needs, pi.responses[rows, :, repeat])
    target = pi.target.take(rows)
    features, shared = _compute_moments(metric, target, response)
    return _average_moments(features, shared, target.masses)


def _average_moments(features: Array, shared: Array, masses: Array | None) -> tuple[Array, Array]:
    """Return the means of features (m, 1, C) and (s, 1, 1) over cases as they weigh."""
    if masses is not None:
        features, shared = features * masses[:, None], shared * masses
    return features.mean(axis=1, keepdims=True), shared.mean(axis=1)[:, None, None]


def _compute_moments(
    metric: MomentMetric, target: Target, response: Numbers
) -> tuple[Array, Array]:
    """Return the features of the cases as float64: own (m, n, C) and shared (s, n)."""
    centre = None if metric.centre is None else metric.centre(target, response)
    moments = metric.features(target, response, centre)
    return moments.own.astype(np.float64), np.atleast_2d(moments.shared).astype(np.float64)


def _find_own_numbers(
    metric: MomentMetric, target: Target, response: Numbers
) -> tuple[Array, Array]:
    features, _ = _compute_moments(metric, target, response)
    masses = target.masses
    if masses is None:
        return features[0].mean(axis=0), features[0]
    value = (features[0] * masses[:, None]).mean(axis=0)
    return value, value + masses[:, None] * (features[0] - value)


def _linearise(metric: MomentMetric, target: Target, response: Numbers) -> tuple[Array, Array]:
    """Return the metric (C,) and its linear terms (n, C), a block of columns at a time."""
    columns = response.shape[1]
    probe, _ = _compute_moments(metric, target, response[:, :1])
    step = max(1, CELLS // max(1, probe.size))
    parts = [
        _linearise_block(
            metric,
            *_compute_moments(metric, target, response[:, left : left + step]),
            target.masses,
        )
        for left in range(0, columns, step)
    ]
    return np.concatenate([v for v, _ in parts]), np.concatenate([t for _, t in parts], axis=1)


def _linearise_block(
    metric: MomentMetric, features: Array, shared: Array, masses: Array | None
) -> tuple[Array, Array]:
    middle, common = _average_moments(features, shared, masses)
    away, apart = features - middle, shared[:, :, None] - common
    if masses is not None:  # what a case adds goes with its weight
        away, apart = away * masses[:, None], apart * masses[:, None]

    def moved(step: float) -> Array:  # all metrics take weights, so means do as well as sums
        return metric.combine(middle + step * away, common + step * apart)

    value = metric.combine(middle, common)[0]
    return value, value + find_influence(moved, features.shape[1])
