"""Reports of skore, with classes that stand in for its own.

tests/extras/test_skore.py holds the reader to skore itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, ShuffleSplit, cross_val_predict
from sklearn.svm import LinearSVC

import earnest as en
from earnest.errors import EvidenceError, InputError

X = np.random.default_rng(4).standard_normal((60, 3))
Y = (X[:, 0] + np.random.default_rng(5).standard_normal(60) > 0).astype(int)
FOLDS = KFold(4, shuffle=True, random_state=0)


class CrossValidationReport:
    """As skore has it: the models of all folds, and what they predict."""

    __module__ = "skore._reports"

    def __init__(self, estimator: Any, X: Any = X, y: Any = Y, splitter: Any = FOLDS) -> None:
        self.estimator, self.y = estimator, y
        self.estimator_name_ = type(estimator).__name__
        self.ml_task = "regression" if isinstance(estimator, Ridge) else "binary-classification"
        self.split_indices = tuple(splitter.split(X, y))
        self.models = [clone(estimator).fit(X[a], y[a]) for a, _ in self.split_indices]
        self.tests = [X[b] for _, b in self.split_indices]

    def get_predictions(self, *, data_source: str, response_method: str) -> list[Any]:
        assert data_source == "test"
        pairs = zip(self.models, self.tests, strict=True)
        return [getattr(model, response_method)(rows) for model, rows in pairs]


class EstimatorReport(CrossValidationReport):
    """A report of one test set."""

    __module__ = "skore._reports"

    def __init__(self, estimator: Any) -> None:
        super().__init__(estimator)
        self.y_test = self.y[self.split_indices[0][1]]

    def get_predictions(self, *, data_source: str, response_method: str) -> Any:
        return super().get_predictions(data_source=data_source, response_method=response_method)[0]


class ComparisonReport:
    """Several reports by name."""

    __module__ = "skore._reports"

    def __init__(self, **reports: Any) -> None:
        self.reports_ = reports


def logistic(c: float = 1.0) -> LogisticRegression:
    return LogisticRegression(C=c)


def test_a_report_gives_the_out_of_fold_predictions_of_its_models() -> None:
    pi = en.predictions_from([CrossValidationReport(logistic(c)) for c in (0.01, 1.0)])
    wanted = cross_val_predict(logistic(0.01), X, Y, cv=FOLDS, method="predict_proba")[:, 1]
    np.testing.assert_allclose(pi.responses[:, 0, 0], wanted, atol=1e-12)
    assert pi.configs.ids == ("LogisticRegression 1", "LogisticRegression 2")
    assert pi.configs.params[0]["C"] == 0.01
    assert pi.n_folds == 4


def test_a_comparison_keeps_its_names_and_one_response_serves_all() -> None:
    made = ComparisonReport(
        plain=CrossValidationReport(logistic()), svm=CrossValidationReport(LinearSVC())
    )
    pi = en.predictions_from(made)
    assert pi.configs.ids == ("plain", "svm")
    assert pi.kind == "decision"


def test_repeats_test_sets_and_regressions_are_read() -> None:
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    assert en.predictions_from(CrossValidationReport(logistic(), splitter=splitter)).n_repeats == 2
    one = en.predictions_from([EstimatorReport(logistic(c)) for c in (0.1, 1.0)])
    assert (one.n_cases, one.n_configs, one.n_folds) == (15, 2, 1)
    assert (
        en.predictions_from(CrossValidationReport(Ridge(), y=X[:, 1])).target.task == "regression"
    )


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: [CrossValidationReport(logistic()), EstimatorReport(logistic())], "both"),
        (
            lambda: [
                CrossValidationReport(logistic()),
                CrossValidationReport(logistic(), splitter=KFold(4)),
            ],
            "other cases or folds",
        ),
        (
            lambda: CrossValidationReport(logistic(), splitter=ShuffleSplit(3, random_state=0)),
            "more often|not test every",
        ),
    ],
)
def test_reports_that_do_not_fit_together_are_refused(make: Any, found: str) -> None:
    with pytest.raises(EvidenceError, match=found):
        en.predictions_from(make())


def test_what_a_report_already_tells_is_not_asked() -> None:
    with pytest.raises(InputError, match="`y` does not apply"):
        en.predictions_from(CrossValidationReport(logistic()), Y)
