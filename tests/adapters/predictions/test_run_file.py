"""A run file is the predictions of its search, to the last bit, and every verb takes it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.errors import FormatError, InputError
from tests.snapshots import Golden

RNG = np.random.default_rng(8)  # seed 8
TWO = np.tile([0, 1], 30)
GRID = {"C": [0.01, 1.0]}
THREE = np.tile(["a", "b", "c"], 20)
NUMBERS = RNG.standard_normal(60)
X = TWO[:, None] + RNG.standard_normal((60, 2))
BACKWARDS = [(np.arange(20), np.arange(59, 19, -1)), (np.arange(20, 60), np.arange(19, -1, -1))]


def searched(path: Path, model: Any, grid: Any, y: Any, groups: Any = None, **options: Any) -> Any:
    search = en.SearchCV(model, grid, store=path, random_state=0, **options)
    return search.fit(X, y) if groups is None else search.fit(X, y, groups=groups)


@pytest.mark.parametrize(
    ("model", "grid", "y", "options"),
    [
        (LogisticRegression(), {"C": [0.1, 1.0]}, TWO, {"scoring": "roc_auc", "cv": 3}),
        (LogisticRegression(), {"C": [0.1, 1.0]}, TWO, {"scoring": "accuracy", "n_repeats": 2}),
        (LogisticRegression(), {"C": [0.1, 1.0]}, THREE, {"scoring": "neg_log_loss", "cv": 3}),
        (DecisionTreeClassifier(), {"max_depth": [1, 2]}, THREE, {"scoring": "accuracy"}),
        (Ridge(), {"alpha": [0.1, 1.0]}, NUMBERS, {"cv": KFold(4)}),
        (Ridge(), {"alpha": [0.1]}, NUMBERS, {"cv": ShuffleSplit(3, random_state=0)}),
        (Ridge(), {"alpha": [0.1, 1.0]}, NUMBERS, {"cv": BACKWARDS}),
        (LogisticRegression(), {"C": [1.0, -1.0]}, TWO, {"scoring": "roc_auc", "cv": 3}),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_it_is_what_the_search_has(
    model: Any, grid: Any, y: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    search = searched(tmp_path / "run.db", model, grid, y, **options)
    for outcome in (y, None):  # the file has it, too
        found = en.predictions_from(tmp_path / "run.db", outcome)
        assert found.fingerprint == search.predictions_.fingerprint


VERBS: dict[str, Callable[[Any], Any]] = {
    "estimate": lambda source: en.estimate(source, n_resamples=50),
    "gain": lambda source: en.gain(source, n_resamples=50),
    "thresholds": lambda source: en.thresholds(source, n_resamples=50),
    "compare": lambda source: en.compare(source, "c0", "c1"),
    "compare_many": lambda source: en.compare_many(source),
    "gate": lambda source: en.gate(source, above=0.6),
    "plan": lambda source: en.plan(source, width=0.2, rng=0),
}


@pytest.mark.parametrize("name", ["run.db", "run"])
def test_every_verb_answers_a_run_file_as_it_answers_the_search(name: str, tmp_path: Path) -> None:
    path = tmp_path / name  # it is known by its content, not by its ending
    search = searched(path, LogisticRegression(), GRID, TWO, scoring="roc_auc", cv=3)
    for verb, ask in VERBS.items():
        assert repr(ask(path)) == repr(ask(search)), verb
    report = en.report(path, explain=False, n_resamples=50)
    assert report.content.results["estimate"]["value"] == VERBS["estimate"](search).value


def test_the_metric_of_a_run_file_is_that_of_the_estimate(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    given = {"scoring": "accuracy", "metric": "brier", "cv": 3}
    searched(path, LogisticRegression(), GRID, TWO, **given)
    assert en.estimate(path, n_resamples=50).metric == "brier"
    assert en.estimate(path, metric="roc_auc", n_resamples=50).metric == "roc_auc"


def test_a_folder_of_a_killed_run_is_answered(tmp_path: Path) -> None:
    searched(tmp_path / "run.db", LogisticRegression(), GRID, TWO, scoring="roc_auc", cv=3)
    assert en.estimate(tmp_path, n_resamples=50).metric == "roc_auc"


def test_a_file_without_the_outcome_asks_for_it(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "run.db"
    searched(path, LogisticRegression(), GRID, TWO, scoring="roc_auc", cv=3)
    with sqlite3.connect(path) as base:
        text = base.execute("SELECT text FROM document WHERE name = 'cases'").fetchone()[0]
        older = {key: part for key, part in json.loads(text).items() if key != "outcome"}
        base.execute("UPDATE document SET text = ? WHERE name = 'cases'", (json.dumps(older),))
    base.close()
    for ask in (en.predictions_from, en.estimate):
        with golden.raises(InputError):
            ask(path)
    assert en.predictions_from(path, TWO).n_configs == 2
    assert en.report(path, explain=False).content.answer.value is None


def test_groups_are_those_of_the_search(tmp_path: Path) -> None:
    groups = np.arange(60) // 2
    given = {"scoring": "roc_auc", "cv": GroupKFold(3)}
    search = searched(
        tmp_path / "run.db", LogisticRegression(), {"C": [1.0, 2.0]}, TWO, groups, **given
    )
    found = en.predictions_from(tmp_path / "run.db", TWO)
    assert found.fingerprint == search.predictions_.fingerprint


def test_a_proposed_search_stays_one(tmp_path: Path) -> None:
    candidates = en.optuna_candidates(lambda t: {"C": t.suggest_float("C", 0.1, 10)}, n_trials=3)
    searched(tmp_path / "run.db", LogisticRegression(), candidates, TWO, scoring="roc_auc", cv=3)
    assert en.predictions_from(tmp_path / "run.db", TWO).configs.static is False
    assert en.predictions_from(tmp_path / "run.db", TWO, static=True).configs.static is True


def test_what_was_not_finished_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    searched(path, LogisticRegression(), {"C": [0.1, 1.0]}, TWO, scoring="roc_auc", cv=3)
    with sqlite3.connect(path) as base:  # as if the run had been killed before the last fit
        base.execute("DELETE FROM outcome WHERE key = '1,0,2'")
    base.close()
    assert en.predictions_from(path, TWO).complete.tolist() == [True, False]


def test_labels_may_be_written_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    search = searched(path, LogisticRegression(), {"C": [0.1, 1.0]}, TWO, scoring="roc_auc", cv=3)
    found = en.predictions_from(path, TWO.astype(str))  # as a CSV of text has them
    assert found.target.y.tolist() == search.predictions_.target.y.tolist()


def test_other_cases_and_options_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    searched(path, LogisticRegression(), {"C": [0.1, 1.0]}, TWO, scoring="roc_auc", cv=3)
    with pytest.raises(InputError, match="60 cases"):
        en.predictions_from(path, TWO[:50])
    with pytest.raises(InputError, match="does not know"):
        en.predictions_from(path, THREE)
    with pytest.raises(InputError, match="`positive` does not apply"):
        en.predictions_from(path, TWO, positive=0)


def test_files_of_another_version_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    searched(path, LogisticRegression(), {"C": [0.1, 1.0]}, TWO, scoring="roc_auc", cv=3)
    with sqlite3.connect(path) as base:
        text = base.execute("SELECT text FROM document WHERE name = 'cases'").fetchone()[0]
        newer = json.dumps({**json.loads(text), "version": 2})
        base.execute("UPDATE document SET text = ? WHERE name = 'cases'", (newer,))
    base.close()
    with pytest.raises(FormatError, match="newer version of earnest"):
        en.predictions_from(path, TWO)
    with sqlite3.connect(path) as base:
        base.execute("DELETE FROM document WHERE name = 'cases'")
    base.close()
    with pytest.raises(FormatError, match="the same search again"):
        en.predictions_from(path, TWO)


@pytest.mark.parametrize("y", [5, "train.csv", object()])
def test_an_outcome_that_is_no_column_is_refused(y: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    searched(path, LogisticRegression(), {"C": [1.0]}, TWO, scoring="roc_auc", cv=3)
    with pytest.raises(InputError, match="`y` is not a column"):
        en.predictions_from(path, y)
