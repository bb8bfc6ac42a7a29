"""Training a learner again on bootstrap samples: the evidence of the bootstrap estimators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.arguments.shared import GROUPS
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Key, Progress, Store, TaskOutcome
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.cautions import of_evidence, of_search
from earnest.core.data.replicates import DrawUnit, Replicates
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg
from earnest.engine.identity import describe
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.training.assess.question import (
    check_estimator,
    identify_learners,
    read_data,
    read_response,
    warn_of_few_cases,
)
from earnest.training.fit.experiment import RESPONSE, Cell, Experiment
from earnest.training.fit.ledger import explain_failure
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.run import RunOptions, run_all
from earnest.training.fit.samples import (
    ALL_CASES,
    MOST_SAMPLES,
    Samples,
    find_inner_place,
    find_inner_splits,
    refuse_fixed_splits,
)
from earnest.training.fit.splits import make_seed
from earnest.training.protocols import Estimator

MOST_FAILED = 0.1  # the share of replicates that may fail
MOST_INNER = 1000


def bootstrap_train(
    estimator: Estimator,
    X: object,
    y: object,
    *,
    n_replicates: int = 200,
    metric: MetricLike | None = None,
    response: str | None = None,
    stratify: bool | ArrayLike | None = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    n_jobs: int | None = None,
    store: str | Path | Store | None = None,
    time_limit: float | None = None,
    progress: Progress | bool | None = None,
    name: str | None = None,
    n_inner: int = 0,
    rng: RngLike = None,
) -> Replicates:
    """Train a learner again on bootstrap samples, and keep what every model says of every case.

    What is trained is the whole learner: of a pipeline all steps, of a `SearchCV` the whole
    search, so that tuning is part of what is judged. Inside a sample all copies of a case stay on
    one side of the learner's own splits (`cv`). Hand the result to `earnest.estimate`.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn estimator, a pipeline or a search included.
    X, y : array-like
        The cases and their outcome; for survival y is a structured array, or a pair of events
        and times.
    n_replicates : int
        The number of bootstrap samples, B; 200 for a value, 1000 or more for its interval.
    metric : str, Metric or callable, optional
        What will be measured: it decides which response is kept, and whether classes are drawn
        apart. Without one the richest response is kept.
    response : {'predict_proba', 'decision_function', 'predict'}, optional
        The response to keep, chosen explicitly.
    stratify : bool or array-like, optional
        Whether every class keeps its number of cases in a sample, or the strata that do. By
        default they do for metrics that need all classes, such as the AUC, unless there are groups.
    groups : array-like, shape (n,), optional
        Units that are drawn whole.
    positive : label, optional
        The positive class; by default the last one, as in scikit-learn, or the other one where
        the last is called so ('control', 'no', 'healthy').
    n_jobs : int, optional
        How many samples are trained at once; never changes the result.
    store : path or Store, optional
        Where finished samples are kept, so that the same call continues where it stopped, and one
        with more replicates adds to them.
    time_limit : float, optional
        Seconds for each sample.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it.
    name : str, optional
        What the learner is called in results; its class by default.
    n_inner : int
        How many samples of each sample are trained on, too, for the two-stage interval of
        'refined': `n_replicates * (1 + n_inner) + 1` models in all.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of samples, and of the parts of the learner that have none.

    Returns
    -------
    Replicates
        The responses (B, n), the counts (B, n) and the response of the model of all cases.

    Raises
    ------
    InputError, MetricError
        Before any training, where the data, the learner and the metric do not go together; and
        after it where more than a tenth of the replicates failed.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 30)
    >>> X = y[:, None] + rng.standard_normal((60, 2))
    >>> asked = {"metric": "accuracy", "n_replicates": 50, "rng": 0}
    >>> made = en.bootstrap_train(LogisticRegression(), X, y, **asked)
    >>> en.estimate(made, method=".632+", metric="accuracy")
    accuracy 0.77, 95 % interval [0.68, 0.87] (.632+, n=60)
    """
    check.whole_number("n_replicates", n_replicates, low=1, high=MOST_SAMPLES)
    check.whole_number("n_inner", n_inner, low=0, high=MOST_INNER)
    measure = None if metric is None else resolve_metric(metric)
    check_estimator(estimator)
    X, y = read_data(X, y)
    plan = read_response(
        [estimator],
        y,
        measure,
        groups=groups,
        stratify=stratify,
        positive=positive,
        requested=response,
    )
    return train_replicates(
        estimator,
        X,
        y,
        plan,
        measure,
        stratify=stratify,
        n_replicates=n_replicates,
        options=RunOptions(n_jobs=n_jobs, store=store, time_limit=time_limit, progress=progress),
        name=name or type(estimator).__name__,
        n_inner=n_inner,
        rng=rng,
    )


def train_replicates(
    estimator: Estimator,
    X: object,
    y: object,
    plan: ResponsePlan,
    metric: Metric | None,
    *,
    stratify: bool | ArrayLike | None,
    n_replicates: int,
    options: RunOptions,
    name: str,
    rng: RngLike,
    n_inner: int = 0,
) -> Replicates:
    """Train a learner on bootstrap samples of data that were already read and checked."""
    from sklearn import get_config

    target = plan.target
    refuse_fixed_splits(estimator)
    all_classes = metric is not None and metric.needs_all_classes and target.has_classes
    drawn = choose_drawn_units(stratify, target.groups is not None, all_classes)
    facts = {
        **identify_learners("replicates", X, y, plan, {"estimator": estimator}),
        "drawn": f"{drawn}{', every class on both sides' if all_classes else ''}",
    }
    derived = rng is None and options.store is not None
    seed = make_seed(facts) if derived else Seeds.of(rng).entropy
    samples = Samples(target=target, drawn=drawn, both_sides=all_classes, seed=seed)
    samples.draw_counts(0)  # refuses what can never be drawn, before any training
    experiment = Experiment(
        X=X, y=y, base=estimator, rows=samples, plan=plan, seed=seed, config=get_config()
    )
    cells = [EngineTask((b,), Cell(b, (b - ALL_CASES,))) for b in range(ALL_CASES, n_replicates)]
    cells += [
        EngineTask((b, i), Cell(find_inner_place(b, i), (b - ALL_CASES, i + 1)))
        for b in range(n_replicates)
        for i in range(n_inner)
    ]
    results = run_all(
        experiment,
        cells,
        options,
        identity={**facts, "seed": describe(seed)},
        title="Bootstrap samples",
    )
    return _collect(samples, plan, results, n_inner, name, _warn_of_split_copies(estimator))


def choose_drawn_units(
    stratify: bool | ArrayLike | None, grouped: bool, all_classes: bool
) -> DrawUnit:
    """Return what is drawn: groups, cases by stratum, or cases."""
    apart = stratify is not None and stratify is not False
    if grouped and apart:
        raise InputError(
            "groups and strata cannot be combined",
            needs=f"{GROUPS} or {arg('stratify')}",
            got="both",
            cure=f"Leave {arg('stratify')} out: samples that lack a class are drawn again.",
        )
    if grouped:
        return DrawUnit.GROUPS
    return DrawUnit.STRATIFIED if apart or (stratify is None and all_classes) else DrawUnit.CASES


def _collect(
    samples: Samples,
    plan: ResponsePlan,
    outcomes: Mapping[Key, TaskOutcome],
    n_inner: int,
    learner: str,
    cautions: Iterable[Caution],
) -> Replicates:
    """Return the replicates; refuse if the model of all cases, or too many others, failed.

    A replicate of which a sample of its sample failed counts as failed, too.
    """
    count = sum(len(key) == 1 for key in outcomes) - 1
    whole = outcomes[ALL_CASES,]
    keys = [((b,), *((b, i) for i in range(n_inner))) for b in range(count)]
    if whole.failed:
        raise InputError(
            f"{learner} cannot be trained on all cases, or cannot predict them",
            needs="a learner that can handle these cases",
            got=explain_failure(whole),
        )
    failed = [next((key for key in some if outcomes[key].failed), None) for some in keys]
    good = [b for b in range(count) if failed[b] is None]
    bad = [outcomes[key] for key in failed if key is not None]
    if len(bad) > MOST_FAILED * count:
        raise InputError(
            f"{learner} failed on {len(bad)} of {count} bootstrap samples",
            needs=f"at most {MOST_FAILED:.0%} that fail",
            got=explain_failure(bad[0]),
            cure="Make the learner robust against samples with repeated and missing cases.",
        )
    replicates = Replicates(
        target=samples.target,
        responses=np.stack([outcomes[b,].arrays[RESPONSE] for b in good]),
        counts=np.stack([samples.draw_counts(b) for b in good]),
        apparent=whole.arrays[RESPONSE],
        kind=plan.kind,
        drawn=samples.drawn,
        learner=learner,
        n_failed=len(bad),
        seed=samples.seed,
        cautions=(
            *warn_of_few_cases(samples.target),
            *_warn_of_failures(bad, count),
            *cautions,
        ),
    )
    if not n_inner:
        return replicates
    pairs = [(b, i) for b in good for i in range(n_inner)]
    inner = replace(
        replicates,
        responses=np.stack([outcomes[pair].arrays[RESPONSE] for pair in pairs]),
        counts=np.stack([samples.draw_inner(*pair) for pair in pairs]),
        n_failed=0,
        cautions=(),
    )
    return replace(replicates, inner=inner)


def _warn_of_failures(bad: list[TaskOutcome], count: int) -> Iterator[Caution]:
    if bad:
        yield of_search.samples_failed(len(bad), count, explain_failure(bad[0]))


def _warn_of_split_copies(estimator: Estimator) -> Iterator[Caution]:
    bound = find_inner_splits(estimator)[1]
    if bound:
        yield of_evidence.copies_in_inner_splits(tuple(bound))
