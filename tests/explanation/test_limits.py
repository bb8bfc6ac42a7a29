"""Curves and bands stay within the values that the objective can have, where those are known."""

from __future__ import annotations

import contextlib
import io
import json
import math
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import optuna
import pytest

import earnest as en
from earnest.cli import main
from earnest.plotting import find_shared_limits, list_effect_rows
from earnest.results import Explanation

KNOBS: dict[str, Any] = {"n_points": 60, "grid_size": 8, "rng": 0}
ANYWHERE = (-math.inf, math.inf)


def near_one(n: int = 24) -> tuple[list[dict[str, float]], np.ndarray]:
    """AUCs that grow towards 1, and are searched in one corner only."""
    rng = np.random.default_rng(4)
    configs = [{"a": float(rng.random()) ** 3, "b": float(rng.random())} for _ in range(n)]
    steep = np.array([0.6 + 1.1 * c["a"] for c in configs])
    return configs, np.minimum(steep + 0.05 * rng.standard_normal(n), 1.0)


def explained(name: str, limits: tuple[float, float] | None = None) -> Explanation:
    configs, values = near_one()
    space = en.Space(
        tuple(en.Parameter(name=p, kind="float", low=0.0, high=1.0) for p in ("a", "b"))
    )
    return en.explain(
        configs,
        objective_values=values,
        direction="maximize",
        objective=name,
        space=space,
        limits=limits,
        **KNOBS,
    )


def edges(found: Explanation) -> np.ndarray:
    curves = [
        *found.effects.values(),
        *(r.curve for t in found.regions.values() for r in t.regions),
    ]
    return np.concatenate(
        [edge for c in curves for edge in (c.mean, *c.bands(0.95), *c.bands(0.5))]
    )


def test_bands_of_a_metric_stay_within_its_limits() -> None:
    free, held = explained("my score"), explained("auc")
    assert free.objective.limits == ANYWHERE
    assert np.nanmax(edges(free)) > 1.05  # no AUC is
    assert held.objective.limits == (0.0, 1.0)
    assert np.nanmax(edges(held)) <= 1.0
    assert np.nanmin(edges(held)) >= 0.0
    surface = held.effect2d("a", "b")
    assert np.nanmax(surface.mean) <= 1.0
    assert all(0.0 <= each.mean <= 1.0 for each in held.suggest(5))
    assert held.effects["a"].half_width() < free.effects["a"].half_width()


def test_limits_that_are_given_hold_for_an_objective_of_any_name() -> None:
    given, held = explained("my score", (0.0, 1.0)), explained("auc")
    np.testing.assert_array_equal(edges(given), edges(held))
    wider = explained("auc", (0.0, 1.02))  # and instead of those of the metric
    assert wider.objective.limits == (0.0, 1.02)
    assert 1.0 < np.nanmax(edges(wider)) <= 1.02


@pytest.mark.parametrize("limits", [(1, 0), (0,), "ab", (0, math.nan), 1, ([], {}), (0.0, 0.7)])
def test_limits_that_cannot_be_are_refused(limits: Any) -> None:
    with pytest.raises(en.errors.InputError, match="limits"):
        explained("my score", limits)


def test_a_study_of_aucs_stays_within_the_limits_that_are_given(tmp_path: Path) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        direction="maximize",
        study_name="aucs",
        storage=f"sqlite:///{tmp_path / 'study.db'}",
        sampler=optuna.samplers.RandomSampler(seed=0),
    )
    configs, values = near_one()
    spread = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in ("a", "b")}
    for config, value in zip(configs, values, strict=True):
        study.add_trial(
            optuna.trial.create_trial(params=config, distributions=spread, value=float(value))
        )
    assert np.nanmax(edges(en.explain(study, **KNOBS))) > 1.05
    assert np.nanmax(edges(en.explain(study, limits=(0, 1), **KNOBS))) <= 1.0
    options = ["--n-points", "60", "--rng", "0", "--suggest", "0", "--json"]
    arguments = ["explain", str(tmp_path / "study.db"), "--limits", "0,1", *options]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(arguments) == 0
    assert json.loads(out.getvalue())["objective"]["limits"] == [0.0, 1.0]
    assert main(["explain", str(tmp_path / "study.db"), "--limits", "0"]) == 2


def test_pictures_and_their_numbers_stay_within_the_limits() -> None:
    held = explained("auc")
    curve = held.effects["a"]
    low, high = curve.bands(0.95)
    assert find_shared_limits(held.effects.values())[1] <= 1.0
    cells = [float(cell) for row in list_effect_rows(curve, low, high)[1:] for cell in row[1:]]
    assert max(cells) <= 1.0
    ax = curve.plot()
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() <= 1.0
    plt.close("all")


def test_where_nothing_reaches_the_limits_they_change_nothing() -> None:
    rng = np.random.default_rng(1)
    configs = [{"a": float(a)} for a in rng.random(20)]
    values = [0.5 + 0.01 * config["a"] for config in configs]
    free, held = (
        en.explain(configs, objective_values=values, direction="maximize", objective=name, **KNOBS)
        for name in ("mine", "accuracy")
    )
    assert held.objective.limits == (0.0, 1.0)
    np.testing.assert_array_equal(held.effects["a"].mean, free.effects["a"].mean)
    np.testing.assert_array_equal(held.effects["a"].bands(), free.effects["a"].bands())


@pytest.mark.parametrize(
    ("name", "scale", "direction", "limits"),
    [
        ("roc_auc", 1.0, "maximize", (0.0, 1.0)),
        ("mean_test_roc_auc", 1.0, "maximize", (0.0, 1.0)),
        ("r2", 1.0, "maximize", (-math.inf, 1.0)),
        ("rmse", 1.0, "minimize", (0.0, math.inf)),
        ("accuracy", 100.0, "maximize", ANYWHERE),  # in percent
        ("accuracy", 1.0, "minimize", ANYWHERE),
        ("value", 1.0, "maximize", ANYWHERE),
    ],
)
def test_limits_are_those_of_the_metric_of_that_name_if_it_is_that_metric(
    name: str, scale: float, direction: str, limits: tuple[float, float]
) -> None:
    configs, values = near_one()
    trials = en.trials_from(configs, scale * values, objective=name, direction=direction)
    assert trials.limits == limits


def test_limits_survive_json_also_where_one_end_is_open() -> None:
    found = explained("r2")
    assert Explanation.from_dict(found.to_dict()).objective == found.objective
    assert found.objective.limits == (-math.inf, 1.0)
