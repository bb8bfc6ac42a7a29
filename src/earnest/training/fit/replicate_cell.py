"""One bootstrap sample: draw it, train on it, and keep what the model says of every case."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.protocols import Outcome, Task
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.replicates import Drawn
from earnest.core.data.target import Target
from earnest.resampling.bootstrap import (
    RESAMPLERS,
    Accept,
    every_class_drawn,
    every_class_on_both_sides,
    something_out_of_bag,
)
from earnest.training.fit.cell import RESPONSE, fit, unseeded
from earnest.training.fit.copies import inner_splits, keep_copies_together
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.rows import parts, take

WHOLE = -1  # the key of the model that is trained on all cases


@dataclass(frozen=True, eq=False, kw_only=True)
class ReplicateTraining:
    """What all replicates share.

    Parameters
    ----------
    X, y : array-like
        The data.
    base : estimator
        The unfitted learner.
    plan : ResponsePlan
        What is kept of a model's predictions.
    drawn : Drawn
        What is drawn.
    both_sides : bool
        Whether every class must be left out too, not only drawn.
    seed : int
        The root of draws and of the seeds of unseeded parts.
    config : mapping
        scikit-learn's settings, which worker processes do not know of.
    """

    X: Any
    y: Any
    base: Any
    plan: ResponsePlan
    drawn: Drawn
    both_sides: bool
    seed: int
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def target(self) -> Target:
        """The outcome."""
        return self.plan.target

    def counts(self, replicate: int) -> NDArray[np.uint8]:
        """Return how often a replicate draws each case, from a stream of its own: (n,)."""
        rng = Seeds(self.seed).generator(Purpose.REPLICATES, replicate)
        drawn = RESAMPLERS[str(self.drawn)].draw(self.target, 1, rng, self._accept)
        return np.asarray(drawn.values[0], dtype=np.uint8)

    def model(self, replicate: int, rows: NDArray[np.intp]) -> Any:
        """Return the unfitted model of a replicate, with seeds for its unseeded parts."""
        from sklearn.base import clone

        model = clone(self.base)
        if self._unseeded:
            model.set_params(**{name: self._seed(replicate, name) for name in self._unseeded})
        if self._splits:
            own, seed = self.target.groups, self._seed(replicate, "cv")
            return keep_copies_together(model, rows, take(self.y, rows), own, seed)
        return model

    def _seed(self, replicate: int, name: str) -> int:
        word = zlib.crc32(name.encode())
        draw = Seeds(self.seed).generator(Purpose.TRAINING, replicate - WHOLE, word)
        return int(draw.integers(0, 2**31 - 1))

    @cached_property
    def _accept(self) -> Accept:
        return _rule(self.target, both_sides=self.both_sides)

    @cached_property
    def _unseeded(self) -> tuple[str, ...]:
        return unseeded(self.base)

    @cached_property
    def _splits(self) -> bool:
        return bool(inner_splits(self.base)[0])


def fit_replicate(shared: ReplicateTraining, task: Task) -> Outcome:
    """Train on one bootstrap sample, and keep what the model says of every case."""
    from sklearn import config_context, get_config
    from sklearn.utils import get_tags

    if shared.config and get_config() != shared.config:
        with config_context(**shared.config):
            return fit_replicate(shared, task)
    (replicate,) = task.key
    every = np.arange(shared.target.n)
    rows = every if replicate == WHOLE else np.repeat(every, shared.counts(replicate))
    model = shared.model(replicate, rows)
    start = perf_counter()
    if get_tags(model).input_tags.pairwise:  # a kernel: its columns are cut, too
        X_train, y_train, X_all, _ = parts(model, shared.X, shared.y, rows, every)
    else:
        X_train, y_train, X_all = take(shared.X, rows), take(shared.y, rows), shared.X
    fit(model, X_train, y_train, {})
    fitted = perf_counter()
    response = shared.plan.read(model, X_all)
    times = {"fit_time": fitted - start, "predict_time": perf_counter() - fitted}
    return Outcome(task.key, arrays={RESPONSE: response}, numbers=times)


def _rule(target: Target, *, both_sides: bool) -> Accept:
    """Return which samples are kept: something is left out, and every class is drawn.

    Of a survival outcome an event must be drawn: nothing could be learned from a sample without.
    """
    if not target.has_classes and target.event is None:
        return something_out_of_bag
    if target.event is not None:
        whole: Accept = partial(_any_drawn, rows=np.flatnonzero(target.event))
    else:
        whole = every_class_on_both_sides(target) if both_sides else every_class_drawn(target)

    def accepted(counts: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(something_out_of_bag(counts) & whole(counts))

    return accepted


def _any_drawn(counts: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    return np.asarray((counts[:, rows] > 0).any(axis=1))
