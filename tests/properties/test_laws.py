"""The laws of the library as properties of arbitrary small predictions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import earnest as en
from earnest import Predictions, estimate
from earnest.core import DrawnLimits, Purpose, Seeds, WidenedLimits
from earnest.kernels import dense, scans, score_table
from earnest.methods import BBC, BBCFold, NaiveBootstrap
from earnest.resampling import Weights, bootstrap
from earnest.results import Estimate
from earnest.testing import in_order, mirrored, squared_error

ROUNDING = 1e-12
METRICS = ["roc_auc", "accuracy", "balanced_accuracy", "average_precision"]
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def binary(draw: st.DrawFn, *, least: int = 3, ties: bool = True) -> Predictions:
    """Small binary problems with stratified folds; scores of one digit tie often."""
    each, configs, folds = (
        draw(st.integers(least, 12)),
        draw(st.integers(1, 5)),
        draw(st.integers(2, 4)),
    )
    rng = np.random.default_rng(draw(SEEDS))
    y = np.tile([0, 1], each)
    scores = draw(st.floats(0, 2)) * y[:, None] + rng.standard_normal((2 * each, configs))
    scores = np.round(scores, 1) if ties else scores
    fold = np.arange(2 * each) // 2 % folds
    return Predictions.from_arrays(y, scores, fold, response="decision")


@st.composite
def regression(draw: st.DrawFn) -> Predictions:
    """Small regressions with folds; no two configurations tie."""
    n, configs = draw(st.integers(8, 24)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(SEEDS))
    y = rng.standard_normal(n)
    scores = y[:, None] + rng.standard_normal((n, configs))
    return Predictions.from_arrays(y, scores, np.arange(n) % 4, task="regression")


def some_counts(n: int, seed: int, b: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), b).astype(np.uint8)


def answer(
    pi: Predictions, method: Any = "bbc", metric: Any = "roc_auc", **options: Any
) -> Estimate:
    if method == "bbc":
        method = BBC(n_resamples=options.pop("n_resamples", 80))
    return estimate(pi, method=method, metric=metric, **{"rng": 0, **options})


def as_bytes(made: Estimate) -> str:
    return json.dumps(made.to_dict(draws=True))


@contextmanager
def constants(module: Any, **values: Any) -> Iterator[None]:
    """Set constants of a module for a while (hypothesis and fixtures do not mix)."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setattr(module, name, value)
        yield


# ---- weights


@given(binary(), SEEDS, st.sampled_from(METRICS))
@settings(max_examples=20)
def test_weights_are_repetition(pi: Predictions, seed: int, name: str) -> None:
    counts = some_counts(pi.n_cases, seed)
    table = score_table(pi, en.metric(name), Weights(counts))
    for row, count in zip(table, counts, strict=True):
        rows = np.repeat(np.arange(pi.n_cases), count)
        plain = score_table(in_order(pi, rows), en.metric(name), Weights.ones(len(rows)))[0]
        np.testing.assert_allclose(row, plain, atol=ROUNDING)


@given(binary(), SEEDS, st.sampled_from(METRICS))
@settings(max_examples=15)
def test_cases_and_weights_may_be_permuted_together(pi: Predictions, seed: int, name: str) -> None:
    counts = some_counts(pi.n_cases, seed)
    rows = np.random.default_rng(seed).permutation(pi.n_cases)
    moved = score_table(in_order(pi, rows), en.metric(name), Weights(counts[:, rows].copy()))
    np.testing.assert_allclose(
        moved, score_table(pi, en.metric(name), Weights(counts)), atol=ROUNDING
    )


@given(binary(), SEEDS)
@settings(max_examples=15)
def test_a_case_of_weight_zero_is_not_there(pi: Predictions, seed: int) -> None:
    used = np.random.default_rng(seed).random(pi.n_cases) < 0.7
    assume(len(set(pi.target.y[used].tolist())) == 2)
    weights = Weights(used.astype(np.uint8)[None])
    rest = in_order(pi, np.flatnonzero(used))
    for name in METRICS:
        np.testing.assert_allclose(
            score_table(pi, en.metric(name), weights),
            score_table(rest, en.metric(name), Weights.ones(rest.n_cases)),
            atol=ROUNDING,
        )


