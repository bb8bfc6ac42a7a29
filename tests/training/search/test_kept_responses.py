"""A search keeps what every one of its scores needs: one response where it tells all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import earnest as en
from earnest.errors import FormatError, InputError

RNG = np.random.default_rng(11)
X = RNG.standard_normal((120, 4))
Y = (X[:, 0] + X[:, 1] ** 2 + 0.8 * RNG.standard_normal(120) > 0.7).astype(int)
THREE = np.digitize(X[:, 0] + 0.5 * RNG.standard_normal(120), [-0.6, 0.6])
CS = {"C": [0.02, 1.0, 30.0]}
ROUNDING = 1e-12  # scikit-learn and earnest sum in another order


class Sigmoid(SVC):
    """A learner whose labels are not those of its probabilities, which have ties of their own."""

    def predict_proba(self, X: Any) -> Any:
        """Return a sigmoid of the decision values that is not at one half where they are 0."""
        values = self.decision_function(X)
        if values.ndim == 1:
            values = np.column_stack([np.zeros(len(values)), 1.5 * values + 0.8])
        odds = np.exp(values + np.linspace(0.0, 0.3, values.shape[1]))
        rounded = np.round(odds / odds.sum(axis=1, keepdims=True), 2)
        return np.clip(rounded, 0.01, None) / np.clip(rounded, 0.01, None).sum(axis=1)[:, None]


def search_by(
    estimator: Any, scoring: Any, refit: Any = True, y: Any = Y, grid: Any = CS, **options: Any
) -> en.SearchCV:
    options = {"cv": 4, "random_state": 0, "n_resamples": 60, **options}
    return en.SearchCV(estimator, grid, scoring=scoring, refit=refit, **options).fit(X, y)


BINARY = ["accuracy", "roc_auc", "neg_log_loss", "f1", "neg_brier_score"]
LEARNERS = {
    "logistic": (LogisticRegression(), CS, BINARY, Y),
    "svm": (SVC(), CS, ["accuracy", "roc_auc", "balanced_accuracy"], Y),
    "svm with probabilities": (Sigmoid(), CS, BINARY, Y),
    "neighbours": (KNeighborsClassifier(), {"n_neighbors": [2, 5]}, BINARY, Y),
    "threshold": (
        FixedThresholdClassifier(LogisticRegression(), threshold=0.3),
        {"estimator__C": [0.02, 1.0]},
        ["accuracy", "roc_auc", "neg_log_loss"],
        Y,
    ),
    "three classes": (Sigmoid(), CS, ["accuracy", "roc_auc_ovr", "neg_log_loss"], THREE),
}


@pytest.mark.parametrize("refit", [0, 1, 2])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_score_of_a_search_is_that_of_its_predictions(learner: str, refit: int) -> None:
    """Fold by fold for every configuration; so are means over folds, and pooled values."""
    estimator, grid, scoring, y = LEARNERS[learner]
    search = search_by(estimator, scoring, scoring[refit], y, grid)
    pi = search.predictions_
    for name in scoring:
        metric = en.metric(name)
        sign = metric.sign if name.startswith("neg_") else 1.0
        for fold in range(4):
            rows = np.flatnonzero(pi.folds[:, 0] == fold)
            scores = en.kernels.score_table(pi.take(rows), metric, np.ones((1, len(rows))))[0]
            own = search.cv_results_[f"split{fold}_test_{name}"]
            np.testing.assert_allclose(sign * scores, own, rtol=0, atol=ROUNDING, err_msg=name)
        naive = en.estimate(pi, metric=metric, method="naive", selector="mean_of_folds").value
        best = search.cv_results_[f"mean_test_{name}"].max()
        assert naive * sign == pytest.approx(best, abs=ROUNDING)


def test_an_auc_is_never_of_hard_labels_where_a_score_of_the_search_ranks() -> None:
    search = search_by(SVC(), ["roc_auc", "accuracy"], "accuracy")
    made = en.estimate(search.predictions_, metric="roc_auc", rng=0)
    assert "EN019" not in {caution.code for caution in made.cautions}


@pytest.mark.parametrize("estimator", [Sigmoid(), LogisticRegression()])
@pytest.mark.parametrize("method", ["bbc", "tilted", "near_winner"])
def test_another_score_changes_nothing_of_the_estimate(estimator: Any, method: str) -> None:
    alone = search_by(estimator, "accuracy", method=method).estimate_
    scoring = ["neg_log_loss", "accuracy", "roc_auc"]
    beside = search_by(estimator, scoring, "accuracy", method=method).estimate_
    assert beside.value == pytest.approx(alone.value, abs=ROUNDING)
    assert beside.naive == pytest.approx(alone.naive, abs=ROUNDING)
    assert beside.winner == alone.winner
    if alone.interval is not None:
        ends = (beside.interval.low, beside.interval.high)
        assert ends == pytest.approx((alone.interval.low, alone.interval.high), abs=ROUNDING)


def test_the_metric_of_the_estimate_and_the_score_that_chooses_are_both_kept() -> None:
    search = search_by(Sigmoid(), "accuracy", metric="log_loss")
    naive = en.estimate(search.predictions_, metric="accuracy", method="naive", rng=0).value
    assert naive == pytest.approx(search.best_score_, abs=ROUNDING)


def test_a_response_that_tells_the_others_is_kept_alone() -> None:
    assert search_by(LogisticRegression(), BINARY, "accuracy").predictions_.others == ()
    assert search_by(SVC(), ["accuracy", "roc_auc"], "accuracy").predictions_.others == ()


def test_the_response_that_was_asked_for_is_the_only_one() -> None:
    pi = search_by(Sigmoid(), BINARY, "accuracy", response="predict_proba").predictions_
    assert (pi.kind, pi.others) == ("probability", ())


@pytest.mark.filterwarnings("ignore::UserWarning")  # of the scores that one model lacks
def test_a_score_that_some_model_cannot_answer_asks_for_nothing() -> None:
    from sklearn.linear_model import Perceptron

    models = [("svm", Sigmoid()), ("perceptron", Perceptron())]
    search = search_by(None, ["neg_log_loss", "accuracy"], "accuracy", grid=models)
    assert search.predictions_.kind == "label"


@pytest.fixture(scope="module")
def kept() -> en.Predictions:
    pi = search_by(Sigmoid(), ["neg_log_loss", "accuracy"], "accuracy").predictions_
    assert [other.kind for other in pi.others] == ["label"]
    return pi


def score(pi: en.Predictions) -> list[float]:
    return en.kernels.score_table(pi, "accuracy", np.ones((1, pi.n_cases)))[0].tolist()


def test_labels_stay_beside_probabilities_in_every_part(kept: en.Predictions) -> None:
    labels = kept.others[0]
    assert score(kept) == score(labels)
    assert score(kept) != score(replace(kept, others=()))
    rows = np.arange(0, 120, 2)
    assert score(kept.take(rows)) == score(labels.take(rows))
    assert score(kept.select([2, 0])) == score(labels.select([2, 0]))
    again = kept.select(0).concat(kept.select([1, 2]))
    assert again.fingerprint == kept.fingerprint
    assert kept.fingerprint != replace(kept, others=()).fingerprint
    holes = np.array(kept.responses)
    holes[kept.folds[:, 0] == 3, 1] = np.nan
    gaps = np.array(labels.responses)
    gaps[kept.folds[:, 0] == 3, 1] = np.nan
    partial = replace(kept, responses=holes, others=(replace(labels, responses=gaps),))
    assert score(partial.usable()) == score(labels.select([0, 2]))


def test_two_configurations_are_compared_by_their_own_labels(kept: en.Predictions) -> None:
    made = en.compare(kept, 0, 2, metric="accuracy")
    alone = en.compare(kept.others[0], 0, 2, metric="accuracy")
    assert made.difference == pytest.approx(alone.difference, abs=ROUNDING)
    assert made.p_value == pytest.approx(alone.p_value, abs=ROUNDING)


def test_answers_of_other_cases_or_twice_of_a_kind_are_refused(kept: en.Predictions) -> None:
    with pytest.raises(InputError, match="same models"):
        replace(kept, others=(kept.others[0].select(0),))
    with pytest.raises(InputError, match="twice"):
        replace(kept, others=(replace(kept, others=()),))


def test_all_responses_are_saved_or_the_file_is_refused(
    kept: en.Predictions, tmp_path: Path
) -> None:
    again = en.Predictions.load(kept.save(tmp_path / "pi.npz"))
    assert again.fingerprint == kept.fingerprint
    assert score(again) == score(kept)
    for suffix in ("csv", "parquet", "arrow"):
        with pytest.raises(FormatError, match=r"\.npz"):
            kept.save(tmp_path / f"pi.{suffix}")
    replace(kept, others=()).save(tmp_path / "pi.csv")


def test_a_resumed_search_keeps_all_responses(tmp_path: Path) -> None:
    asked = (Sigmoid(), ["neg_log_loss", "accuracy"], "accuracy")
    first = search_by(*asked, store=tmp_path / "run.sqlite").predictions_
    again = search_by(*asked, store=tmp_path / "run.sqlite").predictions_
    assert first.fingerprint == again.fingerprint
    assert len(again.others) == 1


def test_configurations_are_dropped_by_the_scores_that_compare_them() -> None:
    alone = search_by(Sigmoid(), "accuracy", drop="bced", cv=6)
    beside = search_by(Sigmoid(), ["neg_log_loss", "accuracy"], "accuracy", drop="bced", cv=6)
    assert alone.n_fits_ == beside.n_fits_


def test_nesting_a_search_tests_the_labels_of_its_models() -> None:
    scoring = ["neg_log_loss", "accuracy"]
    both = [
        en.nested_cv(en.SearchCV(Sigmoid(), CS, cv=4, random_state=0, **asked), X, Y)
        for asked in ({"scoring": "accuracy"}, {"scoring": scoring, "refit": "accuracy"})
    ]
    assert both[0].estimate.value == pytest.approx(both[1].estimate.value, abs=ROUNDING)
