"""From a name, a callable or a metric to a metric: any function, any scikit-learn scorer.

The only place of this room that imports scikit-learn, and late.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import Protocol, TypeGuard, TypeVar

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import InputError, UnknownNameError
from earnest.core.base.registry import split_knobs
from earnest.core.data.target import TASKS, Task
from earnest.core.text.doors import arg
from earnest.metrics.families import (
    CLASSES,
    METRICS,
    REGRESSION,
    SURVIVAL,
    CallableMetric,
    Metric,
    Need,
    register,
)
from earnest.metrics.responding import OF_CLASSES

Factory = Callable[..., Metric]
F = TypeVar("F", bound=Factory)

FACTORIES: dict[str, Factory] = {}


def register_factory(factory: F) -> F:
    """Register the metric that a factory makes by default, and the factory for its knobs."""
    FACTORIES[register(factory()).name] = factory
    return factory


def name_with_knobs(word: str, knobs: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Return the name of a metric with the knobs that are not at their default.

    Examples
    --------
    >>> from earnest.metrics.resolve import name_with_knobs
    >>> name_with_knobs("f_beta", {"beta": 0.5}, {"beta": 2.0})
    'f_beta(beta=0.5)'
    >>> name_with_knobs("f_beta", {"beta": 2.0}, {"beta": 2.0})
    'f_beta'
    """
    turned = [f"{k}={written(v)}" for k, v in knobs.items() if v != defaults.get(k)]
    return f"{word}({', '.join(turned)})" if turned else word


def written(value: object) -> str:
    """Return a knob's value as one would type it: 5 rather than 5.0."""
    if isinstance(value, tuple):
        return "(" + ", ".join(written(v) for v in value) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return repr(value)


def check_positive_number(name: str, value: object) -> float:
    """Return a finite number above 0."""
    number = _read_number(value)
    if not 0.0 < number < math.inf:
        raise InputError(
            f"{arg(name)} is out of range", needs="a finite number above 0", got=check.show(value)
        )
    return number


def pair(name: str, values: object) -> tuple[float, float]:
    """Return two finite numbers from 0 on that are not both 0."""
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else []
    numbers = tuple(_read_number(value) for value in listed)
    if len(numbers) != 2 or not all(0.0 <= x < math.inf for x in numbers) or not any(numbers):
        raise InputError(
            f"{arg(name)} is not a pair of numbers",
            needs="two finite numbers of at least 0, not both 0",
            got=check.show(values),
        )
    return numbers


