"""`--when COLUMN`: every command that allows for the order of cases in time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import earnest as en
from tests.cli.conftest import Run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Four forecasters of a series, the rows shuffled."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((160, 4))
    for t in range(1, 160):
        noise[t] += 0.7 * noise[t - 1]
    y = rng.standard_normal(160).cumsum()
    frame = pd.DataFrame(y[:, None] + noise, columns=list("abcd"))
    frame.insert(0, "y", y)
    frame.insert(1, "day", pd.date_range("2024-01-01", periods=160).strftime("%Y-%m-%d"))
    frame.sample(frac=1.0, random_state=0).to_csv(tmp_path / "preds.csv", index=False)
    return tmp_path / "preds.csv"


def test_every_command_takes_the_column(table: Path, run: Run, tmp_path: Path) -> None:
    read = ("--when", "day", "--fold", "", "--task", "regression", "-m", "mae")
    told = json.loads(run("estimate", table, *read, "--rng", "1", "--json").out)["dependence"]
    assert told["n_times"] == 160
    assert told["inflation"] > 1.5
    shown = run("estimate", table, *read, "--rng", "1")
    assert "In time" in shown.out
    compared = json.loads(run("compare", table, "a", "b", *read, "--json").out)
    assert compared["test"] == "diebold_mariano"
    assert compared["dependence"]["n_times"] == 160
    assert run("compare", table, "--all", *read).code == 0
    assert run("gate", table, *read, "--below", "5").code == 0
    assert run("gain", table, *read).code == 0
    page = tmp_path / "report.html"
    assert run("report", table, *read, "-o", page).code == 0
    assert "In time" in page.read_text(encoding="utf-8")


def test_a_model_is_tuned_in_windows_and_its_run_keeps_the_order(
    table: Path, run: Run, tmp_path: Path
) -> None:
    series = tmp_path / "series.csv"
    frame = pd.read_csv(table).sort_values("day")
    frame.assign(before=frame["y"].shift(1).bfill())[["day", "y", "before"]].sample(
        frac=1.0, random_state=1
    ).to_csv(series, index=False)
    out = tmp_path / "run"
    ask = ("tune", series, "-t", "y", "--when", "day", "--folds", "4", "--rng", "0", "-o", out)
    done = run(*ask, "--n-configs", "2", "--n-jobs", "1")
    assert done.code == 0, done.err
    assert "trained on 32 to 128" in done.out.replace("\n  ", " ")
    estimate = json.loads((out / "estimate.json").read_text())
    assert estimate["training"] == {"fewest": 32, "median": 80, "most": 128}
    assert estimate["dependence"]["n_times"] == 128
    pi = en.Predictions.load(out / "predictions.parquet")
    assert np.isfinite(pi.responses[:, 0, 0]).sum() == 128
    days = pd.read_csv(series)["day"].to_numpy()
    assert (pi.target.order == np.argsort(np.argsort(days))).all()
    assert en.estimate(out).dependence is not None


def test_wrong_columns_are_refused_before_any_work(table: Path, run: Run) -> None:
    for wrong, words in (
        (("estimate", table, "--when", "date", "--fold", "", "-m", "mae"), "--when"),
        (("estimate", table, "--time", "day", "--fold", "", "-m", "mae"), "--when day"),
        (("tune", table, "-t", "y", "--time", "day"), "--when day"),
        (("tune", table, "-t", "y", "--when", "hour"), "--when"),
        (("tune", table, "-t", "y", "--when", "day", "--repeats", "3"), "--repeats"),
    ):
        done = run(*wrong)
        assert done.code == 2, wrong
        assert words in done.err, done.err
        assert "Traceback" not in done.err
