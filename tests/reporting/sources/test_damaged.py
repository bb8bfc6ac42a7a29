"""Runs and tables that were changed by another hand are reported, or refused, without a fault."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from tests.training.tune_tables import PORTFOLIO, of


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    (folder / "p.toml").write_text(PORTFOLIO)
    asked = {"folds": 3, "n_configs": 6, "rng": 7, "n_jobs": 1, "out": folder / "run"}
    en.tune(of("relapse"), target="relapse", portfolio=folder / "p.toml", **asked)
    return folder / "run"


def change_document(path: Path, name: str, text: str) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE document SET text = ? WHERE name = ?", (text, name))


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
def test_a_run_that_lists_no_configuration_is_reported(
    run: Path, tmp_path: Path, whole: bool
) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    change_document(copy / "run.db", "configs", "[]")
    made = en.report(copy if whole else copy / "run.db", explain=False, n_resamples=50)
    assert "<html" in made.to_html()


def test_a_cheapest_that_the_run_does_not_list_is_named_as_it_is(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    with closing(sqlite3.connect(copy / "run.db")) as base, base:
        base.execute("DELETE FROM outcome")
    made = en.report(copy, explain=False, n_resamples=50)
    assert "<html" in made.to_html()


def test_scores_with_folds_are_reported(tmp_path: Path) -> None:
    right = (np.random.default_rng(0).random((40, 3)) < [0.5, 0.6, 0.7]).astype(float)
    np.savez(tmp_path / "scores.npz", scores=right, fold=np.arange(40) % 5)
    made = en.report(en.Scores.load(tmp_path / "scores.npz"), explain=False, n_resamples=50)
    assert "fold by fold" in made.to_markdown()


def test_a_seed_that_is_no_text_is_refused(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    with closing(sqlite3.connect(tmp_path / "run" / "run.db")) as base, base:
        base.execute("UPDATE identity SET value = x'0107' WHERE name = 'seed'")
    with pytest.raises(en.errors.FormatError, match="damaged"):
        en.report(tmp_path / "run" / "run.db", explain=False, n_resamples=50)
