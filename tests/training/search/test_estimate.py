"""What an estimate is of where the search's winner is not the one of the resamples' rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.svm import SVC

import earnest as en
from earnest import SearchCV
from earnest.core import Evidence
from earnest.methods import METHODS, methods_for
from earnest.training import get_record
from tests.snapshots import Golden

RNG = np.random.default_rng(0)  # noise: no configuration knows anything
X, Y = RNG.standard_normal((60, 5)), np.tile([0, 1], 30)
GRID = {"C": np.logspace(-2, 3, 4).tolist(), "gamma": np.logspace(-3, 2, 5).tolist()}


def worst(results: dict[str, Any]) -> int:
    return int(np.argmin(results["mean_test_score"]))


def second(results: dict[str, Any]) -> int:
    return int(np.argsort(results["mean_test_score"], kind="stable")[-2])


def searched(refit: Any, **knobs: Any) -> Any:
    knobs = {"scoring": "roc_auc", "random_state": 0, "n_resamples": 100, "cv": 3, **knobs}
    return SearchCV(SVC(), GRID, refit=refit, **knobs).fit(X, Y)


def told(search: Any) -> dict[str, str]:
    return {caution.code: str(caution) for caution in search.estimate_.cautions}


def test_no_winner_is_said_to_be_better_than_its_own_score() -> None:
    search = searched(True)
    for chosen in range(0, 20, 3):
        made = replace(get_record(search).question, best=chosen).answer(search.predictions_)
        assert made.winner == f"c{chosen}"
        assert made.value <= made.naive
        assert made.interval.low <= made.value <= made.interval.high
        assert made.n_configs == 20


def test_a_winner_chosen_by_a_rule_of_ones_own_is_judged_by_itself() -> None:
    search = searched(worst)
    name = f"c{search.best_index_}"
    alone = en.estimate(search.predictions_.select(name), metric="roc_auc", n_resamples=100, rng=0)
    by_rule = en.estimate(search.predictions_, metric="roc_auc", n_resamples=100, rng=0)
    assert by_rule.value > alone.naive  # which the winner cannot be said to reach
    assert search.estimate_.value == min(alone.value, alone.naive)
    assert search.estimate_.interval == alone.interval
    assert search.estimate_.naive == alone.naive
    assert f"not that of {by_rule.winner}" in told(search)["EN014"]
    assert f"The choice of {name} among 20 configurations" in told(search)["EN022"]
    assert "EN015" not in told(search)


def test_a_loss_is_compared_in_its_own_direction() -> None:
    def dullest(results: dict[str, Any]) -> int:
        return int(np.argmin(results["mean_test_score"]))  # the greatest loss

    made = searched(dullest, scoring="error_rate").estimate_
    assert made.value >= made.naive
    assert "EN022" in {caution.code for caution in made.cautions}


def test_remarks_on_the_other_winner_are_left_out_or_made_anew(golden: Golden) -> None:
    search = searched(second)
    pi, made = search.predictions_, search.estimate_
    by_rule = en.estimate(pi, metric="roc_auc", n_resamples=100, rng=0)
    assert made.value == by_rule.value < made.naive < by_rule.naive
    golden.check_sentence(told(search)["EN014"], "no better than")
    assert made.optimism_error is None  # which is that of the gap of another winner
    assert ("EN001" in told(search)) is made.flattered is False
    assert by_rule.optimism_error is not None
    assert "EN005" not in told(search)


def test_ties_of_the_other_winner_are_not_told_of() -> None:
    twins = {"C": [1.0, 1.0, 0.001]}
    knobs = {"scoring": "roc_auc", "random_state": 0, "n_resamples": 50}
    usual = SearchCV(SVC(), twins, **knobs).fit(X, Y)
    assert "EN005" in told(usual)
    other = SearchCV(SVC(), twins, refit=lambda results: 2, **knobs).fit(X, Y)
    assert usual.estimate_.winner == "c0"
    assert "EN005" not in told(other)


def test_every_method_answers_for_a_winner_that_it_would_not_choose() -> None:
    search = SearchCV(SVC(), {"C": [0.01, 1.0, 10.0]}, scoring="roc_auc", random_state=0).fit(X, Y)
    pi, question = search.predictions_, replace(get_record(search).question, n_resamples=None)
    for method in methods_for(Evidence.OUT_OF_SAMPLE):
        if METHODS[method].spec.one_learner:  # which is about no choice
            continue
        usual = en.estimate(pi, metric="roc_auc", method=method, rng=0)
        for chosen in range(3):
            made = replace(question, method=method, best=chosen).answer(pi)
            other = usual.winner != f"c{chosen}"
            assert made.winner == f"c{chosen}"
            assert made.naive is not None
            assert other == ("EN014" in {caution.code for caution in made.cautions}), method
            assert not other or made.value <= made.naive
