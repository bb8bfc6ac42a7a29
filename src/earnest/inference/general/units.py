"""What the general tools resample (cases or groups, within strata), and statistics of weights."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Seeds
from earnest.core.data.target import Target, Task, encode_units
from earnest.core.text.doors import arg
from earnest.resampling.bootstrap import CaseBootstrap, StratifiedBootstrap, batches

Array = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Array], object]  # of weights; what it returns is looked at
MEMORY = 1 << 26  # bytes of weights that a statistic is given at once


@dataclass(frozen=True, eq=False)
class Units:
    """The units that are drawn, left out or given weight.

    Parameters
    ----------
    unit : ndarray, shape (n,)
        The unit of each case.
    stratum : ndarray, shape (G,)
        The stratum of each unit.
    word : str
        What a unit is called.
    """

    unit: NDArray[np.intp]
    stratum: NDArray[np.intp]
    word: str = "case"

    @classmethod
    def of(cls, cases: object, strata: ArrayLike | None, groups: ArrayLike | None) -> Units:
        """Read them from what a user gives, and refuse what has no second unit."""
        n = _count_cases(cases)
        layer = encode_units(strata, n, "strata", "cases")
        members = encode_units(groups, n, "groups", "cases")
        layer = np.zeros(n, dtype=np.int64) if layer is None else layer
        if members is None:
            units = cls(np.arange(n), layer)
        else:
            first = np.unique(members, return_index=True)[1]
            units = cls(members, layer[first], "group")
            _refuse_crossed(int((units.stratum[members] != layer).sum()))
        _refuse_single(units)
        return units

    @property
    def n(self) -> int:
        """The number of cases."""
        return len(self.unit)

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.stratum)

    @cached_property
    def layers(self) -> tuple[NDArray[np.intp], ...]:
        """The units of every stratum."""
        return tuple(np.flatnonzero(self.stratum == s) for s in range(int(self.stratum.max()) + 1))

    @cached_property
    def sizes(self) -> Array:
        """The number of cases of every unit: (G,)."""
        return np.bincount(self.unit, minlength=self.count).astype(np.float64)

    @cached_property
    def _members(self) -> Array:
        """The number of cases that each unit has in each stratum: (G, S)."""
        table = np.zeros((self.count, len(self.layers)))
        table[np.arange(self.count), self.stratum] = self.sizes
        return table

    def weights(self, counts: Numbers) -> Array:
        """Return weights of cases (b, n) from those of units (b, G).

        In every stratum they sum to its number of cases, whatever was drawn or left out.
        """
        scale = self._members.sum(axis=0) / (counts @ self._members)  # (b, S)
        return np.asarray((counts * scale[:, self.stratum])[:, self.unit])

    def draws(self, n_resamples: int, seeds: Seeds) -> Iterator[Numbers]:
        """Yield counts of units (b, G), drawn with replacement within every stratum."""
        several = len(self.layers) > 1
        target = Target(
            y=np.zeros(self.count), task=Task.REGRESSION, strata=self.stratum.astype(np.int64)
        )
        resampler = StratifiedBootstrap() if several else CaseBootstrap()
        for batch in batches(resampler, target, n_resamples, seeds):
            yield batch.values

    def moved(self, layer: NDArray[np.intp], to: NDArray[np.intp], step: float) -> Array:
        """Return weights of units with a share of their layer's moved to each of some: (b, G)."""
        weights = np.ones((len(to), self.count))
        weights[:, layer] = 1.0 - step
        weights[np.arange(len(to)), to] += step * len(layer)
        return weights


