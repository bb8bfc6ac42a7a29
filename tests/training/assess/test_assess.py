"""`assess` and `assess_all`: against scikit-learn and loops, shared fits, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest import SearchCV, assess
from earnest.core import Estimand
from earnest.errors import EarnestError, InputError, MetricError, UnknownNameError
from earnest.training import assessing
from tests.snapshots import Golden
from tests.training.watching import Watcher

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
X = Y[:, None] + RNG.normal(size=(60, 2))
FITS: list[int] = []


class Counted(ClassifierMixin, BaseEstimator):
    """A nearest-mean classifier that counts its fits, by the number of training cases."""

    def fit(self, X: Any, y: Any) -> Counted:
        FITS.append(len(y))
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def decision_function(self, X: Any) -> Any:
        away = [((X - mean) ** 2).sum(axis=1) for mean in self.means_]
        return away[0] - away[1]

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.fixture(autouse=True)
def _uncounted() -> None:
    FITS.clear()


# ---- values


def test_cv_is_cross_val_score_on_the_same_folds() -> None:
    folds = KFold(5, shuffle=True, random_state=3)
    for metric, scoring in (("roc_auc", "roc_auc"), ("accuracy", "accuracy")):
        made = assess(GaussianNB(), X, Y, method="cv", metric=metric, cv=folds)
        scores = cross_val_score(GaussianNB(), X, Y, cv=folds, scoring=scoring)
        assert made.value == pytest.approx(scores.mean(), abs=1e-12)
        assert made.details.scores == pytest.approx(scores, abs=1e-12)


def test_corrected_t_is_that_of_the_scores_of_cross_val_score() -> None:
    folds = KFold(5, shuffle=True, random_state=3)
    scores = cross_val_score(Ridge(), X, X @ [1, 2], cv=folds, scoring="r2")
    made = assess(Ridge(), X, X @ [1, 2], method="corrected_t", metric="r2", cv=folds)
    error = scores.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert made.standard_error == pytest.approx(error, rel=1e-6)


def test_loocv_trains_on_all_others() -> None:
    made = assess(Counted(), X, Y, method="loocv", metric="accuracy", rng=0)
    assert FITS == [59] * 60
    right = []
    for i in range(60):
        kept = np.arange(60) != i
        right.append(Counted().fit(X[kept], Y[kept]).predict(X[[i]])[0] == Y[i])
    assert made.value == pytest.approx(np.mean(right))


def test_holdout_tests_a_stratified_quarter() -> None:
    made = assess(Counted(), X, Y, method="holdout", metric="roc_auc", rng=0)
    assert FITS == [44]  # of 30 per class, round(7.5) = 8 test
    assert made.n_cases == 16
    assert made.estimand == Estimand.THIS_MODEL  # one learner: nothing was selected


def test_bates_ncv_is_that_of_folds_nested_by_hand() -> None:
    y = X @ [1.0, -1.0] + RNG.normal(size=60)
    folds = KFold(4, shuffle=True, random_state=0)
    made = assess(Ridge(), X, y, method="bates_ncv", metric="mse", cv=folds, n_repeats=1)
    tests = [test for _, test in folds.split(X)]
    apart, chance, inner_all, outer_all = [], [], [], []
    for k, out in enumerate(tests):
        train = np.setdiff1d(np.arange(60), out)
        held = (Ridge().fit(X[train], y[train]).predict(X[out]) - y[out]) ** 2
        inner = []
        for j, test in enumerate(tests):
            if j != k:
                rest = np.setdiff1d(train, test)
                inner.extend((Ridge().fit(X[rest], y[rest]).predict(X[test]) - y[test]) ** 2)
        apart.append((np.mean(inner) - held.mean()) ** 2)
        chance.append(held.var(ddof=1) / len(held))
        inner_all.extend(inner)
        outer_all.extend(held)
    value, plain = np.mean(inner_all), np.mean(outer_all)
    assert made.value == pytest.approx(value - 1.5 * (value - plain), rel=1e-10)
    expected = np.mean(apart) - np.mean(chance)
    assert made.details.mean_squared_error == pytest.approx(expected, rel=1e-8)


def test_conservative_z_trains_on_halves_with_test_sets_of_one_size() -> None:
    assess(Counted(), X, Y, method="conservative_z", metric="accuracy", n_repeats=3, rng=0)
    assert len(FITS) == 3 + 10 * 2 * 3
    assert FITS[:3] == [54] * 3  # six of sixty test,
    assert FITS[3:] == [24] * 60  # and six of each half of thirty


def test_replicate_methods_are_those_of_bootstrap_train() -> None:
    made = assess(GaussianNB(), X, Y, method=".632+", metric="accuracy", n_replicates=30, rng=5)
    drawn = en.bootstrap_train(GaussianNB(), X, Y, metric="accuracy", n_replicates=30, rng=5)
    assert made.value == en.estimate(drawn, method=".632+", metric="accuracy").value


def test_nested_is_nested_cv() -> None:
    search = SearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=3)
    made = assess(search, X, Y, method="nested", metric="roc_auc", rng=3)
    again = SearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2]},
        cv=3,
        metric="roc_auc",
        random_state=3,
    )
    assert made.value == en.nested_cv(again, X, Y).value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cv": 5}, "SearchCV\\(\\.\\.\\., cv="),
        ({"n_repeats": 2}, "n_repeats"),
        ({"stratify": True}, "stratify"),
        ({"positive": 0}, "positive"),
        ({"time_limit": 9.0}, "time_limit"),
        ({"confidence_level": 95}, "0.95"),
    ],
)
def test_nested_refuses_what_it_would_not_hear(given: dict[str, Any], said: str) -> None:
    search = SearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=3)
    with pytest.raises(InputError, match=said):
        assess(search, X, Y, method="nested", metric="roc_auc", **given)


def test_progress_is_told_of_every_fit() -> None:
    told = Watcher()
    ask: dict[str, Any] = {"metric": "accuracy", "cv": 4, "n_replicates": 6, "rng": 0}
    en.assess_all(GaussianNB(), X, Y, methods=["cv", "loob"], progress=told, **ask)
    assert told.planned == [(4, "Splits"), (7, "Bootstrap samples")]
    assert (told.done, told.ended) == (11, 2)
    silent = assess(GaussianNB(), X, Y, method="cv", progress=False, **ask)
    assert silent.value == assess(GaussianNB(), X, Y, method="cv", **ask).value


def test_the_message_of_a_fit_that_failed_is_its_exception() -> None:
    class Wordy(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise ValueError("too few\nrows")

    for method in ("cv", ".632+"):
        with pytest.raises(InputError, match=r"got ValueError: too few") as said:
            assess(Wordy(), X, Y, method=method, metric="accuracy", n_replicates=3, rng=0)
        assert "Traceback" not in str(said.value)


def test_splits_that_train_on_less_are_corrected_by_what_they_train_on() -> None:
    small = ShuffleSplit(8, test_size=12, train_size=24, random_state=0)
    made = assess(GaussianNB(), X, Y, method="corrected_t", metric="accuracy", cv=small, rng=0)
    scores = np.array(made.details.scores)
    assert made.standard_error == pytest.approx(scores.std(ddof=1) * np.sqrt(1 / 8 + 12 / 24))
    whole = ShuffleSplit(8, test_size=12, random_state=0)
    made = assess(GaussianNB(), X, Y, method="corrected_t", metric="accuracy", cv=whole, rng=0)
    scores = np.array(made.details.scores)
    assert made.standard_error == pytest.approx(scores.std(ddof=1) * np.sqrt(1 / 8 + 12 / 48))


@pytest.mark.parametrize("method", ["cv", "loob"])
def test_an_outcome_with_gaps_is_refused_in_so_many_words(method: str, golden: Golden) -> None:
    gaps = np.where(np.arange(60) == 3, np.nan, Y)
    with golden.raises(InputError):
        assess(GaussianNB(), X, gaps, method=method, metric="accuracy", rng=0)


def test_too_many_folds_are_cured_in_one_go() -> None:
    with pytest.raises(InputError, match="Pass cv=4") as told:
        assess(GaussianNB(), X[:9], Y[:9], method="cv", metric="accuracy", rng=0)
    assert "at most 9" in str(told.value)
    assess(GaussianNB(), X[:9], Y[:9], method="cv", metric="accuracy", cv=4, rng=0)


def test_a_search_is_a_learner_that_splits_anew() -> None:
    search = SearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=3)
    made = assess(search, X, Y, method="cv", metric="accuracy", cv=4, rng=0)
    assert 0.5 < made.value < 1.0
    assert made.winner == "SearchCV"


@pytest.mark.parametrize("method", [m for m in assessing() if m not in ("nested", "lpob")])
def test_every_method_answers_and_names_its_learner(method: str) -> None:
    options: dict[str, Any] = {"n_replicates": 30, "n_repeats": 2, "cv": 4}
    if method in ("repeated_cv", "conservative_z"):
        options["n_repeats"] = 3
    made = assess(GaussianNB(), X, Y, method=method, metric="accuracy", rng=0, **options)
    assert made.method == method
    assert made.winner == "GaussianNB"
    assert 0.5 < made.value <= 1.0
    assert "one_configuration" not in {c.kind for c in made.cautions}


def test_several_classes_and_numbers_are_assessed() -> None:
    X3, y3 = load_iris(return_X_y=True)
    for metric in ("accuracy", "log_loss", "roc_auc_ovr"):
        assert assess(GaussianNB(), X3, y3, method="cv", metric=metric, cv=5, rng=0).value > 0
    assert assess(Ridge(), X, X @ [1, 1], method="repeated_cv", metric="r2", rng=0).value > 0.9


# ---- shared fits, seeds, stores


def test_all_methods_share_their_fits() -> None:
    asked = ["cv", "bayle_all_pairs", "bayle_within_fold", "corrected_t", "repeated_cv"]
    en.assess_all(Counted(), X, Y, methods=asked, metric="accuracy", cv=5, rng=0)
    assert len(FITS) == 10 * 5  # the folds of repeated_cv, of which the others take the first
    FITS.clear()
    en.assess_all(
        Counted(), X, Y, methods=[*asked, "bates_ncv", "loob", ".632"], metric="accuracy", cv=5,
        n_repeats=2, n_replicates=20, rng=0,
    )  # fmt: skip
    pairs = 2 * 10
    assert len(FITS) == 2 * 5 + pairs + 20 + 1


def test_asked_together_or_alone_the_answers_are_the_same() -> None:
    tree = DecisionTreeClassifier(splitter="random")  # without a seed of its own
    names = ["cv", "corrected_t", "repeated_cv", "bates_ncv", "loob"]
    options: dict[str, Any] = {"metric": "accuracy", "cv": 4, "n_replicates": 20, "rng": 7}
    together = en.assess_all(tree, X, Y, methods=names, n_repeats=2, **options)
    for name in names:
        alone = assess(tree, X, Y, method=name, n_repeats=2, **options)
        assert alone.to_dict() == together[name].to_dict()


def test_a_refused_method_trains_nothing_and_says_why() -> None:
    table = en.assess_all(Counted(), X, Y, methods=["cv", "lpob"], metric="accuracy", cv=5, rng=0)
    assert list(table.refused) == ["lpob"]
    assert len(FITS) == 5


def test_workers_change_nothing() -> None:
    forest = RandomForestClassifier(n_estimators=3)
    options: dict[str, Any] = {"metric": "accuracy", "cv": 3, "n_repeats": 2, "rng": 1}
    with parallel_config(backend="threading"):
        one, two = (
            assess(forest, X, Y, method="repeated_cv", n_jobs=jobs, **options) for jobs in (None, 2)
        )
    assert one.to_dict() == two.to_dict()


def test_a_stored_assessment_is_read_and_not_trained_again(tmp_path: Path) -> None:
    def asked() -> Any:
        return assess(Counted(), X, Y, method="corrected_t", metric="roc_auc", cv=5,
                      store=tmp_path / "run.db")  # fmt: skip

    first = asked()
    assert len(FITS) == 5
    FITS.clear()
    assert asked().to_dict() == first.to_dict()  # without a seed: it is made from the question
    assert FITS == []


def test_another_learner_does_not_resume_the_run(tmp_path: Path) -> None:
    options: dict[str, Any] = {"metric": "accuracy", "cv": 5, "store": tmp_path / "run.db"}
    assess(GaussianNB(), X, Y, method="cv", rng=0, **options)
    with pytest.raises(en.errors.StoreError, match="estimator"):
        assess(LogisticRegression(), X, Y, method="cv", rng=0, **options)


def test_folds_and_replicates_are_two_files_beside_each_other(tmp_path: Path) -> None:
    en.assess_all(
        GaussianNB(), X, Y, methods=["cv", "loob"], metric="accuracy", n_replicates=10, cv=5,
        rng=0, store=tmp_path / "run.db",
    )  # fmt: skip
    assert {p.name for p in tmp_path.iterdir()} >= {"run-folds.db", "run-replicates.db"}


def test_the_seed_decides_and_is_recorded() -> None:
    made = [assess(GaussianNB(), X, Y, method="cv", metric="brier", rng=r) for r in (0, 0, 1)]
    assert made[0].to_dict() == made[1].to_dict()
    assert made[0].value != made[2].value
    assert made[0].provenance.seed == 0


def test_the_estimator_and_the_data_are_not_changed() -> None:
    model, before = GaussianNB(), X.copy()
    assess(model, X, Y, method="cv", metric="accuracy", rng=0)
    assert not hasattr(model, "classes_")
    assert np.array_equal(X, before)


# ---- data as users have them


def test_tables_of_pandas_and_polars_are_taken() -> None:
    plain = assess(GaussianNB(), X, Y, method="cv", metric="accuracy", rng=0).value
    pandas = pd.DataFrame(X, columns=["a", "b"], index=np.arange(60)[::-1])
    labels = pd.Series(Y, index=pandas.index)
    assert (
        assess(GaussianNB(), pandas, labels, method="cv", metric="accuracy", rng=0).value == plain
    )
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    assert assess(GaussianNB(), frame, Y, method="cv", metric="accuracy", rng=0).value == plain


def test_text_labels_have_the_last_as_positive_unless_another_is_named() -> None:
    names = np.where(Y == 1, "yes", "no")
    model = make_pipeline(StandardScaler(), SVC())
    last = assess(model, X, names, method="cv", metric="recall", cv=5, rng=0)
    first = assess(model, X, names, method="cv", metric="recall", cv=5, rng=0, positive="no")
    assert last.value != first.value
    assert last.winner == "SVC"


def test_groups_stay_on_one_side() -> None:
    groups = np.repeat(np.arange(15), 4)

    class Watch(Counted):
        def fit(self, X: Any, y: Any) -> Watch:
            seen.append({round(float(v), 12) for v in X[:, 0]})
            super().fit(X, y)
            return self

    seen: list[set[float]] = []
    made = assess(
        Watch(), X, Y, method="corrected_t", metric="accuracy", cv=5, groups=groups, rng=0
    )
    for trained in seen:
        whole = [len({round(float(v), 12) for v in X[groups == g, 0]} & trained) for g in range(15)]
        assert set(whole) <= {0, 4}
    assert made.n_cases == 60
    fixed = assess(
        GaussianNB(), X, Y, method="cv", metric="accuracy", cv=GroupKFold(5), groups=groups
    )
    assert "groups_split" not in {c.kind for c in fixed.cautions}


def test_survival_outcomes_are_split_by_their_events() -> None:
    class Risk(RegressorMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Risk:
            assert set(np.unique(y["event"])) == {False, True}
            self.n_features_in_ = X.shape[1]
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    time, event = np.exp(-X[:, 0]) + 0.1, np.arange(60) % 6 == 0
    made = assess(Risk(), X, (event, time), method="cv", metric="concordance", cv=5, rng=0)
    assert made.value > 0.9


# ---- refusals, before any fit


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"method": "corected_t"}, UnknownNameError, "Did you mean"),
    ({"method": "bbc"}, InputError, "choice among configurations"),
    ({"method": "nested"}, InputError, "SearchCV"),
    ({"method": "lpob", "metric": "accuracy"}, MetricError, "pairs of cases"),
    ({"method": "loob", "metric": "roc_auc"}, MetricError, "lpob"),
    ({"method": "bates_ncv", "metric": "roc_auc"}, MetricError, "corrected_t"),
    ({"method": "loocv", "metric": "roc_auc"}, MetricError, "different models"),
    ({"method": "cv", "metric": "mse"}, MetricError, "mse"),
    ({"method": "cv", "metric": "log_loss"}, MetricError, "predict_proba"),
    ({"method": "cv", "cv": 1}, InputError, "cv"),
    ({"method": "cv", "cv": 61}, InputError, "at most 60"),
    ({"method": "cv", "cv": 40}, InputError, "cv=30"),
    ({"method": "cv", "cv": "ten"}, InputError, "cv"),
    ({"method": "repeated_cv", "n_repeats": 1}, EarnestError, "repeats"),
    ({"method": "repeated_cv", "n_repeats": 0}, InputError, "n_repeats"),
    ({"method": "bayle_within_fold", "cv": 20, "metric": "roc_auc"}, EarnestError, "two cases of"),
    ({"method": "cv", "confidence_level": 95}, InputError, "0.95"),
    ({"method": "cv", "side": "left"}, InputError, "side"),
    ({"method": "cv", "rng": -1}, InputError, "rng"),
    ({"method": ".632", "n_replicates": 0}, InputError, "n_replicates"),
    ({"method": "cv", "n_resamples": 5}, InputError, "n_resamples"),
    ({"method": "cv", "test": (X, Y)}, InputError, "holdout"),
    ({"method": "loocv", "groups": np.repeat(np.arange(15), 4)}, InputError, "keep groups"),
    ({"method": "conservative_z", "groups": np.arange(60) // 2}, InputError, "groups"),
    ({"method": "cv", "groups": np.arange(60) // 30}, InputError, "2 groups"),
    ({"method": "cv", "groups": [1, 2]}, InputError, "groups"),
    ({"method": "cv", "groups": np.ones(60)}, InputError, "one group"),
    ({"method": "bates_ncv", "cv": 2}, InputError, "3 folds"),
    ({"method": "cv", "metric": "roc_auc", "cv": LeaveOneOut()}, EarnestError, "in every fold"),
    ({"method": "corrected_t", "metric": "roc_auc", "cv": LeaveOneOut()}, EarnestError, "defined"),
    ({"method": "loob", "stratify": True, "groups": np.arange(60) // 4}, InputError, "strata"),
    ({"method": ".632+", "metric": "average_precision"}, MetricError, "no-information"),
    ({"method": "holdout(interval='normal')", "metric": "roc_auc"}, MetricError, "normal limits"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "kind", "said"), REFUSED, ids=lambda v: str(v)[:40])
def test_what_cannot_be_answered_is_refused_before_any_fit(
    options: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        assess(Counted(), X, Y, **{"metric": "accuracy", **options})
    assert FITS == []


@pytest.mark.parametrize(
    ("rows", "labels", "said"),
    [
        (X[:10], Y, "do not match"),
        (X[:1], Y[:1], "class"),
        (X[:5], [0, 0, 0, 0, 1], "one case"),
        (X[:4], [0, 0, 0, 0], "class"),
        (X, None, "`y` is missing"),
        (None, Y, "`X` is missing"),
        (X[:0], Y[:0], "`X` is empty"),
    ],
)
def test_data_that_cannot_be_assessed_are_refused(rows: Any, labels: Any, said: str) -> None:
    with pytest.raises(EarnestError, match=said):
        assess(Counted(), rows, labels, method="cv", metric="accuracy", cv=2)
    assert FITS == []


def test_an_estimator_that_is_none_is_refused() -> None:
    for wrong in (GaussianNB, "rf", None):
        with pytest.raises(InputError, match="not an estimator"):
            assess(wrong, X, Y, method="cv", metric="accuracy")


def test_very_many_single_cases_are_refused() -> None:
    y = np.tile([0, 1], 6000)
    with pytest.raises(InputError, match="12000 models"):
        assess(Counted(), y[:, None], y, method="loocv", metric="accuracy")


def test_a_fit_that_fails_is_told_with_its_reason(golden: Golden) -> None:
    class Broken(Counted):
        def fit(self, X: Any, y: Any) -> Broken:
            raise ValueError("the moon is wrong")

    with golden.raises(InputError):
        assess(Broken(), X, Y, method="cv", metric="accuracy", cv=5)


def test_predictions_that_are_not_finite_are_told() -> None:
    class Wild(Counted):
        def decision_function(self, X: Any) -> Any:
            return np.full(len(X), np.nan)

    with pytest.raises(InputError, match="not finite"):
        assess(Wild(), X, Y, method="cv", metric="roc_auc", cv=5)


def test_fewer_than_ten_cases_are_answered_with_a_caution() -> None:
    made = assess(GaussianNB(), X[:8], Y[:8], method="cv", metric="accuracy", cv=4, rng=0)
    assert "fewer_than_ten" in {c.kind for c in made.cautions}


def test_random_splits_as_cv_are_taken_as_they_are() -> None:
    splits = ShuffleSplit(6, test_size=0.25, random_state=0)
    scores = cross_val_score(GaussianNB(), X, Y, cv=splits)
    made = assess(GaussianNB(), X, Y, method="corrected_t", metric="accuracy", cv=splits, rng=0)
    assert made.details.scores == pytest.approx(scores)
    assert made.standard_error == pytest.approx(scores.std(ddof=1) * np.sqrt(1 / 6 + 1 / 3))
    with pytest.raises(EarnestError, match="needs more folds"):
        assess(GaussianNB(), X, Y, method="cv", metric="accuracy", cv=splits)


def test_repeats_of_the_users_own_splitter_are_all_used() -> None:
    splits = RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    scores = cross_val_score(GaussianNB(), X, Y, cv=splits)
    made = assess(GaussianNB(), X, Y, method="corrected_t", metric="accuracy", cv=splits, rng=0)
    assert made.details.scores == pytest.approx(scores)


def test_splits_in_the_order_of_time_are_told_of_and_cannot_be_nested() -> None:
    splits = TimeSeriesSplit(4)
    y = X @ [1.0, 1.0]
    made = assess(Ridge(), X, y, method="cv", metric="mse", cv=splits, rng=0)
    assert "time_order" in {c.kind for c in made.cautions}
    with pytest.raises(InputError, match="cannot be nested"):
        assess(Ridge(), X, y, method="bates_ncv", metric="mse", cv=splits, rng=0)


def test_splits_that_test_what_they_train_on_are_told_of() -> None:
    rows = np.arange(60)
    leaking = [(rows, rows[:30]), (rows, rows[30:])]
    made = assess(GaussianNB(), X, Y, method="cv", metric="accuracy", cv=leaking, rng=0)
    assert "splits_leak" in {c.kind for c in made.cautions}


def test_sparse_data_lists_and_kernels_are_taken() -> None:
    from scipy.sparse import csr_matrix

    plain = assess(LogisticRegression(), X, Y, method="cv", metric="accuracy", rng=0).value
    for given in (csr_matrix(X), X.tolist()):
        made = assess(
            LogisticRegression(), given, Y.tolist(), method="cv", metric="accuracy", rng=0
        )
        assert made.value == plain
    kernel = assess(SVC(kernel="precomputed"), X @ X.T, Y, method="cv", metric="accuracy", rng=0)
    linear = assess(SVC(kernel="linear"), X, Y, method="cv", metric="accuracy", rng=0)
    assert kernel.value == linear.value


def test_labels_that_are_alike_by_chance_in_small_folds_are_no_reason_to_refuse() -> None:
    made = assess(GaussianNB(), X[:12], Y[:12], method="corrected_t", metric="mcc", cv=6, rng=2)
    assert -1 <= made.value <= 1


def test_too_few_to_halve_or_to_hold_out_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be halved"):
        assess(GaussianNB(), X[:6], Y[:6], method="conservative_z", metric="accuracy", rng=0)
    with pytest.raises(InputError, match="hold-out of one case"):
        assess(Ridge(), X[:4], X[:4, 0], method="holdout", metric="mse", rng=0)


def test_splits_that_come_one_by_one_are_taken() -> None:
    pairs = list(KFold(4).split(X))
    given = assess(GaussianNB(), X, Y, method="cv", metric="accuracy", cv=iter(pairs), rng=0)
    assert (
        given.value
        == assess(GaussianNB(), X, Y, method="cv", metric="accuracy", cv=pairs, rng=0).value
    )


def test_samples_that_can_never_be_drawn_are_refused_for_their_methods_alone() -> None:
    groups = np.arange(60) // 30  # of two groups a sample draws both, or leaves none out
    y = np.repeat([0, 1], 30)
    table = en.assess_all(
        Counted(), X, y, methods=["loob", "cv"], metric="accuracy", groups=groups,
        cv=[(np.arange(0, 60, 2), np.arange(1, 60, 2)), (np.arange(1, 60, 2), np.arange(0, 60, 2))],
    )  # fmt: skip
    assert list(table.refused) == ["loob"]
    assert FITS == [30, 30]


def test_two_hold_outs_of_unlike_size_are_refused() -> None:
    with pytest.raises(InputError, match="different size"):
        en.assess_all(
            GaussianNB(), X, Y, metric="accuracy", rng=0,
            methods=[en.methods.HoldOut(evaluate=0.2), en.methods.HoldOut(evaluate=0.4)],
        )  # fmt: skip


@pytest.mark.parametrize("method", ["repeated_cv", "bates_ncv"])
def test_a_splitter_that_repeats_itself_is_asked_once(method: str) -> None:
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    pairs = list(folds.split(X, Y))
    made = assess(GaussianNB(), X, Y, method=method, metric="accuracy", cv=folds, rng=0)
    assert made.provenance.n_repeats == 3
    again = assess(GaussianNB(), X, Y, method=method, metric="accuracy", cv=iter(pairs), rng=0)
    assert again.value == made.value
    assert again.standard_error == made.standard_error
    with pytest.raises(InputError, match="cannot be repeated"):
        assess(GaussianNB(), X, Y, method=method, metric="accuracy", cv=folds, n_repeats=2)


@pytest.mark.parametrize(("metric", "method"), [("brier", ".632+"), ("calibration_slope", ".632")])
def test_the_default_is_the_refined_632_wherever_a_no_information_rate_is_known(
    metric: str, method: str
) -> None:
    asked = {"metric": metric, "n_replicates": 12, "rng": 0, "n_jobs": 1}
    usual = assess(LogisticRegression(), X, Y, **asked)
    named = assess(LogisticRegression(), X, Y, method=method, **asked)
    assert usual == named
    assert usual.method == named.method
