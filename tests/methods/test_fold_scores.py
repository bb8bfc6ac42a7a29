"""Methods on scores of folds: what they say is what they say of all predictions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.results import FoldScores
from tests.snapshots import Golden

SAME = 1e-12  # sums in another order
GRID = {"max_depth": [1, 2, 4, None], "min_samples_leaf": [1, 5, 20]}


def search_trees(scoring: str, cv: Any) -> tuple[GridSearchCV, en.Predictions]:
    """Return a fitted GridSearchCV, and what `harvest` keeps of the same search."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[100:220, :4], y[100:220]
    make = DecisionTreeClassifier(random_state=0)
    plain = GridSearchCV(make, GRID, scoring=scoring, cv=cv).fit(X, y)
    return plain, en.harvest(GridSearchCV(make, GRID, scoring=scoring, cv=cv), X, y)


@pytest.fixture(scope="module")
def ten_folds() -> tuple[GridSearchCV, en.Predictions]:
    return search_trees("roc_auc", StratifiedKFold(10, shuffle=True, random_state=0))


@pytest.fixture(scope="module")
def repeats() -> tuple[GridSearchCV, en.Predictions]:
    return search_trees(
        "accuracy", RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=1)
    )


@pytest.mark.parametrize("method", ["tibshirani", "naive", "bbc_fold", "corrected_t"])
@pytest.mark.parametrize("design", ["ten_folds", "repeats"])
def test_fold_scores_say_what_all_predictions_say(
    method: str, design: str, request: pytest.FixtureRequest
) -> None:
    search, predictions = request.getfixturevalue(design)
    from_scores = en.estimate(search, method=method, rng=3)
    whole = en.estimate(predictions, method=method, metric=from_scores.metric, rng=3)
    assert from_scores.value == pytest.approx(whole.value, abs=SAME)
    assert from_scores.naive == pytest.approx(search.best_score_, abs=SAME)
    assert from_scores.winner_label is not None
    if whole.draws is not None:
        np.testing.assert_allclose(from_scores.draws, whole.draws, atol=SAME)


def test_a_loss_keeps_its_own_units() -> None:
    X, y = load_diabetes(return_X_y=True)
    cv = KFold(5, shuffle=True, random_state=0)
    grid = {"alpha": [0.01, 0.1, 1.0, 10.0]}
    search = GridSearchCV(Ridge(), grid, scoring="neg_mean_absolute_error", cv=cv).fit(X, y)
    pi = en.harvest(GridSearchCV(Ridge(), grid, scoring="neg_mean_absolute_error", cv=cv), X, y)
    found = en.estimate(search, rng=0)
    assert (found.metric, found.scale.greater_is_better) == ("mae", False)
    whole = en.estimate(pi, method="bbc_fold", metric="mae", rng=0)
    assert found.value == pytest.approx(whole.value, rel=SAME)
    # `cv_results_` alone names no metric; its scores are negated, and named they are losses.
    plain = en.estimate(search.cv_results_, metric="neg_mean_absolute_error", rng=0)
    assert plain.value == pytest.approx(found.value, rel=SAME)
    assert en.estimate(search.cv_results_, metric="mae", rng=0).value == plain.value


def test_an_area_is_held_against_chance_and_an_accuracy_against_nothing(
    ten_folds: tuple[GridSearchCV, en.Predictions],
    repeats: tuple[GridSearchCV, en.Predictions],
) -> None:
    assert en.estimate(ten_folds[0], rng=0).no_information == 0.5
    assert en.estimate(repeats[0], rng=0).no_information is None


def test_cases_are_not_counted_where_nobody_told(
    ten_folds: tuple[GridSearchCV, en.Predictions],
) -> None:
    found = en.estimate(ten_folds[0], rng=0)
    assert found.n_cases is None
    assert found.training is None
    assert "10 folds" in repr(found)
    assert found == type(found).from_dict(found.to_dict())
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(*_some_cases()))
    listed, _ = search_trees("roc_auc", splits)
    told = en.estimate(listed, rng=0)
    assert told.n_cases == 120
    assert str(told.training) == "108"


def _some_cases() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return X[100:220], y[100:220]


def rows(folds: int, configs: int = 6, seed: int = 0) -> np.ndarray[Any, Any]:
    return 0.7 + 0.05 * np.random.default_rng(seed).standard_normal((configs, folds))


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        (FoldScores.from_rows(rows(3)), "few_folds_alone"),
        (FoldScores.from_rows(np.full((3, 10), 0.75)), "fold_scores_equal"),
    ],
)
def test_no_interval_where_none_holds_but_the_value_stays(scores: FoldScores, kind: str) -> None:
    found = en.estimate(scores, rng=0)
    assert found.interval is None
    assert math.isfinite(found.value)
    assert kind in {caution.kind for caution in found.cautions}


