"""earnest: how good a tuned model really is."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it, without the time that `typing` takes to load
if TYPE_CHECKING:
    from typing import Any

    from earnest.core.cautions import Caution
    from earnest.core.configs import Configs
    from earnest.core.errors import (
        EarnestError,
        EvidenceError,
        FormatError,
        InputError,
        MetricError,
        StoreError,
        UnknownNameError,
    )
    from earnest.core.intervals import Interval
    from earnest.core.predictions import Predictions
    from earnest.core.results import Estimate
    from earnest.core.tables import Estimates
    from earnest.core.target import Target
    from earnest.core.weights import Weights
    from earnest.kernels.score import score_selected, score_table
    from earnest.methods.bbc import BBC
    from earnest.methods.bbc_fold import BBCFold
    from earnest.methods.holdout import HoldOut
    from earnest.methods.naive import Naive
    from earnest.methods.naive_bootstrap import NaiveBootstrap
    from earnest.methods.run import estimate, estimate_all
    from earnest.methods.tibshirani import Tibshirani
    from earnest.metrics import make_metric, metric
    from earnest.resampling.bootstrap import (
        BayesianBootstrap,
        CaseBootstrap,
        GroupBootstrap,
        StratifiedBootstrap,
    )
    from earnest.store.reading import RunFile, read_run
    from earnest.training.dropping import BCED
    from earnest.training.dropping_adjusted import BCEDAdjusted
    from earnest.training.nested import NestedResult, nested_cv
    from earnest.training.optuna_candidates import optuna_candidates
    from earnest.training.search import SearchCV

# Public name -> the module it lives in; imported when first asked for (PEP 562), because
# scikit-learn and scipy.stats cost more than a second each.
_HOMES = {
    "BBC": "earnest.methods.bbc",
    "BCED": "earnest.training.dropping",
    "BCEDAdjusted": "earnest.training.dropping_adjusted",
    "BBCFold": "earnest.methods.bbc_fold",
    "BayesianBootstrap": "earnest.resampling.bootstrap",
    "CaseBootstrap": "earnest.resampling.bootstrap",
    "Caution": "earnest.core.cautions",
    "Configs": "earnest.core.configs",
    "EarnestError": "earnest.core.errors",
    "Estimate": "earnest.core.results",
    "Estimates": "earnest.core.tables",
    "EvidenceError": "earnest.core.errors",
    "FormatError": "earnest.core.errors",
    "GroupBootstrap": "earnest.resampling.bootstrap",
    "HoldOut": "earnest.methods.holdout",
    "InputError": "earnest.core.errors",
    "Interval": "earnest.core.intervals",
    "MetricError": "earnest.core.errors",
    "Naive": "earnest.methods.naive",
    "NaiveBootstrap": "earnest.methods.naive_bootstrap",
    "NestedResult": "earnest.training.nested",
    "Predictions": "earnest.core.predictions",
    "SearchCV": "earnest.training.search",
    "RunFile": "earnest.store.reading",
    "StoreError": "earnest.core.errors",
    "StratifiedBootstrap": "earnest.resampling.bootstrap",
    "Target": "earnest.core.target",
    "Tibshirani": "earnest.methods.tibshirani",
    "UnknownNameError": "earnest.core.errors",
    "Weights": "earnest.core.weights",
    "estimate": "earnest.methods.run",
    "estimate_all": "earnest.methods.run",
    "make_metric": "earnest.metrics",
    "metric": "earnest.metrics",
    "nested_cv": "earnest.training.nested",
    "optuna_candidates": "earnest.training.optuna_candidates",
    "read_run": "earnest.store.reading",
    "score_selected": "earnest.kernels.score",
    "score_table": "earnest.kernels.score",
}

__all__ = [
    "BBC",
    "BBCFold",
    "BCED",
    "BCEDAdjusted",
    "BayesianBootstrap",
    "CaseBootstrap",
    "Caution",
    "Configs",
    "EarnestError",
    "Estimate",
    "Estimates",
    "EvidenceError",
    "FormatError",
    "GroupBootstrap",
    "HoldOut",
    "InputError",
    "Interval",
    "MetricError",
    "Naive",
    "NaiveBootstrap",
    "NestedResult",
    "Predictions",
    "SearchCV",
    "RunFile",
    "StoreError",
    "StratifiedBootstrap",
    "Target",
    "Tibshirani",
    "UnknownNameError",
    "Weights",
    "estimate",
    "estimate_all",
    "make_metric",
    "metric",
    "nested_cv",
    "optuna_candidates",
    "read_run",
    "score_selected",
    "score_table",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("earnest")
    if name not in _HOMES:
        raise AttributeError(f"module 'earnest' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, "__version__"])
