"""Reads and checks everything before the first fit of a search.

The configurations, and whether they were fixed in advance; where each argument of `fit` goes (to
the estimator, the splitter or the scorer); the problem, the folds, and what identifies the run.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from inspect import signature
from numbers import Real
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.arrays import refuse_other_order, refuse_unhashable
from earnest.core.base.errors import InputError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.data.case_weights import CaseWeights, refuse_case_weights
from earnest.core.data.selection import EnsembleRule
from earnest.core.results.specs import Guide
from earnest.core.text.doors import arg
from earnest.engine.backends import count_ahead
from earnest.engine.identity import describe, find_versions, parameters_of, with_parts
from earnest.engine.limits import TaskLimit
from earnest.methods.run import configure_for_search
from earnest.training.fit.experiment import LEARNER, WHOLE, Configuration, Experiment
from earnest.training.fit.problem import (
    Problem,
    Scoring,
    explain_no_estimate,
    keep_times,
    make_survival_outcome,
    read_problem,
    read_scoring,
)
from earnest.training.fit.response import METHODS, count_rows, cut_params
from earnest.training.fit.splits import Splits, add_splits, check_seeded, make_seed, make_splits
from earnest.training.fit.stages import Rounds
from earnest.training.protocols import Estimator, Params, Scorer

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter

    from earnest.training.search.options import SearchOptions


USERS_LINE = 5  # whoever called `fit`, which calls `prepare`, which calls `route`


@dataclass(frozen=True)
class FitArguments:
    """The arguments of `fit`, by where they go."""

    fit: Mapping[str, object]
    split: Mapping[str, object]
    score: Mapping[str, object]


def make_router(
    owner: str, estimator: Estimator, scorer: Scorer, splitter: object
) -> MetadataRouter:
    """Return the metadata router of a search, whose messages name its owner."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    fits = MethodMapping().add(caller="fit", callee="fit")
    scores = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
    splits = MethodMapping().add(caller="fit", callee="split")
    router = MetadataRouter(owner=owner).add(estimator=estimator, method_mapping=fits)
    router.add(scorer=scorer, method_mapping=scores)
    return router.add(splitter=splitter, method_mapping=splits)


def is_routing_enabled() -> bool:
    """Tell whether scikit-learn routes metadata by request."""
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing", False))


def route(
    owner: str,
    estimator: Estimator,
    scorer: Scorer,
    splitter: object,
    params: Params,
    n: int,
) -> FitArguments:
    """Return where each argument of `fit` goes.

    Without metadata routing, `groups` go to the splitter and the rest to the estimator. Sample
    weights also go to the scorer if this version of scikit-learn does so.
    """
    given = cut_params({name: value for name, value in params.items() if value is not None}, n)
    if is_routing_enabled():
        from sklearn.utils.metadata_routing import process_routing

        router = make_router(owner, estimator, scorer, splitter)
        routed = process_routing(router, "fit", **given)
        return FitArguments(routed.estimator.fit, routed.splitter.split, routed.scorer.score)
    groups = given.pop("groups", None)
    weights = given.get("sample_weight")
    scored = weights is not None and _is_weighing_scores() and _can_take_weights(scorer)
    return FitArguments(given, {"groups": groups}, {"sample_weight": weights} if scored else {})


def _is_weighing_scores() -> bool:
    """Tell whether scikit-learn's searches pass sample weights to scorers, as newer ones do."""
    from sklearn.model_selection import GridSearchCV

    return hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")


def _can_take_weights(scorer: Scorer) -> bool:
    """Tell whether any scorer accepts weights, and warn about each that does not."""
    several: Mapping[str, Scorer] | None = getattr(scorer, "_scorers", None)
    named = (
        {str(scorer): scorer} if several is None else {f"{k}={v}": v for k, v in several.items()}
    )
    takes = {name: _can_weigh(item) for name, item in named.items()}
    for name, accepted in takes.items():
        if not accepted:
            warnings.warn(
                f"The scoring {name} does not support sample_weight: configurations are fitted "
                "with weights and compared without them.",
                UserWarning,
                stacklevel=USERS_LINE,
            )
    return any(takes.values())


