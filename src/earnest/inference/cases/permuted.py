"""What a column is worth to a model: how much a score falls when its values change cases.

Every case of a fold receives the values of another case of it. So a difference of scores is a mean
over pairs of a receiver and a donor, and its variance has what a case does as either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.inference.cases.case_values import score_terms
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric

Array = NDArray[np.float64]
RESAMPLES = 200  # of the cases, for a metric that does not say what a case adds
FLOOR = 0.25  # of the variance that is left at least when the noise of pairs is taken off


def draw_donors(
    folds: NDArray[np.integer],
    count: int,
    rng: np.random.Generator,
    groups: NDArray[np.integer] | None = None,
) -> NDArray[np.intp]:
    """Return from which case every case receives its values: (n, R).

    The cases of a fold stand in a circle in random order, and each receives from the case so many
    places further on. So no case receives its own values, none receives twice from the same while
    there are others, and every case gives as often as it receives. Groups stand side by side, and
    the steps are wider than they are, where they leave room: like cases would change little.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.permuted import draw_donors
    >>> draw_donors(np.array([0, 0, 1, 1]), 1, np.random.default_rng(0))[:, 0].tolist()
    [1, 0, 3, 2]
    """
    donors = np.empty((len(folds), count), dtype=np.intp)
    for fold in np.unique(folds):
        rows = rng.permutation(np.flatnonzero(folds == fold))
        least = 1
        if groups is not None:
            _, codes, sizes = np.unique(groups[rows], return_inverse=True, return_counts=True)
            rows = rows[np.argsort(rng.permutation(len(sizes))[codes], kind="stable")]
            widest = int(sizes.max())
            least = widest if 2 * widest <= len(rows) else 1
        steps = rng.permutation(np.arange(least, max(len(rows) - least + 1, 2)))
        for turn in range(count):
            donors[rows, turn] = np.roll(rows, -steps[turn % len(steps)])
    return donors


@dataclass(frozen=True)
class PermutedScore:
    """How much worse a score is with the values of columns from other cases.

    Attributes
    ----------
    value : float
        The mean over permutations; positive where the model needs the columns.
    error : float
        Its standard error over cases, of models that are as they are.
    degrees : int
        The degrees of freedom of the error.
    """

    value: float
    error: float
    degrees: int

    def widen(self, times: float) -> PermutedScore:
        """Return it with a variance that is so many times as large."""
        return replace(self, error=self.error * float(np.sqrt(times)))

    def find_limits(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval of that level."""
        reach = float(t.ppf(0.5 + level / 2, max(self.degrees, 1))) * self.error
        return self.value - reach, self.value + reach


def score_permuted(
    pi: Predictions,
    metric: Metric,
    folds: NDArray[np.integer],
    donors: NDArray[np.intp],
    rng: np.random.Generator,
    *,
    crossed: float = 1.0,
) -> PermutedScore:
    """Return how much worse a score is when every case has values of its donors.

    **What is estimated.** The mean over folds, by their cases, of how much worse the model of the
    fold scores new cases if some columns come from independent cases.

    With h(i, j) for what receiver i with donor j adds to the score, less what i adds as it is, the
    difference is the mean of h over the pairs. A case moves it as a receiver and as a donor, by the
    mean of h over its pairs either way. The variance of the sum of both has the noise of R pairs
    twice where the difference has it once; so the variance of h over R is taken off.

    Case i is judged by a model that saw case j, and j by one that saw i. Where a column is noise,
    both add the same by chance: the sum of two equal terms varies twice as much as that of two
    independent ones, and never more. So the variance is multiplied by one more than the share of
    its training cases that a model has judged by others.

    A metric that does not say what a case adds is resampled: a pair counts as often as both of its
    cases are drawn.

    Parameters
    ----------
    pi : Predictions
        Of one configuration as it is, and then of one per permutation.
    metric : Metric
        What to measure.
    folds : ndarray, shape (n,)
        Which model predicts each case, and among which cases values change.
    donors : ndarray, shape (n, R)
        As `draw_donors` gives them.
    rng : Generator
        Draws the resamples, where they are needed.
    crossed : float
        The share of the training cases of a model that others judge: 1 for a cross-validation of
        all cases, 0 for one model.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.inference.cases.permuted import draw_donors, score_permuted
    >>> rng = np.random.default_rng(0)
    >>> y, folds = rng.normal(size=100), np.arange(100) % 5
    >>> donors = draw_donors(folds, 3, rng)
    >>> pi = en.Predictions.from_arrays(y, np.column_stack([y, y[donors]]), task="regression")
    >>> drop = score_permuted(pi, en.metric("mse"), folds, donors, rng)
    >>> 1.5 < drop.value < 2.5  # of a model that repeats a column of variance 1
    True
    """
    sign = 1.0 if metric.greater_is_better else -1.0
    scored = score_terms(pi, metric)
    units = _encode_units(folds, pi.target.groups)
    if scored is None:
        return _resample(pi, metric, sign, donors, units, rng).widen(1.0 + crossed)
    values, terms = scored
    gaps = sign * (terms[:, :1] - terms[:, 1:])  # (n, R)
    value = float(sign * (values[0] - values[1:].mean()))
    count = donors.shape[1]
    giving = np.zeros(len(gaps))
    np.add.at(giving, donors.ravel(), gaps.ravel() / count)
    moves = gaps.mean(axis=1) + giving
    variance = units.sum_squares(moves - units.average(moves)) / len(gaps) ** 2
    noise = ((gaps - units.average(gaps.mean(axis=1))[:, None]) ** 2).mean(axis=1) / count
    unused = np.clip(1.0 - count / np.maximum(units.n_beside, 1), 0.0, 1.0)
    exact = variance - float((unused * noise).sum()) / len(gaps) ** 2
    error = float(np.sqrt(max(exact, FLOOR * variance)))
    return PermutedScore(value, error, units.degrees).widen(1.0 + crossed)


