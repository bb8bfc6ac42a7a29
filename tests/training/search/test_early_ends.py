"""Dropping, budgets, repeats, kills and clusters in searches that learn from scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import earnest as en
from earnest import SearchCV
from earnest.core.base.rng import Seeds
from earnest.errors import InputError, StoreError
from earnest.rules import BCED
from earnest.store import MemoryStore
from earnest.training.search import run as search_run

RULE = BCED(threshold=0.6, min_predictions=20, n_resamples=100)


class Walk:
    """A search around its best so far, which writes down what it is told."""

    def __init__(self, trials: int = 24, batch: int = 4) -> None:
        self.trials, self.batch = trials, batch
        self.told: dict[int, list[float]] = {}

    def limit(self) -> int:
        return self.trials

    def start(self, seed: int) -> Any:
        return _Run(self, seed)


class _Run:
    def __init__(self, walk: Walk, seed: int) -> None:
        self.walk, self.seed, self.count = walk, seed, 0
        self.best, self.top = 1.0, -np.inf
        self.asked: list[float] = []
        walk.told[seed] = []

    def ask(self) -> list[dict[str, object]]:
        rng = np.random.default_rng([self.seed, self.count])
        size = min(self.walk.batch, self.walk.trials - self.count)
        self.asked = [float(self.best * np.exp(4.0 * rng.standard_normal())) for _ in range(size)]
        self.count += size
        return [{"C": C} for C in self.asked]

    def tell(self, scores: Any) -> None:
        self.walk.told[self.seed] += list(scores)
        for C, score in zip(self.asked, scores, strict=True):
            if score > self.top:
                self.top, self.best = score, C


def data(n: int = 100) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], n // 2)
    return y[:, None] * 0.7 + 2.0 * rng.standard_normal((n, 8)), y


def searched(walk: Walk | None = None, **options: Any) -> SearchCV:
    settings: dict[str, Any] = {
        "scoring": "roc_auc",
        "cv": 5,
        "random_state": 3,
        "drop": RULE,
        "guide": "crossed",
        "n_resamples": 60,
    }
    model = LogisticRegression()
    return SearchCV(model, walk or Walk(), **settings | options).fit(*data())


@pytest.fixture(scope="module")
def crossed() -> SearchCV:
    return searched()


def content(search: SearchCV) -> tuple[Any, ...]:
    return (
        search.predictions_.fingerprint,
        search.dropped_,
        search.best_params_,
        search.estimate_.value,
        search.estimate_.interval,
        search.counts_,
    )


@pytest.mark.parametrize("guide", ["crossed", "all"])
def test_a_dropped_configuration_has_no_later_fold_and_its_sampler_hears_of_the_earlier_ones(
    guide: str, crossed: SearchCV
) -> None:
    walk = Walk()
    search = searched(walk, guide=guide)
    pi, dropped = search.predictions_, {drop.config: drop for drop in search.dropped_}
    assert 2 <= len(dropped) < len(pi.configs)
    assert search.counts_.dropped == len(dropped)
    assert search.n_fits_saved_ == sum(5 - drop.round for drop in dropped.values()) > 0
    heard: list[tuple[int, float]] = []
    runs = list(walk.told.values())
    if guide == "crossed":
        assert pi.guides is not None
        every = [list(scores) for scores in runs]
        assert pi.guides.guided_by.tolist() == [0, 1] * 12
        heard = [(c, every[c % 2][c // 2]) for c in range(24)]
        for c, told in heard:
            name = pi.configs.ids[c]
            last = dropped[name].round if name in dropped else 5
            mine = (pi.guides.halves == c % 2) & (pi.folds[:, 0] < last)
            assert not np.isnan(pi.responses[mine, c, 0]).any()
            assert np.isnan(pi.responses[pi.folds[:, 0] >= last, c, 0]).all()
            oracle = roc_auc_score(pi.target.y[mine], pi.responses[mine, c, 0])
            assert told == pytest.approx(oracle, abs=1e-12)
    else:
        for c, told in enumerate(runs[0]):
            name = pi.configs.ids[c]
            last = dropped[name].round if name in dropped else 5
            oracle = np.mean(
                [search.cv_results_[f"split{split}_test_score"][c] for split in range(last)]
            )
            assert told == pytest.approx(oracle, abs=1e-12)


def test_what_is_dropped_follows_from_the_half_of_its_sampler_alone(crossed: SearchCV) -> None:
    """A plain repetition: the rule sees one sampler's whole rivals and batch, on its own half."""
    pi = crossed.predictions_
    assert pi.guides is not None
    rounds = {drop.config: drop.round for drop in crossed.dropped_}
    for first in range(0, 24, 8):  # four of each sampler in turn
        for half in (0, 1):
            batch = list(range(first + half, first + 8, 2))
            earlier = [c for c in range(half, first, 2) if pi.configs.ids[c] not in rounds]
            for done in range(1, 5):
                alive = [c for c in batch if rounds.get(pi.configs.ids[c], 9) >= done]
                if not alive:
                    continue
                some = pi.select([*earlier, *alive])
                responses = some.responses.copy()
                responses[some.folds[:, 0] >= done] = np.nan
                cases = np.flatnonzero(pi.guides.halves == half)
                seen = replace(some, responses=responses).take(cases)
                test = RULE.test(seen, "roc_auc", Seeds(3), done)
                oracle = {
                    c for c, ends in zip(alive, test.dropped[len(earlier) :], strict=True) if ends
                }
                assert oracle == {c for c in alive if rounds.get(pi.configs.ids[c]) == done}


