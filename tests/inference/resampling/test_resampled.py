"""A statistic over all resamples, and what happens where it is undefined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, Target, metric
from earnest.core import Seeds, Task
from earnest.inference import choose_resampler, resample_statistic
from earnest.resampling import (
    BayesianBootstrap,
    CaseBootstrap,
    GroupBootstrap,
    StratifiedBootstrap,
    UndefinedRule,
    Weights,
    bootstrap,
    in_bag_rule,
    out_of_bag_rule,
    something_out_of_bag,
)

TARGET = Target(y=np.arange(10) % 2, task=Task.BINARY, classes=(0, 1))


def first_weight(weights: Weights) -> np.ndarray:
    """The weight of case 0; undefined where it was not drawn."""
    values = weights.values[:, :1].astype(float)
    return np.where(values == 0, np.nan, values)


def run(count: int, redraw: bool, seed: int = 0) -> np.ndarray:
    return resample_statistic(
        first_weight, TARGET, CaseBootstrap(), count, Seeds.of(seed), accept=None, redraw=redraw
    )


def test_undefined_resamples_stay_or_are_drawn_again() -> None:
    kept, redrawn = run(500, redraw=False), run(500, redraw=True)
    undefined = np.isnan(kept[:, 0])
    # (1 - 1/10)**10 = .349 of the resamples lack case 0; 4 sd of a share of 500; seed 0
    assert undefined.mean() == pytest.approx(0.349, abs=4 * np.sqrt(0.349 * 0.651 / 500))
    assert not np.isnan(redrawn).any()
    np.testing.assert_array_equal(kept[~undefined], redrawn[~undefined])


def test_redrawn_values_have_the_law_of_the_defined_ones() -> None:
    # given that it is drawn, the count of case 0 has mean 1 / (1 - .9**10); 4 sd of 4000
    values = run(4000, redraw=True)[:, 0]
    assert values.mean() == pytest.approx(1 / (1 - 0.9**10), abs=4 * values.std() / np.sqrt(4000))


@pytest.mark.parametrize("redraw", [True, False])
def test_more_resamples_extend_the_earlier_ones(redraw: bool) -> None:
    np.testing.assert_array_equal(run(100, redraw), run(300, redraw)[:100])


def test_batches_do_not_change_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(300, redraw=True)
    monkeypatch.setattr(bootstrap, "BATCH_BYTES", 1)
    np.testing.assert_array_equal(run(300, redraw=True), whole)


@pytest.mark.parametrize("redraw", [True, False])
def test_a_statistic_that_is_never_defined_is_refused(redraw: bool) -> None:
    with pytest.raises(en.errors.EvidenceError, match="undefined on every resample"):
        resample_statistic(
            lambda weights: np.full((len(weights), 1), np.nan),
            TARGET,
            CaseBootstrap(),
            70,
            Seeds.of(0),
            accept=None,
            redraw=redraw,
        )


def test_several_columns_are_kept_together() -> None:
    def pair(weights: Weights) -> np.ndarray:
        values = first_weight(weights)
        return np.column_stack([values, weights.values[:, 0]])

    out = resample_statistic(
        pair, TARGET, CaseBootstrap(), 200, Seeds.of(1), accept=None, redraw=True, columns=2
    )
    np.testing.assert_array_equal(out[:, 0], out[:, 1])


def test_the_resampler_is_as_given_else_by_groups_else_by_the_policy(grouped: Predictions) -> None:
    given = BayesianBootstrap()
    assert choose_resampler(given, grouped.target, UndefinedRule.REDRAW) is given
    assert isinstance(choose_resampler(None, grouped.target, UndefinedRule.DROP), GroupBootstrap)
    assert isinstance(choose_resampler(None, TARGET, UndefinedRule.STRATIFY), StratifiedBootstrap)
    assert isinstance(choose_resampler(None, TARGET, UndefinedRule.REDRAW), CaseBootstrap)
    with pytest.raises(en.errors.InputError, match="within classes"):
        choose_resampler(None, grouped.target, UndefinedRule.STRATIFY)


def test_the_published_rule_is_applied_where_the_metric_needs_every_class() -> None:
    auc, accuracy = metric("roc_auc"), metric("accuracy")
    values = Target(y=np.arange(4.0), task=Task.REGRESSION)
    assert out_of_bag_rule(accuracy, TARGET, UndefinedRule.REDRAW) is something_out_of_bag
    assert out_of_bag_rule(metric("mse"), values, UndefinedRule.REDRAW) is something_out_of_bag
    both = out_of_bag_rule(auc, TARGET, UndefinedRule.REDRAW)
    drawn = in_bag_rule(auc, TARGET, UndefinedRule.REDRAW)
    assert both is not None
    assert drawn is not None
    only_zeros = np.array([[2, 0] * 5], dtype=np.uint8)
    everything = np.ones((1, 10), dtype=np.uint8)
    assert not both(only_zeros)[0]
    assert not drawn(only_zeros)[0]
    assert drawn(everything)[0]
    assert not both(everything)[0]  # nothing is left out
    for undefined in (UndefinedRule.DROP, UndefinedRule.STRATIFY):
        assert out_of_bag_rule(auc, TARGET, undefined) is None
        assert in_bag_rule(auc, TARGET, undefined) is None
    assert in_bag_rule(accuracy, TARGET, UndefinedRule.REDRAW) is None


def test_strata_are_resampled_apart_by_default() -> None:
    layered = replace(TARGET, strata=np.arange(TARGET.n) % 3)
    assert isinstance(choose_resampler(None, layered, UndefinedRule.REDRAW), StratifiedBootstrap)


def test_a_policy_and_a_resampler_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(en.errors.InputError, match="contradict"):
        choose_resampler(CaseBootstrap(), TARGET, UndefinedRule.STRATIFY)
    given = StratifiedBootstrap()
    assert choose_resampler(given, TARGET, UndefinedRule.STRATIFY) is given
