"""Bootstrap tilting for the best of the top tenth."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.core.results.specs import Estimand, Selection
from earnest.methods import Tilted, Tilted10p
from earnest.results import Estimate
from earnest.testing import example_predictions


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=300, n_configs=30)


def ends(made: Estimate) -> tuple[float, float]:
    assert made.interval is not None
    return made.interval.low, made.interval.high


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_the_bad_end_is_that_of_tilting_at_sidaks_level(pi: Predictions, metric: str) -> None:
    learn = tuple(bool(m) for m in np.arange(300) // 3 % 3 != 1)
    made = estimate(pi, method=Tilted10p(learn=learn), metric=metric, rng=0)
    m = len(made.details.candidates)
    assert m > 1
    one = pi.select(str(made.winner))
    alone = estimate(one, method=Tilted(learn=learn), metric=metric, rng=0)
    assert made.value == alone.value
    low = alone.at(confidence_level=(1 - 0.025) ** (1 / m), side="lower")
    assert ends(made)[0] == pytest.approx(ends(low)[0], abs=1e-9)
    assert ends(made)[1] == pytest.approx(ends(alone)[1], abs=1e-9)
    assert made.estimand == Estimand.CHOSEN_ON_EVALUATION
    assert made.selection is Selection.BOUND_ONLY


def test_with_one_candidate_it_is_tilting() -> None:
    few = example_predictions("binary", n_cases=120, n_configs=6)
    plain, elected = (
        estimate(few, method=method, metric="roc_auc", rng=2) for method in (Tilted(), Tilted10p())
    )
    assert elected.interval == plain.interval


def test_a_loss_is_adjusted_at_its_upper_end() -> None:
    pi = example_predictions("regression", n_cases=200, n_configs=30)
    learn = tuple(bool(m) for m in np.arange(200) // 3 % 3 != 1)
    made = estimate(pi, method=Tilted10p(learn=learn), metric="mae", rng=0)
    alone = estimate(pi.select(str(made.winner)), method=Tilted(learn=learn), metric="mae", rng=0)
    assert ends(made)[0] == pytest.approx(ends(alone)[0], abs=1e-9)
    assert ends(made)[1] > ends(alone)[1]
