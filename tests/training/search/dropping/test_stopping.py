"""Ending the folds once the interval is narrow enough."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.papers.paraschakis2024.as_published import PublishedBBC
from earnest import Predictions, estimate
from earnest.core import Seeds
from earnest.errors import InputError
from earnest.training import StopWhenWidth, read_stopping, warn_of_stopping


def so_far(done: int, *, n: int = 200, configs: int = 4, seed: int = 0) -> Predictions:
    """Ten folds of which so many were run."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    fold = np.arange(n) // 2 % 10
    scores = y[:, None] + rng.standard_normal((n, configs))
    scores[fold >= done] = np.nan
    return Predictions.from_arrays(y, scores, fold, response="decision")


def test_the_width_is_that_of_the_estimate_on_what_there_is() -> None:
    pi = so_far(6)
    found = StopWhenWidth(0.1).test(pi, "roc_auc", Seeds(7), round=6)
    interval = estimate(pi, metric="roc_auc", rng=7).interval
    assert interval is not None
    assert found.width == interval.width
    assert found.n_cases == 120


def test_it_stops_at_the_width_and_not_above() -> None:
    pi = so_far(6)
    width = StopWhenWidth(1.0).test(pi, "roc_auc", Seeds(7), round=6).width
    assert StopWhenWidth(width).test(pi, "roc_auc", Seeds(7), round=6).stop
    assert not StopWhenWidth(0.999 * width).test(pi, "roc_auc", Seeds(7), round=6).stop


def test_the_level_counts() -> None:
    pi = so_far(6)
    wide = StopWhenWidth(1.0, confidence_level=0.99).test(pi, "roc_auc", Seeds(7), round=6)
    narrow = StopWhenWidth(1.0, confidence_level=0.5).test(pi, "roc_auc", Seeds(7), round=6)
    assert narrow.width < wide.width


def test_no_look_before_enough_cases() -> None:
    early = StopWhenWidth(1.0).test(so_far(2), "roc_auc", Seeds(0), round=2)
    assert (early.stop, early.n_cases) == (False, 40)
    assert np.isnan(early.width)
    eager = StopWhenWidth(1.0, min_predictions=40)
    assert eager.test(so_far(2), "roc_auc", Seeds(0), round=2).stop


def test_leave_one_out_is_looked_at_fifty_times() -> None:
    y = np.tile([0, 1], 50)
    scores = y[:, None] + np.random.default_rng(0).standard_normal((100, 2))
    rule, looked = StopWhenWidth(1.0, min_predictions=2, n_resamples=20), []
    for done in range(60, 66):
        part = np.where(np.arange(100)[:, None] < done, scores, np.nan)
        pi = Predictions.from_arrays(y, part, np.arange(100), response="decision")
        found = rule.test(pi, "accuracy", Seeds(0), round=done)
        looked.append((found.n_cases, found.stop))
    assert looked == [(60, True), (0, False), (62, True), (0, False), (64, True), (0, False)]


def test_a_width_of_nothing_stops_nothing() -> None:
    y = np.tile([0, 1], 50)
    pi = Predictions.from_arrays(y, y[:, None] + np.zeros((100, 2)), np.arange(100) // 2 % 5)
    published = StopWhenWidth(0.5, method=PublishedBBC())
    found = published.test(pi, "roc_auc", Seeds(0), round=1)
    assert (found.width, found.stop) == (0.0, False)
    # Else a perfect sample has the width that the law of an AUC gives it: 0.024.
    assert StopWhenWidth(0.05).test(pi, "roc_auc", Seeds(0), round=1).stop
    assert not StopWhenWidth(0.02).test(pi, "roc_auc", Seeds(0), round=1).stop


def test_a_class_that_is_missing_so_far_stops_nothing() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((120, 2))
    scores[60:] = np.nan
    pi = Predictions.from_arrays(
        np.repeat([0, 1], 60), scores, np.arange(120) // 60, response="decision"
    )
    assert not StopWhenWidth(1.0).test(pi, "roc_auc", Seeds(0), round=1).stop


def test_nothing_complete_stops_nothing() -> None:
    y = np.tile([0, 1], 30)
    scores = np.full((60, 1), np.nan)
    pi = Predictions.from_arrays(y, scores, np.arange(60) % 3, response="decision")
    found = StopWhenWidth(1.0).test(pi, "roc_auc", Seeds(0), round=1)
    assert (found.stop, found.n_cases) == (False, 0)


def test_the_result_depends_on_the_seed_alone() -> None:
    pi = so_far(6)
    rule = StopWhenWidth(0.1)
    one = rule.test(pi, "roc_auc", Seeds(7), round=6, n_jobs=1)
    assert rule.test(pi, "roc_auc", Seeds(7), round=6, n_jobs=2) == one
    assert rule.test(pi, "roc_auc", Seeds(8), round=6) != one


@pytest.mark.parametrize("width", [0, -0.1, np.nan, np.inf, True, "0.1"])
def test_a_width_that_is_none_is_refused(width: object) -> None:
    with pytest.raises(InputError, match="`stop_when_width`"):
        StopWhenWidth(width)  # type: ignore[arg-type]


def test_bad_knobs_are_refused() -> None:
    with pytest.raises(InputError, match="confidence_level"):
        StopWhenWidth(0.1, confidence_level=95)
    with pytest.raises(InputError, match="min_predictions"):
        StopWhenWidth(0.1, min_predictions=1)
    with pytest.raises(InputError, match="`round`"):
        StopWhenWidth(0.1).test(so_far(6), "roc_auc", Seeds(0), round=0)


def test_a_method_without_an_interval_is_refused() -> None:
    with pytest.raises(InputError, match="gives an interval"):
        StopWhenWidth(0.1, method="naive")


def test_widths_and_rules_are_resolved() -> None:
    mine = StopWhenWidth(0.2, confidence_level=0.9)
    assert read_stopping(None) is None
    assert read_stopping(mine) is mine
    assert read_stopping(0.2, confidence_level=0.9) == mine


def test_stopping_is_told() -> None:
    (told,) = warn_of_stopping(StopWhenWidth(0.1), 4, 10)
    assert told.kind == "folds_stopped"
    assert "4 of 10" in told.what
    assert list(warn_of_stopping(StopWhenWidth(0.1), 10, 10)) == []
    assert list(warn_of_stopping(None, 4, 10)) == []


def test_a_method_may_be_typed_with_its_knobs() -> None:
    assert StopWhenWidth(0.1, method="delong(variant='logit')").method == "delong(variant='logit')"
    with pytest.raises(InputError, match="has no option `varian`"):
        StopWhenWidth(0.1, method="delong(varian='logit')")
