"""An OptunaSearchCV that is harvested is fitted as by itself, and gives what its models predicted.

The class here does as that of optuna-integration 5.0 with its parameters, on a real study; the
real one is tested in tests/extras.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    check_cv,
    cross_val_predict,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.errors import EvidenceError, InputError

optuna.logging.set_verbosity(optuna.logging.ERROR)
X, Y = make_classification(90, 5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)


class OptunaSearchCV(BaseEstimator):
    __module__ = "optuna_integration.sklearn.sklearn"

    def __init__(
        self,
        estimator: Any,
        cv: Any = 3,
        n_jobs: int = 1,
        n_trials: int = 5,
        scoring: Any = "roc_auc",
        callbacks: Any = None,
        study: Any = None,
        subsample: float = 1.0,
        return_train_score: bool = False,
        refit: bool = True,
        prune: tuple[int, ...] = (),
    ) -> None:
        self.estimator, self.cv, self.n_jobs, self.n_trials = estimator, cv, n_jobs, n_trials
        self.scoring, self.callbacks, self.study = scoring, callbacks, study
        self.subsample, self.return_train_score = subsample, return_train_score
        self.refit, self.prune = refit, prune

    def fit(self, X: Any, y: Any, groups: Any = None) -> OptunaSearchCV:
        cv = check_cv(self.cv, y, classifier=True)
        self.scorer_ = check_scoring(self.estimator, scoring=self.scoring)
        sampler = optuna.samplers.TPESampler(seed=0)
        self.study_ = self.study or optuna.create_study(direction="maximize", sampler=sampler)

        def objective(trial: optuna.Trial) -> float:
            model = clone(self.estimator).set_params(max_depth=trial.suggest_int("max_depth", 1, 9))
            scores = cross_validate(model, X, y, cv=cv, groups=groups, scoring=self.scorer_)
            if trial.number in self.prune:
                raise optuna.TrialPruned
            return float(scores["test_score"].mean())

        self.study_.optimize(
            objective, n_trials=self.n_trials, n_jobs=self.n_jobs, callbacks=self.callbacks
        )
        return self


def same_as_cross_val_predict(pi: en.Predictions, data: Any, cv: Any) -> None:
    for column, params in enumerate(pi.configs.params or ()):
        wanted = cross_val_predict(
            clone(TREE).set_params(**params), data, Y, cv=cv, method="predict_proba"
        )[:, 1]
        np.testing.assert_array_equal(pi.responses[:, column, 0], wanted)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_predictions_are_those_of_the_folds_in_every_thread(n_jobs: int) -> None:
    search = OptunaSearchCV(TREE, n_jobs=n_jobs)
    pi = en.harvest(search, X, Y)
    assert pi.n_configs == 5
    same_as_cross_val_predict(pi, X, 3)
    assert not pi.configs.static


@pytest.mark.parametrize(
    "data", [pd.DataFrame(X), pd.DataFrame(X, index=[f"r{i}" for i in range(90)])]
)
def test_tables_are_known_by_their_index(data: Any) -> None:
    same_as_cross_val_predict(en.harvest(OptunaSearchCV(TREE), data, Y), data, 3)


def test_sparse_rows_and_rows_that_occur_twice() -> None:
    double = np.repeat(np.round(X[:45], 1), 2, axis=0)  # every row twice, never a fold twice
    for data in (sparse.csr_matrix(X), double):
        same_as_cross_val_predict(en.harvest(OptunaSearchCV(TREE), data, Y), data, 3)


def test_a_splitter_without_a_seed_is_split_once() -> None:
    pi = en.harvest(OptunaSearchCV(TREE, cv=KFold(4, shuffle=True)), X, Y)
    assert pi.complete.all()
    fold = [
        (np.flatnonzero(pi.folds[:, 0] != k), np.flatnonzero(pi.folds[:, 0] == k)) for k in range(4)
    ]
    same_as_cross_val_predict(pi, X, fold)


def test_repeats_are_repeats() -> None:
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    pi = en.harvest(OptunaSearchCV(TREE, cv=cv), X, Y)
    assert (pi.n_repeats, pi.n_folds) == (2, 3)
    assert pi.complete.all()


def test_the_search_is_as_its_own_fit_leaves_it() -> None:
    seen: list[int] = []
    given: dict[str, Any] = {"callbacks": [lambda study, trial: seen.append(trial.number)]}
    alone, kept = OptunaSearchCV(TREE).fit(X, Y), OptunaSearchCV(TREE, **given)
    en.harvest(kept, X, Y)
    assert [t.value for t in kept.study_.trials] == [t.value for t in alone.study_.trials]
    assert (kept.cv, kept.scoring, kept.callbacks) == (3, "roc_auc", given["callbacks"])
    assert str(kept.scorer_) == str(alone.scorer_)
    assert seen == [0, 1, 2, 3, 4]


def test_pruned_trials_have_no_predictions() -> None:
    pi = en.harvest(OptunaSearchCV(TREE, prune=(1, 3)), X, Y)
    assert pi.complete.tolist() == [True, False, True, False, True]
    assert "EN012" in {c.code for c in en.estimate(pi, metric="roc_auc", rng=0).cautions}


def test_trials_that_were_there_before_are_cautioned_of() -> None:
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_int("max_depth", 1, 9) / 10, n_trials=2)
    pi = en.harvest(OptunaSearchCV(TREE, study=study), X, Y)
    assert pi.configs.static
    assert pi.remarks[0].code == "EN100"
    assert "0, 1" in pi.remarks[0].what


@pytest.mark.parametrize(
    ("options", "words"),
    [({"return_train_score": True}, "training and test scores"), ({"subsample": 0.5}, "subsample")],
)
def test_what_hides_the_rows_is_refused_before_any_fit(options: dict[str, Any], words: str) -> None:
    search = OptunaSearchCV(TREE, **options)
    with pytest.raises(InputError, match=words):
        en.harvest(search, X, Y)
    assert not hasattr(search, "study_")


def test_rows_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(InputError, match="same content"):
        en.harvest(OptunaSearchCV(TREE, cv=KFold(45)), np.zeros((90, 2)), np.tile([0, 1], 45))
    with pytest.raises(InputError, match="reset_index"):
        en.harvest(OptunaSearchCV(TREE), pd.DataFrame(X, index=[0] * 90), Y)


def test_a_search_without_a_completed_trial_is_refused() -> None:
    with pytest.raises(EvidenceError, match="kept no predictions"):
        en.harvest(OptunaSearchCV(TREE, prune=(0, 1, 2, 3, 4)), X, Y)
