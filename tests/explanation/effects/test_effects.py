"""Effects are the averages that equations 3, 4, 5 and 8 write down."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

import earnest as en
from earnest.explanation import Limit, compute_surface, effect_of
from earnest.results import EffectCurve
from tests.explanation.scenes import (
    Known,
    forbidding,
    known_scene,
    mixed,
    mixed_trials,
    process_scene,
    unit,
)
from tests.snapshots import Golden

PLAIN = en.Space((unit("a"), unit("b"), unit("c")))


def moved(scene, points, column, code):  # type: ignore[no-untyped-def]
    out = points.copy()
    out[:, column] = code
    return scene.space.mask(out)


def test_mean_and_both_uncertainties_are_the_loops_over_points() -> None:
    scene = known_scene(PLAIN)
    curve = effect_of(scene, "b")
    for g, code in enumerate(curve.codes):
        rows = moved(scene, scene.points, 1, code)
        mean, sd = scene.fitted.posterior(rows)
        assert curve.mean[g] == pytest.approx(mean.mean())
        assert curve.sd[g] == pytest.approx(np.sqrt((sd**2).mean()))
        assert curve.sd_of_mean is not None
        assert curve.sd_of_mean[g] == pytest.approx(np.sqrt((sd**2).sum()) / len(sd))


def test_equation_4_is_the_double_sum_of_covariances_and_never_above_equation_5() -> None:
    scene = process_scene(mixed_trials(), n_points=60, grid=4)
    for param in ("share", "C", "model", "scaling"):
        curve = effect_of(scene, param)
        assert curve.ice is not None
        assert curve.sd_of_mean is not None
        column = scene.space.index(param)
        for g, code in enumerate(curve.codes):
            rows = moved(scene, curve.ice.points, column, code)
            whole = scene.fitted.covariance(rows, rows).mean()
            assert curve.sd_of_mean[g] == pytest.approx(np.sqrt(max(whole, 0.0)), abs=1e-7)
        assert (curve.sd_of_mean <= curve.sd + 1e-12).all()


def test_ice_curves_average_to_the_effect() -> None:
    curve = effect_of(process_scene(mixed_trials()), "share")
    assert curve.ice is not None
    np.testing.assert_allclose(curve.ice.mean.mean(axis=0), curve.mean)
    np.testing.assert_allclose(np.sqrt((curve.ice.sd**2).mean(axis=0)), curve.sd)


def test_a_conditional_parameter_is_averaged_where_it_is_active_over_as_many_points() -> None:
    scene = known_scene(mixed(), n_points=300)
    curve = effect_of(scene, "C")
    assert curve.ice is not None
    assert curve.where == "model is svm"
    assert (curve.n_points == 300).all()
    assert scene.space.active(curve.ice.points)[:, 1].all()
    assert curve.n_trials == int((~np.isnan(scene.codes[:, 1])).sum())


def test_a_parent_averages_over_the_children_that_each_value_has() -> None:
    # Equation 8 drops the combinations that do not exist; drawing the children anew instead
    # estimates the same averages. Tolerance: 4 standard errors of both averages of 2000 points.
    scene = known_scene(mixed(), n_points=2000)
    curve = effect_of(scene, "model")
    sampled = scene.space.mask(scene.points)
    for g, code in enumerate(curve.codes):
        rows = sampled.copy()
        rows[:, 0] = code
        valid = scene.space.valid(rows)
        values = scene.fitted.mean(rows[valid])
        error = values.std() * np.sqrt(1 / valid.sum() + 1 / 2000)
        assert abs(curve.mean[g] - values.mean()) < 4 * error


def test_forbidden_combinations_are_left_out() -> None:
    scene = known_scene(forbidding(), n_points=400)
    curve = effect_of(scene, "a")
    assert curve.ice is not None
    for g, code in enumerate(curve.codes):
        rows = moved(scene, curve.ice.points, 0, code)
        valid = scene.space.valid(rows)
        assert curve.n_points[g] == valid.sum()
        assert curve.mean[g] == pytest.approx(scene.fitted.mean(rows[valid]).mean())
        assert curve.sd_of_mean is not None
        assert curve.sd_of_mean[g] == pytest.approx(scene.fitted.averages(rows[valid][None])[1][0])
    assert curve.n_points[-1] < curve.n_points[0]


def test_the_grid_is_in_natural_units_on_the_scale_of_the_parameter() -> None:
    scene = replace(known_scene(mixed()), grid_size=5)
    assert effect_of(scene, "C").grid == pytest.approx((0.01, 0.1, 1.0, 10.0, 100.0))
    assert effect_of(scene, "C").scale == "log"
    assert effect_of(scene, "model").grid == ("svm", "forest", "linear")
    assert effect_of(scene, "depth").grid == (1, 3, 5, 6, 8)


def test_bands_widen_with_the_level_and_name_what_they_are() -> None:
    curve = effect_of(process_scene(mixed_trials()), "share")
    low, high = curve.bands(0.95)
    np.testing.assert_allclose(high - low, 2 * 1.959964 * curve.sd, rtol=1e-5)
    wide_low, wide_high = curve.bands(0.99)
    assert (wide_low < low).all()
    assert (wide_high > high).all()
    inner_low, inner_high = curve.bands(0.95, of="mean")
    assert (inner_high - inner_low <= high - low + 1e-12).all()
    with pytest.raises(en.errors.InputError, match="of"):
        curve.bands(of="both")
    with pytest.raises(en.errors.InputError, match="confidence_level"):
        curve.bands(95)


def test_a_curve_survives_json_and_knows_its_equal() -> None:
    curve = effect_of(process_scene(mixed_trials()), "model")
    again = EffectCurve.from_dict(json.loads(json.dumps(curve.to_dict(), allow_nan=False)))
    assert again == curve
    assert again != replace(curve, best="linear" if curve.best != "linear" else "svm")
    assert "average surrogate uncertainty" in curve.to_dict()["sd_is"]
    with pytest.raises(en.errors.FormatError, match="schema"):
        EffectCurve.from_dict({"schema": "other"})


def test_a_curve_becomes_a_table() -> None:
    frame = effect_of(process_scene(mixed_trials()), "model").to_frame()
    assert frame.column_names == ["model", "mean", "sd", "sd_of_mean"]
    assert frame.num_rows == 3


def test_the_repr_is_one_line(golden: Golden) -> None:
    text = repr(effect_of(process_scene(mixed_trials()), "C"))
    golden.check(text, hide=r"[0-9]+[.][0-9]+")
    assert "\n" not in text


# ---- two parameters


def test_a_surface_is_the_loop_over_pairs() -> None:
    scene = known_scene(PLAIN, grid=3)
    surface = compute_surface(scene, "a", "c")
    points = scene.points[: surface.n_points]
    for i, u in enumerate([0.0, 0.5, 1.0]):
        for k, v in enumerate([0.0, 0.5, 1.0]):
            rows = points.copy()
            rows[:, 0], rows[:, 2] = u, v
            mean, sd = scene.fitted.posterior(rows)
            assert surface.mean[i, k] == pytest.approx(mean.mean())
            assert surface.sd[i, k] == pytest.approx(np.sqrt((sd**2).mean()))


def test_a_surface_averages_to_the_effects_of_both() -> None:
    scene = replace(known_scene(PLAIN, grid=4), n_points=200)
    surface = compute_surface(scene, "a", "b")
    # additive, so the marginal over an even grid differs from the effect by a constant only
    alone = effect_of(scene, "a").mean
    along = surface.mean.mean(axis=1)
    np.testing.assert_allclose(along - along[0], alone - alone[0], atol=1e-9)


def test_forbidden_pairs_have_no_value() -> None:
    surface = compute_surface(known_scene(forbidding(), grid=5), "a", "b")
    assert np.isnan(surface.mean[-1, -1])
    assert np.isfinite(surface.mean[0, 0])
    assert surface.to_dict()["mean"][-1][-1] is None


def test_a_surface_is_averaged_over_the_combinations_that_exist() -> None:
    scene = known_scene(forbidding(), grid=5, n_points=200)
    surface = compute_surface(scene, "a", "c")  # of which "a" forbids some values of "b"
    points = scene.points[: surface.n_points]
    existing = set()
    for i, u in enumerate(np.linspace(0.0, 1.0, 5)):
        for k, v in enumerate(np.linspace(0.0, 1.0, 5)):
            rows = points.copy()
            rows[:, 0], rows[:, 2] = u, v
            rows = rows[scene.space.valid(rows)]
            existing.add(len(rows))
            mean, sd = scene.fitted.posterior(rows)
            assert surface.mean[i, k] == pytest.approx(mean.mean())
            assert surface.sd[i, k] == pytest.approx(np.sqrt((sd**2).mean()))
    assert len(existing) > 1


@pytest.mark.parametrize(
    ("pair", "match"),
    [
        (("C", "model"), "only for some values of 'model'"),
        (("model", "depth"), "only for some values of 'model'"),
        (("C", "depth"), "never active together"),
        (("C", "C"), "two hyperparameters"),
        (("C", "shore"), "Did you mean 'share'"),
    ],
)
def test_pairs_without_a_surface_are_refused_with_a_reason(
    pair: tuple[str, str], match: str
) -> None:
    with pytest.raises(en.errors.InputError, match=match):
        compute_surface(known_scene(mixed()), *pair)


def test_the_points_depend_on_the_seed_alone() -> None:
    first, again = known_scene(mixed()), known_scene(mixed())
    np.testing.assert_array_equal(first.points, again.points)
    np.testing.assert_array_equal(
        first.points_where_active(1), replace(again, fitted=Known(mixed())).points_where_active(1)
    )


# ---- two parameters in a region


@pytest.mark.parametrize("allowed", [False, True])
def test_a_surface_in_a_region_is_the_loop_over_its_points_and_pairs(allowed: bool) -> None:
    space = forbidding() if allowed else PLAIN
    scene = known_scene(space, grid=5, n_points=200)
    limits = (Limit("b", "<=", 0.6, 0.6), Limit("a", ">", 0.3, 0.3))
    surface = compute_surface(scene, "a", "c", limits=limits, where="b <= 0.6 and a > 0.3")
    points = [point for point in scene.points if point[1] <= 0.6]  # whatever its own a
    for i, u in enumerate(np.linspace(0.0, 1.0, 5)):
        for k, v in enumerate(np.linspace(0.0, 1.0, 5)):
            rows = np.array(points)
            rows[:, 0], rows[:, 2] = u, v
            rows = rows[scene.space.valid(rows)]
            if u <= 0.3:
                sheets = (surface.mean, surface.sd, surface.sd_of_mean)
                assert np.isnan([sheet[i, k] for sheet in sheets]).all()
                continue
            mean, sd = scene.fitted.posterior(rows)
            assert surface.mean[i, k] == pytest.approx(mean.mean())
            assert surface.sd[i, k] == pytest.approx(np.sqrt((sd**2).mean()))
            # eq. 4 with independent errors of the points
            assert surface.sd_of_mean[i, k] == pytest.approx(np.sqrt((sd**2).sum()) / len(rows))
    assert surface.n_points == len(points) < 200
    assert surface.where == "b <= 0.6 and a > 0.3"
    tried = scene.space.decode(scene.codes[(scene.codes[:, 1] <= 0.6) & (scene.codes[:, 0] > 0.3)])
    assert surface.trials == tuple((config["a"], config["c"]) for config in tried)


def test_a_region_without_the_pair_is_refused(golden: Golden) -> None:
    scene = known_scene(PLAIN, grid=3)
    for limits in ((Limit("b", ">", 1.0, 1.0),), (Limit("a", ">", 1.0, 1.0),)):
        with golden.raises(en.errors.InputError):
            compute_surface(scene, "a", "c", limits=limits)


def test_surfaces_are_apart_where_the_bands_of_their_shapes_are() -> None:
    whole = compute_surface(known_scene(PLAIN, grid=3), "a", "c")
    level = 1 - 0.05 / 9
    reach = NormalDist().inv_cdf(0.5 + level / 2) * 2 * whole.sd_of_mean
    higher = replace(whole, mean=whole.mean + 7.0)
    assert (higher.list_apart(whole) == 0.0).all()  # a level is no shape
    moved = np.zeros((3, 3))
    moved[0, 1], moved[2, 2] = 1.6, 0.9
    moved *= reach
    other = replace(whole, mean=whole.mean + moved)
    centred = moved - moved.mean()
    apart = other.list_apart(whole)
    assert apart == pytest.approx(np.where(np.abs(centred) > reach, centred, 0.0))
    assert (apart != 0).any()
    gap = replace(whole, mean=np.where(np.eye(3) > 0, np.nan, whole.mean))
    assert np.isnan(gap.list_apart(whole)).tolist() == (np.eye(3) > 0).tolist()
    with pytest.raises(en.errors.InputError, match="other parameters or grids"):
        whole.list_apart(compute_surface(known_scene(PLAIN, grid=3), "a", "b"))
