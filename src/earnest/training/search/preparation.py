"""Everything that is read and refused before the first fit of a search.

Which configurations it tries, and whether they were fixed in advance; which of the arguments of
`fit` goes to the estimator, to the splitter and to the scorer; the problem, the folds and the names
of what a run is told from others by.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from inspect import signature
from numbers import Real
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.arrays import refuse_other_order
from earnest.core.base.errors import InputError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.data.selection import EnsembleRule
from earnest.core.results.interval import Ask
from earnest.engine.backends import count_ahead
from earnest.engine.identity import describe, parameters_of, versions, with_parts
from earnest.engine.limits import TaskLimit
from earnest.training.fit.experiment import WHOLE, Configuration, Experiment
from earnest.training.fit.problem import (
    Problem,
    Scoring,
    make_survival_outcome,
    read_problem,
    read_scoring,
)
from earnest.training.fit.response import METHODS, count_rows, cut_params
from earnest.training.fit.splits import Splits, add_splits, check_seeded, make_seed, make_splits
from earnest.training.protocols import Estimator, Params, Scorer
from earnest.training.search.estimate import name_method

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter

    from earnest.training.search.options import SearchOptions


USERS_LINE = 5  # whoever called `fit`, which calls `prepare`, which calls `route`


@dataclass(frozen=True)
class FitArguments:
    """The arguments of `fit`, by where they go."""

    fit: Mapping[str, object] = field(default_factory=dict)
    split: Mapping[str, object] = field(default_factory=dict)
    score: Mapping[str, object] = field(default_factory=dict)


def make_router(
    owner: str, estimator: Estimator, scorer: Scorer, splitter: object
) -> MetadataRouter:
    """Return the metadata router of a search, whose messages name its owner."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    return (
        MetadataRouter(owner=owner)
        .add(
            estimator=estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
        .add(
            scorer=scorer,
            method_mapping=MethodMapping()
            .add(caller="score", callee="score")
            .add(caller="fit", callee="score"),
        )
        .add(
            splitter=splitter,
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )
    )


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
    """Send the arguments of `fit` where they belong.

    Without metadata routing `groups` goes to the splitter and the rest to the estimator, and
    sample weights to the scorer too where this version of scikit-learn does so.
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
    """Tell whether scikit-learn's own searches pass sample weights on to scorers, as newer do."""
    from sklearn.model_selection import GridSearchCV

    return hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")


def _can_take_weights(scorer: Scorer) -> bool:
    """Tell whether any scorer takes weights, and warn of each that does not."""
    several: Mapping[str, Scorer] | None = getattr(scorer, "_scorers", None)
    named = (
        {str(scorer): scorer} if several is None else {f"{k}={v}": v for k, v in several.items()}
    )
    takes = {name: _can_weigh(one) for name, one in named.items()}
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
    own = getattr(scorer, "_accept_sample_weight", None)
    return bool(own()) if own is not None else "sample_weight" in signature(scorer).parameters


DEFAULT_DRAWS = 10  # candidates drawn from distributions, as scikit-learn's RandomizedSearchCV does


class CandidatesTypeError(InputError, TypeError):
    """Candidates are of a type that cannot be searched; scikit-learn raises TypeError, too."""


@dataclass(frozen=True)
class StaticCandidates:
    """Configurations that are all known before any is evaluated.

    Parameters
    ----------
    ids : tuple of str
        Their names, all different.
    configurations : tuple of Configuration
        What each of them is.
    """

    ids: tuple[str, ...]
    configurations: tuple[Configuration, ...]

    def __len__(self) -> int:
        """Count the configurations."""
        return len(self.ids)


@runtime_checkable
class Candidate(Protocol):
    """A whole estimator that is described by plain parameters, such as one of a portfolio.

    The parameters need not be those of the estimator: they are what results show, and what an
    explanation of the search reads.
    """

    name: str
    params: Params
    estimator: Estimator


