"""A table with dates, free text and many levels: read, tuned, saved, and used elsewhere."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.errors import InputError
from earnest.training import ColumnKind, read_training_table

SEED, N = 5, 900
CITIES = 150


def make_table() -> pd.DataFrame:
    """Return a table whose outcome depends on a word, a city and the weekday."""
    rng = np.random.default_rng(SEED)
    words = np.array([f"word{i:02d}" for i in range(20)])
    picks = rng.integers(0, 20, (N, 6))
    city, worth = rng.integers(0, CITIES, N), rng.normal(size=CITIES)
    when = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900 * 24, N), unit="h")
    risk = 2.0 * (picks == 3).any(axis=1) + 1.5 * worth[city] + 1.5 * (when.dayofweek >= 5)
    frame = pd.DataFrame(
        {
            "note": [f"{' '.join(words[row])} case {i}" for i, row in enumerate(picks)],
            "city": [f"c{c:03d}" for c in city],
            "seen": when,
            "written": when.strftime("%d.%m.%Y"),
            "zip": [f"{c * 7 % 90:05d}" for c in city],
            "name": [f"n{2 * i // 3}" for i in range(N)],
            "y": np.where(risk + rng.logistic(size=N) > 1.0, "yes", "no"),
        }
    )
    for row, column in enumerate(["note", "city", "seen", "written"]):
        frame.loc[row, column] = None
    return frame


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    found = en.tune(make_table(), target="y", n_configs=2, folds=3, rng=1, n_jobs=1, out=folder)
    return found, folder


def test_every_column_is_read_as_what_it_is_and_names_are_left_out_with_a_word() -> None:
    table = read_training_table(make_table(), target="y")
    kinds = {f.column: f.kind for f in table.schema.features}
    assert kinds == {
        "note": ColumnKind.TEXT,
        "city": ColumnKind.LEVELS,
        "seen": ColumnKind.DATE,
        "written": ColumnKind.DATE,
        "zip": ColumnKind.CATEGORY,
    }
    assert table.schema.left_out == {"name": "names"}
    said = {caution.kind: caution.facts for caution in table.cautions}
    assert said["columns_encoded"] == {
        "dates": ("seen", "written"),
        "texts": ("note",),
        "coded": ("city",),
    }
    assert "names_left_out" in said
    assert len(table.inputs.texts[0]) == 8  # six words, the word `case` and a number


def test_what_they_hold_is_learned(tuned) -> None:
    found, _ = tuned
    assert found.estimate.interval.low > 0.6  # no other column tells anything
    told = en.tune(
        make_table(), target="y", ignore=("note", "city", "seen", "written"),
        n_configs=2, folds=3, rng=1, n_jobs=1,
    )  # fmt: skip
    assert told.estimate.value < found.estimate.value - 0.05


def test_the_model_predicts_the_same_in_a_new_process_from_a_frame_and_a_file(tuned, tmp_path):
    found, folder = tuned
    new = make_table().head(40).drop(columns="y")
    new.loc[20, "city"] = "never seen"
    new.to_csv(tmp_path / "new.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    code = (
        "import sys, earnest as en, numpy as np;"
        "model = en.load_model(sys.argv[1]);"
        "print([np.asarray(model.predict(f).scores).ravel().tolist() for f in sys.argv[2:]])"
    )
    files = [str(tmp_path / "new.csv"), str(tmp_path / "new.parquet")]
    ran = subprocess.run(
        [sys.executable, "-c", code, str(folder), *files],
        capture_output=True,
        text=True,
        check=True,
    )
    expected = np.asarray(found.model.predict(new).scores).ravel()
    for scores in eval(ran.stdout, {"nan": np.nan}):
        np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_dates_in_another_form_and_numbers_instead_of_dates_are_refused(tuned) -> None:
    found, _ = tuned
    new = make_table().head(5)
    with pytest.raises(InputError, match="dates"):
        found.model.predict(new.assign(written="2021/31/12"))
    with pytest.raises(InputError, match="dates"):
        found.model.predict(new.assign(seen=3.5))
    gone = new.assign(seen=pd.NaT, written=None)
    assert np.isfinite(np.asarray(found.model.predict(gone).scores)).all()


def test_a_column_can_be_left_out_by_its_own_name() -> None:
    table = read_training_table(make_table(), target="y")
    blank = table.blank(["seen"])
    changed = [
        feature.column
        for index, feature in enumerate(table.schema.features)
        if not np.array_equal(blank.X[:, index], table.X[:, index], equal_nan=True)
    ]
    assert set(changed) == {"seen"}
    assert np.isfinite(blank.X[:, table.schema.find_features("seen")]).all()
