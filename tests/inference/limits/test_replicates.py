"""Limits of estimates from replicates, and what is told of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.core import EqualCaseLimits, LogitLimits, NormalLimits, ShareLimits
from earnest.inference import (
    cases_left_out,
    find_replicate_limits,
    noise_remarks,
    pairs_left_out,
    scaled_limits,
)
from earnest.testing import example_replicates


def codes(cautions: object) -> set[str]:
    return {caution.code for caution in cautions}


def test_means_have_normal_limits_and_pairs_logit_ones() -> None:
    made = example_replicates("binary")
    accuracy, auc = (en.metric(name).on("binary") for name in ("accuracy", "roc_auc"))
    assert isinstance(
        find_replicate_limits(made, accuracy, cases_left_out(made, accuracy)).source, NormalLimits
    )
    assert isinstance(
        find_replicate_limits(made, auc, pairs_left_out(made, auc)).source, LogitLimits
    )


def test_no_spread_has_limits_of_what_was_not_seen() -> None:
    made = example_replicates("binary", n_cases=40)
    y = made.target.y.astype(float)
    perfect = replace(made, responses=np.tile(2 * y - 1, (200, 1)), apparent=2 * y - 1)
    accuracy, auc = (en.metric(name).on("binary") for name in ("accuracy", "roc_auc"))
    cases = find_replicate_limits(perfect, accuracy, cases_left_out(perfect, accuracy))
    pairs = find_replicate_limits(perfect, auc, pairs_left_out(perfect, auc))
    assert isinstance(cases.source, EqualCaseLimits)
    assert isinstance(pairs.source, ShareLimits)
    assert pairs.source.trials == int(min(y.sum(), 40 - y.sum()))
    assert codes(cases.cautions) == codes(pairs.cautions) == {"EN035"}
    for metric in (accuracy, auc):
        scaled = scaled_limits(perfect, metric, 1.0, of=".632")
        assert type(scaled.source) in (EqualCaseLimits, ShareLimits)


def test_groups_count_as_one_where_there_is_no_spread() -> None:
    groups = np.repeat(np.arange(10), 4)
    y = np.tile([0, 1], 20)
    counts = np.random.default_rng(0).multinomial(10, np.full(10, 0.1), size=80)[:, groups]
    made = en.Replicates(
        target=en.Predictions.from_arrays(y, y, groups=groups).target,
        responses=np.tile(y.astype(float), (80, 1)),
        counts=counts,
        apparent=y.astype(float),
        kind="probability",
        drawn="group",
    )
    accuracy = en.metric("accuracy").on("binary")
    source = find_replicate_limits(made, accuracy, cases_left_out(made, accuracy)).source
    assert isinstance(source, EqualCaseLimits)
    assert source.n == 10


def test_noise_is_told_of_with_how_many_replicates_would_do() -> None:
    made = example_replicates("regression", n_replicates=400)
    few = cases_left_out(made.take(slice(0, 20)), en.metric("mse"))
    (told,) = noise_remarks(few)
    assert told.code == "EN084"
    needed = int(told.cure.split("=")[1].split()[0])
    assert needed >= 200  # fewer are never advised
    quiet = replace(few, noise_variance=few.noise_variance * 20 / needed)
    assert list(noise_remarks(quiet)) == [] or quiet.drowned


@pytest.mark.parametrize("count", [1, 2, 9])
def test_a_handful_of_replicates_is_always_told_of(count: int) -> None:
    made = example_replicates("regression", n_replicates=40).take(slice(0, count))
    (told,) = noise_remarks(cases_left_out(made, en.metric("mse")))
    assert told.code == "EN084"
    assert "n_replicates=200" in told.cure


@pytest.mark.parametrize(("n", "few"), [(29, True), (30, False)])
def test_limits_of_fewer_than_thirty_cases_are_told_to_be_rough(n: int, few: bool) -> None:
    made, mse = example_replicates("regression", n_cases=n), en.metric("mse")
    limited = find_replicate_limits(made, mse, cases_left_out(made, mse))
    assert ("EN036" in codes(limited.cautions)) == few


def test_a_metric_without_a_form_has_no_limits_and_says_so() -> None:
    made = example_replicates("binary")
    limited = scaled_limits(made, en.metric("average_precision").on("binary"), 0.5, of="err_star")
    assert limited.source is None
    assert codes(limited.cautions) == {"EN086"}


@pytest.mark.parametrize("metric", ["mse", "r2"])
def test_scaling_is_by_the_distance_from_the_best(metric: str) -> None:
    made = example_replicates("regression")
    measure = en.metric(metric)
    base = cases_left_out(made, measure)
    best = 1.0 if metric == "r2" else 0.0
    value = 0.5 * (base.value + best)  # half as far
    source = scaled_limits(made, measure, value, of=".632").source
    assert isinstance(source, NormalLimits)
    assert source.standard_error == pytest.approx(0.5 * base.standard_error)
