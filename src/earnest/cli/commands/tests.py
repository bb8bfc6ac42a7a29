"""`earnest tests`: the ways to compare two configurations, by what they compare."""

from __future__ import annotations

from earnest.cli.commands import lookup
from earnest.cli.options.common import AsJson

HELP = (
    "The tests: what each compares and needs, and what to cite for it.\n\n"
    "  earnest tests\n"
    "  earnest tests delong\n"
    "  earnest tests delong --bibtex >> paper.bib"
)
FIELDS = (
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


def command(
    names: lookup.Names = None, bibtex: lookup.AsBibTeX = False, json: AsJson = False
) -> None:
    """List the registered tests, or those that were named with their references."""
    from earnest.comparison import TESTS

    specs = [TESTS[name].spec for name in names or TESTS]
    if not lookup.write_specs("tests", specs, FIELDS, bibtex=bibtex, json=json):
        from earnest.cli.show.comparison import show_tests

        show_tests(specs)
        lookup.show_references(specs if names else ())
