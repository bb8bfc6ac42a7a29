"""What there is: methods by their estimand, metrics by their task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from earnest.cli.show.estimate import Part, grid, indented
from earnest.cli.show.terminal import ACCENT, GREY, clean, columns, emit
from earnest.core.results.specs import Estimand, MethodSpec

_OF_SKLEARN = re.compile(r"^neg_|_(score|loss|micro|error|censored|corrcoef)$")  # code's words
NARROW = 72  # columns under which four cells do not stand side by side


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
    folds += f" and {spec.min_repeats} repeats" if spec.min_repeats > 1 else ""
    folds = ", a fold for every case" if spec.leave_one_out else folds
    interval = "with an interval" if spec.interval else "no interval"
    corrected = "corrected for the search" if spec.corrected else "not corrected for the search"
    return f"needs {spec.needs}{folds}; {spec.metrics}; {interval}; {corrected}"


def _first_plain(lines: Iterable[str]) -> Text:
    first, *rest = lines
    return Text(first).append("".join(f"\n{line}" for line in rest), GREY)


def show_metrics(metrics: Sequence[Any]) -> None:
    """Write the metrics, those of the same tasks together."""
    emit(*_metrics(metrics, narrow=columns() < NARROW))


def _metrics(metrics: Sequence[Any], *, narrow: bool) -> Iterator[Part]:
    widest = max(len(metric.name) for metric in metrics)
    for tasks in dict.fromkeys(_tasks(metric) for metric in metrics):
        yield Text(f"\n{tasks.capitalize()}", style="bold")
        table = grid(2 if narrow else 4)
        for metric in metrics:
            if _tasks(metric) == tasks:
                name = Text(metric.name.ljust(widest), style=ACCENT)
                table.add_row(name, *(_pile(metric) if narrow else _cells(metric)))
        yield indented(table)
    yield Text("\nhigher, lower: which is better; from: what a model must predict", style=GREY)


def _cells(metric: Any) -> tuple[Text, ...]:
    better, needs = _facts(metric)
    return Text(better.ljust(6), GREY), Text(needs.ljust(16), GREY), _title(metric)


def _pile(metric: Any) -> tuple[Text]:
    return (_title(metric).append("\n" + ", ".join(_facts(metric)), GREY),)


def _title(metric: Any) -> Text:
    """Return the words for people, and what else people say."""
    known = {metric.name, metric.title.lower().replace(" ", "_")}
    other = [word for word in metric.aliases if not _OF_SKLEARN.search(word) and word not in known]
    text = Text(clean(metric.title))
    said = ", ".join(word.replace("_", " ") for word in other)  # names are read without underscores
    return text.append(f", or {said}", GREY) if other else text


def _facts(metric: Any) -> tuple[str, str]:
    return "higher" if metric.greater_is_better else "lower", f"from {metric.needs}"


def _tasks(metric: Any) -> str:
    return " or ".join(sorted(str(task) for task in metric.tasks))
