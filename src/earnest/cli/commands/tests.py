"""`earnest tests`: the ways to compare two configurations, by what they compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.cli.commands import lookup
from earnest.cli.options.common import AsJson
from earnest.cli.show.terminal import write_json

if TYPE_CHECKING:
    from earnest.comparison.base import TestSpec


HELP = (
    "The tests: what each compares and needs, and what to cite for it.\n\n"
    "  earnest tests\n"
    "  earnest tests delong\n"
    "  earnest tests delong --bibtex >> paper.bib"
)
SCHEMA = "earnest/tests/1"


def command(
    names: lookup.Names = None, bibtex: lookup.AsBibTeX = False, json: AsJson = False
) -> None:
    """List the registered tests, or those that were named with their references."""
    from earnest.comparison import TESTS

    specs = [TESTS[name].spec for name in names or TESTS]
    if bibtex:
        lookup.write_bibtex(specs)
    elif json:
        write_json({"schema": SCHEMA, "tests": [_describe(spec) for spec in specs]})
    else:
        from earnest.cli.show.comparison import show_tests

        show_tests(specs)
        lookup.show_references(specs if names else ())


def _describe(spec: TestSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "title": spec.title,
        "aliases": list(spec.aliases),
        "estimand": str(spec.estimand),
        "needs": str(spec.needs),
        "metrics": str(spec.metrics),
        "min_folds": spec.min_folds,
        "repeats": spec.repeats,
        "groups": spec.groups,
        "p_value": spec.p_value,
        "draws": spec.draws,
        "cites": spec.cites,
    }
