"""`earnest compare`: which of two configurations is better, or which may be the best of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from earnest.cli.options import Output, Table, make_argument
from earnest.cli.reading import label_evidence, read_file_and_metrics
from earnest.cli.writing import check_table, share_seed, write_results
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.compare import CompareArguments, CompareManyArguments
from earnest.core.arguments.shared import HOW, PredictionsArguments, ScoresArguments
from earnest.core.base import check
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.comparison.base import Test


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


@dataclass(frozen=True, kw_only=True)
class EveryPair:
    """Whether all configurations are compared."""

    all: Annotated[bool, Argument("Compare all configurations with the best.", usual=True)] = False


@dataclass(frozen=True, kw_only=True)
class Equivalence:
    """Which differences do not matter."""

    rope: Annotated[
        float | None,
        Argument(
            "For --test bayesian_t: the largest difference that does not matter.", "SIZE", HOW
        ),
    ] = None


def command(
    predictions: Table,
    a: Annotated[str | None, make_argument("A", "The first configuration.")] = None,
    b: Annotated[str | None, make_argument("B", "The second configuration.")] = None,
    *,
    question: CompareArguments,
    every: EveryPair,
    output: Output,
    many: CompareManyArguments,
    region: Equivalence,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read predictions, compare two or all, and show or write what the test says."""
    _check_names(a, every.all, many)
    check_table(output)
    if every.all and question.by:
        raise InputError("--by compares two configurations", cure="Leave out --all or --by.")
    pi, metrics = read_file_and_metrics(predictions, reading, scoring, question.metric, question.by)
    ask = pass_arguments(question, without=("metric", "by", "rng"))
    ask["test"] = _configure_test(question.test, region.rope)
    from earnest.cli.show.comparison import show_comparison, show_comparisons
    from earnest.comparison.run import compare, compare_many

    names, seed = label_evidence(pi), share_seed(metrics, question.rng)
    if every.all:
        rule, reference = many.adjust or "simultaneous", many.reference
        several = {
            name: compare_many(pi, metric=name, rng=seed, adjust=rule, reference=reference, **ask)
            for name in metrics
        }
        if not write_results(several, output):
            for all_pairs in several.values():
                show_comparisons(all_pairs, names=names)
    else:
        first, second = _name_pair(pi.configs.ids, a, b)
        comparisons = {
            name: compare(pi, first, second, metric=name, by=question.by, rng=seed, **ask)
            for name in metrics
        }
        if not write_results(comparisons, output):
            for comparison in comparisons.values():
                show_comparison(comparison, names=names)


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


def _check_names(a: str | None, everything: bool, many: CompareManyArguments) -> None:
    if everything and a is not None:
        raise InputError(
            "--all cannot be combined with names of configurations",
            cure="Leave one of them out; use --reference NAME to compare all with that one.",
        )
    if not everything and many != CompareManyArguments():
        raise InputError("--adjust and --reference need --all", cure="Leave them out.")


def _configure_test(name: str | None, rope: float | None) -> str | Test | None:
    """Return the test by name, or with its region of practical equivalence."""
    if rope is None:
        return name
    if name != "bayesian_t":
        raise InputError("--rope needs --test bayesian_t", cure="Leave it out.")
    from earnest.comparison.tests.bayesian_t import BayesianTTest

    return BayesianTTest(rope=rope)
