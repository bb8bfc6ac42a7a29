"""SES: known neighbours, equivalent signatures, its plain definition, and degenerate data."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from earnest.errors import InputError
from earnest.learners import SES
from earnest.training import LikelihoodRatio, PartialCorrelation
from earnest.training.learners import ses
from earnest.training.learners.ses import SESRun

Array = NDArray[np.float64]

PARENTS, CHILD, SPOUSE = (0, 1), 2, 3


def network(seed: int, n: int = 500, noise: int = 10) -> tuple[Array, Array]:
    """Return a linear network: two parents, a child with another parent, relatives, noise.

    Column 0 and 1 cause y, y and column 3 cause column 2, column 4 causes column 0, column 5 is
    caused by column 2: so 0, 1 and 2 are the neighbours of y.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6 + noise))
    X[:, 0] = X[:, 4] + 0.7 * rng.normal(size=n)
    y = X[:, 0] + X[:, 1] + rng.normal(size=n)
    X[:, 2] = y + X[:, 3] + rng.normal(size=n)
    X[:, 5] = X[:, 2] + 0.7 * rng.normal(size=n)
    return X, y


def plain_search(test: Any, count: int, alpha: float, max_k: int) -> tuple[list[int], dict]:
    """The definition by plain loops, one test at a time, without any memory of tests."""

    def p(column: int, given: tuple[int, ...]) -> float:
        return float(np.exp(test.log_p(np.array([column]), given)[0]))

    seen = {i: p(i, ()) for i in range(count)}  # the largest p-value so far
    waiting = [i for i in range(count) if seen[i] <= alpha]
    chosen: list[int] = []
    same = {i: [i] for i in range(count)}
    while waiting:
        least = min(seen[i] for i in waiting)
        newest = next(i for i in waiting if seen[i] <= least * (1 + 1e-6))  # copies are equal
        waiting.remove(newest)
        chosen.append(newest)
        older = [i for i in chosen if i != newest]
        sets = [(newest, *c) for k in range(max_k) for c in combinations(older, k)]
        for given in sets:
            if not set(given) <= set(chosen):
                continue
            for column in [*waiting, *[i for i in chosen if i not in given]]:
                found = p(column, given)
                seen[column] = max(seen[column], found)
                if found <= alpha:
                    continue
                for one in given:
                    swapped = (*[g for g in given if g != one], column)
                    if p(one, swapped) > alpha:
                        same[one] += same[column]
                        break
                (waiting if column in waiting else chosen).remove(column)
    return chosen, {i: same[i] for i in chosen}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_k", [0, 1, 2, 3])
def test_the_search_is_its_definition_by_plain_loops(seed: int, max_k: int) -> None:
    X, y = network(seed, n=60, noise=2)
    X = np.column_stack([X, X[:, 0] + 0.01 * X[:, 7], X[:, 1]])
    test = PartialCorrelation(X, y)
    made = SESRun(test, X.shape[1], 0.1, max_k).run()
    chosen, same = plain_search(test, X.shape[1], 0.1, max_k)
    assert (made.selected, made.equivalent) == (chosen, same)


def test_the_search_for_classes_is_its_definition_too() -> None:
    X, y = network(1, n=80, noise=1)
    test = LikelihoodRatio(X, (y > 0).astype(np.intp))
    made = SESRun(test, X.shape[1], 0.1, 2).run()
    assert (made.selected, made.equivalent) == plain_search(test, X.shape[1], 0.1, 2)


@pytest.mark.parametrize("kind", ["numbers", "two classes", "three classes"])
def test_the_neighbours_of_the_outcome_are_found(kind: str) -> None:
    rates = []
    for seed in range(10):
        X, y = network(seed)
        if kind != "numbers":
            y = np.digitize(y, [0.0] if kind == "two classes" else [-1.0, 1.0])
        found = set(SES(alpha=0.01).fit(X, y).selected_)
        assert {*PARENTS, CHILD} <= found
        rates.append(len(found - {*PARENTS, CHILD, SPOUSE}) / (X.shape[1] - 4))
    # A column that is no neighbour stays with a chance of about alpha = 0.01 at most: in 120
    # tries (130 with the spouse, which is none for three classes) 4 sd are 0.04 more.
    assert np.mean(rates) <= 0.01 + 0.04


def test_columns_without_relation_stay_about_as_often_as_alpha_says() -> None:
    rng = np.random.default_rng(11)
    shares = []
    for _ in range(40):
        X, y = rng.normal(size=(100, 20)), rng.normal(size=100)
        chosen = SES(alpha=0.05, max_k=0).fit(X, y)
        shares.append(float((chosen.p_values_ <= 0.05).mean()))
    # 800 tests at level 0.05: sd sqrt(0.05 * 0.95 / 800) = 0.0077, four of them.
    assert np.mean(shares) == pytest.approx(0.05, abs=4 * 0.0077)


