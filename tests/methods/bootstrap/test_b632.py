"""The .632 bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=10)
    pairs = metric in ("roc_auc", "concordance")
    outside = oracles.star(made, score) if pairs else oracles.loob(made, score)
    expected = 0.368 * oracles.apparent(made, score) + 0.632 * outside
    answer = en.estimate(made, method=".632", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)


def test_a_nearest_neighbour_on_noise_is_flattered() -> None:
    # Training score 1, and one half left out: .368 + .632 / 2 (Breiman et al. 1984). Seed 3.
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((200, 3)), np.tile([0, 1], 100)
    made = en.bootstrap_train(KNeighborsClassifier(1), X, y, n_replicates=50, rng=0)
    inside, outside = (
        en.estimate(made, method=method, metric="accuracy").value for method in (".632", ".632+")
    )
    assert inside == pytest.approx(0.684, abs=0.08)  # 0.632 * two standard errors of 200 cases
    assert outside == pytest.approx(0.5, abs=0.14)


def test_any_metric_has_a_value() -> None:
    made = example_replicates("binary", n_cases=40)
    train, outside, both = (
        en.estimate(made, method=m, metric="average_precision").value
        for m in ("apparent", "err_star", ".632")
    )
    assert both == pytest.approx(0.368 * train + 0.632 * outside, abs=EXACT)


def test_its_standard_error_is_scaled_as_the_distance_from_the_best() -> None:
    made = example_replicates("regression")
    loob, mixed = (en.estimate(made, method=m, metric="mse") for m in ("loob", "b632"))
    expected = loob.standard_error * mixed.value / loob.value  # a loss: the best is 0
    assert mixed.standard_error == pytest.approx(expected, rel=1e-12)
    assert "EN086" in {caution.code for caution in mixed.cautions}
