"""`earnest methods`, `tests` and `metrics`: what there is to ask, and what to cite for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from earnest.cli.options import make_argument
from earnest.cli.show.terminal import write, write_json
from earnest.core.arguments.base import Argument

if TYPE_CHECKING:
    from earnest.comparison.base import TestSpec
    from earnest.core.results.specs import MethodSpec
    from earnest.metrics.families import Metric

    Spec: TypeAlias = MethodSpec | TestSpec


Names = Annotated[
    list[str] | None, make_argument("NAME", "Show only these, with their references.")
]
AsJson = Annotated[bool, Argument("Write only one JSON object.", usual=True)]
AsBibTeX = Annotated[bool, Argument("Write only the references, as BibTeX.", usual=True)]

METHODS_HELP = (
    "The methods: what each estimates and needs, and what to cite for it.\n\n"
    "  earnest methods\n"
    "  earnest methods bbc delong\n"
    "  earnest methods bbc --bibtex >> paper.bib"
)
METHOD_FIELDS = (
    "name",
    "title",
    "aliases",
    "estimand",
    "needs",
    "metrics",
    "min_folds",
    "interval",
    "corrected",
    "static_only",
    "cites",
)
TESTS_HELP = (
    "The tests: what each compares and needs, and what to cite for it.\n\n"
    "  earnest tests\n"
    "  earnest tests delong\n"
    "  earnest tests delong --bibtex >> paper.bib"
)
TEST_FIELDS = (
    "name",
    "title",
    "aliases",
    "estimand",
    "needs",
    "metrics",
    "min_folds",
    "repeats",
    "groups",
    "p_value",
    "draws",
    "cites",
)
METRICS_HELP = "The metrics: their tasks and what they are computed from."
METRICS_SCHEMA = "earnest/metrics/1"


def list_methods(names: Names = None, bibtex: AsBibTeX = False, json: AsJson = False) -> None:
    """List the registered methods, or those that were named with their references."""
    from earnest.methods import METHODS

    specs = [METHODS[name].spec for name in names or METHODS]
    if not write_specs("methods", specs, METHOD_FIELDS, bibtex=bibtex, json=json):
        from earnest.cli.show.lists import show_methods

        show_methods(specs)
        show_references(specs if names else ())


def list_tests(names: Names = None, bibtex: AsBibTeX = False, json: AsJson = False) -> None:
    """List the registered tests, or those that were named with their references."""
    from earnest.comparison import TESTS

    specs = [TESTS[name].spec for name in names or TESTS]
    if not write_specs("tests", specs, TEST_FIELDS, bibtex=bibtex, json=json):
        from earnest.cli.show.lists import show_tests

        show_tests(specs)
        show_references(specs if names else ())


def list_metrics(json: AsJson = False) -> None:
    """List the registered metrics."""
    from earnest.metrics import METRICS

    metrics = METRICS.values()
    if json:
        write_json(
            {"schema": METRICS_SCHEMA, "metrics": [_describe_metric(metric) for metric in metrics]}
        )
        return
    from earnest.cli.show.lists import show_metrics

    show_metrics(metrics)


def _describe_metric(metric: Metric) -> dict[str, object]:
    return {
        "name": metric.name,
        "title": metric.title,
        "aliases": list(metric.aliases),
        "tasks": sorted(str(task) for task in metric.tasks),
        "needs": str(metric.needs),
        "greater_is_better": metric.greater_is_better,
        "ideal": metric.ideal,
        "limits": list(metric.limits),
        "pointwise": metric.pointwise,
    }


def show_references(specs: Sequence[Spec]) -> None:
    """Write the references of what was looked up, if anything was."""
    if not specs:
        return
    from rich.text import Text

    from earnest.cli.show.estimate import grid, indented
    from earnest.cli.show.terminal import clean, emit

    table = grid(1)
    for words in _list_references(specs, "text"):
        table.add_row(Text(clean(words)))
    emit(Text("\nTo cite", style="bold"), indented(table))


def write_specs(
    kind: str, specs: Sequence[Spec], fields: Sequence[str], *, bibtex: bool, json: bool
) -> bool:
    """Write specs for programs, as entries of a bibliography or as JSON; tell whether it did."""
    if bibtex:
        write("\n\n".join(_list_references(specs, "bibtex")) + "\n")
    elif json:
        listed = [{name: _to_plain(getattr(spec, name)) for name in fields} for spec in specs]
        write_json({"schema": f"earnest/{kind}/1", kind: listed})
    return bibtex or json


def _to_plain(value: object) -> object:
    """Return a field of a spec as JSON has it: words for an enumeration, a list for a tuple."""
    if isinstance(value, str):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _list_references(specs: Sequence[Spec], form: str) -> tuple[str, ...]:
    from earnest.reporting.references import references_of

    return references_of(specs, form)
