"""From `scoring` to the metric of the estimate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.metrics import f1_score, fbeta_score, make_scorer
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import earnest as en
from earnest import SearchCV
from earnest.errors import InputError, MetricError, UnknownNameError
from earnest.training import NoEstimateError

Array = NDArray[Any]
X, Y = make_classification(n_samples=60, n_features=5, flip_y=0.2, random_state=0)
XR, YR = make_regression(n_samples=50, n_features=3, noise=5.0, random_state=0)
LR = LogisticRegression()
CS = {"C": [0.01, 1.0]}


def own(model: Any, X: Array, y: Array) -> float:
    return float(model.C)


def codes(search: Any) -> set[str]:
    return {caution.kind for caution in search.estimate_.cautions}


@pytest.mark.parametrize(
    ("scoring", "name"),
    [
        (None, "accuracy"),
        ("roc_auc", "roc_auc"),
        ("neg_log_loss", "log_loss"),
        ("neg_brier_score", "brier"),
        (make_scorer(fbeta_score, beta=2), "f_beta"),  # 2 is its usual beta
        (make_scorer(fbeta_score, beta=3), "f_beta(beta=3)"),
        ("mcc", "mcc"),
        ("f_beta(beta=0.5)", "f_beta(beta=0.5)"),
        (en.metric("specificity"), "specificity"),
    ],
)
def test_the_metric_of_the_estimate_is_that_of_the_scoring(scoring: Any, name: str) -> None:
    search = SearchCV(LR, CS, scoring=scoring, cv=3, n_resamples=20, random_state=0).fit(X, Y)
    assert search.estimate_.metric == name
    assert not {"another_score"} & codes(search)


def test_a_metric_of_this_package_scores_as_the_same_scorer_of_scikit_learn() -> None:
    pairs = (("mcc", "matthews_corrcoef"), ("brier", "neg_brier_score"), ("mse", None))
    for ours, theirs in pairs:
        model, data, outcome = (Ridge(), XR, YR) if ours == "mse" else (LR, X, Y)
        a = SearchCV(model, {}, scoring=en.metric(ours), cv=3).fit(data, outcome)
        b = SearchCV(model, {}, scoring=theirs or "neg_mean_squared_error", cv=3).fit(data, outcome)
        for split in range(3):
            key = f"split{split}_test_score"
            np.testing.assert_allclose(a.cv_results_[key], b.cv_results_[key], rtol=1e-12)


def test_of_several_scores_the_one_that_refits_is_estimated() -> None:
    for refit, name in (("f1", "f1"), ("roc_auc", "roc_auc"), (False, "roc_auc")):
        search = SearchCV(LR, CS, scoring=["roc_auc", "f1"], refit=refit, cv=3, random_state=0)
        assert search.fit(X, Y).estimate_.metric == name


def test_a_metric_of_ones_own_choice_is_cautioned_of_where_another_score_chose() -> None:
    same = SearchCV(LR, CS, scoring="roc_auc", metric="auc", cv=3, random_state=0).fit(X, Y)
    other = SearchCV(LR, CS, scoring=own, metric="roc_auc", cv=3, random_state=0).fit(X, Y)
    assert "another_score" not in codes(same)
    assert "another_score" in codes(other)
    assert other.best_index_ == 1  # by the user's scorer, and the estimate is of it
    assert other.estimate_.winner == "c1"


def test_a_function_of_models_has_no_estimate_and_says_how_to_get_one() -> None:
    search = SearchCV(LR, CS, scoring=own, cv=3).fit(X, Y)
    with pytest.raises(NoEstimateError, match=r"metric='\.\.\.'"):
        _ = search.estimate_
    assert not hasattr(search, "estimate_")
    assert en.estimate(search.predictions_, metric="brier", rng=0).n_configs == 2


def test_an_own_score_method_is_told_from_accuracy_and_r2() -> None:
    class Own(RegressorMixin, BaseEstimator):
        def fit(self, X: Array, y: Array) -> Own:
            self.fitted_ = True
            return self

        def predict(self, X: Array) -> Array:
            return np.asarray(X[:, 0])

        def score(self, X: Array, y: Array) -> float:
            return 0.5

    for model in (Own(), PoissonRegressor(), make_pipeline(StandardScaler(), Own())):
        search = SearchCV(model, {}, cv=3, random_state=0).fit(XR, np.abs(YR))
        assert search.estimate_.metric == "r2"
        assert "another_score" in codes(search)
    plain = SearchCV(make_pipeline(StandardScaler(), Ridge()), {}, cv=3, random_state=0)
    assert "another_score" not in codes(plain.fit(XR, YR))


@pytest.mark.parametrize(
    ("knobs", "error", "words"),
    [
        ({"scoring": "roc_aux"}, UnknownNameError, "Did you mean 'roc_auc'"),
        ({"metric": "aucc"}, UnknownNameError, "aucc"),
        ({"metric": "r2"}, MetricError, "not defined for a binary task"),
        ({"scoring": []}, InputError, "lists no scores"),
        ({"scoring": ["f1", "f1"]}, InputError, "one twice"),
        ({"scoring": ["f1", "recall"]}, InputError, "must name the one that chooses"),
        ({"scoring": ["f1", "recall"], "refit": "f_1"}, InputError, "Did you mean 'f1'"),
    ],
)
def test_a_score_that_does_not_fit_is_refused_before_any_fit(
    knobs: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        SearchCV(LR, CS, **knobs).fit(X, Y)


def test_an_auc_of_many_classes_is_refused_before_any_fit_where_failures_are_raised() -> None:
    for knobs in ({"scoring": "roc_auc", "error_score": "raise"}, {"metric": "roc_auc"}):
        with pytest.raises(MetricError, match="roc_auc_ovr"):
            SearchCV(LR, CS, **knobs).fit(X, np.arange(60) % 3)


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.UndefinedMetricWarning", "ignore:One or more of the test scores"
)
def test_where_single_folds_have_no_score_the_first_is_judged_by_itself() -> None:
    from sklearn.metrics import roc_auc_score

    few, y = X[:24], Y[:24]
    grid = {"C": [1e-4, 100.0]}
    search = SearchCV(LR, grid, scoring="roc_auc", cv=LeaveOneOut(), random_state=0).fit(few, y)
    models = [LogisticRegression(C=c) for c in grid["C"]]
    folds = {"cv": LeaveOneOut(), "method": "decision_function"}
    pooled = [roc_auc_score(y, cross_val_predict(model, few, y, **folds)) for model in models]
    assert int(np.argmax(pooled)) > 0  # another one would have been the better choice
    assert search.best_index_ == 0
    assert np.isnan(search.best_score_)
    assert search.estimate_.naive == pytest.approx(pooled[0], abs=1e-12)
    assert search.estimate_.value <= pooled[0] + 1e-12
    assert "no_mean_scores" in codes(search)
    assert {"refit_differs", "refit_not_repeated"} & codes(search)


def test_the_positive_class_is_that_of_the_score_that_chooses() -> None:
    scoring = {f"f{k}": make_scorer(f1_score, pos_label=k) for k in (0, 1)}
    for positive in (0, 1):
        knobs = {"refit": f"f{positive}", "cv": 2, "random_state": 0, "n_resamples": 50}
        search = SearchCV(LR, CS, scoring=scoring, **knobs)
        search.fit(X, Y)
        predicted = cross_val_predict(clone(search.best_estimator_), X, Y, cv=2)
        expected = f1_score(Y, predicted, pos_label=positive)
        assert search.estimate_.naive == pytest.approx(expected, abs=1e-12)
        assert search.predictions_.target.classes[1] == positive


def test_a_metric_of_ones_own_has_its_own_positive_class_else_the_last() -> None:
    knobs = {"scoring": make_scorer(f1_score, pos_label=0), "cv": 2, "random_state": 0}
    last = SearchCV(LR, CS, metric="f1", **knobs).fit(X, Y)
    assert last.predictions_.target.classes == (0, 1)
    words = np.array(["no", "yes"])
    for positive in (0, 1):
        metric = make_scorer(fbeta_score, beta=2, pos_label=words[positive])
        knobs = {"scoring": "accuracy", "cv": 2, "random_state": 0, "n_resamples": 50}
        said = SearchCV(LR, CS, metric=metric, **knobs).fit(X, words[Y])
        assert said.predictions_.target.classes[1] == words[positive]
        predicted = cross_val_predict(clone(said.best_estimator_), X, words[Y], cv=2)
        expected = fbeta_score(words[Y], predicted, beta=2, pos_label=words[positive])
        assert said.estimate_.naive == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("positive", [0, 1])
def test_a_score_of_the_other_class_is_another_score(positive: int) -> None:
    scoring, metric = make_scorer(f1_score, pos_label=positive), make_scorer(f1_score)
    knobs = {"scoring": scoring, "metric": metric, "cv": 2, "n_resamples": 50}
    search = SearchCV(LR, CS, random_state=0, **knobs).fit(X, Y)
    assert ("another_score" in codes(search)) == (positive == 0)


@pytest.mark.parametrize("name", ["brier", "log_loss", "error_rate"])
def test_a_metric_of_this_package_scores_a_fold_of_one_class(name: str) -> None:
    loo = SearchCV(LR, CS, scoring=name, cv=LeaveOneOut(), random_state=0).fit(X[:14], Y[:14])
    assert not loo.failures_
    # The mean over single cases is the metric itself, as each is a mean over cases.
    assert -loo.best_score_ == pytest.approx(loo.estimate_.naive, abs=1e-12)


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_what_one_class_leaves_undefined_is_nan_and_no_failure() -> None:
    loo = SearchCV(LR, CS, scoring="ks", cv=LeaveOneOut(), random_state=0).fit(X[:14], Y[:14])
    assert not loo.failures_
    assert np.isnan(loo.cv_results_["mean_test_score"]).all()
    assert "no_mean_scores" in codes(loo)


def test_a_metric_of_this_package_takes_outcomes_of_any_form() -> None:
    import pandas as pd
    import polars as pl

    knobs = {"scoring": "rmse", "cv": 3, "random_state": 0}
    plain = SearchCV(Ridge(), {"alpha": [0.1, 10.0]}, **knobs).fit(XR, YR)
    for outcome in (YR.tolist(), pd.Series(YR), pl.Series(YR)):
        other = SearchCV(Ridge(), {"alpha": [0.1, 10.0]}, **knobs).fit(XR, outcome)
        np.testing.assert_array_equal(
            other.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
        )


def test_a_model_that_saw_one_class_is_scored_by_the_classes_it_is_shown() -> None:
    from sklearn.dummy import DummyClassifier

    from earnest.metrics import metric
    from earnest.training import MetricScorer

    model = DummyClassifier().fit(X[:5], np.zeros(5, dtype=int))
    score = MetricScorer(metric("error_rate"))
    assert score(model, X[:4], np.array([0, 1, 1, 1])) == -0.75
    assert np.isnan(score(model, X[:4], np.zeros(4, dtype=int)))
