"""Every method on tiny, tied and lopsided replicates: a sound answer, or a refusal."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import earnest as en
from earnest.core import Evidence
from earnest.methods import METHODS, methods_for
from earnest.testing import check_method, example_replicates
from earnest.testing.examples import answer_or_refusal

METRICS = {
    "binary": ("accuracy", "f1", "mcc", "roc_auc", "average_precision", "brier", "log_loss"),
    "regression": ("mse", "rmse", "mae", "r2", "pearson"),
    "survival": ("concordance",),
    "multiclass": ("accuracy", "f1_macro", "log_loss", "roc_auc_ovr"),
}
NAMES = methods_for(Evidence.REPLICATES)
KINDS = {"regression": "value", "survival": "risk"}


def tiny(seed: int) -> en.Replicates:
    """Two to eight cases, one to six samples, ties and groups."""
    rng = np.random.default_rng(seed)
    task = list(METRICS)[int(rng.integers(4))]
    n, count = int(rng.integers(2, 9)), int(rng.integers(1, 7))
    pi = _predictions(task, n, rng)
    n = pi.n_cases
    if task == "multiclass":
        said, whole = rng.dirichlet(np.ones(3), (count, n)), rng.dirichlet(np.ones(3), n)
    else:
        said = rng.integers(0, 3, (count, n)) / 2.0 if seed % 2 else rng.random((count, n))
        whole = said[0] if seed % 3 == 0 else rng.random(n)
    target, drawn, counts = pi.target, "case", rng.multinomial(n, np.full(n, 1 / n), size=count)
    if seed % 5 == 0:
        groups = np.unique(rng.integers(0, 3, n), return_inverse=True)[1].astype(np.int64)
        size = int(groups.max()) + 1
        counts = rng.multinomial(size, np.full(size, 1 / size), size=count)[:, groups]
        target, drawn = replace(target, groups=groups), "group"
    return en.Replicates(
        target=target,
        responses=said,
        counts=counts,
        apparent=whole,
        kind=KINDS.get(task, "probability"),
        drawn=drawn,
    )


def _predictions(task: str, n: int, rng: np.random.Generator) -> en.Predictions:
    if task == "binary":
        return en.Predictions.from_arrays(np.arange(n) % 2, rng.random(n), response="probability")
    if task == "multiclass":
        n = max(n, 3)
        return en.Predictions.from_arrays(np.arange(n) % 3, np.full((n, 1, 1, 3), 1 / 3))
    if task == "survival":
        outcome = rng.integers(1, 4, n).astype(float), rng.random(n) < 0.7
        return en.Predictions.from_arrays(outcome, rng.random(n), task=task)
    y = rng.integers(0, 3, n).astype(float)
    return en.Predictions.from_arrays(y, rng.random(n), task=task)


@pytest.mark.parametrize(("task", "metric"), [("regression", "r2"), ("binary", "f1")])
@pytest.mark.parametrize("method", sorted(set(NAMES) - {"lpob"}))
def test_the_contract_holds_for_functions_of_sums(method: str, task: str, metric: str) -> None:
    made = example_replicates(task, n_replicates=80)
    assert check_method(METHODS[method], predictions=made, metric=metric)


@pytest.mark.parametrize(
    ("method", "task", "metric"),
    [
        *((method, "binary", "roc_auc") for method in sorted(set(NAMES) - {"loob"})),
        *((method, "survival", "concordance") for method in ("err_star", "lpob")),
    ],
)
def test_the_contract_holds_for_metrics_of_pairs(method: str, task: str, metric: str) -> None:
    made = example_replicates(task, n_replicates=80)
    assert check_method(METHODS[method], predictions=made, metric=metric)


@pytest.mark.parametrize("seed", range(20))
def test_an_answer_is_sound_or_refused(seed: int) -> None:
    made = tiny(seed)
    for metric in METRICS[str(made.target.task)]:
        low, high = en.metric(metric).on(made.target.task).limits
        for method in NAMES:
            answer = answer_or_refusal(partial(en.estimate, made, method=method, metric=metric))
            if answer is None:
                continue
            assert math.isfinite(answer.value)
            assert low <= answer.value <= high
            if answer.interval is not None:
                assert low <= answer.interval.low <= answer.value + 1e-9
                assert answer.value - 1e-9 <= answer.interval.high <= high


@pytest.mark.parametrize("method", NAMES)
def test_a_result_of_replicates_claims_no_folds_and_no_repeats(method: str) -> None:
    metric = "roc_auc" if method == "lpob" else "accuracy"
    made = example_replicates("binary", n_replicates=40)
    about = en.estimate(made, method=method, metric=metric).provenance
    assert (about.n_folds, about.n_repeats) == (0, 0)
    assert about.knobs["n_replicates"] == 40


def test_most_questions_are_answered() -> None:
    counts = [0, 0]
    for made in map(tiny, range(20)):
        for metric in METRICS[str(made.target.task)]:
            ask = partial(en.estimate, made, method="err_star", metric=metric)
            counts[answer_or_refusal(ask) is None] += 1
    assert counts[0] > 2 * counts[1]


def test_what_a_model_saw_may_be_impossible_without_harm() -> None:
    # Cases left out are predicted perfectly, those that a model saw are not.
    y = np.array([0.0, 1.0, 2.0, 5.0])
    counts = np.array([[2, 2, 0, 0], [0, 0, 2, 2]])
    made = en.Replicates(
        target=en.Predictions.from_arrays(y, y, task="regression").target,
        responses=np.where(counts == 0, y, y + 3.0),
        counts=counts,
        apparent=y,
        kind="value",
    )
    answer = en.estimate(made, method="loob", metric="rmse")
    assert answer.value == 0.0
    assert "EN035" in {caution.code for caution in answer.cautions}
