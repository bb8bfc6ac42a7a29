"""Inner splits of a bootstrap sample: no copy of a case is trained on and tested."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import earnest as en
from earnest.errors import InputError
from earnest.training import CopySplitter, find_inner_splits, keep_copies_together

X, Y = make_classification(60, 4, random_state=1)


def test_splits_are_those_of_the_distinct_cases() -> None:
    cases = np.sort(np.random.default_rng(0).integers(0, 60, 60))
    distinct = np.unique(cases)
    splitter = CopySplitter(StratifiedKFold(4), cases)
    plain = StratifiedKFold(4).split(X[distinct], Y[distinct])
    for (train, test), (left, right) in zip(splitter.split(X[cases], Y[cases]), plain, strict=True):
        assert set(cases[train]) == set(distinct[left])
        assert set(cases[test]) == set(distinct[right])
        assert len(train) + len(test) == 60
        assert not set(cases[train]) & set(cases[test])
    assert splitter.get_n_splits(X[cases], Y[cases]) == 4
    assert splitter.get_n_splits() == 4


def test_splitters_that_need_groups_get_those_of_the_cases() -> None:
    cases, groups = np.repeat(np.arange(12), 2), np.arange(12) // 3
    splitter = CopySplitter(GroupKFold(2), cases, groups)
    for train, test in splitter.split(np.zeros((24, 1))):
        assert not set(groups[cases[train]]) & set(groups[cases[test]])


def test_a_splitter_can_be_shuffled_by_those_who_repeat_it() -> None:
    cases = np.repeat(np.arange(10), 2)
    once = CopySplitter(KFold(2), cases)
    again = CopySplitter(KFold(2), cases, shuffle=True, random_state=1)
    first, second = (next(iter(s.split(np.zeros((20, 1)))))[1] for s in (once, again))
    assert set(first) != set(second)
    assert not KFold(2).shuffle


@pytest.mark.parametrize(
    ("model", "free", "bound"),
    [
        (LogisticRegression(), [], []),
        (GridSearchCV(LogisticRegression(), {}), ["cv"], []),
        (en.SearchCV(LogisticRegression(), {}), ["cv"], []),
        (make_pipeline(StandardScaler(), LogisticRegressionCV()), ["logisticregressioncv__cv"], []),
        (
            GridSearchCV(CalibratedClassifierCV(LogisticRegression()), {}),
            ["cv"],
            ["estimator__cv"],
        ),
        (RidgeCV(), [], ["cv"]),
        (RidgeCV(cv=3), ["cv"], []),
        (CalibratedClassifierCV(LogisticRegression(), cv="prefit"), [], []),
    ],
)
def test_inner_splits_are_found(model: object, free: list[str], bound: list[str]) -> None:
    assert find_inner_splits(model) == (free, bound)


def test_an_unseeded_shuffle_gets_a_seed() -> None:
    model = GridSearchCV(LogisticRegression(), {}, cv=ShuffleSplit(3))
    cases = np.arange(60)
    made = keep_copies_together(model, cases, Y, None, 7)
    assert made.cv.base.random_state == 7


class Watched(KNeighborsClassifier):
    """A nearest neighbour that finds copies of what it knows, which it counts."""

    seen: ClassVar[list[float]] = []

    def predict(self, X: np.ndarray) -> np.ndarray:
        far, _ = self.kneighbors(X, 1)
        Watched.seen.append(float((far == 0).mean()))
        return super().predict(X)


@pytest.mark.parametrize("search", [GridSearchCV, en.SearchCV])
def test_a_search_never_scores_a_copy_of_what_it_trained_on(search: type) -> None:
    Watched.seen = []
    tuned = search(Watched(1), {"n_neighbors": [1, 5]}, cv=3, scoring="accuracy")
    en.bootstrap_train(tuned, X, Y, n_replicates=3, metric="accuracy", rng=0)
    inner = [share for share in Watched.seen if share < 0.5]  # the rest predict all cases
    assert len(inner) >= 3 * 3 * 2
    assert set(inner) == {0.0}


def test_copies_would_make_a_search_choose_what_remembers() -> None:
    """On noise a nearest neighbour is as good as fifteen; with copies on both sides it always wins.

    Seed 2: 8 samples of 60 cases of noise.
    """
    noise, y = np.random.default_rng(2).standard_normal((60, 3)), np.tile([0, 1], 30)
    rng, chosen = np.random.default_rng(3), {"apart": 0, "together": 0}
    for _ in range(8):
        cases = np.sort(rng.integers(0, 60, 60))
        for way in chosen:
            model = GridSearchCV(
                KNeighborsClassifier(),
                {"n_neighbors": [1, 15]},
                cv=KFold(5, shuffle=True, random_state=0),
            )
            if way == "together":
                model = keep_copies_together(model, cases, y[cases], None, 0)
            chosen[way] += model.fit(noise[cases], y[cases]).best_params_["n_neighbors"] == 1
    assert chosen["apart"] == 8
    assert chosen["together"] < 7


def test_inner_folds_of_groups_get_the_groups_of_the_cases() -> None:
    groups = np.arange(60) // 6
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=GroupKFold(3))
    made = en.bootstrap_train(search, X, Y, n_replicates=3, groups=groups, rng=0)
    assert made.n_failed == 0


def test_unseeded_inner_folds_give_the_same_bytes() -> None:
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 9]}, cv=ShuffleSplit(2))
    one, other = (en.bootstrap_train(search, X, Y, n_replicates=4, rng=0) for _ in range(2))
    assert one.fingerprint == other.fingerprint


def test_repeated_inner_folds_of_our_own_search_work() -> None:
    search = en.SearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, cv=2, n_repeats=2, scoring="roc_auc"
    )
    made = en.bootstrap_train(search, X, Y, n_replicates=2, metric="roc_auc", rng=0)
    assert made.learner == "SearchCV"
    again = en.bootstrap_train(search, X, Y, n_replicates=2, metric="roc_auc", rng=0)
    assert made.fingerprint == again.fingerprint


def test_inner_splits_that_cannot_be_kept_apart_are_told_of() -> None:
    nested = GridSearchCV(CalibratedClassifierCV(LogisticRegression(), cv=2), {}, cv=2)
    made = en.bootstrap_train(nested, X, Y, n_replicates=2, rng=0)
    (told,) = made.cautions
    assert told.kind == "copies_in_inner_splits"
    assert "estimator__cv" in told.what


def test_inner_splits_that_list_rows_are_refused() -> None:
    rows = [(np.arange(30), np.arange(30, 60))]
    with pytest.raises(InputError, match="lists the rows"):
        en.bootstrap_train(GridSearchCV(LogisticRegression(), {}, cv=rows), X, Y)


def test_a_learner_that_changes_its_rows_is_refused() -> None:
    splitter = CopySplitter(KFold(2), np.arange(10))
    with pytest.raises(InputError, match="number of rows"):
        list(splitter.split(np.zeros((9, 1))))