@given(binary(), st.sampled_from(["roc_auc", "accuracy"]))
@settings(max_examples=12)
def test_increasing_maps_of_the_scores_do_not_change_ranks(pi: Predictions, name: str) -> None:
    moved = replace(pi, responses=np.cbrt(pi.responses) * 3.0)  # keeps the sign as well
    np.testing.assert_allclose(
        score_table(moved, en.metric(name), Weights.ones(pi.n_cases)),
        score_table(pi, en.metric(name), Weights.ones(pi.n_cases)),
        atol=ROUNDING,
    )


# ---- permutation and mirror of methods


@given(regression(), SEEDS, st.sampled_from(["bbc", "bbc_fold", "naive", "tibshirani", "nb"]))
@settings(max_examples=15)
def test_order_of_configurations_does_not_matter(pi: Predictions, seed: int, method: str) -> None:
    order = np.random.default_rng(seed).permutation(pi.n_configs)
    made = answer(pi, method, squared_error)
    moved = answer(pi.select([int(c) for c in order]), method, squared_error)
    assert moved.winner == made.winner
    assert moved.value == pytest.approx(made.value, rel=1e-9)
    if made.interval is not None and moved.interval is not None:
        assert moved.interval.low == pytest.approx(made.interval.low, rel=1e-9)


@given(binary(ties=True), SEEDS, st.sampled_from(["naive", "tibshirani", "bbc_fold"]))
@settings(max_examples=15)
def test_order_of_cases_does_not_matter_without_chance(
    pi: Predictions, seed: int, method: str
) -> None:
    rows = np.random.default_rng(seed).permutation(pi.n_cases)
    made, moved = (answer(p, method, "accuracy") for p in (pi, in_order(pi, rows)))
    assert (moved.winner, moved.interval) == (made.winner, made.interval)
    assert moved.value == pytest.approx(made.value, abs=ROUNDING)


@given(binary(), st.sampled_from(["bbc", "bbc_fold", "naive", "tibshirani", "nb", "holdout"]))
@settings(max_examples=15)
def test_a_loss_mirrors_its_score(pi: Predictions, method: str) -> None:
    made, loss = (
        answer(pi, method, m) for m in (en.metric("accuracy"), mirrored(en.metric("accuracy")))
    )
    assert loss.winner == made.winner
    assert loss.value == pytest.approx(-made.value, abs=ROUNDING)
    assert loss.optimism == pytest.approx(made.optimism, abs=ROUNDING)
    if made.interval is not None and loss.interval is not None:
        assert loss.interval.low == pytest.approx(-made.interval.high, abs=ROUNDING)
        assert loss.interval.high == pytest.approx(-made.interval.low, abs=ROUNDING)


# ---- batches, threads, back ends


@given(binary(), st.integers(1, 4000), st.sampled_from(METRICS))
@settings(max_examples=12)
def test_batches_of_resamples_do_not_change_a_result(
    pi: Predictions, limit: int, name: str
) -> None:
    made = answer(pi, metric=name, n_resamples=150)
    with constants(bootstrap, BATCH_BYTES=limit):
        assert as_bytes(answer(pi, metric=name, n_resamples=150)) == as_bytes(made)


@given(binary(), st.integers(1, 200), st.integers(64, 2000))
@settings(max_examples=12)
def test_blocks_of_a_product_do_not_change_counts(
    pi: Predictions, resamples: int, cells: int
) -> None:
    made = answer(pi, metric="accuracy", n_resamples=150)
    with constants(dense, RESAMPLES=resamples, CELLS=cells, SUMS=cells):
        assert as_bytes(answer(pi, metric="accuracy", n_resamples=150)) == as_bytes(made)


