"""`earnest methods`: the ways to an honest number, by what they estimate."""

from __future__ import annotations

from typing import Any

from earnest.cli.options import AsJson
from earnest.cli.terminal import write_json

HELP = "The methods: what each estimates and needs."
SCHEMA = "earnest/methods/1"


def command(json: AsJson = False) -> None:
    """List the registered methods."""
    from earnest.methods import METHODS

    specs = [method.spec for method in METHODS.values()]
    if json:
        write_json({"schema": SCHEMA, "methods": [_plain(spec) for spec in specs]})
        return
    from earnest.cli.show_lists import show_methods

    show_methods(specs)


def _plain(spec: Any) -> dict[str, Any]:
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