@dataclass(frozen=True, eq=False)
class WeightedStatistic:
    """A user's statistic, asked for many weights at once."""

    function: Statistic
    units: Units
    vectorized: bool = False

    def __call__(self, counts: Numbers) -> Array:
        """Return the statistic under weights of units (b, G), NaN where it is undefined: (b,)."""
        return self.each(np.arange(len(counts)), lambda rows: counts[rows])

    def each(self, which: NDArray[np.intp], counts: Callable[[NDArray[np.intp]], Numbers]) -> Array:
        """Return the statistic for each of some, whose weights are made a few at a time: (b,)."""
        rows = max(1, MEMORY // (8 * self.units.n))
        parts = [self._some(counts(which[i : i + rows])) for i in range(0, len(which), rows)]
        values = np.concatenate(parts)
        return np.where(np.isfinite(values), values, np.nan)

    def without_each(self, which: NDArray[np.intp], counts: Numbers) -> Array:
        """Return the statistic with one copy of each of some units left out of counts (G,)."""

        def less(units: NDArray[np.intp]) -> Array:
            lowered = np.tile(np.asarray(counts, dtype=np.float64), (len(units), 1))
            lowered[np.arange(len(units)), units] -= 1.0
            return lowered

        return self.each(which, less)

    def moving(self, layer: NDArray[np.intp], step: float) -> Array:
        """Return the statistic with a share of a layer's weight moved to each of its units."""
        return self.each(layer, lambda to: self.units.moved(layer, to, step))

    def at_ones(self) -> float:
        """Return the statistic of the cases as they are, and refuse one that is undefined."""
        value = float(self(np.ones((1, self.units.count)))[0])
        if np.isnan(value):
            raise EvidenceError(
                "the statistic is undefined on the original cases",
                needs="a finite number when every weight is 1",
                got="NaN or an infinite value",
            )
        return value

    def _some(self, counts: Numbers) -> Array:
        weights = self.units.weights(counts)
        if not self.vectorized:
            return np.array([_read_number(self.function(row)) for row in weights], dtype=np.float64)
        values = np.asarray(self.function(weights))
        if values.shape != (len(weights),) or values.dtype.kind not in "biuf":
            raise InputError(
                "a vectorized statistic must return a number for every row of weights",
                needs=f"shape ({len(weights)},)",
                got=f"shape {values.shape}, dtype {values.dtype}",
                cure="Leave out vectorized=True if the statistic takes one row of weights.",
            )
        return values.astype(np.float64)


def _read_number(value: object) -> float:
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise InputError(
            "the statistic does not return a single number",
            needs="a number for a row of weights",
            got=check.show(value),
            cure="For a function of many rows pass vectorized=True.",
        )
    return float(array.reshape(()))


def _count_cases(cases: object) -> int:
    """Return the number of cases: a number, or the length of data."""
    if isinstance(cases, str | bytes):
        raise _make_unreadable_error(cases)
    try:
        if isinstance(cases, SupportsIndex):
            return check.whole_number("cases", operator.index(cases), low=1)
    except TypeError:  # an array has the method, and not always an answer
        pass
    shape = getattr(cases, "shape", None)
    if shape is not None and len(shape) >= 1:
        return check.whole_number("cases", int(shape[0]), low=1)
    if isinstance(cases, tuple) and cases and all(hasattr(column, "__len__") for column in cases):
        lengths = {len(column) for column in cases}
        if len(lengths) > 1:
            raise InputError(
                "the parts of `cases` differ in length",
                needs="arrays with one row per case",
                got=check.some(sorted(lengths)),
            )
        return check.whole_number("cases", lengths.pop(), low=1)
    try:
        if isinstance(cases, Sized):
            return check.whole_number("cases", len(cases), low=1)
    except TypeError:  # an array without a dimension
        pass
    raise _make_unreadable_error(cases)


def _make_unreadable_error(cases: object) -> InputError:
    return InputError(
        "`cases` does not give the number of cases",
        needs="an integer, or data with one row per case",
        got=check.show(cases),
    )


def _refuse_crossed(crossed: int) -> None:
    if crossed:
        raise InputError(
            "groups span several strata",
            needs="every group within one stratum",
            got=f"{crossed} cases in another stratum than the first of their group",
            cure=f"Leave {arg('strata')} out, or make finer groups.",
        )


def _refuse_single(units: Units) -> None:
    fewest = min(len(layer) for layer in units.layers)
    if fewest < 2:
        where = " in every stratum" if len(units.layers) > 1 else ""
        raise EvidenceError(
            f"one {units.word} shows no spread",
            needs=f"at least two {units.word}s{where}",
            got="one",
            cure="Merge small strata." if len(units.layers) > 1 else "",
        )


SHUFFLES = 20  # orders of the same weights under which a true statistic is never the same
FEWEST = 4  # cases


def refuse_function_of_data(statistic: WeightedStatistic) -> None:
    """Refuse a function that reads weights as if they were the data, such as `np.mean`.

    Such a function returns the same whichever cases have the weights, and another value if all
    weights are doubled. The first is hardly ever true for a statistic, the second only for sums;
    both together mean that it never used the cases.
    """
    units = statistic.units
    if units.word != "case" or len(units.layers) > 1 or units.n < FEWEST:
        return
    first = _move_weight(units.n, 0, units.n - 1)
    values = statistic(np.stack([first, _move_weight(units.n, units.n // 2, 0)]))
    if not _are_equal(values) or math.isclose(
        _ask_as_given(statistic, 2.0 * first), values[0], rel_tol=1e-9
    ):
        return
    rng = np.random.default_rng(0)  # no result depends on it
    counts = np.bincount(rng.integers(units.n, size=units.n), minlength=units.n)
    if _are_equal(statistic(np.stack([rng.permutation(counts) for _ in range(SHUFFLES)]))):
        raise InputError(
            "`statistic` does not depend on the cases",
            needs="a function of weights of the cases, such as lambda w: np.average(x, weights=w)",
            got="a function that returns the same value for different weights",
            cure="It is called with weights, not with data. Turn a function f of the data into "
            "lambda w: f(np.repeat(x, w.astype(int), axis=0)).",
        )


def _move_weight(n: int, to: int, start: int) -> NDArray[np.float64]:
    """Return weights with that of one case moved to another."""
    counts = np.ones(n)
    counts[start], counts[to] = 0.0, 2.0
    return counts


def _ask_as_given(statistic: WeightedStatistic, weights: NDArray[np.float64]) -> float:
    """Ask for weights as they are, whatever they sum to."""
    row = weights[None] if statistic.vectorized else weights
    return float(np.asarray(statistic.function(row), dtype=np.float64).ravel()[0])


def _are_equal(values: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(values).all() and np.ptp(values) <= 1e-9 * np.abs(values).max())