def test_splits_that_nobody_explained_have_no_interval() -> None:
    results = {"params": [{"a": i} for i in range(6)]}
    results |= {f"split{k}_test_score": column for k, column in enumerate(rows(30).T)}
    found = en.estimate(results, rng=0)
    assert found.interval is None
    assert "repeats_unknown" in {caution.kind for caution in found.cautions}
    told = en.estimate(FoldScores.from_rows(rows(30), repeats=3), rng=0)
    assert told.interval is not None
    assert told.provenance.n_repeats == 3


def test_repeats_are_one_after_the_other() -> None:
    scores = FoldScores.from_rows([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]], repeats=2)
    assert scores.values[:, 0, 1].tolist() == [4, 5, 6]
    np.testing.assert_array_equal(scores.to_rows()[1], np.arange(7, 13))


def test_methods_for_cases_refuse_fold_scores() -> None:
    scores = FoldScores.from_rows(rows(10))
    for method in ("bbc", "near_winner", "mabt", "bayle_all_pairs"):
        with pytest.raises(en.errors.EvidenceError):
            en.estimate(scores, method=method)
    for ask in (
        lambda: en.gate(scores, above=0.5),
        lambda: en.plan(scores, width=0.1),
        lambda: en.thresholds(scores),
        lambda: en.calibrate(scores),
    ):
        with pytest.raises(en.errors.EarnestError):
            ask()


def test_what_cannot_be_fold_scores_is_refused_in_one_voice(golden: Golden) -> None:
    for wrong in ([[0.5], [0.6]], [[math.nan, math.nan]], [["a", "b"]], [[math.inf, 0.0]], [0.5]):
        with golden.raises(en.errors.EarnestError):
            FoldScores.from_rows(wrong)
    with golden.raises(en.errors.InputError):
        FoldScores.from_rows(rows(10), repeats=3)


def test_a_configuration_without_a_fold_is_left_out_and_named() -> None:
    table = rows(10)
    table[2, 4] = math.nan
    found = en.estimate(FoldScores.from_rows(table), rng=0)
    assert found.n_configs == 5
    assert "configurations_incomplete" in {caution.kind for caution in found.cautions}


def test_a_fold_without_scores_is_left_out_and_named() -> None:
    table = rows(10)
    table[:, 4] = math.nan
    found = en.estimate(FoldScores.from_rows(table), method="naive")
    assert found.value == pytest.approx(np.nanmean(table, axis=1).max(), abs=SAME)
    assert "folds_undefined" in {caution.kind for caution in found.cautions}


def test_one_configuration_was_not_selected() -> None:
    found = en.estimate({"model": [0.7, 0.8, 0.75, 0.7, 0.8]}, metric="accuracy", rng=0)
    assert found.selection == "nothing_selected"
    assert found.value == pytest.approx(0.75)


def test_comparisons_of_fold_scores_are_those_of_predictions(
    ten_folds: tuple[GridSearchCV, en.Predictions],
) -> None:
    search, pi = ten_folds
    for test in ("corrected_t", "cv_t", "bayesian_t", "resampled_t"):
        try:
            whole = en.compare(pi, 0, 5, test=test, metric="roc_auc", rng=0)
        except en.errors.EarnestError:
            continue
        alone = en.compare(search, 0, 5, test=test, rng=0)
        assert alone.difference == pytest.approx(whole.difference, abs=SAME)
        if whole.p_value is not None:
            assert alone.p_value == pytest.approx(whole.p_value, abs=1e-9)
    assert en.compare(search, 0, 5).test == "corrected_t"
    many, of_all = (
        en.compare_many(search),
        en.compare_many(pi, test="corrected_t", metric="roc_auc"),
    )
    assert many.not_worse == of_all.not_worse
    with pytest.raises(en.errors.EvidenceError):
        en.compare(search, 0, 5, test="bootstrap")


@pytest.mark.parametrize("order", ["tried", "mean"])
def test_the_gain_of_folds_equals_a_plain_loop(order: str) -> None:
    # all draws of four folds; the mean over orders is that over all 24 of them
    from itertools import permutations, product

    table = rows(4, configs=4, seed=5)
    table[:, 0] += 0.05
    found = en.gain(FoldScores.from_rows(table), order=order, rng=0)
    orders = list(permutations(range(4))) if order == "mean" else [tuple(range(4))]
    draws = [d for d in product(range(4), repeat=4) if len(set(d)) < 4]
    corrected = np.zeros(4)
    naive = np.zeros(4)
    for tried in orders:
        for k in range(1, 5):
            first = list(tried[:k])
            best = max(first, key=lambda c: table[c].mean())
            naive[k - 1] += table[best].mean() / len(orders)
            for draw in draws:
                means = [table[c, list(draw)].mean() for c in first]
                winner = first[int(np.argmax(np.round(means, 12)))]
                out = [f for f in range(4) if f not in draw]
                corrected[k - 1] += table[winner, out].mean() / len(draws) / len(orders)
    np.testing.assert_allclose(found.naive, naive, atol=1e-9)
    np.testing.assert_allclose(found.corrected, corrected, atol=1e-9)
    assert found.interval is None  # four folds
    if order == "tried":
        value = en.estimate(FoldScores.from_rows(table), rng=0).value
        assert found.corrected[-1] == pytest.approx(value, abs=1e-9)
