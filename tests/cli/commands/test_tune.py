"""`earnest tune`: what it says, what it writes, and what it refuses in one line."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from earnest import Predictions
from earnest.cli.show.tune import _facts
from earnest.comparison import run as comparing
from earnest.core import Readiness, Sufficiency, Usable
from earnest.methods import BBC
from earnest.results import Counts, LearningCurve
from earnest.store import sqlite
from earnest.training import FILES, REPORT
from earnest.training.tune import job
from earnest.training.tune import job as tune_job
from tests.cli.conftest import with_options
from tests.core.base.test_writing import another_writer
from tests.snapshots import read_snapshot
from tests.training.tune_tables import of, patients, portfolio

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in a folder with a table of patients and a quick portfolio."""
    monkeypatch.chdir(tmp_path)
    csv.write_csv(of("relapse"), "patients.csv")
    portfolio(tmp_path)
    return tmp_path


ASK = ("tune", "patients.csv", "--target", "relapse", "--rng", "7", "--n-jobs", "1")
QUICK = (*ASK, "--portfolio", "quick.toml", "--n-configs", "3", "--folds", "3")
PLAIN = (*QUICK, "--no-report")


def timeless(text: str) -> str:
    """Return text in a line without spans of time, which differ from run to run."""
    line = re.sub(r"(in|about) (\d+ s|\d+:\d\d( h)?)", r"\1 TIME", " ".join(text.split()))
    return re.sub(r"(\d+ s|\d+:\d\d( h)?) in all", "TIME in all", line)


def refuse(done, message: str) -> None:
    """Hold a refusal to its words: exit code 2, one line, nothing on standard output."""
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {message}\n"


def test_a_run_reads_as_recorded(run, here, monkeypatch):
    monkeypatch.setattr("earnest.cli.show.tune.describe_time", lambda seconds: "9 s")
    monkeypatch.setattr(job, "_estimate", job._estimate.__wrapped__)  # by as many as users have
    done = run(*QUICK)
    assert done.code == 0
    assert done.out == read_snapshot(GOLDEN / "tune.txt", done.out)
    assert max(map(len, done.out.splitlines())) <= 80
    lines = done.err.splitlines()  # without a terminal progress is a line per tenth
    assert len(lines) == 9  # of nine fits; the last line is the end
    assert all(line.startswith("Search ") for line in lines)
    assert re.fullmatch(r"Search  100 %  9 of 9 fits  in \d+ s", lines[-1])


def test_with_dropping_progress_is_a_line_a_fold(run, here):
    lines = run(*PLAIN, "--drop", "bced").err.splitlines()
    assert [line[:9] for line in lines] == ["Fold  2/3", "Fold  3/3", "Fold  3/3"]


def test_the_files_are_written_and_json_says_what_estimate_json_says(run, here):
    done = run(*QUICK, "--json", "--out", "a/b")
    said = json.loads(done.out)
    assert sorted(p.name for p in (here / "a" / "b").iterdir()) == sorted([*FILES, REPORT])
    saved = json.loads((here / "a" / "b" / "estimate.json").read_text("utf-8"))
    assert {key: said[key] for key in saved} == saved
    assert set(said) - set(saved) == {"folder", "seconds", "fit_seconds"}
    assert said["tuning"]["n_fits"] == 10


def test_a_learning_curve_is_written_and_told_where_it_is_asked(run, here):
    done = run(*QUICK, "--learning-curve")
    assert done.code == 0
    folder = here / "run"
    made = LearningCurve.load(folder / "learning.json")
    assert f"{made.sizes[-2]} to {made.sizes[-1]}" in " ".join(done.out.split())
    assert "learning.json" in done.out
    assert 'id="more-cases"' in (folder / "report.html").read_text("utf-8")
    again = run(*QUICK, "--learning-curve", "--resume")
    assert timeless(again.out) == timeless(done.out)


