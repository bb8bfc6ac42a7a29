"""The numbers of an estimate by name, as experiment trackers and report libraries take them."""

from __future__ import annotations

import math
import re

from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Side


def metrics_of(estimate: Estimate, prefix: str | None = None) -> dict[str, float]:
    """Return value, limits, standard error and naive score by name; what is not there is left out.

    The names are those of the metric with a suffix: `_low` and `_high` (only the end that a
    one-sided bound has), `_standard_error`, `_naive` and `_optimism`.

    Parameters
    ----------
    prefix : str, optional
        Another name than the metric's.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.text.trackers import metrics_of
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> metrics_of(en.estimate(pi, method="naive", metric="accuracy"))
    {'accuracy': 1.0, 'accuracy_naive': 1.0, 'accuracy_optimism': 0.0}
    """
    name = plain_name(estimate.metric if prefix is None else prefix)
    interval = estimate.interval
    side = None if interval is None else interval.side
    found = {
        name: estimate.value,
        f"{name}_low": None if interval is None or side == Side.UPPER else interval.low,
        f"{name}_high": None if interval is None or side == Side.LOWER else interval.high,
        f"{name}_standard_error": estimate.standard_error,
        f"{name}_naive": estimate.naive,
        f"{name}_optimism": estimate.optimism,
    }
    return {key: float(v) for key, v in found.items() if v is not None and math.isfinite(v)}


def plain_name(name: str) -> str:
    """Return a name of letters, digits, `_`, `-`, `.`, `/` and spaces, which every tracker takes.

    Examples
    --------
    >>> from earnest.core.text.trackers import plain_name
    >>> plain_name("f_beta(beta=2)")
    'f_beta_beta_2'
    """
    return re.sub(r"[^\w\-./ ]+", "_", name, flags=re.ASCII).strip("_") or "metric"