@dataclass(frozen=True)
class _Units:
    """What is independent: cases, or groups of them, in their folds."""

    folds: NDArray[np.intp]  # (n,)
    codes: NDArray[np.intp]  # (n,): the unit of each case
    fold_of: NDArray[np.intp]  # (U,)

    @property
    def n_beside(self) -> NDArray[np.intp]:
        """The other cases in the fold of each case."""
        return np.bincount(self.folds)[self.folds] - 1

    @property
    def degrees(self) -> int:
        """The units less the folds."""
        return len(self.fold_of) - len(np.unique(self.fold_of))

    def average(self, values: Array) -> Array:
        """Return the mean over the fold of each case."""
        sums = np.bincount(self.folds, weights=values)
        return np.asarray((sums / np.maximum(np.bincount(self.folds), 1))[self.folds])

    def sum_squares(self, moves: Array) -> float:
        """Return the sum of the squares of what units move, unbiased within folds."""
        sums = np.bincount(self.codes, weights=moves)
        counts = np.bincount(self.fold_of)[self.fold_of]
        return float((sums**2 * counts / np.maximum(counts - 1, 1)).sum())


def _encode_units(folds: NDArray[np.integer], groups: NDArray[np.integer] | None) -> _Units:
    _, fold = np.unique(folds, return_inverse=True)
    mine = np.arange(len(folds)) if groups is None else groups
    pairs, codes = np.unique(np.column_stack([fold, mine]), axis=0, return_inverse=True)
    return _Units(fold, codes.reshape(-1), pairs[:, 0].astype(np.intp))


def _resample(
    pi: Predictions,
    metric: Metric,
    sign: float,
    donors: NDArray[np.intp],
    units: _Units,
    rng: np.random.Generator,
) -> PermutedScore:
    """Return the same by resamples of the units of each fold, which is rather too wide."""
    whole = Weights.ones(pi.n_cases)
    scores = score_table(pi, metric, whole)[0]
    drawn = np.zeros((RESAMPLES, len(units.fold_of)), dtype=np.int64)
    for fold in np.unique(units.fold_of):
        mine = np.flatnonzero(units.fold_of == fold)
        drawn[:, mine] = rng.multinomial(len(mine), np.full(len(mine), 1 / len(mine)), RESAMPLES)
    counts = drawn[:, units.codes]  # (B, n)
    plain = score_table(pi.select([0]), metric, Weights(counts))[:, 0]
    falls = np.zeros(RESAMPLES)
    for turn in range(donors.shape[1]):
        pairs = Weights(counts * counts[:, donors[:, turn]])
        falls += sign * (plain - score_table(pi.select([turn + 1]), metric, pairs)[:, 0])
    falls = falls[np.isfinite(falls)] / donors.shape[1]
    error = float(falls.std(ddof=1)) if len(falls) > 1 else float("nan")
    return PermutedScore(float(sign * (scores[0] - scores[1:].mean())), error, units.degrees)
