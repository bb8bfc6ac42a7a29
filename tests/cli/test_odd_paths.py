"""Paths whose bytes are no UTF-8 work like others, for what is read and for what is written."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from pyarrow import csv

from tests.cli.conftest import Run, write_table
from tests.training.tune_tables import of, portfolio

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="their file systems have names in Unicode only"
)
ODD = os.fsdecode(b"odd \xff")
TUNE = ("--target", "relapse", "--portfolio", "quick.toml", "--n-configs", "2", "--folds", "3",
        "--rng", "7", "--n-jobs", "1")  # fmt: skip
ASK = ("-m", "roc_auc", "--rng", "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    csv.write_csv(of("relapse"), "patients.csv")
    shutil.copy("patients.csv", f"{ODD}.csv")
    portfolio(tmp_path)
    write_table(tmp_path / f"{ODD} preds.csv", [f"svm C={c}" for c in range(4)])
    return tmp_path


def test_a_run_may_lie_in_a_folder_whose_name_is_no_utf8(run: Run, here: Path) -> None:
    done = run("tune", f"{ODD}.csv", *TUNE, "--live", "--out", ODD)
    assert done.code == 0, done.err
    again = run("tune", f"{ODD}.csv", *TUNE, "--live", "--out", ODD, "--resume")
    assert again.code == 0, again.err
    for call in (
        ("predict", ODD, "patients.csv", "--out", f"{ODD}/new.parquet"),
        ("predict", ODD, "patients.csv", "--out", f"{ODD}/new.csv"),
        ("report", ODD, "--out", f"{ODD}/again.html"),
        ("estimate", f"{ODD}/predictions.parquet", *ASK),
    ):
        done = run(*call)
        assert done.code == 0, (call, done.err)


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "tsv", "arrow", "npz"])
def test_tables_are_written_and_read_under_such_a_name(run: Run, here: Path, ending: str) -> None:
    from earnest import Predictions

    pi = Predictions.load(here / f"{ODD} preds.csv")
    (here / ODD).mkdir()
    path = pi.save(here / ODD / f"{ODD}.{ending}")
    assert Predictions.load(path).fingerprint == pi.fingerprint


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_reports_are_written_under_and_about_such_a_name(run: Run, here: Path, ending: str) -> None:
    out = f"{ODD}.{ending}"
    done = run("report", f"{ODD} preds.csv", *ASK, "--out", out)
    assert done.code == 0, done.err
    text = Path(out).read_text("utf-8")
    if ending == "json":
        assert "odd \\udcff" in text
        assert json.loads(text)


def test_verdicts_and_run_files_are_written_under_such_a_name(run: Run, here: Path) -> None:
    done = run("gate", f"{ODD} preds.csv", *ASK, "--above", "0.5", "--junit", f"{ODD}.xml",
               "--markdown", f"{ODD}.md", "--ledger", f"{ODD}.db")  # fmt: skip
    assert done.code in (0, 3, 4), done.err
    assert all(Path(f"{ODD}.{ending}").exists() for ending in ("xml", "md", "db"))
