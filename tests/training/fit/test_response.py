"""Which answer of a model goes into Π, and how."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import earnest as en
from earnest import SearchCV
from earnest.core import ResponseKind
from earnest.errors import InputError, MetricError
from earnest.training import will_have

Array = NDArray[Any]
X, Y = make_classification(n_samples=60, n_features=5, random_state=0)
X3, Y3 = make_classification(
    n_samples=90, n_features=6, n_informative=4, n_classes=3, random_state=0
)
XR, YR = make_regression(n_samples=50, n_features=3, noise=5.0, random_state=0)


def column(search: Any, config: int = 0) -> Array:
    return np.asarray(search.predictions_.responses[:, config, 0])


@pytest.mark.parametrize(
    ("scoring", "method", "kind"),
    [
        ("roc_auc", "decision_function", ResponseKind.DECISION),
        ("neg_log_loss", "predict_proba", ResponseKind.PROBABILITY),
        ("accuracy", "predict", ResponseKind.LABEL),
        (None, "predict", ResponseKind.LABEL),
    ],
)
def test_predictions_are_those_of_cross_val_predict(
    scoring: str | None, method: str, kind: ResponseKind
) -> None:
    model = LogisticRegression()
    search = SearchCV(model, {"C": [0.1, 1.0]}, scoring=scoring, cv=4).fit(X, Y)
    assert search.predictions_.kind is kind
    expected = cross_val_predict(LogisticRegression(C=1.0), X, Y, cv=4, method=method)
    expected = expected[:, 1] if expected.ndim == 2 else expected
    np.testing.assert_array_equal(column(search, 1), expected)


def test_many_classes_keep_a_column_each() -> None:
    search = SearchCV(GaussianNB(), {}, scoring="roc_auc_ovr", cv=3).fit(X3, Y3)
    expected = cross_val_predict(GaussianNB(), X3, Y3, cv=3, method="predict_proba")
    np.testing.assert_array_equal(column(search), expected)


def test_values_are_what_predict_gives() -> None:
    search = SearchCV(Ridge(), {}, cv=3).fit(XR, YR)
    np.testing.assert_array_equal(column(search), cross_val_predict(Ridge(), XR, YR, cv=3))


class SurvivalAnalysisMixin:
    """Named as that of scikit-survival, whose `score` is the concordance index."""

    def score(self, X: Array, y: Array) -> float:
        return concordance(y, self.predict(X))  # type: ignore[attr-defined]


class Hazard(SurvivalAnalysisMixin, BaseEstimator):
    """A survival learner: the risk goes up with what goes with early events."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Array, y: Array) -> Hazard:
        seen = y["event"]
        self.slope_ = -np.corrcoef(X[seen, self.column], y["time"][seen])[0, 1]
        return self

    def predict(self, X: Array) -> Array:
        return np.asarray(self.slope_ * X[:, self.column])


def concordance(y: Array, risk: Array) -> float:
    """Harrell's index by its definition: pairs in which the one with the event was earlier."""
    right = pairs = 0.0
    for i in np.flatnonzero(y["event"]):
        later = y["time"] > y["time"][i]
        pairs += later.sum()
        right += (risk[i] > risk[later]).sum() + 0.5 * (risk[i] == risk[later]).sum()
    return float(right / pairs)


def test_a_survival_outcome_is_a_structured_array_or_a_pair() -> None:
    rng = np.random.default_rng(0)
    times, events = rng.exponential(size=60), rng.random(60) < 0.7
    made = np.empty(60, dtype=[("event", bool), ("time", np.float64)])
    made["event"], made["time"] = events, times
    grid = {"column": [0, 1, 2]}
    structured = SearchCV(Hazard(), grid, cv=3, random_state=0).fit(X, made)
    pair = SearchCV(Hazard(), grid, cv=3, scoring="concordance", random_state=0)
    pair.fit(X, (events, times))
    assert structured.predictions_.kind is ResponseKind.RISK
    assert structured.estimate_.metric == pair.estimate_.metric == "concordance"
    assert not {"another_score"} & {caution.kind for caution in structured.estimate_.cautions}
    for search in (structured, pair):
        np.testing.assert_array_equal(column(search), column(structured))
        # the index by its definition, and that of this package: fold by fold the same
        np.testing.assert_allclose(search.best_score_, structured.best_score_, rtol=1e-12)
    assert pair.score(X, (events, times)) == pytest.approx(structured.score(X, made), rel=1e-12)


def test_labels_of_any_type_and_the_last_of_two_is_positive() -> None:
    words = np.array(["nein", "ja"], dtype=object)[Y]
    search = SearchCV(LogisticRegression(), {}, scoring="roc_auc", cv=4, random_state=0).fit(
        X, words
    )
    plain = SearchCV(LogisticRegression(), {}, scoring="roc_auc", cv=4, random_state=0).fit(
        X, 1 - Y
    )
    assert search.predictions_.target.classes == ("ja", "nein")
    assert search.estimate_.value == pytest.approx(plain.estimate_.value, abs=1e-12)


