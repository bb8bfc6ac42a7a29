"""The law of one engine: every verb that trains gives cells to `run_cells`, none fits beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

import earnest as en
from earnest.core import TaskOutcome
from earnest.core.base.protocols import EngineTask
from earnest.store.memory import MemoryStore
from earnest.training.fit.experiment import RESPONSE, Cell, Experiment, fit_cell
from earnest.training.fit.problem import read_learner_outcome
from earnest.training.fit.response import plan_response
from earnest.training.fit.run import RunOptions, open_run, run_all, run_cells
from tests.training.tune_tables import portfolio

Array = NDArray[Any]
X = np.random.default_rng(5).standard_normal((40, 2))
Y = np.tile([0, 1], 20)
FITS: list[int] = []


class Counted(ClassifierMixin, BaseEstimator):
    """A classifier that counts its fits and answers with a column."""

    def __init__(self, column: int = 0, random_state: int | None = None) -> None:
        self.column, self.random_state = column, random_state

    def fit(self, X: Array, y: Array) -> Counted:
        FITS.append(len(X))
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Array) -> Array:
        return np.asarray(X[:, self.column])

    def predict(self, X: Array) -> Array:
        return self.classes_[(X[:, self.column] > 0).astype(int)]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    FITS.clear()


def searched(**knobs: Any) -> en.SearchCV:
    grid = {"column": [0, 1]}
    return en.SearchCV(Counted(), grid, cv=4, scoring="roc_auc", random_state=0, **knobs)


VERBS: dict[str, tuple[Callable[[], Any], int]] = {  # what is asked, and how many are refitted
    "SearchCV": (lambda: searched().fit(X, Y), 1),
    "SearchCV in rounds": (lambda: searched(drop="bced", refit=False).fit(X, Y), 0),
    "nested_cv": (lambda: en.nested_cv(searched(), X, Y), 1),
    "bootstrap_train": (
        lambda: en.bootstrap_train(Counted(), X, Y, n_replicates=3, metric="accuracy", rng=0),
        0,
    ),
    "assess": (lambda: en.assess(Counted(), X, Y, method="cv", metric="accuracy", rng=0), 0),
    "assess by pairs": (
        lambda: en.assess(
            Counted(), X, Y, method="bates_ncv", cv=3, n_repeats=2, metric="accuracy", rng=0
        ),
        0,
    ),
    "assess, a test set": (
        lambda: en.assess(
            Counted(), X[:30], Y[:30], test=(X[30:], Y[30:]), method="holdout", metric="accuracy"
        ),
        0,
    ),
    "compare_learners": (
        lambda: en.compare_learners(Counted(0), Counted(1), X, Y, metric="accuracy", rng=0),
        0,
    ),
    "compare_learners by samples": (
        lambda: en.compare_learners(
            Counted(0), Counted(1), X, Y, test="loob", metric="accuracy", n_replicates=30, rng=0
        ),
        0,
    ),
}


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tasks the engine is given, call by call; each by the one worker."""
    from earnest.training.fit import run as place

    counts: list[int] = []
    engine = place.run_tasks

    def counting(
        work: Any, shared: Any, tasks: Sequence[EngineTask], **how: Any
    ) -> Iterator[TaskOutcome]:
        assert work is fit_cell
        assert isinstance(shared.value, Experiment)
        counts.append(len(tasks))
        return engine(work, shared, tasks, **how)

    monkeypatch.setattr(place, "run_tasks", counting)
    return counts


@pytest.mark.parametrize("verb", VERBS)
def test_every_fit_but_the_last_refit_is_a_cell_of_the_engine(verb: str, handed: list[int]) -> None:
    ask, refits = VERBS[verb]
    ask()
    assert handed
    assert len(FITS) == sum(handed) + refits


@pytest.mark.parametrize("verb", VERBS)
def test_where_the_engine_runs_nothing_no_learner_is_fitted(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        pass

    def stopped(*_: Any, **__: Any) -> Any:
        raise StoppedError

    monkeypatch.setattr("earnest.training.fit.run.run_tasks", stopped)
    with pytest.raises(StoppedError):
        VERBS[verb][0]()
    assert FITS == []


def test_tune_gives_its_pilot_and_its_search_to_the_engine(
    handed: list[int], tmp_path: Path
) -> None:
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y})
    asked = {"n_configs": 2, "folds": 2, "budget": 600, "portfolio": portfolio(tmp_path)}
    made = en.tune(table, target="y", rng=0, n_jobs=1, **asked)
    *pilot, search = handed
    assert pilot
    assert set(pilot) == {1}
    assert search == made.n_fits - 1 == 4


def experiment(**knobs: Any) -> Experiment:
    plan = plan_response(None, read_learner_outcome(Counted(), Y, None), [Counted()])
    return Experiment(X=X, y=Y, base=Counted(), X_new=X[:3], plan=plan, seed=0, **knobs)


def test_without_rows_a_cell_trains_on_all_cases_and_answers_for_the_new_ones() -> None:
    (made,) = run_all(
        experiment(), [EngineTask((7,), Cell(0, (0,)))], RunOptions(), identity={}, title=""
    ).values()
    assert made.key == (7,)
    assert FITS == [40]
    np.testing.assert_array_equal(made.arrays[RESPONSE], X[:3, 0])


def test_seeds_depend_on_the_stream_of_a_cell_and_on_nothing_else() -> None:
    made = experiment()
    seeds = {s: made.prepare(Cell(0, s))[0].random_state for s in ((0,), (1,), (0, 1))}
    assert len(set(seeds.values())) == 3
    assert made.prepare(Cell(5, (0,)))[0].random_state == seeds[0,]


def test_what_is_stored_is_not_trained_again() -> None:
    store, cells = MemoryStore(), [EngineTask((k,), Cell(0, (k,))) for k in range(3)]
    options = RunOptions(store=store)
    run_all(experiment(), cells[:2], options, identity={"a": "b"}, title="")
    assert len(FITS) == 2
    with open_run(experiment(), options, identity={"a": "b"}, total=3, title="") as opened:
        assert sorted(one.key for one in run_cells(opened, cells)) == [(0,), (1,), (2,)]
    assert len(FITS) == 3


@pytest.mark.parametrize("verb", ["assess", "bootstrap_train"])
def test_who_interrupts_any_verb_with_a_store_is_told_what_is_kept(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Counted, X: Array, y: Array) -> Counted:
        raise KeyboardInterrupt

    monkeypatch.setattr(Counted, "fit", interrupted)
    asks: dict[str, Any] = {
        "assess": lambda file: en.assess(Counted(), X, Y, metric="accuracy", store=file),
        "bootstrap_train": lambda file: en.bootstrap_train(Counted(), X, Y, store=file),
    }
    with pytest.raises(KeyboardInterrupt) as stop:
        asks[verb](tmp_path / "run.db")
    assert "run.db" in stop.value.__notes__[0]
