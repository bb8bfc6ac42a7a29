"""Regions hold what they say: their limits, their share, their trials, their band."""

from __future__ import annotations

import json

import numpy as np
import pytest

import earnest as en
from earnest.explanation import Growth, RegionRule, effect_of, regions_of
from earnest.explanation.curves import average_columns
from earnest.explanation.regions.partition import eligible, neighbours
from earnest.explanation.regions.regions import inside
from earnest.results import EffectCurve, RegionTree
from tests.explanation.scenes import known_scene, mixed, mixed_trials, process_scene, unit

PLAIN = en.Space((unit("a"), unit("b"), unit("c")))


def tree_of(scene, param, **knobs) -> tuple[EffectCurve, RegionTree]:  # type: ignore[no-untyped-def]
    rule = {k: knobs.pop(k) for k in ("impurity", "on") if k in knobs}
    curve = effect_of(scene, param)
    return curve, regions_of(scene, curve, RegionRule(Growth(**knobs), **rule))


@pytest.mark.parametrize("param", ["share", "C", "model", "scaling"])
def test_limits_share_and_band_describe_the_same_points(param: str) -> None:
    scene = process_scene(mixed_trials(80), n_points=300)
    curve, tree = tree_of(scene, param, n_regions=5)
    assert curve.ice is not None
    column = scene.space.index(param)
    features = scene.space.mask(curve.ice.points)
    trials = scene.codes[~np.isnan(scene.codes[:, column])]
    covered = np.zeros(len(features))
    for region in tree.regions:
        rows = inside(scene.space, region.limits, features)
        assert region.share == pytest.approx(rows.mean() * scene.share_active(column))
        np.testing.assert_allclose(region.curve.mean, average_columns(curve.ice.mean[rows]))
        np.testing.assert_allclose(
            region.curve.sd, np.sqrt(average_columns(curve.ice.sd[rows] ** 2)), rtol=1e-12
        )
        assert region.n_trials == inside(scene.space, region.limits, trials).sum()
        wide = tree.root.curve.mean_confidence
        assert region.narrower == pytest.approx(1 - region.curve.mean_confidence / wide)
        covered += rows * (not region.children)
    assert (covered == 1).all()  # every point lies in exactly one leaf


def test_the_whole_effect_is_the_weighted_average_of_its_regions() -> None:
    curve, tree = tree_of(process_scene(mixed_trials(80)), "share", n_regions=4)
    together = sum(leaf.share * leaf.curve.mean for leaf in tree)
    np.testing.assert_allclose(together, curve.mean)


def test_a_space_whose_uncertainty_has_a_step_is_divided_there() -> None:
    scene = known_scene(PLAIN, n_points=400)
    curve = effect_of(scene, "a")
    ice = curve.ice
    assert ice is not None
    step = np.where(ice.points[:, 1] > 0.3, 2.0, 0.5)
    ice.sd[:] = step[:, None]
    tree = regions_of(scene, curve, RegionRule(Growth(n_regions=2)))
    limit = tree.leaves[0].limits[0]
    assert (limit.param, limit.op) == ("b", "<=")
    assert limit.value == pytest.approx(0.3, abs=0.01)  # 400 points: gaps of about 0.0025
    assert tree.leaves[0].narrower > 0 > tree.leaves[1].narrower


def test_neither_the_parameter_nor_its_children_are_asked_about() -> None:
    scene = known_scene(mixed(), n_points=300)
    features = eligible(scene, 0, scene.points)
    assert np.isnan(features[:, [0, 1, 2]]).all()  # model, C and depth
    assert not np.isnan(features[:, [3, 4]]).any()
    for param in ("model", "share", "C"):
        _, tree = tree_of(scene, param, n_regions=6)
        asked = {limit.param for region in tree.regions for limit in region.limits}
        assert param not in asked
        assert not asked & set(scene.space.children(param))


def test_a_conditional_parameter_is_asked_about_only_below_its_condition() -> None:
    scene = process_scene(mixed_trials(80), n_points=400)
    _, tree = tree_of(scene, "share", n_regions=8)
    for region in tree.regions:
        for place, limit in enumerate(region.limits):
            if limit.param in ("C", "depth"):
                parent = "svm" if limit.param == "C" else "forest"
                before = [each for each in region.limits[:place] if each.param == "model"]
                assert before
                assert before[-1].value == (parent,)