class Asker(Protocol):
    """One run of a dynamic search.

    `ask` gives the next batch of configurations, an empty list at the end. After each batch
    `tell` is given their mean scores in the same order, greater being better and NaN where a
    configuration failed. The same seed and the same scores must give the same batches, however
    many workers evaluate them: a search that was killed is resumed by asking again.
    """

    def ask(self) -> Sequence[dict[str, object]]:
        """Return the next configurations to evaluate, none at the end."""
        ...

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the mean scores of the configurations that were asked for last."""
        ...


@runtime_checkable
class DynamicCandidates(Protocol):
    """Configurations that are proposed by what was seen of earlier ones.

    It holds knobs only; `start` makes the state of one run, so that fitting twice starts again. One
    that looks at no score, such as a random search, may say so with an attribute `static`.
    """

    def start(self, seed: int) -> Asker:
        """Begin a search whose choices depend on nothing but this seed and the scores told."""
        ...

    def limit(self) -> int | None:
        """Return how many configurations there can be at most, None where that is open."""
        ...


def read_candidates(
    given: object, *, n_iter: int | None = None, random_state: RngLike = None, sampled: bool = False
) -> StaticCandidates | DynamicCandidates:
    """Return the candidates of what a user may pass.

    Parameters
    ----------
    given : dict, list or DynamicCandidates
        A grid or distributions (a dict, or several in a list), estimators, (name, estimator)
        pairs or `Candidate`s, or a dynamic search.
    n_iter : int, optional
        How many to draw; None takes every point of a grid, and 10 of distributions.
    random_state : None, int or RandomState
        What they are drawn with.
    sampled : bool
        Whether lists of values are drawn from as distributions are, without replacement; so
        scikit-learn's RandomizedSearchCV reads `param_distributions`.
    """
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    if isinstance(given, DynamicCandidates):
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
    """Return the estimator that candidates are made from, the first of a list of them."""
    listed = find_first_estimator(options.given_candidates)
    if listed is not None:
        return listed
    if options.estimator is not None:
        return options.estimator
    raise InputError(
        "`estimator` is missing",
        needs="an estimator, unless `candidates` is a list of estimators",
    )


def find_first_estimator(given: object) -> Estimator | None:
    """Return the first of candidates that are whole estimators, None where they are not."""
    if isinstance(given, str | bytes | Mapping | Iterator) or not isinstance(given, Iterable):
        return None
    first = next(iter(given), None)
    if first is None or isinstance(first, Mapping):
        return None
    found = read_candidates(given)
    assert isinstance(found, StaticCandidates)
    return found.configurations[0].own


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
) -> StaticCandidates:
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


def _list_configurations(found: list[dict[str, object]]) -> StaticCandidates:
    names = tuple(f"c{i}" for i in range(len(found)))
    return StaticCandidates(names, tuple(Configuration(params) for params in found))


def _check_space(space: Mapping[str, object]) -> bool:
    """Refuse what is no list of values and no distribution; tell whether there is one."""
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
    """Return what a value that stands alone is to be written as."""
    if type(values).__module__.startswith("optuna."):
        return "Pass an Optuna space to earnest.optuna_candidates(space, n_trials=...)."
    return f"Write {{{name!r}: [{check.show(values)}]}}."


def _read_estimators(items: list[object]) -> StaticCandidates:
    pairs = [_name_estimator(item) for item in items]
    counts = Counter(name for name, _ in pairs)
    given_twice = [name for name, times in counts.items() if times > 1]
    seen: Counter[str] = Counter()
    names = []
    for item, (name, _) in zip(items, pairs, strict=True):
        if name in given_twice and (isinstance(item, tuple) or _is_described(item)):
            raise InputError(
                "two candidates have the same name",
                needs="unique names",
                got=check.some(map(repr, given_twice)),
            )
        seen[name] += 1
        names.append(f"{name}-{seen[name]}" if name in given_twice else name)
    return StaticCandidates(tuple(names), tuple(_read_configuration(item) for item in items))


def _read_configuration(item: object) -> Configuration:
    if _is_described(item):
        return Configuration(dict(item.params), whole=True, estimator=item.estimator)
    return Configuration({WHOLE: _name_estimator(item)[1]}, whole=True)


def _is_described(item: object) -> TypeGuard[Candidate]:
    return not _is_estimator(item) and isinstance(item, Candidate)


def _name_estimator(item: object) -> tuple[str, Estimator]:
    pair: tuple[object, ...] = (type(item).__name__, item)
    if isinstance(item, tuple):
        pair = item
    if _is_described(item):
        pair = (item.name, item.estimator)
    if len(pair) != 2 or not isinstance(pair[0], str) or not _is_estimator(pair[1]):
        raise InputError(
            "a candidate is neither parameters nor an estimator",
            needs="estimators with `fit` and `get_params`, (name, estimator) pairs, or objects "
            "with `name`, `params` and `estimator`",
            got=check.show(item),
            cure=f"Write {item.__name__}()." if isinstance(item, type) else "",
        )
    return pair[0], pair[1]


def _is_estimator(value: object) -> TypeGuard[Estimator]:
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "get_params")


def find_kinds(configurations: Iterable[Configuration]) -> list[Configuration]:
    """Return one configuration of each kind: same parameter names, words and types of estimators.

    Words and switches are told apart, since methods of an estimator can hang on them: an SVC has
    probabilities only where they are switched on.
    """
    kinds: dict[object, Configuration] = {}
    for configuration in configurations:
        shown = {WHOLE: configuration.own} if configuration.whole else configuration.params
        kind = tuple((name, _find_kind(value)) for name, value in shown.items())
        kinds.setdefault(kind, configuration)
    return list(kinds.values())


def _find_kind(value: object) -> object:
    if hasattr(value, "get_params"):  # a pipeline answers what its last step can
        return type(value), tuple(hasattr(value, method) for method in METHODS)
    return value if isinstance(value, str | bool | np.bool_) else None


def check_configurations(base: Estimator, configurations: Iterable[Configuration]) -> None:
    """Refuse parameters that the estimator does not have, naming the nearest that it has."""
    for configuration in find_kinds(configurations):
        try:
            configuration.make_from(base)
        except (ValueError, AttributeError, TypeError) as error:
            raise _explain_unknown(base, configuration, error) from error


def _suggest_step(name: str, known: Sequence[str]) -> str:
    """Return the parameter of a step of a pipeline that a name without its step means."""
    found = [one for one in known if one.endswith(f"__{name}")]
    return f"Did you mean {' or '.join(map(repr, found[:3]))}?" if found else ""


def _explain_unknown(base: Estimator, configuration: Configuration, error: Exception) -> InputError:
    known = list(base.get_params(deep=True))
    strange = [name for name in configuration.params if name not in known]
    if not strange:  # a value that the estimator's own set_params refuses
        return InputError("a candidate cannot be set", got=f"{configuration.params}: {error}")
    return InputError(
        f"{type(base).__name__} has no parameter {check.some(map(repr, strange))}",
        needs=check.some(known, limit=20),
        got=check.some(map(repr, configuration.params)),
        cure=check.nearest(strange[0], known)
        or _suggest_step(strange[0], known)
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
    base = find_base_estimator(options)
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
