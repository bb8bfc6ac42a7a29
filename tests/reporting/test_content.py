"""What stands in a report beside its parts: what its codes mean."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest import metric
from earnest.inference import ResampledSelection, class_curves, risk_groups
from tests.reporting.scenes import SCENES, scene
from tests.snapshots import Golden


def test_every_code_of_a_caution_is_explained_in_place() -> None:
    for made in map(scene, SCENES):
        data = json.loads(made.to_json())
        parts = [data[name] for name in ("answer", "rivals", "thresholds", "learned") if data[name]]
        given = {each["code"] for part in parts for each in part["cautions"]}
        assert set(data["codes"]) == given
        page = made.to_html()
        for code in given:
            assert data["codes"][code]["follows"]
            assert data["codes"][code]["to_do"]
        assert page.count('<details class="why">') == sum(len(p["cautions"]) for p in parts)


def panels(name: str) -> dict[str, dict[str, Any]]:
    """Return the panels of the curves of a scene, as its JSON has them, by heading."""
    data = json.loads(scene(name).to_json())["curves"]
    return {panel["heading"]: panel for panel in (*data["square"], *data["wide"])}


def test_the_points_of_curves_are_in_the_json_as_computed() -> None:
    pi, _ = SCENES["multiclass"](Path())
    told = panels("multiclass")["Each class against the rest"]["data"]
    made = en.estimate(pi, metric="accuracy", rng=0)
    found = class_curves(pi, metric("accuracy"), made.winner or 0, ResampledSelection.of(made))
    assert told["names"] == ["setosa", "versicolor", "virginica"]
    for each, curve in zip(told["classes"], found.classes, strict=True):
        assert each["mean"] == curve.mean.tolist()
        assert each["area_limits"] == list(curve.area_limits)
    roc = panels("binary")["ROC"]["data"]["curve"]
    assert len(roc["x"]) == len(roc["mean"]) == len(roc["own"]) == 201
    estimate = json.loads(scene("binary").to_json())["results"]["estimate"]
    assert roc["own_area"] == pytest.approx(estimate["naive"], abs=1e-9)


def test_survival_folds_and_residuals_are_in_the_json_as_computed() -> None:
    pi, _ = SCENES["survival"](Path())
    groups = panels("survival")["Kaplan-Meier by predicted risk"]["data"]["groups"]
    curves = risk_groups(pi, "c0").curves
    assert [each["survival"] for each in groups["curves"]] == [c.survival.tolist() for c in curves]
    assert groups["curves"][2]["low"][-1] is None  # nobody is left
    folds = panels("regression")["Score in each fold"]["data"]["folds"]
    assert len(folds["scores"]) == 6
    left = panels("regression")["Residuals on predicted values"]["data"]["residuals"]
    assert len(left["fitted"]) == 90


def test_ten_classes_stay_three_curves_and_one_table() -> None:
    rng = np.random.default_rng(11)
    y = np.arange(150) % 10
    scores = np.exp((y[:, None, None] == np.arange(10)) * 1.5 + rng.standard_normal((150, 3, 10)))
    scores /= scores.sum(axis=-1, keepdims=True)
    pi = en.Predictions.from_arrays(y, scores[:, :, None, :], np.arange(150) // 10 % 5)
    made = en.report(pi, metric="accuracy", n_resamples=60)
    curves = made.content.curves
    assert curves is not None
    assert curves.square[0].heading == "ROC, mean of 10 classes"
    assert [panel.heading for panel in curves.square[3:]] == ["Calibration, 5 against the rest"]
    areas = curves.wide[0].figure
    assert len(areas.table) == 12  # heads, ten classes, their mean
    values = [float(row[2]) for row in areas.table[1:-1]]
    assert values == sorted(values)
    assert f"ROC, {areas.table[1][0]} against the rest" == curves.square[1].heading


def test_labels_of_classes_have_no_curve_and_say_so(golden: Golden) -> None:
    y = np.arange(60) % 3
    wrong = np.random.default_rng(2).random(60) < 0.3
    said = np.where(wrong, (y + 1) % 3, y)
    pi = en.Predictions.from_arrays(
        y,
        np.stack([said, y[::-1]], axis=1),
        np.arange(60) // 3 % 5,
        response="label",
        task="multiclass",
    )
    curves = en.report(pi, metric="accuracy", n_resamples=60).content.curves
    assert curves is not None
    assert curves.square == ()
    assert "labels, not scores" in " ".join(curves.left_out)
    golden.check(curves.lede)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_a_copy_of_a_metric_has_the_curves_of_the_metric_whatever_it_is_called(name: str) -> None:
    rng = np.random.default_rng(12)
    y = np.arange(400) % 2
    scores = y[:, None] + rng.standard_normal((400, 6))
    pi = en.Predictions.from_arrays(y, scores, np.arange(400) // 2 % 5)
    asked = {"n_resamples": 100, "explain": False}
    ours, mine = (
        en.report(pi, metric=each, **asked).content.curves
        for each in (metric(name), replace(metric(name), name="mine"))
    )
    assert ours is not None
    assert mine is not None
    assert mine.heading == ours.heading
    assert [panel.figure for panel in mine.square] == [panel.figure for panel in ours.square]
