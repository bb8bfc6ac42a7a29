"""A report is about the winner that a search delivers, whatever is asked beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

import earnest as en
from earnest.reporting import ask_all, material_from


def choose_second(results: dict[str, Any]) -> int:
    return int(np.argsort(results["mean_test_score"], kind="stable")[-2])


def test_seed_resamples_and_method_leave_the_winner_of_the_search() -> None:
    rng = np.random.default_rng(0)  # noise: no configuration knows anything
    X, y = rng.standard_normal((60, 5)), np.tile([0, 1], 30)
    grid = {"C": [0.01, 0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}
    search = en.SearchCV(
        SVC(), grid, refit=choose_second, scoring="roc_auc", cv=3, n_resamples=100, random_state=0
    ).fit(X, y)
    name, material = f"c{search.best_index_}", material_from(search)
    assert en.estimate(search.predictions_, metric="roc_auc", rng=0).winner != name
    for options in ({}, {"rng": 3}, {"n_resamples": 50}, {"method": "tibshirani"}):
        estimate = ask_all(material, explanation=False, **options).estimate
        assert estimate is not None
        assert estimate.winner == name, options
    again = ask_all(material, explanation=False, rng=0, n_resamples=100).estimate
    assert again is not None
    assert again.to_dict() == search.estimate_.to_dict()
