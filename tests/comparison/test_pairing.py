"""From what a user gives to predictions that stand side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from earnest import Scores
from earnest.comparison.asking import common, find_pair, read_measured
from earnest.errors import EvidenceError, InputError
from tests.comparison.evidence import classified
from tests.snapshots import Golden


def test_names_and_positions_find_their_columns() -> None:
    pi = classified()
    assert find_pair(pi, "poor", 0)[1:] == (2, 0)
    given = Scores({"a": [1.0], "b": [2.0]}, greater_is_better=False)
    assert find_pair(given, "b", "a")[1:] == (1, 0)


def test_two_tables_become_one() -> None:
    pi = classified()
    table, a, b = find_pair(pi.select("good"), pi.select("poor"), None)
    assert (table.configs.ids, a, b) == (("good", "poor"), 0, 1)
    assert np.array_equal(table.responses, pi.responses[:, [0, 2]])
    twin = find_pair(pi.select("good"), pi.select("good"), None)[0]
    assert twin.configs.ids == ("good", "good'")


@pytest.mark.parametrize(
    ("a", "b", "match"),
    [
        (None, None, "not two configurations to compare"),
        ("good", None, "not two configurations to compare"),
    ],
)
def test_one_alone_is_refused(a: object, b: object, match: str) -> None:
    with pytest.raises(InputError, match=match):
        find_pair(classified(), a, b)


def test_tables_of_several_and_a_third_thing_are_refused(golden: Golden) -> None:
    pi = classified()
    with pytest.raises(InputError) as refusal:
        find_pair(pi, pi.select("good"), None)
    golden.check(str(refusal.value))
    with pytest.raises(InputError) as refusal:
        find_pair(pi.select("good"), pi.select("poor"), "fair")
    golden.check(str(refusal.value))
    with pytest.raises(InputError, match="Predictions and Scores"):
        find_pair(pi.select("good"), Scores({"a": [1.0]}, greater_is_better=False), None)


def test_a_metric_goes_with_predictions_and_scores_have_their_own(golden: Golden) -> None:
    with pytest.raises(InputError, match="`metric` is missing"):
        read_measured(classified(), None)
    with pytest.raises(InputError) as refusal:
        read_measured(Scores({"a": [1.0]}, greater_is_better=False), "accuracy")
    golden.check(str(refusal.value))
    with pytest.raises(EvidenceError, match=r"earnest\.Predictions"):
        read_measured(np.zeros(3), "accuracy")
    assert read_measured(classified(), "auc")[1].name == "roc_auc"


def test_only_folds_that_all_have_are_kept(golden: Golden) -> None:
    pi = classified()
    responses = pi.responses.copy()
    late, early = pi.folds[:, 0] >= 3, pi.folds[:, 0] == 0
    responses[late, 1], responses[early, 2] = np.nan, np.nan
    partial = replace(pi, responses=responses)
    both, (remark,) = common(partial, [1, 2])
    assert np.array_equal(np.isfinite(both.responses).all(axis=(1, 2)), ~(late | early))
    assert remark.kind == "folds_not_shared"
    golden.check(remark.what)
    alone, nothing = common(pi, [0, 1])
    assert nothing == []
    assert np.array_equal(alone.responses, pi.responses[:, :2])
