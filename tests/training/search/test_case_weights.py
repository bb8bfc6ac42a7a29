"""A search with sample weights: fit, scores and estimate count them alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV

import earnest as en

RNG = np.random.default_rng(4)
X = RNG.standard_normal((120, 4))
Y = (RNG.random(120) < 1.0 / (1.0 + np.exp(-X[:, 0]))).astype(int)
COUNTS = RNG.integers(1, 4, 120)
WEIGHTS = RNG.lognormal(0.0, 0.8, 120)
GRID = {"C": [0.01, 1.0]}


def search(weights: str = "importance", **more: object) -> en.SearchCV:
    settings: dict[str, object] = {"scoring": "roc_auc", "cv": 3, "n_resamples": 50} | more
    return en.SearchCV(LogisticRegression(), GRID, weights=weights, random_state=1, **settings)  # type: ignore[arg-type]


def test_scores_are_those_of_grid_search_and_the_estimate_is_of_weighted_cases() -> None:
    ours = search().fit(X, Y, sample_weight=WEIGHTS)
    theirs = GridSearchCV(LogisticRegression(), GRID, scoring="roc_auc", cv=3)
    theirs.fit(X, Y, sample_weight=WEIGHTS)
    assert np.allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    result = ours.estimate_
    pi = ours.predictions_
    winner = pi.configs.ids.index(str(result.winner))
    assert result.naive == pytest.approx(
        roc_auc_score(Y, pi.responses[:, winner, 0], sample_weight=WEIGHTS)
    )
    assert result.weighting is not None
    assert "search_weighted" not in {caution.kind for caution in result.cautions}


def test_frequencies_give_the_value_of_repeated_rows() -> None:
    result = search("frequency").fit(X, Y, sample_weight=COUNTS)
    assert result.predictions_.n_cases == COUNTS.sum()
    weighted = search().fit(X, Y, sample_weight=COUNTS).estimate_
    assert result.estimate_.naive == pytest.approx(weighted.naive, rel=1e-12)
    assert result.estimate_.n_cases == COUNTS.sum()


def test_equal_weights_change_no_bit_where_the_learner_fits_alike() -> None:
    plain = search().fit(X, Y).estimate_
    equal = search("survey").fit(X, Y, sample_weight=np.ones(120)).estimate_
    assert equal.to_dict(draws=True) == plain.to_dict(draws=True)


def test_earnest_s_metrics_score_with_weights_too() -> None:
    result = search(scoring="ks").fit(X, Y, sample_weight=WEIGHTS)
    assert result.estimate_.weighting is not None
    brier = search(scoring="brier").fit(X, Y, sample_weight=WEIGHTS)
    theirs = GridSearchCV(LogisticRegression(), GRID, scoring="neg_brier_score", cv=3)
    theirs.fit(X, Y, sample_weight=WEIGHTS)
    assert brier.best_score_ == pytest.approx(theirs.best_score_)


def test_by_metadata_routing_the_scorer_s_request_decides() -> None:
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        for scored in (True, False):
            scorer = get_scorer("roc_auc").set_score_request(sample_weight=scored)
            result = en.SearchCV(
                model, GRID, scoring=scorer, metric="roc_auc", cv=3, n_resamples=50, random_state=1
            ).fit(X, Y, sample_weight=WEIGHTS)
            kinds = {caution.kind for caution in result.estimate_.cautions}
            assert (result.estimate_.weighting is not None) is scored
            assert ("search_weighted" in kinds) is not scored


@pytest.mark.parametrize("kind", ["survey", "frequency"])
def test_the_file_of_a_run_keeps_the_weights(kind: str, tmp_path: Path) -> None:
    store = tmp_path / "run.db"
    result = search(kind, store=store).fit(X, Y, sample_weight=COUNTS)
    again = en.predictions_from(store)
    assert again.fingerprint == result.predictions_.fingerprint
