"""The method where none is named: that of the evidence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import earnest as en
from earnest.cli import main
from earnest.reporting import ask_all, material_from


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


@pytest.mark.parametrize(
    ("options", "metric", "method"),
    [
        ({}, None, "near_winner"),
        ({"samples": 4}, "pass@2", "near_winner"),
        ({"groups": np.arange(60) // 3}, None, "near_winner"),
        ({}, "median", "bbc"),  # no law
        ({"tasks": np.arange(60) % 2}, None, "bbc"),
        ({"limits": (-np.inf, np.inf)}, None, "bbc"),
        ({"fold": np.arange(60) % 5}, None, "bbc"),  # models were trained
    ],
)
def test_scores_of_prompts_are_judged_by_the_law_of_their_mean_where_it_has_one(
    options, metric, method
):
    rng = np.random.default_rng(2)
    samples = options.pop("samples", 1)
    scores = en.Scores((rng.random((60, 3, samples)) < 0.6).astype(float), **options)
    made = en.estimate(scores, metric=metric, n_resamples=50, rng=0)
    assert made.method == method
    bbc = en.estimate(scores, metric=metric, method="bbc", n_resamples=50, rng=0)
    assert made.value == pytest.approx(bbc.value, abs=1e-12)


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


@pytest.mark.parametrize(
    ("method", "metric"),
    [
        *[("bbc", metric) for metric in ("accuracy", "roc_auc", "log_loss", "f1")],
        *[("near_winner", metric) for metric in ("accuracy", "roc_auc", "f1")],  # log loss: refused
    ],
)
def test_the_value_of_one_configuration_is_its_own_score(metric, method):
    """Nothing was selected: a mean over resamples would differ by luck, blue from orange."""
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 30)
    scores = 1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=60))))
    pi = en.Predictions.from_arrays(y, scores, np.arange(60) // 2 % 5)
    made = en.estimate(pi, metric=metric, method=method, n_resamples=50, rng=1)
    own = en.estimate(pi, metric=metric, method="naive", selector="pooled").value
    assert made.value == made.naive == own
    assert made.optimism == 0.0
    assert made.interval is not None
    assert made.interval.low < own < made.interval.high


@pytest.mark.parametrize("folds", [1, 5])
def test_a_model_without_an_error_is_told_by_its_bound(folds):
    """Of 20 cases without an error, 1 - 0.025 ** (1 / 20) is the share that may go unseen."""
    y = np.tile([0, 1], 10)
    fold = np.arange(20) // 2 % folds if folds > 1 else None
    pi = en.Predictions.from_arrays(y, y, fold, response="label")
    made = en.estimate(pi, metric="accuracy", rng=0)
    assert made.value == 1.0
    assert made.interval.low == pytest.approx(0.025 ** (1 / 20), abs=1e-9)
    content = en.report(pi, metric="accuracy", explain=False).content
    assert content.answer.value_title == "Score on these cases"
    assert {span.text for span in content.answer.headline if span.kind} <= {"1.000"}
    assert "above 0.832" in content.answer.sentence


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_blue_and_orange_of_one_configuration_say_the_same(metric):
    pi = cases_of(folds=5)
    content = en.report(pi, metric=metric, explain=False).content
    rows = [row for group in content.methods.groups for row in group.rows]
    told = {row.note.partition(",")[0].partition(":")[0]: row.value for row in rows}
    reported = next(row for row in rows if row.reported)
    assert reported.value == told["naive"] == content.answer.value
    assert content.answer.naive is None  # there is no second number


@pytest.mark.parametrize(("task", "metric"), [(None, "accuracy"), ("regression", "r2")])
def test_nothing_of_one_configuration_is_drawn_as_not_corrected(task, metric):
    """Orange, hollow and dashed marks are for what a search chose."""
    rng = np.random.default_rng(2)
    y = np.tile([0, 1], 60) if task is None else rng.normal(size=120)
    scores = y + rng.normal(size=120)
    scores = 1 / (1 + np.exp(-scores)) if task is None else scores
    pi = en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5)
    content = en.report(pi, metric=metric, explain=False).content
    panels = [*content.curves.square, *content.curves.wide, *content.resamples]
    assert len(panels) > 2
    for panel in panels:
        assert panel.corrected, panel.heading
        assert "--warn" not in panel.figure.svg, panel.heading
