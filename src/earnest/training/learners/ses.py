"""`SES`: statistically equivalent signatures, as a selection of scikit-learn's form."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations, islice, product
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, log_ndtr, ndtri_exp
from scipy.stats import chi2
from sklearn.utils.validation import validate_data

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.training.learners.selection import (
    NUMBERS,
    SURVIVAL,
    ColumnSelection,
    find_outcome_kind,
)

Array = NDArray[np.float64]
Columns = NDArray[np.intp]
Given = tuple[int, ...]

FLAT = 1e-9  # of a column's variance that others leave unexplained: below it nothing is left
MOST_STEPS = 25  # of Newton's method
SETTLED = 1e-7  # a gain of the log likelihood, a case, that ends it
HALVINGS = 6  # of a step that does not gain
ROOM = 4_000_000  # numbers of one batch of designs
STEEP = 30.0  # log odds beyond which chances are 0 or 1


class Independence(Protocol):
    """Tests whether columns tell anything of the outcome, beyond columns that are given."""

    @property
    def most_given(self) -> int:
        """How many columns may be given."""
        ...

    def log_p(self, columns: Columns, conditions: Given, floor: Array | None = None) -> Array:
        """Return the log of the p-value of each column: (m,), 0 if it cannot be tested.

        Where it is below `floor`, any number from it to the floor will do.
        """
        ...


class PartialCorrelation:
    """Fisher's z test of partial correlations, for an outcome of numbers.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The columns.
    y : ndarray, shape (n,)
        The outcome.
    """

    def __init__(self, X: Array, y: Array) -> None:
        self.n = len(X)
        self.X, self.varied = standardise(X)
        outcome, varied = standardise(y[:, None])
        self.with_y = self.X.T @ outcome[:, 0] / self.n if varied[0] else np.zeros(X.shape[1])
        self._with: dict[int, Array] = {}

    @property
    def most_given(self) -> int:
        """How many columns leave degrees of freedom: the test needs n - |given| - 3 > 0."""
        return max(self.n - 4, 0)

    def log_p(self, columns: Columns, conditions: Given, floor: Array | None = None) -> Array:
        """Return the log of the p-value of each column."""
        partial, is_defined = self._partial(columns, conditions)
        freedom = self.n - len(conditions) - 3
        if freedom <= 0:
            return np.zeros(len(columns))
        bound = 1.0 - 1e-15
        z = np.arctanh(np.clip(partial, -bound, bound)) * math.sqrt(freedom)
        log_p = math.log(2.0) + log_ndtr(-np.abs(z))
        return np.where(is_defined, np.minimum(log_p, 0.0), 0.0)

    def _partial(self, columns: Columns, conditions: Given) -> tuple[Array, NDArray[np.bool_]]:
        """Return partial correlations with the outcome, and whether there is anything left."""
        between, left, left_of_y = self.with_y[columns], np.ones(len(columns)), 1.0
        if conditions:
            inner = self._between(conditions, np.array(conditions))
            beside = self._between(conditions, columns)  # (|given|, m)
            with_y = self.with_y[list(conditions)]
            solved = np.linalg.pinv(inner, hermitian=True) @ np.column_stack([beside, with_y])
            between = between - with_y @ solved[:, :-1]
            left = left - (beside * solved[:, :-1]).sum(axis=0)
            left_of_y = left_of_y - float(with_y @ solved[:, -1])
        is_defined = self.varied[columns] & (left > FLAT) & (left_of_y > FLAT)
        scale = np.sqrt(np.where(is_defined, left * left_of_y, 1.0))
        return between / scale, is_defined

    def _between(self, conditions: Given, columns: Columns) -> Array:
        """Return correlations between columns; of many columns at once they are kept."""
        if len(columns) <= len(conditions):
            return np.asarray(self.X[:, list(conditions)].T @ self.X[:, columns] / self.n)
        for condition in conditions:
            if condition not in self._with:
                self._with[condition] = self.X.T @ self.X[:, condition] / self.n
        return np.array([self._with[condition][columns] for condition in conditions])


class LikelihoodRatio:
    """Likelihood ratio tests of nested logistic models, for an outcome of classes.

    Both models are fitted by Newton's method, those of all columns at once. Where classes are
    separated, the likelihood has no maximum and its supremum is approached, which is all that the
    test needs.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The columns.
    codes : ndarray of int, shape (n,)
        The classes as numbers 0..K-1.
    """

    def __init__(self, X: Array, codes: NDArray[np.intp]) -> None:
        self.X, self.varied = standardise(X)
        self.n, self.count = len(X), int(codes.max(initial=0)) + 1
        self.hits = (codes[:, None] == np.arange(1, self.count)).astype(np.float64)  # (n, K-1)
        self._null: dict[Given, tuple[Array, float]] = {}

    @property
    def most_given(self) -> int:
        """How many columns leave more cases than coefficients."""
        return max(self.n - 3, 0)

    def log_p(self, columns: Columns, conditions: Given, floor: Array | None = None) -> Array:
        """Return the log of the p-value of each column, a bound where that is below its floor.

        A likelihood only grows on the way to its maximum, so that a model can be left as soon as
        its p-value is below the floor.
        """
        out = np.zeros(len(columns))
        usable = np.flatnonzero(self.varied[columns] & ~np.isin(columns, conditions))
        if self.count < 2 or not len(usable):
            return out
        null, at_null = self._fitted_null(conditions)
        needed = np.full(len(columns), np.inf) if floor is None else self._gains(floor)
        for batch in self._batches(usable, len(conditions)):
            enough = at_null + needed[batch] / 2.0
            gain = 2.0 * (self._best(columns[batch], conditions, null, enough) - at_null)
            out[batch] = self._log_p_of(np.maximum(gain, 0.0))
        return out

    def _log_p_of(self, gain: Array) -> Array:
        if self.count == 2:  # the square of a normal number
            return np.asarray(np.minimum(math.log(2.0) + log_ndtr(-np.sqrt(gain)), 0.0))
        return np.asarray(chi2.logsf(gain, self.count - 1))

    def _gains(self, log_p: Array) -> Array:
        """Return twice the gains of a log likelihood that have these p-values, or a little more."""
        if self.count == 2:
            return np.asarray(ndtri_exp(log_p - math.log(2.0)) ** 2) * (1.0 + 1e-9)
        return np.asarray(chdtri(self.count - 1, np.exp(log_p))) * (1.0 + 1e-9)

    def _batches(self, usable: Columns, n_conditions: int) -> list[Columns]:
        size = max(ROOM // (self.n * (n_conditions + 2) * (self.count - 1)), 1)
        return [usable[i : i + size] for i in range(0, len(usable), size)]

    def _fitted_null(self, conditions: Given) -> tuple[Array, float]:
        """Return the coefficients (K-1, d) and the log likelihood without any further column."""
        conditions = tuple(sorted(conditions))
        if conditions not in self._null:
            shorter = conditions[:-1]
            start = np.zeros((1, self.count - 1, len(conditions) + 1))
            if conditions:
                start[0, :, :-1] = self._fitted_null(shorter)[0]
            coef, value = maximise_likelihoods(self._design(conditions)[None], self.hits, start)
            self._null[conditions] = coef[0], float(value[0])
        return self._null[conditions]

    def _design(self, conditions: Given) -> Array:
        return np.column_stack([np.ones(self.n), self.X[:, list(conditions)]])

    def _best(self, columns: Columns, conditions: Given, null: Array, enough: Array) -> Array:
        conditions = tuple(sorted(conditions))
        design = np.empty((len(columns), self.n, len(conditions) + 2))
        design[:, :, :-1] = self._design(conditions)
        design[:, :, -1] = self.X[:, columns].T
        start = np.zeros((len(columns), self.count - 1, len(conditions) + 2))
        start[:, :, :-1] = null
        return maximise_likelihoods(design, self.hits, start, enough)[1]


def standardise(X: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return columns with mean 0 and variance 1, and which of them vary at all."""
    centred = X - X.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    varied = spread > 1e-10 * np.maximum(np.abs(X).max(axis=0, initial=0.0), 1e-300)
    return centred / np.where(varied, spread, 1.0) * varied, varied


