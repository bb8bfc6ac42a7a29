"""The figure of a gain shows both curves of the result, and nothing else."""

from __future__ import annotations

import io

import numpy as np

import earnest as en


def test_a_figure_of_a_gain_draws_the_marks_of_both_curves() -> None:
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 30)
    pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((60, 30)))
    made = en.gain(pi, metric="roc_auc", n_resamples=50, rng=0)
    ax = made.plot()
    naive, corrected = ax.lines
    assert tuple(naive.get_xdata()) == tuple(corrected.get_xdata()) == made.marks
    np.testing.assert_array_equal(naive.get_ydata(), [made.naive[k - 1] for k in made.marks])
    np.testing.assert_array_equal(
        corrected.get_ydata(), [made.corrected[k - 1] for k in made.marks]
    )
    assert ax.get_xscale() == "log"
    assert naive.get_linestyle() == "--"
    assert corrected.get_linestyle() == "-"
    ax.figure.savefig(io.BytesIO())
