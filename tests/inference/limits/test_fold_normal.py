"""What the theorem of cross-validation leaves out, said in cautions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, metric
from earnest.core import EqualCaseLimits, NormalLimits, Severity
from earnest.errors import EvidenceError
from earnest.inference import Variance, fold_normal
from tests.snapshots import Golden


def made(pi: Predictions, name: str, kind: Variance = Variance.ALL_PAIRS) -> Any:
    return fold_normal(pi, metric(name).on(pi.target.task), 0, kind)


def codes(pi: Predictions, name: str) -> list[str]:
    return [caution.code for caution in made(pi, name).cautions]


def test_a_mean_over_independent_cases_of_one_partition_has_no_remark(binary: Predictions) -> None:
    assert codes(binary, "accuracy") == []


def test_everything_beyond_the_theorem_is_a_note(
    binary: Predictions, repeated: Predictions, grouped: Predictions
) -> None:
    assert codes(binary, "mcc") == ["EN031"]
    assert codes(binary, "roc_auc") == ["EN031"]
    assert codes(repeated, "accuracy") == ["EN031"]
    assert codes(grouped, "accuracy") == ["EN031", "EN020"]
    for pi, name in ((binary, "mcc"), (repeated, "accuracy")):
        assert all(c.severity is Severity.NOTE for c in made(pi, name).cautions)
        assert all("Bayle" in c.consequence for c in made(pi, name).cautions)


def labels(wrong: list[int], n: int = 60, repeats: int = 1) -> Predictions:
    y = np.tile([0, 1], n // 2)
    said = np.where(np.isin(np.arange(n), wrong), 1 - y, y)
    fold = np.tile(np.arange(n)[:, None] // 6, (1, repeats))
    both = np.tile(said[:, None, None], (1, 1, repeats))
    return Predictions.from_arrays(y, both, fold, response="label", repeats=repeats)


@pytest.mark.parametrize(("errors", "few"), [(1, True), (4, True), (5, False), (30, False)])
@pytest.mark.parametrize("repeats", [1, 3])
def test_fewer_than_five_unlike_cases_are_few(errors: int, few: bool, repeats: int) -> None:
    pi = labels(list(range(0, 2 * errors, 2)), repeats=repeats)
    assert ("EN036" in codes(pi, "error_rate")) == few
    assert ("EN036" in codes(pi, "accuracy")) == few


def test_fewer_than_thirty_cases_are_few(regression: Predictions) -> None:
    assert "EN036" not in codes(regression, "mse")
    assert "EN036" in codes(regression.take(np.arange(29)), "mse")


def test_limits_come_from_the_normal_law_unless_all_cases_are_equal() -> None:
    assert isinstance(made(labels([0, 2, 4, 6]), "error_rate").source, NormalLimits)
    equal = made(labels([]), "error_rate").source
    assert equal == EqualCaseLimits(0.0, 60, 0.0, 1.0)


def test_a_repeat_in_which_the_metric_is_undefined_is_refused(golden: Golden) -> None:
    # the first repeat tested cases of one class only, predicted so: kappa is 0 / 0 there
    y = np.array([0, 0, 1, 1])
    scores = np.array([[-1.0, -1.0], [-1.0, 1.0], [np.nan, 1.0], [np.nan, -1.0]])[:, None, :]
    fold = np.array([[0, 0], [1, 0], [2, 1], [2, 1]])
    pi = Predictions.from_arrays(y, scores, fold)
    with pytest.raises(EvidenceError) as refusal:
        made(pi, "cohen_kappa")
    golden.check(str(refusal.value))


def test_a_remark_begins_with_a_capital_whatever_the_metric_is_called(golden: Golden) -> None:
    y = np.linspace(0.0, 1.0, 40)
    noise = 0.1 * np.random.default_rng(0).standard_normal(40)
    pi = en.Predictions.from_arrays(y, y + noise, np.arange(40) % 5)
    made = en.estimate(pi, method="bayle_all_pairs", metric="rmse")
    (caution,) = (caution for caution in made.cautions if caution.code == "EN031")
    golden.check(caution.what)