def test_the_next_command_can_be_pasted_whatever_the_folder_is_called(run, here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    out = "my run; $(x) 'q'"
    done = run(*QUICK, "--out", out)
    assert done.code == 0
    line = next(line for line in done.out.splitlines() if line.split()[:1] == ["Next"])
    assert shlex.split(line)[1:] == ["earnest", "predict", f"{out}/", "new.csv"]


def test_a_resumed_run_leaves_nothing_that_a_killed_one_was_writing(run, here):
    assert run(*PLAIN, "--quiet").code == 0
    with another_writer(here / "run" / "predictions.parquet") as (process, temporary):
        process.kill()
        process.wait()
    assert temporary.exists()
    assert run(*PLAIN, "--quiet", "--resume").code == 0
    assert sorted(path.name for path in (here / "run").iterdir()) == sorted(FILES)


def test_quiet_shows_nothing(run, here):
    done = run(*PLAIN, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_plan_is_repeated_with_the_same_bytes(run, here, golden):
    asked = with_options(PLAIN, ("--n-configs", "2"))
    assert run(*asked, "--quiet").code == 0
    again = (*asked, "--plan", "run/plan.json")
    assert run(*again, "--out", "again", "--quiet").code == 0
    for name in ("predictions.parquet", "model.skops", "plan.json"):
        assert (here / "run" / name).read_bytes() == (here / "again" / name).read_bytes(), name
    refused = run(*again, "--ensemble", "greedy", "--out", "other")
    assert refused.code == 2
    golden.check_sentence(refused.err, "ensemble None there")
    assert run(*asked, "--ensemble", "gredy", "--out", "other").code == 2


@pytest.mark.slow
def test_a_plan_of_an_ensemble_is_repeated_with_the_same_bytes(run, here):
    """The ordinary forms are the test above, and that of Python in test_tuned_ensemble.py."""
    asked = (*with_options(PLAIN, ("--n-configs", "2")), "--ensemble", "greedy", "--quiet")
    assert run(*asked).code == 0
    assert run(*asked, "--plan", "run/plan.json", "--out", "again").code == 0
    for name in ("predictions.parquet", "model.skops", "plan.json"):
        assert (here / "run" / name).read_bytes() == (here / "again" / name).read_bytes(), name


def test_ascii_terminals_get_ascii(run_in_ascii, here):
    done = run_in_ascii(*PLAIN)
    assert done.code == 0
    assert "Read" in done.out


def test_an_interrupt_says_how_to_go_on(run, here, monkeypatch, golden):
    def interrupted(*args, **kwargs):
        (Path("run") / "run.db").write_bytes(b"")
        raise KeyboardInterrupt

    monkeypatch.setattr("earnest.training.tune.job.run_search", interrupted)
    done = run(*QUICK)
    assert done.code == 130
    golden.check(done.err.splitlines()[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ["--target", "relaps"],
            "--target names no column: there is no 'relaps'. Expected 'patient_id', 'age', 'sex', "
            "'marker', 'smoker', 'seen', 'site', 'relapse'. Did you mean 'relapse'?",
        ),
        (
            ["--target", "site"],
            "the outcome 'site' has only one value. Expected at least two values, got 'Graz' in "
            "all 90 rows. Check whether --target names the right column.",
        ),
        (
            ["--target", "seen"],
            "the outcome 'seen' is neither numbers nor classes. Expected numbers, text, or true "
            "and false, got date32[day].",
        ),
        (
            ["--folds", "60"],
            "cannot make 60 stratified folds: class no of relapse has 45 cases. Expected at least "
            "one case of each class in each fold, got 45 no, 45 yes. Use --folds 20.",
        ),
        (
            ["--budget", "5x"],
            "--budget: '5x' is not a duration. Use 90s, 5m or 1h.",
        ),
        (
            ["--budget", "0.5s"],
            "--budget: '0.5s' is less than a second. Use 90s, 5m or 1h.",
        ),
        (
            ["--metric", "rmse"],
            "metric 'rmse' is not defined for a binary task. ",
        ),
        (
            ["--positive", "maybe"],
            "--positive is not a class of 'relapse'. Expected 'no' or 'yes', got 'maybe'.",
        ),
        (
            ["--ignore", "ag"],
            "--ignore names no column: there is no 'ag'. Expected 'patient_id', 'age', 'sex', "
            "'marker', 'smoker', 'seen', 'site', 'relapse'. Did you mean 'age'?",
        ),
        (
            ["--ignore", "age,sex"],
            "--ignore names no column: there is no 'age,sex'. Expected 'patient_id', 'age', 'sex', "
            "'marker', 'smoker', 'seen', 'site', 'relapse'. Repeat the option, --ignore age "
            "--ignore sex, or pass a list in Python.",
        ),
        (
            ["--group", "site"],
            "column 'site' has only one value. Expected at least two groups, got one group.",
        ),
        (
            ["--time", "age"],
            "a survival outcome needs two columns. Expected --time and --event, got --time alone. "
            "For the order of the cases in time pass --when age.",
        ),
        (
            ["--portfolio", "huge"],
            "portfolio 'huge' is unknown. Expected ",
        ),
        (["--task", "rank"], "--task is unknown. Expected 'binary', 'multiclass', 'regression', "),
        (["--drop", "all"], "rule for early dropping 'all' is unknown. Expected "),
    ],
)
def test_what_cannot_work_is_refused_in_one_line_before_anything_is_written(
    run, here, change, message
):
    done = run(*with_options(QUICK, change))
    if message.endswith(" "):  # the rest lists names that grow
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"error: {message}"), done.err
        assert done.err.count("\n") == 1
    else:
        refuse(done, message)
    assert not (here / "run").exists()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "'bad.csv' is empty. Expected a table with at least one row."),
        (
            b"age,relapse\n",
            "the table is empty. Expected at least one row and one column, got 0 rows, 2 columns.",
        ),
        (
            b"gr\x81\xf6,relapse\n1,a\n",
            "'bad.csv' is not UTF-8: other bytes in the names of the columns. Save it as 'CSV "
            "UTF-8'.",
        ),
        (
            b"63.5,yes\n41.5,no\n57.5,yes\n",
            "the first line of 'bad.csv' looks like data, not column names. Expected the names of "
            "the columns in the first line, got '63.5', 'yes'. Add a line with column names above "
            "it.",
        ),
        (
            b"age,age,relapse\n1,2,a\n",
            "column names are not unique. Expected a different name for every column, got 'age' in "
            "columns 1, 2. Rename or remove all but one of each.",
        ),
        (
            b"age,relapse\n,a\n,b\n",
            "no features are left. Expected at least one column of numbers or categories "
            "besides the outcome, got 'age' (empty).",
        ),
        (
            b"age,relapse\n" + b"".join(b"%d.5,a\n%d.5,b\n" % (i, i) for i in range(30)) + b"x,a\n",
            "column 'age' has cells that are not numbers. Expected a number in every row, or "
            "nothing, got 'x' in line 62. If 'x' stands for a missing value, pass --missing x; "
            "otherwise correct it, or leave the column out: --ignore age.",
        ),
    ],
)
def test_tables_that_cannot_be_read_are_refused_in_one_line(run, here, data, message):
    (here / "bad.csv").write_bytes(data)
    refuse(run("tune", "bad.csv", "--target", "relapse"), message)


