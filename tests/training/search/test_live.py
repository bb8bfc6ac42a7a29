"""The live page of a search: what it shows is true, and it neither slows nor ends the search."""

from __future__ import annotations

import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.core import TaskOutcome, name_configs
from earnest.training.search import live
from earnest.training.search.live import LivePage, LiveStanding, LiveState, Status, Watch
from tests.training.tune_tables import portfolio


class Kept(LivePage):
    """A page that keeps every state it was told."""

    seen: list[LiveState]

    def change(self, **parts: object) -> None:
        super().change(**parts)
        self.__dict__.setdefault("seen", []).append(self.state)


def data(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, 6, n_informative=2, flip_y=0.3, random_state=3)
    return X, y


# The criterion is shared by all, so that no name has it.
GRID = {"max_depth": [1, 2, 4, 6], "min_samples_leaf": [1, 9], "criterion": ["gini"]}


def search(page: object, **options: object) -> en.SearchCV:
    given = {"scoring": "roc_auc", "cv": 5, "random_state": 7, "refit": False, "live": page}
    tree = DecisionTreeClassifier(random_state=0)
    return en.SearchCV(tree, options.pop("grid", GRID), **(given | options)).fit(*data())


def show_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(live, "EVERY", 0.0)
    patch.setattr(live, "SHARE", np.inf)


@pytest.fixture(autouse=True)
def _numbers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every complete configuration show; how often it may is tested by itself."""
    show_at_once(monkeypatch)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[en.SearchCV, list[LiveStanding]]:
    """A search, and what its page showed."""
    place = tmp_path_factory.mktemp("watched") / "page.html"
    with pytest.MonkeyPatch.context() as patch, Kept(place) as page:
        show_at_once(patch)
        done = search(page)
    return done, standings(page)


def standings(page: Kept) -> list[LiveStanding]:
    found = [state.standing for state in page.seen if state.standing is not None]
    return list({id(one): one for one in found}.values())


def test_leaders_and_the_best_so_far_are_those_of_the_finished_configurations(watched):
    done, seen = watched
    pi, y = done.predictions_, data()[1]
    scores = [roc_auc_score(y, pi.responses[:, c, 0]) for c in range(pi.n_configs)]
    assert len(seen) > 3
    for one in seen:
        tried = scores[: one.n_configs]
        np.testing.assert_allclose(one.naive, np.maximum.accumulate(tried), atol=1e-12)
        assert one.leaders[0].score == pytest.approx(max(tried), abs=1e-12)
        values = [leader.score for leader in one.leaders]
        assert values == sorted(values, reverse=True)
        assert all(leader.low < leader.score < leader.high for leader in one.leaders)
    assert seen[-1].n_configs == len(scores)
    assert seen[-1].leaders[0].config == pi.configs.ids[int(np.argmax(scores))]


def test_what_to_expect_is_the_correction_of_the_configurations_so_far(watched):
    done, seen = watched
    metric = en.metric("roc_auc")
    assert len(seen) > 3
    for one in seen[:: len(seen) - 1]:  # the first and the last
        tried = done.predictions_.select(range(one.n_configs))
        made = en.estimate(tried, metric=metric, method="bbc", n_resamples=200, rng=7)
        assert one.corrected[-1] == pytest.approx(made.value, abs=1e-12)
        assert (one.low, one.high) == pytest.approx((made.interval.low, made.interval.high))


def test_a_loss_is_best_where_it_is_least(tmp_path):
    with Kept(tmp_path / "page.html") as page:
        done = search(page, scoring="neg_log_loss", grid={"min_samples_leaf": [5, 10, 20, 30]})
    last = standings(page)[-1]
    best = en.estimate(done.predictions_, metric="log_loss", method="naive").value
    assert not last.greater_is_better
    assert last.naive[-1] == pytest.approx(best, abs=1e-12)
    assert (np.diff(last.naive) <= 0).all()


def test_where_folds_go_one_by_one_only_whole_folds_count(tmp_path):
    with Kept(tmp_path / "page.html") as page:
        done = search(page, drop="bced")
    pi, y, seen = done.predictions_, data()[1], standings(page)
    sizes = [one.n_cases for one in seen]
    assert sizes == sorted(sizes)
    assert sizes[0] < len(y) == sizes[-1]
    for one in seen:
        rows = np.isin(pi.folds[:, 0], range(round(5 * one.n_cases / len(y))))
        kept = ~np.isnan(pi.responses[rows, :, 0]).any(axis=0)
        scores = [roc_auc_score(y[rows], pi.responses[rows, c, 0]) for c in np.flatnonzero(kept)]
        assert one.leaders[0].score == pytest.approx(max(scores), abs=1e-12)


def test_a_score_that_is_a_function_is_shown_as_the_search_has_it(tmp_path):
    def lucky(model: object, X: np.ndarray, y: np.ndarray) -> float:
        return float(model.max_depth)

    with Kept(tmp_path / "page.html") as page:
        search(page, scoring=lucky)
    last = standings(page)[-1]
    assert last.leaders[0].score == 6.0
    assert np.isnan(last.leaders[0].low)


def test_a_page_changes_no_number(watched):
    assert watched[0].predictions_.fingerprint == search(None).predictions_.fingerprint


def test_failures_are_shown_as_they_happen(tmp_path):
    grid = [{"max_depth": [2, "deep", 3]}]
    told, failed = pytest.warns(UserWarning, match="non-finite"), pytest.warns(FitFailedWarning)
    with told, failed, Kept(tmp_path / "page.html") as page:
        search(page, grid=grid)
    first = next(state for state in page.seen if state.progress.fits_failed)
    assert first.progress.fits_failed == 1
    assert first.progress.fits < 15
    assert first.failures[0].config == "c1: max_depth deep"
    assert "max_depth" in first.failures[0].error
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "5 fits failed" in text
    assert 'data-status="finished"' in text


class Stopper:
    """A Progress that presses Ctrl-C, or fails, after some fits."""

    def __init__(self, error: type[BaseException], after: int = 7) -> None:
        self.error, self.after = error, after

    def start(self, total: int, title: str = "") -> None: ...
    def drop(self, count: int) -> None: ...
    def message(self, text: str) -> None: ...
    def finish(self) -> None: ...

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        self.after -= 1
        if not self.after:
            raise self.error("enough")


@pytest.mark.parametrize(
    ("error", "status"),
    [(KeyboardInterrupt, "stopped"), (SystemExit, "stopped"), (RuntimeError, "failed")],
)
def test_a_search_that_ends_early_leaves_a_page_that_says_so(tmp_path, error, status):
    page = tmp_path / "page.html"
    with pytest.raises(error):
        search(page, verbose=Stopper(error))
    text = page.read_text("utf-8")
    assert f'data-status="{status}"' in text
    assert "reload" not in text
    assert "refresh" not in text
    assert 'id="leaders-h"' in text  # what was finished is shown


def test_a_page_that_cannot_be_written_is_refused_before_any_fit(tmp_path):
    for place in (tmp_path / "no" / "page.html", tmp_path / "page.txt"):
        with pytest.raises(en.errors.InputError):
            search(place)
    assert not list(tmp_path.iterdir())


def test_a_page_that_can_no_longer_be_written_ends_no_search(tmp_path, monkeypatch):
    folder = tmp_path / "there"
    folder.mkdir()

    class Remover(Stopper):
        def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
            shutil.rmtree(folder, ignore_errors=True)  # again, if a page was just being written

    monkeypatch.setattr(live, "EVERY", 60.0)  # the thread sleeps meanwhile
    with pytest.warns(UserWarning, match="live page"):
        done = search(folder / "page.html", verbose=Remover(RuntimeError))
    assert len(done.trials_) == 8


def test_a_half_written_page_is_never_there(tmp_path):
    place, over, broken = tmp_path / "page.html", threading.Event(), []

    def read() -> None:
        while not over.wait(0.001):
            if place.exists() and not place.read_text("utf-8").rstrip().endswith("</html>"):
                broken.append(place.read_text("utf-8"))

    reader = threading.Thread(target=read)
    reader.start()
    search(place)
    over.set()
    reader.join()
    assert broken == []


@dataclass
class Hands:
    """A clock that only moves when told."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class SlowWatch(Watch):
    """A watch whose numbers take a given time on a clock of its own."""

    cost: float = 0.0
    looks: list[float] = field(default_factory=list)

    def _find_standing(self, n_configs: int, n_splits: int) -> None:
        self.looks.append(self.clock.now)
        self.clock.now += self.cost


