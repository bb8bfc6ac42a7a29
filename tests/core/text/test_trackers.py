"""Numbers by name: what trackers and report libraries take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.core import metrics_of, plain_name


@pytest.fixture(scope="module")
def made(binary: en.Predictions) -> en.results.Estimate:
    return en.estimate(binary, metric="roc_auc", rng=3, n_resamples=200)


def test_names_are_the_metric_with_suffixes(made: en.results.Estimate) -> None:
    assert made.interval is not None
    assert made.to_metrics() == {
        "roc_auc": made.value,
        "roc_auc_low": made.interval.low,
        "roc_auc_high": made.interval.high,
        "roc_auc_standard_error": made.standard_error,
        "roc_auc_naive": made.naive,
        "roc_auc_optimism": made.optimism,
    }
    assert all(type(value) is float for value in made.to_metrics().values())


@pytest.mark.parametrize(("side", "left"), [("lower", "low"), ("upper", "high")])
def test_a_bound_has_one_end(side: str, left: str, made: en.results.Estimate) -> None:
    found = metrics_of(made.at(side=side), "m")
    assert f"m_{left}" in found
    assert len({"m_low", "m_high"} & set(found)) == 1


def test_what_is_not_there_or_not_finite_is_left_out(made: en.results.Estimate) -> None:
    bare = replace(made, interval=None, standard_error=None, naive=None, value=np.nan)
    assert metrics_of(bare) == {}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("f_beta(beta=2)", "f_beta_beta_2"),
        ("größe%", "gr_e"),
        ("a/b.c-d e", "a/b.c-d e"),
        ("§", "metric"),
    ],
)
def test_names_are_plain(name: str, wanted: str) -> None:
    assert plain_name(name) == wanted
