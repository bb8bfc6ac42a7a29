"""Trials of scikit-learn: `cv_results_`, and searches that have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.ask import Ask
from earnest.core import check
from earnest.core.errors import InputError
from earnest.core.parameters import Kind, Parameter, plain
from earnest.core.space import Space
from earnest.core.space_inference import guesses, infer_space
from earnest.core.trials import Trials

MEAN, SPREAD = "mean_test_", "std_test_"


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


def read_search(search: Any, ask: Ask) -> Trials:
    """Make trials from a fitted search: grid, random, halving or of another library."""
    refit = getattr(search, "refit", None)
    scores = _scores(search.cv_results_)
    if ask.objective is None and isinstance(refit, str) and refit in scores:
        ask = replace(ask, objective=refit)
    given = getattr(search, "param_distributions", None)
    if ask.space is None and isinstance(given, Mapping):
        drawn = ask.some_of(_configs(search.cv_results_))
        ask = replace(ask, space=_space(given, drawn))
    return read_results(search.cv_results_, ask, source=type(search).__name__)


def read_results(results: Mapping[str, Any], ask: Ask, source: str = "cv_results_") -> Trials:
    """Make trials from `cv_results_`: mean scores, greater is better, with standard errors.

    The standard error is that of the mean over the splits. Candidates whose score is NaN count as
    failed. Where a halving search gave its candidates unlike resources, `n_resources` is one of
    the parameters.
    """
    ask.refuse(f"the results of {source}", "study", "standard_error", "status", "values")
    name = _objective(results, ask.objective)
    return Trials.from_configs(
        ask.some_of(_configs(results)),
        np.asarray(results[MEAN + name], dtype=np.float64),
        direction=ask.direction_or("maximize", "scikit-learn's scores, all greater is better"),
        space=ask.space,
        standard_error=_errors(results, name),
        objective_name=name,
        source=source,
    )


def _configs(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the candidates, with their resources where those differ."""
    configs = [{k: plain(v) for k, v in dict(c).items()} for c in results["params"]]
    resources = np.asarray(results.get("n_resources", []))
    if len(np.unique(resources)) < 2:
        return configs
    pairs = zip(configs, resources.tolist(), strict=True)
    return [config | {"n_resources": r} for config, r in pairs]


def _space(given: Mapping[str, Any], configs: list[dict[str, Any]]) -> Space:
    """Return the inferred space, with ranges and scales of the distributions that are known."""
    inferred = infer_space(configs)
    known = {
        name: found
        for name, distribution in given.items()
        if name in inferred.names and (found := _range(distribution)) is not None
    }
    parameters = [
        Parameter(name=p.name, condition=p.condition, **known[p.name]) if p.name in known else p
        for p in inferred
    ]
    return Space(tuple(parameters), remarks=tuple(guesses(parameters, known)))


def _range(distribution: Any) -> dict[str, Any] | None:
    """Return kind, range and scale of an even distribution of SciPy, None for all else."""
    name = getattr(getattr(distribution, "dist", None), "name", None)
    if name not in ("uniform", "loguniform", "reciprocal", "randint"):
        return None
    low, high = (float(end) for end in distribution.support())
    kind = Kind.INT if name == "randint" else Kind.FLOAT
    return {"kind": kind, "low": low, "high": high, "log": name in ("loguniform", "reciprocal")}


def _objective(results: Mapping[str, Any], asked: str | int | None) -> str:
    names = _scores(results)
    if asked is None and len(names) == 1:
        return names[0]
    if asked is None:
        raise InputError(
            "there are several scores", needs=f"`objective`, one of {check.some(names, limit=10)}"
        )
    return check.one_of("objective", str(asked).removeprefix(MEAN), names)


def _scores(results: Mapping[str, Any]) -> list[str]:
    return [str(key).removeprefix(MEAN) for key in results if str(key).startswith(MEAN)]


def _errors(results: Mapping[str, Any], name: str) -> NDArray[np.float64] | None:
    """Return the standard error of a mean over k splits; scikit-learn's sd divides by k."""
    splits = sum(f"split{i}_test_{name}" in results for i in range(len(results)))
    if SPREAD + name not in results or splits < 2:
        return None
    spread = np.asarray(results[SPREAD + name], dtype=np.float64)
    return np.asarray(spread / np.sqrt(splits - 1))