@pytest.mark.parametrize("classes", [False, True])
def test_copies_of_a_neighbour_give_equivalent_signatures(classes: bool) -> None:
    X, y = network(0)
    both = np.column_stack([X, X[:, 1], X[:, 1]])
    outcome = (y > 0).astype(int) if classes else y
    made = SES(alpha=0.01).fit(both, outcome)
    copies = {1, 16, 17}
    assert [set(same) for same in made.equivalent_.values() if copies & set(same)] == [copies]
    assert made.n_signatures_ >= 3
    assert made.signatures_[0] == made.selected_
    assert len({frozenset(one) for one in made.signatures_}) == len(made.signatures_)
    assert sorted(np.flatnonzero(made.support_)) == sorted(made.selected_)


def test_no_more_signatures_are_listed_than_asked_for() -> None:
    X, y = network(0)
    made = SES(n_signatures=2).fit(np.column_stack([X, X[:, :3], X[:, :3]]), y)
    assert made.n_signatures_ >= 27
    assert len(made.signatures_) == 2


def test_what_a_neighbour_explains_is_no_neighbour() -> None:
    X, y = network(3, n=2000)
    found = SES(alpha=0.001).fit(X, y).selected_
    assert not {4, 5} & set(found)  # the grandparent and the grandchild


def test_where_nothing_is_dependent_the_strongest_column_stays() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    made = SES(alpha=1e-9).fit(X, y)
    assert made.selected_ == (int(made.p_values_.argmin()),)
    assert made.transform(X).shape == (50, 1)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_few_cases_do_not_stop_it(n: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, 5))
    assert SES().fit(X, X[:, 0]).support_.any()
    assert SES().fit(X, np.arange(n) % 2).support_.any()


def test_one_class_leaves_one_column() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert SES().fit(X, np.zeros(20, dtype=int)).support_.sum() == 1


def test_constant_and_duplicate_columns_and_a_constant_outcome_are_taken() -> None:
    X, y = network(0, n=100)
    X = np.column_stack([np.full(100, 3.0), X, X])
    assert 0 not in SES().fit(X, y).selected_
    assert SES().fit(X, np.full(100, 2.5)).support_.sum() == 1


def test_a_column_that_separates_the_classes_is_enough() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 30)
    X = np.column_stack([rng.normal(size=60) + 2 * y, y * 10.0 + rng.normal(size=60), y * 1.0])
    made = SES().fit(X, y)
    assert len(made.selected_) == 1


def test_words_are_classes_and_counts_are_numbers_if_asked_for() -> None:
    X, y = network(5)
    words = np.where(y > 0, "high", "low").astype(object)
    assert SES(outcome="auto").fit(X, words).selected_ == SES().fit(X, y > 0).selected_
    counts = np.round(y).astype(int)
    as_numbers = SES(outcome="numbers").fit(X, counts)
    assert as_numbers.p_values_[9] != SES(outcome="classes").fit(X, counts).p_values_[9]


def test_the_same_data_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ses, "_LAST", type(ses._LAST)())
    runs = []
    run = SESRun.run
    monkeypatch.setattr(SESRun, "run", lambda self: runs.append(1) or run(self))
    X, y = network(0, n=100)
    first, second = SES().fit(X, y), SES().fit(X.copy(), y.copy())
    assert (len(runs), first.selected_) == (1, second.selected_)
    SES().fit(X, y + 1e-9)
    SES(alpha=0.04).fit(X, y)
    assert len(runs) == 3


def test_the_memory_of_searches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ses, "_LAST", type(ses._LAST)())
    monkeypatch.setattr(ses, "REMEMBERED", 2)
    X, y = network(0, n=30)
    for level in (0.01, 0.02, 0.03):
        SES(alpha=level).fit(X, y)
    assert len(ses._LAST) == 2


@pytest.mark.parametrize(
    ("knobs", "match"),
    [({"alpha": 0.0}, "alpha"), ({"alpha": 5}, "0.05"), ({"max_k": -1}, "max_k")],
)
def test_wrong_knobs_are_refused(knobs: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        SES(**knobs).fit(np.eye(4), np.arange(4.0))


def test_survival_is_refused() -> None:
    y = np.array([(True, 1.0), (False, 2.0)], dtype=[("event", bool), ("time", float)])
    with pytest.raises(InputError, match="events and times"):
        SES().fit(np.eye(2), y)


def test_it_is_a_selection_of_a_pipeline() -> None:
    X, y = network(0)
    pipe = make_pipeline(SES(), DecisionTreeClassifier(random_state=0)).fit(X, y > 0)
    assert pipe[-1].n_features_in_ == pipe[0].support_.sum()


def test_it_keeps_the_contract_of_scikit_learn() -> None:
    failed = check_estimator(SES(), on_fail=None, on_skip=None)
    bad = [one["check_name"] for one in failed if one["status"] == "failed"]
    assert bad == []
