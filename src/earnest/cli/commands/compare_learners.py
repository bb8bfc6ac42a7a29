"""`earnest compare-learners`: which of two learners is better, by training both on a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from earnest.cli.commands.assess import (
    METRICS,
    decode_outcome,
    find_learner,
    make_learner_for,
    make_progress_line,
    name_file,
    tell_how_to_resume,
)
from earnest.cli.options import Data, JsonOutput, LearnerOptions
from earnest.cli.reading import read_case_table
from earnest.cli.writing import share_seed, write_results
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.compare_learners import CompareLearnersArguments
from earnest.core.arguments.shared import CasesArguments
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.results.comparison import Comparison

HELP = (
    "Is one learner [bold]really[/bold] better than another? Trains both on the same "
    "splits.\n\nReads a table with one row per case, trains two learners with their "
    "preprocessing on the same folds or bootstrap samples, and shows the difference with its "
    "interval.\n\n  earnest compare-learners cases.csv -t relapse --model rf --versus svm\n  "
    "earnest compare-learners cases.csv -t relapse --versus lda --test lpob"
)


@dataclass(frozen=True, kw_only=True)
class OtherLearner:
    """Which learner is compared."""

    versus: Annotated[
        str, Argument("The other learner, with the same names.", "NAME", usual=True)
    ] = "logistic"


def command(
    data: Data,
    *,
    learner: LearnerOptions,
    other: OtherLearner,
    question: CompareLearnersArguments,
    output: JsonOutput,
    reading: CasesArguments,
) -> None:
    """Read the table, train both learners, and show or write what the test says."""
    target, test, out = learner.target, question.test, question.store
    if target is None:
        raise InputError("no outcome column is given", needs="--target COLUMN")
    kinds = [
        find_learner(name) for name in (learner.model, other.versus)
    ]  # unknown names are told first
    table = read_case_table(data, target, reading)
    names = [f"{kinds[0]}-1", f"{kinds[1]}-2"] if kinds[0] == kinds[1] else kinds
    first, second = (
        (name, make_learner_for(kind, table)) for name, kind in zip(names, kinds, strict=True)
    )
    from earnest.cli.show.comparison import show_comparison
    from earnest.core.results.estimate import by_severity
    from earnest.engine.patience import pass_scores_on
    from earnest.training.assess.compare_learners import compare_learners

    metrics: list[str | None] = [*dict.fromkeys(question.metric or ())]
    wanted = metrics or [_choose_metric(test, str(table.task))]

    seed = share_seed(wanted, question.rng)

    ask_alike = pass_arguments(question, without=("metric", "store", "rng"))

    line = make_progress_line("Training", quiet=learner.quiet)

    def ask(name: str | None) -> Comparison:
        comparison = compare_learners(
            first,
            second,
            table.X,
            decode_outcome(table),
            metric=name,
            store=out if len(wanted) == 1 or name is None else name_file(out, name),
            rng=seed,
            **ask_alike,
            groups=table.groups,
            positive=table.classes[1] if len(table.classes) == 2 else None,
            progress=line,
        )
        return replace(comparison, cautions=by_severity([*comparison.cautions, *table.cautions]))

    with tell_how_to_resume(out), pass_scores_on(line):
        results = {name: ask(name) for name in wanted}
        if not write_results(results, output):
            for comparison in results.values():
                show_comparison(comparison)


def _choose_metric(test: str, task: str) -> str | None:
    """Return the metric that goes with a test and a task, None where the test has its own."""
    if test.partition("(")[0] == "lpob":
        return None
    if test.partition("(")[0] in ("loob", "mcnemar", "sign_flip"):  # of means over cases
        return "mse" if task == "regression" else "accuracy"
    return METRICS[task]
