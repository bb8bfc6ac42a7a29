"""The discrepancy tells an even spread from a narrow one, and where nobody looked."""

from __future__ import annotations

import json

import numpy as np
import pytest

import earnest as en
from earnest.explanation import discrepancy
from earnest.explanation.sampling_bias import (
    SamplingBias,
    list_hardly_tried,
    make_unit_rows,
    sampling_bias,
)
from tests.explanation.scenes import mixed, unit


def plain(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Both statistics as double sums."""
    rows = np.vstack([x, y])
    apart = [
        np.linalg.norm(rows[i] - rows[j]) for i in range(len(rows)) for j in range(i + 1, len(rows))
    ]
    width = np.median(apart)

    def k(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.exp(-((a - b) ** 2).sum() / (2 * width**2)))

    n, m = len(x), len(y)
    across = sum(k(a, b) for a in x for b in y) / (n * m)
    biased = sum(k(a, b) for a in x for b in x) / n**2 - 2 * across
    biased += sum(k(a, b) for a in y for b in y) / m**2
    unbiased = sum(k(x[i], x[j]) for i in range(n) for j in range(n) if i != j) / (n * (n - 1))
    unbiased += sum(k(y[i], y[j]) for i in range(m) for j in range(m) if i != j) / (m * (m - 1))
    return biased, unbiased - 2 * across


def test_both_statistics_are_their_double_sums() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((9, 3)), rng.random((13, 3)) ** 2
    found = discrepancy(x, y)
    biased, unbiased = plain(x, y)
    assert found.biased == pytest.approx(np.sqrt(biased))
    assert found.unbiased_squared == pytest.approx(unbiased)


def test_equal_points_are_no_distance_apart() -> None:
    assert discrepancy(np.ones((5, 2)), np.ones((4, 2))).biased == 0.0


def test_the_unbiased_square_is_zero_on_average_for_an_even_spread() -> None:
    # 200 pairs of samples of 20: the mean within 4 standard errors of 0
    rng = np.random.default_rng(1)
    drawn = [
        discrepancy(rng.random((20, 2)), rng.random((20, 2))).unbiased_squared for _ in range(200)
    ]
    assert abs(np.mean(drawn)) < 4 * np.std(drawn) / np.sqrt(200)
    assert min(drawn) < 0  # as an unbiased estimate of 0 must be, at times


def test_a_search_that_stays_in_a_corner_is_further_off_and_its_gaps_are_named() -> None:
    space = en.Space((unit("a"), en.Parameter(name="k", kind="categorical", choices=("x", "y"))))
    rng = np.random.default_rng(2)
    even = space.sample(500, rng)
    corner = space.sample(100, rng)
    corner[:, 0] *= 0.4
    corner[:, 1] = 0.0
    spread, biased = (
        sampling_bias(space, trials, even) for trials in (space.sample(100, rng), corner)
    )
    assert biased.overall.biased > 3 * spread.overall.biased
    assert biased.by_param["a"].biased > spread.by_param["a"].biased
    assert not any(spread.gaps.values())
    (gap,) = biased.gaps["a"]
    assert (gap.words, gap.n_trials) == ("above 0.4", 0)
    assert gap.expected == pytest.approx(60, abs=10)  # 4 sd of a binomial of 500, as 100 trials
    assert [each.words for each in biased.gaps["k"]] == ["y"]


def test_levels_are_one_apart_and_what_is_inactive_is_in_the_middle() -> None:
    space = mixed()
    rows = make_unit_rows(
        space,
        space.encode(
            [
                {"model": "svm", "C": 1.0, "scaling": "z", "share": 0.25},
                {"model": "linear", "scaling": "z", "share": 0.25},
            ]
        ),
    )
    assert np.linalg.norm(rows[0] - rows[1]) == pytest.approx(1.0)  # C = 1 is the middle of its log


def test_a_parameter_is_compared_where_it_is_active() -> None:
    space = mixed()
    rng = np.random.default_rng(3)
    found = sampling_bias(space, space.sample(200, rng), space.sample(1000, rng))
    assert set(found.by_param) == set(space.names)
    # biased V-statistic of about 67 active trials under the null: below 0.2 in 1000 simulations
    assert found.by_param["C"].biased < 0.2


def test_the_result_survives_json() -> None:
    space = en.Space((unit("a"), unit("b")))
    rng = np.random.default_rng(4)
    found = sampling_bias(space, 0.3 * space.sample(50, rng), space.sample(100, rng))
    again = SamplingBias.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again.to_dict() == found.to_dict()


def test_units_do_not_matter() -> None:
    big = en.Parameter(name="big", kind="float", low=0.0, high=1000.0)
    space = en.Space((unit("a"), big))
    rng = np.random.default_rng(5)
    trials, even = space.sample(40, rng), space.sample(500, rng)
    trials[:, 0] *= 0.1  # a is never tried beyond a tenth of its range
    found = sampling_bias(space, trials, even).overall
    natural = [np.column_stack([c[:, 0], 1000 * c[:, 1]]) for c in (trials, even)]
    assert discrepancy(*natural).biased < 0.5 * found.biased  # there large numbers outweigh
    same = sampling_bias(en.Space((unit("a"), unit("big"))), trials, even).overall
    assert found.biased == pytest.approx(same.biased)


def test_an_even_spread_has_few_gaps_by_chance() -> None:
    # 1000 parameters of 40 trials each: a part at 0.5 % chance, and ten parts that lean on each
    # other, so a few percent of parameters have a finding; 10 % leaves 4 standard errors of room
    space = en.Space((unit("a"),))
    rng = np.random.default_rng(6)
    even = rng.random(1000)
    found = [bool(list_hardly_tried(space, 0, rng.random(40), even)) for _ in range(1000)]
    assert np.mean(found) < 0.1