def _read_number(value: object) -> float:
    """Return a number as a float, NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    return float(value)


def check_knobs(word: str, function: Callable[..., object], knobs: Mapping[str, object]) -> None:
    """Refuse knobs that the function behind a metric does not have."""
    parameters = inspect.signature(function).parameters if knobs else {}
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    options = list(parameters)
    for knob in knobs:
        if knob not in options and not open_ended:
            raise InputError(
                f"metric {word!r} has no option {knob!r}",
                needs=", ".join(options),
                got=check.show(knob),
                cure=check.nearest(knob, options),
            )


def metric(measure: object) -> Metric:
    """Return the metric for a name, a callable or a metric.

    Parameters
    ----------
    measure : str, callable or Metric
        A name (`earnest metrics` lists them), one of scikit-learn's names for the same thing, a
        name with knobs such as `'f_beta(beta=0.5)'`, the name of any other scikit-learn scorer, a
        scorer, or a function `f(y, prediction)`; for a function that needs labels or
        probabilities, or is a loss, use `make_metric`.

    Examples
    --------
    >>> import earnest as en
    >>> en.metric("auc").name
    'roc_auc'
    >>> en.metric("neg_log_loss").name, en.metric("neg_log_loss").greater_is_better
    ('log_loss', False)
    >>> en.metric("partial_roc_auc(max_fpr=0.2)").knobs
    {'max_fpr': 0.2}
    """
    if isinstance(measure, Metric):
        return measure
    if isinstance(measure, str):
        return _find_named(measure)
    if callable(measure) and not isinstance(measure, type):
        return adapt_callable(measure)
    raise InputError(
        f"{arg('metric')} cannot be read",
        needs="a name, a callable or a Metric",
        got=check.show(measure),
    )


def _find_named(name: str) -> Metric:
    word, knobs = split_knobs(name)
    if word not in METRICS:
        return _find_in_sklearn(word, knobs)
    word = METRICS.canonical(word)
    if not knobs:
        return METRICS[word]
    if word not in FACTORIES:
        raise InputError(
            f"metric {word!r} has no options",
            needs=f"{word!r} alone",
            got=check.show(name),
            cure="Metrics with options are " + ", ".join(FACTORIES) + ".",
        )
    check_knobs(word, FACTORIES[word], knobs)
    return FACTORIES[word](**knobs)


def _find_in_sklearn(word: str, knobs: dict[str, object]) -> Metric:
    metric = adapt_sklearn_name(word, knobs)
    if metric is None:
        ours = [name for listed in METRICS.values() for name in (listed.name, *listed.aliases)]
        raise UnknownNameError(
            f"metric {check.show(word)} is unknown",
            needs=", ".join(METRICS) + ", or the name of a scikit-learn scorer",
            cure=check.nearest(word, [*ours, *list_sklearn_scorers()]),
        )
    return metric


_TASKS: dict[Need, frozenset[Task]] = {
    Need.LABEL: CLASSES,
    Need.SCORE: CLASSES,
    Need.PROBABILITY: CLASSES,
    Need.VALUE: REGRESSION,
    Need.RISK: SURVIVAL,
    Need.SURVIVAL: SURVIVAL,
    Need.PREDICTION: frozenset(TASKS),
    Need.RESPONSE: frozenset(TASKS),
}
_LOSS_ENDINGS = ("_loss", "_error", "_deviance")  # scikit-learn's convention of names


def make_metric(
    function: Callable[..., float],
    *,
    name: str | None = None,
    greater_is_better: bool = True,
    needs: Need | str | None = None,
    limits: tuple[float, float] = (-np.inf, np.inf),
    tasks: Iterable[Task | str] | None = None,
) -> CallableMetric:
    """Make a metric of any function of outcome and prediction.

    Parameters
    ----------
    function : callable
        `f(y, prediction)` or `f(y, prediction, sample_weight=...)`, returning a float. `y` holds
        the user's own labels or numbers; for survival it is a structured array of `event` and
        `time`. A function without `sample_weight` is called on rows repeated. A ValueError or a
        division by zero on a resample makes that resample undefined.
    name : str, optional
        Its name; that of the function if None.
    greater_is_better : bool
        The direction.
    needs : {'label', 'score', 'probability', 'value', 'risk', 'survival', 'prediction',
        'response'}, optional
        What the function is given: labels, scores (n,) or (n, K), probabilities of the positive
        class (n,) or of every class (n, K), values, risks, survival at the times (n, K), or what
        `predict` gives. None is
        'response': whatever the predictions hold, as they are.
    limits : tuple of float
        The smallest and the largest possible value.
    tasks : iterable of str, optional
        Where it is defined; by `needs` if None.

    Examples
    --------
    >>> from earnest.metrics import make_metric
    >>> def worst(y, p):
    ...     return abs(y - p).max()
    >>> metric = make_metric(worst, greater_is_better=False, needs="value")
    >>> metric.name, metric.takes_weights
    ('worst', False)
    """
    usable: object = function  # the annotation promises more than a caller may keep
    if isinstance(usable, type) or not callable(usable):
        raise InputError(
            "`function` is not a function", needs="f(y, prediction)", got=check.show(function)
        )
    _need_two_arguments(function)
    response = Need.RESPONSE if needs is None else needs
    need = Need(check.one_of("needs", str(response), [str(n) for n in Need]))
    low, high = limits
    if not low < high:
        raise InputError(f"{arg('limits')} is empty", needs="low < high", got=check.show(limits))
    word = name_function(function) if name is None else name
    return CallableMetric(
        name=word,
        title=word.replace("_", " "),
        greater_is_better=bool(greater_is_better),
        limits=(float(low), float(high)),
        needs=need,
        tasks=_TASKS[need] if tasks is None else _read_tasks(tasks),
        function=function,
        takes_weights=takes(function, "sample_weight"),
    )


def _need_two_arguments(function: Callable[..., object]) -> None:
    """Refuse a function that cannot be called with outcome and prediction."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of those in C not all can be asked
        return
    try:
        weights = {"sample_weight": None} if "sample_weight" in signature.parameters else {}
        signature.bind(None, None, **weights)
    except TypeError as error:
        raise InputError(
            f"metric {name_function(function)!r} cannot be called with two arguments",
            needs="f(y, prediction)",
            got=f"{name_function(function)}{signature}",
        ) from error


