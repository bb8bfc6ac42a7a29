"""One cell of a search: fitted once, predicted once, scored, and seeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import check_scoring
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from earnest import SearchCV
from earnest.core import Seeds
from earnest.core.base.protocols import EngineTask
from earnest.errors import InputError
from earnest.training import make_splits
from earnest.training.fit.experiment import (
    UNPREDICTED,
    Cell,
    Configuration,
    Experiment,
    find_unseeded,
    fit_cell,
)

Array = NDArray[Any]
RNG = np.random.default_rng(8)
X, Y = RNG.standard_normal((40, 3)), np.tile([0, 1], 20)
CALLS: list[str] = []


class Counting(ClassifierMixin, BaseEstimator):
    """A classifier that writes down what it is asked, and answers as it is told to."""

    def __init__(self, answer: str = "good") -> None:
        self.answer = answer

    def fit(self, X: Array, y: Array) -> Counting:
        CALLS.append("fit")
        if self.answer == "fails":
            raise RuntimeError("cannot fit")
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Array) -> Array:
        CALLS.append("decision_function")
        scores = np.array(X[:, 0])
        if self.answer == "nan":
            scores[0] = np.nan
        return scores

    def predict(self, X: Array) -> Array:
        CALLS.append("predict")
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    CALLS.clear()


def calls(**knobs: Any) -> list[str]:
    SearchCV(Counting(), {}, cv=2, refit=False, **knobs).fit(X, Y)
    return sorted(CALLS)


@pytest.mark.parametrize(
    ("scoring", "method"),
    [("roc_auc", "decision_function"), ("accuracy", "predict"), (None, "predict")],
)
def test_the_response_is_predicted_once_for_the_score_and_for_the_table(
    scoring: str | None, method: str
) -> None:
    assert calls(scoring=scoring) == sorted(["fit", method] * 2)


def test_several_scores_predict_each_response_once() -> None:
    several = ["roc_auc", "accuracy", "f1", "average_precision"]
    SearchCV(Counting(), {}, cv=2, refit="roc_auc", scoring=several).fit(X, Y)
    assert CALLS.count("decision_function") == 2
    assert CALLS.count("predict") == 2


def test_a_scorer_that_writes_into_the_answer_spoils_nothing() -> None:
    def rude(model: Any, X: Array, y: Array) -> float:
        scores = model.decision_function(X)
        scores[:] = 0.0
        return float(model.score(X, y))

    spoiled = SearchCV(Counting(), {}, cv=2, scoring=rude, metric="roc_auc").fit(X, Y)
    plain = SearchCV(Counting(), {}, cv=2, scoring="roc_auc").fit(X, Y)
    np.testing.assert_array_equal(spoiled.predictions_.responses, plain.predictions_.responses)


def test_a_scorer_sees_the_very_class_and_nothing_is_left_on_the_model() -> None:
    seen: list[Any] = []

    def keep(model: Any, X: Array, y: Array) -> float:
        seen.append(model)
        assert type(model) is Counting
        return 0.5

    SearchCV(Counting(), {}, cv=2, scoring=keep, metric="roc_auc").fit(X, Y)
    assert all(set(vars(model)) == {"answer", "classes_"} for model in seen)


def shared(**knobs: Any) -> Experiment:
    splits = make_splits(2, X, Y, classifier=True, seeds=Seeds(0))
    base = knobs.pop("base", Counting())
    scorer = check_scoring(base, knobs.pop("scoring", "accuracy"))
    return Experiment(X=X, y=Y, base=base, rows=splits, scorer=scorer, **knobs)


def test_a_failed_fit_is_an_outcome_with_its_traceback_and_time() -> None:
    outcome = fit_cell(
        shared(), EngineTask((0, 0, 0), Cell(0, (0, 0), Configuration({"answer": "fails"})))
    )
    assert outcome.error is not None
    assert "RuntimeError: cannot fit" in outcome.error
    assert outcome.numbers["fit_time"] >= 0
    with pytest.raises(RuntimeError, match="cannot fit"):
        fit_cell(
            shared(),
            EngineTask((0, 0, 0), Cell(0, (0, 0), Configuration({"answer": "fails"}))),
            raises=True,
        )


def test_predictions_that_are_not_finite_fail_the_cell_without_failing_the_fit() -> None:
    with pytest.warns(UserWarning, match=r"(not|non-)\W*finite"):
        search = SearchCV(
            Counting(), {"answer": ["good", "nan"]}, cv=2, scoring="roc_auc", random_state=0
        ).fit(X, Y)
    assert [(f.config, f.fold, f.note) for f in search.failures_] == [
        ("c1", 0, UNPREDICTED),
        ("c1", 1, UNPREDICTED),
    ]
    assert "1 of 20 cases" in search.failures_[0].error
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert search.predictions_.complete.tolist() == [True, False]
    assert {"EN045", "EN012"} <= {caution.code for caution in search.estimate_.cautions}


def test_a_score_that_is_no_number_is_told() -> None:
    def words(model: Any, X: Array, y: Array) -> Any:
        return [1, 2]

    with pytest.raises(InputError, match="does not return a number"):
        SearchCV(Counting(), {}, cv=2, scoring=words, error_score="raise").fit(X, Y)


def test_unseeded_parts_get_seeds_that_differ_by_split_and_part_not_by_configuration() -> None:
    forest = RandomForestClassifier(n_estimators=2)
    pipe = make_pipeline(StandardScaler(), forest)
    assert find_unseeded(pipe) == ("randomforestclassifier__random_state",)
    made = shared(base=pipe, seed=3)
    name = "randomforestclassifier__random_state"
    seeds = {
        (where, depth): made.make_model(
            Configuration({"randomforestclassifier__max_depth": depth}), where
        ).get_params()[name]
        for where in ((0, 0), (0, 1), (1, 0))
        for depth in (1, 2)
    }
    assert len(set(seeds.values())) == 3
    assert seeds[(0, 0), 1] == seeds[(0, 0), 2]
    kept = made.make_model(Configuration({name: 5}), (0, 0))
    assert kept.get_params()[name] == 5
    swapped = made.make_model(
        Configuration({"randomforestclassifier": RandomForestClassifier()}), (0, 0)
    )
    assert swapped.get_params()[name] == seeds[(0, 0), 1]


def test_without_a_seed_parts_stay_as_they_are() -> None:
    forest = RandomForestClassifier()
    assert shared(base=forest).make_model(Configuration({}), (0, 0)).random_state is None


def test_two_parts_of_a_pipeline_get_different_seeds() -> None:
    pipe = make_pipeline(TruncatedSVD(2), RandomForestClassifier(n_estimators=2))
    model = shared(base=pipe, seed=3).make_model(Configuration({}), (0, 0))
    seeds = [model.get_params()[name] for name in find_unseeded(pipe)]
    assert len(seeds) == len(set(seeds)) == 2


def test_who_writes_into_a_remembered_answer_finds_it_whole_again() -> None:
    def rude(model: Any, X: Array, y: Array) -> float:
        model.decision_function(X)[:] = 0.0
        return float(np.ptp(model.decision_function(X)))

    search = SearchCV(Counting(), {}, cv=2, scoring=rude, metric="roc_auc").fit(X, Y)
    assert CALLS.count("decision_function") == 2
    assert search.best_score_ > 0


def test_a_response_that_cannot_be_kept_does_not_cancel_the_score() -> None:
    from sklearn.model_selection import GridSearchCV

    def labels(model: Any, X: Array, y: Array) -> float:
        return float(np.mean(model.predict(X) == y))

    grid = {"answer": ["good", "nan"]}
    ours = SearchCV(Counting(), grid, cv=2, scoring=labels, metric="roc_auc").fit(X, Y)
    theirs = GridSearchCV(Counting(), grid, cv=2, scoring=labels).fit(X, Y)
    for name in ("split0_test_score", "split1_test_score", "mean_test_score", "rank_test_score"):
        np.testing.assert_array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    assert np.isfinite(ours.cv_results_["mean_test_score"]).all()
    assert [failure.note for failure in ours.failures_] == [UNPREDICTED] * 2
    assert [trial.status for trial in ours.trials_] == ["complete", "complete"]
    assert ours.predictions_.complete.tolist() == [True, False]