class Counted:
    """A ledger in which every fit completes a configuration."""

    n_fits = 0

    def count_complete(self, *, by_fold: bool = False) -> tuple[int, int]:
        return self.n_fits, 1


@pytest.mark.parametrize("cost", [0.001, 0.2, 3.0])
def test_numbers_take_no_more_than_their_share_of_the_time(tmp_path, monkeypatch, cost):
    monkeypatch.setattr(live, "EVERY", 2.0)
    monkeypatch.setattr(live, "SHARE", 0.02)
    monkeypatch.setattr(LivePage, "_write", lambda self: None)
    hands, ledger = Hands(), Counted()
    page = LivePage(tmp_path / "page.html", clock=hands)
    watch = SlowWatch(
        page=page, ledger=ledger, metric=None, score="score", seed=0, clock=hands, cost=cost
    )
    watch.start(10_000)
    for fit in range(2000):
        hands.now += 0.5
        ledger.n_fits += 1
        watch.advance(TaskOutcome((fit, 0, 0)))
    beyond_the_first = page.spent - cost
    assert beyond_the_first <= 0.02 * hands.now + cost  # the one under way when it was used up
    gaps = np.diff(watch.looks)
    assert gaps.min() >= 2.0
    assert len(gaps) >= 5


def test_a_page_is_left_to_who_takes_it_over(tmp_path):
    place = tmp_path / "page.html"
    with LivePage(place, title="table") as page:
        page.hand_over()
        place.write_text("the report", "utf-8")
        page.say("more")
    assert place.read_text("utf-8") == "the report"


def test_a_learner_with_a_live_page_is_refused_where_it_is_trained_often(tmp_path):
    X, y = data()
    page = tmp_path / "page.html"
    learner = en.SearchCV(LogisticRegression(), {"C": [1, 2]}, cv=3, live=page)
    with pytest.raises(en.errors.InputError, match="live"):
        en.assess(learner, X, y, metric="roc_auc", method="cv", rng=1)
    assert not page.exists()


def test_tune_writes_the_page_that_it_is_given(tmp_path):
    from sklearn.datasets import load_iris

    frame, page = load_iris(as_frame=True).frame, tmp_path / "page.html"
    en.tune(
        frame,
        target="target",
        n_configs=2,
        folds=3,
        rng=7,
        n_jobs=1,
        live=page,
        portfolio=portfolio(tmp_path),
    )
    text = page.read_text("utf-8")
    assert 'data-status="finished"' in text
    assert 'data-done="6"' in text
    assert Status.FINISHED == "finished"
    assert not list(Path(tmp_path).glob(".earnest-*"))


def test_leaders_are_called_as_the_one_namer_calls_them(watched):
    done, seen = watched
    pi = done.predictions_
    called = name_configs(pi.configs.ids, pi.configs.params)
    for leader in seen[-1].leaders:
        assert leader.name == called[leader.config].words
        assert "criterion" not in leader.name  # all of them share it
