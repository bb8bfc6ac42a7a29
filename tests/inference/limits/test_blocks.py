"""Limits of the best of several forecasters in time order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import earnest as en
from earnest.errors import EvidenceError, InputError
from earnest.methods import BBC
from earnest.results import Dependence, Estimate


def forecasts(phi: float = 0.6, n: int = 200, *, when: object = True) -> en.Predictions:
    """Return eight forecasters whose errors follow an autoregression."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((n + 100, 8))
    for t in range(1, len(noise)):
        noise[t] += phi * noise[t - 1]
    y = rng.standard_normal(n)
    return en.Predictions.from_arrays(y, y[:, None] + noise[100:], when=when)


def test_dependence_is_told_and_widens_the_interval() -> None:
    told = en.estimate(forecasts(0.8), metric="mae", rng=0)
    assert told.dependence is not None
    assert told.dependence.block_length > 1
    assert told.dependence.inflation > 1.5
    known = forecasts(0.8)
    none = Dependence(block_length=1, inflation=1.0, first=0.0, n_times=200, df=199)
    known = replace(known, target=replace(known.target, dependence=none))
    plain = en.estimate(known, metric="mae", rng=0)
    assert told.interval.width > 1.2 * plain.interval.width
    assert told.standard_error > 1.2 * plain.standard_error


def test_rows_may_stand_in_any_order() -> None:
    pi = forecasts()
    rows = np.random.default_rng(1).permutation(200)
    mixed = en.Predictions.from_arrays(pi.target.y[rows], pi.responses[rows, :, 0], when=rows)
    one, two = (en.estimate(each, metric="mse", rng=0) for each in (pi, mixed))
    assert_allclose(one.dependence.inflation, two.dependence.inflation, rtol=1e-9)
    assert one.dependence.block_length == two.dependence.block_length
    assert_allclose(one.value, two.value, rtol=1e-9)  # the same blocks, drawn of ranks


def test_groups_win_over_the_order_and_other_methods_warn() -> None:
    grouped = forecasts()
    grouped = replace(grouped, target=replace(grouped.target, groups=np.arange(200) // 10))
    answer = en.estimate(grouped, metric="mse", rng=0)
    assert answer.dependence is None
    assert "time_order" in {c.kind for c in answer.cautions}
    naive = en.estimate(forecasts(), metric="mse", method="naive_bootstrap", rng=0)
    assert naive.dependence is None
    assert "time_order" in {c.kind for c in naive.cautions}


def test_one_forecaster_has_its_own_score_and_limits_of_blocks() -> None:
    alone = forecasts(0.7).select(0)
    answer = en.estimate(alone, metric="mse", rng=0)
    assert answer.method == "bbc"
    assert answer.dependence is not None
    assert_allclose(answer.value, answer.naive)
    cases = en.estimate(forecasts(0.7, when=None).select(0), metric="mse", rng=0)
    assert answer.interval.width > 1.1 * cases.interval.width


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "r2"])
@pytest.mark.parametrize("method", ["bbc", "near_winner"])
def test_estimates_of_time_are_files_and_answer_at_other_levels(
    tmp_path: Path, metric: str, method: str
) -> None:
    answer = en.estimate(forecasts(), metric=metric, method=method, n_resamples=100, rng=0)
    back = Estimate.load(answer.save(tmp_path / "e.json"))
    assert back.dependence == answer.dependence
    narrow = answer.at(confidence_level=0.5).interval
    assert_allclose(back.at(confidence_level=0.5).interval.low, narrow.low)
    assert answer.interval.low <= narrow.low <= answer.value <= narrow.high <= answer.interval.high


@pytest.mark.parametrize("resampler", ["moving_block", "stationary", "circular_block"])
def test_every_block_resampler_serves(resampler: str) -> None:
    answer = en.estimate(
        forecasts(), metric="mse", method=BBC(resampler=resampler, n_resamples=100), rng=0
    )
    assert answer.interval.low < answer.value < answer.interval.high
    gained = en.gain(forecasts(), metric="mse", rng=0)
    assert gained is not None


def test_classes_in_time_order_are_judged_too() -> None:
    rng = np.random.default_rng(3)
    y = (np.sin(np.arange(160) / 9) + rng.standard_normal(160) > 0).astype(int)
    scores = np.clip(0.5 + 0.2 * (2 * y - 1)[:, None] + 0.2 * rng.standard_normal((160, 4)), 0, 1)
    pi = en.Predictions.from_arrays(y, scores, when=True)
    for metric in ("roc_auc", "accuracy", "log_loss", "average_precision"):
        answer = en.estimate(pi, metric=metric, rng=0, n_resamples=200)
        assert answer.dependence is not None, metric
        assert answer.interval.low <= answer.value <= answer.interval.high
    with pytest.raises(InputError):
        en.estimate(pi, metric="roc_auc", undefined="stratify", rng=0)


def test_few_times_and_strong_dependence_are_told() -> None:
    kinds = {c.kind for c in en.estimate(forecasts(0.98, 120), metric="mse", rng=0).cautions}
    assert "few_times" in kinds
    short = en.estimate(forecasts(0.0, 9), metric="mse", rng=0)
    assert short.dependence is None
    with pytest.raises(EvidenceError):
        en.estimate(forecasts(when=None), metric="mse", method=BBC(resampler="moving_block"))


def test_limits_of_subgroups_are_said_not_to_allow_for_time() -> None:
    answer = en.estimate(forecasts(), metric="mse", by={"half": np.arange(200) // 100}, rng=0)
    assert "subgroups_in_time" in {c.kind for c in answer.subgroups.cautions}