def test_a_folder_with_a_run_is_resumed_and_refused_otherwise(run, here):
    first = run(*PLAIN)
    again = run(*PLAIN, "--resume")
    assert timeless(again.out) == timeless(first.out)
    assert "9 stored" in again.err
    refuse(
        run(*QUICK),
        "'run/' already holds a run. Expected a new or empty folder, got run.db, "
        "predictions.parquet, model.skops, estimate.json, plan.json. Use --resume to continue that "
        "run, or choose another folder with --out.",
    )
    refuse(
        run(*with_options(QUICK, ("--folds", "4", "--resume"))),
        "'run/' holds another run. Expected the run that started it, to resume it, got folds 3 "
        "there, 4 now. Repeat the call that started it, or choose another folder with --out.",
    )


def test_resume_says_that_there_is_no_run_and_starts_none(run, here):
    refuse(
        run(*QUICK, "--out", "new", "--resume"),
        "'new/' has no run to resume. Expected a folder with the run file 'run.db', got a folder "
        "that does not exist. Give the folder of the run with --out, or leave --resume out to "
        "start a new run.",
    )
    assert not (here / "new").exists()


def test_more_rows_than_the_time_allows_are_sampled(run, here, monkeypatch):
    """A stand-in for ten million rows: every row counts as a thousand."""
    table = patients(9000).select(["age", "sex", "marker", "relapse"])
    csv.write_csv(table, "many.csv")
    from earnest.training.tune import pilot as tune_pilot

    monkeypatch.setattr(tune_pilot, "FEWEST_SECONDS", 0.05)
    done = run("tune", "many.csv", "--target", "relapse", "--rng", "7", "--n-jobs", "1",
               "--portfolio", "quick.toml", "--folds", "3", "--budget", "1s", "--json",
               "--no-report")  # fmt: skip
    assert done.code == 0
    said = json.loads(done.out)
    assert said["tuning"]["n_rows"] == 9000
    assert said["n_cases"] == 5000
    assert "searched_on_fewer" in {caution["kind"] for caution in said["cautions"]}


