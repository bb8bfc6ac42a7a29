"""What there is: methods by their estimand, metrics by their task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from earnest.cli.show import Part, grid, indented
from earnest.cli.terminal import ACCENT, GREY, clean, emit
from earnest.core.specs import Estimand, MethodSpec


def show_methods(specs: Sequence[MethodSpec]) -> None:
    """Write the methods, those that estimate the same thing together."""
    emit(*_methods(specs))


def _methods(specs: Sequence[MethodSpec]) -> Iterator[Part]:
    widest = max(len(spec.name) for spec in specs)
    for estimand in dict.fromkeys(spec.estimand for spec in specs):
        yield Text(f"\n{_capital(estimand)}", style="bold")
        table = grid(2)
        for spec in specs:
            if spec.estimand is estimand:
                said = (clean(text) for text in (spec.title, _needs(spec), spec.cites))
                table.add_row(Text(spec.name.ljust(widest), style=ACCENT), _first_plain(said))
        yield indented(table)


def _capital(estimand: Estimand) -> str:
    return f"{estimand[0].upper()}{estimand[1:]}"


def _needs(spec: MethodSpec) -> str:
    folds = f", at least {spec.min_folds} folds" if spec.min_folds > 1 else ""
    interval = "with an interval" if spec.interval else "no interval"
    corrected = "corrected for the search" if spec.corrected else "not corrected for the search"
    return f"needs {spec.needs}{folds}; {spec.metrics}; {interval}; {corrected}"


def _first_plain(lines: Iterable[str]) -> Text:
    first, *rest = lines
    return Text(first).append("".join(f"\n{line}" for line in rest), GREY)


def show_metrics(metrics: Sequence[Any]) -> None:
    """Write the metrics, those of the same tasks together."""
    emit(*_metrics(metrics))


def _metrics(metrics: Sequence[Any]) -> Iterator[Part]:
    widest = max(len(metric.name) for metric in metrics)
    for tasks in dict.fromkeys(_tasks(metric) for metric in metrics):
        yield Text(f"\n{tasks.capitalize()}", style="bold")
        table = grid(4)
        for metric in metrics:
            if _tasks(metric) == tasks:
                better = "higher" if metric.greater_is_better else "lower"
                table.add_row(
                    Text(metric.name.ljust(widest), style=ACCENT),
                    Text(better.ljust(6), style=GREY),
                    Text(f"from {metric.needs}".ljust(16), style=GREY),
                    Text(clean(metric.title)),
                )
        yield indented(table)
    yield Text("\nhigher, lower: which is better; from: what a model must answer", style=GREY)


def _tasks(metric: Any) -> str:
    return " or ".join(sorted(str(task) for task in metric.tasks))
