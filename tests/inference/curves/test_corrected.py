"""The curve beside the estimate has the estimate's area, from the estimate's own resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate, metric
from earnest.core import Seeds
from earnest.errors import EvidenceError
from earnest.inference import GRID, ResampledSelection, curve_points
from earnest.inference.curves import corrected as module
from earnest.inference.curves.corrected import Curves, enough, mean_curves, no_curves
from earnest.methods import BBC
from earnest.resampling import every_class_on_both_sides
from earnest.rules import MeanOfFolds, Pooled
from earnest.testing import example_predictions
from tests.methods import oracles

EXACT = 1e-12
HALF_STEP = 0.5 * (GRID[1] - GRID[0])


def curves_of(pi: Predictions, name: str = "roc_auc", **knobs: object) -> tuple[Curves, object]:
    made = estimate(pi, method=BBC(n_resamples=120, **knobs), metric=name, rng=7)
    return mean_curves(pi, metric(name), made.winner or 0, ResampledSelection.of(made)), made


def in_repeats(seed: int = 0, groups: bool = False) -> Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], 30)
    scores = y[:, None, None] + 1.5 * rng.standard_normal((60, 4, 3))
    fold = np.stack([rng.permutation(60) % 5 for _ in range(3)], axis=1)
    unit = np.arange(60) // 3 if groups else None
    return Predictions.from_arrays(y, scores, fold, groups=unit)


def test_the_curves_equal_the_plain_loop(binary: Predictions) -> None:
    y, scores = binary.target.y, binary.responses[:, :, 0].astype(float)
    counts = oracles.counts_of(binary, 120, 7, every_class_on_both_sides(binary.target))
    draws, best = oracles.bbc(y, scores, counts, oracles.auc)
    each = [
        curve_points(y == 1, scores[:, c], (count == 0).astype(np.uint8)[None])
        for count, c in zip(counts, best, strict=True)
    ]
    found, _ = curves_of(binary)
    np.testing.assert_allclose(found.roc.mean, np.mean([e.roc[0] for e in each], axis=0))
    drawn = np.sort([e.precision[0] for e in each], axis=0)
    np.testing.assert_allclose(found.precision_recall.mean, drawn.mean(axis=0))
    np.testing.assert_allclose(found.precision_recall.low, drawn[3])  # 2.5 % of 120
    np.testing.assert_allclose(found.precision_recall.high, drawn[116])
    assert found.roc.area == pytest.approx(draws.mean(), abs=EXACT)


@pytest.mark.parametrize(
    ("pi", "knobs"),
    [
        (example_predictions("binary", seed=3), {}),
        (example_predictions("binary", seed=3, response="decision"), {}),
        (example_predictions("binary", seed=4), {"undefined": "stratify"}),
        (example_predictions("binary", seed=5, n_cases=24), {"undefined": "drop"}),
        (in_repeats(), {}),
        (in_repeats(groups=True), {}),
    ],
)
def test_the_areas_are_the_estimate_and_the_naive_score(
    pi: Predictions, knobs: dict[str, str]
) -> None:
    found, made = curves_of(pi, **knobs)
    assert found.roc.area == pytest.approx(made.value, abs=EXACT)
    pooled = en.kernels.score_table(pi, "roc_auc", np.ones((1, pi.n_cases)))[0]
    winner = pi.configs.index(made.winner)
    assert found.roc.own_area == pytest.approx(pooled[winner], abs=EXACT)
    drawn = np.trapezoid(found.roc.mean, found.roc.x)
    assert made.draws is not None
    mean = np.nanmean(made.draws)  # which of groups still depends on the part that is left out
    assert abs(drawn - mean) <= HALF_STEP + EXACT  # of a rising function from 0 to 1


def test_the_average_precision_is_the_area_under_the_other_curve(binary: Predictions) -> None:
    found, made = curves_of(binary, "average_precision")
    assert found.precision_recall.area == pytest.approx(made.value, abs=EXACT)
    assert found.precision_recall.own_area == pytest.approx(made.naive, abs=EXACT)
    drawn = np.trapezoid(found.precision_recall.mean, GRID)
    # Sampling 200 steps of a curve whose rises and falls sum to about 3 errs by 3 / 400 at most.
    assert made.draws is not None
    assert drawn == pytest.approx(np.nanmean(made.draws), abs=3 * HALF_STEP)


def test_another_metric_chooses_other_winners(binary: Predictions) -> None:
    found, made = curves_of(binary, "accuracy")
    seeds = ResampledSelection.of(made)
    by_auc = estimate(binary, method=BBC(n_resamples=120), metric="roc_auc", rng=7)
    assert found.roc.area != by_auc.value
    assert found.roc.n_resamples <= seeds.n_resamples


def test_a_wider_band_holds_a_narrower_one(binary: Predictions) -> None:
    selection = ResampledSelection.of(estimate(binary, metric="roc_auc", rng=1))
    wide, narrow = (
        mean_curves(binary, metric("roc_auc"), 0, selection, confidence_level=level).roc
        for level in (0.99, 0.8)
    )
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    assert (narrow.low <= narrow.high).all()


def test_the_choosing_of_an_estimate_is_read_from_its_provenance(binary: Predictions) -> None:
    made = estimate(binary, method=BBC(n_resamples=77, undefined="drop"), metric="roc_auc", rng=9)
    found = ResampledSelection.of(made)
    assert (found.seeds.entropy, found.n_resamples) == (9, 77)
    assert found.undefined == "drop"
    assert type(found.selector) is Pooled
    folds = estimate(
        binary, method=BBC(n_resamples=9, selector="mean_of_folds"), metric="accuracy", rng=0
    )
    assert type(ResampledSelection.of(folds).selector) is MeanOfFolds


def test_a_method_that_draws_nothing_lends_its_seed_alone(binary: Predictions) -> None:
    made = estimate(binary, method="naive", metric="roc_auc", rng=3)
    found = ResampledSelection.of(made)
    assert (found.seeds.entropy, found.n_resamples) == (3, 1000)


def test_an_estimate_of_other_predictions_is_refused(binary: Predictions) -> None:
    other = example_predictions("binary")
    made = estimate(other, metric="roc_auc", n_resamples=50, rng=1)
    with pytest.raises(EvidenceError, match="cannot be drawn again"):
        mean_curves(binary, metric("roc_auc"), 0, ResampledSelection.of(made))


def test_a_choice_that_is_not_known_by_its_name_is_refused_where_it_chose_otherwise() -> None:
    class Last:
        name = "last"
        by_fold = False

        def __call__(self, gains: np.ndarray, order: np.ndarray) -> np.ndarray:
            return np.full(gains.shape[1], gains.shape[2] - 1)

    pi = example_predictions("binary")
    made = estimate(pi, method=BBC(n_resamples=40, selector=Last()), metric="roc_auc", rng=1)
    with pytest.raises(EvidenceError, match="known by name"):
        mean_curves(pi, metric("roc_auc"), made.winner or 0, ResampledSelection.of(made))


def test_the_first_resamples_of_many_are_those_of_the_estimate(
    binary: Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 100)
    made = estimate(binary, metric="roc_auc", n_resamples=300, rng=1)
    found = mean_curves(binary, metric("roc_auc"), made.winner or 0, ResampledSelection.of(made))
    assert made.draws is not None
    assert found.roc.area == pytest.approx(made.draws[:100].mean(), abs=EXACT)
    assert found.roc.n_resamples == 100


def test_many_cases_need_fewer_resamples() -> None:
    assert enough(100, 1000) == 1000
    assert enough(100, 100_000) == module.MOST
    assert enough(10_000_000, 1000) == module.LEAST
    assert enough(10_000_000, 50) == 50


def test_untested_cases_and_incomplete_configurations_are_left_out() -> None:
    y = np.tile([0, 1], 20)
    scores = np.random.default_rng(0).random((40, 3)) + 0.3 * y[:, None]
    fold = np.repeat([0, 1, 2, -1], 10)
    scores[fold == -1] = np.nan
    scores[fold == 0, 2] = np.nan
    pi = Predictions.from_arrays(y, scores, fold, configs=["a", "b", "c"])
    found, made = curves_of(pi)
    assert found.roc.area == pytest.approx(made.value, abs=EXACT)


@pytest.mark.parametrize("task", ["multiclass", "regression", "survival"])
def test_what_has_no_two_classes_has_no_curve(task: str) -> None:
    pi = example_predictions(task)
    assert no_curves(pi)
    with pytest.raises(EvidenceError, match="no curve"):
        mean_curves(pi, metric("roc_auc"), 0, ResampledSelection(Seeds(0)))


def test_an_estimate_without_its_knobs_is_refused(binary: Predictions) -> None:
    made = en.estimate(binary, metric="roc_auc", n_resamples=50, rng=0)
    for knobs in ({}, {"n_resamples": "many", "undefined": "redraw"}, {"n_resamples": 50}):
        told = replace(made, provenance=replace(made.provenance, knobs=knobs))
        with pytest.raises(EvidenceError, match="resamples"):
            ResampledSelection.of(told)
