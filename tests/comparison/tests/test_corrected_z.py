"""The corrected test of cases against the tests that it takes the variance of the cases from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import earnest as en
from earnest import compare
from earnest.core import ComparisonEstimand
from tests.comparison.evidence import classified, columns
from tests.snapshots import Golden


@pytest.mark.parametrize(
    ("metric", "models"), [("accuracy", "bayle"), ("log_loss", "bayle"), ("roc_auc", "delong")]
)
@pytest.mark.parametrize("repeats", [1, 3])
def test_the_variance_of_the_cases_is_multiplied_by_one_and_n_over_m(
    metric: str, models: str, repeats: int
) -> None:
    pi = classified(n=100, repeats=repeats)
    bare = compare(pi, "good", "fair", test=models, metric=metric)
    made = compare(pi, "good", "fair", test="corrected_z", metric=metric)
    assert bare.standard_error is not None
    error = bare.standard_error * math.sqrt(1 + 100 / 80)  # five folds train on 80 of 100
    assert made.standard_error == pytest.approx(error)
    assert made.difference == bare.difference
    assert made.p_value == pytest.approx(2 * norm.sf(abs(made.difference) / error))


def test_it_has_about_the_error_of_corrected_t() -> None:
    # Five folds scatter by sqrt(2 / 4) of a variance, which the mean of 60 samples brings to .09.
    ratios = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.standard_normal(200)
        guesses = y[:, None] + rng.standard_normal((200, 2))
        pi = columns(y, guesses, np.arange(200) % 5, task="regression")
        errors = [
            compare(pi, "a", "b", test=test, metric="mse").standard_error
            for test in ("corrected_z", "corrected_t")
        ]
        ratios.append((errors[1] or 0.0) ** 2 / (errors[0] or 1.0) ** 2)
    assert np.mean(ratios) == pytest.approx(1.0, abs=4 * 0.09)


def test_it_is_about_learners_and_one_test_set_tells_nothing_of_them(golden: Golden) -> None:
    made = compare(classified(), "good", "fair", metric="accuracy")
    assert (made.test, made.estimand) == ("corrected_z", ComparisonEstimand.LEARNERS)
    with golden.raises(en.errors.EvidenceError):
        compare(classified(folds=1), "good", "fair", test="corrected_z", metric="accuracy")
    alone = compare(classified(folds=1), "good", "fair", metric="accuracy")
    assert alone.test == "bayle"


@pytest.mark.parametrize("test", ["bayle", "delong"])
def test_a_claim_about_models_of_folds_says_so_and_one_about_learners_needs_no_words(
    test: str,
) -> None:
    metric = "roc_auc" if test == "delong" else "accuracy"
    pi = classified(n=300)
    models = en.compare_many(pi, test=test, metric=metric, rng=0)
    learners = en.compare_many(pi, metric=metric, rng=0)
    assert models.estimand is not learners.estimand
    for many, about in ((models, True), (learners, False)):
        words = [many.decision, *(made.decision for made in many)]
        assert all(("not" in text and "the learners" in text) is about for text in words)
    one_set = compare(classified(folds=1), "good", "fair", test=test, metric=metric)
    assert "the learners" not in one_set.decision


def test_the_estimand_is_read_back_from_a_file() -> None:
    many = en.compare_many(classified(), metric="accuracy", rng=0)
    again = type(many).from_dict(many.to_dict())
    assert again.estimand is ComparisonEstimand.LEARNERS
    assert again.cautions == many.cautions


def test_the_table_has_the_cautions_of_its_comparisons() -> None:
    many = en.compare_many(classified(n=20), metric="accuracy", rng=0)
    assert all(made.cautions for made in many)
    codes = {caution.code for made in many for caution in made.cautions}
    assert codes <= {caution.code for caution in many.cautions}
