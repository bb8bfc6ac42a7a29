"""earnest: how good a tuned model really is."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it, without the time that `typing` takes to load
if TYPE_CHECKING:
    from typing import Any

    from earnest.adapters.optuna_kept import keep_predictions
    from earnest.adapters.predictions import predictions_from
    from earnest.adapters.trials import trials_from
    from earnest.comparison.bayesian_t import BayesianTTest
    from earnest.comparison.bayle import BayleTest
    from earnest.comparison.bootstrap import BootstrapTest
    from earnest.comparison.corrected_t import CorrectedTTest
    from earnest.comparison.cv_t import CVTTest
    from earnest.comparison.delong import DeLongTest
    from earnest.comparison.losses import Losses
    from earnest.comparison.many import compare_many
    from earnest.comparison.mcnemar import McNemarTest
    from earnest.comparison.run import compare
    from earnest.comparison.sign_flip import SignFlipTest
    from earnest.core.cautions import Caution
    from earnest.core.comparison_tables import Comparisons
    from earnest.core.comparisons import Comparison
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
    from earnest.core.parameters import Parameter
    from earnest.core.predictions import Predictions
    from earnest.core.results import Estimate
    from earnest.core.space import Space
    from earnest.core.tables import Estimates
    from earnest.core.target import Target
    from earnest.core.thresholds import with_thresholds
    from earnest.core.trials import Trials
    from earnest.core.weights import Weights
    from earnest.explanation.curves import EffectCurve, EffectSurface
    from earnest.explanation.explain import explain
    from earnest.explanation.regions import RegionTree
    from earnest.explanation.result import Explanation
    from earnest.kernels.score import score_selected, score_table
    from earnest.methods.bayle_all_pairs import BayleAllPairs
    from earnest.methods.bayle_within_fold import BayleWithinFold
    from earnest.methods.bbc import BBC
    from earnest.methods.bbc_fold import BBCFold
    from earnest.methods.delong import DeLong
    from earnest.methods.delong_10p import DeLong10p
    from earnest.methods.hanley_mcneil import HanleyMcNeil
    from earnest.methods.hanley_mcneil_10p import HanleyMcNeil10p
    from earnest.methods.holdout import HoldOut
    from earnest.methods.mabt import MABT
    from earnest.methods.naive import Naive
    from earnest.methods.naive_bootstrap import NaiveBootstrap
    from earnest.methods.run import estimate, estimate_all
    from earnest.methods.tibshirani import Tibshirani
    from earnest.methods.tilted import Tilted
    from earnest.methods.tilted_10p import Tilted10p
    from earnest.metrics import make_metric, metric
    from earnest.reporting.tracking import log_estimate
    from earnest.resampling.bootstrap import (
        BayesianBootstrap,
        CaseBootstrap,
        GroupBootstrap,
        StratifiedBootstrap,
    )
    from earnest.store.reading import RunFile, read_run
    from earnest.training.dropping import BCED
    from earnest.training.dropping_adjusted import BCEDAdjusted
    from earnest.training.harvest import harvest
    from earnest.training.nested import NestedResult, nested_cv
    from earnest.training.optuna_candidates import optuna_candidates
    from earnest.training.search import SearchCV

# Public name -> the module it lives in; imported when first asked for (PEP 562), because
# scikit-learn and scipy.stats cost more than a second each.
_HOMES = {
    "BBC": "earnest.methods.bbc",
    "BBCFold": "earnest.methods.bbc_fold",
    "BCED": "earnest.training.dropping",
    "BCEDAdjusted": "earnest.training.dropping_adjusted",
    "BayesianBootstrap": "earnest.resampling.bootstrap",
    "BayesianTTest": "earnest.comparison.bayesian_t",
    "BayleAllPairs": "earnest.methods.bayle_all_pairs",
    "BayleTest": "earnest.comparison.bayle",
    "BayleWithinFold": "earnest.methods.bayle_within_fold",
    "BootstrapTest": "earnest.comparison.bootstrap",
    "CVTTest": "earnest.comparison.cv_t",
    "CaseBootstrap": "earnest.resampling.bootstrap",
    "Caution": "earnest.core.cautions",
    "Comparison": "earnest.core.comparisons",
    "Comparisons": "earnest.core.comparison_tables",
    "Configs": "earnest.core.configs",
    "CorrectedTTest": "earnest.comparison.corrected_t",
    "DeLong": "earnest.methods.delong",
    "DeLong10p": "earnest.methods.delong_10p",
    "DeLongTest": "earnest.comparison.delong",
    "EarnestError": "earnest.core.errors",
    "EffectCurve": "earnest.explanation.curves",
    "EffectSurface": "earnest.explanation.curves",
    "Estimate": "earnest.core.results",
    "Estimates": "earnest.core.tables",
    "EvidenceError": "earnest.core.errors",
    "Explanation": "earnest.explanation.result",
    "FormatError": "earnest.core.errors",
    "GroupBootstrap": "earnest.resampling.bootstrap",
    "HanleyMcNeil": "earnest.methods.hanley_mcneil",
    "HanleyMcNeil10p": "earnest.methods.hanley_mcneil_10p",
    "HoldOut": "earnest.methods.holdout",
    "InputError": "earnest.core.errors",
    "Interval": "earnest.core.intervals",
    "Losses": "earnest.comparison.losses",
    "MABT": "earnest.methods.mabt",
    "McNemarTest": "earnest.comparison.mcnemar",
    "MetricError": "earnest.core.errors",
    "Naive": "earnest.methods.naive",
    "NaiveBootstrap": "earnest.methods.naive_bootstrap",
    "NestedResult": "earnest.training.nested",
    "Parameter": "earnest.core.parameters",
    "Predictions": "earnest.core.predictions",
    "RegionTree": "earnest.explanation.regions",
    "RunFile": "earnest.store.reading",
    "SearchCV": "earnest.training.search",
    "SignFlipTest": "earnest.comparison.sign_flip",
    "Space": "earnest.core.space",
    "StoreError": "earnest.core.errors",
    "StratifiedBootstrap": "earnest.resampling.bootstrap",
    "Target": "earnest.core.target",
    "Tibshirani": "earnest.methods.tibshirani",
    "Tilted": "earnest.methods.tilted",
    "Tilted10p": "earnest.methods.tilted_10p",
    "Trials": "earnest.core.trials",
    "UnknownNameError": "earnest.core.errors",
    "Weights": "earnest.core.weights",
    "compare": "earnest.comparison.run",
    "compare_many": "earnest.comparison.many",
    "estimate": "earnest.methods.run",
    "estimate_all": "earnest.methods.run",
    "explain": "earnest.explanation.explain",
    "harvest": "earnest.training.harvest",
    "keep_predictions": "earnest.adapters.optuna_kept",
    "log_estimate": "earnest.reporting.tracking",
    "make_metric": "earnest.metrics",
    "metric": "earnest.metrics",
    "nested_cv": "earnest.training.nested",
    "optuna_candidates": "earnest.training.optuna_candidates",
    "predictions_from": "earnest.adapters.predictions",
    "read_run": "earnest.store.reading",
    "score_selected": "earnest.kernels.score",
    "score_table": "earnest.kernels.score",
    "trials_from": "earnest.adapters.trials",
    "with_thresholds": "earnest.core.thresholds",
}

__all__ = [
    "BBC",
    "BBCFold",
    "BCED",
    "BCEDAdjusted",
    "BayesianBootstrap",
    "BayesianTTest",
    "BayleAllPairs",
    "BayleTest",
    "BayleWithinFold",
    "BootstrapTest",
    "CVTTest",
    "CaseBootstrap",
    "Caution",
    "Comparison",
    "Comparisons",
    "Configs",
    "CorrectedTTest",
    "DeLong",
    "DeLong10p",
    "DeLongTest",
    "EarnestError",
    "EffectCurve",
    "EffectSurface",
    "Estimate",
    "Estimates",
    "EvidenceError",
    "Explanation",
    "FormatError",
    "GroupBootstrap",
    "HanleyMcNeil",
    "HanleyMcNeil10p",
    "HoldOut",
    "InputError",
    "Interval",
    "Losses",
    "MABT",
    "McNemarTest",
    "MetricError",
    "Naive",
    "NaiveBootstrap",
    "NestedResult",
    "Parameter",
    "Predictions",
    "RegionTree",
    "RunFile",
    "SearchCV",
    "SignFlipTest",
    "Space",
    "StoreError",
    "StratifiedBootstrap",
    "Target",
    "Tibshirani",
    "Tilted",
    "Tilted10p",
    "Trials",
    "UnknownNameError",
    "Weights",
    "compare",
    "compare_many",
    "estimate",
    "estimate_all",
    "explain",
    "harvest",
    "keep_predictions",
    "log_estimate",
    "make_metric",
    "metric",
    "nested_cv",
    "optuna_candidates",
    "predictions_from",
    "read_run",
    "score_selected",
    "score_table",
    "trials_from",
    "with_thresholds",
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
