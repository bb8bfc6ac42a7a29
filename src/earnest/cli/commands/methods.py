"""`earnest methods`: the ways to an honest number, by what they estimate."""

from __future__ import annotations

from earnest.cli.commands import lookup
from earnest.cli.options.common import AsJson

HELP = (
    "The methods: what each estimates and needs, and what to cite for it.\n\n"
    "  earnest methods\n"
    "  earnest methods bbc delong\n"
    "  earnest methods bbc --bibtex >> paper.bib"
)
FIELDS = (
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


def command(
    names: lookup.Names = None, bibtex: lookup.AsBibTeX = False, json: AsJson = False
) -> None:
    """List the registered methods, or those that were named with their references."""
    from earnest.methods import METHODS

    specs = [METHODS[name].spec for name in names or METHODS]
    if not lookup.write_specs("methods", specs, FIELDS, bibtex=bibtex, json=json):
        from earnest.cli.show.lists import show_methods

        show_methods(specs)
        lookup.show_references(specs if names else ())
