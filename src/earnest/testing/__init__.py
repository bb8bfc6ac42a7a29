"""Contract suites that a new method or metric must pass, for our own tests and for yours."""

from earnest.testing.examples import (
    example_predictions,
    example_replicates,
    mirrored,
    squared_error,
)
from earnest.testing.examples import in_order as in_order
from earnest.testing.method_contract import METHOD_LAWS, MethodCase, check_method
from earnest.testing.metric_contract import METRIC_LAWS, MetricCase, check_metric

__all__ = [
    "METHOD_LAWS",
    "METRIC_LAWS",
    "MethodCase",
    "MetricCase",
    "check_method",
    "check_metric",
    "example_predictions",
    "example_replicates",
    "mirrored",
    "squared_error",
]
