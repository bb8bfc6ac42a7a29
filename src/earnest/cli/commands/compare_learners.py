"""`earnest compare-learners`: which of two learners is better, by training both on a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from earnest.cli.commands import compare as how
from earnest.cli.commands.assess import (
    METRICS,
    Jobs,
    Metrics,
    Model,
    Quiet,
    Store,
    find_learner,
    make_learner_for,
    make_progress_line,
    name_file,
    read_labels,
    tell_how_to_resume,
)
from earnest.cli.commands.tune import CasesReading, Data, Target
from earnest.cli.options import AsJson, make_option
from earnest.cli.reading import read_cases
from earnest.cli.writing import share_seed, write_results
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.results.comparison import Comparison

HELP = (
    "Is one learner [bold]really[/bold] better than another? Trains both on the same "
    "splits.\n\nReads a table with one row per case, trains two learners with their "
    "preprocessing on the same folds or bootstrap samples, and shows the difference with its "
    "interval.\n\n  earnest compare-learners patients.csv --target relapse --model rf --versus "
    "logistic\n  earnest compare-learners patients.csv -t relapse --model rf --versus lda "
    "--test lpob\n  earnest compare-learners patients.csv -t relapse --model rf --versus svm -m "
    "accuracy --json"
)
_HOW = "How to compare"


def command(
    data: Data,
    target: Target = None,
    model: Model = "rf",
    versus: Annotated[
        str, make_option(None, "NAME", "The other learner, with the same names.")
    ] = "logistic",
    metric: Metrics = None,
    json: AsJson = False,
    quiet: Quiet = False,
    test: how.LearnersTest = "corrected_t",
    alternative: how.Alternative = "two-sided",
    level: how.Level = 0.95,
    folds: Annotated[
        int | None,
        make_option(
            _HOW, "K", "[dim]default: 10[/dim]  Number of folds; resampled_t tests 1/K of the rows."
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        make_option(
            _HOW,
            "R",
            "[dim]default: 1[/dim]  Number of times to repeat the folds; for resampled_t, the "
            "number of splits.",
        ),
    ] = None,
    replicates: Annotated[
        int | None,
        make_option(
            _HOW, "N", "[dim]default: 1000[/dim]  Bootstrap samples, for --test lpob and loob."
        ),
    ] = None,
    seed: how.Seed = None,
    out: Store = None,
    n_jobs: Jobs = None,
    *,
    reading: CasesReading,
) -> None:
    """Read the table, train both learners, and show or write what the test says."""
    if target is None:
        raise InputError("no outcome column is given", needs="--target COLUMN")
    kinds = [find_learner(name) for name in (model, versus)]  # unknown names are told first
    table = read_cases(data, target, reading)
    names = [f"{kinds[0]}-1", f"{kinds[1]}-2"] if kinds[0] == kinds[1] else kinds
    first, second = (
        (name, make_learner_for(kind, table)) for name, kind in zip(names, kinds, strict=True)
    )
    from earnest.cli.show.comparison import show_comparison
    from earnest.core.results.estimate import by_severity
    from earnest.training.assess.compare_learners import compare_learners

    given: list[str | None] = [*dict.fromkeys(metric or ())]
    asked = given or [_choose_metric(test, str(table.task))]

    seed = share_seed(asked, seed)

    def ask(name: str | None) -> Comparison:
        made = compare_learners(
            first,
            second,
            table.X,
            read_labels(table),
            test=test,
            metric=name,
            cv=folds,
            n_repeats=repeats,
            n_replicates=replicates,
            alternative=alternative,
            confidence_level=level,
            store=out if len(asked) == 1 or name is None else name_file(out, name),
            n_jobs=n_jobs,
            rng=seed,
            groups=table.groups,
            positive=table.classes[1] if len(table.classes) == 2 else None,
            progress=make_progress_line("Training", quiet=quiet),
        )
        return replace(made, cautions=by_severity([*made.cautions, *table.cautions]))

    with tell_how_to_resume(out):
        results = {name: ask(name) for name in asked}
        if not write_results(results, json):
            for one in results.values():
                show_comparison(one)


def _choose_metric(test: str, task: str) -> str | None:
    """Return the metric that goes with a test and a task, None where the test has its own."""
    if test.partition("(")[0] == "lpob":
        return None
    if test.partition("(")[0] in ("loob", "mcnemar", "sign_flip"):  # of means over cases
        return "mse" if task == "regression" else "accuracy"
    return METRICS[task]
