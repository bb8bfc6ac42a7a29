"""Columns of losses, for models whose predictions are not at hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import as_array
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.metrics.families import REGRESSION, Metric, MomentMetric, Moments, Need
from earnest.metrics.moments import mean, ones


@dataclass(frozen=True, eq=False)
class Losses:
    """One loss (or score) per case and configuration, computed elsewhere.

    Give it to `compare` or `compare_many` in place of predictions, without a metric: the metric
    is the mean of what is given. Every test takes it that takes means over cases.

    Parameters
    ----------
    columns : mapping of str to array-like, shape (n,) or (n, R)
        The losses of each configuration, one per case, with repeats side by side.
    fold : array-like, shape (n,) or (n, R), optional
        The fold that tested each case; None is one hold-out set.
    groups : array-like, shape (n,), optional
        Groups of cases that belong together.
    name : str
        What the numbers are called.
    greater_is_better : bool
        False for losses, True for scores.
    limits : tuple of float
        The smallest and the largest possible loss; intervals stay within.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.exponential(1.0, 400), rng.exponential(1.3, 400)
    >>> en.compare(en.Losses({"a": a, "b": b}, fold=np.arange(400) % 10), "a", "b")
    loss(a) - loss(b) = -0.11, 95 % interval [-0.28, 0.05], p = 0.17 (bayle, n=400)
    """

    columns: Mapping[str, ArrayLike]
    fold: ArrayLike | None = None
    groups: ArrayLike | None = None
    name: str = "loss"
    greater_is_better: bool = False
    limits: tuple[float, float] = (0.0, math.inf)

    def predictions(self) -> Predictions:
        """Return the losses as predictions of 0, which is what they are the distance from."""
        if not hasattr(self.columns, "items") or not self.columns:
            raise InputError(
                "`columns` cannot be read",
                needs="a mapping of names to losses, such as {'a': [...], 'b': [...]}",
                got=check.show(self.columns),
            )
        tables = [_numbers(str(name), values) for name, values in self.columns.items()]
        shapes = {table.shape for table in tables}
        if len(shapes) > 1:
            raise InputError(
                "columns of losses differ in length",
                needs="one loss per case and repeat in every column",
                got=", ".join(str(shape) for shape in sorted(shapes)),
            )
        scores = np.stack(tables, axis=1)  # (n, C, R)
        _within(scores, self.limits)
        return Predictions.from_arrays(
            np.zeros(len(scores)),
            scores,
            self.fold,
            groups=self.groups,
            configs=[str(name) for name in self.columns],
            task="regression",
        )

    def metric(self) -> Metric:
        """Return the mean of the losses as a metric."""
        return MomentMetric(
            name=self.name,
            title=self.name,
            greater_is_better=self.greater_is_better,
            limits=(float(self.limits[0]), float(self.limits[1])),
            needs=Need.VALUE,
            tasks=REGRESSION,
            features=_as_given,
            combine=mean,
            mean_of_cases=True,
        )


def _as_given(target: Target, value: NDArray[Any], centre: Any) -> Moments:
    return Moments(value.astype(np.float64)[None], ones(target))


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = as_array(name, values)
    if array.ndim not in (1, 2) or array.dtype.kind not in "biuf":
        raise InputError(
            f"losses {name!r} are not one number per case",
            needs="shape (n,), or (n, R) with repeats",
            got=f"shape {array.shape}, dtype {array.dtype}",
        )
    return (array[:, None] if array.ndim == 1 else array).astype(np.float64)


def _within(scores: NDArray[np.float64], limits: tuple[float, float]) -> None:
    known = scores[np.isfinite(scores)]
    if len(known) and (known.min() < limits[0] or known.max() > limits[1]):
        raise InputError(
            "losses lie outside `limits`",
            needs=f"numbers from {limits[0]:g} to {limits[1]:g}",
            got=f"numbers from {known.min():g} to {known.max():g}",
            cure="Pass the possible range, such as limits=(-inf, inf).",
        )
