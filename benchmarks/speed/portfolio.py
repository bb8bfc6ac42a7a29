"""All 610 configurations of Tsamardinos et al. 2018, trained once where they are the same."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits

from benchmarks.papers.tsamardinos2018.dropping import score
from benchmarks.papers.tsamardinos2018.portfolio import load_models, score_new
from benchmarks.speed.timing import Row, side_by_side

TREES = 20


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios by the number of cases."""
    for cases in (100,) if quick else (100, 500):
        yield against_each_alone(cases, 1 if quick else 2)


def against_each_alone(cases: int, times: int) -> Row:
    """Time one fold of all configurations against training every pipeline alone."""
    X, digit = load_digits(return_X_y=True)
    y = (digit % 2).astype(np.float64)
    drawn = np.random.default_rng(0).permutation(len(X))[:cases]
    inside, outside = np.split(drawn, [cases * 9 // 10])
    columns = [f"pixel{k}" for k in range(X.shape[1])]
    models = list(load_models(columns, len(inside), 0, 1, TREES).values())

    def together() -> object:
        return score_new(models, X[inside], y[inside], X[outside])

    def alone() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of solvers that did not converge
            return [score(clone(one).fit(X[inside], y[inside]), X[outside]) for one in models]

    ours, theirs = side_by_side(together, alone, times)
    return Row(f"610 configurations on {cases} digits", ours, "each alone", theirs, 1.5)
