"""Metrics as functions of weights; importing this registers every one of them."""

from earnest.metrics import (
    calibration,
    classification,
    multiclass,
    ranking,
    regression,
    survival,
    survival_curves,
)
from earnest.metrics.calibration import CurveFit as CurveFit
from earnest.metrics.calibration import find_odds as find_odds
from earnest.metrics.censoring import Censoring as Censoring
from earnest.metrics.families import METRICS
from earnest.metrics.families import REGRESSION as REGRESSION
from earnest.metrics.families import CallableMetric as CallableMetric
from earnest.metrics.families import CurveMetric as CurveMetric
from earnest.metrics.families import Metric as Metric
from earnest.metrics.families import MomentMetric as MomentMetric
from earnest.metrics.families import Moments as Moments
from earnest.metrics.families import Need as Need
from earnest.metrics.families import ratio as ratio
from earnest.metrics.resolve import make_metric, metric

__all__ = ["METRICS", "make_metric", "metric"]
