"""A report says what the results say, in three forms, with the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.core import print_numbers
from earnest.errors import FormatError
from earnest.reporting import ask_all, material_from
from tests.reporting.scenes import GOLDEN, HOSTILE, SCENES, scene, source_of
from tests.snapshots import Golden, read_snapshot

FEW = 100  # resamples where words, parts and signs are looked at, and not numbers
VOID = {"meta", "br", "link", "img", "input", "hr", "path", "line", "rect", "circle", "use"}


class Outline(HTMLParser):
    """Notes ids, headings, links and elements that are never closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.scripts = 0
        self.outside: list[str] = []
        self.unlabelled = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.scripts += tag == "script"
        if found.get("id"):
            self.ids.append(str(found["id"]))
        for name in ("src", "href", "xlink:href", "action"):
            if found.get(name) and not str(found[name]).startswith("#"):
                self.outside.append(str(found[name]))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "svg" and found.get("role") == "img":
            self.unlabelled += not found.get("aria-label")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open, tag
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    made = Outline()
    made.feed(page)
    return made


@pytest.fixture(scope="module")
def reports() -> dict[str, en.results.Report]:
    return {name: scene(name) for name in SCENES}


@pytest.mark.parametrize("name", SCENES)
def test_the_words_of_every_kind_of_run_are_the_golden_ones(
    reports: dict[str, en.results.Report], name: str
) -> None:
    words = reports[name].to_markdown()
    assert _unversioned(words) == _unversioned(read_snapshot(GOLDEN / f"{name}.md", words))


def _unversioned(text: str) -> str:
    return re.sub(r"(earnest|numpy) \d[\w.]*", r"\1", text)


@pytest.mark.parametrize("name", SCENES)
def test_every_page_stands_alone_and_is_well_formed(
    reports: dict[str, en.results.Report], name: str
) -> None:
    page = reports[name].to_html()
    made = outline(page)
    assert made.open == []
    assert made.scripts == 1
    assert made.outside == []
    assert made.unlabelled == 0
    assert len(made.ids) == len(set(made.ids))
    assert made.headings.count(1) == 1
    assert made.headings[0] == 1
    assert "@import" not in page
    assert "url(http" not in page
    assert re.search(r'<html lang="en">', page)


@pytest.mark.parametrize("name", SCENES)
def test_json_and_page_say_the_same_sentence(
    reports: dict[str, en.results.Report], name: str
) -> None:
    made = reports[name]
    data = json.loads(made.to_json())
    sentence = "".join(span["text"] for span in data["answer"]["headline"])
    assert data["schema"] == "earnest/report/1"
    assert sentence == made.content.answer.sentence
    page, text = made.to_html(), made.to_markdown()
    for part in ("methods", "rivals", "curves", "audit"):
        if data[part] is not None:
            assert page.count(f'id="{part}"') == 1
    for caution in data["answer"]["cautions"]:
        assert caution["code"] in page
        assert caution["code"] in text


def digests(made: en.results.Report) -> list[str]:
    """Return what stands for the bytes of a report in its three forms."""
    forms = (made.to_html(), made.to_json(), made.to_markdown())
    return [hashlib.sha256(text.encode()).hexdigest() for text in forms]


# Predictions of classes, and the folder of a search; the golden words hold all kinds to the same.
ELSEWHERE = ("multiclass", "folder")


def test_a_report_is_the_same_bytes_in_another_process(
    reports: dict[str, en.results.Report],
) -> None:
    program = (
        "import json; from tests.reporting.scenes import scene; "
        "from tests.reporting.test_report import digests; "
        f"print(json.dumps({{name: digests(scene(name)) for name in {ELSEWHERE!r}}}))"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, check=True)
    assert json.loads(done.stdout) == {name: digests(reports[name]) for name in ELSEWHERE}


def test_the_number_of_the_page_is_that_of_the_search(tmp_path: Path) -> None:
    search, _ = source_of("binary", tmp_path)
    made = scene("binary")
    shown = print_numbers(search.estimate_)
    assert made.content.answer.value == str(shown.value)
    assert made.content.answer.naive == str(shown.naive)
    assert made.content.results["estimate"] == search.estimate_.to_dict()


