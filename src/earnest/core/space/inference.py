"""Search spaces guessed from configurations: kinds, ranges, log scales, conditions."""

from __future__ import annotations

import math
import sys
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import is_missing
from earnest.core.base.errors import InputError
from earnest.core.space.parameters import Clause, Condition, Parameter, ParameterKind, plain
from earnest.core.space.space import Space

DECADES = 2.0  # powers of ten that a range must span to be taken as one on a log scale
MOST_VALUES = 20  # of a number, for its single values to be conditions
FEWEST = 5  # trials with and without, for a limit of a number to be a condition
LARGEST = sys.float_info.max

Flags = NDArray[np.bool_]


def infer_space(configs: Sequence[Mapping[str, object]]) -> Space:
    """Guess a space; see `Space.infer`.

    Examples
    --------
    >>> from earnest import Space
    >>> svm = [{"m": "svm", "C": c} for c in (0.1, 1.0, 30.0)]
    >>> space = Space.infer([*svm, {"m": "tree"}])
    >>> [(p.name, str(p.kind), p.log) for p in space]
    [('m', 'categorical', False), ('C', 'float', True)]
    >>> str(space["C"].condition)
    'm is svm'
    """
    listed = [{str(k): plain(v) for k, v in config.items()} for config in configs]
    names = list(dict.fromkeys(name for config in listed for name in config))
    columns = [_Column.of(name, listed) for name in names]
    columns = [column for column in columns if column.present.any()]
    if not columns:
        raise InputError(
            "the trials have no hyperparameters",
            needs="at least one hyperparameter with a value",
            got=f"{len(listed)} configurations without any",
        )
    parameters = [_infer_parameter(column, columns) for column in columns]
    parameters = _drop_circles(parameters, columns)
    return Space(tuple(parameters), remarks=tuple(guesses(parameters)))


