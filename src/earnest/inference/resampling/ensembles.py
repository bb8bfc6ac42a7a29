"""Ensembles chosen in every resample, and on the sample itself by the same rule.

A rule gives each configuration a share of the ensemble's prediction, which is the average of the
predictions by these shares.

The corrected score is that of cross-fitted predictions: cases are divided into many small parts,
and each part is predicted by an ensemble that was chosen on all other cases. So nearly as many
cases choose as on the sample itself. A bootstrap resample would choose by weights that are worth
only half the cases, and the weights of an ensemble need many. Bootstrap resamples, in which the
ensemble of the drawn cases is scored on those left out, give the error of the score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.registry import split_knobs
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, workers
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import (
    ENSEMBLES,
    EnsembleRule,
    GreedyEnsemble,
    StackedEnsemble,
    TopAverage,
    first_best,
)
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Weights
from earnest.core.results.estimate import ScoreErrors
from earnest.core.text.doors import arg
from earnest.inference.resampling.winners import KEPT, WinnerScores, gains_of
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.classification import of_true_class, square_errors, surprises
from earnest.metrics.families import (
    EPS,
    Metric,
    MomentMetric,
    RankMetric,
    mean,
    one_view,
    root_mean,
)
from earnest.metrics.multiclass import mean_of_views
from earnest.metrics.regression import explained, squared_errors, squared_errors_and_outcome
from earnest.resampling.bootstrap import Resampler

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

PARTS = 5  # into which the folds are divided where a guard leaves one out at a time
BLOCK = 64  # resamples whose ensembles are held at a time
CELLS = 1 << 22  # predictions of candidate ensembles held at a time
FEW_STEPS = 32  # up to which sums of numbers below 2**24 stay below 2**30
# What a metric is made of, and whether more of it is better, tells how its ensembles are built: a
# copy under another name is built alike, and another metric under its name is not.
LOG_LOSS = (surprises, mean, False)
SQUARES = ((squared_errors, mean, False), (square_errors, mean, False))
OF_SQUARES = (  # which fall and rise with them, where there is one repeat
    (squared_errors, root_mean, False),
    (squared_errors_and_outcome, explained, True),
)
RIDGE = 1e-10  # of the size of predictions, so that equal columns can be told apart

NEWTON_STEPS, HALVINGS = 50, 30
NEWTON_END = 1e-9  # of the slope a case, at which logistic regression ends

# Parts that are left out in turn. The fewer there are, the fewer cases choose and the lower is the
# score; the more, the more it varies. Simulated AUCs are too low by up to 0.05 / (K - 1) at
# n = 100, and by less with more cases, so that these keep the bias under 0.002.
FEWEST_PARTS, MOST_PARTS = 10, 30
PARTS_TIMES_CASES = 4000
RESAMPLES_A_PARTITION = 250  # of an estimate, for each of which all cases are divided once more
FEWEST_PARTITIONS = 2


def read_rule(text: str) -> EnsembleRule | None:
    """Return the ensemble rule of a name with its knobs, None if it names no ensemble.

    Examples
    --------
    >>> from earnest.inference.resampling.ensembles import read_rule
    >>> read_rule("greedy_ensemble(size=10)")
    GreedyEnsemble(library=50, guard=False, size=10)
    >>> read_rule("pooled")
    """
    word = text.partition("(")[0].strip()
    if word not in ENSEMBLES:
        return None
    kind, knobs = ENSEMBLES[word], split_knobs(text)[1]
    names = [field.name for field in fields(kind)]
    unknown = [name for name in knobs if name not in names]
    if unknown:
        raise InputError(
            f"ensemble rule {word!r} has no option {unknown[0]!r}",
            needs=", ".join(names),
            got=text,
            cure="Leave it out.",
        )
    return kind(**knobs)  # type: ignore[arg-type]  # checked by the rule itself


def check_ensemble(pi: Predictions, rule: EnsembleRule) -> None:
    """Refuse predictions that have no average: labels, and values on scales of their own."""
    if isinstance(rule, StackedEnsemble) and rule.method == "logistic":
        _need_classes(pi, rule)
    if pi.kind not in (ResponseKind.PROBABILITY, ResponseKind.VALUE):
        raise EvidenceError(
            f"selector {rule.word!r} averages predictions, and a {pi.kind} has no average",
            needs="probabilities, or the values of a regression",
            got=f"{pi.kind} responses",
            cure="Keep probabilities of each configuration, or choose a single winner with "
            f"{arg('selector', 'pooled')}.",
        )


def _need_classes(pi: Predictions, rule: EnsembleRule) -> None:
    if not pi.target.has_classes:
        raise EvidenceError(
            "logistic regression stacks probabilities of classes",
            needs="a binary or multiclass outcome",
            got=f"task {pi.target.task.value!r}",
            cure=f"Use {type(rule).__name__}(method='least_squares').",
        )


def choose_ensembles(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    rule: EnsembleRule,
    *,
    n_jobs: int | None = None,
) -> Array:
    """Return the share of each configuration in the ensemble of every resample: (B, C).

    The shares of a resample sum to 1; they are all 0 where no configuration has a defined score.

    Parameters
    ----------
    pi : Predictions
        Complete ones, as `usable` gives them: probabilities, or the values of a regression.
    metric : Metric
        What the ensembles are chosen by.
    weights : Weights, shape (B, n)
        The resamples.
    rule : EnsembleRule
        How they are chosen.
    n_jobs : int, optional
        The number of threads; never changes the result.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.resampling.ensembles import choose_ensembles
    >>> scores = [[0.1, 0.3], [0.4, 0.2], [0.8, 0.3], [0.3, 0.9]]
    >>> pi = en.Predictions.from_arrays([0, 0, 1, 1], scores)
    >>> rule = en.rules.GreedyEnsemble(size=4)
    >>> choose_ensembles(pi, en.metric("brier"), en.resampling.Weights.ones(4), rule)
    array([[0.5, 0.5]])
    """
    shares, best = _choose(pi, metric, weights, rule, n_jobs)
    if not rule.guard:
        return shares
    lead = _find_lead(pi, metric, weights, rule, n_jobs)
    alone = ~(lead > 0.0) & (best >= 0)
    shares[alone] = 0.0
    shares[np.flatnonzero(alone), best[alone]] = 1.0
    return shares


def _choose(
    pi: Predictions, metric: Metric, weights: Weights, rule: EnsembleRule, n_jobs: int | None
) -> tuple[Array, NDArray[np.intp]]:
    """Return the shares (B, C) by a rule without its guard, and the best single ones (B,)."""
    gains = gains_of(metric, score_table(pi, metric, weights, n_jobs=n_jobs)[None])[0]
    best = first_best(gains)
    order = np.argsort(np.where(np.isnan(gains), np.inf, -gains), axis=1, kind="stable")
    n_defined = np.sum(~np.isnan(gains), axis=1)  # (B,)
    if isinstance(rule, TopAverage):
        return _average_top(order, n_defined, min(rule.k, rule.library)), best
    library = _list_library(order, n_defined, best, rule.library)
    if isinstance(rule, StackedEnsemble):
        stack = _stack_logistic if rule.method == "logistic" else _stack
        return stack(pi, weights, library, best, workers(n_jobs)), best
    if not isinstance(rule, GreedyEnsemble):
        raise InputError(
            "unknown ensemble rule",
            needs="GreedyEnsemble, TopAverage or StackedEnsemble",
            got=type(rule).__name__,
        )
    picks, scores = _grow(pi, metric, weights, library, best, rule.size, workers(n_jobs))
    return _count_shares(picks, scores, pi.n_configs, metric), best


def _list_library(
    order: NDArray[np.intp], n_defined: NDArray[np.intp], best: NDArray[np.intp], most: int
) -> Ints:
    """Return the best configurations of every resample in rising order (B, L), -1 after the last.

    The best single one, which ties may put anywhere among its equals, is always among them.
    """
    width = min(most, order.shape[1])
    library = order[:, :width].copy()
    absent = (best >= 0) & ~(library == best[:, None]).any(axis=1)
    library[absent, np.minimum(width, n_defined[absent]) - 1] = best[absent]
    library[np.arange(width) >= n_defined[:, None]] = order.shape[1]  # sorts to the end
    library.sort(axis=1)
    library[library == order.shape[1]] = -1
    return library.astype(np.int32)


def _average_top(order: NDArray[np.intp], n_defined: NDArray[np.intp], k: int) -> Array:
    shares = np.zeros(order.shape)
    many = np.minimum(k, n_defined)
    for b in range(len(order)):
        if many[b]:
            shares[b, order[b, : many[b]]] = 1.0 / many[b]
    return shares


def _count_shares(picks: Ints, scores: Array, configs: int, metric: Metric) -> Array:
    """Return the shares of the best ensemble on the way, the smallest of those that tie."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    unit = 1.0 if metric.has_unit else 0.0
    best = filled.max(axis=1)
    near = 1e-12 * np.maximum(unit, np.abs(np.where(np.isinf(best), 0.0, best)))
    length = np.argmax(filled >= (best - near)[:, None], axis=1) + 1
    shares = np.zeros((len(picks), configs))
    for b in np.flatnonzero(np.isfinite(best)):
        shares[b] = np.bincount(picks[b, : length[b]], minlength=configs) / length[b]
    return shares