def test_another_level_or_side_is_read_from_the_same_draws(tmp_path: Path) -> None:
    search, _ = source_of("binary", tmp_path)
    made = en.report(search, explain=False, side="lower", confidence_level=0.9)
    lower = search.estimate_.at(side="lower", confidence_level=0.9)
    assert f"it is above {print_numbers(lower).low}" in made.content.answer.lede
    assert made.content.answer.interval == f"above {print_numbers(lower).low}"
    assert made.content.results["estimate"]["interval"] == lower.to_dict()["interval"]


def test_two_sided_limits_are_never_said_to_be_bounds(
    reports: dict[str, en.results.Report],
) -> None:
    for made in reports.values():
        assert "it is above" not in made.content.answer.lede
        assert "it is below" not in made.content.answer.lede


def test_a_folder_tells_the_estimate_that_the_run_wrote(tmp_path: Path) -> None:
    run, _ = source_of("folder", tmp_path)
    told = en.results.Estimate.from_dict(
        json.loads((run / "estimate.json").read_text(encoding="utf-8"))
    )
    made = scene("folder")
    assert made.content.results["estimate"]["value"] == told.value
    assert made.content.results["estimate"]["winner"] == told.winner
    assert made.content.audit is not None
    assert len(made.content.audit.rows) == 10


def test_a_folder_that_lacks_files_says_so_and_is_read_all_the_same(tmp_path: Path) -> None:
    run, _ = source_of("folder", tmp_path)
    lost = ("estimate.json", "model.skops")
    for name in lost:
        (run / name).unlink()
    made = en.report(run, explain=False, n_resamples=FEW)
    assert made.content.methods is not None
    text = made.to_markdown().replace("\\", "")
    for name in lost:
        assert f"holds no {name}" in text


def test_a_run_whose_time_was_over_is_still_the_search_that_it_was(tmp_path: Path) -> None:
    run, _ = source_of("folder", tmp_path)
    pi = en.Predictions.load(run / "predictions.parquet")
    with closing(sqlite3.connect(run / "run.db")) as base, base as file:
        # a last fit that the clock did not wait for
        file.execute("DELETE FROM outcome WHERE key = '9,0,4'")
    pi.select(list(pi.configs.ids[:-1])).save(run / "predictions.parquet")
    made = en.report(run, explain=False, rng=7, n_resamples=FEW)
    assert "the search reported" in made.content.answer.sentence
    assert made.content.audit is not None
    assert [row.status for row in made.content.audit.rows].count("dropped") == 1
    assert len(made.content.audit.rows) == 10


