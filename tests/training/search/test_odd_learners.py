"""Learners and outcomes that are odd: each is answered, or refused in words that help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import earnest as en
from tests.snapshots import Golden

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 20)
X = Y[:, None] + RNG.standard_normal((40, 3))
TIMES = RNG.exponential(size=40)
BOTH = [("cv", "corrected_t"), ("loob", "loob")]  # by folds, and by bootstrap samples


class Saying(ClassifierMixin, BaseEstimator):
    """Says something odd of the cases."""

    def __init__(self, said: str = "short") -> None:
        self.said = said

    def fit(self, X: Any, y: Any) -> Saying:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        n = len(X)
        return {
            "short": np.zeros(n - 1, dtype=int),
            "nan": np.full(n, np.nan),
            "unseen": np.full(n, 7),
            "a column": np.zeros((n, 1), dtype=int),
            "a list": [0] * n,
        }[self.said]


def answered(model: Any, y: Any, method: str, test: str, x: Any = X, **more: Any) -> list[Any]:
    """Return what one learner is worth, and how it compares with a dummy."""
    ask = {"metric": "accuracy", "rng": 0, "n_replicates": 10, **more}
    folds = {name: value for name, value in ask.items() if name != "n_replicates"}
    return [
        en.assess(model, x, y, method=method, **ask),
        en.compare_learners(
            model, ("dummy", DummyClassifier()), x, y, test=test,
            **(ask if test == "loob" else folds),
        ),
    ]  # fmt: skip


@pytest.mark.parametrize(("method", "test"), BOTH)
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("short", "one prediction per case"),
        ("nan", "not finite"),
        ("unseen", "a label that is not a class"),
    ],
)
def test_odd_predictions_are_refused_in_words(
    said: str, words: str, method: str, test: str
) -> None:
    with pytest.raises(en.errors.EarnestError, match=words):
        en.assess(Saying(said), X, Y, method=method, metric="accuracy", rng=0, n_replicates=5)
    count = {"n_replicates": 5} if test == "loob" else {}
    with pytest.raises(en.errors.EarnestError, match=words):
        en.compare_learners(
            Saying(said), GaussianNB(), X, Y, test=test, metric="accuracy", rng=0, **count
        )


@pytest.mark.parametrize(("method", "test"), BOTH)
@pytest.mark.parametrize("said", ["a column", "a list"])
def test_columns_and_lists_of_labels_are_taken(said: str, method: str, test: str) -> None:
    made, _ = answered(Saying(said), Y, method, test)
    assert 0.3 < made.value < 0.6  # all are said to be of one class of two


OUTCOMES = {
    "words": np.where(Y == 1, "yes", "no"),
    "objects": np.where(Y == 1, "yes", "no").astype(object),
    "booleans": Y.astype(bool),
    "a column": Y[:, None],
    "a frame": pd.DataFrame({"y": Y}),
    "a series in another order": pd.Series(Y, index=np.arange(40)[::-1]),
    "categories": pd.Series(pd.Categorical(np.where(Y == 1, "yes", "no"))),
    "nullable": pd.Series(Y, dtype="Int64"),
    "a list": Y.tolist(),
}


@pytest.mark.parametrize(("method", "test"), BOTH)
@pytest.mark.parametrize("kind", list(OUTCOMES))
def test_every_form_of_two_classes_gives_the_same(kind: str, method: str, test: str) -> None:
    one, pair = answered(GaussianNB(), OUTCOMES[kind], method, test)
    same, apart = answered(GaussianNB(), Y, method, test)
    assert one.value == same.value
    assert pair.difference == apart.difference


@pytest.mark.parametrize(("method", "test"), BOTH)
@pytest.mark.parametrize(
    ("y", "words"),
    [
        (Y.astype(bool).astype(object), r"objects in y \(bool\).*astype\(str\)"),
        (np.array([1, "a"] * 20, dtype=object), r"objects in y \(int, str\)"),
        (0.5 * Y, "numbers in y, for GaussianNB. Use a regressor"),
        (np.eye(2)[Y], "2 columns of y"),
        (np.zeros(40, dtype=int), r"only 0. Check the outcome: there is nothing to predict.$"),
        (np.append(1, np.zeros(39, dtype=int)), "class 1 has one case"),
        ((TIMES < 1, TIMES), "a classifier cannot learn censored times"),
    ],
)
def test_outcomes_that_no_classifier_learns_are_refused_by_what_they_are(
    y: Any, words: str, method: str, test: str
) -> None:
    metric = "concordance" if isinstance(y, tuple) else "accuracy"
    with pytest.raises(en.errors.InputError, match=words):
        en.assess(GaussianNB(), X, y, method=method, metric=metric, n_replicates=5)
    count = {"n_replicates": 5} if test == "loob" else {}
    with pytest.raises(en.errors.InputError, match=words):
        en.compare_learners(
            GaussianNB(), DummyClassifier(), X, y, test=test, metric=metric, **count
        )


@pytest.mark.parametrize(("method", "test"), BOTH)
def test_cases_of_one_group_are_refused(method: str, test: str, golden: Golden) -> None:
    with golden.raises(en.errors.InputError):
        answered(GaussianNB(), Y, method, test, groups=np.zeros(40))
    count = {"n_replicates": 5} if test == "loob" else {}
    with golden.raises(en.errors.InputError):
        en.compare_learners(
            GaussianNB(), DummyClassifier(), X, Y, test=test, metric="accuracy",
            groups=np.zeros(40), **count,
        )  # fmt: skip


def test_a_class_rarer_than_the_folds_is_compared_without_a_stray_warning() -> None:
    y = np.repeat([1, 0], [4, 36])
    made = en.compare_learners(GaussianNB(), DummyClassifier(), X, y, metric="accuracy", rng=0)
    assert "EN002" in {caution.code for caution in made.cautions}


def test_a_metric_without_terms_names_a_method_that_assesses_learners() -> None:
    with pytest.raises(en.errors.MetricError, match="method='corrected_t'"):
        en.assess(GaussianNB(), X, Y, method="bayle_all_pairs", metric="average_precision", cv=4)


def test_numbers_are_no_classes_for_an_auc(golden: Golden) -> None:
    with golden.raises(en.errors.MetricError):
        en.assess(LinearRegression(), X, Y, method="cv", metric="roc_auc")
