"""earnest: how good a tuned model really is."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it, without the time that `typing` takes to load
if TYPE_CHECKING:
    from typing import Any

    from earnest.adapters.trials import trials_from
    from earnest.core.cautions import Caution
    from earnest.core.configs import Configs
    from earnest.core.errors import (
        EarnestError,
        EvidenceError,
        FormatError,
        InputError,
        MetricError,
        UnknownNameError,
    )
    from earnest.core.intervals import Interval
    from earnest.core.parameters import Parameter
    from earnest.core.predictions import Predictions
    from earnest.core.results import Estimate
    from earnest.core.space import Space
    from earnest.core.tables import Estimates
    from earnest.core.target import Target
    from earnest.core.trials import Trials
    from earnest.core.weights import Weights
    from earnest.explanation.curves import EffectCurve, EffectSurface
    from earnest.explanation.explain import explain
    from earnest.explanation.regions import RegionTree
    from earnest.explanation.result import Explanation
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

# Public name -> the module it lives in; imported when first asked for (PEP 562), because
# scikit-learn and scipy.stats cost more than a second each.
_HOMES = {
    "BBC": "earnest.methods.bbc",
    "BBCFold": "earnest.methods.bbc_fold",
    "BayesianBootstrap": "earnest.resampling.bootstrap",
    "CaseBootstrap": "earnest.resampling.bootstrap",
    "Caution": "earnest.core.cautions",
    "Configs": "earnest.core.configs",
    "EarnestError": "earnest.core.errors",
    "EffectCurve": "earnest.explanation.curves",
    "EffectSurface": "earnest.explanation.curves",
    "Estimate": "earnest.core.results",
    "Estimates": "earnest.core.tables",
    "EvidenceError": "earnest.core.errors",
    "Explanation": "earnest.explanation.result",
    "FormatError": "earnest.core.errors",
    "GroupBootstrap": "earnest.resampling.bootstrap",
    "HoldOut": "earnest.methods.holdout",
    "InputError": "earnest.core.errors",
    "Interval": "earnest.core.intervals",
    "MetricError": "earnest.core.errors",
    "Naive": "earnest.methods.naive",
    "NaiveBootstrap": "earnest.methods.naive_bootstrap",
    "Parameter": "earnest.core.parameters",
    "Predictions": "earnest.core.predictions",
    "RegionTree": "earnest.explanation.regions",
    "Space": "earnest.core.space",
    "StratifiedBootstrap": "earnest.resampling.bootstrap",
    "Target": "earnest.core.target",
    "Tibshirani": "earnest.methods.tibshirani",
    "Trials": "earnest.core.trials",
    "UnknownNameError": "earnest.core.errors",
    "Weights": "earnest.core.weights",
    "estimate": "earnest.methods.run",
    "estimate_all": "earnest.methods.run",
    "explain": "earnest.explanation.explain",
    "make_metric": "earnest.metrics",
    "metric": "earnest.metrics",
    "score_selected": "earnest.kernels.score",
    "score_table": "earnest.kernels.score",
    "trials_from": "earnest.adapters.trials",
}

__all__ = [
    "BBC",
    "BBCFold",
    "BayesianBootstrap",
    "CaseBootstrap",
    "Caution",
    "Configs",
    "EarnestError",
    "EffectCurve",
    "EffectSurface",
    "Estimate",
    "Estimates",
    "EvidenceError",
    "Explanation",
    "FormatError",
    "GroupBootstrap",
    "HoldOut",
    "InputError",
    "Interval",
    "MetricError",
    "Naive",
    "NaiveBootstrap",
    "Parameter",
    "Predictions",
    "RegionTree",
    "Space",
    "StratifiedBootstrap",
    "Target",
    "Tibshirani",
    "Trials",
    "UnknownNameError",
    "Weights",
    "estimate",
    "estimate_all",
    "explain",
    "make_metric",
    "metric",
    "score_selected",
    "score_table",
    "trials_from",
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
