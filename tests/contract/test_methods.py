"""The contract of every registered method, and that the contract is no rubber stamp."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from earnest.core import Evidence, MetricFamily
from earnest.core.results import cautions
from earnest.core.results.specs import MethodSpec
from earnest.methods import (
    BBC,
    MABT,
    METHODS,
    BBCFold,
    DeLong,
    HanleyMcNeil,
    HoldOut,
    NaiveBootstrap,
    NearWinner,
    Tilted,
    methods_for,
    run,
)
from earnest.methods.base import Call, EstimateParts, Method
from earnest.methods.split.splitting import SplitMethod
from earnest.results import Estimate
from earnest.testing import METHOD_LAWS, MethodCase, check_method, example_predictions
from earnest.testing.examples import with_repeats

VARIANTS: dict[str, Any] = {
    **{name: METHODS[name]() for name in METHODS},
    "bbc, few resamples": BBC(n_resamples=37),
    "bbc by folds": BBC(selector="mean_of_folds", n_resamples=100),
    "bbc by one standard error": BBC(selector="one_standard_error", n_resamples=100),
    "bbc stratified": BBC(undefined="stratify", n_resamples=100),
    "near_winner, few resamples": NearWinner(n_resamples=37),
    "bbc_fold drawn": BBCFold(exact=False),
    "bbc_fold by one standard error": BBCFold(selector="1se"),
    "naive_bootstrap over cases": NaiveBootstrap(over="cases"),
    "naive_bootstrap normal": NaiveBootstrap(interval="normal"),
    "naive_bootstrap bayesian": NaiveBootstrap(over="cases", resampler="bayesian"),
    "holdout normal": HoldOut(interval="normal"),
    "delong on the logit scale": DeLong(variant="logit"),
    "delong split as published": DeLong(split="unstratified", direction="auto"),
    "delong by pooled scores": DeLong(selector="pooled"),
    "tilted by cases": Tilted(resampler="case", n_resamples=300),
    "mabt split as published": MABT(split="unstratified", n_resamples=300),
}
# A rule by simplicity looks at the order of the configurations, which stands for simplicity.
BY_ORDER = {"bbc by one standard error", "bbc_fold by one standard error"}
# 300 cases, so that no two configurations have the same AUC in any resample; seed 0.
UNTIED = example_predictions("binary", n_cases=300, n_configs=4, n_folds=5)


@pytest.mark.parametrize("name", VARIANTS)
def test_method_keeps_the_contract(name: str) -> None:
    method = VARIANTS[name]
    case = MethodCase.of(method, UNTIED if isinstance(method, NearWinner) else None)
    for law in METHOD_LAWS:
        if name in BY_ORDER and law.__name__ == "order_of_configurations_does_not_matter":
            ranked = case.predictions
            configs = ranked.configs.with_complexity(np.arange(ranked.n_configs))
            law(MethodCase.of(method, replace(ranked, configs=configs)))
        else:
            law(case)


@pytest.mark.parametrize(
    "name",
    [
        m
        for m in methods_for(Evidence.OUT_OF_SAMPLE)
        if METHODS[m].spec.metrics is not MetricFamily.SUMS
    ],
)
def test_method_keeps_the_contract_under_the_auc(name: str) -> None:
    method = METHODS[name]
    pi = with_repeats(UNTIED, 3) if method.spec.min_repeats > 1 else UNTIED
    small = method(n_resamples=100) if hasattr(method, "n_resamples") else method()
    assert len(check_method(small, predictions=pi, metric="roc_auc")) == len(METHOD_LAWS)


@pytest.mark.parametrize("method", [MABT, Tilted, DeLong, HanleyMcNeil])
def test_an_election_among_several_keeps_the_contract(method: type[SplitMethod]) -> None:
    # Twenty-five configurations, so that three stand for election; 400 cases, seed 0.
    pi = example_predictions("binary", n_cases=400, n_configs=25, n_folds=5)
    assert len(check_method(method(preselect=0.1), predictions=pi, metric="roc_auc")) == len(
        METHOD_LAWS
    )


def test_a_class_is_checked_with_its_defaults() -> None:
    assert check_method(METHODS["naive"]) == tuple(law.__name__ for law in METHOD_LAWS)


# ---- methods with one fault each: the contract must find it


@dataclass(frozen=True, kw_only=True)
class Faulty:
    """BBC, whose estimates `spoil` gives a fault."""

    fault: str = ""
    n_resamples: int = 100
    spec: Any = BBC.spec

    def __call__(self, call: Call) -> EstimateParts:
        """Return what BBC finds."""
        found = BBC(n_resamples=self.n_resamples)(call)
        return replace(found, used={**found.used, "spec": "bbc"})


def spoil(made: Estimate, fault: str, call: Call) -> Estimate:
    """Return an estimate that breaks one law."""
    if fault == "range":
        return replace(made, value=call.metric.limits[0] - 1)
    if fault == "crossed":
        assert made.interval is not None
        crossed = replace(made.interval, low=made.interval.high, high=made.interval.low)
        return replace(made, interval=crossed)
    if fault == "seed":
        return replace(made, value=made.value + np.random.default_rng().random() / 1000)
    if fault == "threads":
        return replace(made, value=made.value + 1e-3 * (call.n_jobs or 1))
    if fault == "first column":
        return replace(made, winner=call.pi.configs.ids[0])
    if fault == "one-sided for scores":
        return replace(made, value=made.value + 0.01 * call.metric.greater_is_better)
    if fault == "estimand":
        return replace(made, estimand="")
    if fault == "valid":
        return replace(made, n_valid=(made.n_resamples or 0) + 1)
    if fault == "level":
        return replace(made, value=made.value + call.ask.confidence_level / 1000)
    if fault == "writes":
        call.given.responses.setflags(write=True)
        call.given.responses[0, 0] += 1.0
    return made


@pytest.fixture(autouse=True)
def _spoiled_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every estimate of a `Faulty` its fault, where it is put together."""
    make = run._make_estimate

    def make_and_spoil(method: Method, call: Call, found: EstimateParts) -> Estimate:
        return spoil(make(method, call, found), getattr(method, "fault", ""), call)

    monkeypatch.setattr(run, "_make_estimate", make_and_spoil)


FAULTS = {
    "range": "value lies in range",
    "crossed": "ordered",
    "seed": "value",
    "threads": "n_jobs",
    "first column": "winner",
    "one-sided for scores": "mirrors",
    "estimand": "what it estimates",
    "valid": "valid ones",
    "level": "level never moves",
    "writes": "anew|value|evidence",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_contract_finds_a_fault(fault: str) -> None:
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        check_method(Faulty(fault=fault))


def test_the_contract_passes_the_faultless() -> None:
    assert check_method(Faulty())


def test_the_contract_finds_an_interval_that_was_not_declared() -> None:
    spec = MethodSpec(
        name="bbc",
        title="x",
        needs=BBC.spec.needs,
        estimand=BBC.spec.estimand,
        cites="y",
        interval=False,
    )
    with pytest.raises(AssertionError, match="spec tells"):
        check_method(Faulty(spec=spec))


def test_the_contract_finds_an_empty_caution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cautions, "_KINDS", dict(cautions.list_kinds()))

    @cautions.caution("EN001")
    def mute() -> cautions.Words:
        return cautions.Words("", "")

    @dataclass(frozen=True)
    class Mute(BBC):
        def __call__(self, call: Call) -> EstimateParts:
            return replace(BBC(n_resamples=100)(call), cautions=(mute(),))

    with pytest.raises(AssertionError, match="sentence"):
        check_method(Mute())