def _can_weigh(scorer: Scorer) -> bool:
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return (
        bool(accepts()) if accepts is not None else "sample_weight" in signature(scorer).parameters
    )


DEFAULT_DRAWS = 10  # configurations drawn from distributions, as in RandomizedSearchCV


class CandidatesTypeError(InputError, TypeError):
    """`candidates` has a type that cannot be searched; scikit-learn raises TypeError too."""


@dataclass(frozen=True)
class ConfigurationList:
    """Configurations that are all known before any is evaluated.

    Parameters
    ----------
    ids : tuple of str
        Their unique names.
    configurations : tuple of Configuration
        The configurations.
    """

    ids: tuple[str, ...]
    configurations: tuple[Configuration, ...]

    @property
    def estimators(self) -> list[Estimator]:
        """The estimators of configurations that are whole estimators."""
        return [
            configuration.estimator
            for configuration in self.configurations
            if configuration.estimator is not None
        ]

    def __len__(self) -> int:
        """Count the configurations."""
        return len(self.ids)


@runtime_checkable
class DescribedEstimator(Protocol):
    """A whole estimator with plain parameters that describe it, such as one of a portfolio.

    Results show these parameters, and explanations read them. They need not be those of the
    estimator.
    """

    name: str
    params: Params
    estimator: Estimator