def maximise_likelihoods(
    design: Array, hits: Array, start: Array, enough: Array | None = None
) -> tuple[Array, Array]:
    """Maximise many log likelihoods of multinomial logistic models at once.

    Parameters
    ----------
    design : ndarray, shape (m, n, d)
        The columns of each model.
    hits : ndarray, shape (n, K - 1)
        Which class a case is of; the first class has no column.
    start : ndarray, shape (m, K - 1, d)
        Where each begins.
    enough : ndarray, shape (m,), optional
        The log likelihoods at which each may end.

    Returns
    -------
    coef : ndarray, shape (m, K - 1, d)
        The coefficients.
    value : ndarray, shape (m,)
        The log likelihoods.
    """
    coef, (value, chance) = start.copy(), _compute_likelihood(design, hits, start)
    wanted = np.full(len(design), np.inf) if enough is None else enough
    going = np.arange(len(design))
    for _ in range(MOST_STEPS):
        step = _solve_steps(design[going], hits, chance[going])
        better, reached, chances = _walk(design[going], hits, coef[going], value[going], step)
        gain = reached - value[going]
        coef[going], value[going], chance[going] = better, reached, chances
        going = going[(gain > SETTLED * len(hits)) & (reached < wanted[going])]
        if not len(going):
            break
    return coef, value


