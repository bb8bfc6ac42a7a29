"""The spread of fold scores when training sets overlap: what tests and intervals share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core import check
from earnest.core.errors import InputError
from earnest.core.predictions import Predictions

Array = NDArray[np.float64]


def overlap_of(pi: Predictions) -> float:
    """Return the ratio of test to training cases of a split, each trained on all that it leaves.

    For K folds it is 1 / (K - 1), for a repeat with one test set n_test / (n - n_test). Folds that
    were not evaluated count: the others were trained on their cases.
    """
    shares = []
    for repeat in range(pi.n_repeats):
        codes = pi.folds[:, repeat]
        count = len(pi.fold_names[repeat])
        shares.append(1.0 / count if count > 1 else float((codes >= 0).mean()))
    share = float(np.mean(shares))
    return share / (1.0 - share)


def check_ratio(ratio: float | None) -> None:
    """Refuse a ratio of test to training cases that is none; None is that of the folds."""
    number = isinstance(ratio, int | float) and not isinstance(ratio, bool)
    if ratio is not None and not (number and 0.0 < ratio < math.inf):
        raise InputError("`ratio` is out of range", needs="a number above 0", got=check.show(ratio))


def corrected_variance(scores: Array, overlap: float) -> Any:
    """Return the variance of the mean of J fold scores (J,) or (J, C) by Nadeau and Bengio.

    s² (1 / J + n_test / n_train): the second part stands for training sets that overlap, which 1/J
    alone would take as independent.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.fold_spread import corrected_variance
    >>> float(corrected_variance(np.array([0.7, 0.8, 0.9]), overlap=0.5)).__round__(6)
    0.008333
    """
    return np.var(scores, axis=0, ddof=1) * (1.0 / len(scores) + overlap)