def _read_tasks(tasks: Iterable[Task | str]) -> frozenset[Task]:
    words = [tasks] if isinstance(tasks, str) else list(tasks)
    allowed = [str(task) for task in TASKS]
    return frozenset(Task(check.one_of("tasks", str(word), allowed)) for word in words)


def name_function(function: Callable[..., object]) -> str:
    """Return the name of a function, of what a partial calls, or of a callable's type."""
    inner = function.func if isinstance(function, partial) else function
    return getattr(inner, "__name__", type(inner).__name__).strip("<>")


def takes(function: Callable[..., object], argument: str) -> bool:
    """Tell whether a function has an argument of that name; one without a signature has none."""
    try:
        return argument in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def adapt_callable(function: Callable[..., float]) -> Metric:
    """Return the metric of a bare callable.

    A scikit-learn scorer, or a function that scikit-learn has a scorer for, gets what the scorer
    gets, in the function's natural sign. Any other function is given the response as it is and is
    taken to be better the greater, unless its name says that it is a loss: then it is refused.
    """
    if _is_scorer(function):
        return _read_scorer(function)
    name = name_function(function)
    if _is_of_sklearn(function):
        if name in METRICS:
            return METRICS[name]
        for word, scorer in list_sklearn_scorers().items():
            if scorer._score_func is function:
                return adapt_scorer(word, scorer)
    if takes(function, "estimator"):
        raise InputError(
            f"{name!r} scores a fitted model, but there are only predictions",
            needs="f(y, prediction), or a scorer made with make_scorer",
            got="a function of an estimator",
        )
    if name.endswith(_LOSS_ENDINGS):
        raise InputError(
            f"{name!r} looks like a loss but is declared as a score",
            needs="a function for which greater is better",
            got=name,
            cure=f"Use make_metric({name}, {arg('greater_is_better', False)}, needs=...).",
        )
    return make_metric(function)


def _read_scorer(scorer: Scorer) -> Metric:
    """Return the metric of a scorer: by its name where it is one of scikit-learn's own.

    One that `make_scorer` made of the same function is the same, whatever defaults are written
    out. Ours is then far quicker than a call of the function for every resample.
    """
    for word, standard in list_sklearn_scorers().items():
        if standard._score_func is scorer._score_func and repr(_describe_scorer(standard)) == repr(
            _describe_scorer(scorer)
        ):
            return METRICS[word] if word in METRICS else adapt_scorer(word, standard)
    word, (_, _, settings) = name_function(scorer._score_func), _describe_scorer(scorer)
    if word == "fbeta_score" and _is_of_sklearn(scorer._score_func) and set(settings) == {"beta"}:
        return FACTORIES["f_beta"](**settings)
    return adapt_scorer(word, scorer, scorer._kwargs)


def _describe_scorer(scorer: Scorer) -> tuple[int, str | Sequence[str], dict[str, object]]:
    """Return sign, response and settings of a scorer, without what are defaults anyway."""
    usual = inspect.signature(scorer._score_func).parameters
    settings = {
        name: value
        for name, value in sorted(scorer._kwargs.items())
        if name not in usual
        or repr(usual[name].default) != repr(value)  # may be an array
        or (name == "pos_label" and value is not None)  # that class, whichever is the positive one
    }
    if "average" in settings:  # over classes: none is the positive one
        settings.pop("pos_label", None)
    return scorer._sign, scorer._response_method, settings


def _is_of_sklearn(function: Callable[..., object]) -> bool:
    return str(getattr(function, "__module__", "")).startswith("sklearn.metrics")


