"""DeLong's paired test against its definition by all pairs of cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from earnest import Predictions, compare
from earnest.errors import EvidenceError, MetricError
from tests.comparison.evidence import classified, columns
from tests.snapshots import Golden


def by_pairs(pi: Predictions) -> tuple[float, float]:
    """The difference of two AUCs and its standard error, from the kernel of all pairs."""
    y, s = pi.target.y, pi.responses[:, :, 0]
    pos, neg = s[y == 1], s[y == 0]
    psi = (pos[:, None] > neg[None]) + 0.5 * (pos[:, None] == neg[None])  # (n1, n0, C)
    d = psi[:, :, 0] - psi[:, :, 1]
    square = d.mean(axis=1).var(ddof=1) / len(pos) + d.mean(axis=0).var(ddof=1) / len(neg)
    return float(d.mean()), float(np.sqrt(square))


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_the_definition_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = (rng.random(50) < 0.4).astype(int)
    pi = columns(y, rng.integers(0, 8, (50, 2)) + y[:, None] * [2, 1], response="decision")
    made = compare(pi, "a", "b", test="delong", metric="roc_auc")
    difference, error = by_pairs(pi)
    assert made.difference == pytest.approx(difference, abs=1e-13)
    assert made.standard_error == pytest.approx(error, rel=1e-11)
    assert made.p_value == pytest.approx(2 * norm.sf(abs(difference / error)), rel=1e-9)


def test_groups_of_one_case_each_change_little() -> None:
    pi = classified(n=200, folds=1)
    single = replace(pi, target=replace(pi.target, groups=np.arange(200)))
    here = compare(pi, "good", "fair", test="delong", metric="roc_auc").standard_error
    there = compare(single, "good", "fair", test="delong", metric="roc_auc").standard_error
    # n / (n - 1) of all in place of n1 / (n1 - 1) by class
    assert there == pytest.approx(here, rel=0.01)


def test_repeats_average_the_areas() -> None:
    pi = classified(n=80, repeats=3)
    alone = [
        compare(
            Predictions.from_arrays(pi.target.y, pi.responses[:, :2, r], configs=["good", "fair"]),
            "good",
            "fair",
            test="delong",
            metric="roc_auc",
        ).difference
        for r in range(3)
    ]
    made = compare(pi, "good", "fair", test="delong", metric="roc_auc")
    assert made.difference == pytest.approx(np.mean(alone))


def test_scores_of_several_folds_are_cautioned_of() -> None:
    made = compare(classified(), "good", "fair", test="delong", metric="roc_auc")
    assert "EN042" in {caution.code for caution in made.cautions}
    alone = compare(classified(folds=1), "good", "fair", test="delong", metric="roc_auc")
    assert "EN042" not in {caution.code for caution in alone.cautions}


def test_other_metrics_and_many_classes_are_refused() -> None:
    with pytest.raises(MetricError, match="metric='roc_auc'"):
        compare(classified(), "good", "fair", test="delong", metric="accuracy")
    rng = np.random.default_rng(0)
    many = Predictions.from_arrays(np.arange(30) % 3, rng.dirichlet([1, 1, 1], (30, 2, 1)))
    with pytest.raises(MetricError, match="binary"):
        compare(many, 0, 1, test="delong", metric="roc_auc_ovr")


def test_one_group_is_refused() -> None:
    pi = classified(groups=np.zeros(60))
    with pytest.raises(EvidenceError, match="two groups"):
        compare(pi, "good", "fair", test="delong", metric="roc_auc")


def test_few_cases_of_a_class_are_counted_in_words(golden: Golden) -> None:
    rng = np.random.default_rng(0)
    pi = columns([1] * 5 + [0] * 60, rng.random((65, 2)))
    made = compare(pi, "a", "b", test="delong", metric="roc_auc")
    said = {caution.code: caution.what for caution in made.cautions}
    golden.check(said["EN036"])


def test_groups_are_summed_and_counted_as_obuchowski_does() -> None:
    pi = classified(n=60, folds=1, groups=np.arange(60) // 6)
    made = compare(pi, "good", "fair", test="delong", metric="roc_auc")
    y, s = pi.target.y, pi.responses[:, :2, 0]
    pos, neg = s[y == 1], s[y == 0]
    psi = (pos[:, None] > neg[None]) + 0.5 * (pos[:, None] == neg[None])
    d = psi[:, :, 0] - psi[:, :, 1]
    errors = np.zeros(60)
    errors[y == 1] = (d.mean(axis=1) - d.mean()) / len(pos)
    errors[y == 0] = (d.mean(axis=0) - d.mean()) / len(neg)
    sums = errors.reshape(10, 6).sum(axis=1)
    assert made.standard_error == pytest.approx(np.sqrt(np.square(sums).sum() * 10 / 9))
