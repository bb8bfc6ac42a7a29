"""The derivative of a statistic when a little weight moves to one case."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from earnest.metrics.families import Array

STEP = 1e-3  # the weight that moves, as a share of the weight of one case
ROUNDING = 4 * float(np.finfo(np.float64).eps)  # of a difference of two values of a metric


def influence(moved: Callable[[float], Array], n: int) -> Array:
    """Return the influence of every case (n, C), centred so that they sum to 0.

    The statistic is asked with a share `step` of all weight moved to a case, and with as much
    taken from it: `step` is so small against 1 / n that every weight stays positive. A metric is
    therefore only asked about cases that could be, where no rounding guard or limit of its range
    bends it.

    The five-point rule has an error of the order `STEP`⁴ where one case makes up the whole
    statistic and far less elsewhere, and rounding of about n * 1e-12 of the value; influences
    that are smaller count as 0.

    Parameters
    ----------
    moved : callable
        `step -> (n, C)`: the statistic with that share of the weight moved to each case in turn.
    n : int
        The number of cases.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.influence import influence
    >>> x = np.array([[1.0], [2.0], [6.0]])
    >>> root = influence(lambda step: np.sqrt(x.mean() + step * (x - x.mean())), 3)
    >>> np.allclose(root, (x - 3) / (2 * np.sqrt(3)))
    True
    """
    made, rounding = slope(moved, n)
    made -= made.mean(axis=0)
    made[np.abs(made) <= rounding] = 0.0
    return made


def slope(moved: Callable[[float], Array], n: int) -> tuple[Array, Array]:
    """Return the derivative by the share of the weight that is moved, and the rounding in it."""
    step = STEP / n
    up, down = moved(step), moved(-step)
    made = (8.0 * (up - down) - (moved(2 * step) - moved(-2 * step))) / (12.0 * step)
    return np.asarray(made), np.asarray(ROUNDING / step * np.abs(up))
