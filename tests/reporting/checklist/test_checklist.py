"""The TRIPOD+AI table and the model card of a run: facts against the table, forms, refusals."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.cli import main
from earnest.errors import EvidenceError, InputError
from earnest.reporting.checklist.checklist import Filling
from earnest.reporting.checklist.items import ITEMS, Applies
from earnest.results import Checklist, Report

NAME = "péché <b> & 1_x | $"  # of a column, to be escaped in all forms


def make_table() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({NAME: rng.standard_normal(90), "age": rng.integers(20, 80, 90) * 1.0})
    table["died"] = np.where(table[NAME] + rng.standard_normal(90) > 0.3, "yes", "no")
    table.loc[:7, "age"] = np.nan
    table.loc[80:, "died"] = None
    table["site"] = np.arange(90) // 3
    table["sex"] = rng.choice(["f", "m"], 90)
    table["patient_id"] = [f"p{i}" for i in range(90)]
    return table


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "my run"
    asked = {"n_configs": 2, "folds": 3, "rng": 7, "n_jobs": 1, "ensemble": "none"}
    en.tune(make_table(), target="died", group="site", by=["sex"], out=out, **asked)
    return out


@pytest.fixture(scope="module")
def report(run: Path) -> Report:
    return en.report(run, explain=False)


@pytest.fixture(scope="module")
def checklist(report: Report) -> Checklist:
    return report.to_checklist()


def test_every_item_of_the_guideline_has_a_row() -> None:
    numbers = [item.number for item in ITEMS]
    assert len(numbers) == len(set(numbers)) == 52
    assert sorted({int(re.sub(r"\D", "", number)) for number in numbers}) == [*range(1, 28)]


def test_facts_are_those_of_the_table(checklist: Checklist, report: Report) -> None:
    table, study = make_table(), report.study
    assert study is not None
    known = table[table.died.notna()]
    flow = study.participants
    assert (flow.n_rows, flow.n_known, flow.n_cases, flow.n_delivered) == (90, 80, 80, 80)
    assert (flow.n_without_outcome, flow.n_not_searched) == (10, 0)
    counts = {each.label: each.n_cases for each in study.outcomes}
    assert counts == known.died.value_counts().to_dict()
    assert {each.name: each.n_missing for each in study.predictors} == {
        name: int(known[name].isna().sum()) for name in (NAME, "age", "sex")
    }
    assert study.left_out == {"patient_id": "identifier"}
    assert (study.group, study.n_groups) == ("site", known.site.nunique())
    assert study.subgroups is not None
    flow_table, predictors, performance = checklist.tables
    assert ("Left out: no outcome", "10") in flow_table.rows
    assert ("age", "number", "8 (10\u00a0%)") in predictors.rows
    assert len(performance.rows) >= 5 + len(study.subgroups.subgroups)


def test_rows_say_honestly_what_a_run_cannot_know(checklist: Checklist) -> None:
    for row in checklist.rows:
        assert row.facts or row.item.author
        if row.standing is Filling.RUN:
            assert not row.item.author
        if row.standing is Filling.AUTHOR:
            assert not row.facts
        if row.item.applies is Applies.EVALUATION:
            assert row.standing is Filling.ELSEWHERE
    assert checklist["17"].standing is Filling.AUTHOR
    assert sum(checklist.count().values()) == 52


def test_places_are_sections_of_the_page(checklist: Checklist, report: Report) -> None:
    ids = set(re.findall(r'<section[^>]* id="(\w+)"', report.to_html()))
    assert {name for row in checklist.rows for name in row.sections} <= ids
    assert "learned" not in checklist["12b"].sections  # this report has no such section


class Page(HTMLParser):
    """Counts rows and cells, and collects links."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_all_forms_hold_all_rows_and_every_text(checklist: Checklist) -> None:
    page = Page()
    page.feed(checklist.to_html("my%20run/report.html"))
    n_rows = 52 + sum(len(table.rows) for table in checklist.tables)
    heads = 3 + len({item.chapter for item in ITEMS})
    assert page.tags.count("tr") == n_rows + heads
    assert NAME in page.text
    assert all(link.startswith("my%20run/report.html#") for link in page.links)
    markdown = checklist.to_markdown()
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(lines) == n_rows + 2 * heads
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("| 1")]
    assert set(cells) == {6}
    latex = checklist.to_latex()
    assert latex.count(r" \\") == n_rows + heads
    assert r"\& 1\_x \textbar{} \$" in latex
    for begin in ("\\begin{longtable}", "\\end{longtable}"):
        assert latex.count(begin) == heads


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return the command line in this process, whose hooks end with the test."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    return lambda *args: main([str(arg) for arg in args])


def test_the_command_writes_both_beside_the_report(
    run: Path, tmp_path: Path, call: Callable[..., int]
) -> None:
    paths = [tmp_path / name for name in ("tripod.html", "card.md", "report.html")]
    asked = ("--checklist", paths[0], "--card", paths[1], "-o", paths[2])
    assert call("report", run, "--no-explain", *asked) == 0
    report = en.report(run, explain=False)
    assert paths[0].read_text("utf-8") == report.to_checklist().to_html("report.html")
    assert paths[1].read_text("utf-8") == report.to_card()
    assert NAME[:5] in report.to_card()


def test_the_paragraph_of_methods_begins_with_the_cases(report: Report) -> None:
    computed, study = report.content.computed, report.study
    assert computed is not None
    assert study is not None
    flow = study.participants
    numbers = [int(number) for number in re.findall(r"\b\d+\b", computed.paragraph)]
    assert numbers[:3] == [flow.n_rows, flow.n_without_outcome, flow.n_cases]


def test_a_validation_fills_the_items_on_an_evaluation(
    run: Path, report: Report, tmp_path: Path, call: Callable[..., int]
) -> None:
    new = make_table().sample(50, random_state=1)
    validation = en.validate(run, new, n_resamples=30, folds=3, refit=False, rng=0)
    path = validation.save(tmp_path / "validation.json")
    filled = report.to_checklist(validation)
    assert Filling.ELSEWHERE not in filled.count()
    assert str(validation.n_cases) in " ".join(filled["20c"].facts)
    assert len(filled["24"].facts) == len(validation.updates) + 1
    rows = len(report.to_checklist().tables[2].rows)
    assert len(filled.tables[2].rows) == rows + len(validation.performance)
    out = tmp_path / "tripod.md"
    asked = ("--no-explain", "-o", tmp_path / "r.html", "--checklist", out)
    assert call("report", run, *asked, "--validation", path) == 0
    assert out.read_text("utf-8") == filled.to_markdown("r.html")
    with pytest.raises(InputError):
        report.to_checklist(replace(validation, model="another"))
    assert call("report", run, "--validation", path) != 0


def test_other_sources_are_refused_before_anything_is_written(
    run: Path, tmp_path: Path, call: Callable[..., int]
) -> None:
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(y, np.random.default_rng(0).random((40, 2)))
    report = en.report(pi, metric="roc_auc", n_resamples=50)
    with pytest.raises(EvidenceError):
        report.to_checklist()
    with pytest.raises(EvidenceError):
        report.to_card()
    with pytest.raises(InputError):
        en.report(run, explain=False).to_checklist().save(tmp_path / "tripod.docx")
    for asked in (["--checklist", "a.pdf"], ["--card", "a.html"], ["-m", "brier", "-m", "roc_auc"]):
        more = [] if "--checklist" in asked or "--card" in asked else ["--card", "a.md"]
        assert call("report", run, *asked, *more) != 0
    assert not list(tmp_path.iterdir())
