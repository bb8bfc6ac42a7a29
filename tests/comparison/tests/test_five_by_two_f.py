"""The combined 5x2 F test: its formula, its missing direction, its edges."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import earnest as en
from tests.comparison.tests.test_five_by_two import APART, losses

ZERO = np.zeros((5, 2))


def test_the_statistic_is_the_ratio_of_squares_under_f_10_5() -> None:
    made = en.compare(losses(APART, ZERO), "a", "b", test="five_by_two_f")
    f = (APART**2).sum() / (2 * APART.var(axis=1, ddof=1).sum())
    assert made.statistic == pytest.approx(f)
    assert made.p_value == pytest.approx(stats.f.sf(f, 10, 5))
    assert made.difference == pytest.approx(APART.mean())
    assert made.interval is None
    assert made.standard_error is None


def test_the_order_of_folds_and_repeats_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    mixed = rng.permutation(rng.permuted(APART, axis=1), axis=0)
    here = en.compare(losses(APART, ZERO), "a", "b", test="five_by_two_f")
    there = en.compare(losses(mixed, ZERO), "a", "b", test="five_by_two_f")
    assert there.p_value == pytest.approx(here.p_value)


def test_it_knows_no_direction() -> None:
    with pytest.raises(en.errors.InputError, match="has no direction"):
        en.compare(losses(APART, ZERO), "a", "b", test="five_by_two_f", alternative="less")
    made = en.compare(losses(APART, ZERO), "a", "b", test="five_by_two_f")
    with pytest.raises(en.errors.EvidenceError, match="has no direction"):
        made.at(alternative="greater")
    with pytest.raises(en.errors.InputError, match="cannot find the best"):
        en.compare_many(losses(APART, ZERO), test="five_by_two_f")
    assert made.at(confidence_level=0.9).p_value == made.p_value


def test_equal_columns_give_p_1_and_equal_differences_a_bound() -> None:
    same = en.compare(losses(APART, APART), "a", "b", test="five_by_two_f")
    assert (same.difference, same.p_value) == (0.0, 1.0)
    flat = en.compare(losses(APART + 1.0, APART), "a", "b", test="five_by_two_f")
    assert flat.p_value == pytest.approx(2 * 0.5**5)


def test_it_survives_json_and_says_what_it_found() -> None:
    made = en.compare(losses(APART + 9, ZERO), "a", "b", test="five_by_two_f")
    assert en.results.Comparison.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert made.shown
    assert made.decision.startswith("a is worse than b")