def test_predictions_of_the_other_half_change_no_proposal_and_no_dropping() -> None:
    """Outcomes of cases of half 1 that only half 1 tests leave sampler 0 as it was."""
    first = searched()
    halves = first.predictions_.guides.halves  # type: ignore[union-attr]
    scrambled = {"count": 0}
    kept = search_run.score_own_halves

    def lie(ledger: Any, configs: Any, own: Any, metric: Any) -> list[float]:
        scores = kept(ledger, configs, own, metric)
        scrambled["count"] += 1
        return [1.0 - s if half == 1 else s for s, half in zip(scores, own, strict=True)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_run, "score_own_halves", lie)
        other = searched()
    assert scrambled["count"] > 1
    np.testing.assert_array_equal(other.predictions_.guides.halves, halves)  # type: ignore[union-attr]
    for half, alike in ((0, True), (1, False)):
        mine = [
            [(t.params["C"], t.status) for t in search.trials_[half::2]]
            for search in (first, other)
        ]
        assert (mine[0] == mine[1]) is alike


def test_only_the_unseen_half_judges_what_survived(crossed: SearchCV) -> None:
    estimate, pi = crossed.estimate_, crossed.predictions_
    assert estimate.guide == "crossed"
    assert estimate.n_configs == crossed.counts_.complete
    assert pi.guides is not None
    assert set(pi.guides.guided_by.tolist()) == {0, 1}
    assert "EN051" in {caution.code for caution in estimate.cautions}


@pytest.mark.parametrize("guide", ["crossed", "all"])
def test_workers_change_nothing_where_configurations_are_dropped(guide: str) -> None:
    alone, both = (searched(guide=guide, n_jobs=jobs, n_repeats=2) for jobs in (1, 2))
    assert content(alone) == content(both)
    assert len(alone.dropped_) > 0


class Stop(Exception):
    pass


class Killed(MemoryStore):
    """A store whose process ends after so many fits."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def put(self, outcome: Any) -> None:
        super().put(outcome)
        if len(self.done()) == self.count:
            raise Stop


@pytest.mark.parametrize("guide", ["crossed", "all"])
@pytest.mark.parametrize("count", [3, 61])
def test_a_killed_search_that_drops_goes_on_as_it_would_have(guide: str, count: int) -> None:
    store = Killed(count)
    with pytest.raises(Stop):
        searched(guide=guide, store=store)
    resumed = MemoryStore()
    vars(resumed).update({name: each for name, each in vars(store).items() if name != "count"})
    assert content(searched(guide=guide, store=resumed)) == content(searched(guide=guide))


def test_what_a_sampler_is_told_identifies_a_stored_search() -> None:
    store = MemoryStore()
    searched(store=store)
    for options in ({"drop": None}, {"drop": BCED()}, {"error_score": 0.0}):
        with pytest.raises((StoreError, en.errors.EarnestError)):
            searched(store=store, **options)


def test_a_budget_ends_the_proposals_and_a_resumed_search_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def clock() -> Iterator[float]:
        yield from range(10**6)

    ticks = clock()
    monkeypatch.setattr(search_run, "monotonic", lambda: float(next(ticks)))
    store = MemoryStore()
    short = searched(budget=2, store=store)  # a second passes at each look
    assert short.counts_.planned == 24
    assert short.counts_.tried == 16  # two batches of both samplers
    assert short.estimate_.guide == "crossed"
    whole = searched()
    longer = searched(budget="1h", store=store)
    assert content(longer) == content(whole)
    names = short.predictions_.configs.ids
    np.testing.assert_array_equal(
        short.predictions_.responses, whole.predictions_.responses[:, : len(names)]
    )


def test_a_budget_is_refused_where_all_is_known_in_advance() -> None:
    grid = {"C": [0.1, 1.0]}
    with pytest.raises(InputError, match="budget"):
        SearchCV(LogisticRegression(), grid, budget="5m").fit(*data())
    with pytest.raises(InputError, match="not a duration"):
        searched(budget="5x")
    with pytest.raises(InputError, match="stop_when_width"):
        searched(stop_when_width=0.1)


def test_dask_gives_a_crossed_search_that_drops_the_same_bytes(crossed: SearchCV) -> None:
    distributed = pytest.importorskip("distributed")
    joblib = pytest.importorskip("joblib")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        assert content(searched()) == content(crossed)
