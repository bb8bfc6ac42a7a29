"""OptunaSearchCV itself, from its fit to an estimate."""

from __future__ import annotations

import numpy as np
import optuna
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import earnest as en

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # it is experimental


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_harvested_search_has_the_predictions_of_its_folds(n_jobs: int) -> None:
    from optuna_integration import OptunaSearchCV

    X, y = (part[:200] for part in load_breast_cancer(return_X_y=True))
    tree = DecisionTreeClassifier(random_state=0)
    space = {"max_depth": optuna.distributions.IntDistribution(1, 10)}
    search = OptunaSearchCV(
        tree, space, cv=5, n_trials=8, scoring="roc_auc", random_state=0, n_jobs=n_jobs
    )
    pi = en.harvest(search, X, y)
    for column, params in enumerate(pi.configs.params or ()):
        wanted = cross_val_predict(
            clone(tree).set_params(**params), X, y, cv=5, method="predict_proba"
        )[:, 1]
        np.testing.assert_array_equal(pi.responses[:, column, 0], wanted)
    assert search.best_score_ == max(trial.value for trial in search.study_.trials)
    assert "EN006" in {c.code for c in en.estimate(pi, metric="roc_auc", rng=0).cautions}


def test_the_same_space_is_crossed_by_searchcv() -> None:
    """The recipe of the page: what OptunaSearchCV was given goes to SearchCV as it is."""
    from optuna_integration import OptunaSearchCV

    X, y = (part[:200] for part in load_breast_cancer(return_X_y=True))
    tree = DecisionTreeClassifier(random_state=0)
    space = {"max_depth": optuna.distributions.IntDistribution(1, 10)}
    theirs = OptunaSearchCV(tree, space, cv=5, n_trials=8, scoring="roc_auc", random_state=0)
    unguarded = en.estimate(en.harvest(theirs, X, y), metric="roc_auc", rng=0)
    candidates = en.optuna_candidates(
        theirs.param_distributions, optuna.samplers.TPESampler, n_trials=8, batch=2
    )
    ours = en.SearchCV(
        theirs.estimator, candidates, cv=5, scoring="roc_auc", guide="crossed", random_state=0
    ).fit(X, y)
    assert (unguarded.guide, ours.estimate_.guide) == ("all", "crossed")
    assert len(ours.trials_) == len(theirs.study_.trials) == 8