def _compute_likelihood(design: Array, hits: Array, coef: Array) -> tuple[Array, Array]:
    """Return the log likelihoods (m,) and the chances of all classes but the first (m, n, K-1)."""
    odds = np.clip(design @ coef.transpose(0, 2, 1), -STEEP, STEEP)
    if hits.shape[1] == 1:
        total = np.logaddexp(0.0, odds[:, :, 0])
    else:
        total = np.log1p(np.exp(odds).sum(axis=2))
    chance = np.exp(odds - total[:, :, None])
    return (odds * hits).sum(axis=(1, 2)) - total.sum(axis=1), chance


def _solve_steps(design: Array, hits: Array, chance: Array) -> Array:
    """Return Newton's steps: (m, K-1, d)."""
    m, n, d = design.shape
    classes = hits.shape[1]
    slope = (hits - chance).transpose(0, 2, 1) @ design  # (m, K-1, d)
    bend = _compute_bend(design, chance)
    bend += (1e-9 * n + 1e-12) * np.eye(classes * d)  # separated classes have no curvature
    return np.asarray(np.linalg.solve(bend, slope.reshape(m, -1, 1))).reshape(slope.shape)


def _compute_bend(design: Array, chance: Array) -> Array:
    """Return the curvatures: (m, (K-1) d, (K-1) d)."""
    turned = design.transpose(0, 2, 1)
    if chance.shape[2] == 1:
        return turned @ (chance * (1.0 - chance) * design)
    (m, n, d), classes = design.shape, chance.shape[2]
    flat = (chance[:, :, :, None] * design[:, :, None, :]).reshape(m, n, classes * d)
    bend = -(flat.transpose(0, 2, 1) @ flat)
    for a in range(classes):
        rows_of_class = slice(a * d, (a + 1) * d)
        bend[:, rows_of_class, rows_of_class] += turned @ flat[:, :, rows_of_class]
    return np.asarray(bend)


def _walk(
    design: Array, hits: Array, coef: Array, value: Array, step: Array
) -> tuple[Array, Array, Array]:
    """Go the whole step, or half of it and so on where that gains nothing."""
    proposal = coef + step
    reached, chance = _compute_likelihood(design, hits, proposal)
    for _ in range(HALVINGS):
        worse = np.flatnonzero(~(reached >= value))
        if not len(worse):
            return proposal, reached, chance
        step[worse] /= 2.0
        proposal[worse] = coef[worse] + step[worse]
        reached[worse], chance[worse] = _compute_likelihood(design[worse], hits, proposal[worse])
    worse = np.flatnonzero(~(reached >= value))
    if len(worse):
        proposal[worse] = coef[worse]
        reached[worse], chance[worse] = _compute_likelihood(design[worse], hits, proposal[worse])
    return proposal, reached, chance


ROUNDING = 1e-9  # of a log p-value: copies of a column differ by no more