def test_the_time_that_is_over_is_told(run, here, monkeypatch, golden):
    late = tune_job.Clock

    class Never(late):
        def __init__(self, *, deadline, **rest) -> None:
            super().__init__(deadline=-1.0, **rest)

    monkeypatch.setattr(tune_job, "Clock", Never)
    done = run(*PLAIN)
    assert done.code == 0
    golden.check_sentence(done.out, "The time ran")


def said_before_the_search(run, monkeypatch, *options: str, **changes: float) -> str:
    """Return the lines that stand before a search, with what a pilot may have seen put in."""
    plan = tune_job.Job.plan
    monkeypatch.setattr(tune_job.Job, "plan", lambda job, finish: replace(plan(job), **changes))
    done = run(*ASK, "--portfolio", "quick.toml", "--folds", "3", "--no-report", *options)
    lines = " ".join(done.out.partition("Expect")[0].split())
    return lines.partition("seed 7 ")[2]


def test_a_busy_machine_is_told_before_the_search(run, here, monkeypatch, golden):
    said = said_before_the_search(run, monkeypatch, crowding=3.04)
    golden.check(said)


def test_a_budget_that_is_too_short_is_told_with_what_it_will_take(run, here, monkeypatch, golden):
    said = said_before_the_search(
        run, monkeypatch, "--budget", "5s", crowding=1.0, least_seconds=12.2
    )
    golden.check(said)


def test_whole_numbers_read_as_classes_are_told(run, here, golden):
    csv.write_csv(of("grade"), "grades.csv")
    done = run("tune", "grades.csv", "--target", "grade", *PLAIN[4:])
    golden.check_line(done.out, "3 integers")
    asked = run("tune", "grades.csv", "--target", "grade", *PLAIN[4:], "--task", "regression",
                "--out", "other")  # fmt: skip
    assert "metric r2" in asked.out