# Greedy ensembles: three compiled ways, and one for any metric.


def _grow(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    library: Ints,
    best: NDArray[np.intp],
    steps: int,
    jobs: int,
) -> tuple[Ints, Array]:
    """Return the members of greedy ensembles (B, steps), and the gains after each step."""
    start = _find_places(library, best)
    whole = all(pi.tested(r).all() for r in range(pi.n_repeats)) and weights.integral
    picks = np.full((len(library), steps), -1, dtype=np.int32)
    scores = np.full((len(library), steps), np.nan)
    fill = _find_kernel(pi, metric, weights, steps) if whole else None
    if fill is None:
        _grow_plainly(pi, metric, weights, library, start, picks, scores)
        return picks, scores

    def work(top: int) -> None:
        rows = slice(top, top + BLOCK)
        counts = weights.values[rows].astype(np.int32)
        fill(counts, library[rows], start[rows], picks[rows], scores[rows])

    each(work, range(0, len(library), BLOCK), jobs)
    return picks, scores


Fill = Callable[[Ints, Ints, Ints, Ints, Array], None]


def _find_places(library: Ints, best: NDArray[np.intp]) -> Ints:
    """Return the place of the best one in the library of every resample (B,), -1 without one."""
    position = np.argmax(library == best[:, None], axis=1)
    return np.where(best < 0, -1, position).astype(np.int32)


