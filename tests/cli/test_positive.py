"""Which of two classes is the positive one, where none is named: the same by every door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import earnest as en
from earnest.training import make_learner, read_training_table

LABELS = [(("case", "control"), "case"), (("no", "yes"), "yes"), (("a", "b"), "b")]


def table_of(labels: tuple[str, str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Sixty rows, forty of the first class, so that recall and specificity differ; seed 0."""
    codes = (np.arange(60) % 3 == 0).astype(int)
    X = np.round(np.random.default_rng(0).standard_normal((60, 2)) + codes[:, None], 3)
    return X, np.array(labels)[codes]


@pytest.mark.parametrize(("labels", "positive"), LABELS)
def test_assess_and_compare_learners_take_the_same_class(
    labels: tuple[str, str], positive: str
) -> None:
    X, y = table_of(labels)
    (other,) = set(labels) - {positive}
    ask: dict[str, Any] = {"metric": "recall", "rng": 0}
    one = LinearDiscriminantAnalysis()
    pair = one, GaussianNB()
    assessed = [
        en.assess(one, X, y, method="corrected_t", **ask, **given).value
        for given in ({}, {"positive": positive}, {"positive": other})
    ]
    compared = [
        en.compare_learners(*pair, X, y, **ask, **given).value_a
        for given in ({}, {"positive": positive}, {"positive": other})
    ]
    for made in (assessed, compared):
        assert made[0] == made[1]
        assert made[0] != made[2]


@pytest.mark.parametrize(("labels", "positive"), LABELS)
def test_the_command_takes_the_class_that_the_library_takes(
    labels: tuple[str, str], positive: str, run: Any, tmp_path: Path
) -> None:
    X, y = table_of(labels)
    path = tmp_path / "table.csv"
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X, y, strict=True)]
    path.write_text("\n".join(["u,v,group", *rows]) + "\n", encoding="utf-8")
    ask = ("--target", "group", "--model", "lda", "--metric", "recall", "--method", "corrected_t")
    done = run("assess", path, *ask, "--rng", "7", "--json", "--quiet")
    table = read_training_table(path, target="group")
    assert table.classes[1] == positive
    made = en.assess(
        make_learner("lda", "binary", table.inputs),
        table.X,
        y,
        method="corrected_t",
        metric="recall",
        rng=7,
    )
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["value"] == made.value


@pytest.mark.parametrize("labels", [labels for labels, _ in LABELS])
def test_a_search_takes_the_last_class_as_scikit_learn_does(labels: tuple[str, str]) -> None:
    X, y = table_of(labels)
    search = en.SearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, scoring="roc_auc", cv=3).fit(X, y)
    assert search.predictions_.target.classes == tuple(sorted(labels))
