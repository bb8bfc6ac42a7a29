"""Cautions that several tests share."""

from __future__ import annotations

from earnest.comparison import dependent_folds, several_models
from earnest.core import Severity
from tests.comparison.evidence import classified


def test_one_hold_out_set_is_one_model_and_folds_are_several() -> None:
    assert list(several_models(classified(folds=1))) == []
    (note,) = several_models(classified(folds=4))
    assert (note.code, note.severity) == ("EN042", Severity.NOTE)
    assert "4 folds" in note.what


def test_folds_that_are_treated_as_independent_are_always_told() -> None:
    (caution,) = dependent_folds(7)
    assert (caution.code, caution.severity) == ("EN038", Severity.CAUTION)
    assert "7 fold scores" in caution.what
