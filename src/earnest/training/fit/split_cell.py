"""One split of an assessment: train the learner on some rows, keep what it says of others."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

from earnest.core.base.protocols import Outcome, Task
from earnest.core.base.rng import Purpose, Seeds
from earnest.training.fit.cell import RESPONSE, fit, unseeded
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.rows import parts
from earnest.training.fit.splits import Splits


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitTraining:
    """What all splits of an assessment share.

    Parameters
    ----------
    X, y : array-like
        The data.
    base : estimator
        The unfitted learner.
    plan : ResponsePlan
        What is kept of a model's predictions.
    splits : Splits
        The rows of every split.
    seed : int
        What parts of the learner without a `random_state` are seeded from.
    config : mapping
        scikit-learn's settings, which worker processes do not know of.
    """

    X: Any
    y: Any
    base: Any
    plan: ResponsePlan
    splits: Splits
    seed: int
    config: Mapping[str, Any] = field(default_factory=dict)

    def model(self, where: tuple[int, ...]) -> Any:
        """Return the unfitted model of a split, with seeds for its unseeded parts.

        A seed depends on what the split is for and not on what else is trained, so that methods
        that are asked together and alone see the same models.
        """
        from sklearn.base import clone

        model = clone(self.base)
        if self._unseeded:
            model.set_params(**{name: self._seed(where, name) for name in self._unseeded})
        return model

    def _seed(self, where: tuple[int, ...], name: str) -> int:
        word = zlib.crc32(name.encode())
        draw = Seeds(self.seed).generator(Purpose.TRAINING, *where, word)
        return int(draw.integers(0, 2**31 - 1))

    @cached_property
    def _unseeded(self) -> tuple[str, ...]:
        return unseeded(self.base)


def fit_split(shared: SplitTraining, task: Task) -> Outcome:
    """Train on the training rows of a split, and keep what the model says of its test rows."""
    from sklearn import config_context, get_config

    if shared.config and get_config() != shared.config:
        with config_context(**shared.config):
            return fit_split(shared, task)
    split = int(task.payload)
    train, test = shared.splits.train[split], shared.splits.test[split]
    model = shared.model(task.key)
    start = perf_counter()
    X_train, y_train, X_test, _ = parts(model, shared.X, shared.y, train, test)
    fit(model, X_train, y_train, {})
    fitted = perf_counter()
    response = shared.plan.read(model, X_test)
    times = {"fit_time": fitted - start, "predict_time": perf_counter() - fitted}
    return Outcome(task.key, arrays={RESPONSE: response}, numbers=times)
