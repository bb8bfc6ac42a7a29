"""The corrected resampled t test against its formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from earnest import compare
from earnest.kernels import score_table
from tests.comparison.evidence import classified, columns


@pytest.mark.parametrize("repeats", [1, 3])
def test_the_variance_allows_for_overlap_with_j_folds_of_all_repeats(repeats: int) -> None:
    pi = classified(n=100, repeats=repeats)
    apart = []
    for r in range(repeats):
        one = columns(pi.target.y, pi.responses[:, :2, r])
        within = (pi.folds[:, r] == np.arange(5)[:, None]).astype(int)
        scores = score_table(one, "accuracy", within)
        apart.extend(scores[:, 0] - scores[:, 1])
    count, spread = len(apart), np.std(apart, ddof=1)
    error = spread * np.sqrt(1 / count + 1 / 4)  # n_test / n_train = 1 / (K - 1)
    made = compare(pi, "good", "fair", test="corrected_t", metric="accuracy")
    assert count == 5 * repeats
    assert made.difference == pytest.approx(np.mean(apart))
    assert made.standard_error == pytest.approx(error)
    assert made.p_value == pytest.approx(2 * student.sf(abs(np.mean(apart)) / error, count - 1))


def test_it_is_less_sure_than_the_plain_t_test() -> None:
    pi = classified()
    plain = compare(pi, "good", "fair", test="cv_t", metric="accuracy")
    wary = compare(pi, "good", "fair", test="corrected_t", metric="accuracy")
    assert wary.p_value > plain.p_value  # type: ignore[operator]  # both have one
    ratio = np.sqrt((1 / 5 + 1 / 4) * 5)
    assert wary.standard_error == pytest.approx(ratio * plain.standard_error)  # type: ignore[operator]


def test_folds_without_a_class_are_left_out_with_a_caution() -> None:
    rng = np.random.default_rng(0)
    y, fold = np.array([0, 1] * 15 + [0] * 10), np.array([0, 0, 1, 1, 2, 2] * 5 + [3] * 10)
    pi = columns(y, rng.random((40, 2)), fold)
    made = compare(pi, "a", "b", test="corrected_t", metric="roc_auc")
    assert "EN017" in {caution.code for caution in made.cautions}
    assert made.provenance.n_folds == 4


def test_an_alias_names_its_authors() -> None:
    made = compare(classified(), "good", "fair", test="nadeau_bengio", metric="accuracy")
    assert made.test == "corrected_t"


def test_folds_that_were_not_evaluated_still_count_for_the_size_of_training_sets() -> None:
    pi = classified(n=100)
    responses = pi.responses.copy()
    responses[pi.folds[:, 0] >= 3, 1] = np.nan
    made = compare(
        replace(pi, responses=responses), "good", "fair", test="corrected_t", metric="accuracy"
    )
    within = (pi.folds[:, 0] == np.arange(3)[:, None]).astype(int)
    scores = score_table(pi, "accuracy", within)
    spread = np.std(scores[:, 0] - scores[:, 1], ddof=1)
    assert made.standard_error == pytest.approx(spread * np.sqrt(1 / 3 + 1 / 4))
