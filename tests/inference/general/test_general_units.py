"""Units of the general tools: weights sum to n, groups stay together, bad input is refused."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.core import Seeds
from earnest.errors import EarnestError, EvidenceError, InputError
from earnest.inference import Units, WeightedStatistic
from tests.snapshots import Golden


def test_weights_of_cases_sum_to_the_size_of_every_stratum() -> None:
    strata = np.repeat(["a", "b", "ü"], [4, 5, 6])
    units = Units.of(15, strata, None)
    weights = units.weights(next(units.draws(64, Seeds(1))))
    for stratum in np.unique(strata):
        assert np.allclose(weights[:, strata == stratum].sum(axis=1), (strata == stratum).sum())


def test_groups_within_strata_share_a_weight_and_keep_the_sizes() -> None:
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4])
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    units = Units.of(9, strata, groups)
    weights = units.weights(next(units.draws(64, Seeds(1))))
    assert np.allclose(weights[:, strata == 0].sum(axis=1), 4.0)
    assert np.allclose(weights[:, strata == 1].sum(axis=1), 5.0)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, 7] == weights[:, 8]).all()


def test_more_resamples_extend_fewer() -> None:
    units = Units.of(20, None, None)
    few = np.concatenate(list(units.draws(100, Seeds(3))))
    many = np.concatenate(list(units.draws(200, Seeds(3))))
    assert (many[:100] == few).all()


def test_values_do_not_depend_on_how_many_rows_are_asked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, units = np.arange(6.0), Units.of(6, None, None)
    counts = next(units.draws(50, Seeds(0)))
    whole = WeightedStatistic(lambda w: w @ x, units, vectorized=True)(counts)
    monkeypatch.setattr("earnest.inference.general.units.MEMORY", 1)
    assert (WeightedStatistic(lambda w: w @ x, units, vectorized=True)(counts) == whole).all()
    assert (WeightedStatistic(lambda w: w @ x, units)(counts) == whole).all()


def test_a_case_left_out_takes_its_weight_to_the_others() -> None:
    units = Units.of(3, None, None)
    seen: list[np.ndarray] = []
    WeightedStatistic(lambda w: float(len(seen.append(w) or seen)), units).without_each(
        np.arange(3), np.ones(3)
    )
    assert np.allclose(seen[0], [0.0, 1.5, 1.5])


@pytest.mark.parametrize("cases", ["ten", b"ten", None, -1, 0, 2.5, True, [[]][0], np.array(3.0)])
def test_what_tells_no_number_of_cases_is_refused(cases: object) -> None:
    with pytest.raises(EarnestError):
        Units.of(cases, None, None)


def test_data_of_any_kind_tell_their_number_of_rows() -> None:
    from scipy import sparse

    assert Units.of([1, 2, 3], None, None).n == 3
    assert Units.of(np.zeros((4, 2)), None, None).n == 4
    assert Units.of(sparse.csr_array(np.zeros((5, 2))), None, None).n == 5


def test_one_case_or_a_stratum_of_one_is_refused() -> None:
    with pytest.raises(EvidenceError, match="at least two cases"):
        Units.of(1, None, None)
    with pytest.raises(EvidenceError, match="in every stratum"):
        Units.of(3, [0, 0, 1], None)
    with pytest.raises(EvidenceError, match="at least two groups"):
        Units.of(3, None, ["a", "a", "a"])


def test_groups_across_strata_and_wrong_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="groups span several strata"):
        Units.of(4, [0, 0, 1, 1], [0, 1, 1, 2])
    with pytest.raises(InputError):
        Units.of(4, None, [0, 1])


def test_a_statistic_that_gives_no_number_is_refused() -> None:
    units = Units.of(3, None, None)
    for wrong in (lambda w: w, lambda w: "1", lambda w: None, lambda w: 1j):
        with pytest.raises(InputError, match="not return a single number"):
            WeightedStatistic(wrong, units)(np.ones((2, 3)))
    with pytest.raises(InputError, match="for every row"):
        WeightedStatistic(lambda w: 1.0, units, vectorized=True)(np.ones((2, 3)))


def test_infinite_values_count_as_undefined() -> None:
    units = Units.of(3, None, None)
    assert np.isnan(WeightedStatistic(lambda w: np.inf, units)(np.ones((1, 3)))).all()


@pytest.mark.parametrize("name", ["groups", "strata"])
def test_labels_of_another_length_are_told_beside_the_cases(name: str, golden: Golden) -> None:
    with golden.raises(en.errors.InputError):
        en.inference.bootstrap(lambda w: float(w.sum()), np.arange(9.0), **{name: [1, 2]})
