"""Which models the methods of an assessment need, so that each is trained once."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from earnest.core.base.errors import InputError
from earnest.core.base.rng import Seeds
from earnest.core.data.target import Target
from earnest.training.fit.splits import (
    Splits,
    halve_and_split,
    leave_out_pairs,
    leave_out_singles,
    make_folds,
    split_once,
)


class Block(IntEnum):
    """What a split is for; the number is the first part of its key and never changes."""

    FOLDS = 0
    PAIRS = 1
    SINGLES = 2
    HOLDOUT = 3
    WHOLE = 4
    HALVES = 5


@dataclass(frozen=True, kw_only=True)
class TrainingNeeds:
    """What one or several methods need to be trained.

    Attributes
    ----------
    folds : int
        How many repeats of the folds.
    pairs : int
        In how many of these repeats two folds are left out at a time, too.
    singles : bool
        Whether every case is left out alone.
    holdout : float
        The share of cases that one split tests; 0 for none.
    subsamples, halvings : int
        How many random splits of all cases and of each half, and how often cases are halved.
    share : float
        The share of cases that a random split tests.
    replicates : bool
        Whether bootstrap samples are trained on.
    """

    folds: int = 0
    pairs: int = 0
    singles: bool = False
    holdout: float = 0.0
    subsamples: int = 0
    halvings: int = 0
    share: float = 0.1
    replicates: bool = False

    def __or__(self, other: TrainingNeeds) -> TrainingNeeds:
        """Return what both need."""
        if self.holdout and other.holdout and self.holdout != other.holdout:
            raise InputError(
                "two hold-outs of different size cannot share a split",
                needs="one share of cases that score",
                got=f"{self.holdout:g} and {other.holdout:g}",
            )
        return TrainingNeeds(
            folds=max(self.folds, other.folds),
            pairs=max(self.pairs, other.pairs),
            singles=self.singles or other.singles,
            holdout=max(self.holdout, other.holdout),
            subsamples=max(self.subsamples, other.subsamples),
            halvings=max(self.halvings, other.halvings),
            share=other.share if other.subsamples else self.share,
            replicates=self.replicates or other.replicates,
        )

    @property
    def splits(self) -> bool:
        """Whether anything but bootstrap samples is trained on."""
        return bool(self.folds or self.singles or self.holdout or self.subsamples)


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """All splits of an assessment by what they are for.

    Attributes
    ----------
    blocks : dict
        The splits of each block; those of FOLDS carry repeats and folds as Π has them, the others
        one repeat a group of splits.
    rounds : int
        How often the splitter was asked; one like ShuffleSplit makes several repeats at a time.
    """

    blocks: dict[Block, Splits] = field(default_factory=dict)
    rounds: int = 1

    def repeats(self, rounds: int) -> int:
        """Return how many repeats of Π the folds have after so many rounds of the splitter."""
        return rounds * self.blocks[Block.FOLDS].n_repeats // self.rounds

    def tasks(self) -> list[tuple[tuple[int, int, int], int]]:
        """Return the key of every split and its position in `every`."""
        keys = [
            (int(block), repeat, fold)
            for block, splits in self.blocks.items()
            for repeat, fold in zip(splits.repeat, splits.fold, strict=True)
        ]
        return [(key, i) for i, key in enumerate(keys)]

    @property
    def every(self) -> Splits:
        """All splits in a row."""
        parts = list(self.blocks.values())
        return Splits(
            train=tuple(rows for part in parts for rows in part.train),
            test=tuple(rows for part in parts for rows in part.test),
            repeat=tuple(place for part in parts for place in part.repeat),
            fold=tuple(place for part in parts for place in part.fold),
            n_cases=parts[0].n_cases,
        )


def make_plan(
    needs: TrainingNeeds, cv: object, X: object, y: object, target: Target, seeds: Seeds
) -> SplitPlan:
    """Return the splits of what is needed; each purpose draws from a stream of its own."""
    blocks: dict[Block, Splits] = {}
    if needs.folds:
        blocks[Block.FOLDS] = make_folds(cv, X, y, target, needs.folds, seeds)
    if needs.pairs:
        made = SplitPlan(blocks, max(1, needs.folds)).repeats(needs.pairs)
        blocks[Block.PAIRS] = leave_out_pairs(blocks[Block.FOLDS], made)
    if needs.singles:
        blocks[Block.SINGLES] = leave_out_singles(target.n)
    if needs.holdout:
        blocks[Block.HOLDOUT] = split_once(needs.holdout, target, seeds)
    if needs.subsamples:
        blocks[Block.WHOLE], blocks[Block.HALVES] = halve_and_split(
            target, seeds, subsamples=needs.subsamples, halvings=needs.halvings, share=needs.share
        )
    return SplitPlan(blocks, max(1, needs.folds))
