from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import caching
from numpy.testing import assert_allclose, assert_array_equal

from earnest.errors import InputError
from earnest.kernels import LANES, NEAR_BYTES, compiled, programs, sorting, vectors
from tests.kernels import oracles

# AUC and concordance are integers up to one division, in the kernels as in their oracles: they must
# be equal to the last bit. Curves sum quotients in another order than scikit-learn: a few hundred
# terms of at most 1, each rounded to 2**-53, stay far below this.
CURVE_TOLERANCE = 1e-12
SAMPLED = (0, 1, 63, 64, 69)  # resamples on both sides of a lane block


@st.composite
def problems(draw, rows=200):
    """Scores, labels and counts with ties, ignored rows, empty resamples and counts up to 255."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    n = draw(st.integers(1, rows), label="n")
    columns = draw(st.integers(1, 4), label="M")
    scores = rng.standard_normal((n, columns))
    decimals = draw(st.sampled_from([None, 0, 1, 2]), label="decimals")
    scores = scores if decimals is None else np.round(scores, decimals)
    if draw(st.booleans(), label="float32"):
        scores = scores.astype(np.float32)
    else:
        scores *= draw(st.sampled_from([1.0, 1e-300, 1e300]), label="scale")
    lowest = draw(st.sampled_from([-1, 0]), label="lowest label")
    width = draw(st.sampled_from([1, columns]), label="columns of labels")
    labels = rng.integers(lowest, 2, (n, width)).astype(np.int8)
    largest = draw(st.sampled_from([1, 4, 63, 64, 90, 130, 255]), label="largest count")
    counts = rng.integers(0, largest + 1, (70, n)).astype(np.uint8)
    counts[1] = 0
    return scores, labels, counts


def bootstrap(rng, n, resamples):
    """Counts of ordinary bootstrap resamples."""
    draws = rng.integers(0, n, (resamples, n))
    return np.stack([np.bincount(row, minlength=n) for row in draws]).astype(np.uint8)


def table_of(metric, scores, labels, counts, resamples):
    """Apply an oracle to the given resamples of every column."""
    labels = np.broadcast_to(labels, scores.shape)
    return np.array(
        [
            [metric(scores[:, c], labels[:, c], counts[b]) for c in range(scores.shape[1])]
            for b in resamples
        ]
    )


# -------------------------------------------------------------------------------------------- AUC


@given(problems())
@settings(max_examples=60)
def test_auc_counts_every_pair_of_the_two_classes(problem):
    found = compiled.auc_table(*problem)
    assert found.shape == (70, problem[0].shape[1])
    assert_array_equal(found[list(SAMPLED)], table_of(oracles.auc, *problem, SAMPLED))


@given(problems())
@settings(max_examples=15)
def test_auc_under_counts_is_scikit_learns_on_repeated_rows(problem):
    found = compiled.auc_table(*problem)[list(SAMPLED)]
    # scikit-learn sums trapezoids of rounded rates: 200 terms of rounding 2**-53
    assert_allclose(found, table_of(oracles.roc_auc, *problem, SAMPLED), atol=1e-12, rtol=0)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_auc_of_a_selected_column_is_that_of_the_table(problem, seed):
    table = compiled.auc_table(*problem)
    columns = np.random.default_rng(seed).integers(0, table.shape[1], len(table))
    expected = table[np.arange(len(table)), columns]
    for n_jobs in (1, 2):
        assert_array_equal(compiled.auc_selected(*problem, columns, n_jobs), expected)


@pytest.mark.parametrize("resamples", [1, 2, 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_auc_of_few_resamples_is_that_of_many(resamples, n_jobs):
    rng = np.random.default_rng(8)
    scores = np.round(rng.standard_normal((200, 9)), 1)
    labels = rng.integers(-1, 2, (200, 1)).astype(np.int8)
    counts = bootstrap(rng, 200, 66)
    expected = compiled.auc_table(scores, labels, counts)[5 : 5 + resamples]
    found = compiled.auc_table(scores, labels, counts[5 : 5 + resamples], n_jobs)
    assert_array_equal(found, expected)


def test_an_ignored_row_is_as_good_as_absent():
    rng = np.random.default_rng(1)
    scores = np.round(rng.standard_normal((300, 3)), 1)
    labels = rng.integers(-1, 2, (300, 1)).astype(np.int8)
    counts = bootstrap(rng, 300, 80)
    kept = labels[:, 0] >= 0
    expected = compiled.auc_table(scores[kept], labels[kept], counts[:, kept].copy())
    assert_array_equal(compiled.auc_table(scores, labels, counts), expected)


@pytest.mark.parametrize("n", [1, 2])
def test_auc_of_one_or_two_rows(n):
    scores = np.arange(float(n))[:, None]
    counts = np.ones((1, n), np.uint8)
    for labels, expected in (([0, 1], 1.0), ([1, 0], 0.0), ([1, 1], np.nan), ([0, -1], np.nan)):
        label = np.array(labels[:n], np.int8)[:, None]
        assert_array_equal(
            compiled.auc_table(scores, label, counts), [[expected if n > 1 else np.nan]]
        )


def test_auc_without_one_class_is_nan_in_that_resample_only():
    scores = np.array([[0.1], [0.2], [0.3]])
    labels = np.array([[0], [1], [1]], np.int8)
    counts = np.array([[0, 1, 2], [1, 0, 0], [0, 0, 0], [1, 1, 0]], np.uint8)
    found = compiled.auc_table(scores, labels, counts)[:, 0]
    assert_array_equal(found, [np.nan, np.nan, np.nan, 1.0])


@pytest.mark.parametrize("decimals", [None, 4, 2, 0])
def test_auc_of_many_rows_is_exact_beyond_sixteen_bits(decimals):
    rng = np.random.default_rng(2)
    n = 20_000
    labels = (rng.random((n, 1)) < 0.4).astype(np.int8)
    scores = rng.standard_normal((n, 2)) + labels
    scores = scores if decimals is None else np.round(scores, decimals)
    for counts in (bootstrap(rng, n, 66), rng.integers(0, 256, (66, n)).astype(np.uint8)):
        found = compiled.auc_table(scores, labels, counts)
        some = (0, 65)
        assert_array_equal(
            found[list(some)], table_of(oracles.long_auc, scores, labels, counts, some)
        )


@pytest.mark.parametrize(("positives", "negatives"), [(255, 257), (256, 256), (257, 257)])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_auc_is_exact_where_sixteen_bits_just_do_and_just_do_not(
    positives, negatives, tied, shared
):
    # 65535 pairs, one more, and many more, all of them in order: nothing is larger
    n = positives + negatives
    labels = (np.arange(n) >= negatives).astype(np.int8)[:, None]
    scores = np.stack([np.arange(float(n)), -np.arange(float(n))], axis=1)
    scores = np.minimum(scores, n - 2.0) if tied else scores
    labels = labels if shared else np.repeat(labels, 2, axis=1)
    found = compiled.auc_table(scores, labels, np.ones((1, n), np.uint8))
    assert_array_equal(found, [[1.0, 0.0]])


@pytest.mark.parametrize("decimals", [None, 3])
@pytest.mark.parametrize("heavy", [1, 3, 255])
def test_auc_is_exact_where_a_part_of_a_column_weighs_more_than_its_share(decimals, heavy):
    # the pairs of the heavy cases, next to each other in one column, overflow 16 bits
    rng, n = np.random.default_rng(7), 3000
    labels = rng.integers(0, 2, (n, 1)).astype(np.int8)
    scores = np.stack([np.arange(n) / n, rng.random(n)], axis=1)
    scores = scores if decimals is None else np.round(scores, decimals)
    counts = bootstrap(rng, n, 70)
    counts[64, 1000:1400] = heavy
    expected = table_of(oracles.long_auc, scores, labels, counts, SAMPLED)
    assert_array_equal(compiled.auc_table(scores, labels, counts)[list(SAMPLED)], expected)


@pytest.mark.parametrize("largest", [1, 63, 64, 127, 128, 255])
def test_auc_is_exact_when_every_count_is_the_largest(largest):
    # segments of four positives and four negatives, full to the brim: no sum is ever larger
    n = 140_000 if largest == 1 else 20_000
    labels = np.tile([1, 1, 1, 1, 0, 0, 0, 0], n // 8).astype(np.int8)[:, None]
    scores = np.arange(n, dtype=np.float64)[:, None]
    tied = scores // 8
    counts = np.full((1, n), largest, np.uint8)
    for column in (scores, tied):
        expected = table_of(oracles.long_auc, column, labels, counts, [0])
        assert_array_equal(compiled.auc_table(column, labels, counts), expected)


@pytest.mark.parametrize("largest", [1, 63, 255])
def test_auc_when_all_scores_are_equal_is_one_half(largest):
    rng = np.random.default_rng(3)
    n = 20_000
    labels = rng.integers(0, 2, (n, 1)).astype(np.int8)
    counts = rng.integers(0, largest + 1, (64, n)).astype(np.uint8)
    assert_array_equal(compiled.auc_table(np.zeros((n, 1)), labels, counts), np.full((64, 1), 0.5))


@pytest.mark.parametrize("largest", [3, 80, 120, 255])
def test_tie_groups_of_every_size_and_mix(largest):
    rng = np.random.default_rng(4)
    sizes = [(up, down) for up in range(11) for down in range(11)]
    rng.shuffle(sizes)
    labels = np.concatenate([np.repeat([1, 0], size) for size in sizes]).astype(np.int8)
    scores = np.repeat(np.arange(len(sizes)), np.sum(sizes, axis=1)).astype(np.float64)
    mixed = rng.permutation(len(scores))
    scores, labels = scores[mixed][:, None], labels[mixed][:, None]
    counts = rng.integers(0, largest + 1, (70, len(scores))).astype(np.uint8)
    expected = table_of(oracles.auc, scores, labels, counts, SAMPLED)
    assert_array_equal(compiled.auc_table(scores, labels, counts)[list(SAMPLED)], expected)


def test_one_block_of_large_counts_changes_no_other():
    rng = np.random.default_rng(5)
    scores, labels = rng.random((150, 3)), rng.integers(0, 2, (150, 1)).astype(np.int8)
    counts = bootstrap(rng, 150, 3 * LANES)
    expected = compiled.auc_table(scores, labels, counts)
    counts[LANES + 3, :5] = 255
    found = compiled.auc_table(scores, labels, counts)
    changed = table_of(oracles.auc, scores, labels, counts, [LANES + 3])
    assert_array_equal(found[LANES + 3], changed[0])
    others = np.delete(np.arange(len(counts)), LANES + 3)
    assert_array_equal(found[others], expected[others])


def test_the_longest_program_fits_its_arrays():
    # a negative, a positive and a tied pair in turn: three segments for four rows
    n = 4000
    ramp = np.arange(n) // 4 * 4 + np.tile([0, 1, 2, 2], n // 4)
    labels = np.tile([0, 1, 0, 1], n // 4).astype(np.int8)
    for largest, segments in ((1, 3 * n // 4), (255, n)):
        if largest == 255:
            labels = np.zeros(n, np.int8)
        ranking = sorting.rank(np.tile(ramp.astype(np.float64), (2, 1)), labels[None])
        program = programs.build(ranking, n, largest)
        assert program.first[-1] == 2 * segments
        assert program.first[-1] < len(program.slots)


# ---------------------------------------------------------------------------------------- sorting


@pytest.mark.parametrize(
    "scores",
    [
        np.array([0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1.0, np.nextafter(1.0, 2.0)]),
        1.0 + np.arange(300) * 2.0**-52,  # equal as float32
        np.append(np.zeros(30), 1.0 - 1e-13 * np.arange(300)),  # too tight for counting by top bits
        np.append([-1e308, 1e308], np.linspace(0.5, 0.5 + 1e-9, 500)),
        np.add.outer([-2.0, 0.25, 1.0, 3.0], 1e-12 * np.arange(300)).ravel(),  # the same, in heaps
        np.full(70, -3.5),
    ],
)
def test_sorting_is_exact_whatever_the_scores(scores):
    rng = np.random.default_rng(6)
    scores = rng.permutation(np.tile(scores, 2))
    ranking = sorting.rank(scores[None], np.ones((1, len(scores)), np.int8))
    ordered = scores[ranking.rows[0]]
    assert_array_equal(ordered, np.sort(scores))
    assert_array_equal(np.sort(ranking.rows[0]), np.arange(len(scores)))
    new = (ranking.marks[0] & sorting.NEW) > 0
    assert_array_equal(new, np.append(True, np.diff(ordered) != 0))


def test_scores_in_any_layout_give_the_same_bits():
    rng = np.random.default_rng(7)
    scores = np.round(rng.standard_normal((700, 5)), 2).astype(np.float32)
    labels, counts = rng.integers(0, 2, (700, 1)).astype(np.int8), bootstrap(rng, 700, 70)
    expected = compiled.auc_table(scores, labels, counts)
    wide = np.zeros((1400, 10), np.float32)
    wide[::2, ::2] = scores
    frozen = scores.copy()
    frozen.flags.writeable = False
    for same in (scores.astype(np.float64), np.asfortranarray(scores), wide[::2, ::2], frozen):
        assert_array_equal(compiled.auc_table(same, labels, counts), expected)
    turned = np.asfortranarray(counts)
    turned.flags.writeable = False
    assert_array_equal(compiled.auc_table(scores, labels, turned), expected)


def test_a_column_with_nan_does_not_disturb_the_others():
    rng = np.random.default_rng(8)
    scores = rng.standard_normal((100, 3))
    labels, counts = rng.integers(0, 2, (100, 1)).astype(np.int8), bootstrap(rng, 100, 5)
    expected = compiled.auc_table(scores, labels, counts)
    scores[::3, 1] = np.nan
    found = compiled.auc_table(scores, labels, counts)
    assert_array_equal(found[:, [0, 2]], expected[:, [0, 2]])


# ----------------------------------------------------------------------------------------- curves


@pytest.mark.parametrize("max_fpr", [0.05, 0.3, 1.0])
@given(problems(rows=80))
@settings(max_examples=10)
def test_partial_auc_is_scikit_learns_on_repeated_rows(max_fpr, problem):
    found = compiled.curve_table("partial_roc_auc", *problem, max_fpr=max_fpr)[list(SAMPLED)]

    def metric(*column):
        return oracles.roc_auc(*column, max_fpr=max_fpr)

    expected = table_of(metric, *problem, SAMPLED)
    assert_allclose(found, expected, atol=CURVE_TOLERANCE, rtol=0)


@given(problems(rows=80))
@settings(max_examples=15)
def test_average_precision_is_scikit_learns_on_repeated_rows(problem):
    found = compiled.curve_table("average_precision", *problem)[list(SAMPLED)]
    expected = table_of(oracles.average_precision, *problem, SAMPLED)
    assert_allclose(found, expected, atol=CURVE_TOLERANCE, rtol=0)


@given(problems(rows=80))
@settings(max_examples=15)
def test_ks_is_the_largest_difference_of_the_rates(problem):
    found = compiled.curve_table("ks", *problem)[list(SAMPLED)]
    expected = table_of(oracles.ks, *problem, SAMPLED)
    assert_allclose(found, expected, atol=CURVE_TOLERANCE, rtol=0)


def test_curves_without_one_class():
    scores, counts = np.array([[0.1], [0.2]]), np.array([[1, 0], [0, 1]], np.uint8)
    labels = np.array([[1], [0]], np.int8)
    only_positives, only_negatives = compiled.curve_table(
        "average_precision", scores, labels, counts
    )
    assert_array_equal(only_positives, 1.0)
    assert_array_equal(only_negatives, np.nan)
    for kind in ("partial_roc_auc", "ks"):
        assert np.isnan(compiled.curve_table(kind, scores, labels, counts)).all()


def test_partial_auc_of_perfect_and_of_reversed_scores_stays_in_its_range():
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 2, (200, 1)).astype(np.int8)
    scores = np.hstack([labels, -labels]) + rng.random((200, 2)) / 4
    counts = bootstrap(rng, 200, 64)
    for max_fpr in (0.03, 0.1, 0.7):
        found = compiled.curve_table("partial_roc_auc", scores, labels, counts, max_fpr=max_fpr)
        assert found.max() <= 1
        assert found.min() >= (1 - max_fpr) / (2 - max_fpr)
        assert_allclose(found[:, 0], 1.0, atol=CURVE_TOLERANCE, rtol=0)


# ------------------------------------------------------------------------------------ concordance


@given(problems(), st.sampled_from([0, 1, 6]), st.sampled_from([0.0, 0.3, 0.9, 1.0]))
@settings(max_examples=40)
def test_concordance_counts_every_comparable_pair(problem, decimals, rate):
    risk, _, counts = problem
    rng = np.random.default_rng(len(risk))
    time, event = np.round(rng.random(len(risk)), decimals), rng.random(len(risk)) < rate
    found = compiled.concordance_table(risk, time, event, counts)
    expected = [
        [oracles.concordance(column, time, event, counts[b]) for column in risk.T] for b in SAMPLED
    ]
    assert_array_equal(found[list(SAMPLED)], expected)


@pytest.mark.parametrize("decimals", [1, 3])
def test_concordance_is_scikit_survivals_on_repeated_rows(decimals):
    survival = pytest.importorskip("sksurv.metrics")
    rng = np.random.default_rng(10)
    time, event = np.round(rng.exponential(size=150), 1), rng.random(150) < 0.6
    # rounded, as scikit-survival takes risks within 1e-8 as tied
    risk = np.round(rng.standard_normal((150, 2)) - time[:, None], decimals)
    counts = bootstrap(rng, 150, 66)
    found = compiled.concordance_table(risk, time, event, counts)
    for b in (0, 65):
        for c in range(2):
            rows = oracles.repeated(counts[b], event, time, risk[:, c])
            expected = survival.concordance_index_censored(*rows)[0]
            # (concordant + tied / 2) / comparable in float64: a few roundings of 2**-53
            assert_allclose(found[b, c], expected, atol=1e-14, rtol=0)


def test_concordance_of_many_rows_is_exact_beyond_sixteen_bits():
    rng = np.random.default_rng(11)
    time, event = rng.permutation(1200).astype(np.float64), rng.random(1200) < 0.5
    risk, counts = rng.random((1200, 1)), rng.integers(0, 255, (3, 1200)).astype(np.uint8)
    found = compiled.concordance_table(risk, time, event, counts)
    expected = [[oracles.concordance(risk[:, 0], time, event, row)] for row in counts]
    assert_array_equal(found, expected)


# --------------------------------------------------------------------------- blocks, threads, cache


def every_table(n_jobs):
    """All four kernels on one problem that is cut into several blocks of columns and resamples."""
    rng = np.random.default_rng(12)
    n, columns = 400, 37
    scores = np.round(rng.standard_normal((n, columns)), 2)
    labels = rng.integers(-1, 2, (n, columns)).astype(np.int8)
    counts = bootstrap(rng, n, 200)
    time, event = rng.random(n), rng.random(n) < 0.5
    chosen = rng.integers(0, columns, 200)
    yield compiled.auc_table(scores, labels, counts, n_jobs)
    yield compiled.auc_selected(scores, labels, counts, chosen, n_jobs)
    for kind in compiled.CURVES:
        yield compiled.curve_table(kind, scores, labels, counts, n_jobs, max_fpr=0.2)
    yield compiled.concordance_table(scores, time, event, counts, n_jobs)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_no_bit(n_jobs):
    for one, many in zip(every_table(1), every_table(n_jobs), strict=True):
        assert_array_equal(one, many)


def test_block_sizes_change_no_bit(monkeypatch):
    expected = list(every_table(1))
    monkeypatch.setattr(compiled, "BLOCK_BYTES", 60_000)  # two blocks of 64 resamples at a time
    monkeypatch.setattr(compiled, "COLUMN_BYTES", 100_000)
    monkeypatch.setattr(compiled, "ROWS_AT_ONCE", 7)
    for one, many in zip(expected, every_table(2), strict=True):
        assert_array_equal(one, many)
    monkeypatch.setattr(compiled, "MANY_CASES", 300)  # more at a time, as for many cases
    monkeypatch.setattr(compiled, "MANY_BYTES", 90_000)
    for one, many in zip(expected, every_table(1), strict=True):
        assert_array_equal(one, many)


@pytest.mark.parametrize("decimals", [None, 2])
def test_rows_beyond_the_cache_that_are_asked_for_in_advance_change_no_bit(decimals):
    """The oracle walks one resample at a time, and asks for nothing in advance."""
    rng = np.random.default_rng(14)
    n = NEAR_BYTES // LANES + 1_000
    scores = rng.standard_normal((n, 2))
    scores = scores if decimals is None else np.round(scores, decimals)
    labels = rng.integers(0, 2, (n, 1)).astype(np.int8)
    counts = rng.poisson(1, (70, n)).astype(np.uint8)
    table = compiled.auc_table(scores, labels, counts)
    for column in range(2):
        chosen = np.full(70, column)
        assert_array_equal(table[:, column], compiled.auc_selected(scores, labels, counts, chosen))
    assert table[0, 0] == oracles.long_auc(scores[:, 0], labels[:, 0], counts[0])


def test_many_cases_are_sorted_once_for_several_blocks_of_resamples(monkeypatch):
    rng = np.random.default_rng(15)
    n, columns = 2_000, 3
    scores, labels = rng.random((n, columns)), rng.integers(0, 2, (n, 1)).astype(np.int8)
    counts = rng.poisson(1, (256, n)).astype(np.uint8)
    monkeypatch.setattr(compiled, "BLOCK_BYTES", LANES * (n + 1))
    sorted_columns = []
    real = compiled.rank

    def rank(values, own):
        sorted_columns.append(len(values))
        return real(values, own)

    monkeypatch.setattr(compiled, "rank", rank)
    few = compiled.auc_table(scores, labels, counts)
    assert sum(sorted_columns) == 4 * columns
    sorted_columns.clear()
    monkeypatch.setattr(compiled, "MANY_CASES", n)
    assert_array_equal(compiled.auc_table(scores, labels, counts), few)
    assert sum(sorted_columns) == columns


def test_memory_stays_within_what_is_allowed(monkeypatch):
    rng = np.random.default_rng(13)
    n = 10_000
    scores, labels = rng.random((n, 12)), rng.integers(0, 2, (n, 1)).astype(np.int8)
    counts = rng.poisson(1, (640, n)).astype(np.uint8)
    monkeypatch.setattr(compiled, "BLOCK_BYTES", 2_000_000)
    monkeypatch.setattr(compiled, "COLUMN_BYTES", 1_000_000)
    compiled.auc_table(scores, labels, counts[:64])  # compile first
    tracemalloc.start()
    try:
        table = compiled.auc_table(scores, labels, counts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < table.nbytes + 2_000_000 + 1_000_000 + 100_000


@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_nothing_to_score_gives_an_empty_table(shape):
    resamples, columns = shape
    scores, counts = np.zeros((5, columns)), np.ones((resamples, 5), np.uint8)
    labels = np.zeros((5, 1), np.int8)
    assert compiled.auc_table(scores, labels, counts).shape == shape
    assert compiled.curve_table("ks", scores, labels, counts).shape == shape
    assert compiled.concordance_table(scores, np.zeros(5), np.ones(5), counts).shape == shape


def test_arrays_that_do_not_fit_are_refused():
    scores, labels = np.zeros((5, 2)), np.zeros((5, 1), np.int8)
    counts = np.ones((3, 5), np.uint8)
    with pytest.raises(InputError, match="counts"):
        compiled.auc_table(scores, labels, counts[:, :4])
    with pytest.raises(InputError, match="uint8"):
        compiled.auc_table(scores, labels, counts.astype(np.int64))
    with pytest.raises(InputError, match="labels"):
        compiled.auc_table(scores, labels[:4], counts)
    with pytest.raises(InputError, match="float64"):
        compiled.auc_table(scores.astype(np.complex128), labels, counts)
    with pytest.raises(InputError, match="columns"):
        compiled.auc_selected(scores, labels, counts, np.array([0, 2, 1]))
    with pytest.raises(InputError, match="kind"):
        compiled.curve_table("roc", scores, labels, counts)
    with pytest.raises(InputError, match="max_fpr"):
        compiled.curve_table("partial_roc_auc", scores, labels, counts, max_fpr=0.0)
    with pytest.raises(InputError, match="time"):
        compiled.concordance_table(scores, np.zeros(4), np.zeros(5), counts)


def test_a_kernel_runs_without_any_place_for_a_cache(monkeypatch):
    for name in [*vars(caching)]:
        if name.endswith("CacheLocator"):  # none finds a directory it may write to
            found = getattr(caching, name)
            monkeypatch.setattr(found, "from_function", classmethod(lambda *_: None))
    made = vectors.jit(sum_of_squares)
    assert made.stats.cache_path is None
    assert made(np.arange(4.0)) == 14.0


def sum_of_squares(values):
    total = 0.0
    for value in values:
        total += value * value
    return total


@pytest.mark.slow
def test_kernels_run_on_the_plainest_processor_without_any_place_for_a_cache():
    """All of them compiled anew, which takes 13 seconds.

    `test_a_kernel_runs_without_any_place_for_a_cache` holds the half of it for a short function,
    and `make test-portable` runs the ordinary tests of kernels on the plainest processor.
    """
    script = """
        import numpy as np
        from numba.core import caching

        for name in [*vars(caching)]:
            if name.endswith("CacheLocator"):  # none finds a directory it may write to
                getattr(caching, name).from_function = classmethod(lambda *_: None)
        from earnest.kernels import compiled, vectors
        from tests.kernels import oracles

        assert vectors.scan_auc.stats.cache_path is None
        rng = np.random.default_rng(14)
        scores, labels = np.round(rng.random((90, 2)), 2), rng.integers(0, 2, (90, 1))
        scores[:, 1] = rng.random(90)
        counts = rng.integers(0, 5, (3, 90)).astype(np.uint8)
        for b, row in enumerate(compiled.auc_table(scores, labels, counts)):
            for c, value in enumerate(row):
                assert value == oracles.auc(scores[:, c], labels[:, 0], counts[b])
        print("exact")
    """
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, **plain, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "exact\n", done.stderr


def test_kernels_are_kept_on_disk_where_that_is_possible():
    assert compiled.scan_auc.stats.cache_path is not None
