"""What the delivered model's out-of-sample errors say of new rows, corrected for its selection.

Conformal prediction: a new row is one more beside those that were seen, so that its error is among
the smallest k of n + 1 with a chance of k / (n + 1). Errors are those of models that did not see
the case (cross-conformal: Vovk 2015; with intervals of the refitted model). Rows of a group
count as one case together (Lee, Barber, Willett 2023).

The winner was chosen by the same predictions, so that its errors are too small. Resamples tell by
how much: a winner is chosen in-bag, its bound is that of the errors in-bag, and the errors
out-of-bag say what share is really within it. What one fixed configuration loses on the same
resamples comes from their size; what a chosen one loses beyond that comes from the selection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import EnsembleRule, Pooled
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.error_shares import ROUNDING, ErrorShares
from earnest.inference.resampling.ensembles import blend, choose_ensembles, is_compiled
from earnest.inference.resampling.resampled import choose_resampler
from earnest.inference.resampling.winners import choose_winners
from earnest.metrics.classification import of_true_class
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import UndefinedRule

Floats = NDArray[np.float64]

RESAMPLES = 200  # that tell what the selection is worth
ENSEMBLES, PLAIN_ENSEMBLES = 40, 12  # of them where each builds an ensemble, compiled or not
LIBRARY, PLAIN_LIBRARY = 20, 8  # what those are built of, at most
MOST_CASES = 5_000  # whose selection is repeated; beyond them it is worth next to nothing
MOST_ERRORS = 2_000  # that are returned
STREAM = 5  # of resamples


def measure_errors(
    pi: Predictions,
    metric: Metric,
    members: Mapping[str, float],
    seeds: Seeds,
    *,
    rule: EnsembleRule | None = None,
    n_jobs: int | None = None,
) -> ErrorShares | None:
    """Return the corrected distribution of the errors of the delivered model on new rows.

    None where the predictions are neither probabilities of classes nor numbers, or where so few
    cases promise nothing.

    Parameters
    ----------
    pi : Predictions
        The out-of-sample predictions of all configurations.
    metric : Metric
        What the winner was chosen by.
    members : mapping of str to float
        The configurations that are delivered, and their shares.
    seeds : Seeds
        Of the resamples.
    rule : EnsembleRule, optional
        How the ensemble was chosen, where one is delivered.
    n_jobs : int, optional
        The number of threads; never changes the result.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> from earnest.inference.curves.new_rows import measure_errors
    >>> pi = en.Predictions.from_arrays([0.0, 1, 2, 3, 4], np.full((5, 1), 2.0), task="regression")
    >>> measure_errors(pi, en.metric("rmse"), {pi.configs.ids[0]: 1.0}, Seeds(0)).errors.tolist()
    [0.0, 1.0, 2.0]
    """
    task = pi.target.task
    probable = pi.kind is ResponseKind.PROBABILITY and task in (Task.BINARY, Task.MULTICLASS)
    if not probable and (pi.kind is not ResponseKind.VALUE or task is not Task.REGRESSION):
        return None
    if pi.target.weights is not None:  # all new rows count alike
        return None
    usable = pi.usable()
    shares = np.zeros((1, usable.n_configs))
    shares[0, usable.configs.find(list(members))] = list(members.values())
    delivered = blend(usable, shares)
    errors, weights, _ = list_errors(delivered)
    order = np.argsort(errors[:, 0], kind="stable")
    ranked, reached = errors[order, 0], np.cumsum(weights[order])
    last = np.append(np.diff(ranked) > 0, True)  # of equal ones
    ranked, reached = ranked[last], reached[last] / reached[-1]
    if len(ranked) > MOST_ERRORS:  # a larger error at the same share promises no more than is true
        places = np.searchsorted(reached, np.arange(1, MOST_ERRORS + 1) / MOST_ERRORS - ROUNDING)
        places = np.unique(places)
        ranked, reached = ranked[places], reached[places]
    if usable.n_configs > 1:
        lost = find_loss(usable, metric, shares, reached, seeds, rule=rule, n_jobs=n_jobs)
        reached = np.minimum.accumulate((reached - lost)[::-1])[::-1]
    reached = np.clip(reached, 0.0, 1.0)
    return ErrorShares(ranked, reached, _count_units(usable)) if reached[-1] > 0 else None


def _count_units(pi: Predictions) -> int:
    groups = pi.target.groups
    return pi.n_cases if groups is None else len(np.unique(groups))


def list_errors(pi: Predictions) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Return errors of tests (m, C), their weights (m,), and the case of each (m,).

    A test is a case in a repeat. All groups weigh alike, then all cases of one, then their tests.
    """
    target = pi.target
    tested = np.stack([pi.tested(r) for r in range(pi.n_repeats)])  # (R, n)
    weights = 1.0 / np.maximum(tested.sum(axis=0), 1)
    if target.groups is not None:
        _, codes, counts = np.unique(target.groups, return_inverse=True, return_counts=True)
        weights = weights / counts[codes]
    parts = []
    for repeat in range(pi.n_repeats):
        responses = pi.responses[:, :, repeat]
        if target.task is Task.REGRESSION:
            errors = np.abs(np.asarray(target.y, dtype=np.float64)[:, None] - responses)
        else:
            errors = np.maximum(1.0 - of_true_class(target, responses), 0.0)
        parts.append(errors[tested[repeat]])
    cases = np.concatenate([np.flatnonzero(row) for row in tested])
    return np.concatenate(parts), weights[cases], cases


