"""Trials of scikit-learn: `cv_results_`, and searches that have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.readers import LATE, TrialsReader, TrialsRequest, register
from earnest.adapters.trials.ranges import infer_space_within, ranges_of
from earnest.adapters.trials.scored import (
    MEAN,
    ScoredSearch,
    ScoreName,
    choose_score,
    score_names,
    show_configs,
)
from earnest.core.space.trials import Trials
from earnest.core.text.names import simplify_values

Results: TypeAlias = Mapping[str, Any]  # columns of many types, as scikit-learn has them
SPREAD = "std_test_"


def is_results(source: object) -> bool:
    """Tell whether this is the dict of a search's results."""
    return (
        isinstance(source, Mapping)
        and "params" in source
        and any(isinstance(key, str) and key.startswith(MEAN) for key in source)
    )


def is_search(source: object) -> bool:
    """Tell whether this is a fitted search."""
    return is_results(getattr(source, "cv_results_", None))


def is_own_search(source: object) -> bool:
    """Tell whether this is a fitted search of our own, which tells how each candidate ended."""
    listed = getattr(source, "trials_", None)
    return (
        is_search(source)
        and isinstance(listed, tuple)
        and all(
            hasattr(candidate, "status") and hasattr(candidate, "config") for candidate in listed
        )
    )


class FittedSearch(Protocol):
    """A fitted search of anybody, with results as scikit-learn has them."""

    cv_results_: Results


class TriedConfiguration(Protocol):
    """What our own search tells of a configuration."""

    config: str
    params: Mapping[str, object]
    status: str


class OwnSearch(FittedSearch, Protocol):
    """A fitted `SearchCV`."""

    trials_: tuple[TriedConfiguration, ...]
    scorer_: object
    scoring: object
    refit: bool | str
    given_candidates: object


def read_own_search(search: OwnSearch, ask: TrialsRequest) -> Trials:
    """Make trials from a `SearchCV`: dropped and failed candidates are counted and left out."""
    results, ended = search.cv_results_, search.trials_
    keys = _list_scores(results)
    return ScoredSearch(
        configs=show_configs(
            [candidate.config for candidate in ended], [candidate.params for candidate in ended]
        ),
        scores={key: _read_splits(results, key) for key in keys},
        statuses=[candidate.status for candidate in ended],
        names=score_names(keys, search.scorer_, search.scoring),
        usual=search.refit if isinstance(search.refit, str) else None,
        ranges=ranges_of(getattr(search.given_candidates, "space", search.given_candidates)),
        source=type(search).__name__,
    ).trials(ask)


def read_search(search: FittedSearch, ask: TrialsRequest) -> Trials:
    """Make trials from a fitted search: grid, random, halving or of another library."""
    refit = getattr(search, "refit", None)
    results = search.cv_results_
    names = score_names(
        _list_scores(results), getattr(search, "scorer_", None), getattr(search, "scoring", None)
    )
    if ask.objective is None and isinstance(refit, str) and refit in names:
        ask = replace(ask, objective=refit)
    ranges = ranges_of(getattr(search, "param_distributions", None))
    if ask.space is None and ranges:
        ask = replace(ask, space=infer_space_within(ranges, ask.some_of(_read_configs(results))))
    return read_cv_results(results, ask, source=type(search).__name__, names=names)


def read_cv_results(
    results: Results,
    ask: TrialsRequest,
    source: str = "cv_results_",
    names: Mapping[str, ScoreName] | None = None,
) -> Trials:
    """Make trials from `cv_results_`: mean scores in their own units, with standard errors.

    A score that scikit-learn negates is told as itself, lower is better. The standard error is
    that of the mean over the splits. Candidates whose score is NaN count as failed. Where a
    halving search gave its candidates unlike resources, `n_resources` is one of the parameters.
    """
    ask.refuse(f"the results of {source}", "study", "standard_error", "status", "values")
    names = score_names(_list_scores(results), None, None) if names is None else names
    key = choose_score(names, ask.objective, None)
    score = names[key]
    return Trials.from_configs(
        ask.some_of(_read_configs(results)),
        score.sign * np.asarray(results[MEAN + key], dtype=np.float64),
        direction=ask.direction_or(score.direction, str(score)),
        space=ask.space,
        standard_error=_find_errors(results, key),
        objective_name=score.name,
        source=source,
    )


def _read_configs(results: Results) -> list[dict[str, object]]:
    """Return the candidates, with their resources where those differ."""
    configs = simplify_values([dict(config) for config in results["params"]])
    resources = np.asarray(results.get("n_resources", []))
    if len(np.unique(resources)) < 2:
        return configs
    pairs = zip(configs, resources.tolist(), strict=True)
    return [config | {"n_resources": r} for config, r in pairs]


def _list_scores(results: Results) -> list[str]:
    return [str(key).removeprefix(MEAN) for key in results if str(key).startswith(MEAN)]


def _find_errors(results: Results, name: str) -> NDArray[np.float64] | None:
    """Return the standard error of a mean over k splits; scikit-learn's sd divides by k."""
    splits = sum(f"split{i}_test_{name}" in results for i in range(len(results)))
    if SPREAD + name not in results or splits < 2:
        return None
    spread = np.asarray(results[SPREAD + name], dtype=np.float64)
    return np.asarray(spread / np.sqrt(splits - 1))


def _read_splits(results: Results, name: str) -> NDArray[np.float64]:
    """Return one score of all candidates on all splits: (C, S)."""
    count = sum(f"split{i}_test_{name}" in results for i in range(len(results)))
    return np.column_stack([results[f"split{i}_test_{name}"] for i in range(count)])


register(
    TrialsReader(
        name="search",
        words="a fitted SearchCV",
        takes=is_own_search,
        read=read_own_search,
    )
)
register(
    TrialsReader(  # after what has `trials_`, which says more
        name="sklearn_search",
        words="a fitted search",
        takes=is_search,
        read=read_search,
        rank=LATE + 1,
    )
)
register(
    TrialsReader(
        name="cv_results",
        words="a `cv_results_`",
        takes=is_results,
        read=read_cv_results,
        rank=LATE,
    )
)
