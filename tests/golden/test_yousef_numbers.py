"""Bootstrap estimates and their standard errors beside those of an independent transcription."""

from __future__ import annotations

import pytest

from tests.validity.yousef_runs import GOLDEN, disagreement, table4


@pytest.fixture(scope="module")
def few() -> dict[str, object]:
    return table4(trials=16, replicates=200, seed=1)


@pytest.mark.parametrize("name", ["AUC_LDA", "AUC_QDA", "AUC_diff", "ERR_LDA", "ERR_QDA"])
def test_sixteen_training_sets_agree_with_the_reference(few: dict[str, object], name: str) -> None:
    """Seed 1; four standard errors of both sides, for the value and three standard errors."""
    reference = GOLDEN["table4"]["200"]
    assert disagreement(few[name], reference[name], reference["trials"]) < 4.0
