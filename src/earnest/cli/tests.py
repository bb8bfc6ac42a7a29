"""`earnest tests`: the ways to compare two configurations, by what they compare."""

from __future__ import annotations

from typing import Any

from earnest.cli.options import AsJson
from earnest.cli.terminal import write_json

HELP = "The tests: what each compares and needs."
SCHEMA = "earnest/tests/1"


def command(json: AsJson = False) -> None:
    """List the registered tests."""
    from earnest.comparison import TESTS

    specs = [test.spec for test in TESTS.values()]
    if json:
        write_json({"schema": SCHEMA, "tests": [_plain(spec) for spec in specs]})
        return
    from earnest.cli.show_comparison import show_tests

    show_tests(specs)


def _plain(spec: Any) -> dict[str, Any]:
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
