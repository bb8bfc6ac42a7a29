"""Every method on every kind of awkward evidence: a sound answer, or a refusal that says why."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import earnest as en
from earnest import Predictions, estimate
from earnest.core import Evidence
from earnest.methods import (
    BBC,
    METHODS,
    BBCFold,
    HoldOut,
    Naive,
    NaiveBootstrap,
    Tibshirani,
    methods_for,
)
from earnest.metrics import METRICS
from earnest.results import Estimate
from tests.methods import oracles

UNDEFINED = st.sampled_from(["redraw", "drop", "stratify"])
SELECTORS = st.sampled_from([None, "pooled", "mean_of_folds", "one_standard_error"])
FEW = 40
ON_PREDICTIONS = [  # of any folds; single cases and repeats have tests of their own
    name
    for name in methods_for(Evidence.OUT_OF_SAMPLE)
    if not METHODS[name].spec.leave_one_out and METHODS[name].spec.min_repeats == 1
]
SPLITTING = (
    "delong",
    "delong_10p",
    "hanley_mcneil",
    "hanley_mcneil_10p",
    "mabt",
    "tilted",
    "tilted_10p",
)
BAYLE = ("bayle_within_fold", "bayle_all_pairs")  # whose AUC is the mean over folds


@st.composite
def methods(draw: st.DrawFn) -> Any:
    """A method with any knobs."""
    selector, undefined = draw(SELECTORS), draw(UNDEFINED)
    common = {"n_resamples": FEW, "selector": selector}
    return draw(
        st.sampled_from(
            [
                BBC(**common, undefined=undefined),
                BBCFold(**common),
                BBCFold(**common, exact=False),
                Naive(selector=selector),
                NaiveBootstrap(**common),
                NaiveBootstrap(**common, interval="normal"),
                NaiveBootstrap(**common, over="cases", undefined=undefined),
                NaiveBootstrap(**common, over="cases", resampler="bayesian"),
                Tibshirani(),
                HoldOut(**common, undefined=undefined),
                en.methods.NearWinner(**common, undefined=undefined),
                HoldOut(**common, interval="normal"),
                en.methods.BayleAllPairs(selector=selector),
                en.methods.BayleWithinFold(selector=selector),
            ]
        )
    )


@st.composite
def splitting_methods(draw: st.DrawFn) -> Any:
    """A method that chooses on one part and evaluates on the other, with any knobs."""
    common = {
        "selector": draw(SELECTORS),
        "evaluate": draw(st.sampled_from([0.25, 0.5])),
        "split": draw(st.sampled_from(["stratified", "unstratified"])),
        "direction": draw(st.sampled_from(["fixed", "fixed", "auto"])),
    }
    return draw(
        st.sampled_from(
            [
                en.methods.DeLong(**common),
                en.methods.DeLong(**common, variant="logit"),
                en.methods.DeLong(preselect=0.1, **common),
                en.methods.HanleyMcNeil(**common),
                en.methods.HanleyMcNeil(preselect=0.1, **common),
                en.methods.Tilted(**common, n_resamples=FEW),
                en.methods.Tilted(preselect=0.1, **common, n_resamples=FEW),
                en.methods.MABT(**common, n_resamples=FEW),
                en.methods.MABT(**common, n_resamples=FEW, resampler="case"),
            ]
        )
    )


@st.composite
def awkward(draw: st.DrawFn) -> Predictions | None:
    """Two to thirteen cases with everything that can go wrong, or None where Π itself refuses."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    task = draw(st.sampled_from(["binary", "multiclass", "regression", "survival"]))
    n, configs, repeats = draw(st.integers(2, 13)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    shape = (n, configs, repeats)
    scores = (
        rng.dirichlet(np.ones(3), shape) if task == "multiclass" else rng.standard_normal(shape)
    )
    if draw(st.booleans()):
        scores = np.round(scores, 1)  # ties
    if draw(st.integers(0, 9)) == 0:
        scores[:] = scores.flat[0]  # constant
    y: Any = {
        "binary": rng.integers(0, 2, n),
        "multiclass": rng.integers(0, 3, n),
        "regression": rng.standard_normal(n),
        "survival": (rng.random(n) + 0.1, rng.random(n) < 0.7),
    }[task]
    fold = draw(st.sampled_from(["none", "dealt", "single", "random"]))
    folds = {
        "none": None,
        "dealt": np.stack([rng.permutation(n) % min(n, 3) for _ in range(repeats)], axis=1),
        "single": np.stack([rng.permutation(n) for _ in range(repeats)], axis=1),
        "random": rng.integers(0, 4, (n, repeats)),
    }[fold]
    if folds is not None and draw(st.booleans()):  # a fold that was not evaluated, for one or all
        repeat = int(rng.integers(repeats))
        columns = slice(None) if draw(st.booleans()) else slice(0, 1)
        scores[folds[:, repeat] == folds[0, repeat], columns, repeat] = np.nan
    groups = rng.integers(0, max(2, n // 2), n) if draw(st.integers(0, 4)) == 0 else None
    classes = (0, 1, 2) if task == "multiclass" else None
    try:
        return Predictions.from_arrays(y, scores, folds, groups=groups, task=task, classes=classes)
    except en.errors.EarnestError:
        return None


def answer_or_reason(ask: Callable[[], Estimate]) -> Estimate | str:
    """Return the answer or the words of a refusal; any other exception or warning is a fault."""
    try:
        return ask()
    except en.errors.EarnestError as refusal:
        return str(refusal)


def assert_sound(made: Estimate) -> None:
    low, high = made.scale.limits
    assert low <= made.value <= high
    if made.interval is not None:
        assert low <= made.interval.low <= made.interval.high <= high
    assert made.standard_error is None or made.standard_error >= 0
    assert made.naive is None or not math.isnan(made.naive)
    data = json.dumps(made.to_dict(draws=True), allow_nan=False)
    assert Estimate.from_dict(json.loads(data)) == made


@given(awkward(), methods(), st.data())
@settings(max_examples=80)
def test_an_answer_is_sound_or_refused_with_a_reason(
    pi: Predictions | None, method: Any, data: st.DataObject
) -> None:
    if pi is None:
        return
    names = [name for name in METRICS if pi.target.task in METRICS[name].tasks]
    name = data.draw(st.sampled_from(names))
    reply = answer_or_reason(lambda: estimate(pi, method=method, metric=name, rng=0))
    if isinstance(reply, str):
        assert len(reply) > 20
    else:
        assert_sound(reply)


@given(awkward(), splitting_methods(), st.data())
@settings(max_examples=80)
def test_a_split_is_answered_soundly_or_refused_with_a_reason(
    pi: Predictions | None, method: Any, data: st.DataObject
) -> None:
    if pi is None:
        return
    fitting = [m for m in METRICS if METRICS[m].pointwise or m == "roc_auc"]
    names = [m for m in fitting if pi.target.task in METRICS[m].tasks]
    if not names:
        return
    name = "roc_auc" if "roc_auc" in names and data.draw(st.booleans()) else names[0]
    level = data.draw(st.sampled_from([0.5, 0.95, 0.999]))
    reply = answer_or_reason(
        lambda: estimate(pi, method=method, metric=name, confidence_level=level, rng=0)
    )
    if isinstance(reply, str):
        assert len(reply) > 20
        return
    assert_sound(reply)
    for side in ("lower", "upper", "two-sided"):
        inner, outer = (
            reply.at(confidence_level=c, side=side).interval for c in (level - 0.1, level)
        )
        assert inner is not None
        assert outer is not None
        assert outer.low <= inner.low + 1e-12
        assert inner.high <= outer.high + 1e-12
    assert reply.interval is not None
    told = {"EN026", "EN035"} & {c.code for c in reply.cautions}
    assert reply.interval.width > 0 or told or level == 0.5


@pytest.fixture(scope="module")
def lacking(repeated: Predictions) -> Predictions:
    """Three repeats, of which the second did not test six cases and one configuration per fold."""
    folds, responses = repeated.folds.copy(), repeated.responses.copy()
    folds[:6, 1], responses[:6, :, 1] = -1, np.nan
    responses[folds[:, 2] == 4, 2, 2] = np.nan
    return replace(repeated, folds=folds, responses=responses)


@pytest.mark.parametrize("name", ON_PREDICTIONS)
def test_repeats_may_lack_cases_and_configurations_folds(lacking: Predictions, name: str) -> None:
    made = estimate(lacking, method=name, metric="roc_auc", rng=0)
    assert_sound(made)
    assert made.n_configs == 2
    assert made.winner in {"c0", "c1"}
    assert "EN012" in {c.code for c in made.cautions}


def test_folds_of_a_repeat_that_lacks_cases_have_the_scores_of_those_it_has(
    lacking: Predictions,
) -> None:
    y, tables = lacking.target.y, []
    for repeat in range(3):
        rows = lacking.folds[:, repeat] >= 0
        tables.append(
            oracles.fold_table(
                y[rows],
                lacking.responses[rows, :2, repeat],
                lacking.folds[rows, repeat],
                oracles.accuracy,
            )
        )
    means = np.concatenate(tables).mean(axis=0)
    made = estimate(lacking, method="naive", metric="accuracy")
    assert made.value == pytest.approx(means.max(), abs=1e-12)
    tt = estimate(lacking, method="tibshirani", metric="accuracy")
    assert tt.value == pytest.approx(oracles.tibshirani(np.concatenate(tables)), abs=1e-12)


@pytest.mark.parametrize("name", ON_PREDICTIONS)
def test_one_case_of_a_class_is_answered_or_refused_by_every_method(name: str) -> None:
    y = np.array([1] + [0] * 11)
    scores = np.random.default_rng(0).random((12, 3))
    pi = Predictions.from_arrays(y, scores, np.arange(12) % 3)
    reply = answer_or_reason(lambda: estimate(pi, method=name, metric="roc_auc", rng=0))
    reasons = {
        "bbc": "class 1 has one case",
        "near_winner": "class 1 has one case",
        "bbc_fold": "fewer than two folds",
        "holdout": "cases of every class",
        "corrected_t": "at least two folds in which the metric is defined",
        **dict.fromkeys(SPLITTING, "every class"),
        **dict.fromkeys(BAYLE, "each class in every fold"),
    }
    if name in reasons:
        assert reasons[name] in str(reply)
    else:
        assert isinstance(reply, Estimate)
        assert_sound(reply)


@pytest.mark.parametrize("name", ON_PREDICTIONS)
def test_ties_everywhere_name_the_first_configuration(name: str) -> None:
    y = np.tile([0, 1], 15)
    pi = Predictions.from_arrays(y, np.full((30, 4), 0.25), np.arange(30) // 2 % 5)
    made = estimate(pi, method=name, metric="roc_auc", rng=0)
    assert (made.winner, made.value) == ("c0", 0.5)
    drawn = ("bbc", "bbc_fold", "naive_bootstrap", "holdout", "near_winner")
    if name in (*SPLITTING, *BAYLE, *drawn, "corrected_t"):  # no spread is no certainty
        assert made.interval is not None
        assert made.interval.low < 0.5 < made.interval.high
        told = {"EN035", "EN026"} & {c.code for c in made.cautions}
        # whose variances do not look at the scores, or not at those scores alone
        assert told or name.startswith("hanley") or name == "near_winner"
    else:
        assert made.interval is None or made.interval.low == made.interval.high == 0.5


@pytest.mark.parametrize("name", ON_PREDICTIONS)
def test_groups_are_respected_or_told_of(grouped: Predictions, name: str) -> None:
    made = estimate(grouped, method=name, metric="roc_auc", rng=0)
    assert_sound(made)
    kinds = {c.kind for c in made.cautions}
    drawn = made.provenance.knobs.get("resampler")
    assert drawn in (None, "group")
    assert ("few_groups_drawn" in kinds) == (drawn == "group")  # twenty groups are few
    assert "groups_split" not in kinds
