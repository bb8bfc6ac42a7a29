"""Small predictions for tests of metrics: made without checks, so that a class may be missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest import Configs, Predictions, Target
from earnest.core import ResponseKind, Task
from earnest.metrics import METRICS

KINDS = {
    Task.BINARY: ResponseKind.PROBABILITY,
    Task.MULTICLASS: ResponseKind.PROBABILITY,
    Task.REGRESSION: ResponseKind.VALUE,
    Task.SURVIVAL: ResponseKind.SURVIVAL,
}
K = 3  # classes of a multiclass target here
TIMES = (1.0, 2.5, 4.0, 6.0)  # at which survival is predicted here

# every registered metric with every task it is defined for
PAIRS = [(m.name, task) for m in METRICS.values() for task in sorted(m.tasks)]


def make(
    task: Task,
    y: NDArray[Any],
    responses: NDArray[Any],
    *,
    event: NDArray[Any] | None = None,
    kind: ResponseKind | None = None,
    classes: tuple[Any, ...] | None = None,
) -> Predictions:
    """Return predictions of one repeat and one fold from responses (n, C[, K])."""
    known = {Task.BINARY: (0, 1), Task.MULTICLASS: tuple(range(K))}.get(task, ())
    target = Target(
        y=y,
        task=task,
        classes=known if classes is None else classes,
        event=None if event is None else event.astype(bool),
        times=TIMES if task is Task.SURVIVAL else (),
    )
    if task is Task.SURVIVAL and kind is None and responses.ndim == 2:
        responses = with_survival(responses)
    return Predictions(
        target=target,
        configs=Configs(ids=tuple(str(c) for c in range(responses.shape[1]))),
        responses=responses[:, :, None],
        folds=np.zeros((len(y), 1), dtype=np.int32),
        fold_names=(("0",),),
        kind=KINDS[task] if kind is None else kind,
    )


def with_survival(risks: NDArray[Any]) -> NDArray[Any]:
    """Return risks (n, C) with the survival of an exponential model behind them: (n, C, 1 + K)."""
    rates = np.exp(np.clip(0.3 * risks, -2.0, 2.0)) / 4.0
    return np.concatenate([risks[:, :, None], np.exp(-rates[:, :, None] * np.array(TIMES))], axis=2)


def repeated(pi: Predictions, counts: NDArray[Any]) -> Predictions:
    """Return predictions with every row physically repeated."""
    rows = np.repeat(np.arange(pi.n_cases), counts.astype(np.intp))
    return replace(
        pi, target=pi.target.take(rows), responses=pi.responses[rows], folds=pi.folds[rows]
    )


def random_evidence(task: Task, seed: int, n: int = 200, C: int = 3, grid: int = 0) -> Predictions:
    """Return predictions that are related to the truth; with `grid` steps they have ties."""
    rng = np.random.default_rng(seed)

    def on_grid(values: NDArray[Any]) -> NDArray[Any]:
        return np.round(values * grid) / grid if grid else values

    if task is Task.BINARY:
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        logit = rng.normal(size=(n, C)) + (2 * y - 1)[:, None] * np.linspace(0.2, 1.5, C)
        return make(task, y, on_grid(1 / (1 + np.exp(-logit))))
    if task is Task.MULTICLASS:
        y = np.append(np.arange(K), rng.integers(0, K, n - K))
        raw = rng.random((n, C, K)) + 0.7 * (y[:, None] == np.arange(K))[:, None, :]
        raw = on_grid(raw) + 0.25
        return make(task, y, raw / raw.sum(axis=2, keepdims=True))
    if task is Task.REGRESSION:
        y = on_grid(rng.normal(3.0, 2.0, n))
        return make(task, y, on_grid(y[:, None] * 0.8 + rng.normal(size=(n, C))))
    time = np.round(rng.exponential(5.0, n), 1)
    event = np.append([True], rng.random(n - 1) < 0.6)
    risk = np.round(-time[:, None] + rng.normal(0, 4, (n, C)), 3)
    return make(task, time, on_grid(risk), event=event)


def perfect(pi: Predictions) -> NDArray[Any]:
    """Return the response of a model that knows the outcome."""
    if pi.target.task is Task.MULTICLASS:
        return np.eye(len(pi.target.classes))[pi.target.y]
    if pi.target.task is Task.SURVIVAL:
        return np.asarray(0.01 * pi.target.event - pi.target.y)  # an event comes before a censoring
    return pi.target.y.astype(np.float64)
