"""The mean over samples of the score of cases left out."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=4)
    expected = oracles.star(made, score)
    answer = en.estimate(made, method="err_star", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


def test_any_metric_has_a_value_and_says_why_it_has_no_interval() -> None:
    made = example_replicates("binary", n_cases=40)
    answer = en.estimate(made, method="auc_star", metric="average_precision")
    assert answer.interval is None
    assert "no_influence_function" in {caution.kind for caution in answer.cautions}
    with pytest.raises(en.errors.EvidenceError, match="no interval"):
        answer.at(side="lower")


def test_its_standard_error_is_that_of_the_form_that_has_one() -> None:
    made = example_replicates("binary")
    for metric, other in (("accuracy", "loob"), ("roc_auc", "lpob")):
        answer = en.estimate(made, method="err_star", metric=metric)
        assert (
            answer.standard_error == en.estimate(made, method=other, metric=metric).standard_error
        )
        assert "error_of_related" in {caution.kind for caution in answer.cautions}


def test_samples_without_a_class_left_out_are_told_of() -> None:
    made = example_replicates("binary", n_cases=9, n_replicates=60, seed=3)
    missing = np.array([len(set(made.target.y[c == 0])) < 2 for c in made.counts])
    assert missing.any()
    answer = en.estimate(made, method="err_star", metric="roc_auc")
    assert answer.value == pytest.approx(oracles.star(made, oracles.auc), abs=EXACT)
    told = next(caution for caution in answer.cautions if caution.kind == "replicates_undefined")
    assert told.what.startswith(f"{missing.sum()} of 60")
