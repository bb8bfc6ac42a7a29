"""Every verb takes what people have: predictions, a fitted search, the folder of a run, a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.errors import EarnestError, EvidenceError, FormatError, InputError
from tests.snapshots import Golden

SEED = 3
SMALL = {"n_resamples": 60}
GRID = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 3, 6, 10]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for what is written once."""
    return tmp_path_factory.mktemp("sources")


@cache
def search() -> en.SearchCV:
    """Return a search, with parameters for an explanation."""
    X, y = make_classification(200, n_informative=4, random_state=SEED)
    model = DecisionTreeClassifier(random_state=0)
    asked = {"scoring": "roc_auc", "cv": 4, "random_state": SEED, "n_resamples": 60}
    return en.SearchCV(model, GRID, **asked).fit(X, y)


@pytest.fixture(scope="module")
def tuned(folder: Path) -> en.results.Tuned:
    """Return a run of `tune`, whose folder is kept."""
    import pandas as pd

    X, y = make_classification(120, n_features=5, random_state=SEED)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    asked = {"n_configs": 8, "folds": 3, "rng": SEED, "n_jobs": 1, "metric": "roc_auc"}
    return en.tune(frame, target="y", out=folder / "run", **asked)


@pytest.fixture(scope="module")
def sources(folder: Path, tuned: en.results.Tuned) -> dict[str, Any]:
    """Return what a user may have in hand."""
    predictions = search().predictions_
    predictions.save(folder / "predictions.csv")
    return {
        "predictions": predictions,
        "search": search(),
        "tuned": tuned,
        "run folder": folder / "run",
        "text path": str(folder / "run"),
        "run file": folder / "run" / "run.db",
        "file": folder / "predictions.csv",
    }


SOURCES = ["predictions", "search", "tuned", "run folder", "text path", "run file", "file"]
NEED_METRIC = {"predictions", "file"}  # whatever comes from a search knows what it measured
VERBS: dict[str, Callable[..., Any]] = {
    "estimate": en.estimate,
    "estimate_all": lambda given, **how: en.estimate_all(given, methods=["bbc", "naive"], **how),
    "compare": lambda given, **how: en.compare(given, 0, 1, **how),
    "compare_many": en.compare_many,
    "gain": lambda given, **how: en.gain(given, **SMALL, **how),
    "thresholds": lambda given, **how: en.thresholds(given, **SMALL, **how),
    "gate": lambda given, **how: en.gate(given, above=0.5, **how),
    "plan": lambda given, **how: en.plan(given, width=0.2, **how),
    "calibrate": lambda given, **how: en.calibrate(given, n_simulations=3, **SMALL, **how),
    "report": lambda given, **how: en.report(given, explain=False, **SMALL, **how),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_takes_a_source(
    verb: str, source: str, sources: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earnest.decision.plan.ESTIMATES", 2)  # of a size, and one size
    monkeypatch.setattr("earnest.decision.plan.WIDTHS", 1)
    how = {"metric": "roc_auc"} if source in NEED_METRIC else {}
    assert VERBS[verb](sources[source], **how) is not None


@pytest.mark.parametrize("source", ["predictions", "search", "tuned", "run folder", "text path"])
def test_explain_takes_a_source(source: str, sources: dict[str, Any]) -> None:
    if source in ("tuned", "run folder", "text path"):  # eight configurations of several kinds
        with pytest.raises(EarnestError, match=r"configurations|trials"):
            en.explain(sources[source], n_points=20)
        return
    how = {"objective": "roc_auc"} if source == "predictions" else {}
    made = en.explain(sources[source], n_points=20, grid_size=4, rng=0, **how)
    assert set(made.effects) <= set(GRID)


@pytest.mark.parametrize(
    "given",
    [None, 3, {}, [0.5], en.SearchCV, object()],
    ids=["none", "number", "dict", "list", "class", "object"],
)
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_refuses_anything_else(verb: str, given: object) -> None:
    with pytest.raises(EarnestError) as caught:
        VERBS[verb](given, metric="roc_auc")
    assert isinstance(caught.value, EvidenceError | InputError)
    assert "SearchCV" in str(caught.value)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "report"])
