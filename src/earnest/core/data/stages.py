"""Which stages of a training are kept as configurations: rounds of boosting, or epochs."""

from __future__ import annotations

from typing import cast

import numpy as np

from earnest.core.base import check
from earnest.core.text.doors import arg

USUAL = 20  # stages of a training where nobody says how many


def spread_rounds(count: int, stages: int) -> tuple[int, ...]:
    """Return at most so many of the numbers 1 to count, evenly spread, with the last one.

    Examples
    --------
    >>> from earnest.core.data.stages import spread_rounds
    >>> spread_rounds(100, 5)
    (20, 40, 60, 80, 100)
    """
    if not stages:
        return ()
    places = np.ceil(np.arange(1, stages + 1) * count / stages - 1e-9)
    return tuple(int(rounds) for rounds in np.unique(places))


def read_stages(stages: object) -> int:
    """Return how many stages are kept of each training; 0 where stages are no configurations."""
    if stages is None or isinstance(stages, bool | np.bool_):
        return USUAL if stages else 0
    check.whole_number(arg("stages"), stages, low=2)
    return int(cast(int, stages))
