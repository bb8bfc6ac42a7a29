"""A test set that is used once: trained on the rest, counted in its own file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

from earnest import assess, read_run
from earnest.core import Estimand
from earnest.errors import EvidenceError, InputError
from earnest.results import Estimate

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 60)
X = Y[:, None] + RNG.normal(size=(120, 2))
DESIGN, TEST = (X[:80], Y[:80]), (X[80:], Y[80:])


def used(model: Any = None, **options: Any) -> Estimate:
    given: dict[str, Any] = {"metric": "roc_auc", "test": TEST, "rng": 0, **options}
    return assess(model or GaussianNB(), *DESIGN, method="holdout", **given)


def codes(made: Estimate) -> set[str]:
    return {caution.kind for caution in made.cautions}


def test_the_model_of_the_design_set_is_scored_on_the_test_set() -> None:
    made = used()
    model = GaussianNB().fit(*DESIGN)
    expected = roc_auc_score(TEST[1], model.predict_proba(TEST[0])[:, 1])
    assert made.value == pytest.approx(expected, abs=1e-12)
    assert made.n_cases == 40
    assert made.estimand == Estimand.THIS_MODEL
    assert made.winner == "GaussianNB"


def test_without_a_file_a_note_says_that_nothing_counts_the_uses() -> None:
    assert "uses_not_recorded" in codes(used())


def test_the_file_counts_uses_by_other_learners(tmp_path: Path) -> None:
    store = tmp_path / "test-set.db"
    first = used(store=store)
    assert not {"used_before", "uses_not_recorded"} & codes(first)
    second = used(LogisticRegression(), store=store)
    third = used(LogisticRegression(C=0.1), store=store)
    said = {c.kind: c.what for c in third.cautions}["used_before"]
    assert "use 3" in said
    assert "twice before (GaussianNB, LogisticRegression)" in said
    assert "once before (GaussianNB)" in {c.kind: c.what for c in second.cautions}["used_before"]
    uses = json.loads(read_run(store).documents["uses"])
    assert [use["learner"] for use in uses] == [
        "GaussianNB",
        "LogisticRegression",
        "LogisticRegression",
    ]


def test_the_same_call_again_is_the_same_use(tmp_path: Path) -> None:
    store = tmp_path / "test-set.db"
    first, again = used(store=store), used(store=store)
    assert again.to_dict() == first.to_dict()
    assert "used_before" not in codes(again)
    used(LogisticRegression(), store=store)
    assert "used_before" not in codes(used(store=store))  # it was and stays the first


def test_other_design_data_are_another_use(tmp_path: Path) -> None:
    store = tmp_path / "test-set.db"
    used(store=store)
    made = assess(
        GaussianNB(), X[:60], Y[:60], method="holdout", metric="roc_auc", test=TEST, rng=0,
        store=store,
    )  # fmt: skip
    assert "used_before" in codes(made)


def test_another_test_set_does_not_fit_the_file(tmp_path: Path) -> None:
    from earnest.errors import StoreError

    store = tmp_path / "test-set.db"
    used(store=store)
    with pytest.raises(StoreError, match="cases"):
        used(store=store, test=(X[90:], Y[90:]))


def test_the_design_set_is_no_test_set() -> None:
    with pytest.raises(EvidenceError, match="is the training set"):
        used(test=DESIGN)
    with pytest.raises(EvidenceError, match="is the training set"):
        used(test=(DESIGN[0].copy(), DESIGN[1]))


@pytest.mark.parametrize(
    ("test", "said"),
    [(X[80:], "pair|(X_test, y_test)"), ((X[80:], Y[:3]), "do not match"), ((X[80:],), "pair")],
)
def test_what_is_no_test_set_is_refused(test: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        used(test=test)


def test_a_label_that_training_does_not_know_is_refused() -> None:
    with pytest.raises(InputError, match=r"design set lacks.*cases of 0, 1.*got 7"):
        used(test=(X[80:], np.full(40, 7)))


def test_a_test_set_of_one_class_is_refused_before_any_fit() -> None:
    fits = []

    class Watched(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            fits.append(1)
            return super().fit(X, y)

    ones = Y[80:] == 1
    with pytest.raises(InputError, match="lacks a class of the design set"):
        used(Watched(), test=(TEST[0][ones], TEST[1][ones]))
    assert fits == []


def test_numbers_are_scored_too() -> None:
    y = X @ [1.0, 2.0]
    made = assess(
        Ridge(), X[:80], y[:80], method="holdout", metric="r2", test=(X[80:], y[80:]), rng=0
    )
    assert made.value > 0.9


def test_test_cases_that_were_trained_on_are_told_of() -> None:
    design = np.random.default_rng(3).normal(size=(40, 3))
    y = np.tile([0, 1], 20)
    for shared, told in ((0, False), (4, True)):
        test = np.vstack(
            [design[:shared], np.ones((8 - shared, 3)) * np.arange(8 - shared)[:, None]]
        )
        ask = {"method": "holdout", "metric": "accuracy", "rng": 0, "test": (test, y[:8])}
        made = assess(GaussianNB(), design, y, **ask)
        words = [caution.what for caution in made.cautions if caution.kind == "shared_test_rows"]
        assert bool(words) is told
    assert words[0].startswith("4 of 8 test cases")
    few = np.repeat(design[:10], 4, axis=0)  # where rows come again, equal ones are no news
    made = assess(GaussianNB(), few, y, **{**ask, "test": (few[:8] + 0.0, y[:8])})
    assert "shared_test_rows" not in {caution.kind for caution in made.cautions}


def test_a_test_set_may_lack_a_class_that_its_metric_does_not_need() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 4
    test = rng.normal(size=(9, 2)), np.arange(9) % 3
    made = assess(GaussianNB(), X, y, method="holdout", metric="accuracy", test=test, rng=0)
    right = GaussianNB().fit(X, y).predict(test[0]) == test[1]
    assert made.value == pytest.approx(right.mean())
    with pytest.raises(InputError, match=r"lacks a class.*got no 3"):
        assess(GaussianNB(), X, y, method="holdout", metric="roc_auc_ovr", test=test)
