"""The leave-one-out bootstrap: against all samples that there are, and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.papers.yousef2022.as_printed import find_error_of_cases
from earnest.errors import EvidenceError, InputError
from earnest.inference import leave_one_out
from tests.inference.enumeration import Samples
from tests.snapshots import Golden

EXACT = 1e-9  # of a five-point rule with a step of 1e-3 on smooth functions of order one


def left_out_mean(
    samples: Samples, losses: NDArray[np.float64], group: NDArray[np.int64]
) -> object:
    """The leave-one-out bootstrap as a function of the probabilities of the units."""
    counts = samples.counts[:, group]
    sizes = np.bincount(samples.strata)

    def statistic(p: NDArray[np.float64]) -> float:
        chance = samples.chances(p)[:, None] * (counts == 0)
        per_case = (chance * losses).sum(axis=0) / chance.sum(axis=0)
        # A case weighs what its unit does: as a share of its stratum, strata by their sizes.
        weight = p[group] * sizes[samples.strata[group]]
        return float((weight * per_case).sum() / weight.sum())

    return statistic


@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_influence_is_the_derivative_over_all_samples(n: int) -> None:
    samples = Samples.of([0] * n)
    losses = samples.random(n, seed=n)
    made = leave_one_out(losses, samples.counts)
    statistic = left_out_mean(samples, losses, np.arange(n))
    assert made.value == pytest.approx(statistic(np.full(n, 1 / n)), abs=1e-14)
    np.testing.assert_allclose(n * made.influence, samples.derivatives(statistic), atol=EXACT)


@pytest.mark.parametrize("strata", [[0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]])
def test_the_influence_of_strata_is_the_derivative_over_all_samples(strata: list[int]) -> None:
    samples = Samples.of(strata)
    n = len(strata)
    losses = samples.random(n, seed=10 + n)
    made = leave_one_out(losses, samples.counts, strata=samples.strata)
    slopes = samples.derivatives(left_out_mean(samples, losses, np.arange(n)))
    sizes = np.bincount(strata)[strata]
    np.testing.assert_allclose(sizes * made.influence, slopes, atol=EXACT)
    assert made.raw_variance == pytest.approx(np.sum((slopes / sizes) ** 2), abs=EXACT)


@pytest.mark.parametrize("sizes", [[1, 2, 3], [2, 2, 2, 1], [1, 1, 1]])
def test_the_influence_of_groups_is_the_derivative_over_all_samples(sizes: list[int]) -> None:
    samples = Samples.of([0] * len(sizes))
    group = np.repeat(np.arange(len(sizes)), sizes)
    losses = samples.random(len(group), seed=20 + len(sizes))
    made = leave_one_out(losses, samples.counts[:, group], groups=group)
    slopes = samples.derivatives(left_out_mean(samples, losses, group))
    np.testing.assert_allclose(len(sizes) * made.influence, slopes, atol=EXACT)


def test_equation_48_is_the_centred_form_over_all_samples() -> None:
    samples = Samples.of([0] * 4)
    losses = samples.random(4, seed=30)
    centred = leave_one_out(losses, samples.counts)
    printed = find_error_of_cases(losses, samples.counts)
    assert printed == pytest.approx(np.sqrt(centred.raw_variance), rel=1e-12)


def test_equation_48_is_too_large_with_few_replicates() -> None:
    counts = drawn(40, 60, 3)
    losses = np.random.default_rng(4).integers(0, 2, counts.shape).astype(float)
    ours = leave_one_out(losses, counts)
    assert find_error_of_cases(losses, counts) > 2 * ours.standard_error


def drawn(n: int, replicates: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=replicates)


def test_it_is_the_plain_loop() -> None:
    n, replicates = 12, 60
    rng = np.random.default_rng(2)
    counts, losses = drawn(n, replicates, 1), rng.random(n) + 0.1 * rng.random((replicates, n))
    per_case = np.array([losses[counts[:, i] == 0, i].mean() for i in range(n)])
    value = per_case.mean()
    rest = np.zeros(replicates)
    for b in range(replicates):
        for i in range(n):
            if counts[b, i] == 0:
                rest[b] += (losses[b, i] - per_case[i]) / (counts[:, i] == 0).sum() / n
    influence = np.array([per_case[i] - value + n * counts[:, i] @ rest for i in range(n)])
    noise = 0.0
    for i in range(n):
        z = n * (counts[:, i] - 1) * rest
        noise += (np.sum(z**2) - np.sum(z) ** 2 / replicates) / n**2
    made = leave_one_out(losses, counts)
    np.testing.assert_allclose(made.per_case, per_case, atol=1e-14)
    assert made.value == pytest.approx(value, abs=1e-14)
    np.testing.assert_allclose(n * made.influence, influence, atol=1e-12)
    assert made.noise_variance == pytest.approx(noise, abs=1e-14)
    expected = np.sqrt(np.sum(influence**2) / n**2 - noise)
    assert made.standard_error == pytest.approx(expected, rel=1e-12)


def test_losses_of_cases_that_a_model_saw_do_not_matter() -> None:
    counts, losses = drawn(8, 30, 3), np.random.default_rng(4).random((30, 8))
    other = np.where(counts > 0, np.nan, losses)
    assert leave_one_out(other, counts).value == leave_one_out(losses, counts).value
    np.testing.assert_array_equal(
        leave_one_out(other, counts).influence, leave_one_out(losses, counts).influence
    )


def test_the_difference_of_two_learners_is_linear_in_the_influences() -> None:
    counts = drawn(10, 40, 5)
    a, b = np.random.default_rng(6).random((2, 40, 10))
    both = leave_one_out(a - b, counts)
    first, second = leave_one_out(a, counts), leave_one_out(b, counts)
    assert both.value == pytest.approx(first.value - second.value, abs=1e-14)
    np.testing.assert_allclose(both.influence, first.influence - second.influence, atol=1e-14)


def test_equal_losses_have_no_error() -> None:
    made = leave_one_out(np.full((30, 6), 0.25), drawn(6, 30, 7))
    assert (made.value, made.standard_error) == (0.25, 0.0)


def test_a_negated_loss_mirrors() -> None:
    counts, losses = drawn(9, 50, 8), np.random.default_rng(9).random((50, 9))
    one, other = leave_one_out(losses, counts), leave_one_out(-losses, counts)
    assert other.value == -one.value
    assert other.standard_error == one.standard_error


def test_a_case_that_is_always_drawn_is_not_in_the_mean() -> None:
    counts = np.array([[1, 2, 0], [1, 0, 2]])
    made = leave_one_out(np.array([[5.0, 1.0, 2.0], [5.0, 4.0, 1.0]]), counts)
    assert made.value == 3.0
    assert made.n_unseen == 1
    assert np.isnan(made.per_case[0])
    others = leave_one_out(np.array([[1.0, 2.0], [4.0, 1.0]]), counts[:, 1:])
    np.testing.assert_allclose(made.influence[1:], others.influence, rtol=1e-14)
    assert made.case_variance == pytest.approx(others.case_variance, rel=1e-14)


def test_one_replicate_has_the_spread_of_its_cases() -> None:
    made = leave_one_out(np.array([[9.0, 1.0, 3.0]]), np.array([[3, 0, 0]]))
    assert made.value == 2.0
    assert made.noise_variance == 0.0
    assert made.variance == pytest.approx(2.0 / 4.0)  # of a mean of two: one was never left out


def test_more_replicates_than_fit_into_one_block_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts, losses = drawn(11, 40, 10), np.random.default_rng(11).random((40, 11))
    whole = leave_one_out(losses, counts)
    monkeypatch.setattr("earnest.inference.left_out.leave_one_out.CELLS", 50)
    parts = leave_one_out(losses, counts)
    np.testing.assert_array_equal(parts.influence, whole.influence)
    assert parts.noise_variance == whole.noise_variance


def test_what_cannot_be_is_refused(golden: Golden) -> None:
    counts = np.ones((3, 4), dtype=int)
    with golden.raises(EvidenceError):
        leave_one_out(np.zeros((3, 4)), counts)
    with pytest.raises(InputError, match="do not match"):
        leave_one_out(np.zeros((3, 5)), counts)


def test_noise_that_hides_the_variance_leaves_that_of_the_cases() -> None:
    # Losses that have nothing to do with the draws: all that the formula sees is noise.
    made = leave_one_out(np.random.default_rng(2).random((60, 12)), drawn(12, 60, 1))
    assert made.raw_variance < made.noise_variance
    assert made.drowned
    assert made.variance == made.case_variance


def nearest_mean_losses(
    x: NDArray[np.float64], y: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The 0-1 losses of nearest class means on every sample: (B, n)."""
    means = [(counts * (y == c)) @ x / (counts * (y == c)).sum(axis=1)[:, None] for c in (0, 1)]
    far = [((x - m[:, None]) ** 2).sum(axis=2) for m in means]
    return ((far[1] < far[0]) != y).astype(float)