def is_compiled(metric: Metric) -> bool:
    """Tell whether greedy ensembles are built by compiled code for a metric, with one repeat.

    For others it takes up to a hundred times as long.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.inference.resampling.ensembles import is_compiled
    >>> is_compiled(en.metric("roc_auc")), is_compiled(en.metric("average_precision"))
    (True, False)
    """
    if isinstance(metric, RankMetric):
        return metric.area and metric.combine in (one_view, mean_of_views)
    if not isinstance(metric, MomentMetric):
        return False
    composition = metric.features, metric.combine, metric.greater_is_better
    return composition in (LOG_LOSS, *SQUARES, *OF_SQUARES)


def _find_kernel(pi: Predictions, metric: Metric, weights: Weights, steps: int) -> Fill | None:
    """Return what builds the ensembles of some resamples, None where nothing compiled does."""
    from earnest.kernels import ensembles as compiled

    views = (one_view, mean_of_views)
    if isinstance(metric, RankMetric) and metric.area and metric.combine in views:
        if weights.values.size and weights.values.max() > compiled.LARGEST_COUNT:
            return None
        keys, labels = _make_keys(pi, metric, 24 if steps <= FEW_STEPS else 22)
        return lambda counts, library, start, picks, scores: compiled.greedy_areas(
            keys, labels, counts, library, start, steps, picks, scores
        )
    if not isinstance(metric, MomentMetric):
        return None
    composition = metric.features, metric.combine, metric.greater_is_better
    if composition == LOG_LOSS:
        chances = _list_chances(pi)
        return lambda counts, library, start, picks, scores: compiled.greedy_chances(
            chances, counts, library, start, steps, picks, scores
        )
    if composition in SQUARES or (composition in OF_SQUARES and pi.n_repeats == 1):
        apart = _list_residuals(pi)

        def fill(counts: Ints, library: Ints, start: Ints, picks: Ints, scores: Array) -> None:
            together = np.empty((*library.shape, library.shape[1]))
            compiled.sum_products(apart, counts, library, together)
            compiled.greedy_squares(together, library, start, steps, picks, scores)

        return fill
    return None


