"""A survival table goes through: tuned, kept with its times, and asked for survival of new rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import earnest as en
from earnest.errors import InputError

N = 80


@pytest.fixture(scope="module")
def table() -> pa.Table:
    rng = np.random.default_rng(5)
    age = rng.normal(60, 10, N)
    life, end = rng.exponential(300 * np.exp((60 - age) / 10)), rng.uniform(50, 900, N)
    return pa.table(
        {
            "age": age,
            "site": rng.choice(["Graz", "Linz"], N),
            "days": np.ceil(np.minimum(life, end)),
            "died": life <= end,
        }
    )


@pytest.fixture(scope="module")
def tuned(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> en.results.Tuned:
    return en.tune(
        table, time="days", event="died", metric="survival_brier(at=111)", n_configs=2, folds=3,
        rng=1, n_jobs=1, out=tmp_path_factory.mktemp("run") / "run",
    )  # fmt: skip


def test_the_run_keeps_survival_at_the_time_of_the_metric(tuned: en.results.Tuned) -> None:
    assert tuned.predictions.kind == "survival"
    assert 111.0 in tuned.predictions.target.times
    assert tuned.folder is not None
    again = en.predictions_from(tuned.folder / "run.db")
    assert again.target.times == tuned.predictions.target.times
    np.testing.assert_array_equal(again.responses, tuned.predictions.responses)
    later = en.estimate(tuned.folder, metric="uno_c", rng=0, n_resamples=50)
    assert 0.5 < later.value < 1.0


def test_new_rows_get_survival_at_the_times_that_are_asked(
    tuned: en.results.Tuned, table: pa.Table, tmp_path: Path
) -> None:
    assert tuned.folder is not None
    model = en.load_model(tuned.folder)
    new = table.drop_columns(["days", "died"]).slice(0, 7)
    forecast = model.predict(new, at=[111, 365.5])
    assert forecast.columns == ("risk", "survival_111", "survival_365.5")
    plain = model.predict(new)
    assert plain.columns == ("risk",)
    np.testing.assert_array_equal(forecast.scores[:, 0], plain.scores)
    assert (forecast.scores[:, 1] >= forecast.scores[:, 2]).all()
    order = np.argsort(plain.scores)
    assert (np.diff(forecast.scores[order, 1]) <= 1e-12).all()  # proportional hazards
    whole = tuned.model.predict(table.drop_columns(["days", "died"]), at=111).scores[:, 1]
    share = (np.asarray(table["days"]) > 111).mean()
    assert abs(whole.mean() - share) < 0.2


def test_times_that_cannot_be_asked_are_refused(tuned: en.results.Tuned, table: pa.Table) -> None:
    new = table.drop_columns(["days", "died"])
    latest = float(np.asarray(table["days"]).max())
    assert len(tuned.model.predict(new, at=latest)) == N
    for at in (0, -1, [2, 1], [], "soon", float("nan"), latest + 1):
        with pytest.raises(InputError):
            tuned.model.predict(new, at=at)  # type: ignore[arg-type]
    other = en.tune(table, target="site", n_configs=1, folds=3, rng=1, n_jobs=1).model
    with pytest.raises(InputError):
        other.predict(new, at=100)
