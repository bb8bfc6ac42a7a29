"""What there is: methods and tests by their estimand, metrics by their task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from earnest.cli.show.estimate import Part, grid, indented
from earnest.cli.show.terminal import ACCENT, GREY, clean, columns, emit
from earnest.comparison.base import TestSpec
from earnest.core.results.specs import MethodSpec

_OF_SKLEARN = re.compile(r"^neg_|_(score|loss|micro|error|censored|corrcoef)$")  # code's words
NARROW = 72  # columns under which four cells do not stand side by side


def show_methods(specs: Sequence[MethodSpec]) -> None:
    """Write the methods, those that estimate the same thing together."""
    emit(*_list_specs(specs, [_needs_of_method(spec) for spec in specs]))


def show_tests(specs: Sequence[TestSpec]) -> None:
    """Write the tests, those that compare the same thing together."""
    emit(*_list_specs(specs, [_needs_of_test(spec) for spec in specs], "compares "))


def _list_specs(
    specs: Sequence[MethodSpec | TestSpec], needs: Sequence[str], verb: str = ""
) -> Iterator[Part]:
    """Yield an estimand and a table of its specs: name, title, needs, what to cite."""
    widest = max(len(spec.name) for spec in specs)
    for estimand in dict.fromkeys(spec.estimand for spec in specs):
        words = f"{verb}{estimand}"
        yield Text(f"\n{words[0].upper()}{words[1:]}", style="bold")
        table = grid(2)
        for spec, needed in zip(specs, needs, strict=True):
            if spec.estimand is estimand:
                text = Text(clean(spec.title)).append(
                    f"\n{clean(needed)}\n{clean(spec.cites)}{_list_presets(spec)}", GREY
                )
                table.add_row(Text(spec.name.ljust(widest), style=ACCENT), text)
        yield indented(table)


def _list_presets(spec: MethodSpec | TestSpec) -> str:
    """Return a line for each name that means the method with knobs."""
    presets = spec.presets if isinstance(spec, MethodSpec) else {}
    return "".join(
        f"\n{name}: {', '.join(f'{knob}={value!r}' for knob, value in knobs.items())}"
        for name, knobs in presets.items()
    )


def _needs_of_test(spec: TestSpec) -> str:
    folds = f", at least {spec.min_folds} folds" if spec.min_folds > 1 else ""
    if spec.design is not None:
        folds = f", {spec.design[0]} repeats of {spec.design[1]} folds"
    output = "a p-value" if spec.p_value else "probabilities instead of a p-value"
    limits = [
        word for word, there in (("repeats", spec.repeats), ("groups", spec.groups)) if not there
    ]
    without = f"; not with {' or '.join(limits)}" if limits else ""
    return f"needs {spec.evidence}{folds}; {spec.metrics}; gives {output}{without}"


def _needs_of_method(spec: MethodSpec) -> str:
    folds = f", at least {spec.min_folds} folds" if spec.min_folds > 1 else ""
    folds += f" and {spec.min_repeats} repeats" if spec.min_repeats > 1 else ""
    folds = ", a fold for every case" if spec.leave_one_out else folds
    interval = "with an interval" if spec.interval else "no interval"
    corrected = "corrected for the search" if spec.corrected else "not corrected for the search"
    return f"needs {spec.evidence}{folds}; {spec.metrics}; {interval}; {corrected}"


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
    names = {metric.name, metric.title.lower().replace(" ", "_")}
    other = [word for word in metric.aliases if not _OF_SKLEARN.search(word) and word not in names]
    text = Text(clean(metric.title))
    others = ", ".join(
        word.replace("_", " ") for word in other
    )  # names are read without underscores
    return text.append(f", or {others}", GREY) if other else text


def _facts(metric: Any) -> tuple[str, str]:
    if metric.ideal is not None:
        return f"right at {metric.ideal:g}", f"from {metric.needs}"
    return "higher" if metric.greater_is_better else "lower", f"from {metric.needs}"


def _tasks(metric: Any) -> str:
    return " or ".join(sorted(str(task) for task in metric.tasks))
