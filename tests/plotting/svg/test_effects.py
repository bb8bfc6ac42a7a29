"""Effects, regions and importance are drawn on the scales they share."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from earnest.explanation.importance import Importance, Share
from earnest.explanation.sampling_bias import Gap
from earnest.plotting import Figure
from earnest.plotting.svg import effects as svg_effects
from tests.plotting.report_gallery import a_curve, a_tree

SVG = "{http://www.w3.org/2000/svg}"


def words_of(figure: Figure) -> list[str]:
    return [text.text or "" for text in ET.fromstring(figure.svg).iter(f"{SVG}text")]


def test_the_shared_axis_holds_every_band() -> None:
    curves = [a_curve(), replace(a_curve(), mean=a_curve().mean - 0.3)]
    low, high = svg_effects.find_shared_limits(curves)
    for curve in curves:
        assert min(curve.bands()[0]) >= low
        assert max(curve.bands()[1]) <= high
    assert svg_effects.find_shared_limits([]) == (0.0, 1.0)


def test_the_label_names_the_uncertainty_for_what_it_is() -> None:
    curve = a_curve()
    figure = svg_effects.effect(curve, name="e", limits=svg_effects.find_shared_limits([curve]))
    assert "average surrogate uncertainty" in figure.label
    assert "60 trials" in figure.label
    assert len(figure.table) == len(curve.grid) + 1


def test_what_was_hardly_tried_is_hatched_with_its_count() -> None:
    curve = a_curve()
    gaps = [Gap(0.0, 4.0, "below", 1, 9.0), Gap(12.0, 19.0, "above", 3, 12.0)]
    figure = svg_effects.effect(
        curve, name="e", limits=svg_effects.find_shared_limits([curve]), gaps=gaps
    )
    assert figure.svg.count('fill="url(#e-hatch)"') == 2
    assert figure.svg.count("<pattern") == 1
    assert {"1 trial", "3 trials"} <= set(words_of(figure))


def test_a_gap_of_a_level_is_hatched_under_the_level() -> None:
    curve = a_curve(scale="levels")
    gap = Gap(2.0, 2.0, "c", 0, 9.0)
    figure = svg_effects.effect(
        curve, name="e", limits=svg_effects.find_shared_limits([curve]), gaps=[gap]
    )
    assert 'fill="url(#e-hatch)"' in figure.svg


def test_the_rug_has_a_tick_a_trial_up_to_a_limit() -> None:
    few = a_curve()
    ends = np.log10([few.grid[0], few.grid[-1]])
    many = replace(few, trials=tuple(np.logspace(*ends, 9000).tolist()))
    same = replace(few, trials=(few.grid[3],) * 9000)
    limits = svg_effects.find_shared_limits([few])

    def ticks(curve: object) -> int:
        root = ET.fromstring(svg_effects.effect(curve, name="e", limits=limits).svg)
        rugs = [p.get("d", "") for p in root.iter(f"{SVG}path") if p.get("stroke-width") == "0.7"]
        return rugs[-1].count("M")

    assert ticks(few) == len(set(few.trials)) == 20  # those on one another are one
    assert 300 <= ticks(many) <= 500
    assert ticks(same) == 1
    assert len(svg_effects.effect(many, name="e", limits=limits).svg) < 40_000


@pytest.mark.parametrize("scale", ["log", "linear", "levels"])
def test_values_beyond_the_axis_are_cut_and_not_drawn_at_its_edge(scale: str) -> None:
    curve = a_curve(scale=scale)
    figure = svg_effects.effect(curve, name="e", limits=(0.895, 0.9))
    assert 'clip-path="url(#e-plot)"' in figure.svg
    root = ET.fromstring(figure.svg)
    assert not [c for c in root.iter(f"{SVG}circle") if c.get("r") == "5"]  # the winner lies beyond


def test_unknown_parts_of_a_curve_break_it() -> None:
    curve = a_curve()
    mean = curve.mean.copy()
    mean[5:8] = math.nan
    broken = replace(curve, mean=mean)
    figure = svg_effects.effect(broken, name="e", limits=svg_effects.find_shared_limits([curve]))
    assert "nan" not in figure.svg
    assert figure.table[6][1] == "–"
    lost = replace(curve, mean=np.full(20, math.nan), sd=np.full(20, math.nan), best=None)
    assert "unknown" in svg_effects.effect(lost, name="e", limits=(0.0, 1.0)).label
    assert svg_effects.find_shared_limits([lost]) == (0.0, 1.0)


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_levels_of_any_number_are_named(count: int) -> None:
    grid = tuple(f"a level with a long name, number {i}" for i in range(count))
    curve = a_curve(scale="levels", grid=grid)
    figure = svg_effects.effect(curve, name="e", limits=svg_effects.find_shared_limits([curve]))
    assert sum("…" in word or "level" in word for word in words_of(figure)) == count


def test_whole_numbers_have_whole_ticks() -> None:
    curve = a_curve(scale="linear", grid=(1, 2, 3))
    words = words_of(
        svg_effects.effect(curve, name="e", limits=svg_effects.find_shared_limits([curve]))
    )
    assert {"1", "2", "3"} <= set(words)
    assert "1.5" not in words


def test_a_region_shows_the_band_of_the_whole_dashed_and_the_root_does_not() -> None:
    tree = a_tree()
    limits = svg_effects.tree_limits(tree)
    root, part = (
        svg_effects.region_node(region, tree.root.curve, name="n", limits=limits)
        for region in tree.regions[:2]
    )
    assert root.svg.count("stroke-dasharray") == 0
    assert part.svg.count("stroke-dasharray") == 2
    assert "40\u00a0% of the space" in part.label


def test_importance_starts_at_zero_and_its_table_has_all() -> None:
    shares = {f"p{i}": Share(0.5 / (i + 1), 0.3 / (i + 1), 0.6 / (i + 1)) for i in range(20)}
    figure = svg_effects.importance(Importance(shares, shares, {}, 0.9), name="i", width=350)
    assert "0\u00a0%" in words_of(figure)
    assert len(figure.table) == 21
    assert "p0 accounts for 50\u00a0%" in figure.label


def test_a_parameter_that_moves_nothing_is_drawn() -> None:
    none = {"p": Share(0.0, 0.0, 0.0)}
    figure = svg_effects.importance(Importance(none, none, {}, 0.95), name="i")
    assert "nan" not in figure.svg
