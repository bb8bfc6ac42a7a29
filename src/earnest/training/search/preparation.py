"""Everything that is read and refused before the first fit of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Seeds
from earnest.core.base.threads import workers
from earnest.core.data.target import Target
from earnest.core.results.interval import Ask
from earnest.engine.backends import count_ahead
from earnest.engine.identity.identity import describe
from earnest.engine.limits import Limit
from earnest.methods.run import configured
from earnest.training.fit.cell import Training
from earnest.training.fit.identity import search_identity, seed_of, with_splits
from earnest.training.fit.problem import Problem, read_problem, survival_outcome
from earnest.training.fit.routing import Routed, route
from earnest.training.fit.rows import count_rows
from earnest.training.fit.splits import Splits, make_splits
from earnest.training.search.candidates import (
    DynamicCandidates,
    Setting,
    StaticCandidates,
    check_settings,
    distinct_kinds,
    read_candidates,
)
from earnest.training.search.scoring import Scoring, read_scoring


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """A search that is ready to run.

    Attributes
    ----------
    training : Training
        What all fits share.
    candidates : StaticCandidates or DynamicCandidates
        What is tried.
    scoring : Scoring
        What candidates are scored by.
    problem : Problem
        The outcome, the metric of the estimate and the response that is kept.
    routed : Routed
        Where the further arguments of `fit` go.
    seed : int
        The root of all randomness.
    identity : mapping
        What a stored run must agree in to be resumed.
    """

    training: Training
    candidates: StaticCandidates | DynamicCandidates
    scoring: Scoring
    problem: Problem
    routed: Routed
    seed: int
    identity: Mapping[str, str]

    @property
    def splits(self) -> Splits:
        """The splits."""
        return self.training.splits


def prepare(search: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Prepared:
    """Read the data and all knobs of a search, and refuse what cannot work."""
    check_knobs(search)
    base = search.base_estimator()
    raises = isinstance(search.error_score, str)
    scoring = read_scoring(base, search.scoring, refit=search.refit, raises=raises)
    X, y = same_rows(X, survival_outcome(y))
    routed = route(search, scoring.call, params, count_rows(X))
    facts = search_identity(search, base, X, y, routed)
    candidates, seed = _drawn(search, facts)
    kinds = _kinds(candidates)
    check_settings(base, kinds)
    splits = _splits(search, base, X, y, seed, routed)
    problem = read_problem(
        base,
        y,
        scoring=search.scoring,
        scorers=scoring,
        refit=search.refit,
        metric=search.metric,
        models=[setting.made_from(base) for setting in kinds],
        response=search.response,
        groups=routed.split.get("groups"),
        ordered=splits.ordered,
        raises=raises,
    )
    if splits.oddity:
        problem = replace(problem, plan=None, refusal=splits.oddity)
    return Prepared(
        training=_training(search, base, X, y, splits, scoring, problem, routed, seed),
        candidates=candidates,
        scoring=scoring,
        problem=problem,
        routed=routed,
        seed=seed,
        identity=with_splits(facts, splits),
    )


def for_outcome(prepared: Prepared, target: Target) -> Prepared:
    """Return a search whose outcome is read with another positive class, or with strata.

    The classes belong to the identity of a stored run, whose responses are encoded by them.
    """
    plan = prepared.problem.plan
    assert plan is not None
    if target.classes == plan.target.classes and target.strata is None:
        return prepared
    own = replace(plan, target=replace(target, ordered=prepared.splits.ordered))
    said = {} if target.classes == plan.target.classes else {"classes": describe(target.classes)}
    return replace(
        prepared,
        training=replace(prepared.training, plan=own),
        problem=replace(prepared.problem, plan=own),
        identity={**prepared.identity, **said},
    )


def same_rows(X: Any, y: Any) -> tuple[Any, Any]:
    """Return the data as rows can be taken of them; as many outcomes as rows."""
    from sklearn.utils import indexable

    try:
        made_X, made_y = indexable(X, y)
    except (ValueError, TypeError) as error:
        raise InputError("X and y do not go together", got=str(error)) from error
    return made_X, made_y


def _splits(search: Any, base: Any, X: Any, y: Any, seed: int, routed: Routed) -> Splits:
    from sklearn.base import is_classifier

    return make_splits(
        search.cv,
        X,
        y,
        classifier=is_classifier(base),
        n_repeats=search.n_repeats,
        seeds=Seeds(seed),
        params=routed.split,
        odd=True,
    )


def _training(
    search: Any,
    base: Any,
    X: Any,
    y: Any,
    splits: Splits,
    scoring: Scoring,
    problem: Problem,
    routed: Routed,
    seed: int,
) -> Training:
    from sklearn import get_config

    return Training(
        X=X,
        y=y,
        base=base,
        splits=splits,
        scorer=scoring.call,
        plan=problem.plan,
        fit_params=routed.fit,
        score_params=routed.score,
        return_train_score=bool(search.return_train_score),
        seed=None if search.random_state is None and search.store is None else seed,
        config=get_config(),
    )


def _drawn(
    search: Any, facts: Mapping[str, str]
) -> tuple[StaticCandidates | DynamicCandidates, int]:
    """Return the candidates and the seed of everything else.

    Candidates are drawn exactly as scikit-learn's RandomizedSearchCV draws them. With a store and
    no `random_state` the seed is made from the question itself, so that the same call resumes.
    """
    given = search.random_state
    if given is None and search.store is not None:
        given = seed_of(facts)
    if isinstance(given, np.random.Generator | np.random.SeedSequence):
        given = Seeds.of(given).entropy % 2**32
    candidates = read_candidates(
        search.given_candidates,
        n_iter=search.n_iter,
        random_state=given,
        sampled=search.param_distributions is not None,
    )
    return candidates, Seeds.of(given).entropy


def _kinds(candidates: StaticCandidates | DynamicCandidates) -> list[Setting]:
    if isinstance(candidates, StaticCandidates):
        return distinct_kinds(candidates.settings)
    return [Setting({})]


def check_knobs(search: Any) -> None:
    """Refuse settings of a search that are wrong whatever the data."""
    base = search.base_estimator()
    if isinstance(base, type) or not hasattr(base, "fit") or not hasattr(base, "get_params"):
        raise InputError(
            "`estimator` is no estimator",
            needs="an object with `fit`, `get_params` and `set_params`",
            got=check.show(base),
            cure=f"Write {base.__name__}()." if isinstance(base, type) else "",
        )
    if search.error_score != "raise" and not isinstance(search.error_score, Real):
        raise InputError(
            "`error_score` is unknown",
            needs="'raise' or a number",
            got=check.show(search.error_score),
        )
    if not isinstance(search.refit, bool | np.bool_ | str) and not callable(search.refit):
        raise InputError(
            "`refit` cannot be read",
            needs="True, False, the name of a score, or a callable",
            got=check.show(search.refit),
        )
    Ask.of(search.confidence_level, "two-sided")
    configured(search.method, n_resamples=search.n_resamples)
    workers(search.n_jobs)
    count_ahead(search.pre_dispatch, 1)
    Limit.of(search.time_limit)
    _check_seed(search.random_state)
    if search.drop is not None or search.stop_when_width is not None:
        _check_rounds(search)


def _check_seed(given: Any) -> None:
    kinds = (np.random.Generator, np.random.SeedSequence, np.random.RandomState)
    number = isinstance(given, int | np.integer) and not isinstance(given, bool) and given >= 0
    if given is not None and not number and not isinstance(given, kinds):
        raise InputError(
            "`random_state` cannot seed anything",
            needs="None, a non-negative int, numpy.random.RandomState, Generator or SeedSequence",
            got=check.show(given),
        )


def _check_rounds(search: Any) -> None:
    from earnest.training.search.dropping.bced import dropping_of
    from earnest.training.search.dropping.stopping import stop_rule

    dropping_of(search.drop)
    stop_rule(search)
    if isinstance(search.given_candidates, DynamicCandidates):
        raise InputError(
            "a dynamic search has no rounds",
            needs="candidates that are known in advance, for `drop` or `stop_when_width`",
            got=check.show(search.given_candidates),
            cure="Leave `drop` and `stop_when_width` out.",
        )