def test_a_verb_refuses_what_is_not_there(verb: str, tmp_path: Path, golden: Golden) -> None:
    with golden.raises(FormatError):
        VERBS[verb](tmp_path / "nothing.csv", metric="roc_auc")
    with pytest.raises(FormatError, match="not that of a run"):
        VERBS[verb](tmp_path, metric="roc_auc")


# ---- what a search has decided stands


def test_the_estimate_of_a_search_is_its_own() -> None:
    assert en.estimate(search()) == search().estimate_
    lower = en.estimate(search(), confidence_level=0.9, side="lower")
    assert lower == search().estimate_.at(confidence_level=0.9, side="lower")


def test_the_estimate_of_a_run_is_its_own(sources: dict[str, Any], tuned: en.results.Tuned) -> None:
    for source in ("tuned", "run folder", "text path", "run file"):
        made = en.estimate(sources[source])
        assert (made.value, made.winner) == (tuned.estimate.value, tuned.estimate.winner)
        assert made.interval == tuned.estimate.interval


def test_another_question_is_put_to_the_predictions() -> None:
    asked = en.estimate(search(), method="naive")
    plain = en.estimate(search().predictions_, method="naive", metric="roc_auc", rng=SEED)
    assert asked == plain
    assert en.estimate(search(), metric="accuracy").metric == "accuracy"


def test_gain_and_thresholds_of_a_search_are_those_on_its_resamples() -> None:
    assert en.gain(search(), **SMALL) == search().gain()
    assert en.thresholds(search(), **SMALL) == search().thresholds()


def test_the_winner_of_a_search_stands_for_the_best() -> None:
    simple = en.SearchCV(
        DecisionTreeClassifier(random_state=0),
        GRID,
        scoring="roc_auc",
        cv=4,
        refit=lambda results: 0,  # not the best
        random_state=SEED,
    ).fit(*make_classification(200, n_informative=4, random_state=SEED))
    first = simple.predictions_.configs.ids[0]
    assert en.compare_many(simple).best == first
    assert en.thresholds(simple, **SMALL).winner == first
    assert en.estimate(simple).winner == first
    assert en.gate(simple, above=0.5).config == first
    assert en.gate(simple, above=0.5, config=0).config == first
    old = simple.predictions_.select(1)
    with pytest.raises(EvidenceError, match="delivers"):  # a test finds the best pooled score
        en.gate(simple, against=old)
    assert en.gate(old, against=simple, metric="roc_auc").baseline is not None


def test_a_folder_whose_estimate_is_no_runs_is_asked_again(
    tuned: en.results.Tuned, tmp_path: Path
) -> None:
    tuned.predictions.save(tmp_path / "predictions.csv")
    (tmp_path / "estimate.json").write_text('{"roc_auc": 0.7}')
    with pytest.raises(InputError, match="metric"):
        en.estimate(tmp_path)
    made = en.estimate(tmp_path, metric="roc_auc", rng=0)
    assert made.n_cases == tuned.estimate.n_cases


def test_files_of_scores_and_pairs_of_sources(folder: Path) -> None:
    rng = np.random.default_rng(SEED)
    scores = en.Scores({"a": rng.random(60), "b": rng.random(60)})
    scores.save(folder / "scores.csv")
    assert en.estimate(folder / "scores.csv", rng=0) == en.estimate(scores, rng=0)
    one, other = (search().predictions_.select(c) for c in (0, 5))
    one.save(folder / "one.csv")
    other.save(folder / "other.csv")
    by_path = en.compare(folder / "one.csv", folder / "other.csv", metric="roc_auc")
    assert by_path.difference == en.compare(one, other, metric="roc_auc").difference
