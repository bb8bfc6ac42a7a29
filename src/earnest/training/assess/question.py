"""What is asked about a learner: data, outcome, metric and response, read before any training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.arrays import as_array, missing
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Progress
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.cautions import of_limits
from earnest.core.data.target import Target, Task
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import Ask
from earnest.core.results.specs import Design, Side
from earnest.core.text.doors import arg
from earnest.engine.identity import describe, find_versions, parameters_of, with_parts
from earnest.methods.base import Method
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.metrics.responding import check_fits
from earnest.training.fit.problem import (
    add_times,
    make_survival_outcome,
    read_learner_outcome,
)
from earnest.training.fit.response import ResponsePlan, count_rows, plan_response
from earnest.training.fit.splits import can_shuffle, check_seeded, make_seed
from earnest.training.protocols import Estimator, StoreLike
from earnest.training.search.preparation import match_rows

FEW_CASES = 10
FOLDS = 10


@dataclass(frozen=True, kw_only=True)
class AssessOptions:
    """What is asked of a learner, and how its models are trained; the arguments of `assess`."""

    metric: MetricLike
    confidence_level: float = 0.95
    side: Side | str = "two-sided"
    groups: ArrayLike | None = None
    positive: object = None
    rng: RngLike = None
    n_replicates: int = 200
    stratify: bool | ArrayLike | None = None
    cv: object = FOLDS
    n_repeats: int | None = None
    n_jobs: int | None = None
    store: StoreLike | None = None
    time_limit: float | None = None
    progress: Progress | bool | None = None

    def __post_init__(self) -> None:
        """Check the numbers, and keep the splits of an iterator, which is read more than once."""
        check.whole_number("n_replicates", self.n_replicates, low=1)
        if self.n_repeats is not None:
            check.whole_number("n_repeats", self.n_repeats, low=1)
        if isinstance(self.cv, Iterator):
            object.__setattr__(self, "cv", list(self.cv))

    def repeats(self, method: Method) -> int | None:
        """Return how often folds are repeated; once if they cannot be, or repeat themselves."""
        folded = method.spec.design in (Design.FOLDS, Design.PAIRS) and method.spec.repeats > 1
        fixed = folded and not can_shuffle(self.cv)
        return 1 if self.n_repeats is None and fixed else self.n_repeats


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnerQuestion:
    """A learner, its data, and what is measured.

    Attributes
    ----------
    estimator : estimator
        The unfitted learner.
    X, y : array-like
        The data, indexable.
    response : ResponsePlan
        Which predictions of a model are kept, and the outcome.
    metric : Metric
        The metric, on its task.
    learner : str
        The name of the learner.
    ask : Ask
        The level and the side.
    seed : int
        The root of all randomness.
    facts : dict of str
        What identifies the run; none without a store.
    """

    estimator: Estimator
    X: object
    y: object
    response: ResponsePlan
    metric: Metric
    learner: str
    ask: Ask
    seed: int
    facts: dict[str, str]

    @property
    def target(self) -> Target:
        """The outcome."""
        return self.response.target

    @property
    def seeds(self) -> Seeds:
        """The seeds."""
        return Seeds(self.seed)


def read_question(
    estimator: Estimator, X: object, y: object, options: AssessOptions
) -> LearnerQuestion:
    """Read everything that is asked, and refuse what cannot be answered."""
    check_estimator(estimator)
    workers(options.n_jobs)
    ask = Ask.of(options.confidence_level, options.side)
    X, y = read_data(X, y)
    measure = resolve_metric(options.metric)
    response = read_response(
        [estimator],
        y,
        measure,
        groups=options.groups,
        stratify=options.stratify,
        positive=options.positive,
    )
    facts: dict[str, str] = {}
    if options.store is not None:
        check_seeded(options.cv)
        facts = identify_learners("assessment", X, y, response, {"estimator": estimator})
    return LearnerQuestion(
        estimator=estimator,
        X=X,
        y=y,
        response=response,
        metric=measure.on(response.target.task),
        learner=name_learner(estimator),
        ask=ask,
        seed=make_seed(facts) if options.rng is None and facts else Seeds.of(options.rng).entropy,
        facts=facts,
    )


def read_response(
    learners: Sequence[Estimator],
    y: object,
    metric: Metric | None,
    *,
    groups: ArrayLike | None,
    stratify: bool | ArrayLike | None = None,
    positive: object = None,
    requested: str | None = None,
) -> ResponsePlan:
    """Return the response to keep; refuse outcomes that a learner or the metric cannot handle."""
    strata = None if isinstance(stratify, bool | np.bool_) else stratify
    target = read_learner_outcome(
        learners[0], y, metric, positive=positive, groups=groups, strata=strata
    )
    check_size(target)
    if metric is None:
        return plan_response(None, target, learners, requested=requested)
    measure = metric.on(target.task)
    if target.task is Task.SURVIVAL:
        target = replace(target, times=add_times(target, [measure]))
    for learner in learners:
        plan = plan_response(measure, target, [learner], requested=requested)
        check_fits(plan, measure)
    return plan_response(measure, target, learners, requested=requested)


def identify_learners(
    kind: str, X: object, y: object, plan: ResponsePlan, learners: Mapping[str, Estimator]
) -> dict[str, str]:
    """Return what identifies a stored run of learners."""
    target, parts = plan.target, {}
    for word, learner in learners.items():
        parts.update(with_parts(word, learner, parameters_of(learner)))
    return {
        "kind": kind,
        "data": describe(X),
        "outcome": describe(y),
        "groups": describe(target.groups),
        "strata": describe(target.strata),
        **parts,
        "response": describe((str(plan.kind), plan.methods)),
        "classes": describe(target.classes),
        **find_versions(*learners.values()),
    }


def read_data(X: object, y: object) -> tuple[object, object]:
    """Return indexable cases and outcomes; refuse missing outcomes and different lengths."""
    X, y = match_rows(X, _take_one_column(make_survival_outcome(y)))
    for name, data in (("X", X), ("y", y)):
        if data is None or count_rows(data) == 0:
            raise InputError(
                f"{arg(name)} is {'missing' if data is None else 'empty'}",
                needs="cases, and an outcome for each of them",
            )
    values = as_array("y", y)
    if values.dtype.names is None and missing(values).any():
        raise InputError(
            "`y` has missing values",
            needs="an outcome for every case",
            got=f"{int(missing(values).sum())} without one",
        )
    return X, y


def _take_one_column(y: object) -> object:
    """Return the column of an outcome that is a table of one column."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) != 2 or shape[1] != 1:
        return y
    return y.iloc[:, 0] if hasattr(y, "iloc") else as_array("y", y)[:, 0]


