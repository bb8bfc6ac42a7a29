"""ROC curves by class: each is the plain loop, and their mean has the area of the estimate."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate, metric
from earnest.core import Seeds
from earnest.errors import EvidenceError
from earnest.inference import GRID, ResampledSelection, class_curves
from earnest.inference.curves import corrected as module
from earnest.inference.curves.corrected import no_class_curves

EXACT = 1e-9  # sums of a few thousand numbers of order one


def several(n: int = 90, classes: int = 3, configs: int = 4, seed: int = 3) -> Predictions:
    """Scores of unlike skill for every class; the first configuration is the best."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    skill = np.linspace(1.5, 0.2, configs)[None, :, None]
    scores = (y[:, None, None] == np.arange(classes)) * skill
    scores = np.exp(scores + rng.standard_normal((n, configs, classes)))
    scores /= scores.sum(axis=-1, keepdims=True)
    return Predictions.from_arrays(y, scores[:, :, None, :], np.arange(n) // classes % 5)


def slow_auc(positive: np.ndarray, scores: np.ndarray) -> float:
    """Count the pairs that are in order, ties by half."""
    a, b = scores[positive], scores[~positive]
    return float(np.mean((a[:, None] > b) + 0.5 * (a[:, None] == b)))


def test_the_mean_over_classes_has_the_area_of_the_estimate() -> None:
    pi = several()
    made = estimate(pi, metric="roc_auc_ovr", n_resamples=150, rng=1)
    found = class_curves(pi, metric("roc_auc_ovr"), made.winner or 0, ResampledSelection.of(made))
    assert found.mean.area == pytest.approx(made.value, abs=EXACT)
    assert found.mean.own_area == pytest.approx(made.naive, abs=EXACT)
    assert found.mean.area_limits == pytest.approx(
        (made.interval.low, made.interval.high), abs=EXACT
    )
    areas = [one.area for one in found.classes]
    assert np.mean(areas) == pytest.approx(found.mean.area, abs=EXACT)
    np.testing.assert_allclose(
        np.mean([one.mean for one in found.classes], axis=0), found.mean.mean, atol=EXACT
    )


def test_the_winners_own_areas_are_those_of_pairs_counted_by_hand() -> None:
    pi = several(n=60)
    made = estimate(pi, metric="accuracy", n_resamples=50, rng=0)
    found = class_curves(pi, metric("accuracy"), made.winner or 0, ResampledSelection.of(made))
    column = pi.configs.index(made.winner or 0)
    for k, one in enumerate(found.classes):
        by_hand = slow_auc(pi.target.y == k, pi.responses[:, column, 0, k])
        assert one.own_area == pytest.approx(by_hand, abs=1e-12)
        assert (np.diff(one.mean) >= -1e-12).all()
        assert one.low[0] <= one.mean[0] <= one.high[0]
        assert one.mean[-1] == 1.0


def test_areas_are_the_mean_over_resamples_of_winners_chosen_in_bag() -> None:
    pi = several(n=45, configs=2, seed=8)
    made = estimate(pi, metric="accuracy", n_resamples=40, rng=4)
    found = class_curves(pi, metric("accuracy"), made.winner or 0, ResampledSelection.of(made))
    table = module.draw_scores(
        pi,
        metric("accuracy"),
        ResampledSelection.of(made),
        lambda best, _, outside: np.array(
            [
                [slow_auc(pi.target.y[w > 0] == k, pi.responses[w > 0, c, 0, k]) for k in range(3)]
                for c, w in zip(best, outside, strict=True)
            ]
        ),
        columns=3,
    )
    for k, one in enumerate(found.classes):
        assert one.area == pytest.approx(table[:, 2 + k].mean(), abs=EXACT)


def test_repeats_are_averaged_and_never_pooled() -> None:
    pi = several(n=60, seed=5)
    twice = np.repeat(pi.responses, 2, axis=2)
    twice[:, :, 1] = twice[:, :, 1] ** 3  # another scale, the same order within a class
    folds = np.repeat(pi.folds, 2, axis=1)
    both = Predictions.from_arrays(pi.target.y, twice, folds, response="decision")
    how = ResampledSelection(Seeds(0), n_resamples=30)
    one, two = (
        class_curves(each, metric("roc_auc_ovr"), 0, how)
        for each in (
            Predictions.from_arrays(pi.target.y, pi.responses, pi.folds, response="decision"),
            both,
        )
    )
    assert two.mean.own_area == pytest.approx(one.mean.own_area, abs=EXACT)


@pytest.mark.parametrize("kind", ["labels", "binary", "many"])
def test_what_has_no_curves_says_why(kind: str) -> None:
    y = np.arange(60) % (2 if kind == "binary" else 3)
    if kind == "labels":
        pi = Predictions.from_arrays(y, y[:, None], task="multiclass", response="label")
    elif kind == "binary":
        pi = Predictions.from_arrays(y, y[:, None] * 0.5)
    else:
        pi = several(n=124, classes=31, configs=1)
    said = {"labels": "labels, not scores", "binary": "several classes", "many": "up to 30"}
    assert said[kind] in str(no_class_curves(pi))
    with pytest.raises(EvidenceError, match="no curves to draw"):
        class_curves(pi, metric("accuracy"), 0, ResampledSelection(Seeds(0)))


def test_ten_classes_one_of_them_rare() -> None:
    pi = several(n=200, classes=10, configs=3)
    made = en.estimate(pi, metric="accuracy", n_resamples=60, rng=0)
    found = class_curves(pi, metric("accuracy"), made.winner or 0, ResampledSelection.of(made))
    assert len(found.classes) == len(found.names) == 10
    assert found.by_area[0] == int(np.argmin([one.area for one in found.classes]))
    assert found.mean.x is GRID