def find_loss(
    pi: Predictions,
    metric: Metric,
    shares: Floats,
    levels: Floats,
    seeds: Seeds,
    *,
    rule: EnsembleRule | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Return what the selection takes from the share within a bound, at every level (L,).

    Parameters
    ----------
    pi : Predictions
        Usable ones.
    metric, rule, n_jobs
        As for `measure_errors`.
    shares : ndarray, shape (1, C)
        The delivered model, which is the fixed one beside those that are chosen.
    levels : ndarray, shape (L,)
        Shares of the errors in-bag that are within a bound.
    seeds : Seeds
        Of the resamples.
    """
    pi = _take_some(pi, seeds)
    count = RESAMPLES
    if rule is not None:
        quick = is_compiled(metric)
        count = ENSEMBLES if quick else PLAIN_ENSEMBLES
        library = min(rule.library, LIBRARY if quick else PLAIN_LIBRARY)
        rule = replace(rule, guard=False, library=library)
    resampler = choose_resampler(None, pi.target, UndefinedRule.DROP)
    rng = seeds.generator(Purpose.BOOTSTRAP, STREAM, 0)
    inbag = resampler.draw(pi.target, count, rng, None)
    fixed, weights, cases = list_errors(blend(pi, shares))
    total, used = np.zeros(len(levels)), 0
    for counts, chosen in _choose(pi, metric, inbag, rule, n_jobs):
        drawn = counts[cases]
        if (drawn > 0).all() or not drawn.any():
            continue
        gone = [share_within(errors, weights, drawn, levels) for errors in (fixed[:, 0], chosen)]
        total += gone[0] - gone[1]
        used += 1
    return np.maximum(total / max(used, 1), 0.0)


def _take_some(pi: Predictions, seeds: Seeds) -> Predictions:
    """Return all cases, or whole groups until there are enough; more would lose less."""
    if pi.n_cases <= MOST_CASES:
        return pi
    groups = pi.target.groups
    codes = np.arange(pi.n_cases) if groups is None else np.unique(groups, return_inverse=True)[1]
    rank = seeds.generator(Purpose.BOOTSTRAP, STREAM, 1).permutation(int(codes.max()) + 1)
    order = np.argsort(rank[codes], kind="stable")
    end = rank[codes[order[MOST_CASES]]]
    rows = np.flatnonzero(rank[codes] < max(end, 1))
    return pi.take(rows)


def _choose(
    pi: Predictions, metric: Metric, inbag: Weights, rule: EnsembleRule | None, n_jobs: int | None
) -> Iterator[tuple[NDArray[np.integer], Floats]]:
    """Yield the counts of each resample (n,) and the errors of what it chose (m,)."""
    if rule is None:
        errors, _, _ = list_errors(pi)
        winners = choose_winners(pi, metric, inbag, Pooled(), n_jobs=n_jobs)
        for b in np.flatnonzero(winners >= 0):
            yield inbag.values[b], errors[:, winners[b]]
        return
    shares = choose_ensembles(pi, metric, inbag, rule, n_jobs=n_jobs)
    for b in np.flatnonzero(shares.any(axis=1)):
        errors, _, _ = list_errors(blend(pi, shares[b : b + 1]))
        yield inbag.values[b], errors[:, 0]


def share_within(
    errors: Floats, weights: Floats, drawn: NDArray[np.integer], levels: Floats
) -> Floats:
    """Return the share out-of-bag (L,) of errors within the bound of each level in-bag.

    The bound of a level is the smallest error in-bag such that this share of them is at most it.

    Parameters
    ----------
    errors, weights : ndarray, shape (m,)
        Of all tests.
    drawn : ndarray of int, shape (m,)
        How often each was drawn; not at all for those out-of-bag.
    levels : ndarray, shape (L,)
        The levels, in rising order.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.new_rows import share_within
    >>> errors, drawn = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 1, 0])
    >>> share_within(errors, np.ones(4), drawn, np.array([0.5, 1.0])).tolist()
    [0.0, 0.5]
    """
    order = np.argsort(errors, kind="stable")
    ranked, mass = errors[order], (weights * drawn)[order]
    below = np.concatenate([[0.0], np.cumsum(mass)])[np.searchsorted(ranked, ranked)]
    below = below / mass.sum()  # the share in-bag of smaller errors
    out = drawn[order] == 0
    left = weights[order][out]
    # An error is within the bound of a level if smaller ones do not reach it.
    first = np.searchsorted(levels, below[out] + ROUNDING)
    reached = np.bincount(first, left, len(levels) + 1)[:-1]
    return np.asarray(np.cumsum(reached) / left.sum())
