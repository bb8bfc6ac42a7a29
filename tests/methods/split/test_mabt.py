"""MABT as a method; its numbers are held in the tests of tilts and in tests/golden."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.core import Estimand, Selection
from earnest.methods import MABT, DeLong, Tilted
from earnest.testing import example_predictions
from tests.methods.split.test_delong import codes
from tests.methods.split.test_tilted import ends

LEARN = tuple(bool(m) for m in np.arange(300) // 3 % 3 != 1)


@pytest.fixture(scope="module")
def pi() -> Predictions:
    return example_predictions("binary", n_cases=300, n_configs=30)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy", "brier"])
def test_it_elects_as_the_10p_variants_and_bounds_below_the_unadjusted(
    pi: Predictions, metric: str
) -> None:
    made = estimate(pi, method=MABT(learn=LEARN), metric=metric, rng=0, side="pessimistic")
    elected = estimate(pi, method=Tilted(preselect=0.1, learn=LEARN), metric=metric, rng=0)
    alone = estimate(
        pi.select(str(made.winner)),
        method=Tilted(learn=LEARN),
        metric=metric,
        rng=0,
        side="pessimistic",
    )
    assert made.winner == elected.winner
    assert made.details.candidates == elected.details.candidates
    bad = 1 if metric == "brier" else 0
    sign = -1 if metric == "brier" else 1
    assert sign * ends(made)[bad] < sign * ends(alone)[bad]
    good = "lower" if metric == "brier" else "upper"
    assert ends(made.at(side=good)) == pytest.approx(ends(alone.at(side=good)), abs=1e-9)
    assert made.estimand == Estimand.CHOSEN_ON_EVALUATION
    assert made.selection is Selection.BOUND_ONLY


def test_copies_of_one_configuration_are_hardly_adjusted_for() -> None:
    # Ten copies rise and fall together: MABT sees one, Sidak ten. One part in 300, seed 0; the
    # tails of BT (half of ties) and MABT differ a little by definition.
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 150)
    score = y + rng.normal(size=300)
    pi = Predictions.from_arrays(y, np.tile(score[:, None], (1, 10)))
    made, sidak, one = (
        estimate(pi, method=method, metric="roc_auc", side="lower", rng=0)
        for method in (MABT(), Tilted(preselect=0.1), Tilted())
    )
    assert len(made.details.candidates) == 10
    assert ends(made)[0] == pytest.approx(ends(one)[0], abs=0.01)
    assert ends(sidak)[0] < ends(one)[0] - 0.03


def test_with_one_candidate_it_is_tilting() -> None:
    few = example_predictions("binary", n_cases=120, n_configs=6)
    made, plain = (estimate(few, method=m, metric="roc_auc", rng=2) for m in (MABT(), Tilted()))
    assert made.interval == plain.interval


def test_perfect_separation_falls_back_to_delong_at_sidaks_level() -> None:
    y = np.tile([0, 1], 40)
    pi = Predictions.from_arrays(y, np.tile(y[:, None], (1, 5)) + 0.0)
    made = estimate(pi, method="mabt", metric="roc_auc", side="lower", rng=0)
    other = estimate(pi, method=DeLong(preselect=0.1), metric="roc_auc", side="lower", rng=0)
    assert made.interval == other.interval
    assert [c.facts["candidates"] for c in made.cautions if c.kind == "no_tilt"] == [5]


def test_unbalanced_cases_say_that_the_bound_is_rough() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [36, 364])
    scores = 2.0 * y[:, None] + rng.normal(size=(400, 40))
    made = estimate(Predictions.from_arrays(y, scores), method="mabt", metric="roc_auc", rng=0)
    assert {"no_tilt", "few_under_tilt"} & codes(made)


@pytest.mark.parametrize("method", [Tilted, MABT])
def test_uncapped_the_bound_may_be_nearer_to_one_than_that_of_a_perfect_auc(
    method: type[Tilted] | type[MABT],
) -> None:
    y = np.repeat([0, 1], 20)
    score = y + np.linspace(0, 0.9, 40)
    score[19] = score[20] + 0.05  # one or two of 400 pairs are out of order
    near = Predictions.from_arrays(y, score)
    uncapped, ours = (
        estimate(near, method=method(variant=variant), metric="roc_auc", side="lower", rng=0)
        for variant in ("uncapped", None)
    )
    assert ends(uncapped)[0] > ends(ours)[0]
    far = example_predictions("binary", n_cases=300, n_configs=1)
    same = [
        ends(estimate(far, method=method(variant=variant), metric="roc_auc", rng=0))
        for variant in ("uncapped", None)
    ]
    assert same[0] == same[1]