def test_control_characters_of_a_table_do_not_reach_the_terminal(run, here):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    odd = pa.table({"x": x, "y": np.where(x > 0, "a\x1b[31m", "b")})
    csv.write_csv(odd, "odd.csv")
    done = run("tune", "odd.csv", "--target", "y", *PLAIN[4:])
    assert done.code == 0
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (2, "1 other not shown to be worse"),
        (3, "2 others not shown to be worse"),
        (9, "8 others not shown to be worse"),
    ],
)
def test_the_cheapest_is_told_with_how_many_are_as_good(count, told, golden):
    some = SimpleNamespace(name="elastic net, C 1")
    tuned = SimpleNamespace(
        estimate=SimpleNamespace(winner="model"),
        winner=some,
        cheapest=some,
        margin=0.0123,
        readiness=Readiness(
            ranks=True, usable=Usable.LIKELY, cases=Sufficiency.ENOUGH, n_cases=900
        ),
        n_not_worse=count,
        counts=Counts(planned=9, tried=9, complete=9),
        n_fits=1,
        n_fits_nested=1,
        seconds=1.0,
        learning=None,
        explanation=None,
        no_explanation="",
        no_learning="",
        budget_used=None,
        calibration=None,
    )
    facts = dict(_facts(tuned))
    assert facts["Rivals"] == told
    golden.check(facts["Cheaper"])
    assert "at most 0.012 worse" in facts["Cheaper"]
    assert "usable for ranking: likely" in facts["Verdict"]


def test_bbc_and_the_comparison_run_once_and_nothing_is_read_back(run, here, monkeypatch):
    counts = Counter()

    def count(owner, name: str, label: str) -> None:
        told = getattr(owner, name)

        def counted(*given, **named):
            counts[label] += 1
            return told(*given, **named)

        monkeypatch.setattr(owner, name, counted)

    count(BBC, "__call__", "bbc")
    count(comparing, "compare_all", "comparison")
    count(sqlite, "_read", "run file")
    count(Predictions, "load", "predictions")
    assert run(*QUICK).code == 0
    assert (here / "run" / REPORT).exists()
    assert counts == {"bbc": 1, "comparison": 1}


def test_seconds_are_from_the_start_of_the_command_to_the_last_file(run, here, monkeypatch):
    from earnest.cli.commands import tune as tune_command

    started, written = time.monotonic() - 100.0, []
    write = tune_command.write_report

    def write_and_look(*given):
        trouble = write(*given)
        written.append(time.monotonic())
        return trouble

    monkeypatch.setattr(tune_command, "find_command_start", lambda: started)
    monkeypatch.setattr(tune_command, "write_report", write_and_look)
    said = json.loads(run(*QUICK, "--json").out)
    assert (here / "run" / REPORT).exists()
    assert written[0] - started <= said["seconds"] <= time.monotonic() - started


def test_a_command_starts_with_its_process_unless_a_process_calls_it(monkeypatch):
    import earnest.cli as command_line

    seen = []
    monkeypatch.setattr(command_line, "find_process_start", lambda: 123.0)
    monkeypatch.setattr(
        "earnest.cli.app.run_program",
        lambda args: seen.append(command_line.find_command_start()) or 0,
    )
    before = time.monotonic()
    assert command_line.main() == command_line.main(["--help"]) == 0
    assert seen[0] == 123.0
    assert before <= seen[1] <= time.monotonic()
    assert command_line.find_command_start() >= seen[1]  # nothing is left of it


def test_a_column_that_knows_the_outcome_is_told_and_without_it_too(run, here):
    rng = np.random.default_rng(3)
    rows = of("relapse").to_pylist() * 3
    table = pa.Table.from_pylist(rows)
    late = [rng.normal() if row["relapse"] == "yes" else None for row in rows]
    table = table.append_column("closing_sum", pa.array(late))
    table = table.append_column("noise", pa.array(rng.normal(size=len(rows))))
    csv.write_csv(table, "leak.csv")
    ask = ("tune", "leak.csv", *QUICK[2:], "--no-report", "--out", "leak")
    done = run(*ask)
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert "EN081 `closing_sum` alone scores" in words
    assert "--ignore closing_sum" in words
    data = json.loads(run(*ask[:-1], "other", "--without", "noise", "--json").out)
    assert set(data["tuning"]["leaks"]["without"]) == {"noise", "closing_sum"}
    assert "--without" not in run("tune", "--help").out
    assert "--without" in run("tune", "--help-all").out
