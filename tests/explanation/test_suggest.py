"""Suggestions sharpen what they promise to sharpen, and as much as they say."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.explanation import effect_of
from earnest.explanation.suggest import (
    OPTIONS,
    _choose_targets,
    _Picks,
    _sample_options,
    suggest_configs,
)
from earnest.explanation.surrogate.gaussian_process import FittedProcess
from tests.explanation.scenes import known_scene, mixed, mixed_trials, process_scene


def test_the_narrowing_is_that_of_a_process_that_has_seen_the_suggestions() -> None:
    scene = process_scene(mixed_trials(30))
    curve = effect_of(scene, "share")
    targets = _choose_targets(scene, curve, None)
    options = _sample_options(scene, targets)
    chosen = list(_Picks.of(scene, targets, options).first(3))
    fitted = scene.fitted
    assert isinstance(fitted, FittedProcess)
    # conditioning on all three at once, by the formula of the normal law
    rows = options[[at for at, _ in chosen]]
    across = fitted.covariance(targets, rows)
    among = fitted.covariance(rows, rows) + fitted.noise_sd**2 * np.eye(3)
    before = fitted.posterior(targets)[1] ** 2
    after = before - np.einsum("ij,ij->i", across @ np.linalg.inv(among), across)
    expected = 1 - np.sqrt(after.mean() / before.mean())
    assert chosen[-1][1] == pytest.approx(expected, abs=1e-6)


def test_the_first_is_the_best_of_all_options_and_gains_add_up() -> None:
    scene = process_scene(mixed_trials(30))
    curve = effect_of(scene, "C")
    found = suggest_configs(scene, 5, curve)
    gains = [each.narrower for each in found]
    assert gains == sorted(gains)
    assert 0 < gains[0] < gains[-1] < 1
    targets = _choose_targets(scene, curve, None)
    options = _sample_options(scene, targets)
    across = scene.fitted.covariance(targets, options)
    own = scene.fitted.covariance(options, options).diagonal() + scene.fitted.noise_sd**2
    first = scene.space.decode(options[[int(np.argmax((across**2).mean(axis=0) / own))]])[0]
    assert found[0].config == first


def test_a_curve_of_one_branch_is_sharpened_by_configurations_of_that_branch() -> None:
    scene = process_scene(mixed_trials(40))
    found = suggest_configs(scene, 3, effect_of(scene, "C"))
    assert {each.config["model"] for each in found} == {"svm"}


def test_suggestions_are_valid_different_and_repeatable() -> None:
    scene = process_scene(mixed_trials(30))
    found = suggest_configs(scene, 6, None)
    codes = scene.space.encode([each.config for each in found])
    assert scene.space.valid(codes).all()
    assert len(np.unique(codes, axis=0, equal_nan=True)) == 6
    assert found == suggest_configs(process_scene(mixed_trials(30)), 6, None)


def test_a_region_has_its_own_suggestions() -> None:
    scene = process_scene(mixed_trials(40))
    curve = effect_of(scene, "share")
    assert curve.ice is not None
    forest = np.flatnonzero(scene.space.mask(curve.ice.points)[:, 0] == 1.0)
    found = suggest_configs(scene, 3, curve, forest)
    assert {each.config["model"] for each in found} == {"forest"}


def test_more_than_there_are_options_gives_all_of_them() -> None:
    scene = known_scene(mixed())
    assert 0 < len(suggest_configs(scene, 10 * OPTIONS, None)) <= OPTIONS


def test_a_suggestion_is_plain_data() -> None:
    data = suggest_configs(process_scene(mixed_trials(30)), 1, None)[0].to_dict()
    assert set(data) == {"config", "narrower", "mean", "sd"}
