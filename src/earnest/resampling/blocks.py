"""Bootstraps of cases in time order: blocks of times in a row, drawn with replacement.

Cases of one time go in or out together. The times stand in their order, whatever the order of the
rows, and gaps between them are not seen.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.data.target import Target
from earnest.core.data.weights import Unit
from earnest.core.text.doors import arg
from earnest.resampling.bootstrap import RESAMPLERS, CountBootstrap, Drawer


@dataclass(frozen=True)
class BlockBootstrap(CountBootstrap):
    """The base of bootstraps of blocks.

    Parameters
    ----------
    length : int, optional
        How many times a block has, or has on average. By default that of the losses of the winner,
        by the rule of Politis and White; without losses the cube root of the number of times.
    """

    name: ClassVar[str] = ""
    unit: ClassVar[Unit] = Unit.BLOCK
    length: int | None = None

    def __post_init__(self) -> None:
        """Check the length."""
        if self.length is not None:
            check.whole_number("length", self.length, low=1)

    def find_length(self, target: Target) -> int:
        """Return the length of blocks for these cases, at most a third of their times."""
        times = 0 if target.order is None else len(np.unique(target.order))
        length = self.length
        if length is None and target.dependence is not None:
            length = target.dependence.block_length
        if length is None:
            length = math.ceil(times ** (1 / 3))
        return max(1, min(length, times // 3))

    def _make_drawer(self, target: Target, rng: np.random.Generator) -> Drawer:
        if target.order is None:
            raise EvidenceError(
                f"resampler {self.name!r} needs the order of the cases",
                got="predictions without an order",
                cure=f"Pass {arg('when')}, or use resampler 'case'.",
            )
        codes = np.unique(target.order, return_inverse=True)[1].reshape(-1)
        times, length = int(codes.max()) + 1, self.find_length(target)
        plain = bool((codes == np.arange(times)).all()) if len(codes) == times else False

        def draw(k: int) -> NDArray[np.integer]:
            counts = self._count_times(rng, times, length, k)
            return counts if plain else counts[:, codes]

        return draw

    @abstractmethod
    def _count_times(
        self, rng: np.random.Generator, times: int, length: int, k: int
    ) -> NDArray[np.integer]:
        """Return how often each of k resamples has each time: (k, times)."""


def cover(starts: NDArray[np.integer], length: int, rest: int, times: int) -> NDArray[np.int64]:
    """Return how often blocks cover each time (k, times); the last one is as short as `rest`.

    A block begins at its start and goes on at the first time where it reaches the last. Each adds 1
    from its start and takes it away from its end, and a running sum counts.
    """
    k, blocks = starts.shape
    sizes = np.full(blocks, length)
    sizes[-1] = rest
    first = starts + (np.arange(k) * 2 * times)[:, None]
    begun, ended = (
        np.bincount(edge.ravel(), minlength=2 * times * k).reshape(k, 2 * times)
        for edge in (first, first + sizes)
    )
    counts = np.cumsum(begun - ended, axis=1)
    return np.asarray(counts[:, :times] + counts[:, times:])


@dataclass(frozen=True)
class MovingBlockBootstrap(BlockBootstrap):
    """Draw blocks of a fixed length that lie within the times, until there are as many times.

    Künsch 1989. The first and the last times are in fewer blocks than those between.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.resampling import MovingBlockBootstrap
    >>> target = en.Predictions.from_arrays(np.arange(9.0), np.ones((9, 1)), when=True).target
    >>> drawn = MovingBlockBootstrap(3).draw(target, 1, np.random.default_rng(0), None)
    >>> int(drawn.values.sum())
    9
    """

    name: ClassVar[str] = "moving_block"

    def _count_times(
        self, rng: np.random.Generator, times: int, length: int, k: int
    ) -> NDArray[np.integer]:
        blocks = -(-times // length)
        starts = rng.integers(0, times - length + 1, (k, blocks))
        return cover(starts, length, times - (blocks - 1) * length, times)


@dataclass(frozen=True)
class CircularBlockBootstrap(BlockBootstrap):
    """Draw blocks of a fixed length, in which the first time follows the last.

    Politis and Romano 1992. All times are in as many blocks.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.random.default_rng(1).standard_normal(60).cumsum()
    >>> pi = en.Predictions.from_arrays(y, y[:, None] + [0.5, 0.6], when=True)
    >>> en.estimate(pi, metric="mae", rng=0).dependence.n_times
    60
    """

    name: ClassVar[str] = "circular_block"

    def _count_times(
        self, rng: np.random.Generator, times: int, length: int, k: int
    ) -> NDArray[np.integer]:
        blocks = -(-times // length)
        starts = rng.integers(0, times, (k, blocks))
        return cover(starts, length, times - (blocks - 1) * length, times)


@dataclass(frozen=True)
class StationaryBootstrap(BlockBootstrap):
    """Draw blocks of geometric lengths with this mean, in which the first time follows the last.

    Politis and Romano 1994. The resampled series is stationary.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.resampling import StationaryBootstrap
    >>> target = en.Predictions.from_arrays(np.arange(9.0), np.ones((9, 1)), when=True).target
    >>> drawn = StationaryBootstrap(3).draw(target, 1, np.random.default_rng(0), None)
    >>> int(drawn.values.sum())
    9
    """

    name: ClassVar[str] = "stationary"

    def _count_times(
        self, rng: np.random.Generator, times: int, length: int, k: int
    ) -> NDArray[np.integer]:
        fresh = rng.random((k, times)) < 1.0 / length
        fresh[:, 0] = True
        starts = rng.integers(0, times, (k, times))
        steps = np.arange(times)
        since = np.maximum.accumulate(np.where(fresh, steps, 0), axis=1)
        drawn = (np.take_along_axis(starts, since, axis=1) + steps - since) % times
        drawn += (np.arange(k) * times)[:, None]
        return np.bincount(drawn.ravel(), minlength=k * times).reshape(k, times)


for _resampler in (MovingBlockBootstrap(), CircularBlockBootstrap(), StationaryBootstrap()):
    RESAMPLERS.add(_resampler.name, _resampler)