def test_the_noise_of_the_replicates_is_told_rightly() -> None:
    """The spread of the standard error over seeds, on the same cases, is `noise_error`.

    Seed 14, 60 cases, 150 sets of 100 replicates: a standard deviation of 150 is known to 6 %, so
    that four of those and a third for the formula's own approximation make a band of 0.6 to 1.5.
    """
    rng = np.random.default_rng(14)
    y = np.tile([0, 1], 30)
    x = 0.8 * y[:, None] + rng.standard_normal((60, 3))
    errors, said = [], []
    for _ in range(150):
        made = leave_one_out(*_trained(x, y, rng, 100))
        errors.append(made.standard_error)
        said.append(made.noise_error)
    share = np.std(errors, ddof=1) / np.mean(errors)
    assert 0.6 < share / np.mean(said) < 1.5


def test_the_correction_takes_off_what_few_replicates_add() -> None:
    """Seed 15: the mean of 40 corrected variances of 100 replicates is that of 4000 replicates.

    Four standard errors of the mean of 40, about 4 * 2 * noise_error / sqrt(40).
    """
    rng = np.random.default_rng(15)
    y = np.tile([0, 1], 20)
    x = 0.8 * y[:, None] + rng.standard_normal((40, 3))
    few = [leave_one_out(*_trained(x, y, rng, 100)) for _ in range(40)]
    many = leave_one_out(*_trained(x, y, rng, 4000))
    corrected = np.array([made.raw_variance - made.noise_variance for made in few])
    spread = corrected.std(ddof=1) / np.sqrt(40) + 2 * many.noise_error * many.variance
    assert abs(corrected.mean() - many.variance) < 4 * spread
    assert np.mean([made.raw_variance for made in few]) > many.variance + 4 * spread


def _trained(
    x: NDArray[np.float64], y: NDArray[np.int64], rng: np.random.Generator, count: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    n = len(y)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=count)
    return nearest_mean_losses(x, y, counts), counts
