"""The t test of random splits: Student's, with a caution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import earnest as en
from tests.comparison.evidence import classified


def test_it_is_students_paired_test_of_all_test_sets() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.exponential(1.0, (2, 12))
    made = en.compare(
        en.Scores({"a": a, "b": b}, fold=np.arange(12), greater_is_better=False),
        "a",
        "b",
        test="resampled_t",
    )
    known = stats.ttest_rel(a, b)
    assert made.statistic == pytest.approx(known.statistic)
    assert made.p_value == pytest.approx(known.pvalue)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(known.confidence_interval().low)


def test_repeats_of_one_test_set_each_are_taken() -> None:
    rng = np.random.default_rng(1)
    y, scores = np.tile([0, 1], 20), rng.random((40, 2, 6))
    tested = np.array([rng.permutation(40) < 12 for _ in range(6)]).T  # (n, R)
    scores[~np.broadcast_to(tested[:, None], scores.shape)] = np.nan
    fold = np.where(tested, 0, -1)
    pi = en.Predictions.from_arrays(y, scores, np.where(fold < 0, None, 0))
    made = en.compare(pi, 0, 1, test="resampled_t", metric="accuracy")
    hits = [[((scores[tested[:, r], c, r] > 0.5) == y[tested[:, r]]).mean() for r in range(6)]
            for c in (0, 1)]  # fmt: skip
    assert made.p_value == pytest.approx(stats.ttest_rel(*hits).pvalue)
    with pytest.raises(en.errors.EvidenceError, match="trained on"):
        en.compare(pi, 0, 1, test="corrected_t", metric="accuracy")
    ratio = en.compare(
        pi, 0, 1, test=en.comparison.CorrectedTTest(ratio=12 / 28), metric="accuracy"
    )
    spread = np.subtract(*hits).std(ddof=1)
    assert ratio.standard_error == pytest.approx(spread * np.sqrt(1 / 6 + 12 / 28))


def test_it_always_says_that_it_is_too_eager() -> None:
    made = en.compare(classified(), "good", "poor", test="resampled_t", metric="accuracy")
    assert made.cautions[0].code == "EN038"
    assert "5 test sets" in made.cautions[0].what


def test_a_ratio_that_is_none_is_refused() -> None:
    for wrong in (0.0, -1, "x", np.inf, True):
        with pytest.raises(en.errors.InputError, match="ratio"):
            en.comparison.CorrectedTTest(ratio=wrong)
