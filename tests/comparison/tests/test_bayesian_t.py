"""The Bayesian correlated t test against the integral of its posterior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student

from earnest import compare, compare_many
from earnest.comparison import BayesianTTest
from earnest.errors import InputError
from tests.comparison.evidence import classified, columns
from tests.snapshots import Golden


def test_probabilities_are_the_mass_of_a_student_law() -> None:
    pi = classified(n=100, repeats=2)
    made = compare(pi, "good", "fair", test=BayesianTTest(rope=0.03), metric="accuracy")
    law = student(9, made.difference, made.standard_error)
    chances = made.probabilities
    assert chances is not None
    assert chances.a_better == pytest.approx(quad(law.pdf, 0.03, np.inf)[0], abs=1e-7)
    assert chances.equivalent == pytest.approx(quad(law.pdf, -0.03, 0.03)[0], abs=1e-7)
    assert chances.b_better == pytest.approx(quad(law.pdf, -np.inf, -0.03)[0], abs=1e-7)


def test_the_interval_is_that_of_the_corrected_t_test_and_there_is_no_p_value() -> None:
    pi = classified()
    made = compare(pi, "good", "fair", test="bayesian_t", metric="accuracy")
    same = compare(pi, "good", "fair", test="corrected_t", metric="accuracy")
    assert made.interval == same.interval
    assert (made.p_value, made.statistic, made.shown) == (None, None, None)


def test_better_follows_the_direction_of_the_metric() -> None:
    pi = classified()
    gain = compare(pi, "good", "poor", test="bayesian_t", metric="accuracy").probabilities
    loss = compare(pi, "good", "poor", test="bayesian_t", metric="error_rate").probabilities
    assert gain is not None
    assert loss is not None
    assert gain.a_better == pytest.approx(loss.a_better)
    assert gain.a_better > 0.8


def test_the_decision_is_made_at_the_level(golden: Golden) -> None:
    made = compare(classified(n=400), "good", "poor", test="bayesian_t", metric="accuracy")
    golden.check(made.decision)
    near = compare(
        classified(n=400), "good", "fair", test=BayesianTTest(rope=0.9), metric="accuracy"
    )
    golden.check(near.decision)
    unsure = compare(classified(n=40), "good", "fair", test="bayesian_t", metric="accuracy")
    assert unsure.decision.startswith("Undecided: ")
    assert "within 0.01" in unsure.decision


def test_the_region_is_one_percent_where_1_is_a_size_and_asked_for_elsewhere(
    golden: Golden,
) -> None:
    made = compare(classified(), "good", "fair", test="bayesian_t", metric="accuracy")
    assert made.provenance.knobs["rope"] == 0.01
    with pytest.raises(InputError) as refusal:
        compare(classified(), "good", "fair", test="bayesian_t", metric="log_loss")
    golden.check(str(refusal.value))
    for rope in (-0.1, float("nan"), float("inf"), True, "0.1"):
        with pytest.raises(InputError) as refusal:
            BayesianTTest(rope=rope)
        golden.check(str(refusal.value))  # type: ignore[arg-type]  # that is the test


def test_all_against_the_best_needs_p_values() -> None:
    with pytest.raises(InputError, match="test='corrected_t'"):
        compare_many(classified(), test="bayesian_t", metric="accuracy")


@pytest.mark.parametrize("wrong", [False, True])
def test_folds_that_all_agree_have_no_posterior(wrong: bool) -> None:
    y = np.tile([0, 1], 20)
    labels = np.column_stack([y, 1 - y]) if wrong else np.column_stack([y * 0.8, y * 0.6])
    about = {"response": "label"} if wrong else {}
    pi = columns(y, labels, np.arange(40) // 2 % 4, **about)
    made = compare(pi, "a", "b", test="bayesian_t", metric="accuracy")
    assert (made.probabilities, made.p_value) == (None, None)
    assert made.decision.startswith("Undecided: ")
    (remark,) = (caution for caution in made.cautions if caution.code == "EN035")
    assert "there are no probabilities" in remark.consequence
    assert made.interval is not None
    assert 0.0 in made.interval


def test_the_same_predictions_are_equal_for_sure() -> None:
    made = compare(classified(), "good", "good", test="bayesian_t", metric="accuracy")
    assert made.probabilities is not None
    assert made.probabilities.equivalent == 1.0
