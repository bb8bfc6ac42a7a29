"""Every step of `near_winner` against the reference of the study in which it was found.

`near_winner.json` has what the reference said of the same tables and the same Gaussian numbers.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earnest.core import AreaLimits, LossLimits, ShareLimits, Side
from earnest.core.results.interval import NearWinnerLimits, binormal_variance
from earnest.inference.limits.local_level import DRAWS, winner_errors
from earnest.inference.limits.winner_law import anscombe, pooled_trials

SAME = 1e-9
FOUND: dict[str, Any] = json.loads(
    (Path(__file__).parent / "near_winner.json").read_text(encoding="utf-8")
)
TAILS: list[float] = FOUND["tails"]


def read_digits(rows: list[str]) -> np.ndarray:
    return np.array([[int(digit) for digit in row] for row in rows])


@pytest.mark.parametrize("said", FOUND["levels"], ids=lambda said: f"seed {said['seed']}")
def test_the_local_level_is_that_of_the_reference(said: dict[str, Any]) -> None:
    assert FOUND["draws"] == DRAWS
    right = read_digits(said["right"]).T  # (n, C)
    n, configs = right.shape
    scores = right.mean(axis=0)
    table = read_digits(said["counts"]) @ right / n  # (B, C)
    steady, own = (anscombe(shares, np.full(configs, float(n))) for shares in (table, scores))
    rng = np.random.default_rng(said["seed"])
    winner = int(said["winner"])
    assert winner == own.argmax()
    law = winner_errors(steady, own, winner, rng)
    assert law.near.astype(int).tolist() == said["near"]
    expected = math.inf if said["trials"] is None else said["trials"]
    assert pooled_trials(scores, table, law.near) == pytest.approx(expected, rel=SAME)
    inner = ShareLimits(float(scores[winner]), n, exact=True)
    made = NearWinnerLimits(inner, float(scores[winner]), Side.LOWER, configs, law.errors)
    for tail, local, low, high in zip(TAILS, said["tail"], said["low"], said["high"], strict=True):
        assert made.local_tail(tail) == pytest.approx(local, abs=SAME)
        assert made.limits(1 - 2 * tail, Side.TWO_SIDED) == pytest.approx((low, high), abs=SAME)
        assert made.limits(1 - tail, Side.LOWER)[0] == pytest.approx(low, abs=SAME)


def hold(source: ShareLimits | AreaLimits | LossLimits, said: dict[str, Any]) -> None:
    """Hold both ends at all tails to those of the reference."""
    for tail, low, high in zip(TAILS, said["low"], said["high"], strict=True):
        ends = source.limits(1 - 2 * tail, Side.TWO_SIDED)
        assert ends == pytest.approx((low, high), rel=SAME, abs=SAME)


@pytest.mark.parametrize("said", FOUND["bounded"], ids=lambda said: f"{said['score']}")
def test_the_limits_of_a_share_are_those_of_the_reference(said: dict[str, Any]) -> None:
    hold(ShareLimits(said["score"], said["trials"], exact=True), said)


@pytest.mark.parametrize("said", FOUND["areas"], ids=lambda said: f"{said['area']}")
def test_the_limits_of_an_auc_are_those_of_the_reference(said: dict[str, Any]) -> None:
    area, sizes = said["area"], (said["positives"], said["negatives"])
    inside = min(max(area, 1e-6), 1 - 1e-6)
    variance = float(binormal_variance(np.array(inside), *sizes))
    assert variance == pytest.approx(said["variance"], rel=SAME)
    measured = said["delong"] > 0 and area < 1
    widening = max(1.0, said["delong"] / variance) if measured else 1.0
    trials = math.inf if said["trials"] is None else said["trials"]
    hold(AreaLimits(area, *sizes, widening, trials), said)


@pytest.mark.parametrize("said", FOUND["losses"], ids=lambda said: f"{said['mean']}")
def test_the_limits_of_a_mean_loss_are_those_of_the_reference(said: dict[str, Any]) -> None:
    hold(LossLimits(said["mean"], said["shape"]), said)
