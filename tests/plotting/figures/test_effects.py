"""Figures of an explanation show what it says, and nothing else."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.explanation import Growth, RegionRule, compute_surface, effect_of, regions_of
from earnest.explanation.importance import measure_importance
from earnest.explanation.sampling_bias import Gap
from earnest.plotting.figures.effects import MOST_TICKS, plot_effect, plot_regions, plot_surface
from tests.explanation.scenes import mixed_trials, process_scene
from tests.snapshots import Golden

SCENE = process_scene(mixed_trials(50))


def lines(ax: Any, marker: str = "None") -> list[Any]:
    return [line for line in ax.lines if line.get_marker() == marker]


@pytest.mark.parametrize("param", ["share", "C"])
def test_a_curve_is_drawn_at_its_values_with_its_band(param: str) -> None:
    curve = effect_of(SCENE, param)
    ax = curve.plot()
    (line,) = lines(ax)
    np.testing.assert_allclose(line.get_xdata(), curve.grid)
    np.testing.assert_allclose(line.get_ydata(), curve.mean)
    low, high = curve.bands()
    edges = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert edges.min() == pytest.approx(low.min())
    assert edges.max() == pytest.approx(high.max())
    assert ax.get_xscale() == ("log" if param == "C" else "linear")


def test_a_level_is_a_short_line_in_a_box() -> None:
    curve = effect_of(SCENE, "model")
    ax = curve.plot()
    assert [line.get_ydata()[0] for line in lines(ax)] == pytest.approx(curve.mean)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["svm", "forest", "linear"]


@pytest.mark.parametrize("param", ["share", "model"])
def test_every_trial_has_a_tick_and_the_best_a_dot(param: str) -> None:
    curve = effect_of(SCENE, param)
    ax = curve.plot()
    (rug,) = lines(ax, "|")
    assert len(rug.get_xdata()) == curve.n_trials
    (dot,) = lines(ax, "o")
    at = curve.best if param == "share" else list(curve.grid).index(curve.best)
    assert float(dot.get_xdata()[0]) == pytest.approx(at)


def test_a_rug_is_thinned_and_a_curve_without_trials_has_none() -> None:
    curve = effect_of(SCENE, "share")
    many = replace(curve, trials=tuple(np.linspace(0, 1, 3 * MOST_TICKS)))
    assert len(lines(many.plot(), "|")[0].get_xdata()) <= MOST_TICKS
    assert len(lines(replace(curve, trials=()).plot(), "|")[0].get_xdata()) == 0
    assert not lines(replace(curve, best=None).plot(), "o")


def test_the_band_is_labelled_as_what_it_is(golden: Golden) -> None:
    curve = effect_of(SCENE, "share")
    assert "average surrogate uncertainty (eq. 5)" in curve.plot().get_xlabel()
    golden.check(curve.plot(of="mean").get_xlabel())


def test_ice_curves_are_drawn_behind() -> None:
    curve = effect_of(SCENE, "share")
    assert len(lines(curve.plot(ice=10))) == 11


@pytest.mark.parametrize(("param", "gap"), [("C", (0.8, 1.0)), ("model", (1.0, 1.0))])
def test_what_was_hardly_tried_is_hatched_with_its_count(
    param: str, gap: tuple[float, float]
) -> None:
    ax = plot_effect(effect_of(SCENE, param), gaps=[Gap(*gap, "there", 1, 9.0)])
    assert [patch.get_hatch() for patch in ax.patches] == ["////"]
    assert "1\ntrial" in [text.get_text() for text in ax.texts]


def test_a_figure_goes_where_it_is_told() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert effect_of(SCENE, "share").plot(ax) is ax


def test_a_surface_shows_the_mean_and_its_uncertainty_and_the_best() -> None:
    surface = compute_surface(SCENE, "C", "share")
    first = surface.plot()
    second = first.figure.axes[1]
    np.testing.assert_allclose(first.collections[0].get_array().ravel(), surface.mean.T.ravel())
    np.testing.assert_allclose(second.collections[0].get_array().ravel(), surface.sd.T.ravel())
    assert (surface.best is not None) == bool(lines(first, "D"))
    assert first.get_xscale() == "log"
    again = plot_surface(compute_surface(SCENE, "scaling", "share"), first.figure)
    assert again.figure is first.figure


def test_a_tree_has_a_panel_a_region_and_a_line_to_each_child() -> None:
    curve = effect_of(SCENE, "share")
    tree = regions_of(SCENE, curve, RegionRule(Growth(n_regions=4)))
    figure = tree.plot().figure
    assert len(figure.axes) == len(tree.regions)
    assert len(figure.artists) == len(tree.regions) - 1
    words = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert sum("best here" in text for text in words) == 1
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    alone = regions_of(SCENE, curve, RegionRule(Growth(n_regions=1)))
    assert len(plot_regions(alone).figure.axes) == 1


def test_importance_is_dots_with_intervals_from_zero() -> None:
    found = measure_importance(SCENE, [0, 1, 4], 0.95)
    ax = found.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(found.ranking)
    drawn = [float(line.get_xdata()[0]) for line in lines(ax, "o")]
    for share in (*found.main.values(), *found.total.values()):
        assert any(value == pytest.approx(100 * share.value) for value in drawn)
    assert ax.get_xlim()[0] == 0


def test_names_are_drawn_as_they_are() -> None:
    trials, names = mixed_trials(20), ["$x$ or $$ <b>&", "a\nb ß → ∞"]
    configs = [
        {names[0]: c["share"], names[1]: at % 7, "kind": f"{c['scaling']} $y$"}
        for at, c in enumerate(trials.configs)
    ]
    found = en.explain(
        configs,
        objective_values=trials.objective,
        direction="maximize",
        n_points=40,
        grid_size=4,
        rng=0,
    )
    for ax in (
        found.plot(),
        *(found.regions[name].plot() for name in names),
        found.importance.plot(),
        found.effect2d(*names).plot(),
        found.effect2d(names[0], "kind").plot(),
    ):
        ax.figure.draw_without_rendering()  # mathematics in a label would raise here


def test_figures_side_by_side_share_their_scale() -> None:
    found = en.explain(mixed_trials(30), n_points=40, grid_size=4, rng=0)
    figure = found.plot(most=3).figure
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert len(shown) == 3
    assert len({ax.get_ylim() for ax in shown}) == 1


def drawn_levels(levels: list[str]) -> list[str]:
    configs = [{"level": levels[i % len(levels)], "x": i} for i in range(24)]
    trials = en.Trials.from_configs(configs, [i % 7 for i in range(24)], direction="maximize")
    ax = plot_effect(effect_of(process_scene(trials), "level"))
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
    return [label.get_text() for label in ax.get_xticklabels()]


@pytest.mark.parametrize("count", [2, 5, 9])
def test_names_of_levels_neither_touch_nor_become_the_same(count: int) -> None:
    starts = drawn_levels([f"{chr(97 + i)}-StandardScaler(mean)" for i in range(count)])
    assert [word[0] for word in starts] == list("abcdefghi"[:count])
    ends = drawn_levels([f"DecisionTreeClassifier-{i}" for i in range(count)])
    assert [word[-1] for word in ends] == list("012345678"[:count])


def test_whole_numbers_have_whole_ticks() -> None:
    configs = [{"depth": 2 + i % 11, "x": 0.01 * i} for i in range(24)]
    trials = en.Trials.from_configs(configs, [i % 7 for i in range(24)], direction="maximize")
    scene = process_scene(trials)
    ticks = plot_effect(effect_of(scene, "depth")).get_xticks()
    assert all(float(tick).is_integer() for tick in ticks)
    assert not all(float(t).is_integer() for t in plot_effect(effect_of(scene, "x")).get_xticks())
