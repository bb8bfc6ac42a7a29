"""How many cases the tested models were trained on is what the splitter gave them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

import earnest as en
from earnest.core import TrainingSizes

RNG = np.random.default_rng(3)
X = RNG.standard_normal((60, 3))
y = X[:, 0] + RNG.standard_normal(60)


def search(cv: object, **options: object) -> en.SearchCV:
    return en.SearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=cv, scoring="r2", **options).fit(X, y)


@pytest.mark.parametrize(
    "cv",
    [
        TimeSeriesSplit(5),
        TimeSeriesSplit(5, max_train_size=12),
        KFold(7),
        ShuffleSplit(4, train_size=20, test_size=15, random_state=0),
        [(np.arange(20), np.arange(20, 40)), (np.arange(30), np.arange(40, 60))],
    ],
    ids=["expanding", "rolling", "uneven folds", "random splits", "own splits"],
)
def test_an_estimate_tells_the_sizes_of_the_training_sets(cv: object) -> None:
    parts = cv if isinstance(cv, list) else list(cv.split(X))  # type: ignore[attr-defined]
    sizes = [len(train) for train, _ in parts]
    expected = TrainingSizes(min(sizes), int(np.median(sizes)), max(sizes))
    assert search(cv).estimate_.training == expected


def test_a_saved_file_and_a_run_file_keep_the_sizes(tmp_path: Path) -> None:
    run = tmp_path / "run.db"
    fitted = search(TimeSeriesSplit(5), store=run)
    fitted.predictions_.save(tmp_path / "pi.parquet")
    for loaded in (
        en.Predictions.load(tmp_path / "pi.parquet"),
        en.predictions_from(run, y=y),
    ):
        assert en.estimate(loaded, metric="r2", rng=0).training == TrainingSizes(10, 30, 50)


def test_folds_that_leave_cases_untested_do_not_tell_the_training_sizes() -> None:
    fold = np.where(np.arange(60) < 10, -1, np.arange(60) // 10)
    scores = np.where(fold < 0, np.nan, y + RNG.standard_normal(60))
    pi = en.Predictions.from_arrays(y, scores, fold=fold)
    assert en.estimate(pi, metric="r2", rng=0).training is None
    whole = en.Predictions.from_arrays(y, y, fold=np.arange(60) // 20)
    assert whole.training == TrainingSizes(40, 40, 40)
    assert whole.take(np.arange(30)).training == TrainingSizes(40, 40, 40)