def _make_keys(pi: Predictions, metric: RankMetric, bits: int) -> tuple[Ints, Ints]:
    """Return predictions as whole numbers (C, V, n), and the classes of every view (V, n).

    A view is a class in a repeat, or the only one of two classes.
    """
    views = metric.views(pi.target)
    keys = np.empty((pi.n_configs, len(views) * pi.n_repeats, pi.n_cases), dtype=np.int32)
    labels = np.empty((keys.shape[1], pi.n_cases), dtype=np.int32)
    at = 0
    for repeat in range(pi.n_repeats):
        for view in views:
            values = pi.responses[:, :, repeat]
            values = values if view.column is None else values[..., view.column]
            keys[:, at] = np.rint(values.T.astype(np.float64) * float(1 << bits))
            labels[at] = view.truth
            at += 1
    return keys, labels


def _list_chances(pi: Predictions) -> Array:
    """Return the chance given to the class of each case (C, R n), within what a log loss takes."""
    parts = [of_true_class(pi.target, pi.responses[:, :, r]).T for r in range(pi.n_repeats)]
    return np.clip(np.concatenate(parts, axis=1), EPS, 1.0 - EPS)


def _list_numbers(pi: Predictions) -> tuple[Array, Array]:
    """Return predictions (C, R K n) and outcomes (R K n,) as numbers that a square compares."""
    target = pi.target
    rows = [pi.responses[:, :, r] for r in range(pi.n_repeats)]
    if target.task is Task.MULTICLASS:
        classes = range(len(target.classes))
        flat = [row[..., k].T for row in rows for k in classes]
        outcome = [np.asarray(target.y == k) for _ in rows for k in classes]
    else:
        flat, outcome = [row.T for row in rows], [np.asarray(target.y)] * len(rows)
    return (
        np.concatenate(flat, axis=1).astype(np.float64),
        np.concatenate(outcome).astype(np.float64),
    )


def _list_residuals(pi: Predictions) -> Array:
    residuals, outcome = _list_numbers(pi)
    residuals -= outcome
    return residuals


