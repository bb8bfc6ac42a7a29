"""`earnest compare`: which of two configurations is better, or which may be the best of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from earnest.cli import options
from earnest.cli.options import (
    make_argument,
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)
from earnest.cli.reading import label_evidence, read_evidence
from earnest.cli.writing import check_table, share_seed, write_results
from earnest.core.base import check
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.comparison.base import Test


_HOW = "How to compare"

_KNOBS = "See [bold]earnest tests[/bold]. With options: \"mcnemar(p='mid')\"."
LearnersTest = Annotated[str, make_option(_HOW, "NAME", _KNOBS)]
Alternative = Annotated[
    str, make_option(_HOW, "SIGN", "Alternative for A - B: two-sided, less (below 0) or greater.")
]
Level = Annotated[float, make_level_option(_HOW)]
Seed = Annotated[int | None, make_seed_option(_HOW)]


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
    a: Annotated[str | None, make_argument("A", "The first configuration.")] = None,
    b: Annotated[
        str | None,
        make_argument("B", "The second configuration."),
    ] = None,
    everything: Annotated[
        bool, make_option(None, "", "Compare all configurations with the best.", "--all")
    ] = False,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    test: Annotated[
        str | None,
        make_option(
            _HOW,
            "NAME",
            "[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  " + _KNOBS,
        ),
    ] = None,
    alternative: Alternative = "two-sided",
    level: Level = 0.95,
    adjust: Annotated[
        str | None,
        make_option(
            _HOW,
            "RULE",
            "[dim]default: simultaneous[/dim]  With --all, how to adjust p-values: "
            "simultaneous, holm, bh or none.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        make_option(
            _HOW, "NAME", "With --all, the configuration to compare with instead of the best."
        ),
    ] = None,
    rope: Annotated[
        float | None,
        make_option(
            _HOW, "SIZE", "For --test bayesian_t: the largest difference that does not matter."
        ),
    ] = None,
    n_resamples: Annotated[
        int | None, make_option(_HOW, "N", "Number of draws of bootstrap and sign_flip.")
    ] = None,
    seed: Seed = None,
    n_jobs: Annotated[int | None, make_jobs_option(_HOW)] = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read predictions, compare two or all, and show or write what the test says."""
    _check_names(a, everything, adjust, reference)
    check_table(table, json)
    pi, metrics = read_evidence(predictions, reading, scoring, metric)
    ask: CompareOptions = {
        "test": _configure_test(test, rope),
        "alternative": alternative,
        "confidence_level": level,
        "n_resamples": n_resamples,
        "n_jobs": n_jobs,
    }
    from earnest.cli.show.comparison import show_comparison, show_comparisons
    from earnest.comparison.run import compare, compare_many

    names, seed = label_evidence(pi), share_seed(metrics, seed)
    if everything:
        rule = adjust or "simultaneous"
        several = {
            name: compare_many(pi, metric=name, rng=seed, adjust=rule, reference=reference, **ask)
            for name in metrics
        }
        if not write_results(several, json, table):
            for all_pairs in several.values():
                show_comparisons(all_pairs, names=names)
    else:
        first, second = _name_pair(pi.configs.ids, a, b)
        made = {name: compare(pi, first, second, metric=name, rng=seed, **ask) for name in metrics}
        if not write_results(made, json, table):
            for one in made.values():
                show_comparison(one, names=names)


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
