"""What is asked of a learner: data, outcome, metric and response, read before any training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.arrays import as_array, missing
from earnest.core.base.errors import InputError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import Ask
from earnest.core.results.specs import Side
from earnest.engine.identity import describe, parameters_of, versions, with_parts
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.metrics.responding import check_fits
from earnest.training.fit.problem import make_empty_predictions, make_survival_outcome, read_outcome
from earnest.training.fit.response import ResponsePlan, count_rows, plan_response
from earnest.training.fit.splits import check_seeded, make_seed
from earnest.training.protocols import Estimator
from earnest.training.search.preparation import match_rows

FEW_CASES = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnerQuestion:
    """A learner, its data, and what is measured.

    Attributes
    ----------
    estimator : estimator
        The unfitted learner.
    X, y : array-like
        The data, as rows can be taken of them.
    response : ResponsePlan
        What is kept of a model's predictions; it knows the outcome.
    metric : Metric
        What is measured, on its task.
    learner : str
        What the learner is called.
    ask : Ask
        The level and the side.
    seed : int
        The root of all randomness.
    drawn : bool
        Whether the seed was given, and not made from the question itself.
    facts : dict of str
        What a stored run must share with this one; none without a store.
    """

    estimator: Estimator
    X: object
    y: object
    response: ResponsePlan
    metric: Metric
    learner: str
    ask: Ask
    seed: int
    drawn: bool
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
    estimator: Estimator,
    X: object,
    y: object,
    *,
    metric: MetricLike,
    groups: ArrayLike | None,
    strata: bool | ArrayLike | None,
    positive: object,
    cv: object,
    confidence_level: float,
    side: Side | str,
    rng: RngLike,
    n_jobs: int | None,
    stored: bool,
) -> LearnerQuestion:
    """Read all that is asked, and refuse what cannot be answered."""
    check_estimator(estimator)
    workers(n_jobs)
    ask = Ask.of(confidence_level, side)
    measure = resolve_metric(metric)
    X, y = read_data(X, y)
    layers = None if strata is None or isinstance(strata, bool | np.bool_) else strata
    target = read_outcome(estimator, y, measure, positive=positive, groups=groups, strata=layers)
    if target.task in measure.tasks:
        measure = measure.on(target.task)
    check_size(target)
    response = plan_response(measure, target, [estimator])
    check_fits(make_empty_predictions(response), measure)
    facts: dict[str, str] = {}
    if stored:
        check_seeded(cv)
        facts = {
            "kind": "assessment",
            "data": describe(X),
            "outcome": describe(y),
            "groups": describe(target.groups),
            **with_parts("estimator", estimator, parameters_of(estimator)),
            "response": describe((str(response.kind), response.methods, target.classes)),
            **versions(estimator),
        }
    derived = rng is None and stored
    return LearnerQuestion(
        estimator=estimator,
        X=X,
        y=y,
        response=response,
        metric=measure,
        learner=name_learner(estimator),
        ask=ask,
        seed=make_seed(facts) if derived else Seeds.of(rng).entropy,
        drawn=not derived,
        facts=facts,
    )


def read_data(X: object, y: object) -> tuple[object, object]:
    """Return the cases and their outcomes as rows can be taken of them; some, and as many."""
    X, y = match_rows(X, _take_one_column(make_survival_outcome(y)))
    for name, given in (("X", X), ("y", y)):
        if given is None or count_rows(given) == 0:
            raise InputError(
                f"`{name}` is {'missing' if given is None else 'empty'}",
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
    """Return an outcome that is a table of one column as that column."""
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
    """Refuse a search with a run file or a live page of its own, which belongs to one run."""
    params = estimator.get_params(deep=True)
    for name in params:
        last = name.rpartition("__")[2]
        if last not in ("store", "live") or params[name] is None:
            continue
        what = "keeps" if last == "store" else "shows"
        raise InputError(
            f"`{name}` of the learner {what} one run, and here each training set is another",
            needs=f"a learner without a {'store' if last == 'store' else 'live page'}",
            got=check.show(params[name]),
            cure=f"Say {name}=None there"
            + ("; `store` of this call keeps all fits." if last == "store" else "."),
        )


def check_size(target: Target) -> None:
    """Refuse a single case, and a class of one: it could train or test, but not both."""
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
    """Yield a caution where there are fewer than ten cases."""
    if target.n < FEW_CASES:
        yield Caution(
            "EN093",
            f"There are {target.n} cases.",
            "So few can neither train nor test a model: the value is little more than chance, "
            "and every interval is rough.",
            "Use more cases.",
        )


def name_learner(estimator: Estimator) -> str:
    """Return what a learner is called: its class, or that of the last step of a pipeline.

    Examples
    --------
    >>> from earnest.training.learners.named import make_learner
    >>> from earnest.training.assess.question import name_learner
    >>> name_learner(make_learner("lda", "binary"))
    'LinearDiscriminantAnalysis'
    """
    steps = getattr(estimator, "steps", None)
    return name_learner(steps[-1][1]) if steps else type(estimator).__name__
