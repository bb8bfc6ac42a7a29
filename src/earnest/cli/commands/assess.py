"""`earnest assess`: how good a learner is on a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from earnest.cli.failures import say
from earnest.cli.options import assess as options
from earnest.cli.options.common import AsJson, Decimal, Delimiter, Level, Seed, SideName, Thousands
from earnest.cli.options.tune import Data, Group, Ignore, Positive, Target, TaskName
from earnest.cli.reading import sign_of
from earnest.cli.writing import answer_each
from earnest.core.base import check
from earnest.core.base.errors import InputError

HELP = (
    "How good is [bold]this learner[/bold]? Trains it as often as the method needs.\n\n"
    "Reads a table with a row a case, and assesses a learner with its preprocessing: by bootstrap "
    "samples (.632+ and its relatives) or by cross-validation, with an interval where the method "
    "has one.\n\n"
    "  earnest assess patients.csv --target relapse --model rf --seed 7\n"
    "  earnest assess patients.csv -t relapse --model lda --method corrected_t --group clinic\n"
    "  earnest assess patients.csv -t relapse --model logistic --all --json > assessed.json"
)
METRICS = {"binary": "roc_auc", "multiclass": "accuracy", "regression": "r2"}


def command(
    data: Data,
    target: Target = None,
    model: options.Model = "rf",
    metric: options.Metrics = None,
    json: AsJson = False,
    quiet: options.Quiet = False,
    method: options.Methods = None,
    everything: options.All = False,
    level: Level = 0.95,
    side: SideName = "two-sided",
    replicates: options.Replicates = 200,
    folds: options.Folds = 10,
    repeats: options.Repeats = None,
    test: options.Test = None,
    seed: Seed = None,
    out: options.Store = None,
    n_jobs: options.Jobs = None,
    group: Group = None,
    task: TaskName = None,
    positive: Positive = None,
    ignore: Ignore = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
) -> None:
    """Read the table, train, and show or write what one or several methods say."""
    if everything and method:
        raise InputError("--all and --method exclude each other", cure="Leave one of them out.")
    if target is None:
        raise InputError("the outcome is not named", needs="--target COLUMN")
    if seed is not None:
        check.whole_number("seed", seed, low=0)
    reading = {
        "task": task,
        "positive": positive,
        "ignore": tuple(ignore or ()),
        "delimiter": sign_of(delimiter),
        "decimal": decimal,
        "thousands": sign_of(thousands),
    }
    several = len(dict.fromkeys(metric or ())) > 1
    if several and test is not None:
        raise InputError("--test is for one metric", cure="A test set is used once: leave one.")
    table, ask = _question(data, model, target=target, group=group, **reading)
    ask |= {
        "confidence_level": level,
        "side": side,
        "n_replicates": replicates,
        "cv": folds,
        "n_repeats": repeats,
        "n_jobs": n_jobs,
        "progress": progress_line(quiet=quiet),
    }
    names = list(dict.fromkeys(method or [".632+"]))
    if everything or len(names) > 1:
        if test is not None:
            raise InputError("--test is for one method", cure="Say --method holdout.")
        answer, show = _several(ask, None if everything else names, table)
    else:
        ask |= {} if test is None else {"test": _test_set(test, table, target, reading)}
        answer, show = _one(ask, names[0], table, None if test is None else test.name)

    def ask_for(name: str, chosen: int | None) -> Any:
        return answer(name, chosen, _file_of(out, name) if several else out)

    with resumable(out):
        asked = metric or [METRICS[str(table.task)]]
        answer_each(asked, ask_for, show, seed=seed, json=json)


def _file_of(out: Path | None, metric: str) -> Path | None:
    """Return the run file of one metric of several, which are trained for apart."""
    return None if out is None else out.with_name(f"{out.stem}-{metric}{out.suffix}")


def _question(data: Path, model: str, **reading: Any) -> tuple[Any, dict[str, Any]]:
    """Read the table, and return it with the learner and the data."""
    from earnest.training.learners.named import LEARNERS, learner
    from earnest.training.tables.table import read_table

    kind = LEARNERS[model]  # an unknown name is told before the table is read
    table = read_table(data, **reading)
    made = learner(kind.name, table.task, table.inputs, seed=None)
    ask = {
        "estimator": made,
        "X": table.X,
        "y": labels_of(table),
        "groups": table.groups,
        "positive": table.classes[1] if len(table.classes) == 2 else None,
    }
    return table, ask


@contextmanager
def resumable(out: Path | None) -> Iterator[None]:
    """Tell who ends a training that is kept in a file how to go on with it."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            say(f"What is finished is kept in {out}: the same command goes on.", label="stopped")
        raise


def progress_line(label: str | None = None, *, quiet: bool = False) -> Any:
    """Return what shows on standard error how training goes on; None where nobody shall look."""
    import sys

    from earnest.cli.show.progress import FoldLine

    return None if quiet or sys.stderr is None else FoldLine(sys.stderr, label=label)


def labels_of(table: Any) -> Any:
    """Return the outcome in the table's own words, so that messages speak of its classes."""
    import numpy as np

    if not table.classes:
        return table.y
    named = np.empty(len(table.classes), dtype=object)
    named[:] = table.classes
    plain = np.array(table.classes)
    return (plain if plain.dtype.kind in "biufU" else named)[table.y]


def _test_set(path: Path, table: Any, target: str, reading: dict[str, Any]) -> tuple[Any, Any]:
    """Read the table that is kept away, in the columns of the design table."""
    from earnest.training.tables.files import open_table
    from earnest.training.tables.table import read_table

    other = read_table(path, target=target, **{**reading, "task": str(table.task)})
    signs = {name: reading[name] for name in ("delimiter", "decimal", "thousands")}
    columns, _ = open_table(path, **signs)
    return table.schema.encode(columns, other.rows), labels_of(other)


Answer = Callable[[str, int | None, Path | None], Any]
Show = Callable[[Any], None]


def _one(ask: dict[str, Any], method: str, table: Any, test: str | None) -> tuple[Answer, Show]:
    from earnest.cli.show.assess import show_assessed
    from earnest.training.assess.assess import assess

    def answer(metric: str, seed: int | None, store: Path | None) -> Any:
        return assess(method=method, metric=metric, rng=seed, store=store, **ask)

    return answer, lambda result: show_assessed(result, table, test)


def _several(ask: dict[str, Any], methods: list[str] | None, table: Any) -> tuple[Answer, Show]:
    from earnest.cli.show.assess import show_all_assessed
    from earnest.training.assess.assess import assess_all

    def answer(metric: str, seed: int | None, store: Path | None) -> Any:
        return assess_all(methods=methods, metric=metric, rng=seed, store=store, **ask)

    return answer, lambda results: show_all_assessed(results, table)
