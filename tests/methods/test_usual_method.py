"""The method where none is named: that of the evidence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import earnest as en
from earnest.cli import main
from earnest.reporting.sources.asking import ask_all
from earnest.reporting.sources.source import material_from


def cases_of(configs: int = 1, folds: int = 1, task: str | None = None) -> en.Predictions:
    """Make 60 cases; seed 1."""
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 30)
    fold = np.arange(60) // 2 % folds if folds > 1 else None
    if task == "regression":
        y = rng.normal(size=60)
    return en.Predictions.from_arrays(y, y[:, None] + rng.normal(size=(60, configs)), fold)


@pytest.mark.parametrize(
    ("metric", "knobs", "method"),
    [
        ("roc_auc", {}, "delong"),
        ("roc_auc", {"n_resamples": 200}, "holdout"),
        ("accuracy", {}, "holdout"),
        ("average_precision", {"undefined": "stratify"}, "holdout"),
    ],
)
def test_one_configuration_on_a_test_set_is_judged_as_such(metric, knobs, method):
    made = en.estimate(cases_of(), metric=metric, rng=0, **knobs)
    assert made.method == method
    named = en.estimate(cases_of(), method=method, metric=metric, rng=0, **knobs)
    assert (made.value, made.interval) == (named.value, named.interval)


def test_numbers_on_a_test_set_are_judged_by_holdout():
    assert en.estimate(cases_of(task="regression"), metric="r2", rng=0).method == "holdout"


@pytest.mark.parametrize(("configs", "folds"), [(1, 5), (3, 1), (3, 5)])
def test_what_was_chosen_or_cross_validated_is_judged_by_bbc(configs, folds):
    assert en.estimate(cases_of(configs, folds), metric="roc_auc", rng=0).method == "bbc"


@pytest.mark.parametrize(("metric", "method"), [("roc_auc", "delong"), ("accuracy", "holdout")])
def test_the_command_and_the_report_ask_the_same_method(metric, method, tmp_path, capsys):
    path = tmp_path / "test-set.csv"
    pi = cases_of()
    rows = zip(pi.target.y.tolist(), pi.responses[:, 0, 0].tolist(), strict=True)
    path.write_text("y,model\n" + "".join(f"{y},{s}\n" for y, s in rows))
    assert main(["estimate", str(path), "-m", metric, "--fold", "", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == method
    found = ask_all(material_from(pi, metric))
    assert found.estimate is not None
    assert found.estimate.method == method
