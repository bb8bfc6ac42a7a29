"""Metrics as functions of weights; importing this registers every one of them."""

from earnest.metrics import (
    classification,
    multiclass,
    ranking,
    regression,
    survival,
)
from earnest.metrics.families import METRICS
from earnest.metrics.resolve import make_metric, metric

__all__ = ["METRICS", "make_metric", "metric"]
