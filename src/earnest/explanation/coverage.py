"""Which parts of the space only trials have that were stopped early and tell nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.results.base import Plain
from earnest.core.space.space import Space
from earnest.explanation.sampling_bias import show_short

Floats = NDArray[np.float64]
LEAST = 0.1  # of a range: less of it beyond the trials that inform is not worth a word


class Beyond(StrEnum):
    """Where an untested part lies."""

    BELOW = "below"  # a value
    ABOVE = "above"
    LEVEL = "level"  # of a category


@dataclass(frozen=True)
class Untested(Plain):
    """A part of a parameter's range with pruned trials that have no value, and no other trial.

    Attributes
    ----------
    param : str
        The parameter.
    beyond : Beyond
        Whether the part lies below or above a value, or is a level.
    limit : object
        The lowest or highest value of the trials that inform; or the level.
    n_pruned : int
        The pruned trials in it.
    """

    derived: ClassVar[tuple[str, ...]] = ("words",)

    param: str
    beyond: Beyond
    limit: object
    n_pruned: int

    @property
    def words(self) -> str:
        """The part in words."""
        value = show_short(self.limit)
        return value if self.beyond is Beyond.LEVEL else f"{self.beyond} {value}"

    def __str__(self) -> str:
        """Return the finding as a clause."""
        at = "at " if self.beyond is Beyond.LEVEL else ""
        return f"{self.param} is untested {at}{self.words}"


def find_untested(space: Space, informing: Floats, unused: Floats) -> tuple[Untested, ...]:
    """Return the parts that only unused trials have, those with the most such trials first.

    Parameters
    ----------
    space : Space
        What the codes mean.
    informing : ndarray of shape (N, d)
        Complete trials, and pruned ones with a value.
    unused : ndarray of shape (K, d)
        Pruned trials without a value.
    """
    ranges = [
        untested
        for column in range(len(space))
        if space[column].varies
        for untested in _find_parts(space, column, informing[:, column], unused[:, column])
    ]
    return tuple(sorted(ranges, key=lambda untested: -untested.n_pruned))


def _find_parts(space: Space, column: int, informing: Floats, unused: Floats) -> Iterator[Untested]:
    parameter = space[column]
    used = informing[~np.isnan(informing)]
    lost = unused[~np.isnan(unused)]
    if not len(used) or not len(lost):
        return
    if not parameter.numeric:
        for code in np.setdiff1d(lost, used):
            level = parameter.decode(np.array([code]))[0]
            yield Untested(parameter.name, Beyond.LEVEL, level, int((lost == code).sum()))
        return
    low, high = float(used.min()), float(used.max())
    for beyond, end, distance, count in (
        (Beyond.BELOW, low, low, int((lost < low).sum())),
        (Beyond.ABOVE, high, 1.0 - high, int((lost > high).sum())),
    ):
        if count and distance > LEAST:
            limit = parameter.decode(np.array([end]))[0]
            yield Untested(parameter.name, beyond, limit, count)