@dataclass
class SESRun:
    """One run of the search; `run` fills what it learns.

    Parameters
    ----------
    test : Independence
        What tests independence.
    count : int
        The number of columns.
    alpha : float
        The level above which a column counts as independent.
    max_k : int
        How many columns a test conditions on at most.

    Attributes
    ----------
    selected : list of int
        The columns, in the order in which they entered.
    equivalent : dict of int to list of int
        Each selected column with those that can stand for it, itself first.
    log_p : ndarray, shape (p,)
        The largest log p-value of each column over all tests so far: its least association.
    """

    test: Independence
    count: int
    alpha: float
    max_k: int
    selected: list[int] = field(default_factory=list)
    equivalent: dict[int, list[int]] = field(default_factory=dict)
    log_p: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def run(self) -> SESRun:
        """Let the column with the greatest least association enter, until none is left.

        After each entry, every column that is independent of the outcome given some selected ones
        leaves for good, whether it was selected or still waiting. Only sets with the newest
        column are new, so only they are tested.
        """
        every = np.arange(self.count)
        self.equivalent = {int(i): [int(i)] for i in every}
        self.log_p = self.test.log_p(every, ())
        waiting = every[self.log_p <= self._level]
        while len(waiting):
            newest = self._find_strongest(waiting)
            self.selected.append(newest)
            waiting = self._list_waiting(waiting[waiting != newest], newest)
        self.equivalent = {i: self.equivalent[i] for i in self.selected}
        return self

    def _find_strongest(self, waiting: Columns) -> int:
        """Return the column of the least log p-value, the first of those that rounding divides."""
        values = self.log_p[waiting]
        return int(waiting[values <= values.min() * (1.0 - ROUNDING)][0])

    @property
    def _level(self) -> float:
        return math.log(self.alpha)

    def _list_sets(self, newest: int) -> Iterator[Given]:
        """Yield the sets of selected columns that hold the newest, the small ones first."""
        others = [column for column in self.selected if column != newest]
        for size in range(1, min(self.max_k, self.test.most_given) + 1):
            for smaller in combinations(others, size - 1):
                if all(column in self.selected for column in smaller):  # none has left meanwhile
                    yield (newest, *smaller)

    def _list_waiting(self, waiting: Columns, newest: int) -> Columns:
        """Test waiting and selected columns given every new set; independent ones leave."""
        for conditions in self._list_sets(newest):
            chosen = [variable for variable in self.selected if variable not in conditions]
            columns = np.concatenate([waiting, np.array(chosen, dtype=np.intp)])
            if not len(columns):
                break
            log_p = self.test.log_p(columns, conditions, self.log_p[columns])
            self.log_p[columns] = np.maximum(self.log_p[columns], log_p)
            for column in columns[log_p > self._level].tolist():
                self._find_stand_in(column, conditions)
                if column in chosen:
                    self.selected.remove(column)
            waiting = waiting[log_p[: len(waiting)] <= self._level]
        return waiting

    def _find_stand_in(self, column: int, conditions: Given) -> None:
        """Let a column that leaves stand for a selected one that its set would lose to it."""
        for condition in conditions:
            exchanged = (*(other for other in conditions if other != condition), column)
            level = np.array([self._level])
            if self.test.log_p(np.array([condition]), exchanged, level)[0] > self._level:
                self.equivalent[condition] += self.equivalent[column]
                return


REMEMBERED = 256  # searches: some selections on the folds of some repeats
_LAST: OrderedDict[tuple[object, ...], SESRun] = OrderedDict()
_LOCK = Lock()