@pytest.mark.parametrize("damage", ["half", "bytes", "a word for a number"])
def test_a_damaged_estimate_is_refused_and_estimated_anew_where_it_is_deleted(
    damage: str, tmp_path: Path
) -> None:
    run, _ = source_of("folder", tmp_path)
    path = run / "estimate.json"
    text = path.read_text(encoding="utf-8")
    before = en.results.Estimate.from_dict(json.loads(text))
    damaged = {
        "half": text[: len(text) // 2].encode(),
        "bytes": b"\xff" + text.encode(),
        "a word for a number": json.dumps({**json.loads(text), "value": "much"}).encode(),
    }
    path.write_bytes(damaged[damage])
    for ask in (en.report, en.estimate, partial(en.calibrate, n_simulations=2)):
        with pytest.raises(FormatError) as raised:
            ask(run, rng=7)
        assert str(path) in raised.value.what
    path.unlink()
    made = en.report(run, explain=False, rng=7)
    assert made.content.answer.value == str(print_numbers(before).value)
    assert "estimate.json" in made.to_markdown()


def test_a_damaged_learning_curve_is_left_out_with_a_word(tmp_path: Path) -> None:
    run, _ = source_of("folder", tmp_path)
    (run / "learning.json").write_text('{"schema": "earn', encoding="utf-8")
    assert "learning.json" in en.report(run, explain=False).to_markdown().split("Missing")[-1]


def test_a_part_without_data_is_absent_and_told_in_a_line(
    reports: dict[str, en.results.Report],
) -> None:
    single = reports["single"].content
    assert single.rivals is None
    assert "one configuration" in single.absent["rivals"]
    assert reports["halfway"].content.methods is None
    assert 'href="#curves"' not in reports["halfway"].to_html()


def test_a_killed_run_tells_what_it_did_and_that_the_estimate_is_open(
    reports: dict[str, en.results.Report],
    golden: Golden,
) -> None:
    content = reports["halfway"].content
    golden.check_sentence(content.answer.sentence, "What to expect")
    assert "Of 10 configurations 6 were begun" in content.answer.lede
    assert content.answer.value is None
    assert content.audit is not None
    assert len(content.audit.rows) == 6


def test_dropped_and_failed_configurations_stand_in_the_audit_with_their_reason(
    reports: dict[str, en.results.Report],
    golden: Golden,
) -> None:
    audit = reports["binary"].content.audit
    assert audit is not None
    by_state = {row.status: row for row in audit.rows}
    assert "worse than c8 in" in by_state["dropped"].reason
    golden.check_sentence(by_state["failed"].reason, "ValueError: no leaf")
    # by scores over all cases at once another one stands first; the search chose by fold means
    assert by_state["winner"].rank == 2
    golden.check_sentence(audit.lede, "is not in")
    assert audit.dropped is not None
    assert dict(audit.dropped.rows)["Saved"] == "1 fit"
    assert len(audit.rows) == 13


def test_no_heading_claims_what_is_open_or_not_corrected(
    binary: en.Predictions, golden: Golden
) -> None:
    upper = en.report(binary, metric="roc_auc", side="upper", n_resamples=FEW).content
    assert upper.curves is not None
    assert upper.curves.heading == "Curves"
    naive = en.report(binary, metric="roc_auc", method="naive_bootstrap", n_resamples=FEW).content
    assert naive.curves is not None
    assert naive.methods is not None
    assert naive.curves.heading == "Curves"
    golden.check(naive.methods.heading)
    few = en.report(binary, metric="roc_auc", method="tibshirani").content
    assert few.methods is not None
    assert "agree" in few.methods.heading  # bbc and bbc_fold, whose intervals meet


def test_decisions_are_counted_as_by_hand(reports: dict[str, en.results.Report]) -> None:
    source, _ = SCENES["multiclass"](Path())
    confusion = reports["multiclass"].content.curves.confusion
    said = np.argmax(source.responses[:, 0, 0], axis=1)
    counts = [
        [int(((source.target.y == t) & (said == p)).sum()) for p in range(3)] for t in range(3)
    ]
    assert [list(row.counts) for row in confusion.rows] == counts


def test_an_explanation_is_there_where_trials_are_enough() -> None:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 80)
    depths = np.arange(1, 13)
    scores = y[:, None] * (3.0 - 0.5 * np.abs(depths - 6)) + rng.standard_normal((160, 12))
    pi = en.Predictions.from_arrays(
        y, scores, np.arange(160) // 2 % 5, configs=[{"depth": int(d), "r": d % 3} for d in depths]
    )
    made = en.report(pi, metric="roc_auc", n_resamples=FEW)
    learned = made.content.learned
    assert learned is not None
    assert {panel.heading for panel in learned.effects} == {"depth", "r"}
    assert 'id="learned"' in made.to_html()
    outline(made.to_html())
    few = en.report(pi.select(range(5)), metric="roc_auc", n_resamples=FEW)
    assert few.content.learned is None
    assert "too few trials" in few.content.absent["learned"]


def hostile() -> en.Predictions:
    rng = np.random.default_rng(4)
    y = np.where(np.arange(60) % 2, HOSTILE, "ok")
    scores = np.clip((y == HOSTILE)[:, None] * 0.4 + 0.5 * rng.random((60, 12)), 0, 1)
    configs = en.Configs(
        ids=tuple(f"{HOSTILE}{i}" for i in range(12)),
        params=tuple({HOSTILE: float(i), "kind": f"{HOSTILE}{i % 2}"} for i in range(12)),
    )
    return en.Predictions.from_arrays(
        y, scores, np.arange(60) // 2 % 5, configs=configs, positive=HOSTILE
    )


def test_hostile_names_labels_and_values_are_text_everywhere() -> None:
    made = en.report(hostile(), metric="roc_auc", title=HOSTILE, n_resamples=FEW)
    page = made.to_html()
    found = outline(page)
    assert found.open == []
    assert found.scripts == 1
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    text = made.to_markdown()
    assert "<script>" not in text.replace("\\<", "")
    assert json.loads(made.to_json())["title"] == HOSTILE