def _grow_plainly(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    library: Ints,
    start: Ints,
    picks: Ints,
    scores: Array,
) -> None:
    """Build greedy ensembles by any metric, some resamples at a time: the definition."""
    width = library.shape[1]
    columns = np.moveaxis(pi.responses, 1, 0).astype(np.float64)  # (C, n, R[, K])
    step = max(1, CELLS // (width * columns[0].size))
    usable = np.flatnonzero(start >= 0)
    for top in range(0, len(usable), step):
        rows = usable[top : top + step]
        some = np.where(library[rows] < 0, 0, library[rows])  # (b, L)
        heavy = np.repeat(weights.values[rows], width, axis=0)
        running = np.zeros((len(rows), *columns[0].shape))
        for turn in range(picks.shape[1]):
            grown = (running[:, None] + columns[some]) / (turn + 1.0)  # (b, L, n, R[, K])
            ensembles = _as_predictions(pi, grown.reshape(-1, *columns[0].shape))
            values = score_selected(ensembles, metric, heavy, np.arange(len(heavy)))
            gains = metric.sign * values.reshape(len(rows), width)
            gains[library[rows] < 0] = np.nan
            chosen = start[rows] if turn == 0 else _find_first(gains, metric)
            mine = np.flatnonzero(chosen >= 0)
            picks[rows[mine], turn] = some[mine, chosen[mine]]
            scores[rows[mine], turn] = gains[mine, chosen[mine]]
            running[mine] += columns[some[mine, chosen[mine]]]


def _find_first(gains: Array, metric: Metric) -> NDArray[np.intp]:
    """Return the first best (b,); where the metric has no unit, in units of the best."""
    return first_best(gains_of(metric, metric.sign * gains[None])[0])


def _stack(
    pi: Predictions, weights: Weights, library: Ints, best: NDArray[np.intp], jobs: int
) -> Array:
    """Return the shares (B, C) of non-negative least squares."""
    from scipy.optimize import nnls

    from earnest.kernels.ensembles import sum_products

    predictors, outcome = _list_numbers(pi)
    rows = np.concatenate([predictors, outcome[None]])  # the outcome is one more column
    last = np.full((len(library), 1), pi.n_configs, dtype=np.int32)
    sizes = (library >= 0).sum(axis=1)
    wide = np.concatenate([library, np.full_like(last, -1)], axis=1)
    wide[np.arange(len(wide)), sizes] = last[:, 0]
    shares = np.zeros((len(library), pi.n_configs))

    def work(top: int) -> None:
        some = slice(top, top + BLOCK)
        together = np.empty((len(wide[some]), wide.shape[1], wide.shape[1]))
        sum_products(rows, weights.values[some].astype(np.int32), wide[some], together)
        for b, sums in enumerate(together, start=top):
            if best[b] < 0:
                continue
            size = int(sizes[b])
            ridge = RIDGE * np.trace(sums[:size, :size]) / size
            root = np.linalg.cholesky(sums[:size, :size] + ridge * np.eye(size))  # lower
            coefs = nnls(root.T, np.linalg.solve(root, sums[:size, size]))[0]
            _share_out(shares[b], library[b, :size], coefs, int(best[b]))

    each(work, range(0, len(library), BLOCK), jobs)
    return shares


def _stack_logistic(
    pi: Predictions, weights: Weights, library: Ints, best: NDArray[np.intp], jobs: int
) -> Array:
    """Return the shares (B, C) of logistic regression on log-odds, its weights not negative."""
    predictors, outcome = _list_numbers(pi)
    chances = np.clip(predictors, EPS, 1.0 - EPS)
    odds = np.log(chances) - np.log1p(-chances)  # (C, R K n)
    times = len(outcome) // pi.n_cases
    shares = np.zeros((len(library), pi.n_configs))

    def work(b: int) -> None:
        if best[b] < 0:
            return
        heavy = np.tile(weights.values[b].astype(np.float64), times) / pi.n_repeats
        used = np.flatnonzero(heavy)
        members = library[b][library[b] >= 0]
        coefs = fit_logistic(odds[np.ix_(members, used)].T, outcome[used], heavy[used])
        _share_out(shares[b], members, coefs, int(best[b]))

    each(work, range(len(library)), jobs)
    return shares


def _share_out(row: Array, members: Ints, weights: Array, best: int) -> None:
    """Fill the shares of an ensemble from weights; the best one has all if they are all 0."""
    total = weights.sum()
    if total > 0.0:
        row[members] = weights / total
    else:
        row[best] = 1.0


def fit_logistic(x: Array, y: Array, heavy: Array) -> Array:
    """Return the weights (L,) of logistic regression on columns (N, L), none below 0.

    The penalty is half the sum of squared weights, the intercept is free: as scikit-learn's with
    C=1, by Newton steps on the weights that are not held at 0 (Bertsekas 1982).
    """
    wide = np.column_stack([x, np.ones(len(x))])
    penalty = np.append(np.ones(x.shape[1]), 0.0)
    coefs = np.zeros(wide.shape[1])

    def lose(w: Array) -> float:
        line = wide @ w
        return float(heavy @ (np.logaddexp(0.0, line) - y * line) + 0.5 * penalty @ (w * w))

    loss = lose(coefs)
    for _ in range(NEWTON_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(wide @ coefs, -700.0, 700.0)))
        slope = wide.T @ (heavy * (chance - y)) + penalty * coefs
        held = (coefs <= 0.0) & (slope > 0.0)
        held[-1] = False
        free = np.flatnonzero(~held)
        if np.abs(slope[free]).max() <= NEWTON_END * max(1.0, float(heavy.sum())):
            break
        columns = wide[:, free]
        bend = (columns * (heavy * chance * (1.0 - chance))[:, None]).T @ columns
        bend += np.diag(penalty[free] + NEWTON_END)
        step = np.zeros_like(coefs)
        step[free] = -np.linalg.solve(bend, slope[free])
        for halving in range(HALVINGS):
            tried = coefs + 0.5**halving * step
            tried[:-1] = np.maximum(tried[:-1], 0.0)
            after = lose(tried)
            if after < loss:
                break
        else:
            break
        coefs, loss = tried, after
    return coefs[:-1]


# What an ensemble predicts, and how it scores.


def blend(pi: Predictions, shares: Array) -> Predictions:
    """Return the predictions of ensembles (n, B, R[, K]) from their shares (B, C).

    A row of shares that are all 0 gives NaN throughout its column.

    Examples
    --------
    >>> import earnest as en
    >>> import numpy as np
    >>> from earnest.inference.resampling.ensembles import blend
    >>> pi = en.Predictions.from_arrays([0, 1], [[0.2, 0.4], [0.5, 0.9]])
    >>> blend(pi, np.array([[0.5, 0.5]])).responses[:, 0, 0].round(2).tolist()
    [0.3, 0.7]
    """
    responses = np.full((len(shares), *np.delete(pi.responses.shape, 1)), np.nan)
    for b, row in enumerate(shares):
        if row.any():
            responses[b] = _average(pi.responses, row)
    return _as_predictions(pi, responses)


