"""Kept predictions of cv functions, with models that stand in for those of the tools.

tests/extras/test_boosters.py holds the same class to the tools themselves.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

import earnest as en
from earnest.errors import InputError

N = 40
X = np.random.default_rng(5).standard_normal((N, 2))
Y = np.tile([0, 1], N // 2)


class Rows:
    """A model that answers each row by its first number, or for several classes."""

    def __init__(self, classes: int = 1, loss: str = "Logloss") -> None:
        self.classes, self.loss, self.asked = classes, loss, {}

    def predict(self, data: Any, **options: Any) -> Any:
        self.asked = options
        share = 1 / (1 + np.exp(-np.asarray(data)[:, 0]))
        return np.column_stack([1 - share, share]) if self.classes == 2 else share

    def get_all_params(self) -> dict[str, str]:
        return {"loss_function": self.loss}


def shares() -> Any:
    return 1 / (1 + np.exp(-X[:, 0]))


def answers(kept: en.BoosterFolds) -> Any:
    return kept.predictions().responses[:, 0, 0]


def test_every_case_has_the_answer_of_the_model_that_did_not_see_it() -> None:
    kept = en.BoosterFolds(Y, 4, X=X)
    kept.catboost([Rows(2) for _ in range(4)], {"depth": 2})
    np.testing.assert_allclose(answers(kept), shares())
    assert kept.predictions().configs.params == ({"depth": 2},)
    assert [len(test) for _, test in kept.folds] == [10, 10, 10, 10]


def test_lightgbm_predicts_with_the_best_iteration_and_says_that_it_stopped() -> None:
    kept = en.BoosterFolds(Y, 2, X=X)
    keep = kept.lightgbm(name="a")
    models = [Rows(), Rows()]
    keep(SimpleNamespace(model=SimpleNamespace(boosters=models, best_iteration=7)))
    np.testing.assert_allclose(answers(kept), shares())
    assert models[0].asked == {"num_iteration": 7}
    assert [c.kind for c in kept.predictions().remarks] == ["stopped_on_tests"]
    assert keep.order < 30  # before LightGBM's early stopping, which ends the calls


@pytest.mark.parametrize(("best", "asked"), [(None, (0, 0)), ("4", (0, 5))])
def test_xgboost_predicts_the_test_part_of_each_fold(
    monkeypatch: pytest.MonkeyPatch, best: str | None, asked: tuple[int, int]
) -> None:
    module, callback = ModuleType("xgboost"), ModuleType("xgboost.callback")
    callback.TrainingCallback = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xgboost", module)
    monkeypatch.setitem(sys.modules, "xgboost.callback", callback)
    kept = en.BoosterFolds(Y, 4)
    models = [Rows() for _ in kept.folds]
    parts = [
        SimpleNamespace(bst=model, dtest=X[test])
        for model, (_, test) in zip(models, kept.folds, strict=True)
    ]
    keep: Any = kept.xgboost(name="a")
    keep.after_training(SimpleNamespace(cvfolds=parts, attr=lambda name: best))
    np.testing.assert_allclose(answers(kept), shares())
    assert models[0].asked == {"iteration_range": asked}
    assert [c.kind for c in kept.predictions().remarks] == (["stopped_on_tests"] if best else [])


def test_lightgbm_keeps_stages_of_all_rounds_and_needs_no_caution() -> None:
    kept = en.BoosterFolds(Y, 4, X=X)
    models = [Rows() for _ in kept.folds]
    for model in models:
        model.current_iteration = lambda: 12  # type: ignore[attr-defined]
    keep = kept.lightgbm({"eta": 0.1}, name="a", stages=3)
    keep(SimpleNamespace(model=SimpleNamespace(boosters=models, best_iteration=7)))  # type: ignore[arg-type]
    pi = kept.predictions()
    assert pi.configs.ids == ("a@4", "a@8", "a@12")
    assert pi.configs.params[1] == {"eta": 0.1, "num_boost_round": 8}
    assert models[0].asked == {"num_iteration": 12}
    assert pi.remarks == ()


def test_a_regression_has_no_classes() -> None:
    kept = en.BoosterFolds(X[:, 1], KFold(4), X=X)
    models = [Rows(loss="RMSE") for _ in range(4)]
    kept.catboost(models)
    assert kept.predictions().target.task == "regression"
    assert models[0].asked == {"prediction_type": "RawFormulaVal"}


def test_groups_stay_together_and_whole_numbers_need_no_strata() -> None:
    groups = np.arange(N) // 4
    kept = en.BoosterFolds(Y, 5, groups=groups)
    assert all(not set(groups[a]) & set(groups[b]) for a, b in kept.folds)
    assert len(en.BoosterFolds(np.arange(N), 5).folds) == 5


def test_what_was_proposed_by_scores_is_said_to_be() -> None:
    kept = en.BoosterFolds(Y, 2, X=X)
    kept.catboost([Rows(2), Rows(2)])
    assert kept.predictions().configs.static
    assert not kept.predictions(static=False).configs.static


def few_folds(kept: en.BoosterFolds) -> None:
    kept.catboost([Rows(2)])


def same_name(kept: en.BoosterFolds) -> None:
    for _ in range(2):
        kept.catboost([Rows(2), Rows(2)], name="a")


def never_called(kept: en.BoosterFolds) -> None:
    kept.lightgbm(name="a")
    kept.predictions()


def other_folds(kept: en.BoosterFolds) -> None:
    keep = kept.lightgbm()
    boosters = [SimpleNamespace(predict=lambda data, **_: np.zeros(3))] * 2
    keep(SimpleNamespace(model=SimpleNamespace(boosters=boosters, best_iteration=-1)))
    kept.predictions()


@pytest.mark.parametrize(
    ("act", "found"),
    [
        (lambda kept: kept.predictions(), "no call"),
        (few_folds, "another number of folds"),
        (same_name, "already a configuration 'a'"),
        (never_called, "has no predictions"),
        (other_folds, "tested on other folds"),
        (lambda kept: en.BoosterFolds(Y, 2).lightgbm(), "needs the features"),
        (lambda kept: en.BoosterFolds(Y, [([0], [1, 2]), ([1], [2, 3])]), "exactly once"),
        (lambda kept: en.BoosterFolds(Y, [([0], [1, 99])]), "do not exist"),
        (lambda kept: en.BoosterFolds([], 2), "not a column"),
        (lambda kept: en.BoosterFolds(Y, 1), "folds"),
    ],
)
def test_what_cannot_be_right_is_refused(act: Any, found: str) -> None:
    with pytest.raises(InputError, match=found):
        act(en.BoosterFolds(Y, 2, X=X))
