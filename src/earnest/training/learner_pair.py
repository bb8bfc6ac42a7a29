"""What a comparison of two learners is asked with, read and checked before anything is trained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from earnest.comparison.asking import Asked
from earnest.core import check
from earnest.core.arrays import as_array, missing
from earnest.core.errors import InputError
from earnest.core.rng import RngLike
from earnest.core.target import Target
from earnest.engine.identity import describe, digest
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric
from earnest.metrics.responding import check_fits
from earnest.training.assess_question import check_size, refuse_inner_store
from earnest.training.candidates import StaticCandidates, read_candidates
from earnest.training.problem import nothing_yet, read_outcome, survival_outcome
from earnest.training.responses import plan_response, will_have


def learner_pair(a: Any, b: Any) -> StaticCandidates:
    """Return both learners with different names."""
    for word, given in (("a", a), ("b", b)):
        learner = given[1] if isinstance(given, tuple) and len(given) == 2 else given
        known = all(will_have(learner, name) for name in ("fit", "predict", "get_params"))
        if isinstance(learner, type) or not known or isinstance(given, list):
            raise InputError(
                f"`{word}` is no learner",
                needs="an estimator with `fit`, `predict` and `get_params`, or (name, estimator)",
                got=check.show(given),
                cure=f"Write {learner.__name__}()." if isinstance(learner, type) else "",
            )
        refuse_inner_store(learner)
    made = read_candidates([a, b])
    assert isinstance(made, StaticCandidates)
    return made


def check_kinds(pair: StaticCandidates) -> None:
    """Refuse a classifier beside a regressor."""
    from sklearn.base import is_classifier, is_regressor

    first, second = (setting.params["estimator"] for setting in pair.settings)
    for one, other in ((first, second), (second, first)):
        if is_classifier(one) and is_regressor(other):
            raise InputError(
                "a classifier and a regressor have no common metric",
                needs="two learners for one task",
                got=f"{type(one).__name__} and {type(other).__name__}",
            )


def metric_of(asked: Asked, metric: Any, y: Any) -> Metric:
    """Return the metric; tests of pairs have one of their own."""
    if metric is None and asked.test.spec.name == "lpob":
        survival = isinstance(survival_outcome(y), np.ndarray) and survival_outcome(y).dtype.names
        return resolve_metric("concordance" if survival else "roc_auc")
    if metric is None:
        raise InputError("`metric` is missing", needs="what to compare by, such as 'accuracy'")
    return resolve_metric(metric)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of the cases as a user gives it, and how it is to be read.

    Parameters
    ----------
    y : array-like
        The outcome.
    groups : array-like, optional
        Cases that belong together.
    stratify : bool or array-like, optional
        Whether classes are drawn apart, or the strata that are.
    positive : label, optional
        The positive class.
    """

    y: Any
    groups: ArrayLike | None = None
    stratify: bool | ArrayLike | None = None
    positive: Any = None

    def read(self, y: Any, learners: list[Any], metric: Metric) -> Target:
        """Return the outcome, and refuse one that no learner or no metric can take."""
        values = None if y is None else as_array("y", y)
        if values is None or values.size == 0:
            raise InputError("`y` is missing", needs="an outcome for every case")
        if values.dtype.names is None and missing(values).any():
            raise InputError("`y` has missing values", needs="an outcome for every case")
        strata = None if isinstance(self.stratify, bool | np.bool_) else self.stratify
        target = read_outcome(
            learners[0], y, metric, positive=self.positive, groups=self.groups, strata=strata
        )
        measure = metric.on(target.task) if target.task in metric.tasks else metric
        check_size(target)
        for learner in learners:
            check_fits(nothing_yet(plan_response(measure, target, [learner])), measure)
        return target


def refuse_given(asked: Asked, **given: Any) -> None:
    """Refuse arguments that a test has no use for."""
    spec = asked.test.spec
    for name, value in given.items():
        if value is not None:
            trains = "bootstrap samples" if name != "n_replicates" else "folds"
            use = "`n_replicates`" if name != "n_replicates" else "`cv` and `n_repeats`"
            raise InputError(
                f"`{name}` given for test {spec.name!r}, which trains on {trains}",
                needs=use,
                got=check.show(value),
                cure="Leave it out.",
            )


def resumable(rng: RngLike, store: Any, X: Any, y: Any) -> RngLike:
    """Return the seed; with a store and none given one of the data, so that the call resumes."""
    if rng is not None or store is None:
        return rng
    return int(digest(describe(X) + describe(survival_outcome(y))), 16) % 2**32


def store_files(store: Any) -> tuple[Any, Any]:
    """Return a file for each learner."""
    if store is None:
        return None, None
    if not isinstance(store, str | Path):
        raise InputError(
            "two learners on bootstrap samples need a file each",
            needs="a path",
            got=type(store).__name__,
        )
    path = Path(store)
    first, second = (path.with_name(f"{path.stem}-{end}{path.suffix}") for end in "ab")
    return first, second
