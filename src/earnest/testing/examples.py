"""Small predictions to try a method or a metric on, and a metric without ties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.predictions import Predictions
from earnest.core.replicates import Replicates
from earnest.core.responses import ResponseKind
from earnest.core.specs import Evidence, MethodSpec
from earnest.core.target import Target, Task
from earnest.metrics.families import REGRESSION, Array, MomentMetric, Moments, Need, ratio
from earnest.testing.design_examples import (
    design_in_order,
    halves_of,
    nested_of,
    with_repeats,
    with_single_folds,
)

NAMES = {
    Task.BINARY: ("no", "yes"),
    Task.MULTICLASS: ("ape", "bee", "cat"),
}


def example_predictions(
    task: Task | str = Task.REGRESSION,
    *,
    response: ResponseKind | str | None = None,
    n_cases: int = 60,
    n_configs: int = 6,
    n_folds: int | None = 5,
    seed: int = 0,
) -> Predictions:
    """Return predictions of configurations that differ in skill, with stratified folds.

    Parameters
    ----------
    task : {'binary', 'multiclass', 'regression', 'survival'}
        The task.
    response : {'probability', 'decision', 'label'}, optional
        What a classifier answers; 'probability' by default.
    n_cases, n_configs, n_folds, seed : int
        The sizes; `n_folds=None` is one hold-out set.

    Examples
    --------
    >>> from earnest.testing import example_predictions
    >>> example_predictions("binary", response="label")
    Predictions(n=60, configs=6, repeats=1, folds=5, task=binary, response=label)
    """
    task, rng = Task(task), np.random.default_rng(seed)
    fold = None if n_folds is None else np.arange(n_cases) // 3 % n_folds
    noise = np.linspace(0.8, 2.0, n_configs) * rng.standard_normal((n_cases, n_configs))
    names = [f"config {i}" for i in range(n_configs)]
    if task in NAMES:
        kind = ResponseKind(response or ResponseKind.PROBABILITY)
        classes = NAMES[task]
        codes = np.arange(n_cases) % 3 % len(classes)
        scores = _classified(codes, classes, kind, noise, rng)
        positive = classes[1] if task is Task.BINARY else None
        return Predictions.from_arrays(
            np.array(classes)[codes],
            scores,
            fold,
            configs=names,
            task=task,
            positive=positive,
            response=kind,
            classes=classes,
            repeats=1,
        )
    truth = rng.standard_normal(n_cases)
    y: Any = truth
    if task is Task.SURVIVAL:
        y = (np.exp(-truth), np.arange(n_cases) % 4 != 0)
    return Predictions.from_arrays(y, truth[:, None] + noise, fold, configs=names, task=task)


def example_replicates(
    task: Task | str = Task.REGRESSION,
    *,
    n_cases: int = 60,
    n_replicates: int = 200,
    seed: int = 0,
) -> Replicates:
    """Return replicates of a linear learner, trained on bootstrap samples by least squares.

    Parameters
    ----------
    task : {'binary', 'multiclass', 'regression', 'survival'}
        The task.
    n_cases, n_replicates, seed : int
        The sizes.

    Examples
    --------
    >>> from earnest.testing import example_replicates
    >>> example_replicates("binary", n_replicates=50)
    Replicates(n=60, replicates=50, drawn=case, task=binary, response=decision)
    """
    kind = {Task.REGRESSION: None, Task.SURVIVAL: None}.get(Task(task), ResponseKind.DECISION)
    pi = example_predictions(task, response=kind, n_cases=n_cases, n_configs=1, seed=seed)
    rng = np.random.default_rng([seed, 1])
    x = np.column_stack([np.ones(n_cases), rng.standard_normal((n_cases, 2))])
    truth = pi.target.y.astype(np.float64)
    x[:, 1] += truth - truth.mean()
    aims = (
        (pi.target.y[:, None] == np.arange(3)) * 1.0 if pi.target.task is Task.MULTICLASS else truth
    )
    counts = rng.multinomial(n_cases, np.full(n_cases, 1 / n_cases), size=n_replicates)
    said = [
        x @ np.linalg.lstsq(x[rows], aims[rows], rcond=None)[0] for rows in map(_repeated, counts)
    ]
    shift = 0.5 if pi.target.has_classes else 0.0
    return Replicates(
        target=pi.target,
        responses=np.stack(said) - shift,
        counts=counts,
        apparent=x @ np.linalg.lstsq(x, aims, rcond=None)[0] - shift,
        kind=pi.kind,
        learner="least squares",
        seed=seed,
    )


def _repeated(counts: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(counts)), counts)


def example_evidence(needs: Evidence, task: Task) -> Any:
    """Return an example of a kind of evidence."""
    if needs is Evidence.REPLICATES:
        return example_replicates(task)
    pi = example_predictions(task)
    if needs is Evidence.NESTED:
        return nested_of(pi)
    return halves_of(pi) if needs is Evidence.PAIRED else pi


def example_for(spec: MethodSpec, task: Task) -> Any:
    """Return an example of the evidence that a method needs: repeats or single cases, too."""
    made = example_evidence(spec.needs, task)
    if spec.leave_one_out:
        return with_single_folds(made)
    return with_repeats(made, 3) if spec.min_repeats > 1 else made


def reordered(evidence: Any, seed: int) -> Any:
    """Return the same evidence with its configurations, or replicates, in another order."""
    rng = np.random.default_rng(seed)
    if isinstance(evidence, Replicates):
        return evidence.take(rng.permutation(evidence.n_replicates))
    if not isinstance(evidence, Predictions):
        return evidence  # a design is of one learner
    return evidence.select([int(c) for c in rng.permutation(evidence.n_configs)])


def in_order(predictions: Any, rows: NDArray[np.intp]) -> Any:
    """Return the cases by position: in another order, some of them, or some several times."""
    if isinstance(predictions, Replicates):
        return replace(
            predictions,
            target=predictions.target.take(rows),
            responses=predictions.responses[:, rows],
            counts=predictions.counts[:, rows],
            apparent=predictions.apparent[rows],
        )
    if not isinstance(predictions, Predictions):
        return design_in_order(predictions, rows)
    return replace(
        predictions,
        target=predictions.target.take(rows),
        responses=predictions.responses[rows],
        folds=predictions.folds[rows],
    )


def without_folds(predictions: Predictions) -> Predictions:
    """Return the first repeat as if it were one hold-out set."""
    return replace(
        predictions,
        responses=predictions.responses[:, :, :1],
        folds=np.zeros((predictions.n_cases, 1), dtype=np.int32),
        fold_names=(("0",),),
    )


def _classified(
    codes: NDArray[np.int64],
    classes: tuple[str, ...],
    kind: ResponseKind,
    noise: Array,
    rng: np.random.Generator,
) -> NDArray[Any]:
    """Return labels (n, C), or scores (n, C) of two and (n, C, K) of more classes."""
    names = np.array(classes)
    if len(classes) == 2:
        scores: Array = 2.0 * codes[:, None] - 1.0 + noise
        if kind is ResponseKind.LABEL:
            return np.asarray(names[(scores > 0).astype(np.intp)])
        return scores if kind is ResponseKind.DECISION else np.asarray(1 / (1 + np.exp(-scores)))
    hit = codes[:, None, None] == np.arange(len(classes))
    spread = noise[:, :, None] * rng.standard_normal((*noise.shape, len(classes)))
    logits: Array = 2.0 * hit + spread
    if kind is ResponseKind.LABEL:
        return np.asarray(names[logits.argmax(axis=2)])
    if kind is ResponseKind.DECISION:
        return logits
    powers = np.exp(logits)
    return np.asarray(powers / powers.sum(axis=2, keepdims=True))


def _squares(target: Target, response: NDArray[Any], centre: Any) -> Moments:
    return Moments(((response - target.y[:, None]) ** 2)[None], np.ones((1, target.n)))


def _mean(own: Array, shared: Array) -> Array:
    return ratio(own[0], shared[0])


# The metric of the contract of methods: continuous, so that no two configurations tie in a
# resample and their order cannot matter.
squared_error = MomentMetric(
    name="squared_error",
    title="mean squared error",
    greater_is_better=False,
    limits=(0.0, np.inf),
    needs=Need.VALUE,
    tasks=REGRESSION,
    features=_squares,
    combine=_mean,
    mean_of_cases=True,
)
