"""The t test of fold scores against scipy's paired t test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from earnest import compare
from earnest.errors import EvidenceError
from earnest.kernels import score_table
from tests.comparison.evidence import classified


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss"])
def test_it_equals_the_paired_t_test_of_fold_scores(metric: str, alternative: str) -> None:
    pi = classified(n=100)
    within = (pi.folds[:, 0] == np.arange(5)[:, None]).astype(int)
    scores = score_table(pi, metric, within)  # (K, C)
    known = ttest_rel(scores[:, 0], scores[:, 1], alternative=alternative)
    made = compare(pi, "good", "fair", test="cv_t", metric=metric, alternative=alternative)
    assert made.statistic == pytest.approx(known.statistic)
    assert made.p_value == pytest.approx(known.pvalue)
    assert made.interval is not None
    known_interval = known.confidence_interval(0.95)
    low, high = made.limits
    assert made.interval.low == pytest.approx(max(known_interval.low, low))
    assert made.interval.high == pytest.approx(min(known_interval.high, high))


def test_it_says_that_folds_are_not_independent() -> None:
    made = compare(classified(), "good", "fair", test="cv_t", metric="accuracy")
    assert "EN038" in {caution.code for caution in made.cautions}


def test_one_fold_is_refused() -> None:
    with pytest.raises(EvidenceError, match="needs more folds"):
        compare(classified(folds=1), "good", "fair", test="cv_t", metric="accuracy")
