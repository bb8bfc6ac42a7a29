"""The leave-pair-out bootstrap: against all samples that there are, and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from benchmarks.papers.yousef2022.as_printed import find_error_of_pairs
from earnest.errors import EvidenceError, InputError
from earnest.inference import Pairs, leave_pair_out, pairs_of
from tests.inference.enumeration import Samples
from tests.snapshots import Golden

EXACT = 1e-9  # of a five-point rule with a step of 1e-3 on smooth functions of order one
Array = NDArray[np.float64]


def comparable(pairs: Pairs, n: int) -> NDArray[np.bool_]:
    """All pairs (left, right) as a table (n, n), by a plain loop."""
    out = np.zeros((n, n), dtype=bool)
    for i in pairs.left:
        for j in pairs.right:
            if pairs.time is None or pairs.event is None:
                out[i, j] = True
            else:
                later = pairs.time[i] < pairs.time[j]
                out[i, j] = later or (pairs.time[i] == pairs.time[j] and not pairs.event[j])
    return out


def credit(scores: Array) -> Array:
    """1 where the first case has the higher score, 1/2 for a tie: (B, n, n)."""
    high, low = scores[:, :, None], scores[:, None, :]
    return (high > low) + 0.5 * (high == low)


def left_out_pairs(
    samples: Samples, scores: Array, pairs: Pairs, group: NDArray[np.int64]
) -> object:
    counts = samples.counts[:, group]
    out = (counts == 0)[:, :, None] & (counts == 0)[:, None, :]
    met, order = comparable(pairs, len(group)), credit(scores)
    sizes = np.bincount(samples.strata)

    def statistic(p: Array) -> float:
        chance = samples.chances(p)[:, None, None] * out
        den = chance.sum(axis=0)
        mean = np.divide((chance * order).sum(axis=0), den, out=np.zeros_like(den), where=den > 0)
        weight = p[group] * sizes[samples.strata[group]]
        both = weight[:, None] * weight * met
        return float((both * mean).sum() / both.sum())

    return statistic


def both_classes(first: int, second: int) -> Pairs:
    return Pairs(left=np.arange(first), right=np.arange(first, first + second))


def times(time: list[float], event: list[bool]) -> Pairs:
    seen = np.array(event)
    return Pairs(
        left=np.flatnonzero(seen), right=np.arange(len(time)), time=np.array(time), event=seen
    )


CASES = {
    "classes drawn separately": (Samples.of([0, 0, 1, 1]), both_classes(2, 2), None),
    "unequal classes drawn separately": (Samples.of([0, 0, 0, 1, 1]), both_classes(3, 2), None),
    "classes together": (Samples.of([0] * 5), both_classes(2, 3), None),
    "strata within classes": (Samples.of([0, 0, 1, 1, 2, 2]), both_classes(4, 2), None),
    "groups of both classes": (Samples.of([0] * 4), both_classes(4, 3), [0, 1, 2, 2, 0, 3, 3]),
    "times": (Samples.of([0] * 5), times([1, 2, 3, 4, 5], [True, True, False, True, True]), None),
    "tied times": (
        Samples.of([0] * 5),
        times([1, 1, 2, 2, 2], [True, False, True, True, False]),
        None,
    ),
    "times in groups": (
        Samples.of([0] * 4),
        times([1, 2, 2, 3, 4], [True, True, False, True, True]),
        [0, 1, 2, 3, 3],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_influence_is_the_derivative_over_all_samples(name: str) -> None:
    samples, pairs, groups = CASES[name]
    group = np.arange(len(samples.strata)) if groups is None else np.array(groups)
    scores = np.round(samples.random(len(group), seed=len(name)), 1)  # some are tied
    made = leave_pair_out(
        scores,
        samples.counts[:, group],
        pairs,
        strata=samples.strata if samples.strata.any() else None,
        groups=None if groups is None else group,
    )
    statistic = left_out_pairs(samples, scores, pairs, group)
    sizes = np.bincount(samples.strata)[samples.strata]
    assert made.value == pytest.approx(statistic(1 / sizes), abs=1e-13)
    assert made.n_unseen == 0
    np.testing.assert_allclose(sizes * made.influence, samples.derivatives(statistic), atol=EXACT)


def test_equation_48_of_pairs_is_the_centred_form_over_all_samples() -> None:
    samples, pairs, _ = CASES["unequal classes drawn separately"]
    scores, other = samples.random(5, seed=1), samples.random(5, seed=2)
    positive = np.isin(np.arange(5), pairs.left)
    for second in (None, other):
        centred = leave_pair_out(scores, samples.counts, pairs, other=second, strata=samples.strata)
        printed = find_error_of_pairs(scores, samples.counts, positive, second)
        assert printed == pytest.approx(np.sqrt(centred.raw_variance), rel=1e-12)


def drawn(first: int, second: int, replicates: int, seed: int) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    parts = [rng.multinomial(m, np.full(m, 1 / m), size=replicates) for m in (first, second)]
    return np.concatenate(parts, axis=1)


def test_it_is_the_plain_loop() -> None:
    first, second, replicates = 5, 6, 80
    n = first + second
    counts = drawn(first, second, replicates, 1)
    scores = np.round(np.random.default_rng(2).random((replicates, n)), 1)
    order = credit(scores)
    mean, den = np.zeros((first, second)), np.zeros((first, second))
    for b in range(replicates):
        for i in range(first):
            for j in range(second):
                if counts[b, i] == 0 and counts[b, first + j] == 0:
                    mean[i, j] += order[b, i, first + j]
                    den[i, j] += 1
    mean /= den
    value = mean.mean()
    rest = np.zeros(replicates)
    for b in range(replicates):
        for i in range(first):
            for j in range(second):
                if counts[b, i] == 0 and counts[b, first + j] == 0:
                    rest[b] += (order[b, i, first + j] - mean[i, j]) / den[i, j] / mean.size
    one = mean.mean(axis=1) - value + first * (counts[:, :first].T @ rest)
    two = mean.mean(axis=0) - value + second * (counts[:, first:].T @ rest)
    noise = 0.0
    for i in range(n):
        z = (counts[:, i] - 1) * rest
        noise += np.sum(z**2) - np.sum(z) ** 2 / replicates
    strata = np.repeat([0, 1], [first, second])
    made = leave_pair_out(scores, counts, both_classes(first, second), strata=strata)
    assert made.value == pytest.approx(value, abs=1e-13)
    np.testing.assert_allclose(made.influence, [*one / first, *two / second], atol=1e-12)
    assert made.raw_variance == pytest.approx(
        np.sum(one**2) / first**2 + np.sum(two**2) / second**2, rel=1e-12
    )
    assert made.noise_variance == pytest.approx(noise, rel=1e-10)


def test_the_difference_of_two_learners_is_that_of_their_influences() -> None:
    counts, pairs = drawn(6, 5, 50, 3), both_classes(6, 5)
    a, b = np.random.default_rng(4).random((2, 50, 11))
    both = leave_pair_out(a, counts, pairs, other=b)
    first, second = leave_pair_out(a, counts, pairs), leave_pair_out(b, counts, pairs)
    assert both.value == pytest.approx(first.value - second.value, abs=1e-13)
    np.testing.assert_allclose(both.influence, first.influence - second.influence, atol=1e-13)
    assert leave_pair_out(a, counts, pairs, other=a).standard_error == 0.0


@pytest.mark.parametrize("cells", [1, 7, 12])
def test_blocks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    counts, scores = drawn(6, 5, 50, 5), np.random.default_rng(6).random((50, 11))
    whole = leave_pair_out(scores, counts, both_classes(6, 5))
    monkeypatch.setattr("earnest.inference.left_out.leave_pair_out.CELLS", cells)
    parts = leave_pair_out(scores, counts, both_classes(6, 5))
    assert parts.value == pytest.approx(whole.value, abs=1e-14)
    np.testing.assert_allclose(parts.influence, whole.influence, atol=1e-14)
    assert parts.noise_variance == pytest.approx(whole.noise_variance, rel=1e-12)


def test_constant_scores_are_one_half_without_error() -> None:
    made = leave_pair_out(np.zeros((40, 8)), drawn(4, 4, 40, 7), both_classes(4, 4))
    assert (made.value, made.standard_error) == (0.5, 0.0)


def test_pairs_that_no_replicate_leaves_out_are_counted(golden: Golden) -> None:
    counts = np.array([[2, 0, 2, 0]])
    made = leave_pair_out(np.array([[0.0, 1.0, 0.0, 0.5]]), counts, both_classes(2, 2))
    assert (made.value, made.n_unseen) == (1.0, 3)
    with golden.raises(EvidenceError):
        leave_pair_out(np.zeros((1, 4)), np.ones((1, 4), dtype=int), both_classes(2, 2))


def test_pairs_of_a_target_are_those_of_its_metric() -> None:
    time, event = [3.0, 1.0, 2.0, 2.0, 2.0], [True, True, False, True, True]
    risk = [0.1, 0.9, 0.4, 0.4, 0.2]
    target = en.Predictions.from_arrays((np.array(time), np.array(event)), risk).target
    counts = np.zeros((1, 5), dtype=int)  # nothing was drawn, so that every pair is left out
    value = leave_pair_out(np.array([risk]), counts, pairs_of(target)).value
    pi = en.Predictions.from_arrays((np.array(time), np.array(event)), risk)
    assert value == en.kernels.score_table(pi, "concordance", [[1] * 5])[0, 0]
    with pytest.raises(InputError, match="regression"):
        pairs_of(en.Predictions.from_arrays([0.5, 1.5, 2.5], [0.0, 1.0, 2.0]).target)


def test_what_cannot_be_is_refused() -> None:
    counts = drawn(3, 3, 5, 8)
    with pytest.raises(EvidenceError, match="no pair"):
        leave_pair_out(np.zeros((5, 6)), counts, both_classes(6, 0))
