"""The conservative Z interval: by formula, and at its edges."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import PairedHalves, Predictions, estimate
from earnest.errors import EvidenceError
from earnest.results import Estimate
from tests.methods.learners import halved_ridge
from tests.snapshots import Golden

HALVED = halved_ridge()


def mean_score(part: Predictions) -> float:
    each = []
    for j in range(part.n_repeats):
        rows = part.folds[:, j] == 0
        each.append(np.mean((part.responses[rows, 0, j] - part.target.y[rows]) ** 2))
    return float(np.mean(each))


def test_it_is_the_mean_of_splits_with_the_spread_of_halves() -> None:
    made = estimate(HALVED, method="conservative_z", metric="mse")
    apart = [mean_score(a) - mean_score(b) for a, b in HALVED.halves]
    assert made.value == pytest.approx(mean_score(HALVED.whole), rel=1e-12)
    expected = np.sqrt(np.sum(np.square(apart)) / (2 * len(apart)))
    assert made.standard_error == pytest.approx(expected, rel=1e-12)
    assert len(made.details.pairs) == 5


def test_any_metric_is_taken_and_limits_survive_json() -> None:
    made = estimate(HALVED, method="conservative_z", metric="r2")
    assert made.interval is not None
    assert made.provenance.fingerprint == HALVED.fingerprint
    assert Estimate.from_dict(made.to_dict()).at(side="lower") == made.at(side="lower")


def test_cases_that_random_splits_left_untested_are_no_caution() -> None:
    made = estimate(HALVED, method="conservative_z", metric="mse")
    assert "EN013" not in {c.code for c in made.cautions}
    assert made.n_cases == 60


def test_few_halvings_are_told_of() -> None:
    few = PairedHalves(HALVED.whole, HALVED.halves[:2])
    made = estimate(few, method="conservative_z", metric="mse")
    assert "EN018" in {c.code for c in made.cautions}


def test_halves_that_share_a_case_or_are_missing_are_refused() -> None:
    with pytest.raises(EvidenceError, match="same cases"):
        PairedHalves(HALVED.whole, ((HALVED.halves[0][0], HALVED.halves[0][0]),))
    with pytest.raises(EvidenceError, match="no halves"):
        PairedHalves(HALVED.whole, ())


def test_predictions_alone_are_refused_with_the_way_to_train() -> None:
    with pytest.raises(EvidenceError, match="assess"):
        estimate(HALVED.whole, method="conservative_z", metric="mse")


def test_a_metric_that_no_test_set_defines_is_refused(golden: Golden) -> None:
    y = np.r_[np.zeros(30), np.ones(30)].astype(int)
    scores, codes = np.full((60, 1, 2), np.nan), np.full((60, 2), -1)
    scores[:5, 0, 0], codes[:5, 0] = 0.5, 0
    scores[5:10, 0, 1], codes[5:10, 1] = 0.5, 0
    whole = Predictions.from_arrays(y, scores, codes)
    other = np.roll(scores, 30, axis=0)
    second = Predictions.from_arrays(y, other, np.roll(codes, 30, axis=0))
    with golden.raises(EvidenceError):
        estimate(PairedHalves(whole, ((whole, second),)), method="conservative_z", metric="roc_auc")


def test_halves_that_are_all_alike_get_the_rule_of_three() -> None:
    y = np.tile([0, 1], 30)
    scores, codes = np.full((60, 1, 1), np.nan), np.full((60, 1), -1)
    scores[:10, 0, 0], codes[:10, 0] = y[:10], 0
    first = Predictions.from_arrays(y, scores, codes)
    second = Predictions.from_arrays(y, np.roll(scores, 30, 0), np.roll(codes, 30, 0))
    made = estimate(
        PairedHalves(first, ((first, second),)), method="conservative_z", metric="accuracy"
    )
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025 ** (1 / 10), abs=1e-9)
    assert "EN035" in {c.code for c in made.cautions}
