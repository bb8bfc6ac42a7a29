"""Figures show what the result says, and nothing else."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.core import Selection
from earnest.plotting import TOKENS

SEED = 5


def noise(metric: str = "roc_auc", configs: int = 20) -> en.Predictions:
    """Return predictions that know nothing."""
    rng = np.random.default_rng(SEED)
    y, fold = np.tile([0, 1], 40), np.arange(80) % 5
    if metric == "mse":
        return en.Predictions.from_arrays(rng.random(80), rng.random((80, configs)), fold)
    return en.Predictions.from_arrays(y, rng.random((80, configs)), fold)


def texts(ax: Any) -> list[str]:
    """Return all words on the axes."""
    return [text.get_text() for text in ax.texts]


def xs(ax: Any) -> list[float]:
    """Return the x positions of all lines and marks."""
    return [float(x) for line in ax.lines for x in np.atleast_1d(line.get_xdata())]


def test_a_figure_shows_value_interval_and_naive_score() -> None:
    result = en.estimate(noise(), metric="roc_auc", rng=SEED)
    ax = result.plot()
    shown = xs(ax)
    for number in (result.value, result.interval.low, result.interval.high, result.naive):
        assert number in shown
    assert any(text.startswith("naive") and text.endswith("too high") for text in texts(ax))
    assert ax.get_xlabel().startswith("roc_auc (higher is better")


def test_a_loss_is_too_low_and_its_open_end_is_drawn() -> None:
    result = en.estimate(noise("mse"), metric="mse", side="lower", rng=SEED)
    assert result.interval.high == np.inf
    ax = result.plot()
    assert np.isfinite(xs(ax)).all()
    assert any(text.endswith("too low") for text in texts(ax))


def test_one_configuration_has_no_naive_score() -> None:
    ax = en.estimate(noise(configs=1), metric="roc_auc", rng=SEED).plot()
    assert not any("naive" in text for text in texts(ax))


def test_a_figure_goes_where_it_is_told() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert en.estimate(noise(), metric="roc_auc", rng=SEED).plot(ax) is ax


def test_a_method_without_draws_is_a_mark_alone() -> None:
    ax = en.estimate(noise(configs=1), method="naive", metric="roc_auc").plot()
    assert len(ax.patches) == 0
    assert len(ax.lines) == 1


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_a_forest_has_a_row_a_method(side: str) -> None:
    table = en.estimate_all(noise(), metric="roc_auc", side=side, rng=SEED)
    ax = table.plot()
    assert sorted(t.get_text() for t in ax.get_yticklabels()) == sorted(e.method for e in table)
    for estimate in table:
        assert estimate.value in xs(ax)


def test_what_is_not_corrected_is_hollow() -> None:
    table = en.estimate_all(noise(), methods=["bbc", "naive"], metric="roc_auc", rng=SEED)
    marks = {
        line.get_xdata()[0]: line.get_markerfacecolor()
        for line in table.plot().lines
        if line.get_marker() in ("o", "D")
    }
    assert marks[table["naive"].value] == "white"
    assert marks[table["bbc"].value] != "white"


def test_a_forest_has_the_groups_and_colours_of_the_report() -> None:
    table = en.estimate_all(noise(), metric="roc_auc", rng=SEED)
    ax = table.plot()
    rows = dict(zip((t.get_text() for t in ax.get_yticklabels()), ax.get_yticks(), strict=True))
    colours = {
        float(line.get_ydata()[0]): line.get_color()
        for line in ax.lines
        if line.get_marker() in ("o", "D")
    }
    raw = [one for one in table if one.selection is Selection.UNCORRECTED]
    fair = [one for one in table if one not in raw]
    first = fair[0].estimand
    for one in table:
        token = "warn" if one in raw else "accent" if one.estimand == first else "ink2"
        assert colours[rows[one.method]] == TOKENS[token][0]
    order = [[one.estimand for one in fair].index(one.estimand) for one in fair]
    places = [rows[one.method] for one in fair]
    assert [p for _, p in sorted(zip(order, places, strict=True))] == sorted(places)
    assert min(rows[one.method] for one in raw) > max(places)
    heads = [t.get_text() for t in ax.texts]
    assert len(heads) == len({one.estimand for one in fair}) + 1
    ax.figure.draw_without_rendering()
    for text in ax.texts:
        assert text.get_window_extent().x1 <= ax.figure.bbox.x1 + 1


def test_a_dollar_in_a_name_is_a_dollar() -> None:
    def cost(y: Any, p: Any) -> float:
        return float(np.mean(y == (p > 0.5)))

    metric = en.metrics.make_metric(cost, name="gain in $ or $$", needs="score")
    ax = en.estimate(noise(configs=2), metric=metric, n_resamples=20, rng=SEED).plot()
    ax.figure.savefig(io.BytesIO(), format="png")  # mathematics in a label would raise here
    assert r"\$" in ax.get_xlabel()