def _average(responses: Numbers, row: Array) -> Array:
    """Return responses (n, C, R[, K]) averaged by the shares (C,) of an ensemble: (n, R[, K])."""
    first, *others = np.flatnonzero(row)
    total: Array = row[first] * responses[:, first].astype(np.float64)
    for c in others:
        total += row[c] * responses[:, c]
    return total


def add_blend(pi: Predictions, shares: Array) -> Predictions:
    """Return the configurations and, after them, ensembles of them by their shares (B, C)."""
    blended = blend(pi, shares)
    names = [f"ensemble {b + 1}" for b in range(len(shares))]
    taken = set(pi.configs.ids)
    names = [name if name not in taken else f"{name} of {len(taken)}" for name in names]
    responses = np.concatenate([pi.responses, blended.responses], axis=1)
    configs = Configs(ids=(*pi.configs.ids, *names))
    return replace(pi, configs=configs, responses=responses, guides=None)


def _as_predictions(pi: Predictions, averages: Numbers) -> Predictions:
    """Return ensembles (B, n, R[, K]) as configurations; rounding leaves no chance above 1."""
    responses = np.moveaxis(averages, 0, 1)
    if pi.kind is ResponseKind.PROBABILITY:
        responses = np.clip(responses, 0.0, 1.0)
    configs = Configs.of(None, len(averages))
    return replace(pi, configs=configs, responses=responses, guides=None)


def score_ensembles(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    shares: Array,
    *,
    n_jobs: int | None = None,
) -> Array:
    """Return the metric of one ensemble a resample: (B,); NaN where there is none."""
    out = np.full(len(shares), np.nan)
    defined = np.flatnonzero(shares.any(axis=1))
    for top in range(0, len(defined), BLOCK):
        rows = defined[top : top + BLOCK]
        blended = blend(pi, shares[rows])
        columns = np.arange(len(rows))
        out[rows] = score_selected(blended, metric, weights.take(rows), columns, n_jobs=n_jobs)
    return out


# The guard.


def _find_lead(
    pi: Predictions, metric: Metric, weights: Weights, rule: EnsembleRule, n_jobs: int | None
) -> Array:
    """Return by how much ensembles beat single configurations on parts that did not choose: (B,).

    NaN where no part tells.
    """
    parts = divide_cases(pi)
    leads = []
    for fold in range(int(parts.max()) + 1):
        inside = Weights(weights.values * (parts != fold), weights.unit)
        outside = Weights(weights.values * (parts == fold), weights.unit)
        shares, best = _choose(pi, metric, inside, rule, n_jobs)
        many = score_ensembles(pi, metric, outside, shares, n_jobs=n_jobs)
        single = score_selected(pi, metric, outside, best, n_jobs=n_jobs)
        leads.append(metric.sign * (many - single))
    table = np.array(leads)  # (parts, B)
    defined = ~np.isnan(table)
    total = np.where(defined, table, 0.0).sum(axis=0)
    return np.where(defined.any(axis=0), total / np.maximum(defined.sum(axis=0), 1), np.nan)


def divide_cases(pi: Predictions) -> NDArray[np.intp]:
    """Return the part of each case (n,), of which a guard leaves out one at a time.

    Folds stay whole, and so do groups; a single fold is divided within its classes.
    """
    folds = pi.folds[:, 0]
    used = np.unique(folds[folds >= 0])
    if len(used) > 1:
        return np.asarray(np.maximum(np.searchsorted(used, folds), 0) % PARTS)
    if pi.target.groups is not None:
        return np.asarray(np.unique(pi.target.groups, return_inverse=True)[1] % PARTS)
    parts = np.empty(pi.n_cases, dtype=np.intp)
    for rows in pi.target.layers if pi.target.has_classes else (np.arange(pi.n_cases),):
        parts[rows] = np.arange(len(rows)) % PARTS
    return parts


# Cross-fitted predictions.


