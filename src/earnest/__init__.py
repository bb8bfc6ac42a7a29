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
    from earnest.comparison.five_by_two import FiveByTwoTest
    from earnest.comparison.five_by_two_f import FiveByTwoFTest
    from earnest.comparison.loob import LOOBTest
    from earnest.comparison.losses import Losses
    from earnest.comparison.lpob import LPOBTest
    from earnest.comparison.many import compare_many
    from earnest.comparison.mcnemar import McNemarTest
    from earnest.comparison.resampled_t import ResampledTTest
    from earnest.comparison.run import compare
    from earnest.comparison.sign_flip import SignFlipTest
    from earnest.core.cautions import Caution
    from earnest.core.comparison_tables import Comparisons
    from earnest.core.comparisons import Comparison
    from earnest.core.configs import Configs
    from earnest.core.designs import NestedPredictions, PairedHalves
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
    from earnest.core.replicates import Replicates
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
    from earnest.inference.general import bootstrap, influence, jackknife
    from earnest.inference.general_result import StatisticResult
    from earnest.kernels.score import score_selected, score_table
    from earnest.methods.apparent import Apparent
    from earnest.methods.b632 import B632
    from earnest.methods.b632plus import B632Plus
    from earnest.methods.bates_ncv import BatesNCV
    from earnest.methods.bayle_all_pairs import BayleAllPairs
    from earnest.methods.bayle_within_fold import BayleWithinFold
    from earnest.methods.bbc import BBC
    from earnest.methods.bbc_fold import BBCFold
    from earnest.methods.conservative_z import ConservativeZ
    from earnest.methods.corrected_t import CorrectedT
    from earnest.methods.cv import CV
    from earnest.methods.delong import DeLong
    from earnest.methods.delong_10p import DeLong10p
    from earnest.methods.err_star import ErrStar
    from earnest.methods.hanley_mcneil import HanleyMcNeil
    from earnest.methods.hanley_mcneil_10p import HanleyMcNeil10p
    from earnest.methods.holdout import HoldOut
    from earnest.methods.loob import LOOB
    from earnest.methods.loocv import LOOCV
    from earnest.methods.lpob import LPOB
    from earnest.methods.mabt import MABT
    from earnest.methods.naive import Naive
    from earnest.methods.naive_bootstrap import NaiveBootstrap
    from earnest.methods.near_winner import NearWinner
    from earnest.methods.nested import Nested
    from earnest.methods.refined import Refined
    from earnest.methods.repeated_cv import RepeatedCV
    from earnest.methods.run import estimate, estimate_all
    from earnest.methods.simple_bootstrap import SimpleBootstrap
    from earnest.methods.tibshirani import Tibshirani
    from earnest.methods.tilted import Tilted
    from earnest.methods.tilted_10p import Tilted10p
    from earnest.metrics import make_metric, metric
    from earnest.reporting.references import references
    from earnest.reporting.report import Report, report
    from earnest.reporting.tracking import log_estimate
    from earnest.resampling.bootstrap import (
        BayesianBootstrap,
        CaseBootstrap,
        GroupBootstrap,
        StratifiedBootstrap,
    )
    from earnest.store.reading import RunFile, read_run
    from earnest.training.assess import assess, assess_all
    from earnest.training.compare_learners import compare_learners
    from earnest.training.dropping import BCED
    from earnest.training.dropping_adjusted import BCEDAdjusted
    from earnest.training.harvest import harvest
    from earnest.training.inputs import Inputs
    from earnest.training.nested import NestedResult, nested_cv
    from earnest.training.optuna_candidates import optuna_candidates
    from earnest.training.portfolio import Portfolio, load_portfolio
    from earnest.training.replicates import bootstrap_train
    from earnest.training.saving import Model, load_model
    from earnest.training.search import SearchCV
    from earnest.training.ses import SES
    from earnest.training.tune import tune
    from earnest.training.tuned import Tuned

