"""The reproduction of papers: one runner, one rule of agreement, and tables that are current."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import earnest as en
from benchmarks.papers import agreement, reproduce
from benchmarks.papers.agreement import (
    AGREES,
    DIFFERS,
    LEVEL,
    NO_TEST,
    NOT_PUBLISHED,
    UNEXPLAINED,
    Key,
    Published,
    find_critical,
    holm,
    judge,
    p_value,
    read_published,
)
from benchmarks.papers.study import PAPERS, Cell, Done, Finding, Kind, Reason, Scale, facts_of
from benchmarks.papers.tsamardinos2018 import study as tsamardinos
from benchmarks.papers.yousef2022 import study as yousef

TABLES = [(paper, record["table"]) for paper in PAPERS for record in reproduce.read_records(paper)]


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_tables_are_those_of_todays_code(paper: str) -> None:
    cells = reproduce.load_study(paper).grid(Scale.SMOKE, None)
    done = reproduce.run_cells(paper, cells)
    assert reproduce.find_stale(paper, done) == []
    known = {name for record in reproduce.read_records(paper) for name in record["smoke"]}
    assert known == {f"{cell.table} {cell.name}" for cell in cells if cell.exact}


@pytest.mark.parametrize(("paper", "table"), TABLES)
def test_a_record_names_the_seed_of_every_cell(paper: str, table: str) -> None:
    record = next(one for one in reproduce.read_records(paper) if one["table"] == table)
    assert record["seeds"].keys() == record["cells"].keys()
    cells = reproduce.load_study(paper).grid(Scale.SMOKE, None)
    smoke = {f"{cell.table} {cell.name}": cell for cell in cells}
    for name in record["smoke"]:
        assert record["seeds"][name] == reproduce.name_seed(paper, smoke[name])


def test_a_table_is_stale_when_the_code_and_a_replication_changed(tmp_path: Path) -> None:
    paper = "yousef2022"
    cells = [Cell.of("table2", 1, n=20)]
    done = reproduce.run_cells(paper, cells)
    kept = {"names": list(done[0].names), "rows": done[0].values.tolist()}
    record = {
        "paper": paper,
        "table": "table2",
        "scale": "small",
        "fingerprint": reproduce.fingerprint(paper),
        "smoke": {"table2 n=20": kept},
    }

    def wrong(**changed: object) -> list[str]:
        (tmp_path / "table2.json").write_text(json.dumps({**record, **changed}))
        return reproduce.find_stale(paper, done, tmp_path)

    assert wrong() == []
    assert wrong(fingerprint="another") == []  # older code, but its smoke cells still agree
    off = {"table2 n=20": {**kept, "rows": (done[0].values + 0.01).tolist()}}
    assert "is stale" in wrong(fingerprint="another", smoke=off)[0]
    assert "is not reproducible" in wrong(smoke=off)[0]
    gone = {"table2 n=21": kept}
    assert len(wrong(smoke=gone)) == 1


def test_the_fingerprint_is_of_the_sources_that_can_change_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = reproduce.fingerprint("bayle2020")
    assert before == reproduce.fingerprint("bayle2020")
    assert before != reproduce.fingerprint("yousef2022")
    monkeypatch.setattr(reproduce, "ROOMS", (*reproduce.ROOMS, "explanation"))
    assert reproduce.fingerprint("bayle2020") != before


def test_a_run_goes_on_where_it_was_stopped_and_never_mixes_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper, name = "yousef2022", {"rule": "lda", "n": 15, "p": 5, "distance": 1.0}
    one, three = (Cell.of("table1", runs, **name) for runs in (1, 3))
    first = reproduce.run_cells(paper, [one], kept=tmp_path)[0]
    calls: list[int] = []
    block = reproduce.run_block

    def counted(paper: str, cell: Cell, start: int, count: int) -> Done:
        calls.append(count)
        return block(paper, cell, start, count)

    monkeypatch.setattr(reproduce, "run_block", counted)
    whole = reproduce.run_cells(paper, [three], kept=tmp_path)[0]
    assert sum(calls) == 2
    np.testing.assert_array_equal(whole.values[:1], first.values)
    np.testing.assert_array_equal(whole.values, reproduce.run_cells(paper, [three])[0].values)
    monkeypatch.setattr(reproduce, "fingerprint", lambda paper: "other code")
    calls.clear()
    reproduce.run_cells(paper, [one], kept=tmp_path)
    assert sum(calls) == 1


def test_what_is_kept_of_an_unfinished_run_can_be_read(tmp_path: Path) -> None:
    paper, name = "yousef2022", {"rule": "lda", "n": 15, "p": 5}
    begun, not_begun = (Cell.of("table1", 3, **name, distance=d) for d in (1.0, 2.0))
    first = reproduce.run_cells(paper, [replace(begun, runs=2)], kept=tmp_path)[0]
    found = reproduce.read_cells(paper, [begun, not_begun], tmp_path)
    assert [one.cell for one in found] == [begun]
    np.testing.assert_array_equal(found[0].values, first.values)


def test_committed_replications_go_on_while_those_of_today_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper, name = "yousef2022", {"rule": "lda", "n": 15, "p": 5, "distance": 1.0}
    two, four = (Cell.of("table1", runs, **name) for runs in (2, 4))
    done = reproduce.run_cells(paper, [two])
    monkeypatch.setattr(reproduce.load_study(paper), "COMMITTED", ("table1",), raising=False)
    path = tmp_path / "table1_replications.csv"
    reproduce.write_replications(path, done)
    kept = {"names": list(done[0].names), "rows": done[0].values.tolist()}
    record = {"table": "table1", "fingerprint": "older", "scale": "full"}

    def read(rows: dict[str, object]) -> dict[Cell, Done]:
        smoke = {f"table1 {two.name}": rows}
        (tmp_path / "table1.json").write_text(json.dumps({**record, "smoke": smoke}))
        return reproduce.read_committed(paper, [four], tmp_path)

    begun = read(kept)
    np.testing.assert_array_equal(begun[four].values, done[0].values)
    whole = reproduce.run_cells(paper, [four], begun=begun)[0]
    np.testing.assert_array_equal(whole.values, reproduce.run_cells(paper, [four])[0].values)
    assert read({**kept, "rows": (done[0].values + 0.01).tolist()}) == {}


def test_more_replications_win_wherever_they_are(tmp_path: Path) -> None:
    cell = Cell.of("table1", 3, rule="lda", n=15, p=5, distance=1.0)
    few, more = (Done(cell, ("x",), np.arange(k)[:, None] * 1.0, 1.0) for k in (1, 2))
    assert reproduce.longer(few, more) is more
    assert reproduce.longer(more, few) is more
    assert reproduce.longer(None, few) is few
    assert reproduce.longer(few, None) is few
    assert reproduce.longer(None, None) is None


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the results of Yousef to write to, and a grid of one cheap table."""
    paper, name = "yousef2022", {"rule": "lda", "n": 15, "p": 5, "distance": 1.0}
    results = shutil.copytree(reproduce.find_results(paper), tmp_path / "results")
    for path in results.glob("*.json"):
        path.unlink()
    monkeypatch.setattr(reproduce, "find_results", lambda paper: results)
    monkeypatch.setattr(reproduce, "KEPT", tmp_path / "kept")
    runs = {Scale.SMOKE: 1, Scale.SMALL: 2, Scale.FULL: 3}

    def grid(scale: Scale, data: Path | None) -> list[Cell]:
        return [Cell.of("table1", runs[scale], **name)]

    monkeypatch.setattr(reproduce.load_study(paper), "grid", grid)
    return results


