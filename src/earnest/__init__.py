"""earnest: how good a tuned model really is."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it, without the time that `typing` takes to load
if TYPE_CHECKING:
    from typing import Any

    from earnest.adapters.predictions.door import predictions_from
    from earnest.adapters.predictions.optuna_kept import keep_predictions
    from earnest.adapters.trials.door import trials_from
    from earnest.comparison.losses import Losses
    from earnest.comparison.many import compare_many
    from earnest.comparison.run import compare
    from earnest.comparison.tests.bayesian_t import BayesianTTest
    from earnest.comparison.tests.bayle import BayleTest
    from earnest.comparison.tests.bootstrap import BootstrapTest
    from earnest.comparison.tests.corrected_t import CorrectedTTest
    from earnest.comparison.tests.cv_t import CVTTest
    from earnest.comparison.tests.delong import DeLongTest
    from earnest.comparison.tests.five_by_two import FiveByTwoTest
    from earnest.comparison.tests.five_by_two_f import FiveByTwoFTest
    from earnest.comparison.tests.loob import LOOBTest
    from earnest.comparison.tests.lpob import LPOBTest
    from earnest.comparison.tests.mcnemar import McNemarTest
    from earnest.comparison.tests.resampled_t import ResampledTTest
    from earnest.comparison.tests.sign_flip import SignFlipTest
    from earnest.core.base.errors import (
        EarnestError,
        EvidenceError,
        FormatError,
        InputError,
        MetricError,
        StoreError,
        UnknownNameError,
    )
    from earnest.core.data.configs import Configs
    from earnest.core.data.designs import NestedPredictions, PairedHalves
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.replicates import Replicates
    from earnest.core.data.target import Target
    from earnest.core.data.thresholds import with_thresholds
    from earnest.core.data.weights import Weights
    from earnest.core.results.cautions import Caution
    from earnest.core.results.comparison import Comparison
    from earnest.core.results.comparison_table import Comparisons
    from earnest.core.results.estimate import Estimate
    from earnest.core.results.estimate_table import Estimates
    from earnest.core.results.interval import Interval
    from earnest.core.space.parameters import Parameter
    from earnest.core.space.space import Space
    from earnest.core.space.trials import Trials
    from earnest.explanation.effects.curves import EffectCurve, EffectSurface
    from earnest.explanation.explain import explain
    from earnest.explanation.regions.regions import RegionTree
    from earnest.explanation.result import Explanation
    from earnest.inference.general.result import StatisticResult
    from earnest.inference.general.tools import bootstrap, influence, jackknife
    from earnest.kernels.score import score_selected, score_table
    from earnest.methods.bootstrap.apparent import Apparent
    from earnest.methods.bootstrap.b632 import B632
    from earnest.methods.bootstrap.b632plus import B632Plus
    from earnest.methods.bootstrap.err_star import ErrStar
    from earnest.methods.bootstrap.loob import LOOB
    from earnest.methods.bootstrap.lpob import LPOB
    from earnest.methods.bootstrap.refined import Refined
    from earnest.methods.bootstrap.simple_bootstrap import SimpleBootstrap
    from earnest.methods.learner.bates_ncv import BatesNCV
    from earnest.methods.learner.bayle_all_pairs import BayleAllPairs
    from earnest.methods.learner.bayle_within_fold import BayleWithinFold
    from earnest.methods.learner.conservative_z import ConservativeZ
    from earnest.methods.learner.corrected_t import CorrectedT
    from earnest.methods.learner.cv import CV
    from earnest.methods.learner.loocv import LOOCV
    from earnest.methods.learner.repeated_cv import RepeatedCV
    from earnest.methods.run import estimate, estimate_all
    from earnest.methods.split.delong import DeLong
    from earnest.methods.split.delong_10p import DeLong10p
    from earnest.methods.split.hanley_mcneil import HanleyMcNeil
    from earnest.methods.split.hanley_mcneil_10p import HanleyMcNeil10p
    from earnest.methods.split.holdout import HoldOut
    from earnest.methods.split.mabt import MABT
    from earnest.methods.split.tilted import Tilted
    from earnest.methods.split.tilted_10p import Tilted10p
    from earnest.methods.winner.bbc import BBC
    from earnest.methods.winner.bbc_fold import BBCFold
    from earnest.methods.winner.naive import Naive
    from earnest.methods.winner.naive_bootstrap import NaiveBootstrap
    from earnest.methods.winner.near_winner import NearWinner
    from earnest.methods.winner.nested import Nested
    from earnest.methods.winner.tibshirani import Tibshirani
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
    from earnest.training.assess.assess import assess, assess_all
    from earnest.training.assess.compare_learners import compare_learners
    from earnest.training.assess.nested import NestedResult, nested_cv
    from earnest.training.assess.replicates import bootstrap_train
    from earnest.training.harvest.harvest import harvest
    from earnest.training.learners.inputs import Inputs
    from earnest.training.learners.portfolio import Portfolio, load_portfolio
    from earnest.training.learners.ses.ses import SES
    from earnest.training.search.dropping.adjusted import BCEDAdjusted
    from earnest.training.search.dropping.bced import BCED
    from earnest.training.search.optuna import optuna_candidates
    from earnest.training.search.search_cv import SearchCV
    from earnest.training.tune.model import Model, load_model
    from earnest.training.tune.tune import tune
    from earnest.training.tune.tuned import Tuned

# Public name -> the module it lives in; imported when first asked for (PEP 562), because
# scikit-learn and scipy.stats cost more than a second each.
_HOMES = {
    "Apparent": "earnest.methods.bootstrap.apparent",
    "B632": "earnest.methods.bootstrap.b632",
    "B632Plus": "earnest.methods.bootstrap.b632plus",
    "BBC": "earnest.methods.winner.bbc",
    "BBCFold": "earnest.methods.winner.bbc_fold",
    "BCED": "earnest.training.search.dropping.bced",
    "BCEDAdjusted": "earnest.training.search.dropping.adjusted",
    "BatesNCV": "earnest.methods.learner.bates_ncv",
    "BayesianBootstrap": "earnest.resampling.bootstrap",
    "BayesianTTest": "earnest.comparison.tests.bayesian_t",
    "BayleAllPairs": "earnest.methods.learner.bayle_all_pairs",
    "BayleTest": "earnest.comparison.tests.bayle",
    "BayleWithinFold": "earnest.methods.learner.bayle_within_fold",
    "BootstrapTest": "earnest.comparison.tests.bootstrap",
    "CV": "earnest.methods.learner.cv",
    "CVTTest": "earnest.comparison.tests.cv_t",
    "CaseBootstrap": "earnest.resampling.bootstrap",
    "Caution": "earnest.core.results.cautions",
    "Comparison": "earnest.core.results.comparison",
    "Comparisons": "earnest.core.results.comparison_table",
    "Configs": "earnest.core.data.configs",
    "ConservativeZ": "earnest.methods.learner.conservative_z",
    "CorrectedT": "earnest.methods.learner.corrected_t",
    "CorrectedTTest": "earnest.comparison.tests.corrected_t",
    "DeLong": "earnest.methods.split.delong",
    "DeLong10p": "earnest.methods.split.delong_10p",
    "DeLongTest": "earnest.comparison.tests.delong",
    "EarnestError": "earnest.core.base.errors",
    "EffectCurve": "earnest.explanation.effects.curves",
    "EffectSurface": "earnest.explanation.effects.curves",
    "ErrStar": "earnest.methods.bootstrap.err_star",
    "Estimate": "earnest.core.results.estimate",
    "Estimates": "earnest.core.results.estimate_table",
    "EvidenceError": "earnest.core.base.errors",
    "Explanation": "earnest.explanation.result",
    "FiveByTwoFTest": "earnest.comparison.tests.five_by_two_f",
    "FiveByTwoTest": "earnest.comparison.tests.five_by_two",
    "FormatError": "earnest.core.base.errors",
    "GroupBootstrap": "earnest.resampling.bootstrap",
    "HanleyMcNeil": "earnest.methods.split.hanley_mcneil",
    "HanleyMcNeil10p": "earnest.methods.split.hanley_mcneil_10p",
    "HoldOut": "earnest.methods.split.holdout",
    "InputError": "earnest.core.base.errors",
    "Inputs": "earnest.training.learners.inputs",
    "Interval": "earnest.core.results.interval",
    "LOOB": "earnest.methods.bootstrap.loob",
    "LOOBTest": "earnest.comparison.tests.loob",
    "LOOCV": "earnest.methods.learner.loocv",
    "LPOB": "earnest.methods.bootstrap.lpob",
    "LPOBTest": "earnest.comparison.tests.lpob",
    "Losses": "earnest.comparison.losses",
    "MABT": "earnest.methods.split.mabt",
    "McNemarTest": "earnest.comparison.tests.mcnemar",
    "MetricError": "earnest.core.base.errors",
    "Model": "earnest.training.tune.model",
    "Naive": "earnest.methods.winner.naive",
    "NaiveBootstrap": "earnest.methods.winner.naive_bootstrap",
    "NearWinner": "earnest.methods.winner.near_winner",
    "Nested": "earnest.methods.winner.nested",
    "NestedPredictions": "earnest.core.data.designs",
    "NestedResult": "earnest.training.assess.nested",
    "PairedHalves": "earnest.core.data.designs",
    "Parameter": "earnest.core.space.parameters",
    "Portfolio": "earnest.training.learners.portfolio",
    "Predictions": "earnest.core.data.predictions",
    "Refined": "earnest.methods.bootstrap.refined",
    "RegionTree": "earnest.explanation.regions.regions",
    "RepeatedCV": "earnest.methods.learner.repeated_cv",
    "Replicates": "earnest.core.data.replicates",
    "Report": "earnest.reporting.report",
    "ResampledTTest": "earnest.comparison.tests.resampled_t",
    "RunFile": "earnest.store.reading",
    "SES": "earnest.training.learners.ses.ses",
    "SearchCV": "earnest.training.search.search_cv",
    "SignFlipTest": "earnest.comparison.tests.sign_flip",
    "SimpleBootstrap": "earnest.methods.bootstrap.simple_bootstrap",
    "Space": "earnest.core.space.space",
    "StatisticResult": "earnest.inference.general.result",
    "StoreError": "earnest.core.base.errors",
    "StratifiedBootstrap": "earnest.resampling.bootstrap",
    "Target": "earnest.core.data.target",
    "Tibshirani": "earnest.methods.winner.tibshirani",
    "Tilted": "earnest.methods.split.tilted",
    "Tilted10p": "earnest.methods.split.tilted_10p",
    "Trials": "earnest.core.space.trials",
    "Tuned": "earnest.training.tune.tuned",
    "UnknownNameError": "earnest.core.base.errors",
    "Weights": "earnest.core.data.weights",
    "assess": "earnest.training.assess.assess",
    "assess_all": "earnest.training.assess.assess",
    "bootstrap": "earnest.inference.general.tools",
    "bootstrap_train": "earnest.training.assess.replicates",
    "compare": "earnest.comparison.run",
    "compare_learners": "earnest.training.assess.compare_learners",
    "compare_many": "earnest.comparison.many",
    "estimate": "earnest.methods.run",
    "estimate_all": "earnest.methods.run",
    "explain": "earnest.explanation.explain",
    "harvest": "earnest.training.harvest.harvest",
    "influence": "earnest.inference.general.tools",
    "jackknife": "earnest.inference.general.tools",
    "keep_predictions": "earnest.adapters.predictions.optuna_kept",
    "load_model": "earnest.training.tune.model",
    "load_portfolio": "earnest.training.learners.portfolio",
    "log_estimate": "earnest.reporting.tracking",
    "make_metric": "earnest.metrics",
    "metric": "earnest.metrics",
    "nested_cv": "earnest.training.assess.nested",
    "optuna_candidates": "earnest.training.search.optuna",
    "predictions_from": "earnest.adapters.predictions.door",
    "read_run": "earnest.store.reading",
    "references": "earnest.reporting.references",
    "report": "earnest.reporting.report",
    "score_selected": "earnest.kernels.score",
    "score_table": "earnest.kernels.score",
    "trials_from": "earnest.adapters.trials.door",
    "tune": "earnest.training.tune.tune",
    "with_thresholds": "earnest.core.data.thresholds",
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
