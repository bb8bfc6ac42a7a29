"""Search spaces: parameters on their own scale, and which of them a configuration has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.space.parameters import Clause, Condition, Parameter, ParameterKind

__all__ = ["Clause", "Condition", "Parameter", "ParameterKind", "Space"]

TRIES = 200  # rounds of drawing anew what is forbidden, before giving up


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
    remarks : tuple of str
        What was guessed where the space was inferred, a sentence each.

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
    remarks: tuple[str, ...] = ()

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
        values tell where it is present. `remarks` says what was guessed.
        """
        from earnest.core.space.inference import infer_space

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
        found = {self.names[self.index(name)]}
        for position in self._order:
            parameter = self.parameters[position]
            if parameter.condition and found & set(parameter.condition.parents):
                found.add(parameter.name)
        return tuple(n for n in self.names if n in found and n != self.names[self.index(name)])

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
        known = set(self.names)
        for config in listed:
            for name in config:
                if name not in known:
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
            if condition.share is not None:  # nothing tells but the value itself
                out[:, j] = ~np.isnan(codes[:, j])
            else:
                out[:, j] = self._hold_any(condition.any_of, codes, out)
        return out

    def mask(self, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return codes with NaN where a parameter is inactive."""
        return np.where(self.active(codes), codes, np.nan)

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
        given = [config.get(parameter.name, absent) for config in configs]
        rows = [i for i, value in enumerate(given) if value is not absent]
        codes[rows] = parameter.encode([given[i] for i in rows])
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
