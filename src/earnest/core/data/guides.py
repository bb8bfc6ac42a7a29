"""Which half of the cases guided an adaptive search, and which half may judge what it proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.target import Target, Task

Halves = NDArray[np.int8]

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


def split_halves(target: Target, folds: NDArray[np.int32], seeds: Seeds) -> Halves:
    """Deal the cases into two halves, alike in outcome and folds; groups stay together.

    Parameters
    ----------
    target : Target
        The outcome, and the groups if there are any.
    folds : ndarray, shape (n, R)
        The folds; the halves are balanced over those of the first repeat.
    seeds : Seeds
        The source of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> from earnest.core.data.guides import split_halves
    >>> y = np.tile([0, 1], 10)
    >>> pi = en.Predictions.from_arrays(y, y, np.arange(20) // 4)
    >>> halves = split_halves(pi.target, pi.folds, Seeds(0))
    >>> [int(halves[y == label].sum()) for label in (0, 1)]
    [5, 5]
    """
    rng = seeds.generator(Purpose.GUIDES)
    if target.groups is not None:
        return _halve_groups(target, folds, rng)
    outcome = np.asarray(target.y, dtype=np.float64)
    layers, value = (
        (target.y, rng.random(target.n)) if target.has_classes else (target.event, outcome)
    )
    layers = np.zeros(target.n) if layers is None else layers
    order = np.lexsort((value, folds[:, 0], layers))
    return _deal_pairs(order, rng)


def _deal_pairs(order: NDArray[np.intp], rng: np.random.Generator) -> Halves:
    """Give the two of each pair of neighbours to different halves."""
    first = rng.integers(0, 2, size=(len(order) + 1) // 2)
    codes = np.stack([first, 1 - first], axis=1).ravel()[: len(order)]
    halves = np.empty(len(order), dtype=np.int8)
    halves[order] = codes
    return halves


def _halve_groups(target: Target, folds: NDArray[np.int32], rng: np.random.Generator) -> Halves:
    """Deal whole groups, the largest first, each to the half that lacks cases like its own."""
    assert target.groups is not None
    _, groups = np.unique(target.groups, return_inverse=True)
    labels = _find_layers(target)
    kinds = np.unique(np.stack([labels, folds[:, 0]], axis=1), axis=0, return_inverse=True)[1]
    kinds = kinds.ravel()
    n_groups, n_labels, n_kinds = groups.max() + 1, labels.max() + 1, kinds.max() + 1
    by_label = np.zeros((n_groups, n_labels))
    by_kind = np.zeros((n_groups, n_kinds))
    np.add.at(by_label, (groups, labels), 1.0)
    np.add.at(by_kind, (groups, kinds), 1.0)
    features = np.hstack([by_label.sum(axis=1, keepdims=True), by_label, by_kind])
    order = np.lexsort((rng.random(n_groups), -features[:, 0]))
    surplus = np.zeros(features.shape[1])  # of half 1 over half 0
    codes = np.empty(n_groups, dtype=np.int8)
    for group in order.tolist():
        leaning = float(surplus @ features[group])
        code = int(rng.integers(0, 2)) if leaning == 0.0 else int(leaning < 0.0)
        codes[group] = code
        surplus += features[group] * (2 * code - 1)
    return np.asarray(codes[groups])


def _find_layers(target: Target) -> NDArray[np.intp]:
    """Return the class of each case, its event, or whether its number is above the median."""
    if target.has_classes:
        return np.asarray(target.y, dtype=np.intp)
    if target.task is Task.SURVIVAL and target.event is not None:
        return np.asarray(target.event, dtype=np.intp)
    return np.asarray(target.y > np.median(target.y), dtype=np.intp)
