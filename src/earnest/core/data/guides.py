"""Which half of the cases guided an adaptive search, and which half may judge what it proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError

FIXED = -1  # in place of a half, for a configuration that no score has guided
_MARKS = {"0": 0, "1": 1, "-": FIXED}


@dataclass(frozen=True, eq=False)
class Guides:
    """The half that each case belongs to, and the half that guided each configuration.

    A sampler that is told the scores of one half of the cases knows nothing of the other half. So
    the other half judges what it proposed as if it had been fixed in advance.

    Parameters
    ----------
    halves : ndarray of int8, shape (n,)
        The half of each case, 0 or 1.
    guided_by : ndarray of int8, shape (C,)
        The half whose scores the sampler of each configuration was told, -1 where it was told none.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.data.guides import Guides
    >>> guides = Guides(np.array([0, 1, 0, 1], np.int8), np.array([0, 1, -1], np.int8))
    >>> guides.judges([0, 2]).astype(int)
    array([[0, 1, 0, 1],
           [1, 1, 1, 1]])
    """

    halves: NDArray[np.int8]
    guided_by: NDArray[np.int8]

    def __post_init__(self) -> None:
        """Refuse halves that are not two, and guides that are no half."""
        if not np.isin(self.halves, (0, 1)).all() or not np.isin(self.guided_by, (-1, 0, 1)).all():
            raise InputError(
                "the guides of a search cannot be read",
                needs="0 or 1 for every case, and 0, 1 or -1 for every configuration",
                got=f"{sorted(set(self.halves.tolist()))}, {sorted(set(self.guided_by.tolist()))}",
            )

    @classmethod
    def of_text(cls, halves: str, guided_by: str) -> Self:
        """Read guides from what `to_text` writes."""
        try:
            codes = [np.array([_MARKS[mark] for mark in text]) for text in (halves, guided_by)]
        except KeyError as error:
            raise InputError(
                "the guides of a search cannot be read",
                needs="a text of '0', '1' and '-'",
                got=f"{error.args[0]!r}",
            ) from error
        return cls(*(code.astype(np.int8) for code in codes))

    def to_text(self) -> tuple[str, str]:
        """Return the halves and the guides as text, one mark each."""
        marks = {code: mark for mark, code in _MARKS.items()}
        return (
            "".join(marks[code] for code in self.halves.tolist()),
            "".join(marks[code] for code in self.guided_by.tolist()),
        )

    @property
    def guided(self) -> bool:
        """Whether a score has guided any configuration."""
        return bool((self.guided_by >= 0).any())

    def judges(self, columns: NDArray[np.intp] | list[int]) -> NDArray[np.bool_]:
        """Return which cases may judge each of some configurations: (len(columns), n).

        A column below 0 stands for no configuration, which every case may judge.
        """
        places = np.asarray(columns, dtype=np.intp)
        codes = np.where(places < 0, FIXED, self.guided_by[places])
        return np.asarray(self.halves[None, :] != codes[:, None])

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return the guides of some of the cases."""
        return type(self)(self.halves[rows], self.guided_by)

    def select(self, columns: list[int] | NDArray[np.intp]) -> Self:
        """Return the guides of some of the configurations."""
        return type(self)(self.halves, self.guided_by[columns])
