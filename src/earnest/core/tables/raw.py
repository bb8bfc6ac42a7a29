"""Tables of data that were given for predictions: what can be told by their columns."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from earnest.core.base.arrays import RawArray, missing
from earnest.core.base.errors import InputError
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.tables.column_names import OF_PREDICTIONS, fold_name
from earnest.core.tables.columns import Columns, Outcome
from earnest.core.text.doors import arg

ENOUGH = 3  # columns that are unlike the others; fewer may be numbers of patients or rooms
FAR = 10.0  # times as large: scores of one outcome are hardly so different,
APART = 3.0  # and rarely as much as this
OFF = 1.0  # standard deviations between the means of an outcome and of its predictions, at most
AGREE = 0.4  # the median rank correlation of two columns from which on they may be predictions
FEWEST_ROWS = 20  # of which a correlation tells something
MOST_ROWS, MOST_COLUMNS = 2000, 40  # that are compared
IS_DATA = "the table looks like training data, not like predictions"


def _suggest_verb(columns: Columns, target: str | None, y: RawArray) -> str:
    """Say what reads data, and how a user tells that columns are predictions."""
    kind = "" if _are_numbers(y) else f", or pass {arg('response', 'decision')}"
    named = "" if target is None else f" --target {shlex.quote(target)}"
    tune = (
        "Use earnest.tune to train models on data."
        if columns.source is None
        else f"If these are training data, not predictions: earnest tune "
        f"{shlex.quote(columns.source)}{named} trains models on them and tells you how good they "
        "are."
    )
    name = f"name the configurations with {arg('configs', ...)}{kind}"
    return f"{tune} If these are predictions, {name}."


def remark_data(
    columns: Columns, names: Sequence[str], y: Outcome, target: str | None, *, folds: bool
) -> list[Caution]:
    """Refuse a table whose columns are surely no predictions of its outcome; tell of a doubt.

    Predictions of one outcome are on one scale, and they agree: their median rank correlation was
    0.5 or more for 13 learners on three data sets, and that of the features of 18 data sets at most
    0.38. So columns on several scales, or off the outcome, that do not agree are data, whether the
    table has folds or not. What looks like probabilities or decision values is never refused; of
    decision values that do not agree a note is made, as those of learners that have learned
    nothing, and features on one scale, look alike.

    Parameters
    ----------
    columns : Columns
        The table.
    names : sequence of str
        The columns that would be read as configurations.
    y : ndarray or tuple
        The outcome; nothing is said of survival, where a risk may be any number.
    target : str, optional
        Its column.
    folds : bool
        Whether the table has folds, which data have rarely: then scales alone refuse nothing.
    """
    if isinstance(y, tuple):
        return []
    look = _Look.of(columns, names, y)
    words = any(map(_speaks_of_predictions, columns.names))
    sure = look.surely_data()
    disagree = look.has_other_scales() and not _do_agree(columns, names)
    if disagree or (sure and not folds and not words):
        raise InputError(
            IS_DATA,
            needs="one column per configuration, with its predictions of the outcome",
            got=of_tables.list_ranges(look.list_columns(), look.unlike),
            cure=_suggest_verb(columns, target, y),
        )
    if look.strange() and (sure or look.numbers or not (folds or words)):
        return [of_tables.columns_may_be_data(look.list_columns(), look.unlike)]
    if len(look.unbounded) >= 2:
        agreement = _measure_agreement(columns, look.unbounded)
        if agreement < AGREE:
            return [of_tables.decision_values_disagree(tuple(look.unbounded), agreement)]
    return []


def _speaks_of_predictions(name: str) -> bool:
    """Tell whether a column is called as folds, configurations and their predictions are."""
    roles = (OF_PREDICTIONS[role] for role in ("fold", "model", "prediction"))
    return fold_name(name) == "folds" or any(role.is_named(name) for role in roles)


@dataclass(frozen=True)
class _Look:
    """The ranges of the columns beside their outcome.

    `numbers` tells an outcome of numbers, `unlike` how many columns have no point in common with
    most; `odd` are the columns that can be no predictions by themselves: of numbers, those that
    lie wholly outside the outcome; of classes, those that are neither probabilities nor labels
    and never fall below 0, as values of a decision function do. `off` are the columns whose mean is
    far from that of an outcome of numbers, `ranges` the ends of all columns of numbers, `unbounded`
    the columns beside an outcome of classes that are neither probabilities nor labels.
    """

    numbers: bool
    unlike: int
    odd: dict[str, tuple[float, float]]
    decimals: bool
    off: dict[str, tuple[float, float]]
    ranges: tuple[tuple[float, float], ...]
    unbounded: tuple[str, ...]

    @classmethod
    def of(cls, columns: Columns, names: Sequence[str], y: RawArray) -> _Look:
        present = y[~missing(y)]
        labels = set(present.tolist())
        numbers = _are_numbers(y)
        low, high = (present.min(), present.max()) if numbers else (0.0, 1.0)
        ranges: list[tuple[float, float]] = []
        center, spread = (present.mean(), present.std()) if numbers else (0.0, 0.0)
        odd, off, decimals = {}, {}, False
        unbounded: list[str] = []
        for name in names:  # one at a time: the table may be larger than the memory
            column = columns.array(name)
            ends = _find_range(column)
            if ends is None:
                continue
            ranges.append(ends)
            if numbers and abs(column[np.isfinite(column)].mean() - center) > OFF * spread:
                off[name] = ends
            outside = ends[0] > high or ends[1] < low if numbers else ends[0] >= 0 and ends[1] > 1
            finite = column[np.isfinite(column)] if outside else column
            if not numbers and (ends[0] < 0 or ends[1] > 1):
                unbounded += [] if set(column[:MOST_ROWS].tolist()) <= labels else [name]
            if outside and not set(np.unique(finite).tolist()) <= labels:
                odd[name] = ends
                decimals = decimals or bool((finite != np.rint(finite)).any())
        return cls(
            numbers,
            _count_unlike_ranges(ranges),
            odd,
            decimals,
            off,
            tuple(ranges),
            tuple(unbounded),
        )

    def times(self) -> float:
        """Return how many times the largest scale is the smallest, of the odd columns."""
        scales = [max(abs(low), abs(high)) for low, high in self.odd.values()]
        return max(scales) / max(min(scales), 1e-300) if scales else 1.0

    def has_other_scales(self) -> bool:
        """Tell whether columns are on several scales, or most of them off the outcome."""
        if len(self.ranges) < 2:
            return False
        if self.numbers:
            return 2 * len(self.off) > len(self.ranges)
        scales = [max(abs(low), abs(high)) for low, high in self.ranges]
        largest = max((high for _, high in self.odd.values()), default=0.0)
        return largest >= FAR * max(min(scales), 1e-300)

    def surely_data(self) -> bool:
        if self.unlike >= ENOUGH:
            return True
        if len(self.odd) < ENOUGH:
            return False
        return self.numbers or (self.times() >= FAR and self.decimals)

    def strange(self) -> bool:
        if self.numbers:
            return bool(self.odd)
        if self.surely_data():
            return True
        fewest, times = (2, APART) if self.decimals else (ENOUGH, FAR)  # points and votes are whole
        return len(self.odd) >= fewest and self.times() >= times

    def list_columns(self) -> tuple[tuple[str, float, float], ...]:
        """Return the columns that can be no predictions, each with its ends."""
        return tuple((name, low, high) for name, (low, high) in (self.odd | self.off).items())


def _are_numbers(y: RawArray) -> bool:
    """Tell an outcome of numbers, or of whole numbers as classes, from one of two classes."""
    present = y[~missing(y)]
    return present.dtype.kind in "iuf" and len(np.unique(present)) > 2


def _do_agree(columns: Columns, names: Sequence[str]) -> bool:
    """Tell whether columns order the cases alike, as predictions do; too few rows may do so."""
    return _measure_agreement(columns, names) >= AGREE


def _measure_agreement(columns: Columns, names: Sequence[str]) -> float:
    """Return the median rank correlation of columns, 1 where there are too few rows."""
    chosen = []
    rows = np.linspace(0, columns.rows - 1, min(columns.rows, MOST_ROWS)).astype(np.intp)
    spread = np.linspace(0, len(names) - 1, min(len(names), MOST_COLUMNS)).astype(np.intp)
    for index in dict.fromkeys(spread.tolist()):
        values = columns.array(names[index])
        if values.dtype.kind in "iuf":
            chosen.append(values[rows].astype(np.float64))
    table = np.column_stack(chosen)
    table = table[np.isfinite(table).all(axis=1)]
    if len(table) < FEWEST_ROWS:
        return 1.0
    table = np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])
    table = table[:, table.std(axis=0) > 0].astype(np.float64)
    if table.shape[1] < 2:
        return 1.0
    correlations = np.asarray(np.corrcoef(table.T))
    return float(np.median(correlations[np.triu_indices(len(correlations), 1)]))


def _find_range(values: RawArray) -> tuple[float, float] | None:
    """Return the least and the largest number of a column, None where it has none."""
    if values.dtype.kind not in "iuf":
        return None
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def _count_unlike_ranges(ranges: Sequence[tuple[float, float]]) -> int:
    """Count the ranges outside the largest set that has a point in common."""
    if not ranges:
        return 0
    low, high = np.sort(np.array(ranges).T, axis=1)
    begun = np.searchsorted(low, low, side="right")  # ranges that begin at this point or before,
    over = np.searchsorted(high, low, side="left")  # and those that are over by then
    return len(ranges) - int((begun - over).max())
