"""The door: every source is recognised, everything else is told what is accepted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import earnest as en
from tests.snapshots import Golden

CONFIGS = [{"depth": 1 + i % 5, "rate": 10.0 ** -(i % 4), "kind": "ab"[i % 2]} for i in range(20)]
SCORES = [0.1 * ((i * 7) % 11) for i in range(20)]


def table() -> pd.DataFrame:
    return pd.DataFrame(CONFIGS).assign(score=SCORES)


def test_a_table_a_csv_a_parquet_and_configurations_are_the_same_trials(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "trials.csv", index=False)
    table().to_parquet(tmp_path / "trials.parquet")
    expected = en.trials_from(CONFIGS, SCORES, direction="maximize")
    for source in (
        table(),
        pl.DataFrame(table().to_dict("list")),
        tmp_path / "trials.csv",
        str(tmp_path / "trials.parquet"),
    ):
        found = en.trials_from(source, objective="score", direction="maximize")
        assert found.configs == expected.configs
        np.testing.assert_array_equal(found.objective, expected.objective)
        assert found.space == expected.space


def test_trials_pass_through_and_take_another_space() -> None:
    trials = en.trials_from(CONFIGS, SCORES, direction="maximize")
    assert en.trials_from(trials) is trials
    wide = en.Space(
        (
            en.Parameter(name="depth", kind="int", low=1, high=50),
            en.Parameter(name="rate", kind="float", low=1e-6, high=1, log=True),
            en.Parameter(name="kind", kind="categorical", choices=("a", "b", "c")),
        )
    )
    assert en.trials_from(trials, space=wide).space == wide
    with pytest.raises(en.errors.InputError, match="does not apply"):
        en.trials_from(trials, objective="score")


def test_something_else_is_told_what_is_accepted(golden: Golden) -> None:
    with pytest.raises(en.errors.InputError) as refusal:
        en.trials_from(3.5)
    accepted = {"an Optuna study", "a table", "a list of configurations", "the path of a file"}
    assert accepted <= set(refusal.value.needs.split("; "))
    with pytest.raises(en.errors.InputError, match="Collect it first"):
        en.trials_from(pl.DataFrame(table().to_dict("list")).lazy(), objective="score")
    with pytest.raises(en.errors.InputError) as refusal:
        en.trials_from(CONFIGS)
    golden.check(str(refusal.value))
    with pytest.raises(en.errors.InputError, match="`space` is not a space"):
        en.trials_from(CONFIGS, SCORES, direction="maximize", space={"depth": 3})


def test_a_database_of_another_kind_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE birds (name TEXT)")
        base.commit()
    before = path.read_bytes()
    with pytest.raises(en.errors.FormatError, match=r"database without trials.*birds"):
        en.trials_from(path)
    assert path.read_bytes() == before


def test_a_missing_file_offers_the_nearest_and_a_folder_says_what_it_lacks(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "trials.csv", index=False)
    with pytest.raises(en.errors.FormatError, match=r"Did you mean 'trials\.csv'"):
        en.trials_from(tmp_path / "trails.csv")
    with pytest.raises(en.errors.FormatError, match="holds no trials"):
        en.trials_from(tmp_path)
    (tmp_path / "trials.doc").write_text("hello")
    with pytest.raises(en.errors.FormatError, match="unsupported file extension"):
        en.trials_from(tmp_path / "trials.doc")
