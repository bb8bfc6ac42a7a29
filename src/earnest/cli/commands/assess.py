"""`earnest assess`: how good a learner is on a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from earnest.cli.commands.tune import CasesReading, Data, Target
from earnest.cli.failures import say
from earnest.cli.options import (
    AsJson,
    Level,
    Seed,
    SideName,
    make_jobs_option,
    make_option,
)
from earnest.cli.reading import read_cases, read_table_marks
from earnest.cli.writing import share_seed, write_results
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from earnest.cli.show.progress import FoldLine
    from earnest.core.results.estimate import Estimate, Estimates
    from earnest.training.protocols import Estimator
    from earnest.training.tables.table import TrainingTable


_HOW = "How to assess"

Model = Annotated[
    str,
    make_option(
        None,
        "NAME",
        "The learner: rf, extra_trees, gradient_boosting, logistic, ridge, linear, svm, knn, "
        "tree, lda, qda, naive_bayes or dummy.",
    ),
]
Metrics = Annotated[
    list[str] | None,
    make_option(
        None,
        "NAME",
        "[dim]default: roc_auc, accuracy or r2, by the task[/dim]  See [bold]earnest "
        "metrics[/bold]. Repeat for several metrics; each trains its own models.",
        "--metric",
        "-m",
    ),
]
Quiet = Annotated[
    bool, make_option(None, "", "Show only the result, no progress.", "--quiet", "-q")
]
Store = Annotated[
    Path | None,
    make_option(_HOW, "FILE", "Run file; run the same command again to continue.", "--out", "-o"),
]
Jobs = Annotated[
    int | None, make_jobs_option(_HOW, "Models trained in parallel; -1 uses all cores.")
]


HELP = (
    "How good is [bold]this learner[/bold]? Trains it as often as the method needs.\n\nReads a "
    "table with one row per case and assesses a learner with its preprocessing: by bootstrap "
    "samples (.632+ and its relatives) or by cross-validation, with an interval if the method "
    "has one.\n\n  earnest assess patients.csv --target relapse --model rf --seed 7\n  earnest "
    "assess patients.csv -t relapse --model lda --method corrected_t --group clinic\n  earnest "
    "assess patients.csv -t relapse --model logistic --all --json > assessed.json"
)
METRICS = {"binary": "roc_auc", "multiclass": "accuracy", "regression": "r2"}


class AssessOptions(TypedDict):
    """What is asked of one method and of several alike."""

    estimator: Estimator
    X: NDArray[np.float64]
    y: NDArray[np.generic]
    groups: NDArray[np.int64] | None
    positive: object
    confidence_level: float
    side: str
    n_replicates: int
    cv: int
    n_repeats: int | None
    n_jobs: int | None
    progress: FoldLine | None


def command(
    data: Data,
    target: Target = None,
    model: Model = "rf",
    metric: Metrics = None,
    json: AsJson = False,
    quiet: Quiet = False,
    method: Annotated[
        list[str] | None,
        make_option(
            _HOW,
            "NAME",
            "[dim]default: .632+[/dim]  See [bold]earnest methods[/bold]. Repeat for several "
            "methods; they share their fits.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        make_option(
            _HOW, "", "Every method for one set of folds, and for bootstrap samples.", "--all"
        ),
    ] = False,
    level: Level = 0.95,
    side: SideName = "two-sided",
    replicates: Annotated[
        int, make_option(_HOW, "N", "Number of bootstrap samples; use 1000 for an interval.")
    ] = 200,
    folds: Annotated[int, make_option(_HOW, "K", "Number of folds.")] = 10,
    repeats: Annotated[
        int | None,
        make_option(
            _HOW, "R", "Number of times to repeat the folds; use 10 for repeated_cv and bates_ncv."
        ),
    ] = None,
    test: Annotated[
        Path | None,
        make_option(
            _HOW, "TABLE", "A separate test table, with --method holdout; --out counts its uses."
        ),
    ] = None,
    seed: Seed = None,
    out: Store = None,
    n_jobs: Jobs = None,
    *,
    reading: CasesReading,
) -> None:
    """Read the table, train, and show or write what one or several methods say."""
    if everything and method:
        raise InputError("--all and --method cannot be combined", cure="Leave one of them out.")
    names = list(dict.fromkeys(method or [".632+"]))
    refuse_searches(names)
    if target is None:
        raise InputError("no outcome column is given", needs="--target COLUMN")
    several = len(dict.fromkeys(metric or ())) > 1
    if several and test is not None:
        raise InputError(
            "--test is for one metric", cure="Use a test set only once: pass one metric."
        )
    kind = find_learner(model)  # an unknown name is told before the table is read
    table = read_cases(data, target, reading)
    ask: AssessOptions = {
        "estimator": make_learner_for(kind, table),
        "X": table.X,
        "y": read_labels(table),
        "groups": table.groups,
        "positive": table.classes[1] if len(table.classes) == 2 else None,
        "confidence_level": level,
        "side": side,
        "n_replicates": replicates,
        "cv": folds,
        "n_repeats": repeats,
        "n_jobs": n_jobs,
        "progress": make_progress_line(quiet=quiet),
    }
    all_of_them = everything or len(names) > 1
    if all_of_them and test is not None:
        raise InputError("--test is for one method", cure="Use --method holdout.")
    kept = None if test is None else _read_test_set(test, table, target, reading)
    asked = metric or [METRICS[str(table.task)]]
    seed = share_seed(asked, seed)
    from earnest.cli.show.assess import show_all_assessed, show_assessed
    from earnest.training.assess.assess import assess, assess_all

    def ask_one(name: str) -> Estimate:
        store = name_file(out, name) if several else out
        return assess(method=names[0], metric=name, rng=seed, store=store, test=kept, **ask)

    def ask_all(name: str) -> Estimates:
        store = name_file(out, name) if several else out
        methods = None if everything else names
        return assess_all(methods=methods, metric=name, rng=seed, store=store, **ask)

    with tell_how_to_resume(out):
        if all_of_them:
            answers = {name: ask_all(name) for name in asked}
            if not write_results(answers, json):
                for all_methods in answers.values():
                    show_all_assessed(all_methods, source=table)
        else:
            made = {name: ask_one(name) for name in asked}
            if not write_results(made, json):
                for one in made.values():
                    show_assessed(one, source=table, test=None if test is None else test.name)


def refuse_searches(methods: list[str]) -> None:
    """Refuse methods that assess a whole search: this command trains one learner."""
    from earnest.core.results.specs import Design
    from earnest.training.assess.plan import choose_method

    for name in methods:
        if choose_method(name).spec.design is Design.SEARCH:
            raise InputError(
                f"--method {name} is for a whole search",
                needs="a method for one learner, such as cv or corrected_t",
                cure="To tune a model and assess it, use earnest tune. In Python, earnest.assess "
                "nests a SearchCV.",
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
            say(
                f"Finished work is kept in {out}. Run the same command to continue.",
                label="stopped",
            )
        raise


def make_progress_line(label: str = "", *, quiet: bool = False) -> FoldLine | None:
    """Return what shows on standard error how training goes on; None where nobody shall look."""
    import sys

    from earnest.cli.show.progress import FoldLine

    return None if quiet or sys.stderr is None else FoldLine(sys.stderr, label=label)


def read_labels(table: TrainingTable) -> NDArray[np.generic]:
    """Return the outcome in the table's own words, so that messages speak of its classes."""
    import numpy as np

    if not table.classes:
        return table.y
    named = np.empty(len(table.classes), dtype=object)
    named[:] = table.classes
    plain = np.array(table.classes)
    return (plain if plain.dtype.kind in "biufU" else named)[table.y]


def _read_test_set(
    path: Path, table: TrainingTable, target: str, reading: CasesReading
) -> tuple[NDArray[np.float64], NDArray[np.generic]]:
    """Read the table that is kept away, in the columns of the design table."""
    from earnest.training.tables.table import open_source

    other = read_cases(path, target, replace(reading, group=None), task=str(table.task))
    columns = open_source(path, text=table.schema.texts, **read_table_marks(reading))
    return table.schema.encode(columns, other.rows), read_labels(other)
