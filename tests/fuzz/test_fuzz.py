"""A short run of the fuzzer, and every kind of input that it found to be called a fault of earnest.

A named case is the smallest file of its kind; `make fuzz` looks for more.
"""

from __future__ import annotations

import io
import json
import operator
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import earnest as en
from earnest.cli import main
from tests.fuzz.checks import BrokenPromise, SilentNaN
from tests.fuzz.inputs import KINDS, LOG_SCORES, LOGS, SCORES, make_input
from tests.fuzz.links import ChangedOutside
from tests.fuzz.mutations import DEEP
from tests.fuzz.run import (
    BROKEN,
    CRASH,
    DONE,
    FAULT,
    GOOD,
    HANG,
    REFUSED,
    SILENT,
    format_table,
    run_input,
)
from tests.fuzz.seeds import write_seeds

ROOT = Path(__file__).parents[2]
EACH = 2  # inputs of a kind: a few seconds
SLOW = ("ask training", "ask model", "load model", "ask trials", "question report")


@pytest.fixture(scope="session")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "seeds"
    write_seeds(folder)
    return folder


def test_a_short_run_finds_nothing(seeds: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    findings, answered = [], Counter[str]()
    kinds = [kind for kind in KINDS if kind not in SLOW]
    for kind in kinds:
        for seed in range(EACH):
            fuzzed = make_input(seed, seeds, tmp_path / "work", only=kind)
            assert fuzzed.kind == kind
            result = run_input(fuzzed.call)
            answered[kind] += result.outcome == DONE
            if result.outcome not in GOOD:
                findings.append((kind, seed, fuzzed.words, result.detail))
    assert not findings
    questions = [kind for kind in kinds if kind.startswith("question")]
    share = sum(answered[kind] for kind in questions) / (EACH * len(questions))
    assert share >= 0.5  # what is refused at once tries nothing


def test_the_seeds_themselves_are_read(seeds: Path) -> None:
    for name in ("study.db", "study.log", "runhistory.json", "search.db"):
        en.trials_from(seeds / name)
    en.trials_from(seeds / "trials.csv", objective="auc", direction="maximize")
    assert en.predictions_from(seeds / "search.db", outcome(seeds)).n_configs == 12
    en.Predictions.load(seeds / "own.npz")
    en.results.Comparison.load(seeds / "comparison.json")
    en.load_model(seeds / "run").predict(seeds / "new.csv")
    for name in SCORES:
        assert en.Scores.load(seeds / name).n_configs == 3
    for tool in LOGS:
        assert en.scores_from(seeds / "logs" / tool, score=LOG_SCORES.get(tool)).n_configs >= 2


def test_an_input_depends_on_its_seed_alone(seeds: Path, tmp_path: Path) -> None:
    for seed in range(40):
        files = []
        for _ in range(2):
            made = make_input(seed, seeds, tmp_path / "work")
            content = {p.name: p.read_bytes() for p in (tmp_path / "work").iterdir() if p.is_file()}
            content.pop("run.db", None)  # SQLite keeps counters of its own
            content.pop("study.db", None)
            files.append((made.kind, made.words, sorted(content)))
        assert files[0] == files[1]


def test_each_way_to_end_is_told_from_the_others() -> None:
    def spin() -> None:
        while True:
            pass

    def fail(error: Exception) -> Callable[[], None]:
        def call() -> None:
            raise error

        return call

    assert run_input(lambda: 0).outcome == DONE
    assert run_input(lambda: 2).outcome == REFUSED
    assert run_input(lambda: 1).outcome == FAULT
    assert run_input(fail(en.errors.InputError("no"))).outcome == REFUSED
    assert run_input(fail(ZeroDivisionError())).outcome == FAULT
    assert run_input(fail(SilentNaN("value"))).outcome == SILENT
    assert run_input(fail(BrokenPromise("range"))).outcome == BROKEN
    assert run_input(fail(ChangedOutside("victim"))).outcome == BROKEN
    assert run_input(spin, patience=0.1).outcome == HANG


def test_the_table_counts_every_kind_and_every_way_to_end() -> None:
    outcomes = [DONE] * 3 + [REFUSED] + [FAULT] + [CRASH] + [HANG] + [SILENT] * 2 + [BROKEN]
    records = [{"kind": "load run", "outcome": word, "seconds": 0.1} for word in outcomes]
    head, row, total, rate = format_table(records, 60.0).splitlines()
    assert row.split() == ["load", "run", "10", "3", "1", "2", "1", "2", "1", "30", "%", "100.0"]
    assert total.split()[1:] == row.split()[2:]
    assert len(head) == len(row)
    assert rate.startswith("1.0 minutes")


@pytest.mark.slow
def test_lanes_share_the_seeds_and_none_is_run_twice(seeds: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz.run", "--minutes", "5", "--inputs", "12"]
    shutil.copytree(seeds, tmp_path / "seeds")
    options = ["--processes", "2", "--batch", "3", "--only", "load portfolio"]
    ended = subprocess.run(
        [*command, *options, "--out", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    ran = [
        [json.loads(line)["seed"] for line in log.read_text().splitlines()]
        for log in sorted(tmp_path.glob("log-*.jsonl"))
    ]
    assert ran == [[0, 1, 2, 6, 7, 8], [3, 4, 5, 9, 10, 11]]
    assert "load portfolio" in ended.stdout


# ------------------------------------------------------------------- what was found, by name


def load_gzip(seeds: Path, work: Path) -> object:
    data = bytearray((seeds / "own.csv.gz").read_bytes())
    data[30:60] = bytes(30)
    (work / "x.csv.gz").write_bytes(data)
    return en.Predictions.load(work / "x.csv.gz")


def load_npz(**arrays: Any) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        plain = {"y": [0, 1] * 4, "scores": np.arange(16.0).reshape(8, 2), "fold": [0, 1] * 4}
        np.savez(work / "x.npz", **(plain | arrays))
        return en.Predictions.load(work / "x.npz")

    return load


def load_own_npz(**arrays: Any) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        with np.load(seeds / "own.npz") as content:
            np.savez(work / "x.npz", **(dict(content) | arrays))
        return en.Predictions.load(work / "x.npz")

    return load


def load_metadata(key: bytes, text: bytes) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        table = pq.read_table(seeds / "wide.parquet").replace_schema_metadata({key: text})
        pq.write_table(table, work / "x.parquet")
        return en.Predictions.load(work / "x.parquet")

    return load


def explain_journal(change: Callable[[bytes], bytes]) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        (work / "x.log").write_bytes(change((seeds / "study.log").read_bytes()))
        return en.trials_from(work / "x.log")

    return load


def explain_storage(statement: str) -> Callable[[Path, Path], object]:
    return lambda seeds, work: en.trials_from(changed_base(seeds / "study.db", work, statement))


def explain_bytes(old: bytes, new: bytes) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        data = (seeds / "study.db").read_bytes()
        (work / "x.db").write_bytes(data.replace(old, new.ljust(len(old), b"\xff")))
        return en.trials_from(work / "x.db")

    return load


def outcome(seeds: Path) -> list[int]:
    column = csv.read_csv(seeds / "table.csv").column("y").to_pylist()
    return [int(label == "yes") for label in column]


def gather_run(statement: str) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        path = changed_base(seeds / "search.db", work, statement)
        return en.predictions_from(path, outcome(seeds))

    return load


def resume_run(statement: str) -> Callable[[Path, Path], object]:
    def resume(seeds: Path, work: Path) -> object:
        folder = Path(shutil.copytree(seeds / "run", work / "run"))
        changed_base(folder / "run.db", work, statement).replace(folder / "run.db")
        table = seeds / "table.csv"
        return en.tune(
            table, target="y", n_configs=2, folds=3, rng=0, n_jobs=1, out=folder, resume=True
        )

    return resume


def changed_base(source: Path, work: Path, statement: str) -> Path:
    shutil.copy(source, work / "x.db")
    base = sqlite3.connect(work / "x.db")
    base.execute(statement)
    base.commit()
    base.close()
    return work / "x.db"


def load_result(kind: Any, name: str, *trail: str, value: Any) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        tree = json.loads((seeds / f"{name}.json").read_text())
        node = tree
        for key in trail[:-1]:
            node = node[key]
        node[trail[-1]] = value
        (work / "x.json").write_text(json.dumps(tree))
        return repr(kind.load(work / "x.json"))

    return load


def load_history(change: Callable[[list[Any]], object]) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        tree = json.loads((seeds / "runhistory.json").read_text())
        change(tree["data"])
        (work / "runhistory.json").write_text(json.dumps(tree))
        return en.trials_from(work / "runhistory.json")

    return load


def load_model_with_empty_member(seeds: Path, work: Path) -> object:
    content = io.BytesIO()
    with (
        zipfile.ZipFile(seeds / "run" / "model.skops") as whole,
        zipfile.ZipFile(content, "w") as made,
    ):
        made.comment = whole.comment
        for name in whole.namelist():
            made.writestr(name, b"" if name.endswith(".npy") else whole.read(name))
    (work / "x.skops").write_bytes(content.getvalue())
    return en.load_model(work / "x.skops")


def load_scores_npz(**arrays: Any) -> Callable[[Path, Path], object]:
    """Read scores of earnest with other arrays; None leaves one out."""

    def load(seeds: Path, work: Path) -> object:
        with np.load(seeds / "scores_samples.npz") as content:
            changed = dict(content) | arrays
        np.savez(work / "x.npz", **{name: one for name, one in changed.items() if one is not None})
        return en.Scores.load(work / "x.npz")

    return load


def load_scores_text(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        (work / name).write_bytes(change((seeds / name).read_bytes()))
        return en.Scores.load(work / name)

    return load


def load_scores_table(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path, Path], object]:
    def load(seeds: Path, work: Path) -> object:
        table = pq.read_table(seeds / "scores_own.parquet")
        pq.write_table(change(table), work / "x.parquet")
        return en.Scores.load(work / "x.parquet")

    return load


DAMAGED: dict[str, Callable[[Path, Path], object]] = {
    "corrupt gzip": load_gzip,
    "classes that are a table": load_npz(classes=np.array([[0, 1]])),
    "classes that are one value": load_npz(classes=np.array(5)),
    "names of configurations that are one value": load_npz(configs=np.array(5)),
    "names of configurations that are records": load_npz(configs=np.zeros(2, "i4,i4")),
    "names of cases that are records": load_npz(ids=np.zeros(8, "i4,i4")),
    "groups that are complex": load_npz(groups=np.zeros(8, complex)),
    "folds with no dimension": load_npz(fold=np.array(5)),
    "folds of an own file that are a table": load_own_npz(folds=np.zeros((40, 3), np.int32)),
    "folds of an own file that no name is of": load_own_npz(folds=np.full((40, 1), 7, np.int32)),
    "outcomes of an own file that no class is of": load_own_npz(y=np.full(40, 7)),
    "metadata of pandas that are no JSON": load_metadata(b"pandas", b"{"),
    "metadata of pandas that are too deep": load_metadata(b"pandas", b"[" * DEEP),
    "metadata of pandas of another form": load_metadata(b"pandas", b'{"index_columns": 5}'),
    "a header that is too deep": load_metadata(b"earnest", b"[" * DEEP),
    "a journal that is not UTF-8": explain_journal(lambda text: text + b'{"x": "\xff"}\n'),
    "a journal that is too deep": explain_journal(lambda text: text + b"[" * DEEP + b"\n"),
    "a journal of another form": explain_journal(lambda text: text + b'{"op_code": 99}\n'),
    "a journal with a value that is too large": explain_journal(
        lambda text: re.sub(rb'"values":\[[^]]*\]', b'"values":[%d]' % 10**400, text, count=1)
    ),
    "a storage whose tables are not named in UTF-8": explain_bytes(b"study_directions", b"\xff"),
    "a storage with a date that is none": explain_storage(
        "UPDATE trials SET datetime_start = '12,573'"
    ),
    "a storage with a distribution that is none": explain_storage(
        "UPDATE trial_params SET distribution_json = '{}'"
    ),
    "a storage without values": explain_storage("DELETE FROM trial_values"),
    "a storage without directions": explain_storage("DELETE FROM study_directions"),
    "a storage without a table": explain_storage("DROP TABLE trial_params"),
    "a storage of two versions": explain_storage("INSERT INTO alembic_version VALUES ('v9.9.9')"),
    "a plan that is too deep": resume_run(f"UPDATE document SET text = '{'[' * DEEP}'"),
    "a plan with a number that is too large": resume_run(
        "UPDATE document SET text = replace(text, '\"n_rows\": ', '\"n_rows\": 1e999')"
    ),
    "a run whose response is none": gather_run(
        'UPDATE document SET text = replace(text, \'"response": "\', \'"response": "x\') '
        "WHERE name = 'cases'"
    ),
    "a run whose cases are too deep": gather_run(
        f"UPDATE document SET text = '{'[' * DEEP}' WHERE name = 'cases'"
    ),
    "a run without rows of its cases": gather_run(
        "UPDATE document SET text = replace(text, '\"splits\"', '\"s\"') WHERE name = 'cases'"
    ),
    "a result whose standard error is a list": load_result(
        en.results.Comparison, "comparison", "standard_error", value=[]
    ),
    "a result whose value is a word": load_result(
        en.results.Estimate, "estimate", "value", value="x"
    ),
    "a result whose value is too large": load_result(
        en.results.Comparison, "comparison", "difference", value=10**400
    ),
    "a result whose limits are none": load_result(
        en.results.Comparison, "comparison", "limits", value=[{}, 1.0]
    ),
    "a result without its own p-value": load_result(
        en.results.Comparison, "comparison", "p_values", value={}
    ),
    "a run history with a cost that is too large": load_history(
        lambda runs: operator.setitem(runs[0], 4, 10**400)
    ),
    "a run history without runs": load_history(lambda runs: runs.clear()),
    "a model with an empty member": load_model_with_empty_member,
    "scores without their array": load_scores_npz(values=None),
    "scores with an array of another name": load_scores_npz(scores=np.zeros(40)),
    "scores with an array of words": load_scores_npz(values=np.array(["x"])),
    "scores in a gzip file that is cut off": load_scores_text(
        "scores_own.csv.gz", lambda data: data[:-20]
    ),
    "scores in a gzip file that is corrupt": load_scores_text(
        "scores_own.csv.gz", lambda data: data[:40] + bytes(20) + data[60:]
    ),
    "scores whose header lacks an entry": load_scores_text(
        "scores_own.csv", lambda data: data.replace(b'"remarks"', b'"r"', 1)
    ),
    "scores whose header says a number in words": load_scores_text(
        "scores_own.csv", lambda data: data.replace(b'"shape":[40', b'"shape":["x"', 1)
    ),
    "scores that are words in a file of earnest": load_scores_text(
        "scores_samples.csv",
        lambda data: b"\n".join(
            [data.split(b"\n")[0], *(re.sub(rb"\d$", b"x", one) for one in data.split(b"\n")[1:])]
        ),
    ),
    "scores that end with their header": load_scores_text(
        "scores_own.csv", lambda data: data.split(b"\n")[0]
    ),
    "scores whose header has no columns": load_scores_text(
        "scores_own.csv", lambda data: data.replace(b'"columns"', b'"c"', 1)
    ),
    "scores that lack a column": load_scores_table(lambda table: table.drop_columns("c")),
    "scores that are times of day": load_scores_table(
        lambda table: table.set_column(
            table.column_names.index("a"),
            "a",
            pa.array([0] * table.num_rows, pa.time32("s")),
        )
    ),
    "no configuration of a long table": lambda seeds, work: en.Scores.load(
        seeds / "scores_long.csv", configs=[]
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_refused(name: str, seeds: Path, tmp_path: Path) -> None:
    with pytest.raises(en.errors.EarnestError):
        DAMAGED[name](seeds, tmp_path)


@pytest.mark.parametrize(
    "args",
    [
        ["estimate", "a" * 300 + ".csv", "-m", "auc"],
        ["estimate", "/".join(["a" * 200] * 30), "-m", "auc"],
        ["explain", "a" * 300],
        ["gather", "sqlite:///" + "a" * 5000, "-o", "x.csv"],
        ["predict", "a" * 300, "x.csv"],
        ["tune", "a" * 300 + ".csv", "-t", "y"],
    ],
)
def test_a_path_that_is_too_long_is_refused(args: list[str], capsys: Any) -> None:
    assert main(args) == 2
    assert "too long" in capsys.readouterr().err.casefold() or args[0] == "gather"


def test_too_little_memory_is_told_as_such(
    seeds: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 8.00 EiB")

    monkeypatch.setattr("earnest.methods.run.estimate", exhausted)
    monkeypatch.setattr("earnest.estimate", exhausted, raising=False)
    assert main(["estimate", str(seeds / "wide.csv"), "-m", "auc"]) == 2
    said = capsys.readouterr().err
    assert "memory" in said
    assert "fault of earnest" not in said


def test_a_report_of_numbers_near_zero_is_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {"y": rng.normal(size=20) * 1e-320, "fold": np.arange(20) % 2}
    pq.write_table(pa.table(columns | {"a": rng.random(20) * 1e-320}), tmp_path / "x.parquet")
    asked = ["--task", "regression", "--n-resamples", "50", "--no-explain", "--rng", "1"]
    out = tmp_path / "o.html"
    code = main(["report", str(tmp_path / "x.parquet"), "-m", "rmse", *asked, "-o", str(out)])
    assert code == 0
    assert out.exists()
