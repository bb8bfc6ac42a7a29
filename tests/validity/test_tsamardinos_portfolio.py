"""The 610 configurations of Tsamardinos et al. 2018, trained together or one by one."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone

from benchmarks.papers.tsamardinos2018.dropping import score
from benchmarks.papers.tsamardinos2018.portfolio import load_models, score_new


def test_models_that_share_their_preparation_score_as_each_pipeline_alone() -> None:
    rng = np.random.default_rng(610)
    X = rng.standard_normal((40, 6))
    y = (X[:, 0] + 0.5 * rng.standard_normal(40) > 0).astype(np.float64)
    models = list(load_models("abcdef", 30, seed=3, every=23, trees=5).values())
    kinds = {type(model[-1]).__name__ for model in models}
    selections = {repr(model[1]) for model in models}
    assert len(models) == 27
    assert len(kinds) == 3  # forests, elastic nets, support vector machines
    assert len(selections) == 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that did not converge
        together = score_new(models, X[:30], y[:30], X[30:])
        alone = [score(clone(model).fit(X[:30], y[:30]), X[30:]) for model in models]
    # the same arithmetic on the same numbers; BLAS may sum other memory layouts in another order
    np.testing.assert_allclose(together, np.stack(alone, axis=1), rtol=1e-9, atol=1e-9)
