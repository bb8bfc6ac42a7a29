"""DeLong's interval for the best of the top tenth."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from earnest import DeLong, DeLong10p, Predictions, estimate
from earnest.core.results.interval import AreaLimits
from earnest.core.results.specs import Estimand, Selection, Side
from earnest.testing import example_predictions
from tests.methods.split.test_delong import by_pairs, codes


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=240, n_configs=40)


def test_the_bad_end_is_read_at_sidaks_level_and_the_other_is_not(pi: Predictions) -> None:
    learn = np.random.default_rng(5).random(240) < 0.75
    made = estimate(pi, method=DeLong10p(learn=learn), metric="roc_auc")
    m = len(made.details.candidates)
    assert m == 4
    best = pi.configs.index(str(made.winner))
    area, error = by_pairs(pi.target.y[~learn], pi.responses[~learn, best, 0])
    z = NormalDist().inv_cdf
    assert made.interval is not None
    low, high = area - z((1 - 0.025) ** (1 / m)) * error, area + z(0.975) * error
    counts = int(pi.target.y[~learn].sum()), int((1 - pi.target.y[~learn]).sum())
    perfect = AreaLimits(1.0, *counts).limits((1 - 0.025) ** (1 / m), Side.LOWER)[0]
    low = min(low, perfect)  # no better than one without an error
    assert (made.interval.low, made.interval.high) == pytest.approx((low, min(high, 1)), abs=1e-9)
    assert made.standard_error == pytest.approx(error, abs=1e-12)


def test_the_elected_is_the_best_of_the_candidates_on_the_evaluation_part(pi: Predictions) -> None:
    learn = np.random.default_rng(5).random(240) < 0.75
    made = estimate(pi, method=DeLong10p(learn=learn), metric="roc_auc")
    areas = {
        name: by_pairs(pi.target.y[~learn], pi.responses[~learn, pi.configs.index(name), 0])[0]
        for name in made.details.candidates
    }
    assert made.value == max(areas.values())
    assert made.winner == made.details.candidates[0] == max(areas, key=areas.__getitem__)
    assert made.estimand == Estimand.CHOSEN_ON_EVALUATION
    assert made.selection is Selection.BOUND_ONLY


def test_with_one_candidate_it_is_delong() -> None:
    few = example_predictions("binary", n_cases=120, n_configs=6)
    plain, elected = (
        estimate(few, method=method, metric="roc_auc", rng=2) for method in (DeLong(), DeLong10p())
    )
    assert elected.interval == plain.interval
    assert elected.winner == plain.winner
    assert elected.selection is Selection.CORRECTED


def test_one_model_is_evaluated_whole(pi: Predictions) -> None:
    one = pi.select(0)
    made = estimate(one, method="delong_10p", metric="roc_auc")
    assert made.interval == estimate(one, method="delong", metric="roc_auc").interval


def test_perfect_separation_is_bounded_at_sidaks_level() -> None:
    y = np.tile([0, 1], 40)
    scores = np.tile(y[:, None], (1, 5)) + 0.0
    made = estimate(
        Predictions.from_arrays(y, scores, np.arange(80) // 2 % 4),
        method="delong_10p",
        metric="roc_auc",
        side="lower",
        rng=0,
    )
    assert made.interval is not None
    sidak = 1 - 0.95 ** (1 / 5)  # all five tie, and ties are kept
    law = AreaLimits(1.0, 10, 10).limits(1 - sidak, Side.LOWER)[0]
    assert made.interval.low == pytest.approx(law, abs=1e-9)
    assert "area_without_spread" in codes(made)
