"""The table of configurations that were tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Configs:
    """The configurations of a search: names, parameters, and how complex each is.

    Parameters
    ----------
    ids : tuple of str
        One unique name per configuration.
    params : tuple of dict, optional
        The hyperparameters of each.
    complexity : tuple of float, optional
        The rank of each from simple to complex, for the one-standard-error rule; without it the
        given order counts as simple first.
    static : bool
        Whether the configurations were fixed before any was evaluated (a grid, a random draw),
        and not proposed by what was seen (Bayesian optimisation).

    Examples
    --------
    >>> import earnest as en
    >>> grid = en.Configs(ids=("small", "large"), params=({"C": 0.1}, {"C": 10}), static=True)
    >>> grid.ids, grid.params[1]
    (('small', 'large'), {'C': 10})
    """

    ids: tuple[str, ...]
    params: tuple[dict[str, object], ...] | None = None
    complexity: tuple[float, ...] | None = None
    static: bool = True

    def __post_init__(self) -> None:
        """Refuse names that are given twice, and columns of unlike length."""
        twice = [name for name, times in Counter(self.ids).items() if times > 1]
        if twice:
            raise InputError(f"configuration names are not unique: {check.some(map(repr, twice))}")
        for name, values in (("params", self.params), ("complexity", self.complexity)):
            if values is not None and len(values) != len(self.ids):
                raise InputError(
                    f"`{name}` has the wrong length",
                    needs=f"{len(self.ids)} values, one per configuration",
                    got=str(len(values)),
                )
        if self.complexity is not None and not np.isfinite(self.complexity).all():
            bad = [n for n, rank in zip(self.ids, self.complexity, strict=True) if rank - rank != 0]
            raise InputError(
                "`complexity` has values that are not finite",
                needs="a finite rank for every configuration",
                got=f"NaN or infinity for {check.some(map(repr, bad))}",
            )

    def __len__(self) -> int:
        """Count the configurations."""
        return len(self.ids)

    @classmethod
    def of(cls, given: Configs | Iterable[object] | None, count: int) -> Configs:
        """Make configurations from names, from parameter dicts, or from nothing."""
        if isinstance(given, Configs):
            made = given
        elif given is None:
            made = cls(ids=_number_names(count))
        else:
            if isinstance(given, np.ndarray) and (
                given.ndim != 1 or given.dtype.kind not in "iufUO"
            ):
                raise InputError(
                    "`configs` is not a list of names",
                    needs="one name per configuration",
                    got=f"shape {given.shape} of type {given.dtype}",
                )
            made = cls._from_list([given] if isinstance(given, str) else list(given))
        if len(made) != count:
            raise InputError(
                "`configs` and `scores` differ in length",
                needs=f"{count} configurations, one per column of scores",
                got=str(len(made)),
            )
        return made

    @classmethod
    def _from_list(cls, items: list[object]) -> Configs:
        dicts = [item for item in items if isinstance(item, Mapping)]
        if not dicts:
            return cls(ids=tuple(str(item) for item in items))
        if len(dicts) < len(items):
            raise InputError(
                "`configs` mixes names and parameters",
                needs="names only, or parameter dicts only",
                got=f"{len(dicts)} dicts among {len(items)}",
                cure="To pass both, use Configs(ids=..., params=...).",
            )
        return cls(ids=_number_names(len(items)), params=tuple(dict(item) for item in dicts))

    def index(self, config: int | str) -> int:
        """Return the position of a configuration given by name or position."""
        if isinstance(config, str):
            if config not in self._places:
                raise InputError(
                    f"configuration {check.show(config)} is unknown",
                    needs=check.some(self.ids),
                    cure=check.nearest(config, self.ids),
                )
            return self._places[config]
        return check.whole_number("config", config, low=0, high=len(self) - 1)

    @cached_property
    def _places(self) -> dict[str, int]:
        """The position of each name: a search of all names for each of many would take hours."""
        return {name: place for place, name in enumerate(self.ids)}

    def take(self, columns: Sequence[int] | NDArray[np.intp]) -> Configs:
        """Return some of the configurations."""

        def part(values: tuple[T, ...] | None) -> tuple[T, ...] | None:
            return None if values is None else tuple(values[i] for i in columns)

        return Configs(
            ids=tuple(self.ids[i] for i in columns),
            params=part(self.params),
            complexity=part(self.complexity),
            static=self.static,
        )

    def simplicity_order(self) -> NDArray[np.intp]:
        """Return the positions from the simplest to the most complex, ties in the given order."""
        if self.complexity is None:
            return np.arange(len(self))
        return np.argsort(np.asarray(self.complexity), kind="stable")

    def with_complexity(self, complexity: ArrayLike) -> Configs:
        """Return the same configurations with a complexity rank."""
        ranks = tuple(float(v) for v in np.asarray(complexity, dtype=np.float64).ravel())
        return replace(self, complexity=ranks)


def _number_names(count: int) -> tuple[str, ...]:
    return tuple(f"c{i}" for i in range(count))