# Public name -> the module it lives in; imported when first asked for (PEP 562), because
# scikit-learn and scipy.stats cost more than a second each.
_HOMES = {
    "Apparent": "earnest.methods.apparent",
    "B632": "earnest.methods.b632",
    "B632Plus": "earnest.methods.b632plus",
    "BBC": "earnest.methods.bbc",
    "BBCFold": "earnest.methods.bbc_fold",
    "BCED": "earnest.training.dropping",
    "BCEDAdjusted": "earnest.training.dropping_adjusted",
    "BatesNCV": "earnest.methods.bates_ncv",
    "BayesianBootstrap": "earnest.resampling.bootstrap",
    "BayesianTTest": "earnest.comparison.bayesian_t",
    "BayleAllPairs": "earnest.methods.bayle_all_pairs",
    "BayleTest": "earnest.comparison.bayle",
    "BayleWithinFold": "earnest.methods.bayle_within_fold",
    "BootstrapTest": "earnest.comparison.bootstrap",
    "CV": "earnest.methods.cv",
    "CVTTest": "earnest.comparison.cv_t",
    "CaseBootstrap": "earnest.resampling.bootstrap",
    "Caution": "earnest.core.cautions",
    "Comparison": "earnest.core.comparisons",
    "Comparisons": "earnest.core.comparison_tables",
    "Configs": "earnest.core.configs",
    "ConservativeZ": "earnest.methods.conservative_z",
    "CorrectedT": "earnest.methods.corrected_t",
    "CorrectedTTest": "earnest.comparison.corrected_t",
    "DeLong": "earnest.methods.delong",
    "DeLong10p": "earnest.methods.delong_10p",
    "DeLongTest": "earnest.comparison.delong",
    "EarnestError": "earnest.core.errors",
    "EffectCurve": "earnest.explanation.curves",
    "EffectSurface": "earnest.explanation.curves",
    "ErrStar": "earnest.methods.err_star",
    "Estimate": "earnest.core.results",
    "Estimates": "earnest.core.tables",
    "EvidenceError": "earnest.core.errors",
    "Explanation": "earnest.explanation.result",
    "FiveByTwoFTest": "earnest.comparison.five_by_two_f",
    "FiveByTwoTest": "earnest.comparison.five_by_two",
    "FormatError": "earnest.core.errors",
    "GroupBootstrap": "earnest.resampling.bootstrap",
    "HanleyMcNeil": "earnest.methods.hanley_mcneil",
    "HanleyMcNeil10p": "earnest.methods.hanley_mcneil_10p",
    "HoldOut": "earnest.methods.holdout",
    "InputError": "earnest.core.errors",
    "Inputs": "earnest.training.inputs",
    "Interval": "earnest.core.intervals",
    "LOOB": "earnest.methods.loob",
    "LOOBTest": "earnest.comparison.loob",
    "LOOCV": "earnest.methods.loocv",
    "LPOB": "earnest.methods.lpob",
    "LPOBTest": "earnest.comparison.lpob",
    "Losses": "earnest.comparison.losses",
    "MABT": "earnest.methods.mabt",
    "McNemarTest": "earnest.comparison.mcnemar",
    "MetricError": "earnest.core.errors",
    "Model": "earnest.training.saving",
    "Naive": "earnest.methods.naive",
    "NaiveBootstrap": "earnest.methods.naive_bootstrap",
    "NearWinner": "earnest.methods.near_winner",
    "Nested": "earnest.methods.nested",
    "NestedPredictions": "earnest.core.designs",
    "NestedResult": "earnest.training.nested",
    "PairedHalves": "earnest.core.designs",
    "Parameter": "earnest.core.parameters",
    "Portfolio": "earnest.training.portfolio",
    "Predictions": "earnest.core.predictions",
    "Refined": "earnest.methods.refined",
    "RegionTree": "earnest.explanation.regions",
    "RepeatedCV": "earnest.methods.repeated_cv",
    "Replicates": "earnest.core.replicates",
    "Report": "earnest.reporting.report",
    "ResampledTTest": "earnest.comparison.resampled_t",
    "RunFile": "earnest.store.reading",
    "SES": "earnest.training.ses",
    "SearchCV": "earnest.training.search",
    "SignFlipTest": "earnest.comparison.sign_flip",
    "SimpleBootstrap": "earnest.methods.simple_bootstrap",
    "Space": "earnest.core.space",
    "StatisticResult": "earnest.inference.general_result",
    "StoreError": "earnest.core.errors",
    "StratifiedBootstrap": "earnest.resampling.bootstrap",
    "Target": "earnest.core.target",
    "Tibshirani": "earnest.methods.tibshirani",
    "Tilted": "earnest.methods.tilted",
    "Tilted10p": "earnest.methods.tilted_10p",
    "Trials": "earnest.core.trials",
    "Tuned": "earnest.training.tuned",
    "UnknownNameError": "earnest.core.errors",
    "Weights": "earnest.core.weights",
    "assess": "earnest.training.assess",
    "assess_all": "earnest.training.assess",
    "bootstrap": "earnest.inference.general",
    "bootstrap_train": "earnest.training.replicates",
    "compare": "earnest.comparison.run",
    "compare_learners": "earnest.training.compare_learners",
    "compare_many": "earnest.comparison.many",
    "estimate": "earnest.methods.run",
    "estimate_all": "earnest.methods.run",
    "explain": "earnest.explanation.explain",
    "harvest": "earnest.training.harvest",
    "influence": "earnest.inference.general",
    "jackknife": "earnest.inference.general",
    "keep_predictions": "earnest.adapters.optuna_kept",
    "load_model": "earnest.training.saving",
    "load_portfolio": "earnest.training.portfolio",
    "log_estimate": "earnest.reporting.tracking",
    "make_metric": "earnest.metrics",
    "metric": "earnest.metrics",
    "nested_cv": "earnest.training.nested",
    "optuna_candidates": "earnest.training.optuna_candidates",
    "predictions_from": "earnest.adapters.predictions",
    "read_run": "earnest.store.reading",
    "references": "earnest.reporting.references",
    "report": "earnest.reporting.report",
    "score_selected": "earnest.kernels.score",
    "score_table": "earnest.kernels.score",
    "trials_from": "earnest.adapters.trials",
    "tune": "earnest.training.tune",
    "with_thresholds": "earnest.core.thresholds",
}

