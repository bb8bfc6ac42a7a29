"""`earnest assess`: how good a learner is on a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from earnest.cli.errors import write_line
from earnest.cli.options import Data, JsonOutput, LearnerOptions
from earnest.cli.reading import read_case_table, read_table_marks
from earnest.cli.writing import share_seed, write_results
from earnest.core.arguments.assess import AssessArguments
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.shared import HOW, CasesArguments
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from earnest.cli.show.progress import FoldLine
    from earnest.core.results.estimate import Estimate, Estimates
    from earnest.training.protocols import Estimator
    from earnest.training.tables.table import TrainingTable


HELP = (
    "How good is [bold]this learner[/bold]? Trains it as often as the method needs.\n\nReads a "
    "table with one row per case and assesses a learner with its preprocessing: by bootstrap "
    "samples (.632+ and its relatives) or by cross-validation, with an interval if the method "
    "has one.\n\n  earnest assess patients.csv --target relapse --model rf --rng 7\n  earnest "
    "assess patients.csv -t relapse --model lda --method corrected_t --group clinic\n  earnest "
    "assess patients.csv -t relapse --model logistic --all --json > assessed.json"
)
STABLE_METRICS = {"binary": "brier", "multiclass": "accuracy", "regression": "mse"}
METRICS = {"binary": "roc_auc", "multiclass": "accuracy", "regression": "r2"}


@dataclass(frozen=True, kw_only=True)
class EveryAssessment:
    """Whether all methods are asked."""

    all: Annotated[
        bool,
        Argument("Every method for one set of folds, and for bootstrap samples.", panel=HOW),
    ] = False


@dataclass(frozen=True, kw_only=True)
class WholeSearch:
    """A tuning in place of a learner, which nested cross-validation assesses."""

    portfolio: Annotated[
        str | None,
        Argument(
            "With --method nested, in place of --model: tune this portfolio, such as default or "
            "the path of a .toml file.",
            "NAME",
            HOW,
        ),
    ] = None
    n_configs: Annotated[
        int | None,
        Argument("The first N configurations of the portfolio.", "N", HOW, low=2),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StabilityOptions:
    """Whether the learner is checked instead of assessed."""

    stability: Annotated[
        bool,
        Argument(
            "Do not assess the learner, but check whether it is stable enough for the intervals "
            "and tests of bayle: replace single training cases.",
            panel=HOW,
        ),
    ] = False
    n_swaps: Annotated[
        int, Argument("With --stability: training cases to replace.", "N", HOW, low=2)
    ] = 100


def command(
    data: Data,
    *,
    learner: LearnerOptions,
    question: AssessArguments,
    every: EveryAssessment,
    search: WholeSearch,
    check: StabilityOptions,
    output: JsonOutput,
    reading: CasesArguments,
) -> None:
    """Read the table, train, and show or write what one or several methods say."""
    if every.all and question.method:
        raise InputError("--all and --method cannot be combined", cure="Leave one of them out.")
    target, test, out = learner.target, question.test, question.store
    names = list(dict.fromkeys(question.method or [".632+"]))
    if search.portfolio is None:
        refuse_searches(names)
    else:
        _check_search(learner, question, every, names)
    if check.stability:
        _refuse_beside_stability(question, every, search)
    if target is None:
        raise InputError("no outcome column is given", needs="--target COLUMN")
    several = len(dict.fromkeys(question.metric or ())) > 1
    if several and test is not None:
        raise InputError(
            "--test is for one metric", cure="Use a test set only once: pass one metric."
        )
    kind = find_learner(learner.model)  # an unknown name is told before the table is read
    table = read_case_table(data, target, reading)
    if check.stability:
        show_stability(kind, table, learner, question, check, output)
        return
    if search.portfolio is not None:
        assess_search(table, learner, question, search, output)
        return
    ask = pass_arguments(question, without=("metric", "method", "test", "rng", "store")) | {
        "estimator": make_learner_for(kind, table),
        "X": table.X,
        "y": decode_outcome(table),
        "groups": table.groups,
        "positive": table.classes[1] if len(table.classes) == 2 else None,
        "progress": make_progress_line(quiet=learner.quiet),
    }
    all_of_them = every.all or len(names) > 1
    if all_of_them and test is not None:
        raise InputError("--test is for one method", cure="Use --method holdout.")
    test_set = None if test is None else _read_test_set(test, table, target, reading)
    metrics = question.metric or [METRICS[str(table.task)]]
    seed = share_seed(metrics, question.rng)
    from earnest.cli.show.assess import show_all_assessed, show_assessed
    from earnest.engine.patience import pass_scores_on
    from earnest.training.assess.assess import assess, assess_all

    def ask_one(name: str) -> Estimate:
        store = name_file(out, name) if several else out
        method = names[0] if question.method else None  # the default knows the metric
        return assess(method=method, metric=name, rng=seed, store=store, test=test_set, **ask)

    def ask_all(name: str) -> Estimates:
        store = name_file(out, name) if several else out
        methods = None if every.all else names
        return assess_all(methods=methods, metric=name, rng=seed, store=store, **ask)

    with tell_how_to_resume(out), pass_scores_on(ask["progress"]):
        if all_of_them:
            answers = {name: ask_all(name) for name in metrics}
            if not write_results(answers, output):
                for all_methods in answers.values():
                    show_all_assessed(all_methods, source=table)
        else:
            estimates = {name: ask_one(name) for name in metrics}
            if not write_results(estimates, output):
                for estimate in estimates.values():
                    show_assessed(estimate, source=table, test=None if test is None else test.name)


def _check_search(
    learner: LearnerOptions, question: AssessArguments, every: EveryAssessment, names: list[str]
) -> None:
    """Refuse what does not go with a whole search, instead of ignoring it."""
    if names != ["nested"] or every.all:
        raise InputError("--portfolio is for --method nested", cure="Leave it out, or add that.")
    if learner.model != LearnerOptions.model:
        raise InputError(
            "--portfolio and --model cannot be combined", cure="Leave one of them out."
        )
    if question.test is not None:
        raise InputError("--test is for one learner", cure="Leave --portfolio out.")


def assess_search(
    table: TrainingTable,
    learner: LearnerOptions,
    question: AssessArguments,
    search: WholeSearch,
    output: JsonOutput,
) -> None:
    """Assess the tuning of a portfolio by nested cross-validation, by each metric."""
    from earnest.cli.show.assess import show_assessed
    from earnest.training.assess.assess import assess
    from earnest.training.learners.portfolio import load_portfolio
    from earnest.training.search.search_cv import SearchCV

    metrics = question.metric or [METRICS[str(table.task)]]
    seed = share_seed(metrics, question.rng)
    configurations = load_portfolio(str(search.portfolio)).configurations(
        table.task, table.inputs, n=search.n_configs, rng=seed, probabilities=True
    )
    several = len(metrics) > 1
    with tell_how_to_resume(question.store):
        estimates = {}
        for metric in metrics:
            searcher = SearchCV(
                None,
                list(configurations),
                scoring=metric,
                cv=question.cv,
                n_repeats=question.n_repeats or 1,
            )
            estimates[metric] = assess(
                searcher,
                table.X,
                table.y,
                method="nested",
                metric=metric,
                confidence_level=question.confidence_level,
                side=question.side,
                groups=table.groups,
                rng=seed,
                n_jobs=question.n_jobs,
                store=name_file(question.store, metric) if several else question.store,
                progress=make_progress_line(quiet=learner.quiet),
            )
        if not write_results(estimates, output):
            for estimate in estimates.values():
                show_assessed(estimate, source=table)


def _refuse_beside_stability(
    question: AssessArguments, every: EveryAssessment, search: WholeSearch
) -> None:
    """Refuse what a check of stability does not use, instead of ignoring it."""
    options = {
        "--method": question.method,
        "--all": every.all,
        "--test": question.test,
        "--store": question.store,
        "--portfolio": search.portfolio,
    }
    for option, value in options.items():
        if value:
            raise InputError(
                f"--stability and {option} cannot be combined",
                cure="Leave one of them out.",
            )


def show_stability(
    kind: str,
    table: TrainingTable,
    learner: LearnerOptions,
    question: AssessArguments,
    check: StabilityOptions,
    output: JsonOutput,
) -> None:
    """Check whether the learner is stable, by each metric, and show or write what was seen."""
    from earnest.cli.show.assess import show_stable
    from earnest.cli.show.terminal import write_json
    from earnest.training.assess.stability import check_stability

    metrics = question.metric or [STABLE_METRICS[str(table.task)]]
    checks = [
        check_stability(
            (kind, make_learner_for(kind, table)),
            table.X,
            table.y,
            metric=metric,
            cv=question.cv,
            n_swaps=check.n_swaps,
            groups=table.groups,
            positive=1 if len(table.classes) == 2 else None,
            n_jobs=question.n_jobs,
            progress=make_progress_line(quiet=learner.quiet),
            rng=question.rng,
        )
        for metric in metrics
    ]
    if output.json:
        plain = [stability.to_dict() for stability in checks]
        write_json(plain[0] if len(plain) == 1 else {"checks": plain})
        return
    for stability in checks:
        show_stable(stability, source=table)


def refuse_searches(methods: list[str]) -> None:
    """Refuse methods that assess a whole search: this command trains one learner."""
    from earnest.core.results.specs import Design
    from earnest.training.assess.plan import choose_method

    for name in methods:
        if choose_method(name).spec.design is Design.SEARCH:
            raise InputError(
                f"--method {name} is for a whole search",
                needs="a method for one learner, such as cv or corrected_t",
                cure="To assess the tuning of a portfolio, add --portfolio default and "
                "--n-configs 10. In Python, earnest.assess nests a SearchCV.",
            )


def name_file(out: Path | None, metric: str) -> Path | None:
    """Return the run file of one metric of several, which are trained for apart."""
    return None if out is None else out.with_name(f"{out.stem}-{metric}{out.suffix}")


def find_learner(name: str) -> str:
    """Return the first name of a learner, refusing one that there is not."""
    from earnest.training.learners.named import LEARNERS

    return LEARNERS[name].name


def make_learner_for(name: str, table: TrainingTable) -> Estimator:
    """Return an unfitted learner for a table, without a seed of its own."""
    from earnest.training.learners.named import make_learner

    return make_learner(name, table.task, table.inputs, seed=None)


@contextmanager
def tell_how_to_resume(out: Path | None) -> Iterator[None]:
    """Tell who ends a training that is kept in a file how to go on with it."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            write_line(
                f"Finished work is kept in {out}. Run the same command to continue.",
                label="stopped",
            )
        raise


def make_progress_line(label: str = "", *, quiet: bool = False) -> FoldLine | None:
    """Return what shows on standard error how training goes on; None where nobody shall look."""
    import sys

    from earnest.cli.show.progress import FoldLine

    return None if quiet or sys.stderr is None else FoldLine(sys.stderr, label=label)


def decode_outcome(table: TrainingTable) -> NDArray[np.generic]:
    """Return the outcome in the table's own words, so that messages speak of its classes."""
    import numpy as np

    if not table.classes:
        return table.y
    named = np.empty(len(table.classes), dtype=object)
    named[:] = table.classes
    plain = np.array(table.classes)
    return (plain if plain.dtype.kind in "biufU" else named)[table.y]


def _read_test_set(
    path: Path, table: TrainingTable, target: str, reading: CasesArguments
) -> tuple[NDArray[np.float64], NDArray[np.generic]]:
    """Read the table that is kept away, in the columns of the design table."""
    from earnest.training.tables.table import open_training_table

    other = read_case_table(path, target, replace(reading, group=None), task=str(table.task))
    columns = open_training_table(path, text=table.schema.texts, **read_table_marks(reading))
    return table.schema.encode(columns, other.rows), decode_outcome(other)