def test_the_positive_class_of_a_scorer_counts() -> None:
    from sklearn.metrics import f1_score, make_scorer

    words = np.array(["ja", "nein"])[Y]
    scorer = make_scorer(f1_score, pos_label="ja")
    search = SearchCV(LogisticRegression(), {}, scoring=scorer, cv=4, n_resamples=20).fit(X, words)
    assert search.predictions_.target.classes[1] == "ja"
    assert search.estimate_.naive == pytest.approx(
        f1_score(words, cross_val_predict(LogisticRegression(), X, words, cv=4), pos_label="ja")
    )


def test_a_class_that_a_training_part_lacks_gets_no_probability_and_the_lowest_decision() -> None:
    y = np.zeros(60, dtype=int)
    y[:20], y[57:] = 1, 2
    folds = KFold(20)  # the last fold tests all of class 2
    proba = SearchCV(GaussianNB(), {}, cv=folds, metric="log_loss").fit(X, y)
    assert (column(proba)[57:, 2] == 0).all()
    np.testing.assert_allclose(column(proba).sum(axis=1), 1.0, atol=1e-12)
    decision = SearchCV(SVC(), {}, cv=folds, metric="roc_auc_ovr").fit(X, y)
    last = column(decision)[57:]
    assert (last[:, 2] < last[:, :2].min(axis=1)).all()


def test_decisions_and_probabilities_side_by_side_share_the_cut_at_zero() -> None:
    candidates = [LogisticRegression(), RandomForestClassifier(5, random_state=0), SVC()]
    search = SearchCV(None, candidates, scoring="roc_auc", cv=4, random_state=0).fit(X, Y)
    assert search.predictions_.kind is ResponseKind.DECISION
    forest = cross_val_predict(candidates[1], X, Y, cv=4, method="predict_proba")[:, 1]
    np.testing.assert_array_equal(column(search, 1), forest - 0.5)


def test_the_user_may_ask_for_another_response() -> None:
    search = SearchCV(LogisticRegression(), {}, response="predict_proba", random_state=0).fit(X, Y)
    assert search.predictions_.kind is ResponseKind.PROBABILITY
    assert search.estimate_.metric == "accuracy"
    assert search.estimate_.naive == pytest.approx(
        np.mean(cross_val_predict(LogisticRegression(), X, Y) == Y)
    )


@pytest.mark.parametrize(
    ("model", "knobs", "words"),
    [
        (SVC(), {"scoring": "neg_log_loss", "error_score": "raise"}, "SVC has no predict_proba"),
        (SVC(), {"metric": "log_loss"}, "SVC has no predict_proba"),
        (Perceptron(), {"response": "predict_proba"}, "Perceptron has no predict_proba"),
        (SVC(), {"response": "predict", "scoring": "neg_log_loss"}, "label response"),
    ],
)
def test_a_response_that_candidates_lack_is_refused_before_any_fit(
    model: Any, knobs: dict[str, Any], words: str
) -> None:
    with pytest.raises(MetricError, match=words):
        SearchCV(model, {}, **knobs).fit(X, Y)


def test_a_stack_is_asked_for_what_it_has_once_it_is_fitted() -> None:
    stack = StackingClassifier([("nb", GaussianNB()), ("lr", LogisticRegression())], cv=2)
    for model in (stack, make_pipeline(StandardScaler(), stack)):
        assert not hasattr(model, "predict_proba")
        found = SearchCV(model, {}, cv=KFold(2), metric="roc_auc", refit=False).fit(X, Y)
        for train, test in KFold(2).split(X):
            expected = clone(model).fit(X[train], Y[train]).decision_function(X[test])
            np.testing.assert_allclose(column(found)[test], expected, rtol=1e-12)
        assert en.assess(model, X, Y, method="cv", metric="log_loss", cv=2, rng=0).value > 0.0
    assert not will_have(SVC(), "predict_proba")
    assert not will_have(StackingClassifier([], final_estimator=SVC()), "predict_proba")


def test_a_response_of_classifiers_is_refused_for_values() -> None:
    with pytest.raises(InputError, match="is for classifiers"):
        SearchCV(Ridge(), {}, response="predict_proba").fit(XR, YR)


class Odd(ClassifierMixin, BaseEstimator):
    """A classifier with answers that no Π can hold."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def fit(self, X: Array, y: Array) -> Odd:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Array) -> Array:
        return np.full(len(X), 7 if self.fault == "label" else 1)

    def predict_proba(self, X: Array) -> Array:
        if self.fault == "columns":
            return np.full((len(X), 3), 1 / 3)
        return np.full((len(X), 2), 3.0 if self.fault == "range" else 0.5)


@pytest.mark.parametrize(
    ("fault", "response", "words"),
    [
        ("label", "predict", "not a class"),
        ("columns", "predict_proba", "one column per class"),
        ("range", "predict_proba", "not return probabilities"),
    ],
)
@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_an_answer_that_makes_no_sense_is_a_failure_that_says_so(
    fault: str, response: str, words: str
) -> None:
    search = SearchCV(Odd(), {"fault": ["", fault]}, response=response, cv=2).fit(X, Y)
    assert {failure.config for failure in search.failures_} == {"c1"}
    assert words in search.failures_[0].error
    assert search.best_index_ == 0
