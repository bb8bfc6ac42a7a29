"""The 610 configurations of the paper, trained on one small sample (section 6.2).

Forests of 1000 trees take nine tenths of the time of a plain run, so a cell says how many trees its
forests have. What is the same by its definition is trained once: the steps before a model, models
on the same columns, forests whose splits try as many columns, and support vector machines with the
same solution.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from benchmarks.papers.tsamardinos2018.dropping import score
from earnest.training.learners.base import ForestClassifier, count_tried_columns
from earnest.training.learners.portfolio import load_portfolio
from earnest.training.learners.preprocessing import Inputs
from earnest.training.learners.svm import KernelClassifier

Floats = NDArray[np.float64]
NEAR = 1e-9  # relative: factors of ten multiplied in another order


def load_models(
    columns: Sequence[str], n: int, seed: int, every: int, trees: int
) -> dict[str, Pipeline]:
    """Return the pipelines of the paper by name, or every so many-th of them."""
    inputs = Inputs(tuple(columns), (0,) * len(columns), (False,) * len(columns), n_cases=n)
    whole = load_portfolio("tsamardinos2018").configurations("binary", inputs, rng=seed)
    models = {one.name: clone(one.estimator) for one in whole[every // 2 :: every]}
    for model in models.values():
        if "model__trees" in model.get_params():
            model.set_params(model__trees=trees)
    return models


def score_new(models: Sequence[Pipeline], X: Floats, y: Floats, new: Floats) -> Floats:
    """Train every pipeline on the same rows, and return the scores of new rows: (rows, models).

    They have 24 bits, so that equal scores are equal on every processor.
    """
    out = np.empty((len(new), len(models)), dtype=np.float32)
    quick = config_context(assume_finite=True, skip_parameter_validation=True)
    with quick, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that did not converge: bad configurations
        for inside, outside, members in share_columns(models, X, y, new):
            for same in share_models([models[k][-1] for k in members], inside.shape[1]):
                some = [models[members[k]][-1] for k in same]
                columns = [members[k] for k in same]
                if isinstance(some[0], KernelClassifier):
                    out[:, columns] = score_machines(some, inside, y, outside)
                else:
                    out[:, columns] = score(clone(some[0]).fit(inside, y), outside)[:, None]
    return out.astype(np.float64)


def share_columns(
    models: Sequence[Pipeline], X: Floats, y: Floats, new: Floats
) -> Iterator[tuple[Floats, Floats, list[int]]]:
    """Yield what models are trained on and score, and which models have it in common."""
    prepared: dict[str, tuple[Floats, Floats]] = {}
    members: dict[bytes, list[int]] = {}
    given: dict[bytes, tuple[Floats, Floats]] = {}
    for place, model in enumerate(models):
        first = model[:-1]
        steps = repr([step for _, step in first.steps])
        if steps not in prepared:
            ready = clone(first).fit(X, y)
            prepared[steps] = ready.transform(X), ready.transform(new)
        content = np.vstack(prepared[steps]).tobytes()
        given.setdefault(content, prepared[steps])
        members.setdefault(content, []).append(place)
    for content, places in members.items():
        yield *given[content], places


def share_models(models: Sequence[Any], columns: int) -> list[list[int]]:
    """Return the places of models that one training, or one kernel, serves."""
    groups: dict[Hashable, list[int]] = {}
    for place, model in enumerate(models):
        groups.setdefault(_find_group(model, columns), []).append(place)
    return list(groups.values())


def _find_group(model: Any, columns: int) -> Hashable:
    if isinstance(model, ForestClassifier):
        tried = count_tried_columns(model.mtry, columns)
        return "forest", model.trees, model.min_leaf, tried, model.random_state
    if isinstance(model, KernelClassifier):
        assert model.kernel == "linear" or not model.relative
        assert model.kernel != "poly" or model.coef0 == 0
        width = {"rbf": model.gamma, "poly": model.degree, "linear": None}[model.kernel]
        return model.kernel, width
    return repr(model)


def score_machines(
    machines: Sequence[KernelClassifier], inside: Floats, y: Floats, outside: Floats
) -> Floats:
    """Return the scores of support vector machines that share a kernel: (rows, machines).

    Two laws save most of the work. The kernel (gamma x'z)^d is a multiple of (x'z)^d, and a machine
    with a multiple of a kernel is one with a multiple of the cost: C gamma^d says it all. And a
    machine in which no case has a weight as large as the cost is the same with any larger cost.
    A machine that ends at its last step has no solution; there, too, the problems are the same.
    """
    costs = np.array([_find_cost(one) for one in machines])
    out = np.empty((len(outside), len(machines)))
    cost, free = -np.inf, False
    for place in np.argsort(costs, kind="stable"):
        if not free and costs[place] > cost * (1 + NEAR):
            one, cost = machines[place], costs[place]
            made = clone(one).fit(inside, y)
            said = score(made, outside)
            free = bool(np.abs(made.inner_.dual_coef_).max() < one.C * (1 - NEAR))
        out[:, place] = said
    return out


def _find_cost(one: KernelClassifier) -> float:
    return one.C * one.gamma**one.degree if one.kernel == "poly" else one.C