def test_every_name_can_be_shown() -> None:
    names = ["学習率", "größe\u202e", "a\x1b[31m", "%s %n", "x" * 400, "|a|b|"]
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((40, 6)), configs=names)
    made = en.report(pi, metric="roc_auc", n_resamples=FEW)
    assert outline(made.to_html()).open == []
    figures = "".join(re.findall(r"<svg.*?</svg>", made.to_html(), flags=re.S))
    assert "\x1b" not in figures
    assert made.to_markdown()


@pytest.mark.parametrize("ending", ["html", "json", "md"])
def test_save_writes_by_the_ending(
    reports: dict[str, en.results.Report], tmp_path: Path, ending: str
) -> None:
    made = reports["single"]
    path = made.save(tmp_path / f"report.{ending}")
    forms = {"html": made.to_html, "json": made.to_json, "md": made.to_markdown}
    assert path.read_bytes() == forms[ending]().encode()


def test_save_refuses_other_endings_and_missing_folders(
    reports: dict[str, en.results.Report], tmp_path: Path
) -> None:
    with pytest.raises(en.errors.InputError, match=r"\.html"):
        reports["single"].save(tmp_path / "report.pdf")
    with pytest.raises(en.errors.FormatError, match="cannot be written"):
        reports["single"].save(tmp_path / "none" / "report.html")


@pytest.mark.parametrize(
    ("source", "asked", "said"),
    [
        (3.0, {}, "cannot be reported on"),
        ("nowhere", {}, "there is no file or folder"),
        (Path(__file__).parent, {}, "there is no run in the folder"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(
    source: Any, asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(en.errors.EarnestError, match=said):
        en.report(source, **asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"confidence_level": 95}, r"use 0\.95"),
        ({"confidence_level": 0.0}, "`confidence_level` is out of range"),
        ({"side": "left"}, "`side` is unknown"),
        ({"n_resamples": 0}, "`n_resamples` is out of range"),
        ({"method": "nonsense"}, "method 'nonsense' is unknown"),
        ({"method": "delong", "n_resamples": 50}, "has no option `n_resamples`"),
        ({"rng": "seven"}, "`rng` is not a seed"),
        ({"n_jobs": 0}, "`n_jobs` is out of range"),
    ],
)
def test_options_that_are_wrong_whatever_the_data_are_refused(
    binary: en.Predictions, asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(en.errors.EarnestError, match=said):
        en.report(binary, metric="roc_auc", **asked)


@pytest.mark.parametrize(
    ("method", "resamples"),
    [
        ("delong", None),
        (en.methods.BBC(n_resamples=70), 70),
        ("bbc(n_resamples=70)", 70),
        ("holdout", 50),
    ],
)
def test_another_method_takes_the_resamples_of_the_search_only_where_they_fit(
    binary: en.Predictions, method: Any, resamples: int | None
) -> None:
    estimate = en.estimate(binary, metric="roc_auc", n_resamples=50, rng=0)
    settings = {"method": "bbc", "n_resamples": 50, "rng": 0}
    material = replace(material_from(binary, "roc_auc"), estimate=estimate, settings=settings)
    found = ask_all(material, method=method, explanation=False).estimate
    assert found is not None
    assert found.n_resamples == resamples


def test_predictions_need_a_metric_and_a_search_its_fit(binary: en.Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="predictions have no metric"):
        en.report(binary)
    with pytest.raises(en.errors.InputError, match="Call its `fit` first"):
        en.report(en.SearchCV(None, [{}]))
    with pytest.raises(en.errors.InputError, match="options for reading a file"):
        en.report(binary, metric="roc_auc", fold="fold")


# Without an interval, and without resamples; the methods of the other kinds are slow.
@pytest.mark.parametrize(
    "method",
    [
        "naive",
        "delong",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("tibshirani", "mabt", "bbc_fold", "holdout")
        ),
    ],
)
def test_every_kind_of_method_can_be_the_reported_one(binary: en.Predictions, method: str) -> None:
    made = en.report(binary, metric="roc_auc", method=method)
    assert made.content.methods is not None
    rows = [row for group in made.content.methods.groups for row in group.rows if row.reported]
    assert len(rows) == 1
    assert outline(made.to_html()).open == []