def command(monkeypatch: pytest.MonkeyPatch, *words: str) -> object:
    """Run the command, and return what it exits with."""
    monkeypatch.setattr(sys, "argv", ["reproduce", *words])
    with pytest.raises(SystemExit) as end:
        reproduce.main()
    return end.value.code


def test_the_command_runs_writes_draws_and_says_how_long(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for scale, runs in (("small", 2), ("full", 3)):
        assert command(monkeypatch, "yousef2022", "--scale", scale) == 0
        printed = capsys.readouterr().out
        assert re.search(rf"^yousef2022 {scale}: \d+ s$", printed, re.MULTILINE)
        [record] = reproduce.read_records("yousef2022", elsewhere)
        assert (record["scale"], list(record["cells"].values())) == (scale, [runs])
    assert (reproduce.KEPT / "yousef2022" / "full-results" / "table1.csv").is_file()
    # the seed of a replication is not that of a smaller scale: what is common is the same
    assert command(monkeypatch, "yousef2022", "--scale", "smoke") == 0


def test_a_small_run_never_undoes_a_full_one(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "yousef2022", "--scale", "full") == 0
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    capsys.readouterr()
    assert command(monkeypatch, "yousef2022", "--scale", "small") == 0
    assert "is of a larger run" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before
    own = reproduce.KEPT / "yousef2022" / "small-results"
    [record] = reproduce.read_records("yousef2022", own)
    assert list(record["cells"].values()) == [2]


@pytest.mark.parametrize(
    ("scale", "cells", "smaller"),
    [
        ("full", {"a": 3, "b": 2}, False),
        ("full", {"a": 4, "b": 2, "c": 1}, False),
        ("full", {"a": 3, "b": 1}, True),
        ("full", {"a": 3}, True),
        ("small", {"a": 3, "b": 2}, True),
    ],
)
def test_a_run_is_smaller_with_fewer_cells_replications_or_scale(
    scale: str, cells: dict[str, int], smaller: bool
) -> None:
    other = {"scale": "full", "cells": {"a": 3, "b": 2}}
    assert reproduce.is_smaller({"scale": scale, "cells": cells}, other) is smaller


def test_a_small_run_that_gives_other_numbers_than_the_last_one_fails(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ("yousef2022", "--scale", "small")
    assert command(monkeypatch, *run) == 0  # nothing to compare with
    path = reproduce.find_small("yousef2022")
    assert not path.exists()
    path.write_text("table,row,quantity,ours\ntable9,a=1,mean,0.25\n")
    assert command(monkeypatch, *run, "--accept") == 0
    kept = reproduce.read_small("yousef2022")
    assert kept["table9", "a=1", "mean"] == 0.25  # of cells that were not run
    assert {key[0] for key in kept} == {"table9", "table1"}
    assert command(monkeypatch, *run) == 0
    capsys.readouterr()
    lines = path.read_text().splitlines()
    changed = [f"{line}1" if line.startswith("table1,") else line for line in lines]
    path.write_text("\n".join(changed) + "\n")
    assert command(monkeypatch, *run) == 0  # in the seventh digit
    path.write_text(re.sub(r"(table1,.*,0\.\d)\d", r"\g<1>x", path.read_text()).replace("x", "9"))
    before = path.read_text()
    assert command(monkeypatch, *run) == 1
    assert "yousef2022 table1 is stale" in capsys.readouterr().out
    assert path.read_text() == before


@pytest.mark.parametrize("paper", PAPERS)
def test_the_last_small_run_is_that_of_the_committed_tables(paper: str) -> None:
    known = reproduce.read_small(paper)
    timed = reproduce.list_timed(paper)
    for record in reproduce.read_records(paper):
        if record["scale"] == "small" and record["table"] not in timed:
            numbers = reproduce.read_numbers(paper, record["table"], reproduce.find_results(paper))
            assert numbers == {key: known[key] for key in known if key[0] == record["table"]}
    only_full = {"tsamardinos2018": {"figure4"}, "paraschakis2024": {"figure3"}}.get(paper, set())
    tables = {record["table"] for record in reproduce.read_records(paper)}
    assert tables - {table for table, *_ in known} == only_full


def test_verdicts_given_anew_are_those_of_the_run(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(monkeypatch, "yousef2022", "--scale", "full") == 0
    before = (elsewhere / "table1.csv").read_bytes()
    reproduce.judge_results("yousef2022")
    assert (elsewhere / "table1.csv").read_bytes() == before
    third = reproduce.as_written(Finding("r", "q", Kind.MEAN, 1 / 3, 9, math.nan))
    assert third.value == 0.333333
    assert math.isnan(third.spread)


@pytest.mark.parametrize("words", [("--tables", "nosuch"), ("--data", "nosuch")])
def test_tables_and_folders_that_are_not_there_are_refused(
    words: tuple[str, str],
    elsewhere: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command(monkeypatch, "yousef2022", "--scale", "small", *words) == 2
    assert "'nosuch'" in capsys.readouterr().err
    assert not reproduce.KEPT.exists()


def test_only_measured_times_are_no_function_of_seeds() -> None:
    assert [reproduce.list_timed(paper) for paper in PAPERS] == [
        set(),
        {"figure3"},
        *([set()] * 3),
    ]


def test_a_stale_table_fails_the_command(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, "yousef2022", "--scale", "full") == 0
    path = elsewhere / "table1.json"
    record = json.loads(path.read_text())
    [kept] = record["smoke"].values()
    kept["rows"][0][0] += 0.5
    path.write_text(json.dumps({**record, "fingerprint": "older"}))
    assert command(monkeypatch, "yousef2022", "--scale", "smoke") == 1
    assert "yousef2022 table1 is stale" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("paper", "fact"),
    [
        ("tsamardinos2018", "set"),
        ("paraschakis2024", "set"),
        ("bayle2020", "population"),
        ("moosbauer2021", "d"),
        pytest.param("tsamardinos2018", "cases", marks=pytest.mark.slow),
        pytest.param("bayle2020", "cases", marks=pytest.mark.slow),
        pytest.param("moosbauer2021", "set", marks=pytest.mark.slow),
    ],
)
def test_figures_of_a_run_with_one_size_or_one_set_are_drawn(
    paper: str, fact: str, tmp_path: Path
) -> None:
    # small scales, and runs without a folder of data, have fewer cells than what is committed
    for path in reproduce.find_results(paper).glob("*.csv"):
        lines = reproduce.read_rows(path)
        if "row" in lines[0]:  # not of single replications
            known = [facts_of(line["row"]).get(fact) for line in lines]
            pairs = zip(lines, known, strict=True)
            lines = [line for line, own in pairs if own in (known[0], "all")]
        with (tmp_path / path.name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, lines[0].keys())
            writer.writeheader()
            writer.writerows(lines)
    reproduce.draw_results(paper, tmp_path)
    names = {path.name for path in reproduce.find_results(paper).glob("*.svg")}
    assert {path.name for path in tmp_path.glob("*.svg")} == names


def test_results_do_not_depend_on_the_number_of_jobs() -> None:
    cells = [Cell.of("table1", 2, rule=rule, n=15, p=5, distance=1.0) for rule in ("lda", "qda")]
    one, two = (reproduce.run_cells("yousef2022", cells, jobs=jobs) for jobs in (1, 2))
    for left, right in zip(one, two, strict=True):
        np.testing.assert_array_equal(left.values, right.values)


def test_a_cost_is_that_of_all_replications(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def busy(paper: str, cell: Cell, first: int, count: int) -> Done:
        now[0] += count * cell.number("seconds")
        return Done(cell, ("x",), np.zeros((count, 1)), 0.0)

    monkeypatch.setattr(reproduce, "run_block", busy)
    monkeypatch.setattr(reproduce.time, "process_time", lambda: now[0])
    cells = [Cell.of("a", 10, seconds=2), Cell.of("a", 30, seconds=4), Cell.of("b", 5, seconds=7)]
    cost = list(reproduce.measure_cost("yousef2022", cells))
    assert cost == [("a", 40, 120.0), ("b", 5, 35.0)]


def test_samples_of_few_cases_have_covariances() -> None:
    # a third of such draws have 5 different cases of a class or fewer (seed 5)
    X, y = yousef.draw(np.random.default_rng(5), 9, 5, 1.0)
    made = yousef.replicates("qda", X, y, 200, seed=5)
    assert min((made.counts[:, y == label] > 0).sum(axis=1).min() for label in (0, 1)) == 6


# ---------------------------------------------------------------------------- the rule


def test_holm_is_its_plain_definition() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(12) ** 3
    order = np.argsort(p)
    wanted = np.empty(12)
    for rank, place in enumerate(order):
        wanted[place] = max(min(1.0, (12 - k) * p[order[k]]) for k in range(rank + 1))
    np.testing.assert_allclose(holm(p.tolist()), wanted)
    assert math.isnan(holm([0.01, math.nan])[1])


def test_each_kind_has_its_exact_test() -> None:
    share = Finding("r", "q", Kind.SHARE, 0.9, 200)
    counts = [[180, 20], [190, 10]]
    assert p_value(share, Published(0.95, 200)) == pytest.approx(stats.fisher_exact(counts).pvalue)
    assert p_value(share, Published(0.95)) == pytest.approx(stats.binomtest(180, 200, 0.95).pvalue)
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal(30), 1 + 2 * rng.standard_normal(40)
    theirs = Published(b.mean(), 40, b.std(ddof=1))
    welch = stats.ttest_ind(a, b, equal_var=False).pvalue
    assert p_value(Finding.mean("r", "q", a), theirs) == pytest.approx(welch)
    alone = stats.ttest_1samp(a, 0.5).pvalue
    assert p_value(Finding.mean("r", "q", a), Published(0.5)) == pytest.approx(alone)
    ratio = a.var(ddof=1) / b.var(ddof=1)
    tail = stats.f.cdf(ratio, 29, 39)
    assert p_value(Finding.sd("r", "q", a), Published(b.std(ddof=1), 40)) == pytest.approx(
        2 * min(tail, 1 - tail)
    )
    new = Finding.mean("r", "q", a, Kind.SINGLE)
    z = (a.mean() - 1.2) / (a.std(ddof=1) * math.sqrt(1 + 1 / 30))
    assert p_value(new, Published(1.2, 1)) == pytest.approx(2 * stats.t.sf(abs(z), 29))
    assert math.isnan(p_value(Finding("r", "q", Kind.SHOWN, 1.0, 30), Published(2.0)))
    for value, equal in ((0.00519, True), (0.005249, True), (0.00526, False), (0.0051, False)):
        exact = Finding("r", "q", Kind.EXACT, value, 1)
        assert p_value(exact, Published(0.0052, places=4)) == float(equal)


def test_dropping_from_the_first_fold_is_of_the_samples_of_figure_2() -> None:
    facts = {"set": "digits", "cases": 40}
    all_protocols, early = (
        tsamardinos.run(cell, tsamardinos.stream(cell, 3))
        for cell in (Cell.of(table, 4, **facts) for table in ("samples", "early_samples"))
    )
    for name in ("cvt", "ncv", "bbc", "truth_bbc", "truth_ncv"):
        assert early[name] == all_protocols[name]
    assert all_protocols["bced"] == all_protocols["bbc"]  # which waits for 50 predictions
    assert early["times faster"] > 1


def test_with_500_cases_dropping_starts_with_the_first_fold_anyway() -> None:
    facts = {"alpha": 9, "beta": 6, "cases": 500, "configs": 50}
    simulated = tsamardinos.draw_simulated(Cell.of("figure1", 1, **facts), np.random.default_rng(5))
    first = simulated.drop(tsamardinos.FIRST_FOLD).responses
    assert np.isnan(first).any()
    np.testing.assert_array_equal(first, simulated.drop(en.rules.BCED()).responses)


def test_a_number_within_its_tolerance_agrees_and_one_beyond_it_differs() -> None:
    # 5 tables of all kinds, seed 4; ends are moved by a hair, shares by one replication
    rng = np.random.default_rng(4)
    for _ in range(5):
        findings, published = make_table(rng)
        known = list(published.values())
        chances = [p_value(*both) for both in zip(findings, known, strict=True)]
        for place, one in enumerate(judge("t", findings, published, ())):
            share = one.finding.kind is Kind.SHARE
            step, inner = (1 / one.finding.runs, 0.0) if share else (1e-6, 1e-6)
            assert one.low < one.high
            for value, agrees in (
                (one.low + inner, True),
                (one.high - inner, True),
                (one.low - step, False),
                (one.high + step, False),
            ):
                if 0 <= value <= 1 or not share:
                    moved = p_value(replace(one.finding, value=value), known[place])
                    others = [*chances[:place], moved, *chances[place + 1 :]]
                    assert (holm(others)[place] > LEVEL) == agrees


def make_table(rng: np.random.Generator) -> tuple[list[Finding], dict[Key, Published]]:
    """A table with a number of every kind that is tested, some of them far off."""
    findings, published = [], {}
    for kind in (Kind.SHARE, Kind.MEAN, Kind.SD, Kind.CORRELATION, Kind.SINGLE):
        for number, runs in enumerate((0, 60)):
            value, theirs = rng.uniform(0.3, 0.8, 2)
            row = f"{kind} {number}"
            hits = round(value * 50) / 50
            made = hits if kind is Kind.SHARE else float(value)
            findings.append(Finding(row, "q", kind, made, 50, float(rng.uniform(0.1, 1.0))))
            known = float(rng.uniform(0.1, 1.0)) if runs else math.nan
            published["t", row, "q"] = Published(float(theirs), runs, known)
    return findings, published


def test_a_p_value_is_rejected_up_to_its_critical_one() -> None:
    # the plain way, seed 5: put other p-values in its place
    rng = np.random.default_rng(5)
    for _ in range(50):
        chances = (rng.random(8) ** 4).tolist()
        for place, least in enumerate(find_critical(chances)):
            for p, rejected in ((least * (1 - 1e-9), True), (least * (1 + 1e-9), False)):
                others = list(chances)
                others[place] = p
                assert (holm(others)[place] <= LEVEL) == rejected


def test_drawing_is_no_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes
    before = reproduce.fingerprint("yousef2022")

    def changed(path: Path) -> bytes:
        return b"changed" if path.name == name else read(path)

    monkeypatch.setattr(Path, "read_bytes", changed)
    name = "figures.py"
    assert reproduce.fingerprint("yousef2022") == before
    name = "discriminants.py"
    assert reproduce.fingerprint("yousef2022") != before


def test_a_table_of_true_cells_has_one_that_differs_in_five_percent_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # tolerances take most of the time of a verdict, and none is asked for here
    monkeypatch.setattr(agreement, "find_agreeing", lambda *_: (0.0, 1.0))
    # 50 tables of 10 shares and 10 means, seed 3: a share of .05 has an sd of .031
    rng = np.random.default_rng(3)
    off = 0
    for _ in range(50):
        findings, published = [], {}
        for k in range(10):
            hits = rng.random((2, 200)) < 0.9
            findings.append(Finding.share(f"{k}", "share", hits[0]))
            published["t", f"{k}", "share"] = Published(float(hits[1].mean()), 200)
            values = rng.standard_normal((2, 50))
            findings.append(Finding.mean(f"{k}", "mean", values[0]))
            spread = float(values[1].std(ddof=1))
            published["t", f"{k}", "mean"] = Published(float(values[1].mean()), 50, spread)
        off += any(one.verdict == DIFFERS for one in judge("t", findings, published, ()))
    assert off / 50 <= 0.05 + 3 * 0.031


def test_a_cell_that_differs_has_its_reason_or_is_unexplained() -> None:
    findings = [
        Finding("a", "share", Kind.SHARE, 0.5, 200),
        Finding("b", "share", Kind.SHARE, 0.5, 200),
    ]
    published = {("t", row, "share"): Published(0.95, 200) for row in "ab"}
    made = judge("t", findings, published, [Reason("t", "^a ", "why")])
    assert [one.reason for one in made] == ["why", UNEXPLAINED]
    assert judge("t", findings, {}, ())[0].verdict == NOT_PUBLISHED


# ---------------------------------------------------------------------------- what is committed


@pytest.mark.parametrize(("paper", "table"), TABLES)
def test_every_verdict_follows_from_the_numbers_beside_it(paper: str, table: str) -> None:
    lines = reproduce.read_results(paper, table)
    published = read_published(reproduce.HERE / paper / "expected.csv")
    chances = []
    for line in lines:
        theirs = published.get((table, line["row"], line["quantity"]))
        assert (theirs is None) == (line["published"] == "")
        if theirs is None:
            chances.append(math.nan)
            continue
        assert float(line["published"]) == pytest.approx(theirs.value, rel=1e-5)
        chances.append(p_value(reproduce.read_finding(line), theirs))
    # six digits of a number and its spread leave p known to a few percent
    for line, p in zip(lines, holm(chances), strict=True):
        if math.isnan(p):
            assert line["verdict"] in (NO_TEST, NOT_PUBLISHED)
        elif abs(p - 0.05) > 0.005:
            assert line["verdict"] == (AGREES if p > 0.05 else DIFFERS), line
        assert (line["verdict"] == DIFFERS) == (line["reason"] != "")


@pytest.mark.parametrize(("paper", "table"), TABLES)
def test_every_tested_number_has_its_tolerance(paper: str, table: str) -> None:
    for line in reproduce.read_results(paper, table):
        tested = line["verdict"] in (AGREES, DIFFERS)
        assert tested == (line["agrees_from"] != "") == (line["agrees_to"] != "")
        if tested:
            low, ours, high = (float(line[k]) for k in ("agrees_from", "ours", "agrees_to"))
            # six digits: a number at the end of its tolerance may be rounded across it
            room = 1e-5 * max(abs(low), abs(high))
            if line["verdict"] == AGREES:
                assert low - room <= ours <= high + room, line
            else:
                assert ours <= low + room or ours >= high - room, line


@pytest.mark.parametrize("paper", PAPERS)
def test_every_record_says_how_its_table_was_made(paper: str) -> None:
    records = reproduce.read_records(paper)
    assert records
    for record in records:
        assert record["scale"] in list(Scale)
        assert record["cells"]
        assert min(record["cells"].values()) > 0
        assert {"fingerprint", "versions", "seconds", "seeds", "smoke"} <= set(record)
        assert reproduce.read_results(paper, record["table"])


@pytest.mark.parametrize("paper", PAPERS)
def test_a_larger_scale_has_the_cells_of_a_smaller_one(paper: str) -> None:
    study = reproduce.load_study(paper)
    smoke, small = (study.grid(scale, None) for scale in (Scale.SMOKE, Scale.SMALL))
    runs = {(cell.table, cell.name): cell.runs for cell in small}
    for cell in smoke:
        assert runs[cell.table, cell.name] >= cell.runs
