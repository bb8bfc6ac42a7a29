"""Curves on a grid are the curves of rows, weighted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from earnest.inference import GRID, CurvePoints, curve_points, roc_points

EXACT = 1e-12
HALF_STEP = 0.5 * (GRID[1] - GRID[0])


def a_sample(seed: int, n: int = 40, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    positive = np.arange(n) % 3 == 0
    scores = positive + rng.standard_normal(n)
    return positive, scores if levels is None else np.round(scores * levels) / levels


def slow_roc(positive: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Walk down the thresholds, and take at each grid point the highest point of the line."""
    points = [(0.0, 0.0)]
    for cut in sorted(set(scores.tolist()), reverse=True):
        over = scores >= cut
        points.append((float(over[~positive].mean()), float(over[positive].mean())))
    heights = []
    for x in GRID:
        best = 0.0
        for (a, b), (c, d) in pairwise(points):
            if a - 1e-12 <= x <= c + 1e-12:
                best = max(best, d if c == a else b + (d - b) * min((x - a) / (c - a), 1.0))
        heights.append(best)
    return np.array(heights)


def slow_precision(positive: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Take at each recall the precision of the first threshold that reaches it."""
    found = []
    for cut in sorted(set(scores.tolist()), reverse=True):
        over = scores >= cut
        found.append((float(over[positive].mean()), float(positive[over].mean())))
    wanted = np.maximum(GRID, 1e-9)
    return np.array([next(p for r, p in found if r >= x - 1e-11) for x in wanted])


@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_curves_equal_the_plain_walk_on_repeated_rows(seed: int, levels: int | None) -> None:
    positive, scores = a_sample(seed, levels=levels)
    counts = np.random.default_rng(seed).integers(0, 3, (4, 40)).astype(np.uint8)
    made = curve_points(positive, scores, counts)
    for b, count in enumerate(counts):
        y, s = np.repeat(positive, count), np.repeat(scores, count)
        np.testing.assert_allclose(made.roc[b], slow_roc(y, s), atol=1e-9)
        np.testing.assert_allclose(made.precision[b], slow_precision(y, s), atol=EXACT)
        assert made.auc[b] == pytest.approx(roc_auc_score(y, s), abs=EXACT)
        assert made.ap[b] == pytest.approx(average_precision_score(y, s), abs=EXACT)


def test_the_curve_passes_through_the_points_of_scikit_learn() -> None:
    positive = np.tile([True, False], 200)
    scores = positive + np.random.default_rng(5).standard_normal(400)
    false, true, _ = roc_curve(positive, scores, drop_intermediate=False)
    made = curve_points(positive, scores, np.ones((1, 400), dtype=np.uint8))
    for x, height in zip(GRID, made.roc[0], strict=True):  # 1/200 is a step of 200 negatives
        assert height == pytest.approx(true[np.isclose(false, x)].max(), abs=EXACT)


def test_the_area_under_the_grid_errs_by_half_a_step_at_most() -> None:
    positive, scores = a_sample(3, n=90)
    made = curve_points(positive, scores, np.ones((1, 90), dtype=np.uint8))
    area = np.trapezoid(made.roc[0], GRID)
    assert abs(area - made.auc[0]) <= HALF_STEP + EXACT  # of a rising function from 0 to 1


def test_a_class_without_weight_leaves_the_curve_undefined() -> None:
    positive, scores = a_sample(0)
    made = curve_points(positive, scores, np.stack([positive, ~positive]).astype(np.uint8))
    for values in (made.auc, made.ap, made.roc, made.precision):
        assert np.isnan(values).all()


def test_constant_scores_are_the_diagonal_and_the_prevalence() -> None:
    positive, _ = a_sample(0)
    made = curve_points(positive, np.zeros(40), np.ones((1, 40), dtype=np.uint8))
    np.testing.assert_allclose(made.roc[0], GRID, atol=EXACT)
    np.testing.assert_allclose(made.precision[0], positive.mean(), atol=EXACT)
    assert made.auc[0] == 0.5


def test_the_mean_of_curves_is_undefined_where_one_is() -> None:
    positive, scores = a_sample(0)
    weights = np.stack([np.ones(40), positive]).astype(np.uint8)
    both = CurvePoints.mean([curve_points(positive, s, weights) for s in (scores, -scores)])
    assert both.auc[0] == pytest.approx(0.5, abs=EXACT)
    assert np.isnan(both.auc[1])


@pytest.mark.parametrize("levels", [None, 2])
def test_the_roc_curve_alone_is_that_of_both(levels: int | None) -> None:
    positive, scores = a_sample(5, n=60, levels=levels)
    weights = np.random.default_rng(6).integers(0, 3, (20, 60)).astype(np.uint8)
    weights[0], weights[1] = 0, weights[1] * positive  # nobody, and one class only
    both = curve_points(positive, scores, weights)
    area, curve = roc_points(positive, scores, weights)
    np.testing.assert_allclose(area, both.auc, atol=EXACT)
    np.testing.assert_allclose(curve, both.roc, atol=EXACT)
    assert np.isnan(area[:2]).all()
    assert not np.isnan(area[2:]).any()


def test_large_weights_do_not_overflow() -> None:
    positive, scores = a_sample(7, n=400)
    weights = np.full((1, 400), 255, dtype=np.uint8)
    area, _ = roc_points(positive, scores, weights)
    assert area[0] == pytest.approx(roc_auc_score(positive, scores), abs=EXACT)