@given(regression(), st.integers(1, 200), st.integers(64, 2000))
@settings(max_examples=12)
def test_blocks_of_a_product_do_not_change_sums(
    pi: Predictions, resamples: int, cells: int
) -> None:
    made = answer(pi, metric=squared_error, n_resamples=150)
    with constants(dense, RESAMPLES=resamples, CELLS=cells, SUMS=cells):
        other = answer(pi, metric=squared_error, n_resamples=150)
    assert as_bytes(other) == as_bytes(made)


@given(binary())
@settings(max_examples=10)
def test_the_compiled_and_the_plain_auc_give_the_same_bytes(pi: Predictions) -> None:
    with constants(scans, COLD=np.inf, WARM=np.inf):
        plain = answer(pi)
    with constants(scans, COLD=0.0, WARM=0.0):
        compiled = answer(pi)
    assert "earnest.kernels.compiled" in sys.modules
    assert as_bytes(compiled) == as_bytes(plain)


@given(binary())
@settings(max_examples=6)
def test_the_compiled_and_the_plain_average_precision_agree(pi: Predictions) -> None:
    with constants(scans, COLD=np.inf, WARM=np.inf):
        plain = answer(pi, metric="average_precision")
    with constants(scans, COLD=0.0, WARM=0.0):
        compiled = answer(pi, metric="average_precision")
    np.testing.assert_allclose(compiled.draws, plain.draws, atol=ROUNDING)
    np.testing.assert_array_equal(compiled.details.winners, plain.details.winners)


@given(binary(), st.sampled_from(["bbc", "naive", "nb", "holdout"]), st.sampled_from([2, 3, -1]))
@settings(max_examples=10)
def test_threads_do_not_change_a_result(pi: Predictions, method: str, jobs: int) -> None:
    assert as_bytes(answer(pi, method, n_jobs=jobs)) == as_bytes(answer(pi, method))


# ---- seeds


@given(binary(), SEEDS, st.sampled_from(["bbc", "bbc_fold", "nb", "holdout"]))
@settings(max_examples=12)
def test_the_same_seed_gives_the_same_bytes(pi: Predictions, seed: int, method: str) -> None:
    assert as_bytes(answer(pi, method, rng=seed)) == as_bytes(answer(pi, method, rng=seed))


@given(binary(least=2), st.integers(1, 150), st.sampled_from(["redraw", "drop", "stratify"]))
@settings(max_examples=12)
def test_more_resamples_extend_the_earlier_draws(pi: Predictions, few: int, undefined: str) -> None:
    runs = [
        estimate(pi, method=BBC(n_resamples=b, undefined=undefined), metric="roc_auc", rng=1)
        for b in (few, 200)
        if undefined == "redraw" or few > 20  # a few draws may all be undefined, and refused
    ]
    assume(len(runs) == 2)
    assert runs[0].draws is not None
    assert runs[1].draws is not None
    np.testing.assert_array_equal(runs[0].draws, runs[1].draws[:few])


@given(binary(), st.floats(0.02, 0.98), st.sampled_from(["lower", "upper", "two-sided"]))
@settings(max_examples=15)
def test_another_level_or_side_never_draws_again(pi: Predictions, level: float, side: str) -> None:
    made = answer(pi)
    with constants(bootstrap, batches=None, BLOCK=None), constants(Seeds, generator=None):
        moved = made.at(confidence_level=level, side=side)
    assert moved.interval == answer(pi, confidence_level=level, side=side).interval


@given(SEEDS, st.permutations(list(Purpose)))
@settings(max_examples=10)
def test_streams_do_not_depend_on_what_else_was_drawn(seed: int, order: list[Purpose]) -> None:
    alone = {p: Seeds.of(seed).generator(p).integers(0, 2**62) for p in Purpose}
    seeds = Seeds.of(seed)
    assert {p: seeds.generator(p).integers(0, 2**62) for p in order} == alone
    assert len(set(alone.values())) == len(Purpose)


# ---- what the methods mean


