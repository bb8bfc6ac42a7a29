"""Means by a judge with labels of people beside those of three packages, and of PPI's formula."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en

GOLDEN: dict[str, Any] = json.loads(Path(__file__).with_name("judged.json").read_text())
PACKAGES = ("truescore", "ppi-python", "evalstats")
NORMAL = 1.959964


def read_case(case: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    judge = np.array(case["judge"], dtype=float)
    human = np.full(len(judge), np.nan)
    human[case["labelled"]] = case["human"]
    return judge, human


def estimate_by_formula(
    judge: NDArray[np.float64], human: NDArray[np.float64]
) -> tuple[float, float]:
    """The power-tuned estimate of Angelopoulos, Duchi and Zrnic, and its standard error."""
    labelled = np.isfinite(human)
    y, f, others = human[labelled], judge[labelled], judge[~labelled]
    n, rest = len(y), len(others)
    power = np.cov(y, f, ddof=0)[0, 1] / ((1 + n / rest) * np.var(judge, ddof=1))
    power = float(np.clip(power, 0, 1))
    value = power * others.mean() + (y - power * f).mean()
    variance = power**2 * others.var(ddof=1) / rest + (y - power * f).var(ddof=1) / n
    return float(value), float(np.sqrt(variance))


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_the_formula_is_that_of_truescore_and_ppi_python(case: dict[str, Any]) -> None:
    value, error = estimate_by_formula(*read_case(case))
    point, low, high = case["truescore"]
    assert value == pytest.approx(point, abs=1e-10)
    assert 2 * NORMAL * error == pytest.approx(high - low, rel=1e-6)
    assert value == pytest.approx(case["ppi-python"][0], abs=1e-10)


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_marks_have_the_mean_and_the_error_of_ppi(case: dict[str, Any]) -> None:
    judge, human = read_case(case)
    value, error = estimate_by_formula(judge, human)
    marks = en.Scores(judge, human=human).values[:, 0, 0]
    spread = marks.std(ddof=1) / np.sqrt(len(marks))
    # lambda is fitted without an item and shrunk: of second order beside the error
    assert abs(marks.mean() - value) < 0.15 * error
    assert spread == pytest.approx(error, rel=0.05)


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_the_interval_of_one_configuration_is_nearly_that_of_others(
    case: dict[str, Any], package: str
) -> None:
    judge, human = read_case(case)
    interval = en.estimate(en.Scores(judge, human=human), rng=0).interval
    point, low, high = case[package]
    assert interval.low < point < interval.high
    assert 0.95 < (interval.high - interval.low) / (high - low) < 1.25