def list_sklearn_scorers() -> Mapping[str, Scorer]:
    """Return scikit-learn's scorers by name."""
    from sklearn.metrics import get_scorer, get_scorer_names

    return {name: get_scorer(name) for name in get_scorer_names()}


def adapt_sklearn_name(word: str, knobs: Mapping[str, object]) -> Metric | None:
    """Return the metric of a scikit-learn scorer's name, None where there is no such scorer."""
    scorer = list_sklearn_scorers().get(word)
    return None if scorer is None else adapt_scorer(word, scorer, knobs)


def adapt_scorer(
    word: str, scorer: Scorer, knobs: Mapping[str, object] | None = None
) -> CallableMetric:
    """Return the metric of a scikit-learn scorer, in the natural sign of its function.

    A function that takes classes by name gets the user's own labels, any other gets their codes.
    """
    function, settings = scorer._score_func, _clean_settings(knobs or {})
    check_knobs(word, function, settings)
    need, tasks = _find_response(scorer)
    numbers = need in (Need.SCORE, Need.PROBABILITY)
    used = {**scorer._kwargs, **settings}
    if numbers:  # one column per class: all of them, in the order of the predictions
        used.pop("labels", None)
    named = any(used.get(word) is not None for word in OF_CLASSES)
    name = name_with_knobs(word.removeprefix("neg_"), settings, {})
    return CallableMetric(
        name=name,
        title=name.replace("_", " "),
        greater_is_better=scorer._sign > 0,
        limits=(-np.inf, np.inf),
        needs=need,
        tasks=tasks,
        knobs=settings,
        function=ScorerFunction(
            function,
            used,
            all_labels=numbers and not named and takes(function, "labels"),
        ),
        takes_weights=takes(function, "sample_weight"),
        coded=not named,
    )


def _clean_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return settings with lists for arrays, and refuse weights, which belong to some cases."""
    if settings.get("sample_weight") is not None:
        raise InputError(
            "the scorer has `sample_weight`",
            needs="a scorer without it, because resamples and folds have other cases",
            cure="Leave it out.",
        )
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in settings.items()}


def _find_response(scorer: Scorer) -> tuple[Need, frozenset[Task]]:
    """Return what a scorer asks of a model, and the tasks that its function is for."""
    wanted = scorer._response_method
    methods = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if "decision_function" in methods:
        return Need.SCORE, CLASSES
    if "predict_proba" in methods:
        return Need.PROBABILITY, CLASSES
    if "predict" not in methods:
        raise InputError(
            "the scorer needs a response that predictions do not hold",
            needs="predict, predict_proba or decision_function",
            got=check.show(wanted),
        )
    home = str(getattr(scorer._score_func, "__module__", ""))
    if home == "sklearn.metrics._regression":
        return Need.VALUE, REGRESSION
    standard = home.startswith("sklearn.metrics")
    return (Need.LABEL, CLASSES) if standard else (Need.PREDICTION, _TASKS[Need.PREDICTION])


class Scorer(Protocol):
    """A scorer as scikit-learn's `make_scorer` makes it."""

    _score_func: Callable[..., float]
    _kwargs: dict[str, object]
    _sign: int
    _response_method: str | Sequence[str]


def _is_scorer(function: object) -> TypeGuard[Scorer]:
    return hasattr(function, "_score_func")


@dataclass(frozen=True)
class ScorerFunction:
    """What a scikit-learn scorer computes, as a function of outcome and response.

    Parameters
    ----------
    function : callable
        The metric function.
    settings : mapping
        Its further arguments.
    all_labels : bool
        Whether it gets all class codes, so that a resample may lack one of them.
    """

    function: Callable[..., float]
    settings: Mapping[str, object] = field(default_factory=dict)
    all_labels: bool = False

    def __call__(
        self, y: Numbers, response: Numbers, sample_weight: Numbers | None = None
    ) -> float:
        """Return the value in the function's natural sign."""
        more = dict(self.settings)
        if self.all_labels:
            more.setdefault("labels", np.arange(response.shape[1] if response.ndim == 2 else 2))
        if sample_weight is not None:
            more["sample_weight"] = sample_weight
        return self.function(y, response, **more)