class SES(ColumnSelection):
    """Select a minimal set of columns, and find those that could replace them.

    **What it finds.** The columns that stay dependent on the outcome given any few of the other
    selected ones: in a network of causes, the outcome's parents and children. It begins with the
    column of the strongest association; the next is always the one whose *least* association,
    over all sets of at most `max_k` selected columns, is greatest (max-min). What is independent
    given such a set leaves. A column that leaves because of a set of which it could replace a
    member, so that this member would leave instead, is *equivalent* to that member.

    **What it assumes.** For an outcome of numbers, tests of partial correlation (Fisher's z):
    linear relations. For classes, likelihood ratio tests of logistic models, multinomial for
    several classes: linear log odds. Each column is tested by itself; a category must have been
    encoded before, and its one-hot columns are then columns like others.

    **When it fails.** Columns that are informative only together (such as the two inputs of an
    exclusive or) are independent of the outcome one by one, and never enter. With few cases the
    tests see only strong relations. Where nothing is dependent, the column of the smallest p-value
    is kept, as a model needs one.

    Lagani, Athineou, Farcomeni, Tsagris, Tsamardinos 2017 (SES); Tsamardinos, Brown, Aliferis 2006
    (max-min parents and children). Written from these definitions.

    Parameters
    ----------
    alpha : float
        The level: a column with a p-value above it counts as independent.
    max_k : int
        How many columns a test conditions on at most.
    n_signatures : int
        How many signatures to list at most; there can be very many.
    outcome : {'auto', 'classes', 'numbers'}
        What the outcome is; by default numbers where scikit-learn would call it continuous.

    Attributes
    ----------
    selected_ : tuple of int
        The columns, in the order in which they were found.
    support_ : ndarray of bool, shape (p,)
        Which columns these are.
    signatures_ : list of tuple of int
        Sets that are as good as `selected_`, which is the first of them.
    n_signatures_ : int
        How many there are, listed or not.
    equivalent_ : dict of int to tuple of int
        Each selected column with those that could take its place, itself first.
    p_values_ : ndarray, shape (p,)
        The largest p-value of each column over all its tests.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.ses import SES
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 6))
    >>> X[:, 4] = X[:, 0] + 0.5 * rng.normal(size=300)  # tells of y through column 0 only
    >>> X[:, 5] = X[:, 1]  # a copy
    >>> y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=300)
    >>> chosen = SES().fit(X, y)
    >>> chosen.selected_, chosen.signatures_
    ((0, 1), [(0, 1), (0, 5)])
    """

    def __init__(
        self,
        alpha: float = 0.05,
        max_k: int = 3,
        *,
        n_signatures: int = 100,
        outcome: str = "auto",
    ) -> None:
        self.alpha = alpha
        self.max_k = max_k
        self.n_signatures = n_signatures
        self.outcome = outcome

    def fit(self, X: NDArray[np.float64], y: NDArray[np.generic]) -> SES:
        """Find the columns."""
        check.check_share("alpha", self.alpha)
        check.whole_number("max_k", self.max_k, low=0)
        check.whole_number("n_signatures", self.n_signatures, low=1)
        kind = self._kind(y)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=kind == NUMBERS)
        search = _find_columns(X, _encode_outcome(y, kind), self.alpha, self.max_k)
        self.p_values_ = np.exp(search.log_p)
        self.selected_ = tuple(search.selected)
        self.equivalent_ = {column: tuple(others) for column, others in search.equivalent.items()}
        choices = list(search.equivalent.values())
        self.signatures_ = list(islice(product(*choices), self.n_signatures))
        self.n_signatures_ = math.prod(map(len, choices))
        self.support_ = np.isin(np.arange(X.shape[1]), self.selected_)
        return self

    def _kind(self, y: object) -> str:
        if y is None:
            raise ValueError(
                "This SES estimator requires y to be passed, but the target y is None."
            )
        kind = find_outcome_kind(self.outcome, y)
        if kind == SURVIVAL:
            raise InputError(
                "SES has no test for events and times",
                needs="an outcome of classes or of numbers",
                got="survival",
                cure="Select with UnivariateSelection, or let Cox's model have an L1 penalty.",
            )
        return kind


def _encode_outcome(y: NDArray[np.generic], kind: str) -> NDArray[np.float64] | NDArray[np.intp]:
    """Return the outcome as floats, or as codes of its classes."""
    if kind == NUMBERS:
        return np.asarray(y, dtype=np.float64)
    return np.asarray(np.unique(y, return_inverse=True)[1].astype(np.intp).ravel())


def _find_columns(
    X: NDArray[np.float64], y: NDArray[np.float64] | NDArray[np.intp], alpha: float, max_k: int
) -> SESRun:
    """Return what a search finds; one of the last ones on the same data is not run again.

    A portfolio has dozens of models after one selection, and each is fitted on the same folds.
    """
    data = blake2b(np.ascontiguousarray(X).tobytes())
    data.update(y.tobytes())
    key = (X.shape, y.dtype.kind, data.digest(), alpha, max_k)
    with _LOCK:
        if key in _LAST:
            _LAST.move_to_end(key)
            return _LAST[key]
    search = SESRun(_choose_test(X, y), X.shape[1], alpha, max_k).run()
    if not search.selected:
        strongest = int(search.log_p.argmin())
        search.selected, search.equivalent = [strongest], {strongest: [strongest]}
    with _LOCK:
        _LAST[key] = search
        while len(_LAST) > REMEMBERED:
            _LAST.popitem(last=False)
    return search


def _choose_test(X: NDArray[np.float64], y: NDArray[np.float64] | NDArray[np.intp]) -> Independence:
    if y.dtype.kind == "f":
        return PartialCorrelation(X, np.asarray(y, dtype=np.float64))
    return LikelihoodRatio(X, np.asarray(y, dtype=np.intp))