def count_partitions(n_resamples: int) -> int:
    """Return how often to divide the cases for a number of resamples."""
    return max(FEWEST_PARTITIONS, n_resamples // RESAMPLES_A_PARTITION)


def leave_parts_out(target: Target, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Divide the cases at random, and return the cases outside of each part as weights (K, n).

    Groups stay whole; without groups the cases of each class or stratum are spread evenly.

    Examples
    --------
    >>> import earnest as en
    >>> import numpy as np
    >>> from earnest.inference.resampling.ensembles import leave_parts_out
    >>> pi = en.Predictions.from_arrays(np.tile([0, 1], 30), np.full(60, 0.5))
    >>> inside = leave_parts_out(pi.target, np.random.default_rng(0))
    >>> inside.shape, (inside == 0).sum(axis=0).tolist() == [1] * 60
    ((30, 60), True)
    """
    if target.groups is None:
        units, layers = np.arange(target.n), target.layers
    else:
        names, units = np.unique(target.groups, return_inverse=True)
        layers = (np.arange(len(names)),)
    count = sum(map(len, layers))
    parts = min(count, MOST_PARTS, max(FEWEST_PARTS, -(-PARTS_TIMES_CASES // count)))
    order = np.concatenate([rng.permutation(layer) for layer in layers])
    fold = np.empty(count, dtype=np.intp)
    fold[order] = np.arange(count) % parts
    return np.asarray(fold[units] != np.arange(parts)[:, None], dtype=np.uint8)


def cross_fit(
    pi: Predictions,
    metric: Metric,
    rule: EnsembleRule,
    seeds: Seeds,
    *,
    n_partitions: int,
    n_jobs: int | None = None,
) -> Predictions | None:
    """Return what ensembles predict for cases that did not choose them, as one configuration.

    Each partition is a repeat: each of its parts is predicted by the ensemble of all other cases.
    More partitions extend the earlier ones. None where the cases outside of some part choose none,
    such as those of one class.

    Parameters
    ----------
    pi, metric, rule
        As for `choose_ensembles`.
    seeds : Seeds
        The source of the partitions.
    n_partitions : int
        How often the cases are divided.
    n_jobs : int, optional
        The number of threads; never changes the result.

    Examples
    --------
    >>> import earnest as en
    >>> import numpy as np
    >>> from earnest.core.base.rng import Seeds
    >>> from earnest.inference.resampling.ensembles import cross_fit
    >>> y = np.tile([0, 1], 20)
    >>> scores = np.clip(0.5 + 0.2 * np.random.default_rng(0).standard_normal((40, 3)), 0, 1)
    >>> pi = en.Predictions.from_arrays(y, scores)
    >>> cross_fit(pi, en.metric("brier"), en.rules.TopAverage(k=2), Seeds(0), n_partitions=3)
    Predictions(n=40, configs=1, repeats=3, folds=1, task=binary, response=probability)
    """
    seen = [
        leave_parts_out(pi.target, seeds.generator(Purpose.CROSS_FIT, turn))
        for turn in range(n_partitions)
    ]
    inside = np.concatenate(seen)
    shares = choose_ensembles(pi, metric, Weights(inside), rule, n_jobs=n_jobs)
    if not shares.any(axis=1).all():
        return None
    blended = np.empty((n_partitions, *np.delete(pi.responses.shape, 1)))  # (P, n, R[, K])
    for turn, (ensemble, row) in enumerate(zip(shares, inside, strict=True)):
        rows = np.flatnonzero(row == 0)
        blended[turn // len(seen[0]), rows] = _average(pi.responses[rows], ensemble)
    together = _as_predictions(pi, np.concatenate(list(blended), axis=1)[None])
    return replace(
        together,
        configs=Configs(ids=("ensemble",)),
        folds=np.tile(pi.folds, (1, n_partitions)),
        fold_names=pi.fold_names * n_partitions,
        training_sizes=None if pi.training_sizes is None else pi.training_sizes * n_partitions,
    )


def take_partition(pi: Predictions, turn: int, repeats: int) -> Predictions:
    """Return the repeats of one partition."""
    return pi.take_repeats(slice(turn * repeats, (turn + 1) * repeats))


@dataclass(eq=False)
class EnsembleScores:
    """The scores of in-bag ensembles on what each resample leaves out.

    As `WinnerScores`, each of whose winners is here the ensemble of its own resample.
    """

    pi: Predictions
    metric: Metric
    resampler: Resampler
    rule: EnsembleRule
    n_jobs: int | None = None
    _shares: list[Array] = field(default_factory=list)
    _counts: list[NDArray[np.uint8]] = field(default_factory=list)
    _tables: list[Array] = field(default_factory=list)

    def __call__(self, inbag: Weights) -> Array:
        """Return the table (b, 2) or (b, 4) of some resamples."""
        shares = choose_ensembles(self.pi, self.metric, inbag, self.rule, n_jobs=self.n_jobs)
        parts = []
        for top in range(0, len(inbag), BLOCK):
            some = inbag.take(slice(top, top + BLOCK))
            block = shares[top : top + BLOCK]
            exists = np.asarray(block.any(axis=1))
            chosen = np.where(exists, np.arange(len(block)), -1)
            filled = np.where(exists[:, None], block, 1.0 / block.shape[1])
            parts.append(self._as_winners(filled, chosen)(some))
        table = np.concatenate(parts)
        room = KEPT // self.pi.n_cases - sum(map(len, self._counts))
        if room > 0 or not self._counts:
            self._counts.append(inbag.values[: max(room, 1)])
            self._tables.append(table[: max(room, 1)])
            self._shares.append(shares[: max(room, 1)])
        return table

    def _as_winners(self, shares: Array, chosen: NDArray[np.intp]) -> WinnerScores:
        blended = blend(self.pi, shares)
        return WinnerScores(blended, self.metric, self.resampler, lambda _: chosen, self.n_jobs)

    @property
    def mean_share(self) -> Array:
        """The mean share of each configuration in the ensembles of the resamples: (C,)."""
        shares = np.concatenate(self._shares)
        return np.asarray(shares[shares.any(axis=1)].mean(axis=0))

    @property
    def n_members(self) -> NDArray[np.intp]:
        """How many members the ensemble of each resample has."""
        return np.asarray(np.count_nonzero(np.concatenate(self._shares), axis=1))

    def corrected(self, table: Array, seeds: Seeds) -> tuple[float, float]:
        """Return the corrected score, and the variance that finitely many draws leave in it.

        It is the score of cross-fitted predictions. Where the cases outside of some part choose
        no ensemble it is that of the resamples, from their table (B, k): a little too low.
        """
        count = count_partitions(len(table))
        crossed = cross_fit(
            self.pi, self.metric, self.rule, seeds, n_partitions=count, n_jobs=self.n_jobs
        )
        if crossed is not None:
            ones = Weights.ones(self.pi.n_cases)
            turns = [take_partition(crossed, turn, self.pi.n_repeats) for turn in range(count)]
            scores = np.array([score_table(pi, self.metric, ones)[0, 0] for pi in turns])
            if np.isfinite(scores).all():
                return float(scores.mean()), float(scores.var(ddof=1)) / count
        scorer = WinnerScores(self.pi, self.metric, self.resampler, _choose_nobody)
        drawn = table[:, 0][~np.isnan(table[:, 0])]
        return scorer.corrected(table), float(np.var(drawn)) / max(len(drawn) - 1, 1)

    def errors(
        self,
        table: Array,
        final: Array,
        luck: float,
        rng: np.random.Generator,
    ) -> ScoreErrors:
        """Return the standard errors of the corrected score and of its optimism.

        They come from the influence function, because an ensemble does not compete with other
        configurations by its score.

        Parameters
        ----------
        table : ndarray, shape (B, k)
            That of all resamples.
        final : ndarray, shape (C,)
            The shares of the ensemble of the sample itself.
        luck : float
            The variance of the corrected score by its own draws, from `corrected`.
        rng : Generator
            The source of random numbers.
        """
        shares, tables = np.concatenate(self._shares), np.concatenate(self._tables)
        counts = np.concatenate(self._counts)
        valid = np.flatnonzero(~np.isnan(tables[:, 0]))
        tables = tables[valid].copy()
        tables[:, 1] = np.arange(len(valid))
        every = np.concatenate([shares[valid], final[None]])
        scorer = self._as_winners(every, np.arange(len(every)))
        scorer._counts.append(counts[valid])
        scorer._tables.append(tables)
        return scorer.errors(table, len(valid), rng, best_wins=False, luck=luck)


def _choose_nobody(inbag: Weights) -> NDArray[np.intp]:
    return np.full(len(inbag), -1, dtype=np.intp)
