"""Nested cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.tree import DecisionTreeClassifier

from earnest import SearchCV, assess, nested_cv
from earnest.errors import InputError, MetricError
from earnest.results import NestedResult
from earnest.store import MemoryStore
from earnest.training import WINNER, NestedSplits, Splits
from tests.snapshots import Golden

GRID = {"C": [1e-4, 0.01, 1.0, 100.0]}


@pytest.fixture(scope="module")
def nested() -> NestedResult:
    """A search by the AUC in four folds, nested."""
    search = SearchCV(LogisticRegression(), GRID, cv=4, scoring="roc_auc")
    return nested_cv(search, *problem())


def problem(n: int = 60, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    return y[:, None] * [1.0, 0.5, 0.0] + rng.standard_normal((n, 3)), y


def by_hand(
    model: Any, grid: Any, X: Any, y: Any, folds: list[tuple[Any, Any]], scoring: str
) -> tuple[list[int], list[NDArray[np.float64]]]:
    """Algorithm 3 with scikit-learn: a grid search on the remaining folds, for each fold."""
    winners, answers = [], []
    for held, (train, test) in enumerate(folds):
        place = {row: i for i, row in enumerate(train)}
        inner = []
        for j, (_, tested) in enumerate(folds):
            if j != held:
                others = [row for row in train if row not in set(tested)]
                inner.append(([place[r] for r in others], [place[r] for r in tested]))
        found = GridSearchCV(model, grid, cv=inner, scoring=scoring).fit(X[train], y[train])
        winners.append(int(found.best_index_))
        answers.append(found.decision_function(X[test]))
    return winners, answers


def test_it_is_algorithm_3_step_by_step(nested: NestedResult) -> None:
    X, y = problem()
    made = nested
    folds = list(StratifiedKFold(4).split(X, y))
    winners, answers = by_hand(LogisticRegression(), GRID, X, y, folds, "roc_auc")
    assert made.winners == tuple(f"c{w}" for w in winners)
    assert len(set(winners)) > 1
    scores = [roc_auc_score(y[test], s) for (_, test), s in zip(folds, answers, strict=True)]
    np.testing.assert_allclose(made.fold_scores, scores, atol=1e-12)
    assert made.value == pytest.approx(np.mean(scores), abs=1e-12)
    for (_, test), answer in zip(folds, answers, strict=True):
        np.testing.assert_allclose(made.predictions.responses[test, 0, 0], answer, atol=1e-12)


def test_the_fits_are_counted_as_made_and_as_published() -> None:
    X, y = problem()
    search = SearchCV(LogisticRegression(), GRID, cv=3)
    calls: list[int] = []

    class Counted(LogisticRegression):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            calls.append(len(y))
            return super().fit(X, y, sample_weight)

    made = nested_cv(search.set_params(estimator=Counted()), X, y)
    assert made.n_fits == 3 * 3 * 4 + 3 + 1
    assert made.n_trained == 3 * 3 * 4 + 1 == len(calls)
    # K C models of 40 cases, K (K - 1) C of 20, and one of all 60
    assert sorted(calls) == [20] * 24 + [40] * 12 + [60]


def test_outer_and_inner_predictions_have_their_form(nested: NestedResult) -> None:
    made = nested
    assert made.predictions.configs.ids == (WINNER,)
    assert made.predictions.n_folds == 4
    assert not np.isnan(made.predictions.responses).any()
    assert len(made.inner) == 4
    for held, inner in enumerate(made.inner):
        assert (inner.n_configs, inner.n_folds) == (4, 3)
        untested = np.isnan(inner.responses[:, 0, 0])
        np.testing.assert_array_equal(untested, made.predictions.folds[:, 0] == held)


def test_the_search_on_all_cases_is_the_ordinary_one() -> None:
    X, y = problem()
    search = SearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3, 5]}, cv=4, random_state=3)
    made = nested_cv(search, X, y)
    plain = clone(search).fit(X, y)
    assert made.search.best_index_ == plain.best_index_
    assert made.search.predictions_.fingerprint == plain.predictions_.fingerprint
    assert made.search.estimate_ == plain.estimate_
    np.testing.assert_array_equal(made.search.predict(X), plain.predict(X))
    assert not hasattr(search, "best_index_")
    assert made.estimate.winner == plain.estimate_.winner


def test_groups_stay_together_on_every_level() -> None:
    X, y = problem()
    groups = np.arange(60) // 4
    search = SearchCV(LogisticRegression(), GRID, cv=GroupKFold(3))
    made = nested_cv(search, X, y, groups=groups)
    folds = list(GroupKFold(3).split(X, y, groups))
    winners, answers = by_hand(LogisticRegression(), GRID, X, y, folds, "accuracy")
    assert made.winners == tuple(f"c{w}" for w in winners)
    scores = [accuracy_score(y[test], a > 0) for (_, test), a in zip(folds, answers, strict=True)]
    assert made.value == pytest.approx(np.mean(scores), abs=1e-12)
    splits = NestedSplits.of(_splits(folds, 60)).every
    for train, test in zip(splits.train, splits.test, strict=True):
        assert not set(groups[train]) & set(groups[test])
    assert "EN003" not in {caution.code for caution in made.cautions}


def _splits(folds: list[tuple[Any, Any]], n: int) -> Splits:
    return Splits(
        train=tuple(train for train, _ in folds),
        test=tuple(test for _, test in folds),
        repeat=(0,) * len(folds),
        fold=tuple(range(len(folds))),
        n_cases=n,
    )


def test_inner_folds_are_the_remaining_outer_folds() -> None:
    X, y = problem(12)
    nesting = NestedSplits.of(_splits(list(StratifiedKFold(3).split(X, y)), 12))
    for held, inner in enumerate(nesting.inner):
        out = set(nesting.outer.test[held])
        tested = [set(rows) for rows in inner.test]
        assert tested == [set(nesting.outer.test[k]) for k in range(3) if k != held]
        for train, test in zip(inner.train, inner.test, strict=True):
            assert set(train) == set(range(12)) - out - set(test)


def test_the_number_of_workers_does_not_matter() -> None:
    X, y = problem()
    search = SearchCV(
        DecisionTreeClassifier(max_features=1), {"max_depth": [1, 3]}, cv=3, random_state=1
    )
    one = nested_cv(search, X, y, n_jobs=1)
    with parallel_config(backend="threading"):
        two = nested_cv(search, X, y, n_jobs=2)
    assert one.predictions.fingerprint == two.predictions.fingerprint
    assert one.estimate == two.estimate


def test_a_store_gives_back_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = problem()
    store = MemoryStore()
    search = SearchCV(LogisticRegression(), GRID, cv=3, random_state=0)
    first = nested_cv(search, X, y, store=store)

    def never(*_: Any) -> Any:
        raise AssertionError("a fit that is stored was made again")

    monkeypatch.setattr("earnest.training.fit.run.fit_cell", never)
    again = nested_cv(search, X, y, store=store)
    assert again.estimate == first.estimate
    assert len(store.done()) == 3 * 3 * 4


def test_repeats_are_nested_each() -> None:
    X, y = problem()
    search = SearchCV(LogisticRegression(), GRID, cv=3, n_repeats=2, random_state=0)
    made = nested_cv(search, X, y)
    assert len(made.winners) == len(made.fold_scores) == 6
    assert made.n_fits == 2 * 9 * 4 + 6 + 1
    assert made.predictions.n_repeats == 2


def test_regression_and_a_loss_in_its_own_sign() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((40, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(40)
    search = SearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=4, scoring="neg_mean_squared_error")
    made = nested_cv(search, X, y)
    assert made.estimate.metric == "mse"
    assert 0 < made.value < 1


def test_leave_one_out_of_a_rank_metric_is_judged_pooled() -> None:
    X, y = problem(6)
    search = SearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=LeaveOneOut(), scoring="roc_auc")
    with pytest.warns(UserWarning, match="non-finite|undefined|Only one class"):
        made = nested_cv(search, X, y)
    assert 0 <= made.value <= 1
    pooled = roc_auc_score(y, made.predictions.responses[:, 0, 0])
    assert made.value == pytest.approx(pooled, abs=1e-12)


def test_unlike_inner_winners_are_told_of(nested: NestedResult) -> None:
    X, y = problem()
    made = nested
    (told,) = (caution for caution in made.cautions if caution.code == "EN055")
    assert f"chose {len(set(made.winners))} different" in told.what
    one = nested_cv(SearchCV(LogisticRegression(), {"C": [1.0]}, cv=5), X, y)
    assert "EN055" not in {caution.code for caution in one.cautions}


def test_the_result_reads_as_one_line_and_names_its_estimand(
    nested: NestedResult, golden: Golden
) -> None:
    made = nested
    golden.check(repr(made), hide="[0-9][.][0-9]+")
    assert made.estimate.interval is None
    assert made.estimate.method == "nested"
    assert "tuning" in made.estimate.estimand


@pytest.mark.parametrize(
    "cv", [2, ShuffleSplit(3, random_state=0), TimeSeriesSplit(4)], ids=["2", "shuffle", "time"]
)
def test_splits_that_are_no_partition_are_refused(cv: Any) -> None:
    X, y = problem()
    with pytest.raises(InputError, match="cannot be nested"):
        nested_cv(SearchCV(LogisticRegression(), GRID, cv=cv), X, y)


def test_a_learner_is_refused_before_any_option_is() -> None:
    X, y = problem()
    with pytest.raises(InputError, match="needs a search"):
        assess(LogisticRegression(), X, y, method="nested", metric="accuracy", positive=1)


@pytest.mark.parametrize("knob", [{"drop": "bced"}, {"stop_when_width": 0.1}])
def test_a_search_that_leaves_fits_out_is_refused(knob: dict[str, Any]) -> None:
    X, y = problem()
    with pytest.raises(InputError, match=next(iter(knob))):
        nested_cv(SearchCV(LogisticRegression(), GRID, cv=5, **knob), X, y)


def test_what_is_no_search_is_refused() -> None:
    X, y = problem()
    with pytest.raises(InputError, match=r"earnest\.SearchCV"):
        nested_cv(GridSearchCV(LogisticRegression(), GRID), X, y)


def test_a_search_without_a_metric_of_predictions_is_refused() -> None:
    X, y = problem()
    search = SearchCV(LogisticRegression(), GRID, cv=3, scoring=lambda model, X, y: 0.5)
    with pytest.raises(MetricError, match="no metric"):
        nested_cv(search, X, y)


def test_a_search_that_chooses_nothing_is_refused_before_any_fit() -> None:
    X, y = problem()

    class Unfit(LogisticRegression):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise AssertionError("fitted")

    search = SearchCV(Unfit(), GRID, cv=3, scoring=["roc_auc", "accuracy"], refit=False)
    with pytest.raises(InputError, match="does not choose a configuration"):
        nested_cv(search, X, y)


def test_failing_candidates_are_told_of_and_never_win() -> None:
    X, y = problem()
    search = SearchCV(LogisticRegression(), {"C": [-1.0, 1.0]}, cv=3)
    with pytest.warns((FitFailedWarning, UserWarning), match="failed|non-finite"):
        made = nested_cv(search, X, y)
    assert set(made.winners) == {"c1"}
    assert "EN045" in {caution.code for caution in made.cautions}
