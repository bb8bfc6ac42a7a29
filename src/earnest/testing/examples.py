"""Small predictions to try a method or a metric on, a metric without ties, and its mirror."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError, InputError
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import Replicates
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.results.specs import Evidence, MethodSpec
from earnest.metrics.families import (
    REGRESSION,
    Array,
    CallableMetric,
    Metric,
    MomentMetric,
    Moments,
    Need,
    RankMetric,
    ratio,
)

AnyEvidence: TypeAlias = Predictions | Replicates | NestedPredictions | PairedHalves

# Small examples of evidence beyond one cross-validation: repeats, single cases, designs.


def with_single_folds(pi: Predictions) -> Predictions:
    """Return the first repeat with a fold for every case."""
    names = tuple(str(i) for i in range(pi.n_cases))
    return replace(
        pi,
        responses=pi.responses[:, :, :1],
        folds=np.arange(pi.n_cases, dtype=np.int32)[:, None],
        fold_names=(names,),
        training_sizes=None,
    )


def with_repeats(pi: Predictions, repeats: int, seed: int = 0) -> Predictions:
    """Return repeats of the first one: other folds of the same sizes, answers a little moved."""
    rng = np.random.default_rng(seed)
    first, codes = pi.responses[:, :, :1].astype(np.float64), pi.folds[:, 0]
    units = np.unique(np.arange(pi.n_cases) // 3)  # of which folds were made
    folds, responses = [codes], [first]
    for _ in range(repeats - 1):
        order = rng.permutation(len(units))
        folds.append(codes[3 * order[np.arange(pi.n_cases) // 3]])
        responses.append(_move(pi, first, rng))
    return replace(
        pi,
        responses=np.concatenate(responses, axis=2),
        folds=np.stack(folds, axis=1).astype(np.int32),
        fold_names=pi.fold_names[:1] * repeats,
        training_sizes=None,
    )


def nested_of(pi: Predictions, seed: int = 0) -> NestedPredictions:
    """Return nested predictions of one column, the inner answers a little moved."""
    outer, rng = pi.select(0), np.random.default_rng(seed)
    codes = outer.folds[:, 0]
    inner = []
    for fold in range(len(outer.fold_names[0])):
        moved = _move(outer, outer.responses.astype(np.float64), rng)
        moved[codes == fold] = np.nan
        folds = np.where(codes == fold, -1, codes)[:, None].astype(np.int32)
        inner.append(replace(outer, responses=moved, folds=folds))
    return NestedPredictions(outer, (tuple(inner),))


def halves_of(pi: Predictions, seed: int = 0) -> PairedHalves:
    """Return random splits of one column, of all cases and of three pairs of halves."""
    whole, rng = pi.select(0), np.random.default_rng(seed)
    every = np.arange(pi.n_cases)
    pairs = []
    for _ in range(3):
        first = np.zeros(pi.n_cases, dtype=bool)
        first[rng.permutation(pi.n_cases)[: pi.n_cases // 2]] = True
        pairs.append((_split(whole, every[first], rng), _split(whole, every[~first], rng)))
    return PairedHalves(_split(whole, every, rng), tuple(pairs))


def design_in_order(
    design: NestedPredictions | PairedHalves, rows: NDArray[np.intp]
) -> NestedPredictions | PairedHalves:
    """Return the cases of a design by position."""
    if isinstance(design, NestedPredictions):
        inner = tuple(tuple(predictions.take(rows) for predictions in row) for row in design.inner)
        return NestedPredictions(design.outer.take(rows), inner)
    pairs = tuple((a.take(rows), b.take(rows)) for a, b in design.halves)
    return PairedHalves(design.whole.take(rows), pairs)


def _split(pi: Predictions, rows: NDArray[np.intp], rng: np.random.Generator) -> Predictions:
    """Return four random splits of some rows, a quarter of them tested in each."""
    responses = np.full((*pi.responses.shape[:2], 4, *pi.responses.shape[3:]), np.nan)
    folds = np.full((pi.n_cases, 4), -1, dtype=np.int32)
    for split in range(4):
        test = rng.permutation(rows)[: max(6, len(rows) // 4)]
        responses[test, :, split] = _move(pi, pi.responses[test, :, 0].astype(np.float64), rng)
        folds[test, split] = 0
    return replace(
        pi, responses=responses, folds=folds, fold_names=(("0",),) * 4, training_sizes=None
    )


def _move(pi: Predictions, answers: Array, rng: np.random.Generator) -> Array:
    """Return some answers of predictions a little moved, probabilities staying such."""
    several = pi.responses.ndim == 4  # classes, whose probabilities sum to 1
    step = 0.1 * rng.standard_normal(answers.shape)
    if answers.min() >= 0.0 and answers.max() <= 1.0:
        inside = np.clip(answers, 1e-6, 1.0 - 1e-6)
        moved = 1.0 / (1.0 + np.exp(-(np.log(inside / (1.0 - inside)) + step)))
        return moved / moved.sum(axis=-1, keepdims=True) if several else moved
    return answers + step


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
    response : {'probability', 'decision', 'label', 'survival'}, optional
        What a classifier answers, 'probability' by default; or a model of survival that predicts
        more than risks.
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
        scores = _make_answers(codes, classes, kind, noise, rng)
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
    y: Array | tuple[Array, NDArray[np.bool_]] = truth
    if task is Task.SURVIVAL:
        y = (np.exp(-truth), np.arange(n_cases) % 4 != 0)
    if response == ResponseKind.SURVIVAL:
        times = (0.5, 1.0, 2.0)
        chances = np.exp(-np.exp(truth[:, None] + noise)[:, :, None, None] * np.array(times) / 2.0)
        return Predictions.from_arrays(y, chances, fold, configs=names, task=task, times=times)
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
    predictions = [
        x @ np.linalg.lstsq(x[rows], aims[rows], rcond=None)[0]
        for rows in map(_repeat_rows, counts)
    ]
    shift = 0.5 if pi.target.has_classes else 0.0
    return Replicates(
        target=pi.target,
        responses=np.stack(predictions) - shift,
        counts=counts,
        apparent=x @ np.linalg.lstsq(x, aims, rcond=None)[0] - shift,
        kind=pi.kind,
        learner="least squares",
        seed=seed,
    )


def _repeat_rows(counts: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(counts)), counts)


def example_evidence(needs: Evidence, task: Task) -> AnyEvidence:
    """Return an example of a kind of evidence."""
    if needs is Evidence.REPLICATES:
        return example_replicates(task)
    pi = example_predictions(task)
    if needs is Evidence.NESTED:
        return nested_of(pi)
    return halves_of(pi) if needs is Evidence.PAIRED else pi


def example_for(spec: MethodSpec, task: Task) -> AnyEvidence:
    """Return an example of the evidence that a method needs: repeats or single cases, too."""
    evidence = example_evidence(spec.needs, task)
    if not isinstance(evidence, Predictions):
        return evidence
    if spec.leave_one_out:
        return with_single_folds(evidence)
    return with_repeats(evidence, 3) if spec.min_repeats > 1 else evidence


def reordered(evidence: AnyEvidence, seed: int) -> AnyEvidence:
    """Return the same evidence with its configurations, or replicates, in another order."""
    rng = np.random.default_rng(seed)
    if isinstance(evidence, Replicates):
        return evidence.take(rng.permutation(evidence.n_replicates))
    if not isinstance(evidence, Predictions):
        return evidence  # a design is of one learner
    return evidence.select([int(c) for c in rng.permutation(evidence.n_configs)])


@overload
def in_order(predictions: Predictions, rows: NDArray[np.intp]) -> Predictions: ...
@overload
def in_order(predictions: AnyEvidence, rows: NDArray[np.intp]) -> AnyEvidence: ...
def in_order(predictions: AnyEvidence, rows: NDArray[np.intp]) -> AnyEvidence:
    """Return the cases by position: in another order, some of them, or some several times."""
    if isinstance(predictions, Replicates):
        return replace(
            predictions,
            target=predictions.target.take(rows),
            responses=predictions.responses[:, rows],
            counts=predictions.counts[:, rows],
            apparent=predictions.apparent[rows],
        )
    if isinstance(predictions, NestedPredictions | PairedHalves):
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


def _make_answers(
    codes: NDArray[np.int64],
    classes: tuple[str, ...],
    kind: ResponseKind,
    noise: Array,
    rng: np.random.Generator,
) -> NDArray[np.generic]:
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


def _compute_squares(target: Target, response: Array, centre: float | None) -> Moments:
    return Moments(((response - target.y[:, None]) ** 2)[None], np.ones((1, target.n)))


def _average(sums: Array, shared: Array) -> Array:
    return ratio(sums[0], shared[0])


# The metric of the contract of methods: continuous, so that no two configurations tie in a
# resample and their order cannot matter.
squared_error = MomentMetric(
    name="squared_error",
    title="mean squared error",
    greater_is_better=False,
    limits=(0.0, np.inf),
    needs=Need.VALUE,
    tasks=REGRESSION,
    features=_compute_squares,
    combine=_average,
    mean_of_cases=True,
)


F = TypeVar("F", bound=Callable[..., object])


def mirrored(metric: Metric) -> Metric:
    """Return the negation of a metric: a score becomes a loss and a loss a score.

    A method must give the mirrored value and limits for it.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.testing import mirrored
    >>> loss = mirrored(en.metric("roc_auc"))
    >>> loss.name, loss.greater_is_better, loss.limits
    ('minus_roc_auc', False, (-1.0, 0.0))
    """
    low, high = metric.limits
    mirror = replace(
        metric,
        name=f"minus_{metric.name}",
        title=f"minus {metric.title}",
        greater_is_better=not metric.greater_is_better,
        limits=(0.0 - high, 0.0 - low),  # never -0.0
        aliases=(),
    )
    if isinstance(mirror, MomentMetric):
        return _mirror_moments(mirror)
    if isinstance(mirror, RankMetric):
        return replace(mirror, combine=_negate(mirror.combine))
    if isinstance(mirror, CallableMetric):
        return replace(mirror, function=_negate(mirror.function))
    raise InputError("this metric does not belong to a known family", got=type(metric).__name__)


def _negate(function: F) -> F:
    def negative(*args: object, **options: object) -> object:
        return -function(*args, **options)  # type: ignore[operator]  # arrays and numbers

    return cast(F, negative)


def _mirror_moments(metric: MomentMetric) -> MomentMetric:
    if not metric.mean_of_cases:
        return replace(metric, combine=_negate(metric.combine))

    # A mean of cases must stay one, so the numbers of the cases change their sign.
    def features(target: Target, response: NDArray[np.generic], centre: float) -> Moments:
        moments = metric.features(target, response, centre)
        sums: Array = -np.asarray(moments.own, dtype=np.float64)
        return Moments(sums, moments.shared)

    def mean(sums: Array, shared: Array) -> Array:
        return ratio(sums[0], shared[0])

    return replace(metric, features=features, combine=mean)


T = TypeVar("T")


def require(holds: bool, law: str, got: object = None) -> None:
    """Raise AssertionError with the law that is broken; also under `python -O`."""
    if not holds:
        raise AssertionError(law if got is None else f"{law}; got {got}")


def require_close(first: float, second: float, tolerance: float, law: str) -> None:
    """Require two numbers to agree, infinities and NaN included."""
    same = first == second or (math.isnan(first) and math.isnan(second))
    require(same or abs(first - second) <= tolerance, law, f"{first!r} and {second!r}")


def pickled(thing: T, law: str) -> T:
    """Return what comes back from pickle, as from a worker."""
    try:
        back: T = pickle.loads(pickle.dumps(thing))
        return back
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"{law}; got {error}") from error


def answer_or_refusal(ask: Callable[[], T]) -> T | None:
    """Return the answer, or None where it is refused with an EarnestError."""
    with suppress(EarnestError):
        return ask()
    return None


def require_refusal(ask: Callable[[], object], law: str) -> None:
    """Require an EarnestError that says something."""
    try:
        answer = ask()
    except EarnestError as error:
        require(len(str(error)) > 20, f"{law}: the message says what is wrong", str(error))
        return
    raise AssertionError(f"{law}; got the answer {answer!r}")
