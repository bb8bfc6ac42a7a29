"""A search in rounds: early dropping and early stopping as `SearchCV` does them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import SVC

from benchmarks.papers.tsamardinos2018.replay import replay
from earnest import SearchCV, estimate
from earnest.core import Seeds
from earnest.engine import parcels
from earnest.engine import run as engine_run
from earnest.rules import BCED
from earnest.store import MemoryStore
from earnest.training import StopWhenWidth, read_dropping

GRID = {"C": [1e-4, 0.1, 1.0, 100.0], "gamma": [1e-3, 0.1, 10.0]}


def problem(n: int = 120) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(2)
    y = np.tile([0, 1], n // 2)
    return 1.5 * y[:, None] + rng.standard_normal((n, 2)), y


def search(**knobs: Any) -> SearchCV:
    return SearchCV(SVC(), GRID, cv=6, random_state=3, **knobs)


@pytest.fixture(scope="module")
def whole() -> SearchCV:
    """A search that drops nothing."""
    return search().fit(*problem())


@pytest.fixture(scope="module")
def dropping() -> SearchCV:
    """A search that drops configurations."""
    return search(drop="bced").fit(*problem())


@pytest.mark.parametrize("name", ["bced", "bced_adjusted"])
def test_the_search_drops_what_the_rule_says_of_its_predictions(
    name: str, whole: SearchCV, dropping: SearchCV
) -> None:
    made = dropping if name == "bced" else search(drop=name).fit(*problem())
    rule = read_dropping(name)
    assert rule is not None
    wanted = replay(whole.predictions_, "accuracy", rule, Seeds(3))
    assert made.dropped_ == wanted.trace
    assert len(made.dropped_) > 0
    assert made.n_fits_ == wanted.trained
    assert made.n_fits_ + made.n_fits_saved_ == whole.n_fits_ == 6 * 12
    np.testing.assert_array_equal(made.predictions_.responses, wanted.pi.responses)


def test_who_is_dropped_has_no_predictions_after_its_round(dropping: SearchCV) -> None:
    made = dropping
    pi = made.predictions_
    for drop in made.dropped_:
        own = pi.responses[:, pi.configs.index(drop.config), 0]
        np.testing.assert_array_equal(np.isnan(own), pi.folds[:, 0] >= drop.round)
    assert made.best_index_ not in [pi.configs.index(drop.config) for drop in made.dropped_]


def test_the_estimate_is_that_of_those_left_with_a_note(dropping: SearchCV) -> None:
    made = dropping
    left = made.predictions_.select(np.flatnonzero(made.predictions_.complete).tolist())
    plain = estimate(left, metric="accuracy", rng=3)
    assert made.estimate_.value == plain.value
    # Those that were dropped competed until then: the limits allow for them, too.
    ends, alone = made.estimate_.interval, plain.interval
    assert ends is not None
    assert alone is not None
    assert (ends.low <= alone.low, ends.high) == (True, alone.high)
    assert "configurations_dropped" in {caution.kind for caution in made.estimate_.cautions}


def test_neither_workers_nor_a_store_change_anything() -> None:
    X, y = problem()
    knobs: dict[str, Any] = {"drop": "bced", "stop_when_width": 0.2}
    store = MemoryStore()
    first = search(**knobs).fit(X, y)
    for more in ({"n_jobs": 2}, {"store": store}, {"store": store}):
        again = search(**knobs, **more).fit(X, y)
        assert again.dropped_ == first.dropped_
        assert again.predictions_.fingerprint == first.predictions_.fingerprint
        assert again.estimate_ == first.estimate_


def test_the_data_goes_to_the_workers_once_for_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    whole = engine_run.by_file

    def counting(content: parcels.RunContent) -> Any:
        sent.append(content)
        return whole(content)

    monkeypatch.setattr(engine_run, "by_file", counting)
    X, y = problem()
    made = search(drop="bced", n_jobs=2).fit(X, y)
    assert made.n_splits_ == 6
    assert len(sent) == 1


def test_what_was_run_without_dropping_is_found_again_with_it(dropping: SearchCV) -> None:
    X, y = problem()
    store = MemoryStore()
    search(store=store).fit(X, y)
    resumed = search(store=store, drop="bced").fit(X, y)
    assert resumed.predictions_.fingerprint == dropping.predictions_.fingerprint


def test_knobs_come_through() -> None:
    X, y = problem()
    strict = search(drop=BCED(threshold=0.999)).fit(X, y)
    loose = search(drop=BCED(threshold=0.6)).fit(X, y)
    assert len(strict.dropped_) < len(loose.dropped_)
    assert clone(loose).drop == BCED(threshold=0.6)


def test_folds_end_at_the_first_interval_that_is_narrow_enough(whole: SearchCV) -> None:
    made = search(stop_when_width=0.25).fit(*problem())
    rule = StopWhenWidth(0.25)
    for done in range(1, 6):
        so_far = _first_folds(whole.predictions_, done)
        if rule.test(so_far, "accuracy", Seeds(3), done).stop:
            break
    assert 1 < made.n_splits_ == done < 6
    assert made.n_fits_ == 12 * done
    interval = made.confidence_interval_
    assert interval is not None
    assert interval.width <= 0.25
    assert "folds_stopped" in {caution.kind for caution in made.estimate_.cautions}


def _first_folds(pi: Any, done: int) -> Any:
    from dataclasses import replace

    responses = pi.responses.copy()
    responses[pi.folds[:, 0] >= done] = np.nan
    return replace(pi, responses=responses)


def test_an_interval_that_is_never_narrow_enough_ends_nothing(whole: SearchCV) -> None:
    made = search(stop_when_width=1e-6).fit(*problem())
    assert made.n_splits_ == 6
    assert made.estimate_ == whole.estimate_
