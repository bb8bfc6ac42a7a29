"""`earnest compare`: which of two configurations is better, or which may be the best of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from earnest.cli import options
from earnest.cli.options import (
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)
from earnest.cli.reading import label_evidence, read_evidence
from earnest.cli.writing import check_table, share_seed, write_each
from earnest.core.base import check
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.comparison.base import Test
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores
    from earnest.core.results.comparison import Comparison
    from earnest.core.results.comparison_table import Comparisons


_HOW = "How to compare"

First = Annotated[
    str | None,
    typer.Argument(metavar="A", help="The first configuration.", show_default=False),
]
Second = Annotated[
    str | None,
    typer.Argument(metavar="B", help="The second configuration.", show_default=False),
]
All = Annotated[
    bool,
    typer.Option("--all", metavar="", help="Compare all configurations with the best."),
]
_KNOBS = "See [bold]earnest tests[/bold]. With options: \"mcnemar(p='mid')\"."
TestName = Annotated[
    str | None,
    make_option(
        _HOW,
        "--test",
        "NAME",
        "[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  " + _KNOBS,
    ),
]
LearnersTest = Annotated[
    str,
    make_option(_HOW, "--test", "NAME", _KNOBS),
]
Alternative = Annotated[
    str,
    make_option(
        _HOW,
        "--alternative",
        "SIGN",
        "Alternative for A - B: two-sided, less (below 0) or greater.",
    ),
]
Level = Annotated[float, make_level_option(_HOW)]
Adjust = Annotated[
    str | None,
    make_option(
        _HOW,
        "--adjust",
        "RULE",
        "[dim]default: simultaneous[/dim]  With --all, how to adjust p-values: "
        "simultaneous, holm, bh or none.",
    ),
]
Reference = Annotated[
    str | None,
    make_option(
        _HOW,
        "--reference",
        "NAME",
        "With --all, the configuration to compare with instead of the best.",
    ),
]
Rope = Annotated[
    float | None,
    make_option(
        _HOW,
        "--rope",
        "SIZE",
        "For --test bayesian_t: the largest difference that does not matter.",
    ),
]
Resamples = Annotated[
    int | None,
    make_option(_HOW, "--n-resamples", "N", "Number of draws of bootstrap and sign_flip."),
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]


HELP = (
    "Is A [bold]really[/bold] better than B? Their difference, its interval, and what it shows."
    "\n\n"
    "Reads out-of-fold predictions: a column [bold]y[/bold] with the outcome, a column "
    "[bold]fold[/bold], and a column for each configuration. Both are compared on the same cases."
    "\n\n"
    "  earnest compare preds.csv svm rf --metric accuracy\n"
    "  earnest compare preds.csv svm rf -m roc_auc --test delong\n"
    "  earnest compare scores.csv --scores --all\n"
    "  earnest compare preds.csv --all -m accuracy --json > compared.json"
)


class CompareOptions(TypedDict):
    """What is asked of two configurations and of all of them alike."""

    test: str | Test | None
    alternative: str
    confidence_level: float
    n_resamples: int | None
    n_jobs: int | None


def command(
    predictions: options.Table,
    metric: options.MetricNames = None,
    a: First = None,
    b: Second = None,
    everything: All = False,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    test: TestName = None,
    alternative: Alternative = "two-sided",
    level: Level = 0.95,
    adjust: Adjust = None,
    reference: Reference = None,
    rope: Rope = None,
    n_resamples: Resamples = None,
    seed: Seed = None,
    n_jobs: Jobs = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read predictions, compare two or all, and show or write what the test says."""
    _check_names(a, everything, adjust, reference)
    check_table(table, json)
    if seed is not None:
        check.whole_number("seed", seed, low=0)
    pi, metrics = read_evidence(predictions, reading, scoring, metric)
    ask: CompareOptions = {
        "test": _configure_test(test, rope),
        "alternative": alternative,
        "confidence_level": level,
        "n_resamples": n_resamples,
        "n_jobs": n_jobs,
    }
    seed = share_seed(metrics, seed)
    if everything:
        from earnest.cli.show.comparison import show_comparisons

        ask_all = _compare_all(pi, adjust or "simultaneous", reference, ask)
        tables = {name: ask_all(name, seed) for name in metrics}
        for several in write_each(tables, json=json, table=table):
            show_comparisons(several, names=label_evidence(pi))
    else:
        from earnest.cli.show.comparison import show_comparison

        ask_pair = _compare_pair(pi, *_name_pair(pi.configs.ids, a, b), ask)
        results = {name: ask_pair(name, seed) for name in metrics}
        for made in write_each(results, json=json, table=table):
            show_comparison(made, names=label_evidence(pi))


def _name_pair(names: tuple[str, ...], a: str | None, b: str | None) -> tuple[str, str]:
    """Return the two to compare; of two configurations neither need be named."""
    if a is not None and b is not None:
        return a, b
    if len(names) == 2 and (a is None or a in names):
        first = names[0] if a is None else a
        return first, names[1 - names.index(first)]
    raise InputError(
        "there are not two configurations to compare",
        needs=f"two names of {check.some(names)}, or --all"
        if len(names) > 1
        else "a table with two or more",
        got=f"one configuration, {names[0]!r}"
        if len(names) == 1
        else "no name"
        if a is None
        else f"one name, {a!r}",
    )


def _check_names(
    a: str | None, everything: bool, adjust: str | None, reference: str | None
) -> None:
    if everything and a is not None:
        raise InputError(
            "--all cannot be combined with names of configurations",
            cure="Leave one of them out; use --reference NAME to compare all with that one.",
        )
    if not everything and (adjust is not None or reference is not None):
        raise InputError("--adjust and --reference need --all", cure="Leave them out.")


def _configure_test(name: str | None, rope: float | None) -> str | Test | None:
    """Return the test by name, or with its region of practical equivalence."""
    if rope is None:
        return name
    if name != "bayesian_t":
        raise InputError("--rope needs --test bayesian_t", cure="Leave it out.")
    from earnest.comparison.tests.bayesian_t import BayesianTTest

    return BayesianTTest(rope=rope)


def _compare_pair(
    pi: Predictions | Scores, a: str, b: str, ask: CompareOptions
) -> Callable[[str, int | None], Comparison]:
    from earnest.comparison.run import compare

    def answer(metric: str, seed: int | None) -> Comparison:
        return compare(pi, a, b, metric=metric, rng=seed, **ask)

    return answer


def _compare_all(
    pi: Predictions | Scores, adjust: str, reference: str | None, ask: CompareOptions
) -> Callable[[str, int | None], Comparisons]:
    from earnest.comparison.run import compare_many

    def answer(metric: str, seed: int | None) -> Comparisons:
        return compare_many(pi, metric=metric, rng=seed, adjust=adjust, reference=reference, **ask)

    return answer
