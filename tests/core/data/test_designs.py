"""Evidence of several cross-validations that belong together."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from earnest import NestedPredictions, Predictions
from earnest.errors import EvidenceError
from tests.methods.learners import halved_ridge, nested_ridge


def test_inner_predictions_must_not_test_the_outer_fold() -> None:
    nested = nested_ridge(repeats=1)
    swapped = (nested.inner[0][1], nested.inner[0][0], *nested.inner[0][2:])
    with pytest.raises(EvidenceError, match="outer fold"):
        NestedPredictions(nested.outer, (swapped,))


def test_inner_predictions_must_be_of_every_fold_and_of_the_same_cases() -> None:
    nested = nested_ridge(repeats=1)
    with pytest.raises(EvidenceError, match="do not match"):
        NestedPredictions(nested.outer, (nested.inner[0][:3],))
    short = tuple(part.take(np.arange(20)) for part in nested.inner[0])
    with pytest.raises(EvidenceError, match="20 cases"):
        NestedPredictions(nested.outer, (short,))


def test_fingerprints_tell_designs_apart_and_survive_a_pickle() -> None:
    first, second = nested_ridge(seed=0), nested_ridge(seed=1)
    assert first.fingerprint != second.fingerprint
    assert pickle.loads(pickle.dumps(first)).fingerprint == first.fingerprint
    halved = halved_ridge()
    assert pickle.loads(pickle.dumps(halved)).fingerprint == halved.fingerprint
    assert halved.n_cases == halved.target.n == 60
    assert isinstance(halved.predictions, Predictions)
