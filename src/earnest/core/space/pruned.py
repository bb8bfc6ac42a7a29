"""What a pruned trial tells: its last value, carried to the end as complete trials went on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
IntermediateValues: TypeAlias = Mapping[int, float]  # what a trial reported, by step

FEWEST_PAIRS = 5  # complete trials with a value at a step, below which it is not compared
FAR = 50.0  # robust standard deviations: a value that is further away counts as that far
NORMAL_MAD = 1.4826  # standard deviations in a median absolute deviation of a normal law
SAME = 1e-9  # relative difference of an objective and the mean of what its trial reported


@dataclass(frozen=True)
class CarriedValues:
    """Objectives that pruned trials would have had, and how uncertain they are.

    Attributes
    ----------
    objective : ndarray, shape (n,)
        The objective of complete trials, the carried value of pruned ones, NaN without one.
    added_sd : ndarray, shape (n,)
        The sd of a carried value around the objective it stands for; 0 for complete trials.
    """

    objective: Floats
    added_sd: Floats


def carry_to_end(
    objective: Floats, pruned: NDArray[np.bool_], paths: Sequence[IntermediateValues]
) -> CarriedValues:
    """Estimate the objective of pruned trials from their last value.

    A trial that ended at step s is compared with complete trials at the same step. Its objective
    is its value plus the mean of what complete trials gained from step s to their end, and the
    variance is that of these gains, times 1 + 1/m for their mean over m trials. Where values are
    running means over S folds, the gain removes how hard the first s folds are, and its variance
    is that of a mean of s folds around the mean of all. Where steps are epochs, the gain is what
    is still learned after s.

    What it assumes: that intermediate values are in the units of the objective, and that a pruned
    trial would have gained as complete ones did. When it fails: slow starters end better than this
    says; and complete trials were kept because their value at s was good, partly by luck, so that
    carried values are a little too bad, by less than `added_sd`. A step is not used if fewer than
    five complete trials have a value there. A value that is 50 robust standard deviations away
    from the median at its step, such as a loss that diverged, counts as that far away.

    Parameters
    ----------
    objective : ndarray, shape (n,)
        Finite for complete trials; those of others are not read.
    pruned : ndarray of bool, shape (n,)
        Which trials were pruned.
    paths : sequence of mapping
        What each trial reported, by step. Where the objective of every complete trial is the mean
        of what it reported, values are those of single folds, and their running means are read.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.space.pruned import carry_to_end
    >>> finals = np.array([0.7, 0.8, 0.9, 0.8, 0.7, np.nan])
    >>> paths = [{1: v - 0.1, 2: v} for v in finals[:5]] + [{1: 0.2}]
    >>> carried = carry_to_end(finals, np.arange(6) == 5, paths)
    >>> carried.objective[5].round(6).item(), carried.added_sd[5].round(6).item()
    (0.3, 0.0)
    """
    complete = np.isfinite(objective) & ~pruned
    tracks = [_Track.of(path) for path in paths]
    if _are_single_folds(objective, complete, tracks):
        tracks = [track.average() for track in tracks]
    values = np.where(complete, objective, np.nan)
    added = np.where(complete, 0.0, np.nan)
    ends = {i: tracks[i].steps[-1] for i in np.flatnonzero(pruned).tolist() if tracks[i].ends_well}
    for step in sorted(set(ends.values())):
        at_step = np.array([track.read(step) for track in tracks])  # (n,), NaN if never there
        pairs = complete & np.isfinite(at_step)
        count = int(pairs.sum())
        if count < FEWEST_PAIRS:
            continue
        gains = objective[pairs] - at_step[pairs]
        later = [i for i, end in ends.items() if end >= step]
        limits = _find_limits(at_step[[*np.flatnonzero(pairs), *later]])
        here = [i for i, end in ends.items() if end == step]
        values[here] = np.clip(at_step[here], *limits) + gains.mean()
        added[here] = np.sqrt(np.var(gains, ddof=1) * (1 + 1 / count))
    return CarriedValues(values, added)


@dataclass(frozen=True)
class _Track:
    """The steps of a trial in order, and its values there."""

    steps: tuple[int, ...]
    values: tuple[float, ...]

    @classmethod
    def of(cls, path: IntermediateValues) -> _Track:
        items = sorted(path.items())
        return cls(tuple(step for step, _ in items), tuple(float(value) for _, value in items))

    @property
    def ends_well(self) -> bool:
        """Whether there is a last value, and it is a number."""
        return bool(self.values) and bool(np.isfinite(self.values[-1]))

    def read(self, step: int) -> float:
        """Return the last value up to a step, NaN if there is none."""
        position = bisect_right(self.steps, step)
        return self.values[position - 1] if position else np.nan

    def average(self) -> _Track:
        """Return the running means."""
        sums = accumulate(self.values)
        return _Track(self.steps, tuple(total / (i + 1) for i, total in enumerate(sums)))


def _find_limits(values: Floats) -> tuple[float, float]:
    """Return how far values may be from their median; anywhere if most of them are the same."""
    middle = float(np.median(values))
    reach = FAR * NORMAL_MAD * float(np.median(np.abs(values - middle))) or np.inf
    return middle - reach, middle + reach


def _are_single_folds(
    objective: Floats, complete: NDArray[np.bool_], tracks: Sequence[_Track]
) -> bool:
    """Tell whether complete trials' objectives are the means, not the last, of their values."""
    pairs = [
        (float(objective[i]), tracks[i].values)
        for i in np.flatnonzero(complete).tolist()
        if tracks[i].values
    ]
    if not pairs or all(_are_same(value, path[-1]) for value, path in pairs):
        return False
    return all(_are_same(value, float(np.mean(path))) for value, path in pairs)


def _are_same(first: float, second: float) -> bool:
    return bool(np.isclose(first, second, rtol=SAME, atol=0.0))
