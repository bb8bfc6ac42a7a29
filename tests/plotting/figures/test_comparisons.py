"""Figures of comparisons show what the result says, and nothing else."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import earnest as en

SEED = 5
VERDICTS = ("not shown to be worse", "worse")


def given(configs: int = 6) -> en.Predictions:
    rng = np.random.default_rng(SEED)
    y = np.tile([0, 1], 60)
    scores = y[:, None] * np.linspace(2.0, 0.0, configs) + rng.standard_normal((120, configs))
    names = [f"c{i}" for i in range(configs)]
    return en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5, configs=names)


def xs(ax: Any) -> list[float]:
    return [float(x) for line in ax.lines for x in np.atleast_1d(line.get_xdata())]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_a_figure_shows_the_difference_its_closed_ends_and_0(alternative: str) -> None:
    made = en.compare(given(), "c0", "c5", metric="accuracy", alternative=alternative)
    shown = xs(made.plot())
    assert made.interval is not None
    assert {0.0, made.difference} <= set(shown)
    closed = [e for e in (made.interval.low, made.interval.high) if abs(e) != 1.0]
    assert set(closed) <= set(shown)
    assert max(map(abs, shown)) < 1.0  # an open end is an arrow, not the end of the range


@pytest.mark.parametrize(("metric", "left"), [("roc_auc", "c5 better"), ("brier", "c0 better")])
def test_the_better_side_follows_the_metric(metric: str, left: str) -> None:
    pi = given()
    if metric == "brier":
        pi = en.Predictions.from_arrays(
            pi.target.y, 1 / (1 + np.exp(-pi.responses[:, :, 0])), configs=list(pi.configs.ids)
        )
    ax = en.compare(pi, "c0", "c5", metric=metric).plot()
    sides = {text.get_text(): text.get_ha() for text in ax.texts}
    assert sides[left] == "right"


def test_all_are_drawn_nearest_first_with_those_not_worse_filled() -> None:
    many = en.compare_many(given(), metric="roc_auc", rng=0)
    ax = many.plot()
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == [made.b for made, _ in many.ranked()]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    filled = [dot.get_markerfacecolor() != "white" for dot in dots]
    assert filled == [name in many.not_worse for name in labels]


def test_many_are_cut_with_a_word() -> None:
    ax = en.compare_many(given(60), metric="roc_auc", rng=0).plot()
    assert len(ax.get_yticklabels()) == 40
    assert "19 more not shown" in ax.get_xlabel()


def test_forty_comparisons_fit_a_page_with_their_verdicts() -> None:
    many = en.compare_many(given(60), metric="roc_auc", test="delong", rng=0)
    ax = many.plot()
    wide, high = ax.figure.get_size_inches()
    assert wide <= 7.0
    assert high <= 9.5
    verdicts = [text.get_text() for text in ax.texts if text.get_text() in VERDICTS]
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert verdicts == [str(many.standings[name]) for name in labels]
    assert set(verdicts) == set(VERDICTS)
    figure = ax.figure
    figure.draw_without_rendering()
    paper = figure.bbox
    for text in [*ax.texts, *ax.get_yticklabels(), ax.xaxis.label]:
        box = text.get_window_extent()
        assert box.x0 >= paper.x0 - 1
        assert box.x1 <= paper.x1 + 1


def test_odd_names_and_missing_intervals_can_be_saved() -> None:
    flat = en.Scores({"$a$ x_1": np.ones(9), "b<>&": np.full(9, 2.0)}, greater_is_better=False)
    made = en.compare(flat, "$a$ x_1", "b<>&")
    assert made.interval is None
    ax = made.plot()
    ax.figure.savefig(io.BytesIO(), format="svg")
    few = en.compare(
        en.Scores({"a": [0.1, 0.2], "b": [0.3, 0.9]}, greater_is_better=False),
        "a",
        "b",
        test="sign_flip",
    )
    few.plot().figure.savefig(io.BytesIO(), format="png")


def test_given_axes_are_used() -> None:
    made = en.compare(given(), "c0", "c1", metric="accuracy")
    ax = made.plot()
    assert made.plot(ax) is ax
