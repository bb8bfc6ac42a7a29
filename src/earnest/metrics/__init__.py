"""Metrics as functions of weights; importing this registers every one of them."""

from earnest.metrics import (
    classification,
    multiclass,
    probability,
    ranking,
    regression,
    survival,
)
from earnest.metrics.adapt import make_metric
from earnest.metrics.families import METRICS
from earnest.metrics.resolve import metric

__all__ = [
    "METRICS",
    "classification",
    "make_metric",
    "metric",
    "multiclass",
    "probability",
    "ranking",
    "regression",
    "survival",
]
