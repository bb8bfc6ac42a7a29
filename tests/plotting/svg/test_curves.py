"""Curves and outcomes are drawn as they are, however strange."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, metric
from earnest.inference import ResampledSelection, residuals, risk_groups, winner_folds
from earnest.inference.curves.calibration import calibration
from earnest.inference.curves.corrected import Curves, mean_curves
from earnest.inference.curves.winner import WinnerFolds
from earnest.plotting import Figure
from earnest.plotting.svg import curves as svg_curves
from earnest.plotting.svg import gain as svg_gain
from earnest.plotting.svg import outcomes as svg_outcomes
from earnest.testing import example_predictions
from tests.plotting.report_gallery import an_estimate

SVG = "{http://www.w3.org/2000/svg}"
AUC = metric("roc_auc")


def words_of(figure: Figure) -> list[str]:
    return [text.text or "" for text in ET.fromstring(figure.svg).iter(f"{SVG}text")]


def curves_of(y: np.ndarray, scores: np.ndarray) -> Curves:
    pi = Predictions.from_arrays(y, scores, np.arange(len(y)) // 2 % 5)
    made = en.estimate(pi, metric="roc_auc", n_resamples=60, rng=0)
    return mean_curves(pi, AUC, made.winner or 0, ResampledSelection.of(made))


def test_both_areas_are_printed_and_the_naive_one_is_named_so() -> None:
    y = np.tile([0, 1], 30)
    both = curves_of(y, y[:, None] + np.random.default_rng(0).standard_normal((60, 5)))
    words = words_of(svg_curves.roc(both.roc, name="r", places=2))
    assert f"corrected, AUC {both.roc.area:.2f}" in words
    assert f"naive, AUC {both.roc.own_area:.2f}" in words
    assert "chance" in words
    words = words_of(svg_curves.precision_recall(both.precision_recall, name="p", places=2))
    assert f"corrected, AP {both.precision_recall.area:.2f}" in words
    assert "prevalence 0.50" in words


def test_one_configuration_has_no_naive_curve() -> None:
    y = np.tile([0, 1], 30)
    both = curves_of(y, y + np.random.default_rng(0).standard_normal(60))
    for figure in (
        svg_curves.roc(both.roc, name="r"),
        svg_curves.precision_recall(both.precision_recall, name="p"),
    ):
        assert "var(--warn)" not in figure.svg
        assert not any("naive" in word or "corrected" in word for word in words_of(figure))
        assert "corrected" not in figure.label


@pytest.mark.parametrize("prevalence", [0.02, 0.5, 0.97])
@pytest.mark.parametrize("kind", ["perfect", "constant", "noise", "reversed"])
def test_curves_of_any_skill_and_prevalence_stay_in_their_square(
    kind: str, prevalence: float
) -> None:
    y = (np.arange(200) < max(4, round(200 * prevalence))).astype(int)
    y[:4], y[-4:] = 1, 0
    noise = np.random.default_rng(0).random(200)
    scores = {"perfect": 1.0 * y, "constant": 0 * noise, "noise": noise, "reversed": noise - y}
    order = np.random.default_rng(1).permutation(200)
    both = curves_of(y[order], scores[kind][order])
    pair = (
        svg_curves.roc(both.roc, name="r"),
        svg_curves.precision_recall(both.precision_recall, name="p"),
    )
    for figure in pair:
        root = ET.fromstring(figure.svg)
        assert "nan" not in figure.svg
        for text in root.iter(f"{SVG}text"):
            assert 0 <= float(text.get("y", "nan")) <= float(root.get("height", "nan"))


def test_calibration_says_in_how_many_groups_it_is_off() -> None:
    rng = np.random.default_rng(0)
    promised = rng.random(1000)
    y = (rng.random(1000) < promised).astype(int)
    good = calibration(Predictions.from_arrays(y, promised), 0)
    bad = calibration(Predictions.from_arrays(y, promised**3), 0)
    few = ("In 0 of 10", "In 1 of 10")
    assert svg_curves.calibration(good.shown, name="c").label.startswith(few)
    assert not svg_curves.calibration(bad.shown, name="c").label.startswith(few)


def test_one_constant_probability_is_one_group() -> None:
    pi = Predictions.from_arrays(np.tile([0, 1], 20), np.full(40, 0.5))
    figure = svg_curves.calibration(calibration(pi, 0).shown, name="c")
    assert len(figure.table) == 2


def some_folds(scores: list[float]) -> WinnerFolds:
    size = len(scores)
    return WinnerFolds(
        scores=np.array(scores),
        names=tuple(str(i) for i in range(size)),
        repeats=np.zeros(size, dtype=np.intp),
        cases=np.full(size, 12),
        positives=None,
    )


@pytest.mark.parametrize(
    "scores",
    [[0.5] * 4, [math.nan] * 3, [0.1, math.nan, 0.9], [0.7], [0.01 * i for i in range(100)]],
)
def test_folds_of_any_kind_are_drawn(scores: list[float]) -> None:
    figure = svg_outcomes.folds(some_folds(scores), name="f", estimate=an_estimate())
    root = ET.fromstring(figure.svg)
    diamonds = [p for p in root.iter(f"{SVG}path") if p.get("fill") == "var(--bg)"]
    assert len(diamonds) == np.isfinite(scores).sum()
    assert len(figure.table) == len(scores) + 1


@pytest.mark.parametrize("count", [2, 5, 8])
def test_the_score_of_a_fold_stands_above_its_number(count: int) -> None:
    figure = svg_outcomes.folds(some_folds([0.6 + 0.02 * i for i in range(count)]), name="f")
    root = ET.fromstring(figure.svg)
    numbers = {t.text: float(t.get("x", "nan")) for t in root.iter(f"{SVG}text")}
    places = [
        float(re.findall(r"[-\d.]+", p.get("d", ""))[0])
        for p in root.iter(f"{SVG}path")
        if p.get("fill") == "var(--bg)"
    ]
    assert places == pytest.approx([numbers[str(i + 1)] for i in range(count)], abs=0.2)


def test_the_gain_of_a_search_is_drawn_over_a_logarithmic_scale() -> None:
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 30)
    pi = Predictions.from_arrays(y, y[:, None] + rng.standard_normal((60, 30)))
    made = en.gain(pi, metric="roc_auc", n_resamples=50, rng=0)
    dots = ET.fromstring(svg_gain.gain(made, name="f").svg).iter(f"{SVG}circle")
    places = sorted({float(dot.get("cx", "nan")) for dot in dots})  # some are two circles
    logs = np.log([k for k in made.marks if made.corrected[k - 1] is not None])
    step = (places[-1] - places[0]) / (logs[-1] - logs[0])
    assert places == pytest.approx(places[0] + step * (logs - logs[0]), abs=0.2)  # as written


def test_an_undefined_fold_is_said() -> None:
    figure = svg_outcomes.folds(some_folds([0.1, math.nan, 0.9]), name="f")
    assert "undefined in 1 more" in figure.label
    assert figure.table[2][1] == "– (undefined)"
    assert svg_outcomes.folds(some_folds([math.nan]), name="f").label.startswith(
        "The metric is undefined"
    )


def test_the_lines_of_the_folds_are_the_estimate_and_the_naive_score() -> None:
    made = an_estimate()
    pi = example_predictions("binary", n_cases=90, n_configs=9)
    words = words_of(svg_outcomes.folds(winner_folds(pi, AUC, 0), name="f", estimate=made))
    assert any(word.startswith("honest ") for word in words)
    assert any(word.startswith("naive ") for word in words)


@pytest.mark.parametrize("n", [2, 30, 5000])
def test_residuals_are_small_whatever_their_number(n: int) -> None:
    y = np.random.default_rng(0).standard_normal(n)
    pi = Predictions.from_arrays(y, np.zeros(n) if n == 2 else 0.5 * y, task="regression")
    figure = svg_outcomes.residuals(residuals(pi, 0), name="r")
    assert len(figure.svg) < 40_000
    assert figure.label.startswith(f"{n:,} residuals")


@pytest.mark.parametrize("n", [3, 40, 3000])
def test_survival_is_small_whatever_its_number(n: int) -> None:
    rng = np.random.default_rng(0)
    y = (rng.exponential(5.0, n), rng.random(n) < 0.7)
    groups = risk_groups(Predictions.from_arrays(y, rng.random(n), task="survival"), 0)
    figure = svg_outcomes.kaplan_meier(groups, name="k")
    assert len(figure.svg) < 40_000
    assert "nan" not in figure.svg
    at_risk = [row for row in figure.table if row[1] == "0"]
    assert sum(int(row[4].replace(",", "")) for row in at_risk) == n


def test_a_band_of_steps_ends_where_nobody_is_left() -> None:
    y = (np.arange(1.0, 31.0), np.ones(30, dtype=bool))
    groups = risk_groups(Predictions.from_arrays(y, -np.arange(30.0), task="survival"), 0)
    figure = svg_outcomes.kaplan_meier(groups, name="k")
    faint = [
        path for path in ET.fromstring(figure.svg).iter(f"{SVG}path") if path.get("fill") != "none"
    ]
    assert len(faint) == 3
    gone = [row for row in figure.table[1:] if row[2] == "0.000"]
    assert gone
    assert {row[3] for row in gone} == {"–"}


def test_a_single_event_and_equal_risks() -> None:
    y = (np.arange(1.0, 13.0), np.arange(12) == 11)
    groups = risk_groups(Predictions.from_arrays(y, np.zeros(12), task="survival"), 0)
    figure = svg_outcomes.kaplan_meier(groups, name="k", width=350)
    assert "all 100\u00a0%" in figure.label
    assert figure.table[1][0] == "all"
