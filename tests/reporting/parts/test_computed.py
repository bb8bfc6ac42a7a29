"""How a report was computed: what the run has recorded, and what it has not."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.comparison import TESTS
from tests.reporting.scenes import scene, source_of
from tests.snapshots import Golden


def evidence(made: en.results.Report) -> dict[str, str]:
    facts = {group.title: dict(group.rows) for group in made.content.computed.facts}
    return facts["The evidence"]


def test_the_date_is_that_of_the_run_and_never_of_the_rendering(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("binary", "halfway", "folder"):
        content = scene(name).content
        assert evidence(scene(name))["Run begun"] == "15 November 2025, 17:05 UTC"
        assert content.answer.kicker.endswith(" · 15 November 2025")
    run, _ = source_of("folder", tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    later = en.report(run, explain=False).to_html()
    assert later == scene("folder").to_html()
    assert "15 November 2025" in later
    imported = {group.title: dict(group.rows) for group in scene("imported").content.computed.facts}
    assert imported["The evidence"]["Run begun"] == "– (predictions have no date)"


def test_the_paragraph_names_winner_and_rule_cites_what_it_lists_and_has_no_fingerprint() -> None:
    content = scene("binary").content
    computed, estimate = content.computed, content.results["estimate"]
    assert estimate["fingerprint"] not in computed.paragraph
    cited = re.findall(r"\(([A-Z][^()]*?\d{4})", computed.paragraph)
    years = {words[-4:] for words in cited}
    assert years == {key[-4:] for key, _ in computed.citations}
    keys = {key for key, _ in computed.citations}
    assert {"wilson1927", "fawcett2006"} <= {key for key, _ in computed.others}
    assert not keys & {key for key, _ in computed.others}
    assert all(key in computed.bibtex for key in keys)
    assert "wilson1927" not in computed.bibtex
    named = r"The selected configuration is (.+?), which has the best score"
    selected = re.search(named, computed.paragraph)
    assert selected is not None
    labels = [row.label for row in content.audit.rows if row.config == estimate["winner"]]
    assert labels == [selected[1]]


def test_a_run_that_did_not_record_its_date_says_so(tmp_path: Path, golden: Golden) -> None:
    run, _ = source_of("folder", tmp_path)
    with closing(sqlite3.connect(run / "run.db")) as base, base as file:
        file.execute("DELETE FROM document WHERE name = 'begun'")
    made = en.report(run, explain=False, n_resamples=50)
    golden.check_sentence(made.to_html(), "the run did")


def test_a_test_of_items_is_not_named_after_folds_that_there_are_not() -> None:
    marks = (np.random.default_rng(0).random((60, 3)) < [0.5, 0.6, 0.7]).astype(float)
    computed = en.report(en.Scores(marks, limits=(0, 1)), explain=False, rng=0).content.computed
    facts = {group.title: dict(group.rows) for group in computed.facts}
    spec = TESTS["bayle"].spec
    assert facts["The comparison"]["Test"] == f"bayle: {spec.title_alone}"
    assert "bayle2020" not in {key for key, _ in computed.citations}
    assert spec.of_folds(1).cites == ""
    assert spec.of_folds(5) is spec.of_folds(0) is spec