__all__ = [
    "Apparent",
    "B632",
    "B632Plus",
    "BBC",
    "BBCFold",
    "BCED",
    "BCEDAdjusted",
    "BatesNCV",
    "BayesianBootstrap",
    "BayesianTTest",
    "BayleAllPairs",
    "BayleTest",
    "BayleWithinFold",
    "BootstrapTest",
    "CV",
    "CVTTest",
    "CaseBootstrap",
    "Caution",
    "Comparison",
    "Comparisons",
    "Configs",
    "ConservativeZ",
    "CorrectedT",
    "CorrectedTTest",
    "DeLong",
    "DeLong10p",
    "DeLongTest",
    "EarnestError",
    "EffectCurve",
    "EffectSurface",
    "ErrStar",
    "Estimate",
    "Estimates",
    "EvidenceError",
    "Explanation",
    "FiveByTwoFTest",
    "FiveByTwoTest",
    "FormatError",
    "GroupBootstrap",
    "HanleyMcNeil",
    "HanleyMcNeil10p",
    "HoldOut",
    "InputError",
    "Inputs",
    "Interval",
    "LOOB",
    "LOOBTest",
    "LOOCV",
    "LPOB",
    "LPOBTest",
    "Losses",
    "MABT",
    "McNemarTest",
    "MetricError",
    "Model",
    "Naive",
    "NaiveBootstrap",
    "NearWinner",
    "Nested",
    "NestedPredictions",
    "NestedResult",
    "PairedHalves",
    "Parameter",
    "Portfolio",
    "Predictions",
    "Refined",
    "RegionTree",
    "RepeatedCV",
    "Replicates",
    "Report",
    "ResampledTTest",
    "RunFile",
    "SES",
    "SearchCV",
    "SignFlipTest",
    "SimpleBootstrap",
    "Space",
    "StatisticResult",
    "StoreError",
    "StratifiedBootstrap",
    "Target",
    "Tibshirani",
    "Tilted",
    "Tilted10p",
    "Trials",
    "Tuned",
    "UnknownNameError",
    "Weights",
    "assess",
    "assess_all",
    "bootstrap",
    "bootstrap_train",
    "compare",
    "compare_learners",
    "compare_many",
    "estimate",
    "estimate_all",
    "explain",
    "harvest",
    "influence",
    "jackknife",
    "keep_predictions",
    "load_model",
    "load_portfolio",
    "log_estimate",
    "make_metric",
    "metric",
    "nested_cv",
    "optuna_candidates",
    "predictions_from",
    "read_run",
    "references",
    "report",
    "score_selected",
    "score_table",
    "trials_from",
    "tune",
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
