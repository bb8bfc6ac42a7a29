"""Fold scores in objects: fitted searches, studies, `cross_validate`, and mappings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.terminator import report_cross_validation_scores
from sklearn.datasets import load_breast_cancer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.errors import EarnestError
from tests.snapshots import Golden

optuna.logging.set_verbosity(optuna.logging.ERROR)
X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[100:200, :3], Y[100:200]
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4, 8]}


def fit(**options: Any) -> GridSearchCV:
    return GridSearchCV(TREE, GRID, **{"cv": 5, **options}).fit(X, Y)


def kinds(found: Any) -> set[str]:
    return {caution.kind for caution in found.cautions}


def test_a_search_without_scoring_is_of_what_its_estimator_scores() -> None:
    found = en.estimate(fit(), rng=0)
    assert found.metric == "accuracy"
    assert found.naive == pytest.approx(fit().best_score_)


def test_the_score_that_refit_names_is_asked_and_another_may_be() -> None:
    search = fit(scoring=["accuracy", "roc_auc"], refit="roc_auc")
    assert en.estimate(search, rng=0).metric == "roc_auc"
    assert en.estimate(search, metric="accuracy", rng=0).metric == "accuracy"
    with pytest.raises(EarnestError):
        en.estimate(search, metric="f1")
    with pytest.raises(EarnestError):
        en.estimate(fit(scoring=["accuracy", "roc_auc"], refit=False))


def test_a_function_that_refits_is_told() -> None:
    search = fit(refit=lambda results: 0)
    assert "another_rule" in kinds(en.estimate(search, rng=0))


@pytest.mark.parametrize(
    ("cv", "repeats", "interval", "kind"),
    [
        (KFold(5), 1, True, None),
        (RepeatedKFold(n_splits=5, n_repeats=3, random_state=0), 3, True, None),
        (ShuffleSplit(8, random_state=0), 1, False, "splits_overlap"),
        (TimeSeriesSplit(6), 1, True, "time_order"),
        (list(RepeatedKFold(n_splits=5, n_repeats=2, random_state=0).split(X)), 2, True, None),
        (list(ShuffleSplit(6, random_state=0).split(X)), 1, False, "splits_overlap"),
    ],
)
def test_the_splitter_says_how_splits_belong_together(
    cv: Any, repeats: int, interval: bool, kind: str | None
) -> None:
    found = en.estimate(fit(cv=cv), rng=0)
    assert found.provenance.n_repeats == repeats
    assert (found.interval is not None) is interval
    assert kind is None or kind in kinds(found)


def test_random_and_halving_searches_are_read() -> None:
    search = RandomizedSearchCV(TREE, GRID, n_iter=3, cv=5, random_state=0).fit(X, Y)
    assert en.estimate(search, rng=0).n_configs == 3
    halving = HalvingGridSearchCV(TREE, GRID, cv=5, factor=2, random_state=0).fit(X, Y)
    found = en.estimate(halving, rng=0)
    assert found.guide == "all"
    last = halving.cv_results_["iter"] == halving.n_iterations_ - 1
    assert found.n_configs == last.sum()


def test_failed_fits_are_left_out() -> None:
    grid = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 0.9]}
    search = GridSearchCV(TREE, {**grid, "max_features": [1, 2]}, cv=5).fit(X, Y)
    results = dict(search.cv_results_)
    results["split2_test_score"] = np.where(
        np.arange(12) == 3, np.nan, results["split2_test_score"]
    )
    found = en.estimate(results, metric="accuracy", rng=0)
    assert found.n_configs == 11
    assert "configurations_incomplete" in kinds(found)


def test_what_cross_validate_returns_is_one_model() -> None:
    found = en.estimate(cross_validate(TREE, X, Y, cv=10, scoring="roc_auc"), metric="roc_auc")
    assert found.selection == "nothing_selected"


def test_searches_without_fold_scores_are_refused_in_one_voice(golden: Golden) -> None:
    plain = fit()
    means = {k: v for k, v in plain.cv_results_.items() if not k.startswith("split")}
    nan = {k: (v * np.nan if k.startswith("split") else v) for k, v in plain.cv_results_.items()}
    one = {k: v for k, v in plain.cv_results_.items() if not k.startswith("split") or "split0" in k}
    for wrong in (
        GridSearchCV(TREE, GRID),
        means,
        nan,
        one,
        {"svm": ["a", "b"]},
        {"fold": [0, 1], "svm": [0.5, 0.6]},
        {"y": [0, 1]},
        {"y": [[0, 1], [1, 0]], "svm": [[0.1, 0.2], [0.3]]},
        {"y": [0, 1, 0, 1], "splits": [([0, 1], [2, 9])], "svm": [[0.1, 0.2]]},
    ):
        with golden.raises(EarnestError):
            en.estimate(wrong, metric="accuracy")


def make_study(report: str, **options: Any) -> optuna.Study:
    """Return a study of five trials whose folds are kept in one way."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0), **options)

    def objective(trial: optuna.Trial) -> float:
        depth = trial.suggest_int("depth", 1, 9)
        scores = 0.6 + 0.01 * depth + 0.05 * np.random.default_rng(depth).standard_normal(5)
        for step, score in enumerate(scores.tolist()):
            if report == "steps":
                trial.report(score, step)
            elif report == "epochs":
                trial.report(score + 0.01 * step, step)
            elif report == "attributes":
                trial.set_user_attr(f"fold{step}_auc", score)
        if report == "list":
            trial.set_user_attr("cv_scores", scores.tolist())
        if report == "terminator":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # optuna 5: it moves to another package
                report_cross_validation_scores(trial, scores.tolist())
        return float(scores.mean())

    study.optimize(objective, n_trials=5)
    return study


@pytest.mark.parametrize("report", ["steps", "attributes", "list", "terminator"])
def test_a_study_is_read_wherever_its_folds_are(report: str) -> None:
    study = make_study(report, direction="maximize")
    found = en.estimate(study, rng=0)
    assert found.naive == pytest.approx(study.best_value)
    assert found.provenance.n_folds == 5
    assert found.guide is None  # the sampler saw no scores


def test_a_study_that_minimises_is_of_a_loss() -> None:
    study = make_study("list", direction="minimize")
    found = en.estimate(study, rng=0)
    assert not found.scale.greater_is_better
    assert found.naive == pytest.approx(study.best_value)
    assert found.value >= found.naive


def test_epochs_are_never_taken_for_folds(golden: Golden) -> None:
    for report in ("epochs", "nothing"):
        with golden.raises(EarnestError):
            en.estimate(make_study(report, direction="maximize"))
