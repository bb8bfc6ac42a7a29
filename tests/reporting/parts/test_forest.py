"""What the heading over all methods may say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.reporting import ask_all
from earnest.reporting.parts.forest import methods_of
from earnest.reporting.parts.headings import METHODS_AGREE, METHODS_DISAGREE
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.source import material_of_predictions
from earnest.results import Estimate


@pytest.fixture(scope="module")
def found() -> Results:
    """Every method on ten configurations of 120 cases; seed 5."""
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], 60)
    scores = y[:, None] + 1.2 * rng.standard_normal((120, 10))
    pi = en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5)
    material = material_of_predictions(pi, "roc_auc", "table")
    return ask_all(material, n_resamples=200, rng=0, explanation=False)


def with_value(found: Results, method: str, value: float) -> Results:
    """The same with another value of a method, which then has no interval."""
    assert found.table is not None

    def moved(one: Estimate) -> Estimate:
        return replace(one, value=value, interval=None) if one.method == method else one

    return replace(found, table=replace(found.table, estimates=tuple(map(moved, found.table))))


def test_the_range_of_a_heading_holds_every_corrected_value_of_its_group(found: Results) -> None:
    made = found.estimate
    assert made is not None
    assert made.interval is not None
    assert found.table is not None
    beside = next(
        one.method
        for one in found.table
        if one.estimand == made.estimand and one.method != made.method and one.method != "naive"
    )
    far, inside = made.interval.high + 0.05, 0.5 * (made.value + made.interval.high)
    for value, form in ((far, METHODS_DISAGREE), (inside, METHODS_AGREE)):
        part = methods_of(with_value(found, beside, value))
        assert part is not None
        group = next(
            group for group in part.groups if any(row.kind == "honest" for row in group.rows)
        )
        known = [float(row.value) for row in group.rows if row.value.startswith("0")]
        assert max(known) == pytest.approx(value, abs=0.005)  # two places are printed
        words = part.heading.split(": ")
        assert words[0] == form.split(": ")[0]
        assert [float(word) for word in words[1].split(" to ")] == [min(known), max(known)]
