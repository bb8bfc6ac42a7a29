"""skore itself: its reports give what cross_val_predict gives."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import earnest as en

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("default")]  # the tool's own warnings


def test_reports_and_their_comparison_are_read() -> None:
    import skore

    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:160, :5], y[:160]
    models = [LogisticRegression(C=c, max_iter=5000) for c in (0.001, 1.0)]
    reports = [skore.CrossValidationReport(model, X, y, splitter=5) for model in models]
    for source in (reports, skore.ComparisonReport(reports)):
        pi = en.predictions_from(source)
        for number, model in enumerate(models):
            wanted = cross_val_predict(model, X, y, cv=5, method="predict_proba")[:, 1]
            np.testing.assert_allclose(pi.responses[:, number, 0], wanted, atol=1e-12)


def test_reports_of_one_test_set_are_read() -> None:
    import skore

    X, y = load_breast_cancer(return_X_y=True)
    train, test = slice(0, 120), slice(120, 200)
    models = [LogisticRegression(C=c, max_iter=5000) for c in (0.001, 1.0)]
    parts = {"X_train": X[train, :5], "y_train": y[train], "X_test": X[test, :5], "y_test": y[test]}
    reports = [skore.EstimatorReport(model, **parts) for model in models]
    for source in (reports, skore.ComparisonReport(reports)):
        pi = en.predictions_from(source)
        np.testing.assert_array_equal(pi.target.y, y[test])
        for number, model in enumerate(models):
            wanted = model.fit(X[train, :5], y[train]).predict_proba(X[test, :5])[:, 1]
            np.testing.assert_allclose(pi.responses[:, number, 0], wanted, atol=1e-12)
