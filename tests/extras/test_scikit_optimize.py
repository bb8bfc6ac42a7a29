"""BayesSearchCV itself, from its fit to an estimate."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import earnest as en

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # of its own, of NumPy's


@pytest.mark.parametrize("n_points", [1, 3])
def test_a_harvested_search_has_the_predictions_of_its_folds(n_points: int) -> None:
    from skopt import BayesSearchCV

    X, y = (part[:200] for part in load_breast_cancer(return_X_y=True))
    tree = DecisionTreeClassifier(random_state=0)
    search = BayesSearchCV(
        tree,
        {"max_depth": (1, 10), "min_samples_leaf": (1, 20)},
        n_iter=12,
        n_points=n_points,
        cv=5,
        scoring="roc_auc",
        random_state=0,
    )
    plain = clone(search).fit(X, y)
    pi = en.harvest(search, X, y)
    assert search.best_params_ == plain.best_params_
    assert search.best_score_ == plain.best_score_
    assert pi.n_configs == 12
    assert not pi.configs.static
    for column, params in enumerate(pi.configs.params or ()):
        wanted = cross_val_predict(
            clone(tree).set_params(**params), X, y, cv=5, method="predict_proba"
        )[:, 1]
        np.testing.assert_array_equal(pi.responses[:, column, 0], wanted)
    assert "EN006" in {c.code for c in en.estimate(pi, metric="roc_auc", rng=0).cautions}
