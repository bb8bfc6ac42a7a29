"""`earnest methods`: the ways to an honest number, by what they estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.cli.commands import lookup
from earnest.cli.options.common import AsJson
from earnest.cli.show.terminal import write_json

if TYPE_CHECKING:
    from earnest.core.results.specs import MethodSpec


HELP = (
    "The methods: what each estimates and needs, and what to cite for it.\n\n"
    "  earnest methods\n"
    "  earnest methods bbc delong\n"
    "  earnest methods bbc --bibtex >> paper.bib"
)
SCHEMA = "earnest/methods/1"


def command(
    names: lookup.Names = None, bibtex: lookup.AsBibTeX = False, json: AsJson = False
) -> None:
    """List the registered methods, or those that were named with their references."""
    from earnest.methods import METHODS

    specs = [METHODS[name].spec for name in names or METHODS]
    if bibtex:
        lookup.write_bibtex(specs)
    elif json:
        write_json({"schema": SCHEMA, "methods": [_describe(spec) for spec in specs]})
    else:
        from earnest.cli.show.lists import show_methods

        show_methods(specs)
        lookup.show_references(specs if names else ())


def _describe(spec: MethodSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "title": spec.title,
        "aliases": list(spec.aliases),
        "estimand": str(spec.estimand),
        "needs": str(spec.needs),
        "metrics": str(spec.metrics),
        "min_folds": spec.min_folds,
        "interval": spec.interval,
        "corrected": spec.corrected,
        "static_only": spec.static_only,
        "cites": spec.cites,
    }
