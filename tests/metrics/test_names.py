"""Names, aliases and knobs; pickling; the page that lists them."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import get_scorer, get_scorer_names

from earnest.core import Task
from earnest.errors import InputError, UnknownNameError
from earnest.kernels import score_table
from earnest.metrics import METRICS, MomentMetric, metric
from earnest.metrics.families import CurveMetric, FitMetric, Metric, RankMetric
from earnest.metrics.resolve import FACTORIES
from earnest.resampling import Weights
from tests.docs.test_code_blocks import generate
from tests.metrics.evidence import PAIRS, random_evidence

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
CANONICAL = [
    "roc_auc",
    "average_precision",
    "partial_roc_auc",
    "ks",
    "accuracy",
    "error_rate",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "npv",
    "f1",
    "f_beta",
    "mcc",
    "cohen_kappa",
    "quadratic_kappa",
    "brier",
    "log_loss",
    "risk",
    "f1_macro",
    "f1_weighted",
    "precision_macro",
    "recall_macro",
    "roc_auc_ovr",
    "roc_auc_ovo",
    "roc_auc_ovr_weighted",
    "roc_auc_ovo_weighted",
    "r2",
    "mse",
    "rmse",
    "mae",
    "mape",
    "median_absolute_error",
    "pearson",
    "spearman",
    "explained_variance",
    "concordance",
    "uno_c",
    "survival_auc",
    "survival_brier",
    "integrated_brier",
    "rmst_error",
    "survival_ratio",
    "survival_slope",
    "survival_ici",
    "d_calibration",
    "calibration_intercept",
    "calibration_slope",
    "expected_observed",
    "ici",
    "e50",
    "e90",
    "ece",
    "brier_skill",
]
ALIASES = {
    "auc": "roc_auc",
    "AUC": "roc_auc",
    "AUROC": "roc_auc",
    "ROC": "roc_auc",
    "c-statistic": "roc_auc",
    "C-index": "concordance",
    "Harrell C": "concordance",
    "balanced accuracy": "balanced_accuracy",
    "bal_accuracy": "balanced_accuracy",
    "F1": "f1",
    "Brier score": "brier",
    "logloss": "log_loss",
    "PR-AUC": "average_precision",
    "Sens": "recall",
    "Spec": "specificity",
    "NPV": "npv",
    "R-squared": "r2",
    "neg_brier_score": "brier",
    "brier_score_loss": "brier",
    "neg_log_loss": "log_loss",
    "neg_mean_squared_error": "mse",
    "mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
    "mean_absolute_error": "mae",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_median_absolute_error": "median_absolute_error",
    "r2_score": "r2",
    "matthews_corrcoef": "mcc",
    "cohen_kappa_score": "cohen_kappa",
    "f1_score": "f1",
    "balanced_accuracy_score": "balanced_accuracy",
    "average_precision_score": "average_precision",
    "explained_variance_score": "explained_variance",
    "concordance_index_censored": "concordance",
    "c_index": "concordance",
    "f1_micro": "accuracy",
}


def test_the_registry_holds_exactly_the_promised_names() -> None:
    assert sorted(METRICS) == sorted(CANONICAL), "a new name is promised by a line in CANONICAL"


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_alias_is_the_metric_itself(alias: str, name: str) -> None:
    assert metric(alias) is METRICS[name]


@pytest.mark.parametrize("name", get_scorer_names())
def test_every_scikit_learn_scorer_has_a_metric_of_its_direction(name: str) -> None:
    assert metric(name).greater_is_better == (get_scorer(name)._sign > 0)
    assert not metric(name).name.startswith("neg_")


@pytest.mark.parametrize("name", CANONICAL)
def test_what_a_metric_says_of_itself_is_complete(name: str) -> None:
    one = METRICS[name]
    assert one.name == name
    assert one.title
    assert one.limits[0] < one.limits[1]
    assert one.tasks
    assert isinstance(one, (MomentMetric, FitMetric, RankMetric, CurveMetric))
    if one.ideal is not None:
        assert one.limits[0] < one.ideal < one.limits[1]
        return
    good_end = one.limits[1] if one.greater_is_better else one.limits[0]
    assert math.isfinite(good_end)


@pytest.mark.parametrize(
    ("given", "name", "knobs"),
    [
        ("f_beta", "f_beta", {"beta": 2.0}),
        ("f_beta(beta=2)", "f_beta", {"beta": 2.0}),
        ("f_beta(beta=0.5)", "f_beta(beta=0.5)", {"beta": 0.5}),
        ("fbeta_score(beta=0.5)", "f_beta(beta=0.5)", {"beta": 0.5}),
        (" partial_roc_auc( max_fpr = .2 ) ", "partial_roc_auc(max_fpr=0.2)", {"max_fpr": 0.2}),
        ("risk(costs=(5, 1))", "risk(costs=(5, 1))", {"costs": (5.0, 1.0), "priors": None}),
        (
            "risk(costs=[2.5, 1], priors=(.25, .75))",
            "risk(costs=(2.5, 1), priors=(0.25, 0.75))",
            {"costs": (2.5, 1.0), "priors": (0.25, 0.75)},
        ),
        ("top_k_accuracy(k=3)", "top_k_accuracy(k=3)", {"k": 3}),
        ("jaccard(average='macro')", "jaccard(average='macro')", {"average": "macro"}),
    ],
)
def test_a_name_with_knobs_is_read_and_carries_them(
    given: str, name: str, knobs: dict[str, Any]
) -> None:
    one = metric(given)
    assert one.name == name
    assert one.knobs == knobs
    assert metric(one.name).knobs == knobs  # the name alone brings it back


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("f_beta(bta=2)", ["'f_beta' has no option 'bta'", "beta"]),
        ("accuracy(threshold=0.3)", ["'accuracy' has no options", "f_beta"]),
        ("f_beta(0.5)", ["cannot be read", "f_beta(beta=0.5)"]),
        ("f_beta(beta=0.5", ["cannot be read"]),
        ("f_beta(beta=open('x'))", ["cannot be read"]),
        ("f_beta(**{'beta': 1})", ["cannot be read"]),
        ("a.b(c=1)", ["cannot be read"]),
        ("f_beta(beta=0)", ["`beta` is out of range", "above 0"]),
        ("f_beta(beta='x')", ["`beta` is out of range"]),
        ("partial_roc_auc(max_fpr=5)", ["`max_fpr` is out of range", "0.05"]),
        ("risk(costs=3)", ["`costs` is not a pair"]),
        ("risk(costs=(1, -1))", ["`costs` is not a pair"]),
        ("risk(costs=(0, 0))", ["not both 0"]),
        ("risk(priors=(0.5, 0.6))", ["sum to 1"]),
        ("top_k_accuracy(kk=3)", ["'top_k_accuracy' has no option 'kk'"]),
    ],
)
def test_a_knob_that_is_wrong_is_refused_with_what_is_right(given: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        metric(given)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("given", "nearest"),
    [("roc_acu", "roc_auc"), ("neg_brier", "neg_brier_score"), ("jacard_macro", "jaccard_macro")],
)
def test_an_unknown_name_is_refused_with_the_nearest(given: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{nearest}'"):
        metric(given)


def test_what_is_no_metric_is_refused() -> None:
    for given in (3, None, dict, ["accuracy"]):
        with pytest.raises(InputError, match="cannot be read"):
            metric(given)


@pytest.mark.parametrize("name", [*CANONICAL, "f_beta(beta=0.5)", "risk(costs=(5, 1))", "jaccard"])
def test_a_metric_survives_the_way_to_a_worker(name: str) -> None:
    one = metric(name)
    again = pickle.loads(pickle.dumps(one))
    assert (again.name, again.limits, again.knobs) == (one.name, one.limits, one.knobs)
    task = sorted(one.tasks)[0]
    pi = random_evidence(task, seed=51, n=30)
    weights = Weights(np.random.default_rng(52).integers(0, 3, (4, 30)))
    np.testing.assert_array_equal(score_table(pi, one, weights), score_table(pi, again, weights))


def test_factories_are_named_like_their_metrics() -> None:
    of_calibration = {"calibration_intercept", "calibration_slope", "expected_observed"}
    distances = {"ici", "e50", "e90", "ece"}
    of_survival = {one.name for one in METRICS.values() if one.tasks == {Task.SURVIVAL}}
    others = {"f_beta", "partial_roc_auc", "risk", *of_survival} - {"concordance"}
    assert set(FACTORIES) == others | of_calibration | distances
    for name, factory in FACTORIES.items():
        assert factory.__name__ == name == factory().name


def test_limits_follow_the_task_and_the_knobs() -> None:
    assert metric("brier").on(Task.BINARY).limits == (0.0, 1.0)
    assert metric("brier").on(Task.MULTICLASS).limits == (0.0, 2.0)
    assert metric("accuracy").on(Task.BINARY).limits == (0.0, 1.0)
    assert metric("risk(costs=(5, 1))").limits == (0.0, 5.0)
    assert metric("risk(costs=(5, 1), priors=(0.1, 0.9))").limits == (0.0, 1.4)
    assert metric("partial_roc_auc(max_fpr=1)").limits == (0.0, 1.0)


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_a_metric_on_a_task_computes_the_same(name: str, task: Task) -> None:
    pi = random_evidence(task, seed=53, n=30)
    first = score_table(pi, METRICS[name], Weights.ones(30))
    np.testing.assert_array_equal(first, score_table(pi, METRICS[name].on(task), Weights.ones(30)))


def row(one: Metric) -> list[str]:
    """Return what the page must say of a metric."""
    low, high = (str(one.limits[0]), str(one.limits[1]))
    return [
        f"`{one.name}`",
        one.title,
        ", ".join(sorted(one.tasks)),
        str(one.needs),
        f"right at {one.ideal:g}"
        if one.ideal is not None
        else ("higher" if one.greater_is_better else "lower"),
        f"{short(low)} to {short(high)}",
        ", ".join(f"`{alias}`" for alias in one.aliases),
    ]


def short(number: str) -> str:
    value = float(number)
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{value:.3g}".replace("-", "−")


def test_the_page_lists_exactly_the_registry() -> None:
    page = generate.tables.fill(PAGE.read_text(encoding="utf-8"))  # as on the site
    lines = [line for line in page.splitlines() if line[:3] == "| `"]
    listed = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rows = sorted(row(one) for one in METRICS.values())
    assert sorted(listed) == rows