def test_the_best_configuration_lies_on_one_path() -> None:
    scene = process_scene(mixed_trials(80))
    _, tree = tree_of(scene, "share", n_regions=5)
    assert tree.best is not None
    marked = [region for region in tree.regions if region.holds_best]
    assert [region.depth for region in marked] == list(range(len(marked)))
    best = scene.codes[[scene.best]]
    assert inside(scene.space, tree.best.limits, best)[0]
    assert tree.best.curve.best == pytest.approx(scene.space.decode(best)[0]["share"])
    assert all(leaf.curve.best is None for leaf in tree if leaf is not tree.best)


def test_a_parameter_that_the_best_lacks_has_no_best_region() -> None:
    trials = mixed_trials(80)
    scene = process_scene(trials)
    inactive = "depth" if "depth" not in trials.best_config else "C"
    _, tree = tree_of(scene, inactive, n_regions=3)
    assert tree.best is None
    assert tree.quality() is None
    assert tree.baseline is None
    assert "the best in" not in repr(tree)


def test_words_are_those_of_the_issue() -> None:
    _, tree = tree_of(process_scene(mixed_trials(80)), "share", n_regions=3)
    assert tree.best is not None
    words = str(tree.best).replace("\u00a0", " ")
    assert words.startswith(tree.best.words + ": ")
    assert " % of the space, " in words
    assert " of 80 trials, band " in words
    assert tree.best.words in repr(tree)
    lines = str(tree).splitlines()
    assert len(lines) == len(tree.regions)
    assert sum(line.endswith("(holds the best)") for line in lines) == 1
    assert lines[0].startswith("everywhere: 100")


@pytest.mark.parametrize("impurity", ["l2", "area", "variance", "mean"])
@pytest.mark.parametrize("on", ["sd", "variance"])
def test_every_impurity_grows_a_tree_on_its_own_table(impurity: str, on: str) -> None:
    scene = process_scene(mixed_trials(60))
    curve, tree = tree_of(scene, "share", n_regions=3, impurity=impurity, on=on)
    ice = curve.ice
    assert ice is not None
    power = 1 if on == "sd" else 2
    expected = {
        "l2": ice.sd**power,
        "area": (ice.sd**power).mean(axis=1, keepdims=True),
        "variance": ice.own_sd[:, None] ** power,
        "mean": ice.own_mean[:, None],
    }[impurity]
    rows = inside(scene.space, tree.leaves[0].limits, scene.space.mask(ice.points))
    part = expected[rows]
    assert tree.leaves[0].impurity == pytest.approx(((part - part.mean(axis=0)) ** 2).sum())


def test_one_parameter_has_one_region() -> None:
    space = en.Space((unit("a"),))
    _, tree = tree_of(known_scene(space), "a", n_regions=4)
    assert len(tree) == 1
    assert tree.best is tree.root


def test_the_baseline_is_the_nearest_points_of_the_same_number() -> None:
    scene = known_scene(PLAIN, n_points=300)
    curve, tree = tree_of(scene, "a", n_regions=3)
    assert tree.best is not None
    assert tree.baseline is not None
    assert tree.baseline.n_points[0] == tree.best.curve.n_points[0]
    size = int(tree.best.curve.n_points[0])
    rows = neighbours(scene, 0, scene.points, size)
    distance = np.abs(scene.points - scene.codes[scene.best])[:, 1:].sum(axis=1)
    assert set(rows) == set(np.argsort(distance, kind="stable")[:size])
    assert curve.ice is not None
    np.testing.assert_allclose(tree.baseline.mean, curve.ice.mean[rows].mean(axis=0))


def test_the_distance_counts_levels_and_activity_by_one() -> None:
    scene = known_scene(mixed(), n_points=200)
    best = scene.codes[scene.best]
    own = np.where(np.isnan(best), scene.points[0], best)
    points = np.vstack([own, scene.points[:20]])
    assert neighbours(scene, 4, points, 1).tolist() == [0]


def test_a_tree_survives_json() -> None:
    _, tree = tree_of(process_scene(mixed_trials(60)), "share", n_regions=4)
    again = RegionTree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False)))
    assert again == tree
    assert str(again) == str(tree)


def test_regions_of_a_curve_without_its_ice_are_refused() -> None:
    scene = process_scene(mixed_trials(60))
    curve = EffectCurve.from_dict(effect_of(scene, "share").to_dict())
    with pytest.raises(en.errors.EvidenceError, match="ICE"):
        regions_of(scene, curve, RegionRule())


@pytest.mark.parametrize(("knob", "value"), [("impurity", "l1"), ("on", "mean")])
def test_unknown_knobs_are_refused(knob: str, value: str) -> None:
    with pytest.raises(en.errors.InputError, match=knob):
        RegionRule(**{knob: value})
