"""`earnest metrics`: what can be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.cli.options.common import AsJson
from earnest.cli.show.terminal import write_json

if TYPE_CHECKING:
    from earnest.metrics.families import Metric


HELP = "The metrics: their tasks and what they are computed from."
SCHEMA = "earnest/metrics/1"


def command(json: AsJson = False) -> None:
    """List the registered metrics."""
    from earnest.metrics import METRICS

    metrics = METRICS.values()
    if json:
        write_json({"schema": SCHEMA, "metrics": [_describe(metric) for metric in metrics]})
        return
    from earnest.cli.show.lists import show_metrics

    show_metrics(metrics)


def _describe(metric: Metric) -> dict[str, object]:
    return {
        "name": metric.name,
        "title": metric.title,
        "aliases": list(metric.aliases),
        "tasks": sorted(str(task) for task in metric.tasks),
        "needs": str(metric.needs),
        "greater_is_better": metric.greater_is_better,
        "limits": list(metric.limits),
        "pointwise": metric.pointwise,
    }
