"""The second part of a report tells the gain on the resamples of its first number."""

from __future__ import annotations

import re

import numpy as np
import pytest

import earnest as en
from earnest.core.text.gain import word_headline
from earnest.inference.curves import prefixes
from earnest.reporting import SECTIONS


@pytest.fixture(scope="module")
def pi() -> en.Predictions:
    """Thirty configurations, of which the third is much better than the first; seed 3."""
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 60)
    skill = np.array([0.2, 0.4, 1.6, *[1.4] * 27])
    scores = y[:, None] * skill + rng.standard_normal((120, 30))
    return en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5)


@pytest.fixture(scope="module")
def report(pi: en.Predictions) -> en.results.Report:
    return en.report(pi, metric="roc_auc", n_resamples=200)


def test_the_gain_stands_after_the_model_and_ends_in_the_number_of_the_first_screen(
    report: en.results.Report,
) -> None:
    assert [name for name, _ in SECTIONS][:3] == ["answer", "columns", "gain"]
    results = report.content.results
    made = en.results.Gain.from_dict(results["gain"])
    estimate = results["estimate"]
    assert made.corrected[-1] == pytest.approx(estimate["value"], abs=1e-12)
    assert made.naive[-1] == pytest.approx(estimate["naive"], abs=1e-12)
    assert made.low[-1] == pytest.approx(estimate["interval"]["low"], abs=1e-12)
    assert made.high[-1] == pytest.approx(estimate["interval"]["high"], abs=1e-12)
    assert made.provenance.seed == estimate["seed"]
    part = report.content.gain
    assert part is not None
    assert part.heading == word_headline(made).removesuffix(".")
    assert part.next


def test_a_first_configuration_that_stays_the_best_is_said_to(pi: en.Predictions) -> None:
    names = [2, 0, 1]  # the best of them first
    made = en.gain(pi.select(names), metric="roc_auc", n_resamples=50, rng=0)
    assert made.first == made.winner
    assert made.seeming == 0.0
    assert "0.0" not in word_headline(made)


def test_more_cases_are_told_apart_from_what_to_do(report: en.results.Report) -> None:
    part = report.content.gain
    assert part is not None
    assert len(part.more) == 2  # the width, and what predictions cannot tell
    assert part.learning is None
    assert not set(part.more) & set(part.next)


def test_the_page_and_its_markdown_hold_the_numbers_of_the_curves(
    report: en.results.Report,
) -> None:
    part = report.content.gain
    assert part is not None
    page, text = report.to_html(), report.to_markdown()
    assert page.index('id="answer"') < page.index('id="gain"') < page.index('id="methods"')
    assert f"## {part.heading}" in text.replace("\\", "")
    assert part.panel.figure.table[-1][0] == "30"
    assert len(re.findall(r'<figure class="(?:wide|phone)"', page)) >= 2


def test_the_table_of_scores_is_computed_once(
    pi: en.Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One table in-bag and one of the sample itself; only a few cells out-of-bag."""
    sizes = []
    table = prefixes.score_table

    def counted(some, metric, weights, **more):  # type: ignore[no-untyped-def]
        sizes.append(len(weights))
        return table(some, metric, weights, **more)

    monkeypatch.setattr(prefixes, "score_table", counted)
    en.report(pi.select(range(6)), metric="roc_auc", n_resamples=100)
    assert sorted(sizes) == [1, 100]


def test_a_large_table_is_told_by_fewer_resamples_and_says_so(
    pi: en.Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earnest.inference.curves.gain.WORK", 1)
    monkeypatch.setattr("earnest.inference.curves.gain.LEAST", 70)
    content = en.report(pi.select(range(6)), metric="roc_auc", n_resamples=100).content
    assert content.results["gain"]["n_resamples"] == 70
    assert content.gain is not None
    assert " 70 " in content.gain.lede


def test_one_configuration_has_no_gain_and_the_report_says_so(pi: en.Predictions) -> None:
    content = en.report(pi.select(0), metric="roc_auc", n_resamples=50).content
    assert content.gain is None
    assert "gain" in content.absent


def test_what_more_items_do_is_told_of_the_interval_that_the_page_gives() -> None:
    """The band of the curve is BBC's; the answer may have another interval."""
    rng = np.random.default_rng(2)
    scores = en.Scores(rng.random((300, 8)) < 0.3 + 0.6 * rng.random((300, 1)))
    content = en.report(scores, rng=1, explain=False).content
    interval = en.estimate(scores, rng=1).interval
    assert content.gain is not None
    assert interval is not None
    assert content.gain.reading[1].endswith("by BBC.")
    half = (interval.high - interval.low) / 2
    assert f"±{half / 2**0.5:.2f} instead of ±{half:.2f}" in content.gain.more[0]
