"""The advice of cautions fits the door that the reader came through."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import earnest as en
from earnest.cli.app import options_of
from earnest.core import Door, arg, list_kinds, render
from earnest.core.results.cautions import Verb
from earnest.training.tune.folder import PREDICTIONS
from tests.core.results.caution_samples import sample_cautions
from tests.training.tune_tables import portfolio

SOURCE = Path(en.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def advice_for(verb: Verb) -> list[tuple[str, str]]:
    """Return the kinds of caution with advice of their own for a verb, and the advice."""
    kinds = list_kinds().values()
    found = [(kind.name, render(kind.advice[verb])) for kind in kinds if verb in kind.advice]
    assert len(found) > 3
    return found


@pytest.mark.parametrize("command", ["tune", "estimate", "assess"])
def test_advice_names_only_options_that_the_command_has(command):
    door = Door(frozenset(options_of(command)))
    for caution in sample_cautions():
        told = caution.for_verb(Verb.TUNE) if command == "tune" else caution
        assert set(OPTION.findall(render(told.cure, door))) <= door.options, (command, told)


def test_advice_after_tune_names_only_its_arguments():
    known = {*inspect.signature(en.tune).parameters, "cheapest"}
    for code, cure in advice_for(Verb.TUNE):
        assert set(re.findall(r"`(\w+)`", cure)) <= known, code
        assert not re.search(r"\w=", cure), code


def test_advice_after_a_fit_of_search_cv_names_only_its_arguments():
    known = {*inspect.signature(en.SearchCV).parameters}
    for code, cure in advice_for(Verb.SEARCH):
        assert {*re.findall(r"`(\w+)`", cure), *re.findall(r"(\w+)=", cure)} <= known, code


def test_ties_after_a_fit_of_search_cv_are_answered_by_its_own_arguments():
    from sklearn.dummy import DummyClassifier

    y = np.tile([0, 1, 1], 20)
    grid = {"strategy": ["prior", "most_frequent"]}
    search = en.SearchCV(DummyClassifier(), grid, scoring="accuracy", random_state=0)
    cures = {c.code: c.cure for c in search.fit(np.zeros((60, 1)), y).estimate_.cautions}
    assert "`candidates`" in cures["EN005"]


def test_ties_and_few_cases_after_tune_are_not_answered_by_options_of_estimate(tmp_path, run):
    """Two folds of a constant column: every configuration ties, and a class is rare."""
    y = np.array([0, 1, 1, 1] * 6)
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=24), "b": np.tile([0.0, 1.0], 12), "y": y})
    asked = {"folds": 3, "rng": 7, "n_jobs": 1, "portfolio": portfolio(tmp_path)}
    asked["ensemble"] = "none"
    made = en.tune(table, target="y", metric="accuracy", out=tmp_path / "run", **asked)
    cures = {caution.code: caution.cure for caution in made.estimate.cautions}
    assert "EN002" in cures
    assert "EN005" in cures
    assert all("selector" not in cure and "stratified" not in cure for cure in cures.values())
    again = en.Predictions.load(tmp_path / "run" / PREDICTIONS)
    plain = {c.code: c.cure for c in en.estimate(again, metric="accuracy", rng=0).cautions}
    assert plain["EN002"] != cures["EN002"]
    done = run("tune", _csv(table, tmp_path), "-t", "y", "-m", "accuracy", "--folds", "3",
               "--portfolio", asked["portfolio"], "--out", tmp_path / "other", "--rng", "7",
               "--n-jobs", "1", "--ensemble", "none", "--no-report")  # fmt: skip
    assert set(OPTION.findall(done.out)) <= options_of("tune")


def _csv(table: pa.Table, folder: Path) -> Path:
    from pyarrow import csv

    path = folder / "table.csv"
    csv.write_csv(table, path)
    return path


def test_the_words_of_a_command_are_forgotten_when_it_ends(run, table):
    done = run("estimate", table, "-m", "roc_auc", "--rng", "7", "--n-resamples", "0")
    assert "--n-resamples" in done.err
    assert render(f"Use {arg('n_resamples', 9)}.") == "Use n_resamples=9."