@given(binary(least=10))
@settings(max_examples=10)
def test_bbc_of_one_configuration_is_close_to_its_own_score(pi: Predictions) -> None:
    # out-of-bag AUCs are unbiased for the AUC of a resample's complement: 4 standard errors of a
    # mean of 400, and half a standard error for the unequal weights of pairs left out
    made = answer(pi.select(0), n_resamples=400)
    assert made.draws is not None
    assert made.naive is not None
    slack = made.draws.std(ddof=1) * (4 / np.sqrt(400) + 0.5)
    assert abs(made.value - made.naive) <= slack + ROUNDING


@given(regression())
@settings(max_examples=15)
def test_tibshirani_lies_between_the_loss_and_its_double(pi: Predictions) -> None:
    made = answer(pi, "tibshirani", squared_error)
    assert made.naive is not None
    assert made.naive - ROUNDING <= made.details.unclipped <= 2 * made.naive + ROUNDING


@given(binary())
@settings(max_examples=15)
def test_tibshirani_never_beats_the_naive_score(pi: Predictions) -> None:
    made = answer(pi, "tibshirani", "accuracy")
    assert made.naive is not None
    assert made.value <= made.naive + ROUNDING
    assert made.value == made.scale.clip(made.details.unclipped)


@given(binary(), st.sampled_from(["bbc", "bbc_fold", "nb", "holdout"]), st.sampled_from(METRICS))
@settings(max_examples=15)
def test_values_and_limits_lie_in_range_and_levels_nest(
    pi: Predictions, method: str, name: str
) -> None:
    made = answer(pi, method, name)
    assert 0 <= made.value <= 1
    inner, outer = (made.at(confidence_level=level).interval for level in (0.9, 0.95))
    assert inner is not None
    assert outer is not None
    assert 0 <= outer.low <= inner.low <= inner.high <= outer.high <= 1
    assert made.n_valid is None or made.n_valid <= (made.n_resamples or 0)


@given(binary(), st.sampled_from(["bbc", "bbc_fold", "nb"]))
@settings(max_examples=12)
def test_duplicated_configurations_change_nothing(pi: Predictions, method: str) -> None:
    # a copy behind its original never wins: ties go to the first
    copy = replace(pi, configs=replace(pi.configs, ids=tuple(f"copy{i}" for i in pi.configs.ids)))
    made, twice = answer(pi, method), answer(pi.concat(copy), method)
    np.testing.assert_array_equal(made.draws, twice.draws)
    assert twice.winner == made.winner


@given(binary(), st.integers(1, 3))
@settings(max_examples=10)
def test_identical_repeats_are_one_repeat(pi: Predictions, times: int) -> None:
    fold = np.repeat(pi.folds, times, axis=1)
    responses = np.repeat(pi.responses, times, axis=2)
    many = Predictions.from_arrays(pi.target.y, responses, fold, response="decision")
    made, repeated = answer(pi), answer(many)
    np.testing.assert_allclose(repeated.draws, made.draws, atol=ROUNDING)


@given(regression(), st.sampled_from(["bbc", "bbc_fold", "naive", "tibshirani", "nb", "holdout"]))
@settings(max_examples=15)
def test_results_survive_json(pi: Predictions, method: str) -> None:
    made = answer(pi, method, squared_error)
    back = Estimate.from_dict(json.loads(as_bytes(made)))
    assert back == made
    assert as_bytes(back) == as_bytes(made)


@given(binary())
@settings(max_examples=12)
def test_enumerated_and_drawn_folds_have_the_same_support(pi: Predictions) -> None:
    exact, drawn = answer(pi, BBCFold()), answer(pi, BBCFold(exact=False, n_resamples=100))
    assert isinstance(exact.source, (DrawnLimits, WidenedLimits))
    assert set(np.round(drawn.draws, 9).tolist()) <= set(np.round(exact.draws, 9).tolist())


@given(binary())
@settings(max_examples=12)
def test_the_naive_bootstrap_is_centred_at_its_value(pi: Predictions) -> None:
    # 4 standard errors of a mean of 1000 fold bootstraps
    made = answer(pi, NaiveBootstrap(n_resamples=1000))
    assert made.draws is not None
    error = made.draws.std() / np.sqrt(1000)
    assert abs(made.draws.mean() - made.value) <= 4 * error + ROUNDING
