"""Everything that is read and refused before the first fit of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.arrays import refuse_other_order
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Seeds
from earnest.core.base.threads import workers
from earnest.core.data.ensembles import EnsembleRule
from earnest.core.results.interval import Ask
from earnest.engine.backends import count_ahead
from earnest.engine.identity.identity import describe, parameters_of, versions, with_parts
from earnest.engine.limits import TaskLimit
from earnest.training.fit.experiment import Configuration, Experiment
from earnest.training.fit.problem import Problem, make_survival_outcome, read_problem
from earnest.training.fit.routing import FitArguments, route
from earnest.training.fit.rows import count_rows
from earnest.training.fit.scoring import Scoring, read_scoring
from earnest.training.fit.splits import Splits, add_splits, check_seeded, make_seed, make_splits
from earnest.training.protocols import Estimator, Params
from earnest.training.search.candidates import (
    DEFAULT_DRAWS,
    DynamicCandidates,
    StaticCandidates,
    check_configurations,
    find_kinds,
    read_candidates,
)
from earnest.training.search.estimate import name_method
from earnest.training.search.options import SearchOptions


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchSetup:
    """A search that is ready to run.

    Attributes
    ----------
    experiment : Experiment
        What all fits share.
    splits : Splits
        The splits.
    candidates : StaticCandidates or DynamicCandidates
        What is tried.
    scoring : Scoring
        What candidates are scored by.
    problem : Problem
        The outcome, the metric of the estimate and the response that is kept.
    routed : FitArguments
        Where the further arguments of `fit` go.
    seed : int
        The root of all randomness.
    identity : mapping
        What a stored run must agree in to be resumed.
    """

    experiment: Experiment
    splits: Splits
    candidates: StaticCandidates | DynamicCandidates
    scoring: Scoring
    problem: Problem
    routed: FitArguments
    seed: int
    identity: Mapping[str, str]


def prepare(options: SearchOptions, X: object, y: object, params: Params) -> SearchSetup:
    """Read the data and all knobs of a search, and refuse what cannot work."""
    check_options(options)
    base = options.base_estimator
    options = replace(options, response=_choose_response(options, base))
    scoring = read_scoring(base, options.scoring, refit=options.refit, raises=options.raises)
    X, y = match_rows(X, make_survival_outcome(y))
    routed = route("SearchCV", base, scoring.call, options.cv, params, count_rows(X))
    facts = _identify(options, base, X, y, routed)
    candidates, seed = _draw_candidates(options, facts)
    kinds = _find_kinds(candidates)
    check_configurations(base, kinds)
    splits = _make_splits(options, base, X, y, seed, routed)
    problem = read_problem(
        base,
        y,
        scoring=options.scoring,
        scorers=scoring,
        refit=options.refit,
        metric=options.metric,
        models=[configuration.make_from(base) for configuration in kinds],
        response=options.response,
        groups=cast(ArrayLike | None, routed.split.get("groups")),
        ordered=splits.ordered,
        raises=options.raises,
    )
    if splits.oddity:
        problem = replace(problem, plan=None, refusal=splits.oddity)
    return SearchSetup(
        experiment=_make_experiment(options, base, X, y, splits, scoring, problem, routed, seed),
        splits=splits,
        candidates=candidates,
        scoring=scoring,
        problem=problem,
        routed=routed,
        seed=seed,
        identity=add_splits(facts, splits),
    )


def _choose_response(options: SearchOptions, base: Estimator) -> str | None:
    """Return what is kept of a classifier: probabilities, where an ensemble averages them."""
    from sklearn.base import is_classifier

    if options.ensemble is None or options.response is not None or not is_classifier(base):
        return options.response
    return "predict_proba"


def _identify(
    options: SearchOptions, base: Estimator, X: object, y: object, routed: FitArguments
) -> dict[str, str]:
    """Return the facts that a stored search must share with this one; none without a store.

    What only concerns the way there (`n_jobs`, `time_limit`), which cells are run (`drop`,
    `stop_when_width`) or what is made of them (`refit`, `method`, `error_score`) may differ.
    """
    if options.store is None:
        return {}
    check_seeded(options.cv)
    grid = options.given_candidates if isinstance(options.given_candidates, dict) else {}
    beside = _list_arguments(routed)
    return {
        "data": describe(X),
        "outcome": describe(y),
        **with_parts("arguments of fit", beside, beside),
        **with_parts("estimator", base, parameters_of(base)),
        **with_parts("candidates", options.given_candidates, grid),
        "n_iter": describe(_count_draws(options)),
        "scoring": describe(options.scoring),
        "metric": describe(options.metric),
        "response": describe(options.response),
        "return_train_score": describe(bool(options.return_train_score)),
        "seed": describe(options.random_state),
        **versions(base, options.given_candidates),
    }


def _count_draws(options: SearchOptions) -> int | None:
    """Return how many candidates are drawn: of lists by one name ten, by the others all."""
    sampled = options.n_iter is None and options.param_distributions is not None
    return DEFAULT_DRAWS if sampled else options.n_iter


def _list_arguments(routed: FitArguments) -> dict[str, object]:
    """Return what was passed to `fit` beside the data, by name and where it goes."""
    places = {"fit": routed.fit, "split": routed.split, "score": routed.score}
    return {
        f"{name} for {place}": value
        for place, given in places.items()
        for name, value in given.items()
        if value is not None
    }


def match_rows(X: object, y: object) -> tuple[object, object]:
    """Return the data as rows can be taken of them; as many outcomes as rows."""
    from sklearn.utils import indexable

    refuse_other_order({"X": X, "y": y})
    try:
        made_X, made_y = indexable(X, y)
    except (ValueError, TypeError) as error:
        raise InputError("X and y do not match", got=str(error)) from error
    return made_X, made_y


def _make_splits(
    options: SearchOptions, base: Estimator, X: object, y: object, seed: int, routed: FitArguments
) -> Splits:
    from sklearn.base import is_classifier

    return make_splits(
        options.cv,
        X,
        y,
        classifier=is_classifier(base),
        n_repeats=options.n_repeats,
        seeds=Seeds(seed),
        params=routed.split,
        odd=True,
    )


def _make_experiment(
    options: SearchOptions,
    base: Estimator,
    X: object,
    y: object,
    splits: Splits,
    scoring: Scoring,
    problem: Problem,
    routed: FitArguments,
    seed: int,
) -> Experiment:
    from sklearn import get_config

    return Experiment(
        X=X,
        y=y,
        base=base,
        rows=splits,
        scorer=scoring.call,
        plan=problem.plan,
        fit_params=routed.fit,
        score_params=routed.score,
        return_train_score=bool(options.return_train_score),
        seed=None if options.random_state is None and options.store is None else seed,
        config=get_config(),
    )


def _draw_candidates(
    options: SearchOptions, facts: Mapping[str, str]
) -> tuple[StaticCandidates | DynamicCandidates, int]:
    """Return the candidates and the seed of everything else.

    Candidates are drawn exactly as scikit-learn's RandomizedSearchCV draws them. With a store and
    no `random_state` the seed is made from the question itself, so that the same call resumes.
    """
    given = options.random_state
    if given is None and options.store is not None:
        given = make_seed(facts)
    if isinstance(given, np.random.Generator | np.random.SeedSequence):
        given = Seeds.of(given).entropy % 2**32
    candidates = read_candidates(
        options.given_candidates,
        n_iter=options.n_iter,
        random_state=given,
        sampled=options.param_distributions is not None,
    )
    return candidates, Seeds.of(given).entropy


def _find_kinds(candidates: StaticCandidates | DynamicCandidates) -> list[Configuration]:
    if isinstance(candidates, StaticCandidates):
        return find_kinds(candidates.configurations)
    return [Configuration({})]


def check_options(options: SearchOptions) -> None:
    """Refuse settings of a search that are wrong whatever the data."""
    base = options.base_estimator
    if isinstance(base, type) or not hasattr(base, "fit") or not hasattr(base, "get_params"):
        raise InputError(
            "`estimator` is not an estimator",
            needs="an object with `fit`, `get_params` and `set_params`",
            got=check.show(base),
            cure=f"Write {base.__name__}()." if isinstance(base, type) else "",
        )
    missing: object = options.error_score
    if missing != "raise" and not isinstance(missing, Real):
        raise InputError(
            "`error_score` is unknown",
            needs="'raise' or a number",
            got=check.show(missing),
        )
    known = isinstance(options.refit, bool | np.bool_ | str | EnsembleRule)
    if not known and not callable(options.refit):
        raise InputError(
            "`refit` cannot be read",
            needs="True, False, the name of a score, an ensemble rule, or a callable",
            got=check.show(options.refit),
        )
    Ask.of(options.confidence_level, "two-sided")
    name_method(options.method, options.n_resamples, options.ensemble)
    workers(options.n_jobs)
    count_ahead(options.pre_dispatch, 1)
    TaskLimit.of(options.time_limit)
    _check_seed(options.random_state)
    if options.drop is not None or options.stop_when_width is not None:
        _check_rounds(options)


def _check_seed(given: object) -> None:
    kinds = (np.random.Generator, np.random.SeedSequence, np.random.RandomState)
    number = isinstance(given, int | np.integer) and not isinstance(given, bool) and given >= 0
    if given is not None and not number and not isinstance(given, kinds):
        raise InputError(
            "`random_state` is not a seed",
            needs="None, a non-negative int, numpy.random.RandomState, Generator or SeedSequence",
            got=check.show(given),
        )


def _check_rounds(options: SearchOptions) -> None:
    _ = options.dropping, options.stopping  # a rule that cannot be read is refused here
    if isinstance(options.given_candidates, DynamicCandidates):
        raise InputError(
            "a dynamic search cannot drop or stop early",
            needs="configurations that are known in advance",
            got=check.show(options.given_candidates),
            cure="Leave `drop` and `stop_when_width` out.",
        )
