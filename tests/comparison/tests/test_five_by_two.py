"""The 5x2 cross-validated t test: its formula, its design, its edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import earnest as en
from earnest.comparison.tests.five_by_two import average_variance


def losses(a: np.ndarray, b: np.ndarray, **about: object) -> en.Scores:
    """Two cases per repeat, each a fold of its own: the differences are those of the cases."""
    fold = np.tile([[0], [1]], 5)
    limits = (-np.inf, np.inf)
    return en.Scores(
        {"a": a.T, "b": b.T}, fold=fold, limits=limits, **about, greater_is_better=False
    )


APART = np.random.default_rng(3).normal(0.4, 1.0, (5, 2))


def test_the_statistic_is_the_first_difference_over_the_mean_spread() -> None:
    made = en.compare(losses(APART, np.zeros((5, 2))), "a", "b", test="five_by_two")
    variances = APART.var(axis=1, ddof=1)
    t = APART[0, 0] / np.sqrt(variances.mean())
    assert made.difference == pytest.approx(APART[0, 0])
    assert made.statistic == pytest.approx(t)
    assert made.p_value == pytest.approx(2 * stats.t.sf(abs(t), 5))
    assert made.interval is not None
    reach = stats.t.ppf(0.975, 5) * np.sqrt(variances.mean())
    assert made.interval.high == pytest.approx(APART[0, 0] + reach)
    assert made.at(alternative="less").p_value == pytest.approx(stats.t.cdf(t, 5))


def test_the_spread_is_the_sum_of_squares_about_the_mean_of_a_repeat() -> None:
    assert average_variance(APART) == pytest.approx(APART.var(axis=1, ddof=1).mean())


def test_other_designs_are_refused_with_a_cure() -> None:
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(y, np.random.default_rng(0).random((40, 2)), np.arange(40) % 2)
    for test in ("five_by_two", "five_by_two_f"):
        with pytest.raises(en.errors.EvidenceError, match="5 repeats of 2 folds"):
            en.compare(pi, 0, 1, test=test, metric="accuracy")


def test_a_search_with_five_repeats_of_two_folds_gives_what_it_needs() -> None:
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    X = y[:, None] + rng.standard_normal((60, 2))
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    search = en.SearchCV(tree, {"max_depth": [1, 3]}, cv=folds, scoring="accuracy").fit(X, y)
    made = en.compare(search.predictions_, 0, 1, test="five_by_two", metric="accuracy")
    scores = np.array(
        [[search.cv_results_[f"split{s}_test_score"][c] for s in range(10)] for c in (0, 1)]
    )
    apart = (scores[0] - scores[1]).reshape(5, 2)
    expected = apart[0, 0] / np.sqrt(apart.var(axis=1, ddof=1).mean())
    assert made.statistic == pytest.approx(expected)


def test_equal_columns_give_p_1_and_equal_differences_a_bound() -> None:
    same = en.compare(losses(APART, APART), "a", "b", test="five_by_two")
    assert (same.difference, same.p_value) == (0.0, 1.0)
    flat = en.compare(losses(APART + 1.0, APART), "a", "b", test="five_by_two")
    assert flat.p_value == pytest.approx(2 * 0.5**5)
    assert "EN035" in {caution.code for caution in flat.cautions}


def test_a_fold_without_a_score_is_refused() -> None:
    y = np.r_[np.zeros(19), 1]
    scores = np.random.default_rng(0).random((20, 2, 5))
    fold = np.tile(np.arange(20)[:, None] % 2, 5)
    pi = en.Predictions.from_arrays(y, scores, fold)
    with pytest.raises(en.errors.EvidenceError, match="every fold"):
        en.compare(pi, 0, 1, test="five_by_two", metric="roc_auc")


def test_it_says_that_one_fold_is_shown() -> None:
    made = en.compare(losses(APART, np.zeros((5, 2))), "a", "b", test="5x2")
    assert [caution.code for caution in made.cautions] == ["EN023"]
