"""Strips share a scale, and say what they cannot show."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from earnest.plotting import Figure
from earnest.plotting.svg import strips as svg_strips
from earnest.results import Interval
from tests.plotting.report_gallery import an_estimate
from tests.snapshots import Golden

SVG = "{http://www.w3.org/2000/svg}"
MADE = an_estimate()


def root_of(figure: Figure) -> ET.Element:
    return ET.fromstring(figure.svg)


def test_all_rows_and_their_axis_are_equally_wide() -> None:
    scale = svg_strips.find_shared_scale([MADE], width=300)
    rows = [svg_strips.strip_axis(scale, name="x"), svg_strips.forest_strip(MADE, scale, name="y")]
    assert {root_of(row).get("width") for row in rows} == {"300"}
    assert (
        root_of(svg_strips.strip_axis(svg_strips.widen(scale, 200), name="x")).get("width") == "200"
    )


def test_the_scale_holds_every_value_and_end() -> None:
    other = replace(MADE, value=0.3, interval=Interval(0.2, 0.99, 0.95, "two-sided"))
    scale = svg_strips.find_shared_scale([MADE, other], values=[0.1])
    assert all(scale.holds(v) for v in (0.1, 0.2, 0.99, MADE.value))


def test_the_open_end_of_a_bound_does_not_stretch_the_scale() -> None:
    bound = MADE.at(side="lower")
    assert svg_strips.find_shared_scale([bound]).high <= 1.0
    loss = an_estimate(name="rmse").at(side="lower")
    assert math.isfinite(svg_strips.find_shared_scale([loss]).high)


@pytest.mark.parametrize(("value", "sign"), [(0.2, "<"), (1.4, ">")])
def test_a_score_beyond_the_scale_is_said_in_words(value: float, sign: str) -> None:
    scale = svg_strips.scale_over([0.9, 1.0])
    figure = svg_strips.score_strip(value, scale, name="s")
    assert f"{sign} off scale" in [t.text for t in root_of(figure).iter(f"{SVG}text")]
    assert "off the scale" in figure.label


@pytest.mark.parametrize("value", [None, math.nan])
def test_no_score_is_an_empty_strip(value: float | None) -> None:
    assert (
        svg_strips.score_strip(value, svg_strips.scale_over([0.0, 1.0]), name="s").label
        == "No score."
    )


def test_folds_that_were_not_run_are_dashes(golden: Golden) -> None:
    figure = svg_strips.fold_dots([0.9, None, math.nan, 1.0], (0.8, 1.0), name="f")
    dots = [path.get("d", "") for path in root_of(figure).iter(f"{SVG}path")]
    assert [d.count("M") for d in dots] == [2]  # both dots are one shape
    assert len(list(root_of(figure).iter(f"{SVG}line"))) == 2
    golden.check(figure.label)
    assert svg_strips.fold_dots([], (0.0, 1.0), name="f").label == "Scores of 0 of 0 folds."


def test_a_verdict_is_seen_and_said(golden: Golden) -> None:
    worse = svg_strips.Difference(name="b", value=0.2, one=(0.1, 0.3), all=(0.05, 0.35), worse=True)
    same = replace(worse, worse=False)
    scale = svg_strips.difference_scale([worse])
    rings = [svg_strips.comparison_strip(row, scale, name="d") for row in (worse, same)]
    assert rings[0].label.endswith("; worse.")
    golden.check_sentence(rings[1].label, "not shown")
    hollow = [c.get("stroke") for c in root_of(rings[0]).iter(f"{SVG}circle")]
    assert hollow == ["var(--ink3)"]
    assert [c.get("stroke") for c in root_of(rings[1]).iter(f"{SVG}circle")] == [None, None]


def test_the_scale_of_differences_holds_zero() -> None:
    far = svg_strips.Difference(name="b", value=5.0, one=(4.0, 6.0))
    assert svg_strips.difference_scale([far]).holds(0.0)
    assert svg_strips.difference_scale([]).holds(0.0)


def test_hopeless_rivals_leave_the_scale_and_say_so() -> None:
    near = [
        svg_strips.Difference(name=f"c{i}", value=0.001 * i, all=(-0.01, 0.02)) for i in range(8)
    ]
    far = svg_strips.Difference(name="far", value=0.6, one=(0.5, 0.7), all=(0.4, 0.8), worse=True)
    unsure = svg_strips.Difference(name="unsure", value=0.3, one=(0.1, 0.5), all=(-0.01, 0.6))
    scale = svg_strips.difference_scale([far, *near, unsure])
    assert scale.high < 0.1
    strip = svg_strips.comparison_strip(far, scale, name="d")
    assert "> off scale" in [t.text for t in root_of(strip).iter(f"{SVG}text")]
    assert "0.60" in strip.label
    arrow = svg_strips.comparison_strip(unsure, scale, name="d")
    assert not list(root_of(arrow).iter(f"{SVG}text"))
    assert not list(root_of(arrow).iter(f"{SVG}circle"))
    simple = replace(far, cheapest=True)
    assert svg_strips.difference_scale([simple, *near]).holds(0.8)


def test_a_bar_that_leaves_the_scale_ends_in_an_arrow_also_where_its_dot_is_seen() -> None:
    near = [
        svg_strips.Difference(name=f"c{i}", value=0.001 * i, all=(-0.01, 0.02)) for i in range(8)
    ]
    scale = svg_strips.difference_scale(near)
    inside = svg_strips.comparison_strip(near[0], scale, name="d")
    wide = svg_strips.comparison_strip(replace(near[0], all=(-0.5, 0.5)), scale, name="d")
    heads = [len(list(root_of(each).iter(f"{SVG}path"))) for each in (inside, wide)]
    assert heads[1] - heads[0] == 2
    assert len(list(root_of(wide).iter(f"{SVG}circle"))) == 2


def test_equal_models_have_a_strip_of_no_width(golden: Golden) -> None:
    same = svg_strips.Difference(name="b", value=0.0, one=(0.0, 0.0), all=(0.0, 0.0))
    figure = svg_strips.comparison_strip(same, svg_strips.difference_scale([same]), name="d")
    golden.check_sentence(figure.label, "not shown to")


def test_a_strip_is_small_for_a_table_may_have_hundreds() -> None:
    scale = svg_strips.find_shared_scale([MADE])
    assert len(svg_strips.forest_strip(MADE, scale, name="row-312").svg) < 1100
    assert len(svg_strips.score_strip(0.9, scale, name="score-312").svg) < 800
