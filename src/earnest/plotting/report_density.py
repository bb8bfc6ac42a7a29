"""A smooth density of resampled scores, within the range of the metric."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def smooth_density(
    draws: Sequence[float] | np.ndarray, low: float, high: float, limits: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a Gaussian kernel density on an axis, or None where all draws are equal.

    The bandwidth is Silverman's. What the kernel carries beyond a limit of the metric is folded
    back. Draws are counted in fine cells first, so that a million cost no more than a thousand.
    """
    values = np.asarray(draws, dtype=np.float64)
    values = values[np.isfinite(values)]
    if len(values) < 2 or not np.ptp(values) > 1e-12 * max(abs(low), abs(high), 1e-300):
        return None
    spread = float(np.std(values, ddof=1))
    quarter = float(np.subtract(*np.percentile(values, [75, 25]))) / 1.34
    width = 0.9 * (min(spread, quarter) if quarter > 0 else spread) * len(values) ** -0.2
    folded = [values]
    folded += [2 * limit - values for limit in limits if math.isfinite(limit)]
    width = max(width, (high - low) / 400)
    cells = 800
    reach = 4 * width
    counts, edges = np.histogram(
        np.concatenate(folded), bins=cells, range=(low - reach, high + reach)
    )
    middles = 0.5 * (edges[1:] + edges[:-1])
    grid = np.linspace(low, high, 161)
    kernel = np.exp(-0.5 * ((grid[:, None] - middles) / width) ** 2)
    heights = kernel @ counts
    outside = (grid < limits[0]) | (grid > limits[1])
    heights[outside] = 0.0
    return grid, heights / heights.max() if heights.max() > 0 else heights
