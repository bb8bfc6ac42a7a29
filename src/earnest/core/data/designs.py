"""Evidence of several cross-validations that belong together: nested, and of halves."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target


@dataclass(frozen=True, eq=False)
class NestedPredictions:
    """An outer cross-validation, and one within each of its training parts.

    Parameters
    ----------
    outer : Predictions
        One column: each fold predicted by a model of the others.
    inner : tuple of tuple of Predictions
        For every repeat and every outer fold the predictions of the remaining folds, each by a
        model that saw neither it nor the outer fold, whose own cases are untested.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.data.designs import NestedPredictions
    >>> y, fold = np.arange(6.0), np.array([0, 0, 1, 1, 2, 2])
    >>> outer = en.Predictions.from_arrays(y, y + 1, fold)
    >>> inner = tuple(
    ...     en.Predictions.from_arrays(
    ...         y, np.where(fold == k, np.nan, y), np.where(fold == k, -1, fold)
    ...     )
    ...     for k in range(3)
    ... )
    >>> NestedPredictions(outer, (tuple(inner),)).n_cases
    6
    """

    outer: Predictions
    inner: tuple[tuple[Predictions, ...], ...]

    def __post_init__(self) -> None:
        """Refuse inner predictions that do not belong to the outer ones."""
        counts = [len(names) for names in self.outer.fold_names]
        if [len(row) for row in self.inner] != counts:
            raise EvidenceError(
                "inner and outer predictions do not match",
                needs=f"inner predictions of {counts} folds, one per repeat and outer fold",
                got=f"{[len(row) for row in self.inner]}",
            )
        for repeat, row in enumerate(self.inner):
            for fold, predictions in enumerate(row):
                held_out = self.outer.folds[:, repeat] == fold
                tested = (
                    predictions.n_cases == len(held_out) and predictions.tested(0)[held_out].any()
                )
                if predictions.n_cases != len(held_out) or tested:
                    raise EvidenceError(
                        f"the inner predictions of fold {fold} do not belong to the other folds",
                        needs="the same cases, except those of the outer fold",
                        got="cases of the outer fold" if tested else f"{predictions.n_cases} cases",
                    )

    @property
    def predictions(self) -> Predictions:
        """What a question is checked by: the outer predictions."""
        return self.outer

    @property
    def target(self) -> Target:
        """The outcome."""
        return self.outer.target

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self.outer.n_cases

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all content."""
        return join_fingerprints(
            [self.outer, *(predictions for row in self.inner for predictions in row)]
        )


@dataclass(frozen=True, eq=False)
class PairedHalves:
    """Random splits of all cases, and of the two halves of them, several times.

    Parameters
    ----------
    whole : Predictions
        One column; each repeat is one random split of all cases.
    halves : tuple of pairs of Predictions
        Each pair parts the cases in two; each member has random splits of its own half, with test
        sets of the same size as those of `whole`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.arange(8.0)
    >>> fold, first = np.arange(8) % 2, np.arange(8) < 4
    >>> def half(mine):
    ...     return en.Predictions.from_arrays(
    ...         y, np.where(mine, y, np.nan), np.where(mine, fold, -1)
    ...     )
    >>> whole = en.Predictions.from_arrays(y, y + 1, fold)
    >>> en.PairedHalves(whole, ((half(first), half(~first)),)).n_cases
    8
    """

    whole: Predictions
    halves: tuple[tuple[Predictions, Predictions], ...]

    def __post_init__(self) -> None:
        """Refuse halves that share cases, and no halves at all."""
        if not self.halves:
            raise EvidenceError("there are no halves", needs="at least one pair")
        for first, second in self.halves:
            tested = [
                np.any([half.tested(r) for r in range(half.n_repeats)], axis=0)
                for half in (first, second)
            ]
            if len(tested[0]) != len(tested[1]) or (tested[0] & tested[1]).any():
                raise EvidenceError(
                    "two halves test the same cases", needs="halves without common cases"
                )

    @property
    def predictions(self) -> Predictions:
        """What a question is checked by: the predictions of all cases."""
        return self.whole

    @property
    def target(self) -> Target:
        """The outcome."""
        return self.whole.target

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self.whole.n_cases

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all content."""
        return join_fingerprints([self.whole, *(half for pair in self.halves for half in pair)])


def join_fingerprints(parts: list[Predictions]) -> str:
    """Return a hash of several tables of predictions, in their order."""
    digest = hashlib.sha256()
    for predictions in parts:
        digest.update(predictions.fingerprint.encode())
    return digest.hexdigest()[:32]
