"""What engine and store agree on."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from earnest.core import EngineTask, Store, TaskOutcome


def test_an_outcome_has_failed_if_it_has_an_error_even_an_empty_one() -> None:
    assert not TaskOutcome((0,), note="late").failed
    assert TaskOutcome((0,), error="Traceback").failed
    assert TaskOutcome((0,), error="").failed


def test_outcomes_with_arrays_are_compared_by_identity_and_can_be_in_a_set() -> None:
    one, other = (TaskOutcome((0,), {"x": np.arange(3)}) for _ in range(2))
    assert one != other
    assert len({one, other, one}) == 2


def test_tasks_and_outcomes_do_not_change() -> None:
    for value in (EngineTask((0,)), TaskOutcome((0,))):
        with pytest.raises(FrozenInstanceError):
            value.key = (1,)  # type: ignore[misc]  # that is the test


def test_an_object_without_the_methods_is_no_store() -> None:
    assert not isinstance({}, Store)