def check_estimator(estimator: Estimator) -> None:
    """Refuse what cannot be cloned and fitted."""
    if isinstance(estimator, type) or not all(
        hasattr(estimator, name) for name in ("fit", "get_params", "set_params")
    ):
        raise InputError(
            "`estimator` is not an estimator",
            needs="an object with `fit`, `get_params` and `set_params`",
            got=check.show(estimator),
            cure=f"Write {estimator.__name__}()." if isinstance(estimator, type) else "",
        )
    refuse_inner_store(estimator)


def refuse_inner_store(estimator: Estimator) -> None:
    """Refuse a search with its own run file or live page, which belong to a single run."""
    params = estimator.get_params(deep=True)
    for name in params:
        last = name.rpartition("__")[2]
        if last not in ("store", "live") or params[name] is None:
            continue
        what = "keeps" if last == "store" else "shows"
        raise InputError(
            f"{arg(name)} of the learner {what} one run, and here each training set is another",
            needs=f"a learner without a {'store' if last == 'store' else 'live page'}",
            got=check.show(params[name]),
            cure=f"Say {name}=None there"
            + (f"; {arg('store')} of this call keeps all fits." if last == "store" else "."),
        )


def check_size(target: Target) -> None:
    """Refuse a single case, a single group, and classes of one case."""
    if target.n < 2:
        raise InputError("there is only one case", needs="at least 2 cases", got=f"{target.n}")
    if target.groups is not None and len(np.unique(target.groups)) == 1:
        raise InputError(
            "all cases are in one group", needs="at least 2 groups, to test on one of them"
        )
    if target.has_classes:
        counts = np.bincount(target.y, minlength=len(target.classes))
        single = [target.classes[int(code)] for code in np.flatnonzero(counts == 1)]
        if single:
            raise InputError(
                f"class {single[0]!r} has one case, which can train or test, but not both",
                needs="at least 2 cases of every class",
                got=f"{len(single)} class{'es' * (len(single) > 1)} with one case",
                cure="Leave that class out, or merge it with another.",
            )


def warn_of_few_cases(target: Target) -> Iterator[Caution]:
    """Yield a caution if there are fewer than ten cases."""
    if target.n < FEW_CASES:
        yield of_limits.fewer_than_ten(target.n)


def name_learner(estimator: Estimator) -> str:
    """Return the name of a learner: its class, or that of the last step of a pipeline.

    Examples
    --------
    >>> from earnest.training.learners.named import make_learner
    >>> from earnest.training.assess.question import name_learner
    >>> name_learner(make_learner("lda", "binary"))
    'LinearDiscriminantAnalysis'
    """
    steps = getattr(estimator, "steps", None)
    return name_learner(steps[-1][1]) if steps else type(estimator).__name__
