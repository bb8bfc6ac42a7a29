"""`--by COLUMN`: every command that judges subgroups."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from earnest.results import Subgroups
from tests.cli.conftest import Run
from tests.properties.test_subgroups import TABLE, make_predictions


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of others, with a column of text for each subgroup."""
    pi = make_predictions()
    frame = pi.to_frame(backend="pandas")
    assert isinstance(frame, pd.DataFrame)
    frame.assign(**TABLE).to_csv(tmp_path / "preds.csv", index=False)
    return tmp_path / "preds.csv"


def test_every_command_takes_the_column(table: Path, run: Run, tmp_path: Path) -> None:
    by = ("--by", "site", "--by", "sex")
    done = run("estimate", table, "-m", "roc_auc", *by, "--rng", "1", "--json")
    estimate = json.loads(done.out)
    groups = Subgroups.from_dict(estimate["subgroups"])
    assert groups.columns == ("site", "sex")
    assert groups.worse == ("site = bad",)
    shown = run("estimate", table, "-m", "roc_auc", *by, "--rng", "1")
    assert shown.code == 0
    assert "site = bad" in shown.out
    done = run("compare", table, "a", "b", "-m", "accuracy", *by, "--json")
    assert len(json.loads(done.out)["subgroups"]["subgroups"]) == 4
    done = run("gate", table, "-m", "roc_auc", "--above", "0.85", *by)
    assert done.code == 3
    done = run("thresholds", table, "-m", "roc_auc", *by, "--rng", "1", "--json")
    assert len(json.loads(done.out)["subgroups"]) == 4
    page = tmp_path / "report.json"
    assert run("report", table, "-m", "roc_auc", *by, "-o", page).code == 0
    part = json.loads(page.read_text())["subgroups"]
    assert [row["kind"] for row in part["rows"]] == ["worse", "better", "other", "other"]
    assert len(part["rates"]) == 4


def test_the_command_line_refuses_what_has_no_subgroups(table: Path, run: Run) -> None:
    for wrong in (
        ("estimate", table, "-m", "accuracy", "--by", "cite"),
        ("estimate", table, "-m", "accuracy", "--by", "site", "--by", "sex", "--all"),
        ("compare", table, "--all", "-m", "accuracy", "--by", "site", "--by", "sex"),
        ("estimate", table, "--scores", "--by", "site"),
    ):
        done = run(*wrong)
        assert done.code == 2
        assert "--by" in done.err
        assert "Traceback" not in done.err