class Asker(Protocol):
    """One run of a dynamic search.

    `ask` returns the next batch of configurations, or an empty list at the end. `tell` then
    receives their mean scores in the same order; greater is better, and NaN is a failure. The same
    seed and scores must give the same batches whatever the number of workers: a killed search is
    resumed by asking again.
    """

    def ask(self) -> Sequence[dict[str, object]]:
        """Return the next configurations to evaluate, none at the end."""
        ...

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the mean scores of the configurations that were asked for last."""
        ...


@runtime_checkable
class DynamicSearch(Protocol):
    """A search that proposes configurations from the scores of earlier ones.

    It holds only options; `start` makes the state of one run, so that a second fit starts again. A
    search that ignores scores, such as a random one, may set an attribute `static`.
    """

    def start(self, seed: int) -> Asker:
        """Start a run that depends only on this seed and on the scores that it is told."""
        ...

    def limit(self) -> int | None:
        """Return the largest number of configurations, or None if it is unknown."""
        ...


def read_candidates(
    given: object, *, n_iter: int | None = None, random_state: RngLike = None, sampled: bool = False
) -> ConfigurationList | DynamicSearch:
    """Return the configurations of the argument `candidates`.

    Parameters
    ----------
    given : dict, list or DynamicSearch
        A grid or distributions (a dict, or several in a list), estimators, (name, estimator)
        pairs or `DescribedEstimator`s, or a dynamic search.
    n_iter : int, optional
        How many to draw; None takes all points of a grid, and draws 10 from distributions.
    random_state : None, int or RandomState
        The seed of the draws.
    sampled : bool
        Whether lists of values are sampled without replacement, as RandomizedSearchCV does with
        `param_distributions`.
    """
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    if isinstance(given, DynamicSearch):
        _refuse_draws(n_iter, "a dynamic search, which has its own limit")
        return given
    if isinstance(given, Mapping):
        return _read_spaces([given], n_iter, random_state, sampled)
    if isinstance(given, ParameterGrid | ParameterSampler):
        _refuse_draws(n_iter, f"a {type(given).__name__}, which already defines what is tried")
        return _list_configurations(list(given))
    if isinstance(given, Iterator):
        raise InputError(
            "`candidates` can be read only once",
            needs="a list, which a copy of the search can read again",
            got=check.show(given),
            cure="Write list(...) around it.",
        )
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        items = list(given)
        if items and all(isinstance(item, Mapping) for item in items):
            return _read_spaces(items, n_iter, random_state, sampled)
        if items and not any(isinstance(item, Mapping) for item in items):
            _refuse_draws(n_iter, "a list of estimators, all of which are tried")
            return _read_estimators(items)
    raise CandidatesTypeError(
        "`candidates` cannot be read",
        needs="a dict of parameter values, a list of such dicts, a list of estimators or of "
        "(name, estimator) pairs, or a dynamic search",
        got=check.show(given),
    )


def find_base_estimator(options: SearchOptions) -> Estimator:
    """Return the estimator that configurations are made from, or the first of a list."""
    listed = find_first_estimator(options.given_candidates)
    if listed is not None:
        return listed
    if options.estimator is not None:
        return options.estimator
    raise InputError(
        "`estimator` is missing",
        needs="an estimator, unless `candidates` is a list of estimators",
    )


def find_first_estimator(candidates: object) -> Estimator | None:
    """Return the first of a list of whole estimators, or None if it is not such a list."""
    if isinstance(candidates, str | bytes | Mapping | Iterator) or not isinstance(
        candidates, Iterable
    ):
        return None
    first = next(iter(candidates), None)
    if first is None or isinstance(first, Mapping):
        return None
    candidates = read_candidates(candidates)
    assert isinstance(candidates, ConfigurationList)
    return candidates.estimators[0]


def _refuse_draws(n_iter: int | None, what: str) -> None:
    if n_iter is not None:
        raise InputError(
            "`n_iter` needs something to draw from",
            needs="a grid or distributions",
            got=what,
            cure="Leave `n_iter` out.",
        )


def _read_spaces(
    spaces: list[Mapping[str, object]], n_iter: int | None, random_state: RngLike, sampled: bool
) -> ConfigurationList:
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    drawn = [_check_space(space) for space in spaces]
    if n_iter is not None:
        check.whole_number("n_iter", n_iter, low=1)
    if n_iter is None and not any(drawn) and not sampled:
        return _list_configurations(list(ParameterGrid(spaces)))
    count = n_iter
    if count is None:  # scikit-learn warns where lists have fewer points, even if nobody said 10
        count = DEFAULT_DRAWS if any(drawn) else min(DEFAULT_DRAWS, len(ParameterGrid(spaces)))
    return _list_configurations(list(ParameterSampler(spaces, count, random_state=random_state)))


def _list_configurations(settings: list[dict[str, object]]) -> ConfigurationList:
    names = tuple(f"c{i}" for i in range(len(settings)))
    return ConfigurationList(names, tuple(Configuration(params) for params in settings))


def _check_space(space: Mapping[str, object]) -> bool:
    """Refuse what is neither a list nor a distribution; return whether there is a distribution."""
    drawn = False
    for name, values in space.items():
        if not isinstance(name, str):
            raise InputError("a hyperparameter has no name", needs="text", got=check.show(name))
        if hasattr(values, "rvs"):
            drawn = True
            continue
        listed = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)
        if not listed or getattr(values, "ndim", 1) != 1 or not len(cast(Sized, values)):
            raise (InputError if listed else CandidatesTypeError)(
                f"the values of hyperparameter {name!r} are not a list",
                needs="a list or one-dimensional array with at least one value, or a "
                "distribution with `rvs`",
                got=check.show(values),
                cure="" if listed else _suggest_writing(name, values),
            )
    return drawn


def _suggest_writing(name: str, values: object) -> str:
    """Return how to write a single value."""
    if type(values).__module__.startswith("optuna."):
        return "Pass an Optuna space to earnest.optuna_candidates(space, n_trials=...)."
    return f"Write {{{name!r}: [{check.show(values)}]}}."


def _read_estimators(items: list[object]) -> ConfigurationList:
    pairs = [_name_estimator(item) for item in items]
    counts = Counter(name for name, _ in pairs)
    given_twice = [name for name, times in counts.items() if times > 1]
    seen: Counter[str] = Counter()
    names = []
    for item, (name, _) in zip(items, pairs, strict=True):
        if name in given_twice and (isinstance(item, tuple) or _is_described(item)):
            raise InputError(
                "two configurations have the same name",
                needs="unique names",
                got=check.some(map(repr, given_twice)),
            )
        seen[name] += 1
        names.append(f"{name}-{seen[name]}" if name in given_twice else name)
    return ConfigurationList(tuple(names), tuple(_read_configuration(item) for item in items))


def _read_configuration(item: object) -> Configuration:
    if _is_described(item):
        return Configuration(dict(item.params), item.estimator)
    estimator = _name_estimator(item)[1]
    return Configuration({WHOLE: estimator}, estimator)


def _is_described(item: object) -> TypeGuard[DescribedEstimator]:
    return not _is_estimator(item) and isinstance(item, DescribedEstimator)


def _name_estimator(item: object) -> tuple[str, Estimator]:
    pair: tuple[object, ...] = (type(item).__name__, item)
    if isinstance(item, tuple):
        pair = item
    if _is_described(item):
        pair = (item.name, item.estimator)
    if len(pair) != 2 or not isinstance(pair[0], str) or not _is_estimator(pair[1]):
        raise InputError(
            "a configuration is neither parameters nor an estimator",
            needs="estimators with `fit` and `get_params`, (name, estimator) pairs, or objects "
            f"with `name`, {arg('params')} and `estimator`",
            got=check.show(item),
            cure=f"Write {item.__name__}()." if isinstance(item, type) else "",
        )
    return pair[0], pair[1]


def _is_estimator(value: object) -> TypeGuard[Estimator]:
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "get_params")


def find_kinds(configurations: Iterable[Configuration]) -> list[Configuration]:
    """Return one configuration of each kind: same parameter names, words and types of estimators.

    Different words and switches are different kinds, since the methods of an estimator can depend
    on them: an SVC has probabilities only if `probability` is on.
    """
    kinds: dict[object, Configuration] = {}
    for configuration in configurations:
        estimator = configuration.estimator
        shown = configuration.params if estimator is None else {WHOLE: estimator}
        kind = tuple((name, _find_kind(value)) for name, value in shown.items())
        kinds.setdefault(kind, configuration)
    return list(kinds.values())


def _find_kind(value: object) -> object:
    if hasattr(value, "get_params"):  # a pipeline answers what its last step can
        return type(value), tuple(hasattr(value, method) for method in METHODS)
    return value if isinstance(value, str | bool | np.bool_) else None


def check_configurations(base: Estimator, configurations: Iterable[Configuration]) -> None:
    """Refuse parameters that the estimator does not have, and name the nearest one."""
    for configuration in find_kinds(configurations):
        try:
            configuration.make_from(base)
        except (ValueError, AttributeError, TypeError) as error:
            raise _explain_unknown(base, configuration, error) from error


def _suggest_step(name: str, names: Sequence[str]) -> str:
    """Return the pipeline parameter that a name without its step may mean."""
    parameters = [parameter for parameter in names if parameter.endswith(f"__{name}")]
    return check.suggest_spelling(map(repr, parameters[:3]))


def _explain_unknown(base: Estimator, configuration: Configuration, error: Exception) -> InputError:
    names = list(base.get_params(deep=True))
    strange = [name for name in configuration.params if name not in names]
    if not strange:  # a value that the estimator's own set_params refuses
        return InputError("a configuration cannot be set", got=f"{configuration.params}: {error}")
    return InputError(
        f"{type(base).__name__} has no parameter {check.some(map(repr, strange))}",
        needs=check.some(names, limit=20),
        got=check.some(map(repr, configuration.params)),
        cure=check.nearest(strange[0], names)
        or _suggest_step(strange[0], names)
        or str(error).split(". ")[0],
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchSetup:
    """A search that is ready to run.

    Attributes
    ----------
    experiment : Experiment
        What all fits share.
    splits : Splits
        The splits.
    candidates : ConfigurationList or DynamicSearch
        The configurations.
    scoring : Scoring
        How configurations are scored.
    problem : Problem
        The outcome, the metric of the estimate and the response that is kept.
    routed : FitArguments
        Where the further arguments of `fit` go.
    seed : int
        The root of all randomness.
    identity : mapping
        What identifies the run; none without a store.
    guide : Guide, optional
        Which cases guide the search; None where no score does.
    """

    experiment: Experiment
    splits: Splits
    candidates: ConfigurationList | DynamicSearch
    scoring: Scoring
    problem: Problem
    routed: FitArguments
    seed: int
    identity: Mapping[str, str]
    guide: Guide | None = None

    def weigh(self, weights: CaseWeights) -> SearchSetup:
        """Return the same search whose scores and estimate count cases by their weights."""
        score = {**self.routed.score, "sample_weight": weights.values}
        problem = self.problem.weigh(weights.values, weights.kind)
        return replace(
            self,
            problem=problem,
            routed=replace(self.routed, score=score),
            experiment=replace(self.experiment, plan=problem.plan, score_params=score),
            identity={**self.identity, "weights": describe(weights.values)},
        )


def prepare(options: SearchOptions, X: object, y: object, params: Params) -> SearchSetup:
    """Read the data and all options of a search, and refuse what cannot work."""
    from sklearn import get_config
    from sklearn.base import is_classifier

    base = check_options(options)
    options = replace(options, response=_choose_response(options, base))
    scoring = read_scoring(base, options.scoring, refit=options.refit, raises=options.raises)
    X, y = match_rows(X, make_survival_outcome(y))
    routed = route("SearchCV", base, scoring.call, options.cv, params, count_rows(X))
    refuse_unhashable("y", y, huge=False)
    refuse_unhashable("groups", routed.split.get("groups"))
    facts = _identify(options, base, X, y, routed)
    candidates, seed = _draw_candidates(options, facts)
    kinds = [LEARNER]
    if isinstance(candidates, ConfigurationList):
        kinds = find_kinds(candidates.configurations)
    check_configurations(base, kinds)
    if options.n_stages:
        candidates = add_stages(candidates, base, options.n_stages)
    splits = make_splits(
        options.cv,
        X,
        y,
        classifier=is_classifier(base),
        n_repeats=options.n_repeats,
        seeds=Seeds(seed),
        params=routed.split,
        odd=True,
    )
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
        order=splits.order,
        raises=options.raises,
    )
    if problem.plan is not None:
        scoring = keep_times(scoring, problem.plan.target)
    if splits.oddity:
        problem = Problem(None, refusal=splits.oddity)
    problem = problem.weigh(routed.score.get("sample_weight"), options.weights)
    if options.ensemble is not None and problem.plan is not None:
        refuse_case_weights(
            problem.plan.target.weights, "an ensemble", "Let `refit` choose one configuration."
        )
    seeded = options.random_state is not None or options.store is not None
    return SearchSetup(
        experiment=Experiment(
            X=X,
            y=y,
            base=base,
            rows=splits,
            scorer=scoring.call,
            plan=problem.plan,
            fit_params=routed.fit,
            score_params=routed.score,
            return_train_score=bool(options.return_train_score),
            seed=seed if seeded else None,
            config=get_config(),
        ),
        splits=splits,
        candidates=candidates,
        scoring=scoring,
        problem=problem,
        routed=routed,
        seed=seed,
        identity=add_splits(facts, splits),
        guide=choose_guide(options, candidates, problem),
    )


def add_stages(
    candidates: ConfigurationList | DynamicSearch, base: Estimator, stages: int
) -> ConfigurationList:
    """Return the configurations, each with so many numbers of rounds."""
    if not isinstance(candidates, ConfigurationList):
        raise InputError(
            f"{arg('stages')} needs configurations that are known in advance",
            needs="a grid, distributions with `n_iter`, or a list of estimators",
            got=type(candidates).__name__,
            cure=f"Leave {arg('stages')} out, and search the number of rounds as well.",
        )
    ids: list[str] = []
    configurations: list[Configuration] = []
    for fit, (name, configuration) in enumerate(
        zip(candidates.ids, candidates.configurations, strict=True)
    ):
        model = configuration.make_from(base)
        rounds = Rounds.of(model)
        for count in rounds.spread(stages):
            ids.append(f"{name}@{count}")
            configurations.append(_stop_after(configuration, model, rounds.name, count, fit))
    return ConfigurationList(tuple(ids), tuple(configurations))


def _stop_after(
    configuration: Configuration, model: Estimator, name: str, count: int, fit: int
) -> Configuration:
    """Return a configuration that ends after so many rounds, as a stage of a fit."""
    from sklearn.base import clone

    if configuration.estimator is None:
        return Configuration({**configuration.params, name: count}, None, count, fit)
    stopped = clone(model).set_params(**{name: count})
    described = {name: value for name, value in configuration.params.items() if name != WHOLE}
    params = {**described, name: count} if described else {WHOLE: stopped}
    return Configuration(params, stopped, count, fit)


def _choose_response(options: SearchOptions, base: Estimator) -> str | None:
    """Return which response is kept: probabilities if an ensemble averages classifiers."""
    from sklearn.base import is_classifier

    if options.ensemble is None or options.response is not None or not is_classifier(base):
        return options.response
    return "predict_proba"


def _identify(
    options: SearchOptions, base: Estimator, X: object, y: object, routed: FitArguments
) -> dict[str, str]:
    """Return what identifies a search; nothing without a store.

    Options that only concern how cells are run (`n_jobs`, `time_limit`), which are run (`drop`,
    `stop_when_width`) or how they are used (`refit`, `method`, `error_score`) may differ, unless a
    sampler is told what follows from them.
    """
    if options.store is None:
        return {}
    check_seeded(options.cv)
    grid = options.given_candidates if isinstance(options.given_candidates, dict) else {}
    beside = _list_arguments(routed)
    answers: dict[str, object] = {}
    if isinstance(options.given_candidates, DynamicSearch):  # it proposes from what it is told
        answers = {"drop": options.dropping, "error_score": options.error_score}
        answers |= {"refit": options.refit} if isinstance(options.refit, str) else {}
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
        "guide": describe(options.guide),
        **({"stages": describe(options.n_stages)} if options.n_stages else {}),
        **{name: describe(value) for name, value in answers.items()},
        "return_train_score": describe(bool(options.return_train_score)),
        "seed": describe(options.random_state),
        **find_versions(base, options.given_candidates),
    }


def _count_draws(options: SearchOptions) -> int | None:
    """Return `n_iter`, or 10 if configurations are drawn from `param_distributions`."""
    sampled = options.n_iter is None and options.param_distributions is not None
    return DEFAULT_DRAWS if sampled else options.n_iter


def _list_arguments(routed: FitArguments) -> dict[str, object]:
    """Return the further arguments of `fit`, by name and where they go."""
    places = {"fit": routed.fit, "split": routed.split, "score": routed.score}
    return {
        f"{name} for {destination}": value
        for destination, values in places.items()
        for name, value in values.items()
        if value is not None
    }


def match_rows(X: object, y: object) -> tuple[object, object]:
    """Return indexable data, and refuse X and y of different lengths."""
    from sklearn.utils import indexable

    refuse_other_order({"X": X, "y": y})
    try:
        made_X, made_y = indexable(X, y)
    except (ValueError, TypeError) as error:
        raise InputError("X and y do not match", got=str(error)) from error
    return made_X, made_y


def _draw_candidates(
    options: SearchOptions, facts: Mapping[str, str]
) -> tuple[ConfigurationList | DynamicSearch, int]:
    """Return the configurations and the seed of everything else.

    Configurations are drawn exactly as RandomizedSearchCV draws them. With a store and no
    `random_state`, the seed is made from the facts, so that the same call resumes.
    """
    seed_or_generator = options.random_state
    if seed_or_generator is None and options.store is not None:
        seed_or_generator = make_seed(facts)
    if isinstance(seed_or_generator, np.random.Generator | np.random.SeedSequence):
        seed_or_generator = Seeds.of(seed_or_generator).entropy % 2**32
    candidates = read_candidates(
        options.given_candidates,
        n_iter=options.n_iter,
        random_state=seed_or_generator,
        sampled=options.param_distributions is not None,
    )
    return candidates, Seeds.of(seed_or_generator).entropy


def check_options(options: SearchOptions) -> Estimator:
    """Refuse options that are wrong whatever the data, and return the base estimator."""
    base = find_base_estimator(options)
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
    is_valid = isinstance(options.refit, bool | np.bool_ | str | EnsembleRule)
    if not is_valid and not callable(options.refit):
        raise InputError(
            "`refit` cannot be read",
            needs="True, False, the name of a score, an ensemble rule, or a callable",
            got=check.show(options.refit),
        )
    check.one_of_or_none("guide", options.guide, [*Guide])
    check.check_share("confidence_level", options.confidence_level)
    configure_for_search(options.method, options.n_resamples, options.ensemble)
    workers(options.n_jobs)
    count_ahead(options.pre_dispatch, 1)
    TaskLimit.of(options.time_limit)
    _ = options.n_stages  # a number that cannot be read is refused here
    _check_budget(options)
    _check_seed(options.random_state)
    if options.drop is not None or options.stop_when_width is not None:
        _check_rounds(options)
    return base


def _check_budget(options: SearchOptions) -> None:
    if options.budget_seconds < math.inf and not isinstance(
        options.given_candidates, DynamicSearch
    ):
        raise InputError(
            f"{arg('budget')} ends a search that proposes configurations as it goes",
            needs="a dynamic search, such as optuna_candidates(...)",
            got="configurations that are known in advance, all of which are tried",
            cure="Try fewer of them, or search with optuna_candidates(space, RandomSampler).",
        )


def _check_seed(seed: object) -> None:
    kinds = (np.random.Generator, np.random.SeedSequence, np.random.RandomState)
    number = isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0
    if seed is not None and not number and not isinstance(seed, kinds):
        raise InputError(
            "`random_state` is not a seed",
            needs="None, a non-negative int, numpy.random.RandomState, Generator or SeedSequence",
            got=check.show(seed),
        )


def _check_rounds(options: SearchOptions) -> None:
    _ = options.dropping, options.stopping  # a rule that cannot be read is refused here
    if options.stopping is not None and isinstance(options.given_candidates, DynamicSearch):
        raise InputError(
            "`stop_when_width` leaves folds out, and a dynamic search goes through all of them "
            "before it has tried much",
            needs="configurations that are known in advance",
            got=check.show(options.given_candidates),
            cure=f"Leave it out, or end the search by {arg('budget')}.",
        )


def choose_guide(
    options: SearchOptions, candidates: ConfigurationList | DynamicSearch, problem: Problem
) -> Guide | None:
    """Return which cases guide a search; None where no score does.

    Where nobody says, a greedy search is crossed if its metric can be computed from predictions.
    """
    adaptive = isinstance(candidates, DynamicSearch) and not getattr(candidates, "static", False)
    reason = explain_no_estimate(problem)
    if options.guide is None:
        greedy = bool(getattr(candidates, "greedy", False))
        usual = Guide.CROSSED if greedy and reason is None else Guide.ALL
        return usual if adaptive else None
    guide = Guide(options.guide)
    if not adaptive and guide is Guide.CROSSED:
        raise InputError(
            "no score guides this search, so there is nothing to cross",
            needs="a search that learns from scores, such as optuna_candidates(...)",
            got="configurations that are fixed in advance",
            cure=f"Leave {arg('guide')} out.",
        )
    if guide is Guide.CROSSED and reason is not None:
        raise InputError(
            "crossed guidance scores halves of the cases, and needs predictions",
            needs="a metric computed from predictions",
            got=reason.got,
            cure=f"Pass {arg('metric', '...')}, or {arg('guide', 'all')}.",
        )
    if guide is Guide.CROSSED and not getattr(candidates, "reseeds", True):
        raise InputError(
            "the sampler brings its own seed, so two of them would propose the same",
            needs="a sampler's class, or a function that makes one from a seed",
            got="a sampler",
            cure="Write optuna_candidates(space, lambda seed: TPESampler(seed=seed)).",
        )
    return guide if adaptive else None
