"""A report on scores of two classes says what to expect at every threshold."""

from __future__ import annotations

import re

import numpy as np
import pytest

import earnest as en
from earnest.core import show_cut
from earnest.reporting import SECTIONS
from earnest.testing import example_predictions


@pytest.fixture(scope="module")
def pi() -> en.Predictions:
    """Twelve configurations of equal skill, a third of the cases positive; seed 3."""
    rng = np.random.default_rng(3)
    y = (np.arange(120) % 3 == 0).astype(int)
    scores = 1 / (1 + np.exp(1 - 1.4 * y[:, None] - rng.standard_normal((120, 12))))
    return en.Predictions.from_arrays(y, scores, np.arange(120) // 3 % 5)


@pytest.fixture(scope="module")
def report(pi: en.Predictions) -> en.results.Report:
    return en.report(pi, metric="roc_auc", n_resamples=150, explain=False)


def test_the_part_holds_every_row_of_the_result_on_the_resamples_of_the_estimate(
    pi: en.Predictions, report: en.results.Report
) -> None:
    results = report.content.results
    made = en.results.Thresholds.from_dict(results["thresholds"])
    seed = results["estimate"]["seed"]
    assert made == en.thresholds(pi, metric="roc_auc", n_resamples=150, rng=seed)
    part = report.content.thresholds
    assert part is not None
    assert [row.threshold for row in part.rows] == [show_cut(t) for t in made.thresholds]
    assert part.rows[part.start].threshold == "0.5"
    assert part.rows[part.start].cells[0][0] == f"{made.at(0.5).sensitivity.value:.2f}"
    assert part.positions[0] == 0.0
    assert part.positions[-1] == 1.0
    assert 5 <= sum(row.short for row in part.rows) <= 9
    assert len(part.choices) == 3


def test_the_page_reads_without_script_and_its_slider_has_a_name(report: en.results.Report) -> None:
    page = report.to_html()
    ids = [name for name, _ in SECTIONS]
    assert ids.index("curves") < ids.index("thresholds") < ids.index("computed")
    assert page.index('id="curves"') < page.index('id="thresholds"') < page.index('id="audit"')
    part = report.content.thresholds
    assert part is not None
    table = page[page.index('<table id="cuts"') :]
    rows = re.findall(r"<tr>", table[: table.index("</table>")])
    assert len(rows) == 1 + len(part.rows)
    assert re.search(r'<label for="cut-at">Threshold', page)
    assert re.search(r'<input id="cut-at" type="range" aria-label="Threshold"', page)
    assert f"## {part.heading}" in report.to_markdown()


@pytest.mark.parametrize("task", ["multiclass", "regression", "survival"])
def test_other_tasks_have_no_thresholds(task: str) -> None:
    metric = {"multiclass": "accuracy", "regression": "rmse", "survival": "concordance"}[task]
    content = en.report(
        example_predictions(task), metric=metric, n_resamples=50, explain=False
    ).content
    assert content.thresholds is None
    assert "thresholds" not in content.absent


def test_labels_have_no_thresholds_and_one_configuration_has(pi: en.Predictions) -> None:
    labels = en.with_thresholds(pi.select([0, 1]), [0.5])
    assert en.report(labels, metric="accuracy", n_resamples=50).content.thresholds is None
    assert en.report(pi.select(0), metric="roc_auc", n_resamples=50).content.thresholds is not None
