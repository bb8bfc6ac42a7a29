"""Verdicts of a gate are wrong as rarely as stated, over a grid; minutes."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from benchmarks.gate.flips import RESULTS, judge_pairs
from tests.decision.populations import answer_items, make_scores

ALPHA = 0.05


def allowed(count: int, rate: float = ALPHA) -> float:
    """The rate and three binomial standard errors, as a number of simulations."""
    return count * (rate + 3 * math.sqrt(rate * (1 - rate) / count))


def test_the_published_rates_are_those_of_the_file_and_keep_the_level() -> None:
    with RESULTS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["cell"] for row in rows} == {"rerun", "at the margin", "seed"}
    for row in rows:
        reps = int(row["reps"])
        if row["cell"] == "seed":
            assert int(row["changed"]) <= 0.1 * 4 * reps  # the stated share
            continue
        assert int(row["pass"]) + int(row["fail"]) + int(row["undecided"]) == reps
        assert int(row["fail"]) <= allowed(reps)
        if row["cell"] == "at the margin" or not float(row["margin"]):
            assert int(row["pass"]) <= allowed(reps)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_a_rerun_of_the_same_system_fails_as_rarely_as_stated(n: int, margin: float) -> None:
    found = judge_pairs(n, margin, 0.0, 1500)
    assert found["fail"] <= allowed(1500)
    if not margin:
        assert found["pass"] <= allowed(1500)


@pytest.mark.slow
@pytest.mark.parametrize("agreement", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("count", [1, 5, 30])
def test_the_best_of_many_at_its_bound_passes_as_rarely_as_stated(
    agreement: float, count: int
) -> None:
    """Equal configurations, so that the truth of the chosen one is known."""
    reps, found = 400, Counter[str]()
    for seed in range(reps):
        rng = np.random.default_rng([21, count, round(10 * agreement), seed])
        table = make_scores(answer_items(rng, 150, [0.7] * count, agreement))
        found[en.gate(table, above=0.7).outcome] += 1
    assert found["pass"] <= allowed(reps)
    assert found["fail"] <= allowed(reps)


@pytest.mark.slow
def test_ten_looks_at_a_bound_pass_together_as_rarely_as_one(tmp_path: Path) -> None:
    reps, any_passed = 100, 0
    for seed in range(reps):
        rng = np.random.default_rng([22, seed])
        values = answer_items(rng, 150, [0.7] * 10, 0.3)
        passed = [
            en.gate(make_scores(values[:, at], f"v{at}"), above=0.7, ledger=tmp_path / f"{seed}.db")
            for at in range(10)
        ]
        any_passed += any(one.passed for one in passed)
    assert any_passed <= allowed(reps)
