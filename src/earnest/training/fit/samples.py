"""Bootstrap samples to train on: which cases each draws, and which samples are drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.replicates import Drawn
from earnest.core.data.target import Target
from earnest.resampling.bootstrap import (
    RESAMPLERS,
    Accept,
    every_class_drawn,
    every_class_on_both_sides,
    something_out_of_bag,
)

ALL_CASES = -1  # the place of the model that is trained on every case once


@dataclass(frozen=True, eq=False, kw_only=True)
class Samples:
    """The bootstrap samples of a run, each from a stream of its own.

    Parameters
    ----------
    target : Target
        The outcome.
    drawn : Drawn
        What is drawn: cases, cases of each class apart, or groups.
    both_sides : bool
        Whether every class must be left out too, not only drawn.
    seed : int
        The root of all draws.
    """

    target: Target
    drawn: Drawn
    both_sides: bool
    seed: int

    def draw_counts(self, sample: int) -> NDArray[np.uint8]:
        """Return how often a sample draws each case: (n,)."""
        rng = Seeds(self.seed).generator(Purpose.REPLICATES, sample)
        drawn = RESAMPLERS[str(self.drawn)].draw(self.target, 1, rng, self._accept)
        return np.asarray(drawn.values[0], dtype=np.uint8)

    def find_rows(self, place: int) -> tuple[NDArray[np.intp], None]:
        """Return the rows that a sample trains on, copies in a row; it answers for every case."""
        every = np.arange(self.target.n)
        return every if place == ALL_CASES else np.repeat(every, self.draw_counts(place)), None

    @cached_property
    def _accept(self) -> Accept:
        return _choose_rule(self.target, both_sides=self.both_sides)


def _choose_rule(target: Target, *, both_sides: bool) -> Accept:
    """Return which samples are kept: something is left out, and every class is drawn.

    Of a survival outcome an event must be drawn: nothing could be learned from a sample without.
    """
    if not target.has_classes and target.event is None:
        return something_out_of_bag
    if target.event is not None:
        whole: Accept = partial(_has_any_drawn, rows=np.flatnonzero(target.event))
    else:
        whole = every_class_on_both_sides(target) if both_sides else every_class_drawn(target)

    def accepted(counts: NDArray[np.integer]) -> NDArray[np.bool_]:
        return np.asarray(something_out_of_bag(counts) & whole(counts))

    return accepted


def _has_any_drawn(counts: NDArray[np.integer], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    return np.asarray((counts[:, rows] > 0).any(axis=1))
