"""Scores of one model in subgroups beside fairlearn's, which corrects nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en

GOLDEN: dict[str, Any] = json.loads(Path(__file__).with_name("fairlearn.json").read_text())
RATES = {"sensitivity": "sensitivity", "flagged": "flagged", "false_positive_rate": "specificity"}
SCORES = [name for name in GOLDEN["numbers"] if name not in RATES]


@pytest.fixture
def predictions() -> en.Predictions:
    return en.Predictions.from_arrays(
        GOLDEN["y"], np.array(GOLDEN["p"])[:, None], by={"group": GOLDEN["group"]}
    )


@pytest.mark.parametrize("metric", SCORES)
def test_a_model_that_nobody_chose_has_fairlearns_scores(
    predictions: en.Predictions, metric: str
) -> None:
    expected = GOLDEN["numbers"][metric]
    answer = en.estimate(predictions, metric=metric, by="group", rng=0)
    groups = answer.subgroups
    assert groups is not None
    assert groups.value == pytest.approx(expected["overall"], rel=1e-9)
    assert groups.gaps[0].value == pytest.approx(expected["difference"], rel=1e-9)
    for each in groups:
        assert each.value == pytest.approx(expected["by_group"][each.level], rel=1e-9)


def test_decisions_in_subgroups_are_fairlearns(predictions: en.Predictions) -> None:
    table = en.thresholds(
        predictions, metric="roc_auc", thresholds=[0.5], by="group", n_resamples=50, rng=0
    )
    for name, measure in RATES.items():
        for each in table.subgroups:
            rate = each.table.at(0.5).rate(measure)
            assert rate is not None
            assert rate.naive is not None
            value = 1.0 - rate.naive if measure == "specificity" else rate.naive
            expected = GOLDEN["numbers"][name]["by_group"][each.level]
            assert value == pytest.approx(expected, rel=1e-9)
