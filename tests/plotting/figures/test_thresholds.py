"""The figure of thresholds draws the curves of the result, and nothing else."""

from __future__ import annotations

import io

import numpy as np
import pytest

import earnest as en
from earnest.errors import InputError


@pytest.fixture(scope="module")
def made() -> en.results.Thresholds:
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 30)
    pi = en.Predictions.from_arrays(y, 1 / (1 + np.exp(-y[:, None] - rng.normal(size=(60, 5)))))
    return en.thresholds(pi, metric="roc_auc", n_resamples=50, rng=0)


def test_a_figure_of_thresholds_draws_sensitivity_and_specificity(
    made: en.results.Thresholds,
) -> None:
    ax = made.plot()
    found, kept = ax.lines
    assert tuple(found.get_xdata()) == made.thresholds
    np.testing.assert_array_equal(found.get_ydata(), made.curves["sensitivity"].value)
    np.testing.assert_array_equal(kept.get_ydata(), made.curves["specificity"].value)
    assert len(ax.collections) == 2  # their bands
    ax.figure.savefig(io.BytesIO())


def test_a_decision_curve_has_calling_every_case_positive_beside_it(
    made: en.results.Thresholds,
) -> None:
    ax = made.plot(measures=("net_benefit",))
    useful, every, _ = ax.lines
    np.testing.assert_array_equal(useful.get_ydata(), made.curves["net_benefit"].value)
    np.testing.assert_allclose(every.get_ydata(), [made.treat_all(t) for t in made.thresholds])


def test_a_measure_that_there_is_not_is_refused(made: en.results.Thresholds) -> None:
    with pytest.raises(InputError):
        made.plot(measures=("recall",))
