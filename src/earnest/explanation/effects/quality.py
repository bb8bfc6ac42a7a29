"""How good a curve is: its confidence, its confidence at the optimum, its likelihood of the truth.

The measures of Moosbauer et al. 2021, section 6. All take a curve on a grid as arrays.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.provenance import finite

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CurveQuality:
    """The quality of a curve, lower is better throughout.

    Attributes
    ----------
    mean_confidence : float
        MC: the mean over the grid of the curve's sd.
    optimum_confidence : float or None
        OC: its sd at the grid value nearest to the best configuration's; None where that has no
        value.
    nll : float or None
        The mean negative log-likelihood of the true curve; None where no truth is known.
    """

    mean_confidence: float
    optimum_confidence: float | None = None
    nll: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {name: finite(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class QualityGain:
    """The quality over the whole space, in the region of the best configuration, and the gain.

    Gains are shares: 0.3 is a band 30 % narrower. The gain of the NLL is relative to its absolute
    value, which can be near 0.
    """

    overall: CurveQuality
    region: CurveQuality

    @property
    def mean_confidence(self) -> float:
        """The share by which the mean band is narrower."""
        return relative_gain(self.overall.mean_confidence, self.region.mean_confidence)

    @property
    def optimum_confidence(self) -> float | None:
        """The share by which the band at the optimum is narrower."""
        return _read_gain(self.overall.optimum_confidence, self.region.optimum_confidence)

    @property
    def nll(self) -> float | None:
        """The share by which the truth is more likely."""
        return _read_gain(self.overall.nll, self.region.nll)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "overall": self.overall.to_dict(),
            "region": self.region.to_dict(),
            "gain": {
                "mean_confidence": finite(self.mean_confidence),
                "optimum_confidence": finite(self.optimum_confidence),
                "nll": finite(self.nll),
            },
        }


def mean_confidence(sd: Floats) -> float:
    """Return MC, the mean sd over the grid; values that do not exist are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.effects.quality import mean_confidence
    >>> mean_confidence(np.array([0.5, 1.5]))
    1.0
    """
    known = sd[~np.isnan(sd)]
    return float(known.mean()) if len(known) else math.nan


def optimum_confidence(sd: Floats, codes: Floats, optimum: float) -> float | None:
    """Return OC, the sd at the grid value nearest to the optimum's, the first of two as near."""
    if math.isnan(optimum):
        return None
    return float(sd[int(np.argmin(np.abs(codes - optimum)))])


def negative_log_likelihood(truth: Floats, mean: Floats, sd: Floats) -> float:
    """Return the mean over the grid of -log N(truth; mean, sd); infinite where the sd is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.effects.quality import negative_log_likelihood
    >>> round(negative_log_likelihood(np.zeros(3), np.zeros(3), np.ones(3)), 4)
    0.9189
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        each = 0.5 * np.log(2 * np.pi * sd**2) + 0.5 * ((truth - mean) / sd) ** 2
    certain = np.where(truth == mean, -np.inf, np.inf)
    known = ~np.isnan(truth) & ~np.isnan(mean)
    return float(np.mean(np.where(sd == 0, certain, each)[known]))


def relative_gain(before: float, after: float) -> float:
    """Return by which share `after` is lower than `before`, relative to the size of `before`."""
    if before == after:
        return 0.0
    return (before - after) / abs(before) if before else -math.inf


def _read_gain(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else relative_gain(before, after)
