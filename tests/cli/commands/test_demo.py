"""`earnest demo`: the whole job, told without the documentation."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from pyarrow import csv
from sklearn.metrics import roc_auc_score

from earnest.training import EXPLANATION, FILES, REPORT


def test_the_demo_tunes_says_what_to_expect_and_shows_the_truth(run, tmp_path, golden):
    out = tmp_path / "demo"
    for name in ("credit.csv", "predicted.csv", *(f"run/{name}" for name in FILES)):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("of an earlier demo, which is no hindrance")
    done = run("demo", "--out", out, "--n-configs", "1", "--n-jobs", "1")
    assert done.code == 0
    golden.check_line(done.out, "150 cases, 7")
    names = {"credit.csv", "new-applicants.csv", "predicted.csv", "run"}
    assert {p.name for p in out.iterdir()} == names
    names = {p.name for p in (out / "run").iterdir()}
    assert names - {EXPLANATION} == {*FILES, REPORT}  # that one only where there is time
    saved = json.loads((out / "run" / "estimate.json").read_text("utf-8"))
    assert saved["n_cases"] == 150

    # the truth is that of its predictions
    predicted = csv.read_csv(out / "predicted.csv")
    packed = files("earnest").joinpath("data", "german_credit.csv.gz").read_bytes()
    rows = gzip.decompress(packed).decode().splitlines()[151:]
    bad = [row.endswith(",bad") for row in rows]
    column = next(name for name in predicted.column_names if name.endswith("bad"))
    area = roc_auc_score(bad, predicted[column].to_pylist())
    told = next(line for line in done.out.splitlines() if "on 850 new applicants" in line)
    assert float(told.split()[-1]) == pytest.approx(area, abs=0.0051)

    # it ends with the address of its page
    last = done.out.strip().splitlines()[-1].split()[-1]
    page = Path(url2pathname(urlparse(last).path))
    assert last.startswith("file://")
    assert f"Live    {last}" in done.out.splitlines()  # in one piece, however long
    assert page == out / "run" / REPORT
    assert "data-written" not in page.read_text("utf-8")  # the report, no longer the live page


def test_a_demo_that_cannot_write_is_refused(run, tmp_path):
    (tmp_path / "file").write_text("x")
    done = run("demo", "--out", tmp_path / "file")
    assert done.code == 2
    assert done.err.startswith("error: the folder ")
