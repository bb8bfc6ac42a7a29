"""The 610 configurations of the paper on one small sample (section 6.2).

Forests of 1000 trees take nine tenths of the time of a plain run, so a cell says how many trees its
forests have. Whatever comes before a model in its pipeline is fitted once per fold, for all models
that share it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline

import earnest as en
from benchmarks.papers.tsamardinos2018.dropping import score
from benchmarks.papers.tsamardinos2018.replay import replay
from earnest.core.base.rng import Seeds
from earnest.training.learners.portfolio import load_portfolio
from earnest.training.learners.preprocessing import Inputs

Floats = NDArray[np.float64]
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


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
    """Train every pipeline on the same rows, and return the scores of new rows: (rows, models)."""
    out = np.empty((len(new), len(models)))
    prepared: dict[str, tuple[Floats, Floats]] = {}
    for column, model in enumerate(models):
        first, last = model[:-1], model[-1]
        shared = repr([step for _, step in first.steps])
        if shared not in prepared:
            ready = clone(first).fit(X, y)
            prepared[shared] = ready.transform(X), ready.transform(new)
        inside, outside = prepared[shared]
        out[:, column] = score(make_pipeline(clone(last)).fit(inside, y), outside)
    return out


def try_portfolio(
    X: Floats,
    y: Floats,
    folds: NDArray[np.intp],
    held_out: tuple[Floats, Floats],
    models: dict[str, Pipeline],
    seed: int,
    n_resamples: int,
) -> dict[str, float]:
    """Return what each protocol says of the winner, and how good the winner is on new cases."""
    names, every = list(models), list(models.values())
    scores = np.empty((len(y), len(every)))
    asked: dict[str, Any] = {"metric": "roc_auc", "n_resamples": n_resamples, "rng": seed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that did not converge: bad configurations
        for fold in np.unique(folds):
            train, test = folds != fold, folds == fold
            scores[test] = score_new(every, X[train], y[train], X[test])
        pi = en.Predictions.from_arrays(y, scores, folds, configs=names, response="decision")
        early = replay(pi, "roc_auc", en.BCED(), Seeds(seed))
        made = {"bbc": en.estimate(pi, **asked), "bced": en.estimate(early.pi, **asked)}
        new, outcome = held_out
        chosen = [models[str(one.winner)] for one in made.values()]
        truths = roc_auc_score_of(score_new(chosen, X, y, new), outcome)
    out = {"configs": float(len(names)), "trained": early.trained / scores.shape[1]}
    out["cvt"] = float(made["bbc"].naive or np.nan)
    out["tt"] = en.estimate(pi, method="tibshirani", metric="roc_auc").value
    for (name, one), truth in zip(made.items(), truths, strict=True):
        out[name], out[f"truth_{name}"] = one.value, truth
        for level in LEVELS:
            interval = one.at(confidence_level=level).interval
            assert interval is not None
            out[f"{name}_low_{level:g}"] = interval.low
            out[f"{name}_high_{level:g}"] = interval.high
    return out


def roc_auc_score_of(scores: Floats, outcome: Floats) -> list[float]:
    """Return the AUC of every column."""
    return [float(roc_auc_score(outcome, column)) for column in scores.T]
