"""What the samplers of a crossed search saw of their best so far, and what the other half says.

Each sampler is told the scores of one half of the cases. The best of its proposals by these scores
looks better and better; the half that it was not told of says how much of that is luck.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_table
from earnest.metrics.families import Array, Metric
from earnest.metrics.responding import pick_answer


@dataclass(frozen=True, eq=False)
class HalfCurves:
    """The best so far of both samplers, on the half that each was told and on the other one.

    Attributes
    ----------
    tried : ndarray of int, shape (E,)
        How many configurations had been tried, from where both samplers had been told a score.
    guiding, judging : ndarray, shape (2, E)
        For each sampler the score of its best so far on the half that it was told, by which it is
        the best, and that of the same configuration on the other half.
    """

    tried: NDArray[np.intp]
    guiding: Array
    judging: Array

    @property
    def means(self) -> Array:
        """The means over both samplers, of the half that guided and of the one that judges."""
        return np.stack([self.guiding.mean(axis=0), self.judging.mean(axis=0)])


def trace_halves(pi: Predictions, metric: Metric) -> HalfCurves | None:
    """Return the curves of a crossed search, None where no half guided each of two samplers.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import replace
    >>> import earnest as en
    >>> from earnest.core.data.guides import Guides
    >>> from earnest.inference.curves.halves import trace_halves
    >>> answers = [[0, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 1, 1]]
    >>> pi = en.Predictions.from_arrays([0, 0, 1, 1], answers, response="label")
    >>> guides = Guides(np.array([0, 1, 0, 1], np.int8), np.array([0, 1, 0, 1], np.int8))
    >>> curves = trace_halves(replace(pi, guides=guides), en.metric("accuracy"))
    >>> curves.tried.tolist(), curves.guiding.tolist(), curves.judging.tolist()
    ([2, 3, 4], [[1.0, 1.0, 1.0], [0.0, 0.0, 0.5]], [[0.5, 0.5, 0.5], [0.0, 0.0, 0.5]])
    """
    if pi.guides is None:
        return None
    pi = pick_answer(pi, metric).usable()
    guides = pi.guides
    assert guides is not None
    masks = np.stack([guides.halves == half for half in (0, 1)])
    if not masks.any(axis=1).all():
        return None
    scores = score_table(pi, metric, Weights(masks.astype(np.uint8)))  # (2, C)
    guiding, judging = (np.full((2, pi.n_configs), np.nan) for _ in range(2))
    for half in (0, 1):
        best = -1
        for column in range(pi.n_configs):
            mine = metric.sign * scores[half, column]
            if guides.guided_by[column] == half and not np.isnan(mine):
                leads = best < 0 or mine > metric.sign * scores[half, best]
                best = column if leads else best
            if best >= 0:
                guiding[half, column], judging[half, column] = (
                    scores[half, best],
                    scores[1 - half, best],
                )
    places = np.flatnonzero(~np.isnan(guiding).any(axis=0))
    if len(places) == 0:
        return None
    return HalfCurves(places + 1, guiding[:, places], judging[:, places])
