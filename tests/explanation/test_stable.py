"""What cannot be told from the best is a set that grows with the level and the noise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

from earnest.explanation import StableOptimum, stable_optimum
from tests.explanation.scenes import mixed_trials, process_scene
from tests.snapshots import Golden


def test_membership_is_the_one_sided_test_of_each_difference() -> None:
    scene = process_scene(mixed_trials(40, noise=0.02))
    found = stable_optimum(scene, 0.9)
    mean, _ = scene.fitted.posterior(scene.codes)
    best = int(np.argmax(mean))
    covariance = scene.fitted.covariance(scene.codes, scene.codes)
    inside = set()
    for i in range(len(mean)):
        sd = np.sqrt(max(covariance[i, i] + covariance[best, best] - 2 * covariance[i, best], 0))
        if i == best or mean[best] - mean[i] <= norm.ppf(0.9) * sd:
            inside.add(i)
    assert set(found.trials) == inside
    assert found.trials[0] == best
    assert found.best == found.configs[0]


def test_a_higher_level_keeps_more() -> None:
    scene = process_scene(mixed_trials(40, noise=0.02))
    small, large = stable_optimum(scene, 0.6), stable_optimum(scene, 0.999)
    assert set(small.trials) <= set(large.trials)
    assert small.share <= large.share


def test_ranges_hold_the_values_of_all_members() -> None:
    found = stable_optimum(process_scene(mixed_trials(60, noise=0.02)), 0.99)
    for name, values in found.ranges.items():
        seen = [config[name] for config in found.configs if name in config]
        if isinstance(seen[0], str):
            assert set(values) == set(seen)
        else:
            assert (min(seen), max(seen)) == pytest.approx(values)


def test_a_loss_has_its_best_at_the_bottom() -> None:
    trials = mixed_trials(40)
    from dataclasses import replace

    loss = replace(trials, objective=-trials.objective, direction="minimize")
    score, mirrored = (stable_optimum(process_scene(t), 0.9) for t in (trials, loss))
    assert score.trials == mirrored.trials
    assert score.share == mirrored.share


def test_the_set_survives_json(golden: Golden) -> None:
    found = stable_optimum(process_scene(mixed_trials(40)), 0.9)
    again = StableOptimum.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again.to_dict() == found.to_dict()
    golden.check(repr(found), hide="[0-9]+(?= of| %)")
