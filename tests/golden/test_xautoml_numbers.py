"""Regions, their quality and the sampling bias agree with the authors' own code (paper 001)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.papers.moosbauer2021.thinned_splits import (
    PublishedGrowth,
    find_published_split_of,
    list_split_points,
)
from earnest.explanation import (
    Node,
    best_split,
    discrepancy,
    grow,
    mean_confidence,
    negative_log_likelihood,
    optimum_confidence,
)

HERE = Path(__file__).parent
PUBLISHED: dict[str, Any] = json.loads((HERE / "xautoml.json").read_text(encoding="utf-8"))
AGREES = 1e-9  # the file has 12 digits


def table(name: str) -> np.ndarray:
    with (HERE / f"xautoml_{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return np.array(rows, dtype=np.float64)


POINTS, SDS, GRID = table("testdata"), table("ice_sd"), table("grid")[:, 0]
OTHERS = POINTS[:, 1:]  # x1 is plotted
OWN_SD = 0.9 * (POINTS[:, 1] > 1.26) + 0.35 * (POINTS[:, 2] < -0.3) + 0.05 * POINTS[:, 3]
IMPURITIES = {
    "SS_L2": SDS,
    "SS_area": SDS.mean(axis=1, keepdims=True),
    "SS_sd": OWN_SD[:, None],
}


def curves(name: str, column: int) -> np.ndarray:
    """Return long rows as (points, grid)."""
    return table(name)[:, column].reshape(len(GRID), len(POINTS)).T


@pytest.mark.parametrize("name", IMPURITIES)
def test_the_tree_is_the_published_one(name: str) -> None:
    growth = PublishedGrowth(depth=3)
    nodes = grow(IMPURITIES[name], OTHERS, [False] * 3, growth)
    for depth, level in enumerate(PUBLISHED[name]):
        theirs = level if isinstance(level, list) else list(level.values())
        ours = [node for node in nodes if node.depth == depth]
        assert len(ours) == len(theirs)
        for node, expected in zip(ours, theirs, strict=True):
            assert node.rows.tolist() == expected["idx0"]
            assert (node.split is None) == (expected["split_feature"] is None)
            if node.split is not None:
                assert f"x{node.split.column + 2}" == expected["split_feature"]
                assert node.split.threshold == pytest.approx(expected["split_value"], abs=AGREES)
                assert node.impurity == pytest.approx(expected["objective"], abs=AGREES)


@pytest.mark.parametrize("column", [0, 1, 2])
def test_candidates_and_the_best_of_each_column_are_the_published_ones(column: int) -> None:
    expected = PUBLISHED["root_candidates"][f"x{column + 2}"]
    found = list_split_points(OTHERS[:, column])
    np.testing.assert_allclose(found, expected, atol=AGREES)
    best = PUBLISHED["root_L2_per_feature"][column]
    split = find_published_split_of(Node.of(SDS), OTHERS[:, column], column)
    assert split is not None
    assert split.threshold == pytest.approx(best["split"], abs=AGREES)
    assert split.impurity == pytest.approx(best["objective"], abs=AGREES)


def test_our_search_finds_the_optimum_that_the_published_one_misses() -> None:
    split = best_split(SDS, OTHERS, [False] * 3)
    expected = PUBLISHED["exhaustive_root_optimum"]
    assert split is not None
    assert f"x{split.column + 2}" == expected["f"]
    assert split.threshold == pytest.approx(expected["s"], abs=AGREES)
    assert split.impurity == pytest.approx(expected["v"], abs=AGREES)
    assert int(split.goes_left(OTHERS[:, split.column]).sum()) == expected["nl"]
    assert split.impurity < PUBLISHED["search_vs_applied"]["objective_search"]


def test_the_discrepancy_is_the_published_one() -> None:
    moved = POINTS[30:].copy()
    moved[:, 1] = 0.3 * moved[:, 1] - 2
    found = discrepancy(POINTS[:30], moved)
    assert found.biased == pytest.approx(PUBLISHED["mmd2"]["mmd"], abs=AGREES)
    assert found.biased**2 == pytest.approx(PUBLISHED["mmd2"]["mmd2"], abs=AGREES)


@pytest.mark.parametrize("node", ["root", "depth2", "depth3", "depth4"])
def test_confidence_and_likelihood_are_the_published_ones(node: str) -> None:
    expected = PUBLISHED["eval_measures"][node]
    rows = expected.get("idx0", list(range(len(POINTS))))
    means, sds = curves("ice_mean_sd", 1), curves("ice_mean_sd", 2)
    np.testing.assert_allclose(sds, SDS, atol=AGREES)
    mean, truth = means[rows].mean(axis=0), curves("ice_groundtruth", 1)[rows].mean(axis=0)
    sd = np.sqrt((sds[rows] ** 2).mean(axis=0))
    optimum = PUBLISHED["eval_measures"]["optimum"]["x1"]
    assert len(GRID) * mean_confidence(sd) == pytest.approx(expected["conf.diff"], abs=AGREES)
    assert optimum_confidence(sd, GRID, optimum) == pytest.approx(
        expected["conf.diff.opt.1"], abs=AGREES
    )
    assert negative_log_likelihood(truth, mean, sd) == pytest.approx(
        expected["neg_loglik"], abs=AGREES
    )