@dataclass(frozen=True)
class _Column:
    """A parameter's values over the configurations."""

    name: str
    values: tuple[object, ...]  # None where the configuration has none
    present: Flags

    @classmethod
    def of(cls, name: str, configs: list[dict[str, object]]) -> _Column:
        given = [config.get(name, math.nan) for config in configs]
        huge = [v for v in given if isinstance(v, int) and abs(v) > LARGEST]
        if huge:
            raise InputError(
                f"{name!r} has values too large to compute with",
                needs=f"numbers up to {LARGEST:.2g}",
                got=f"{len(huge)} beyond it",
                cure="Use another unit, or pass all its values as text to make it a category.",
            )
        present = np.array([value is None or not is_missing(value) for value in given])
        return cls(
            name, tuple(v if p else None for v, p in zip(given, present, strict=True)), present
        )

    @property
    def known(self) -> list[object]:
        return [v for v, p in zip(self.values, self.present, strict=True) if p]

    @property
    def numeric(self) -> bool:
        return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.known)

    def levels(self, rows: Flags) -> tuple[object, ...]:
        """Return the different values at some rows at which it is present."""
        found = [v for v, r, p in zip(self.values, rows, self.present, strict=True) if r and p]
        return _sort_values(found)

    def among(self, levels: Sequence[object]) -> Flags:
        """Tell which rows have one of these values."""
        keys = {_make_key(level) for level in levels}
        pairs = zip(self.values, self.present, strict=True)
        return np.array([bool(p) and _make_key(v) in keys for v, p in pairs])

    def repeats(self, rows: Flags) -> bool:
        """Tell whether its values come back often enough to be conditions of something."""
        levels, trials = len(self.levels(rows)), int((rows & self.present).sum())
        if self.numeric:
            return levels <= min(MOST_VALUES, trials // 2)
        return levels < trials

    def numbers(self, rows: Flags) -> NDArray[np.float64]:
        pairs = zip(self.values, rows & self.present, strict=True)
        return np.array([_read_real(v) for v, r in pairs if r])


def _infer_parameter(column: _Column, columns: list[_Column]) -> Parameter:
    condition = None if column.present.all() else _find_condition(column, columns)
    values = _sort_values(column.known)
    if len(values) == 1:
        return Parameter(
            name=column.name, kind=ParameterKind.FIXED, choices=values, condition=condition
        )
    if not column.numeric:
        return Parameter(
            name=column.name, kind=ParameterKind.CATEGORICAL, choices=values, condition=condition
        )
    numbers = column.numbers(column.present)
    if not np.isfinite(numbers).all():
        raise InputError(
            f"{column.name!r} has values that are not finite",
            needs="finite numbers",
            got=check.some(sorted({str(v) for v in numbers if not np.isfinite(v)})),
            cure="Leave these trials out, or pass all its values as text to make it a category.",
        )
    whole = all(isinstance(v, int) for v in column.known)
    return Parameter(
        name=column.name,
        kind=ParameterKind.INT if whole else ParameterKind.FLOAT,
        low=float(numbers.min()),
        high=float(numbers.max()),
        log=looks_logarithmic(numbers),
        condition=condition,
    )


def _drop_circles(parameters: list[Parameter], columns: list[_Column]) -> list[Parameter]:
    """Let go of alternatives where two parameters would be conditions of each other.

    That is where one is a parent of the other in one part of the space, and its child in another.
    """
    try:
        Space(tuple(parameters))
    except InputError:
        pairs = zip(parameters, columns, strict=True)
        return [
            replace(p, condition=Condition(share=float(c.present.mean())))
            if p.condition is not None and len(p.condition.any_of) > 1
            else p
            for p, c in pairs
        ]
    return parameters


def looks_logarithmic(values: NDArray[np.float64]) -> bool:
    """Tell whether positive numbers over two decades lie more evenly on the log scale.

    That is where their median is nearer to the middle of the range on the log scale.
    """
    low, high, middle = values.min(), values.max(), float(np.median(values))
    if low <= 0 or math.log10(high) - math.log10(low) < DECADES:
        return False
    # A quotient of the ends may be larger than any number.
    on_log = (math.log(middle) - math.log(low)) / (math.log(high) - math.log(low))
    return bool(abs(on_log - 0.5) < abs((middle - low) / (high - low) - 0.5))


def _find_condition(child: _Column, columns: list[_Column]) -> Condition:
    """Return the parents whose values tell where a parameter is present."""
    everywhere = np.ones(len(child.present), dtype=bool)
    parents = [column for column in columns if _may_tell(column, child, everywhere)]
    parents.sort(key=lambda c: (c.numeric, -int(c.present.sum())))
    clauses = _find_conjunction(child, parents, everywhere) or None
    if clauses is not None:
        return Condition(any_of=(clauses,))
    for parent in parents:
        apart = _find_alternatives(child, parent, columns)
        if apart is not None:
            return Condition(any_of=apart)
    return Condition(share=float(child.present.mean()))


def _may_tell(column: _Column, child: _Column, rows: Flags) -> bool:
    """Tell whether a column is there wherever the child is, and elsewhere too among the rows.

    So no two can be each other's parents.
    """
    there, own = column.present & rows, child.present & rows
    return bool(there[own].all() and there.sum() > own.sum())


def _find_conjunction(
    child: _Column, parents: list[_Column], rows: Flags
) -> tuple[Clause, ...] | None:
    """Return the fewest clauses that hold just where the child is present among the rows."""
    found = [(p, clause) for p in parents for clause in _clauses(child, p, rows)]
    for parent, clause in found:
        if _is_told([(parent, clause)], child, rows):
            return (clause,)
    if not _is_told(found, child, rows):
        return None
    kept = list(found)
    for pair in reversed(found):
        fewer = [other for other in kept if other is not pair]
        if _is_told(fewer, child, rows):
            kept = fewer
    return tuple(clause for _, clause in kept)


def _find_alternatives(
    child: _Column, parent: _Column, columns: list[_Column]
) -> tuple[tuple[Clause, ...], ...] | None:
    """Return conjunctions for each value of a parent, where they differ between its values."""
    if not parent.repeats(np.ones(len(child.present), dtype=bool)):
        return None
    out: list[tuple[Clause, ...]] = []
    for level in parent.levels(child.present):
        rows = parent.among([level])
        own = Clause(parent=parent.name, values=(level,))
        if child.present[rows].all():
            out.append((own,))
            continue
        others = [c for c in columns if c is not parent and _may_tell(c, child, rows)]
        more = _find_conjunction(child, sorted(others, key=lambda c: c.numeric), rows)
        if not more:
            return None
        out.append((own, *more))
    return tuple(out)


def _clauses(child: _Column, parent: _Column, rows: Flags) -> list[Clause]:
    """Return what a parent always is where the child is present, if it is not so everywhere."""
    has, lacks = rows & child.present, rows & ~child.present & parent.present
    if parent.numeric:
        limits = _find_limits(parent, has, lacks)
        if limits:
            return limits
    return [Clause(parent=parent.name, values=parent.levels(has))] if parent.repeats(rows) else []


def _find_limits(parent: _Column, has: Flags, lacks: Flags) -> list[Clause]:
    there, elsewhere = parent.numbers(has), parent.numbers(lacks)
    whole = all(isinstance(v, int) for v in parent.known)
    if min(len(there), len(elsewhere)) < (1 if whole else FEWEST):
        return []
    if there.min() > elsewhere.max():
        return [Clause(parent=parent.name, low=_find_middle(elsewhere.max(), there.min(), whole))]
    if there.max() < elsewhere.min():
        return [Clause(parent=parent.name, high=_find_middle(elsewhere.min(), there.max(), whole))]
    return []


def _find_middle(outside: float, inside: float, whole: bool) -> float:
    return float(inside) if whole else 0.5 * (float(outside) + float(inside))


def _is_told(found: list[tuple[_Column, Clause]], child: _Column, rows: Flags) -> bool:
    if not found:
        return False
    every = rows.copy()
    for parent, clause in found:
        every &= _find_rows(parent, clause)
    return bool((every == (child.present & rows)).all())


def _find_rows(parent: _Column, clause: Clause) -> Flags:
    if clause.values is not None:
        return parent.among(clause.values)
    pairs = zip(parent.values, parent.present, strict=True)
    return np.array([bool(p) and clause.low <= _read_real(v) <= clause.high for v, p in pairs])


def _read_real(value: object) -> float:
    """Return a value of a column of numbers."""
    assert isinstance(value, (int, float))
    return float(value)


def _sort_values(values: Sequence[object]) -> tuple[object, ...]:
    """Return the different values: False and True, numbers, text, None."""
    different = {_make_key(value): value for value in values}
    return tuple(different[key] for key in sorted(different))


def _make_key(value: object) -> tuple[int, float, str]:
    if isinstance(value, bool):
        return 0, float(value), ""
    if isinstance(value, (int, float)):
        return 1, float(value), ""
    return (3, 0.0, "") if value is None else (2, 0.0, str(value))


def guesses(parameters: Sequence[Parameter], known: Container[str] = ()) -> list[str]:
    """Return what was guessed, a sentence a kind of guess; of known names only conditions are."""
    out = []
    numbers = [p for p in parameters if p.numeric and p.name not in known]
    if numbers:
        names = check.some(p.name for p in numbers)
        out.append(f"Numeric ranges are those of the trials: {names}.")
    logs = [p.name for p in numbers if p.log]
    if logs:
        out.append(f"On a log scale, because they span two decades: {check.some(logs)}.")
    conditional = [p for p in parameters if p.condition is not None]
    told = [p for p in conditional if p.condition is not None and p.condition.share is None]
    if told:
        words = check.some((f"{p.name} (if {p.condition})" for p in told), limit=8)
        out.append(f"Conditional, because some trials lack them: {words}.")
    unknown = [p for p in conditional if p not in told]
    if unknown:
        words = check.some(f"{p.name} ({p.condition})" for p in unknown)
        out.append(f"Sometimes missing: {words}.")
    return out
