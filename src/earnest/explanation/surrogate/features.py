"""Codes of configurations as the features of a surrogate, inactive parameters without a trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.space.parameters import ParameterKind
from earnest.core.space.space import Space

Floats = NDArray[np.float64]
MIDDLE = 0.5  # what an inactive number is set to: the same for all, so that it tells nothing


@dataclass(frozen=True)
class Features:
    """How the columns of a space become features, each belonging to one parameter.

    Numbers are one feature on [0, 1], the middle where inactive. Categories are one feature a
    level, scaled so that two different levels are at distance 1; all are 0 where inactive.
    Whether a number is active has a feature of its own only where no category tells it.

    Parameters
    ----------
    space : Space
        The space of the codes.
    group : ndarray, shape (D,)
        The column that each feature comes from; activity is a group of its own, beyond them.
    """

    space: Space
    group: NDArray[np.intp]

    @classmethod
    def of(cls, space: Space) -> Features:
        """Lay out the features of a space."""
        group: list[int] = []
        for j, parameter in enumerate(space):
            if parameter.varies:
                one = parameter.numeric or parameter.kind == ParameterKind.ORDINAL
                group += [j] * (1 if one else len(parameter.choices))
        group += [len(space) + j for j in _find_untold(space)]
        return cls(space, np.array(group, dtype=np.intp))

    @property
    def groups(self) -> NDArray[np.intp]:
        """The groups in order, each with a length scale of its own."""
        return np.unique(self.group)

    def __call__(self, codes: Floats) -> Floats:
        """Return codes (n, d) as features (n, D)."""
        active = self.space.active(codes)
        parts = [
            self._encode_column(j, np.where(active[:, j], codes[:, j], np.nan))
            for j, parameter in enumerate(self.space)
            if parameter.varies
        ]
        told = [active[:, j].astype(np.float64)[:, None] for j in _find_untold(self.space)]
        return np.concatenate([*parts, *told, np.empty((len(codes), 0))], axis=1)

    def columns(self, position: int) -> NDArray[np.intp]:
        """Return which features come from a column of the space."""
        return np.flatnonzero(self.group == position)

    def of_values(self, position: int, values: Floats) -> Floats:
        """Return the features of one column for codes at which it is active."""
        if not self.space.parameters[position].varies:
            return np.empty((len(values), 0))
        return self._encode_column(position, values)

    def _encode_column(self, position: int, column: Floats) -> Floats:
        parameter = self.space.parameters[position]
        inactive = np.isnan(column)
        if parameter.numeric or parameter.kind == ParameterKind.ORDINAL:
            return np.where(inactive, MIDDLE, column / parameter.top)[:, None]
        levels = np.arange(len(parameter.choices))
        return np.asarray((column[:, None] == levels) * np.sqrt(0.5))


def _find_untold(space: Space) -> list[int]:
    """Return the numbers and ordinals whose activity does not follow from categories alone."""
    one = [
        j
        for j, p in enumerate(space)
        if p.varies and (p.numeric or p.kind == ParameterKind.ORDINAL)
    ]
    return [j for j in one if not _is_told(space, j)]


def _is_told(space: Space, position: int) -> bool:
    condition = space.parameters[position].condition
    if condition is None:
        return True
    parents = [space[parent] for parent in condition.parents]
    return condition.share is None and all(p.kind == ParameterKind.CATEGORICAL for p in parents)
