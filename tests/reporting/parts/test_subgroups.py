"""The section on subgroups: a forest plot with words that a manager reads, names escaped."""

from __future__ import annotations

import re

import numpy as np
import pytest

import earnest as en
from earnest.results import Report

HOSTILE = "<script>alert(1)</script>|*_"


@pytest.fixture(scope="module")
def report() -> Report:
    """Twelve cases of a third of the levels are too few; the second half is guessed."""
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 200)
    site = np.repeat(["good", HOSTILE], 200).astype(object)
    site[:6] = None
    score = np.where(np.arange(400) < 200, 3.0, 0.0) * (y - 0.5) + rng.standard_normal(400)
    scores = score[:, None] + 0.3 * rng.standard_normal((400, 4))
    pi = en.Predictions.from_arrays(
        y, 1 / (1 + np.exp(-scores)), np.arange(400) // 2 % 5, by={"site": site}
    )
    return en.report(pi, metric="roc_auc", n_resamples=200, explain=False)


def test_every_subgroup_has_a_row_with_its_strip(report: Report) -> None:
    part = report.content.subgroups
    assert part is not None
    assert len(part.rows) == len(part.rates) == 3
    assert [row.kind for row in part.rows] == ["worse", "better", "other"]
    assert [row.interval for row in part.rows][-1] == "too few cases"
    assert all(row.strip is not None for row in part.rows)
    data = report.content.results["subgroups"]
    assert data["worse"] == [f"site = {HOSTILE}"]


def test_names_are_escaped_in_every_form(report: Report) -> None:
    page = report.to_html()
    section = page[page.index('<section id="subgroups"') :]
    section = section[: section.index("</section>")]
    assert "<script" not in section
    assert section.count("<tr class=") == 3
    assert re.search(r"(?<!\\)<script", report.to_markdown()) is None
    rows = [line for line in report.to_markdown().splitlines() if line.startswith("| site = ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows[:3]} == {8}


def test_predictions_without_columns_have_no_section() -> None:
    pi = en.Predictions.from_arrays(np.tile([0, 1], 20), np.linspace(0, 1, 40)[:, None])
    report = en.report(pi, metric="accuracy", explain=False)
    assert report.content.subgroups is None
    assert 'id="subgroups"' not in report.to_html()
