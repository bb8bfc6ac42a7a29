"""What every test shares: its spec, its registry, p-values, and what it refuses."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earnest.comparison import TESTS
from earnest.comparison.base import (
    JointReading,
    Question,
    check_evidence,
    nothing_to_tell,
    p_values,
    predict_alike,
    refuse_metric,
)
from earnest.core import Seeds
from earnest.errors import EvidenceError, MetricError
from earnest.metrics import metric
from tests.comparison.evidence import EVERY_TEST, JOINT, classified, columns, metric_of
from tests.snapshots import Golden


@given(st.floats(0, 1), st.floats(0, 1))
def test_two_sided_is_twice_the_smaller_and_no_p_is_0(less: float, greater: float) -> None:
    found = p_values(less, greater)
    assert found["two-sided"] == min(1.0, 2 * min(found["less"], found["greater"]))
    assert all(sys.float_info.min <= p <= 1.0 for p in found.values())


def test_where_nothing_differs_every_p_is_1() -> None:
    assert nothing_to_tell() == {"two-sided": 1.0, "less": 1.0, "greater": 1.0}


@pytest.mark.parametrize("name", EVERY_TEST)
def test_a_reading_is_joint_for_the_tests_that_say_so(name: str) -> None:
    question = Question(pi=classified(), metric=metric(metric_of(name)), seeds=Seeds.of(0))
    reading = TESTS[name]().read(question)
    assert isinstance(reading, JointReading) == (name in JOINT)
    assert len(reading.values) == 3


@pytest.mark.parametrize("name", EVERY_TEST)
def test_folds_repeats_and_groups_are_refused_as_the_spec_says(name: str, golden: Golden) -> None:
    spec = TESTS[name].spec
    for pi, taken in (
        (classified(folds=1), spec.min_folds == 1),
        (classified(repeats=2), spec.repeats),
        (classified(groups=np.arange(60)), spec.groups),
    ):
        if taken:
            check_evidence(spec, pi)
        else:
            with pytest.raises(EvidenceError) as refusal:
                check_evidence(spec, pi)
            golden.check(str(refusal.value))


def test_a_refused_metric_tells_what_is_taken(golden: Golden) -> None:
    error = refuse_metric(TESTS["delong"].spec, metric("accuracy"), "Use another.")
    assert isinstance(error, MetricError)
    golden.check(str(error))


def test_the_same_predictions_are_the_same_with_gaps_too() -> None:
    y = np.tile([0, 1], 4)
    scores = np.tile(np.linspace(0.1, 0.8, 8)[:, None], (1, 3))
    scores[0, 2] = 0.9
    pi = columns(y, scores)
    assert predict_alike(pi, 0, 1)
    assert predict_alike(pi, 2, 2)
    assert not predict_alike(pi, 0, 2)
