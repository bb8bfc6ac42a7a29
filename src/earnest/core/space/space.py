"""Search spaces: parameters on their own scale, which a configuration has, and guessed ones."""

from __future__ import annotations

import math
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import is_missing
from earnest.core.base.errors import InputError
from earnest.core.space.parameters import (
    Clause,
    Condition,
    Parameter,
    ParameterKind,
    simplify_value,
)

__all__ = ["Clause", "Condition", "Parameter", "ParameterKind", "Space"]

TRIES = 200  # rounds of drawing anew what is forbidden, before giving up


@dataclass(frozen=True)
class Inferred:
    """What of a space was guessed from the trials.

    Parameters
    ----------
    ranges, logs : tuple of str
        Whose range is that of the trials, and which of them have a log scale.
    conditions, gaps : tuple of (str, str)
        What seems to depend on what, and what is sometimes missing for no reason that shows.
    """

    ranges: tuple[str, ...]
    logs: tuple[str, ...]
    conditions: tuple[tuple[str, str], ...]
    gaps: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Space:
    """A search space: ordered parameters, and when each of them is active.

    Configurations are coded as rows of `d` numbers: numbers on [0, 1] on their own scale, levels
    of categories by their position, NaN where a parameter is inactive.

    Parameters
    ----------
    parameters : tuple of Parameter
        All different by name.
    forbidden : tuple of tuple of Clause
        Combinations that are not valid: those where all clauses of one of them hold.
    inferred : Inferred, optional
        What was guessed where the space was inferred.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest import Parameter, Space
    >>> from earnest.core.space.space import Condition
    >>> space = Space(
    ...     (
    ...         Parameter(name="model", kind="categorical", choices=("svm", "forest")),
    ...         Parameter(
    ...             name="C",
    ...             kind="float",
    ...             low=0.01,
    ...             high=100,
    ...             log=True,
    ...             condition=Condition.when("model", "svm"),
    ...         ),
    ...     )
    ... )
    >>> space.encode([{"model": "svm", "C": 1.0}, {"model": "forest"}])
    array([[0. , 0.5],
           [1. , nan]])
    >>> space.decode(np.array([[0.0, 1.0]]))
    [{'model': 'svm', 'C': 100.0}]
    """

    parameters: tuple[Parameter, ...]
    forbidden: tuple[tuple[Clause, ...], ...] = ()
    inferred: Inferred | None = None

    def __post_init__(self) -> None:
        """Refuse names given twice, unknown parents, and parents in a circle."""
        object.__setattr__(self, "parameters", tuple(self.parameters))
        names = self.names
        if len(set(names)) < len(names):
            twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            raise InputError(
                "hyperparameter names are not unique", got=check.some(map(repr, twice))
            )
        if not names:
            raise InputError("the space has no hyperparameters", needs="at least one")
        for clause in self._clauses:
            self.index(clause.parent)
        _ = self._order

    @classmethod
    def infer(cls, configs: Sequence[Mapping[str, object]]) -> Space:
        """Guess the space from configurations: kinds, ranges, log scales and conditions.

        A parameter that some configurations lack is taken as conditional, on the parents whose
        values tell where it is present. `inferred` says what was guessed.
        """
        return infer_space(configs)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    def __len__(self) -> int:
        """Count the parameters."""
        return len(self.parameters)

    def __iter__(self) -> Iterator[Parameter]:
        """Iterate over the parameters."""
        return iter(self.parameters)

    def __getitem__(self, name: str | int) -> Parameter:
        """Return a parameter by name or position."""
        return self.parameters[self.index(name)]

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the parameters that take more than one value."""
        return tuple(p.name for p in self.parameters if p.varies)

    @property
    def conditional(self) -> bool:
        """Whether any parameter is inactive somewhere."""
        return any(p.condition is not None for p in self.parameters)

    def index(self, name: str | int) -> int:
        """Return the position of a parameter; the nearest name is offered where it is unknown."""
        if isinstance(name, str):
            if name not in self.names:
                raise InputError(
                    f"parameter {check.show(name)} is unknown",
                    needs=check.some(self.names, limit=30),
                    cure=check.nearest(name, self.names),
                )
            return self.names.index(name)
        return check.whole_number("parameter", name, low=0, high=len(self) - 1)

    def children(self, name: str | int) -> tuple[str, ...]:
        """Return the parameters whose activity depends on this one, grandchildren included."""
        names = {self.names[self.index(name)]}
        for position in self._order:
            parameter = self.parameters[position]
            if parameter.condition and names & set(parameter.condition.parents):
                names.add(parameter.name)
        return tuple(n for n in self.names if n in names and n != self.names[self.index(name)])

    def encode(self, configs: Iterable[Mapping[str, object]]) -> NDArray[np.float64]:
        """Return configurations as codes: (n, d), NaN where a parameter is inactive.

        What a configuration says of an inactive parameter is left out, so that configurations
        that differ in nothing else are the same.

        Raises
        ------
        InputError
            For unknown names, values outside the space, and active parameters without a value.
        """
        listed = [dict(config) for config in configs]
        names = set(self.names)
        for config in listed:
            for name in config:
                if name not in names:
                    self.index(str(name))
        absent = object()
        columns = [self._encode_column(p, listed, absent) for p in self.parameters]
        codes = np.column_stack(columns) if listed else np.empty((0, len(self)))
        active = self.active(codes)
        lacking = active & np.isnan(codes)
        if lacking.any():
            row, column = (int(i) for i in np.argwhere(lacking)[0])
            raise InputError(
                f"configuration {row} has no {self.names[column]!r}",
                needs="a value for every active hyperparameter",
                got=check.show(listed[row]),
                cure=(
                    "Give the hyperparameter a condition, or leave out the space to have it "
                    "inferred."
                ),
            )
        return np.where(active, codes, np.nan)

    def decode(self, codes: NDArray[np.float64]) -> list[dict[str, object]]:
        """Return codes as configurations that have only their active parameters."""
        codes = np.atleast_2d(np.asarray(codes, dtype=np.float64))
        columns = [p.decode(codes[:, j]) for j, p in enumerate(self.parameters)]
        return [
            {
                name: column[i]
                for j, (name, column) in enumerate(zip(self.names, columns, strict=True))
                if not np.isnan(codes[i, j])
            }
            for i in range(len(codes))
        ]

    def active(self, codes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which parameters are active: (n, d), from the codes of their parents."""
        codes = np.atleast_2d(np.asarray(codes, dtype=np.float64))
        out = np.ones(codes.shape, dtype=bool)
        for j in self._order:
            condition = self.parameters[j].condition
            if condition is None:
                continue
            if condition.share is not None:  # only the value itself shows it
                out[:, j] = ~np.isnan(codes[:, j])
            else:
                out[:, j] = self._hold_any(condition.any_of, codes, out)
        return out

    def mask(self, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return codes with NaN where a parameter is inactive."""
        return np.where(self.active(codes), codes, np.nan)

    def place(
        self, points: NDArray[np.float64], columns: tuple[int, ...], values: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the points with the columns set to each row of values (G, k), masked again.

        Raises
        ------
        InputError
            Where a child becomes active and the points have no value for it, or a column that is
            set is inactive there.
        """
        for row in values:
            moved = points.copy()
            moved[:, columns] = row
            active = self.active(moved)
            if not active[:, columns].all() or (active & np.isnan(moved)).any():
                raise InputError(
                    "the effect does not exist at these points",
                    needs="points at which the hyperparameter is active, with values for its "
                    "children",
                    cure="Draw the points with space.sample(..., complete=True), and keep those "
                    "where the hyperparameter is active.",
                )
            yield np.where(active, moved, np.nan)

    def valid(self, codes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which rows have a value just where it is active, and are not forbidden: (n,)."""
        codes = np.atleast_2d(np.asarray(codes, dtype=np.float64))
        active = self.active(codes)
        fits = (active == ~np.isnan(codes)).all(axis=1)
        return np.asarray(fits & ~self._hold_any(self.forbidden, codes, active))

    def sample(
        self, n: int, rng: np.random.Generator, *, complete: bool = False
    ) -> NDArray[np.float64]:
        """Draw valid configurations, evenly on each parameter's own scale: (n, d).

        Parameters
        ----------
        n : int
            How many.
        rng : Generator
            The source of randomness.
        complete : bool
            Whether inactive parameters keep what was drawn for them; `mask` takes it away. So a
            parent can be set to another value, and its children are there.
        """
        drawn = self._draw(n, rng)
        for _ in range(TRIES):
            bad = np.flatnonzero(self._hold_any(self.forbidden, drawn, self.active(drawn)))
            if not bad.size:
                return drawn if complete else self.mask(drawn)
            drawn[bad] = self._draw(bad.size, rng)
        raise InputError(
            "almost no configuration of the space is allowed",
            needs="a space with allowed configurations",
            got=f"{bad.size} of {n} still forbidden after {TRIES} draws",
        )

    def grid(self, param: str | int, size: int = 20) -> tuple[list[object], NDArray[np.float64]]:
        """Return values of a parameter that are equidistant on its scale, and their codes.

        All levels of a category, whatever the size; fewer values where an int has fewer.
        """
        return self[param].grid(check.whole_number("size", size, low=1))

    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        drawn = np.column_stack([p.sample(n, rng) for p in self.parameters])
        for j, parameter in enumerate(self.parameters):
            if parameter.condition is not None and parameter.condition.share is not None:
                drawn[rng.random(n) >= parameter.condition.share, j] = np.nan
        return drawn

    def _encode_column(
        self, parameter: Parameter, configs: list[dict[str, object]], absent: object
    ) -> NDArray[np.float64]:
        codes = np.full(len(configs), np.nan)
        values = [config.get(parameter.name, absent) for config in configs]
        rows = [i for i, value in enumerate(values) if value is not absent]
        codes[rows] = parameter.encode([values[i] for i in rows])
        return codes

    @property
    def _clauses(self) -> list[Clause]:
        conditions = [p.condition for p in self.parameters if p.condition is not None]
        sets = [clauses for c in conditions for clauses in c.any_of]
        return [clause for clauses in (*sets, *self.forbidden) for clause in clauses]

    def _hold_any(
        self,
        any_of: tuple[tuple[Clause, ...], ...],
        codes: NDArray[np.float64],
        active: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        out = np.zeros(len(codes), dtype=bool)
        for clauses in any_of:
            every = np.ones(len(codes), dtype=bool)
            for clause in clauses:
                every &= self._holds(clause, codes, active)
            out |= every
        return out

    def _holds(
        self, clause: Clause, codes: NDArray[np.float64], active: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        j = self.index(clause.parent)
        return active[:, j] & self.parameters[j].meets(clause, codes[:, j])

    @cached_property
    def _order(self) -> tuple[int, ...]:
        """Positions with every parent before its children."""
        left, done = list(range(len(self))), list[int]()
        while left:
            ready = [j for j in left if self._find_parents(j) <= set(done)]
            if not ready:
                names = check.some(repr(self.names[j]) for j in left)
                raise InputError("hyperparameters are conditions of each other", got=names)
            done += ready
            left = [j for j in left if j not in ready]
        return tuple(done)

    def _find_parents(self, position: int) -> set[int]:
        condition = self.parameters[position].condition
        return set() if condition is None else {self.index(p) for p in condition.parents}


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
    listed = [{str(k): simplify_value(v) for k, v in config.items()} for config in configs]
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
    return Space(tuple(parameters), inferred=find_inferred(parameters))


@dataclass(frozen=True)
class _Column:
    """A parameter's values over the configurations."""

    name: str
    values: tuple[object, ...]  # None where the configuration has none
    present: Flags

    @classmethod
    def of(cls, name: str, configs: list[dict[str, object]]) -> _Column:
        values = [config.get(name, math.nan) for config in configs]
        huge = [v for v in values if isinstance(v, int) and abs(v) > LARGEST]
        if huge:
            raise InputError(
                f"{name!r} has values too large to compute with",
                needs=f"numbers up to {LARGEST:.2g}",
                got=f"{len(huge)} beyond it",
                cure="Use another unit, or pass all its values as text to make it a category.",
            )
        present = np.array([value is None or not is_missing(value) for value in values])
        return cls(
            name, tuple(v if p else None for v, p in zip(values, present, strict=True)), present
        )

    @property
    def known(self) -> list[object]:
        return [v for v, p in zip(self.values, self.present, strict=True) if p]

    @property
    def numeric(self) -> bool:
        return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.known)

    def levels(self, rows: Flags) -> tuple[object, ...]:
        """Return the different values at some rows at which it is present."""
        values = [v for v, r, p in zip(self.values, rows, self.present, strict=True) if r and p]
        return _sort_values(values)

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
    there, active = column.present & rows, child.present & rows
    return bool(there[active].all() and there.sum() > active.sum())


def _find_conjunction(
    child: _Column, parents: list[_Column], rows: Flags
) -> tuple[Clause, ...] | None:
    """Return the fewest clauses that hold just where the child is present among the rows."""
    clauses = [(p, clause) for p in parents for clause in _clauses(child, p, rows)]
    for parent, clause in clauses:
        if _is_told([(parent, clause)], child, rows):
            return (clause,)
    if not _is_told(clauses, child, rows):
        return None
    essential = list(clauses)
    for pair in reversed(clauses):
        fewer = [other for other in essential if other is not pair]
        if _is_told(fewer, child, rows):
            essential = fewer
    return tuple(clause for _, clause in essential)


def _find_alternatives(
    child: _Column, parent: _Column, columns: list[_Column]
) -> tuple[tuple[Clause, ...], ...] | None:
    """Return conjunctions for each value of a parent, where they differ between its values."""
    if not parent.repeats(np.ones(len(child.present), dtype=bool)):
        return None
    out: list[tuple[Clause, ...]] = []
    for level in parent.levels(child.present):
        rows = parent.among([level])
        single = Clause(parent=parent.name, values=(level,))
        if child.present[rows].all():
            out.append((single,))
            continue
        others = [c for c in columns if c is not parent and _may_tell(c, child, rows)]
        more = _find_conjunction(child, sorted(others, key=lambda c: c.numeric), rows)
        if not more:
            return None
        out.append((single, *more))
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


def _is_told(clauses: list[tuple[_Column, Clause]], child: _Column, rows: Flags) -> bool:
    if not clauses:
        return False
    every = rows.copy()
    for parent, clause in clauses:
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


def find_inferred(parameters: Sequence[Parameter], certain: Container[str] = ()) -> Inferred | None:
    """Return what was guessed, if anything was; of known names only conditions are."""
    numbers = [parameter for parameter in parameters if parameter.numeric]
    numbers = [parameter for parameter in numbers if parameter.name not in certain]
    conditional = [
        (parameter.name, parameter.condition)
        for parameter in parameters
        if parameter.condition is not None
    ]
    inferred = Inferred(
        ranges=tuple(parameter.name for parameter in numbers),
        logs=tuple(parameter.name for parameter in numbers if parameter.log),
        conditions=tuple((name, str(when)) for name, when in conditional if when.share is None),
        gaps=tuple((name, str(when)) for name, when in conditional if when.share is not None),
    )
    return inferred if inferred.ranges or conditional else None
