"""The library's confidence bound, with its minimum looked for as in the published searches.

Those look at 1000 random points, halve the box around the best of them, look again, five times;
all that three times. Climbing along gradients, as the library does, goes to corners and faces of
the space that such a search never touches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from bayes_opt.acquisition import UpperConfidenceBound
from numpy.typing import NDArray

Floats = NDArray[np.float64]
POINTS, ROUNDS, RESTARTS = 1000, 5, 3


class FocusedBound(UpperConfidenceBound):
    """The bound, minimised by a search that focuses."""

    def _acq_min(
        self, acq: Any, space: Any, random_state: Any, n_random: int = 0, n_smart: int = 0
    ) -> Floats:
        lows, highs = space.bounds.T
        best, lowest = lows, np.inf
        for _ in range(RESTARTS):
            low, high = lows, highs
            for _ in range(ROUNDS):
                points = random_state.uniform(low, high, (POINTS, len(lows)))
                values = acq(points)
                here = points[values.argmin()]
                if values.min() < lowest:
                    best, lowest = here, values.min()
                quarter = (high - low) / 4
                low, high = np.maximum(low, here - quarter), np.minimum(high, here + quarter)
        return np.asarray(best, dtype=np.float64)
