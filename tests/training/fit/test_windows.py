"""Windows in time, held to plain loops and to scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score

import earnest as en
from earnest.errors import InputError
from earnest.learners import TimeWindows
from tests.snapshots import Golden


def plain_windows(times, n_splits, size, train_size, gap):
    """Yield windows by loops over the cases."""
    last = max(times) + 1
    for k in range(n_splits):
        start = last - (n_splits - k) * size
        train = [
            i
            for i, t in enumerate(times)
            if t < start - gap and (train_size is None or t >= start - gap - train_size)
        ]
        yield train, [i for i, t in enumerate(times) if start <= t < start + size]


def test_windows_are_those_of_loops() -> None:
    rng = np.random.default_rng(0)
    for n_splits, size, train_size, gap in ((2, 3, None, 0), (4, 2, 5, 1), (3, None, 4, 2)):
        times = np.concatenate([np.arange(20), rng.integers(0, 20, 15)])
        rng.shuffle(times)
        windows = TimeWindows(n_splits, when=times, test_size=size, train_size=train_size, gap=gap)
        plain = plain_windows(
            times.tolist(), n_splits, size or 20 // (n_splits + 1), train_size, gap
        )
        for ours, theirs in zip(windows.split(np.zeros((35, 1))), plain, strict=True):
            assert [sorted(side.tolist()) for side in ours] == list(theirs)


def test_windows_of_rows_are_those_of_scikit_learn() -> None:
    X = np.zeros((53, 1))
    for options in ({}, {"gap": 3}, {"test_size": 4}):
        theirs = TimeSeriesSplit(5, **options).split(X)
        for ours, other in zip(TimeWindows(5, **options).split(X), theirs, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(ours, other, strict=True))


def test_groups_that_are_tested_do_not_train() -> None:
    groups = np.arange(40) % 7
    for train, test in TimeWindows(3, test_size=4).split(np.zeros((40, 1)), groups=groups):
        assert not set(groups[train]) & set(groups[test])
        assert len(train)
        assert train.max() < test.min()


def test_they_serve_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((60, 2)), rng.standard_normal(60)
    assert len(cross_val_score(Ridge(), X, y, cv=TimeWindows(4))) == 4
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 10.0]}, cv=TimeWindows(3)).fit(X, y)
    assert search.best_params_


def test_a_search_in_windows_knows_its_order_and_its_training_sizes() -> None:
    rng = np.random.default_rng(2)
    dates = np.datetime64("2021-01-01") + rng.permutation(80)
    X, y = rng.standard_normal((80, 2)), rng.standard_normal(80)
    search = en.SearchCV(
        Ridge(), {"alpha": [0.1, 1.0, 10.0]}, cv=TimeWindows(3, when=dates, gap=2), metric="mse",
        random_state=0,
    ).fit(X, y)  # fmt: skip
    pi, estimate = search.predictions_, search.estimate_
    assert (pi.target.order == np.argsort(np.argsort(dates))).all()
    assert (np.isfinite(pi.responses[:, 0, 0]).sum(), pi.training.fewest) == (60, 18)
    assert estimate.dependence is not None
    assert estimate.dependence.n_times == 60
    assert str(estimate.training) == "18 to 58"
    assert not {"time_order", "cases_untested"} & {c.kind for c in estimate.cautions}


def test_too_few_times_are_refused(golden: Golden) -> None:
    with golden.raises(InputError):
        list(TimeWindows(5, gap=3).split(np.zeros((8, 1))))
    with golden.raises(InputError):
        list(TimeWindows(2).split(np.zeros((9, 1)), groups=np.zeros(9)))
    for wrong in ({"n_splits": 1}, {"gap": -1}, {"test_size": 0}):
        with pytest.raises(InputError):
            TimeWindows(**wrong)
