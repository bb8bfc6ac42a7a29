"""`earnest gather`: the predictions that another tool kept, as one table."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from earnest.cli.options import JsonOutput, Overwrite, make_argument
from earnest.cli.reading import read_table_marks
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import NAMES, check_ending, check_place, note_formulas
from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import (
    ConfigIs,
    Positive,
    Response,
    ScoreName,
    TableArguments,
    TaskName,
)
from earnest.core.base.errors import InputError
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from earnest.core.data.predictions import Predictions
    from earnest.core.results.cautions import Caution
    from earnest.core.tables.columns import Columns

    Array: TypeAlias = NDArray[np.generic]
    Outcome: TypeAlias = Array | tuple[Array, Array]


_READ = "How to read it"
_DATA = "What the tool did not keep"

# What a tool did not keep, from the table that it was given.


@dataclass(frozen=True, kw_only=True)
class ColumnNames:
    """The columns that a user names, each None where it was not."""

    target: str | None = None
    group: str | None = None
    fold: str | None = None
    time: str | None = None
    event: str | None = None


@dataclass(frozen=True, eq=False)
class CaseArrays:
    """The arrays of these columns, and what had to be guessed to read them.

    The outcome of survival is the pair of events and times.
    """

    outcome: Outcome | None = None
    groups: Array | None = None
    fold: Array | None = None
    cautions: tuple[Caution, ...] = ()


def read_case_arrays(data: Path | None, named: ColumnNames, csv: TableArguments) -> CaseArrays:
    """Read the named columns of a table; nothing where no table is given.

    The rows of the table are in the order that the tool was given.
    """
    from earnest.training.tables.table import open_training_table

    _refuse_halves(data, named)
    if data is None:
        return CaseArrays()
    columns = open_training_table(data, **read_table_marks(csv))
    return CaseArrays(
        _read_outcome(columns, named),
        None if named.group is None else _read_array(columns, named.group, "group"),
        None if named.fold is None else _read_array(columns, named.fold, "fold"),
        columns.notes,
    )


def _refuse_halves(data: Path | None, named: ColumnNames) -> None:
    names = [name for name in vars(named) if getattr(named, name) is not None]
    if data is None and names:
        raise InputError(
            f"--{names[0]} names a column, but no table is given",
            needs="--data TABLE, the table that the tool was trained on",
            got=f"--{names[0]} {getattr(named, names[0])}",
        )
    if data is not None and not names:
        raise InputError(
            "--data needs the name of a column",
            needs="--target COLUMN, and perhaps --group or --fold",
            got=str(data),
        )
    if (named.time is None) != (named.event is None) or (named.time and named.target):
        raise InputError(
            "survival needs a time and an event, and no other outcome",
            needs="--time COLUMN --event COLUMN, or --target COLUMN",
            got=", ".join(f"--{name}" for name in names),
        )


def _read_outcome(columns: Columns, named: ColumnNames) -> Outcome | None:
    if named.time is not None and named.event is not None:
        event = _read_array(columns, named.event, "event")
        return event.astype(bool), _read_array(columns, named.time, "time")
    return None if named.target is None else _read_array(columns, named.target, "target")


def _read_array(columns: Columns, name: str, role: str) -> Array:
    from earnest.training.tables.outcome import find_column

    find_column(columns, name, role)  # refuses a name that is not there
    return columns.array(name)


HELP = (
    "Gather the predictions or scores that [bold]another tool[/bold] kept into one table.\n\n"
    "Reads an Optuna study whose objective called keep_predictions, the results folder of "
    "mljar-supervised, the folder of an AutoGluon predictor, or a run of earnest; and logs of "
    "evaluations: lm-evaluation-harness, Inspect, promptfoo, DSPy, GEPA, OpenAI's evals, HELM, "
    "trec_eval, pycocotools, or one table per model with the columns item and score. estimate, "
    "compare and report read the file, which also records what to know about the tool.\n\n"
    "  earnest gather study.db --store kept --data train.csv --target relapse\n"
    "  earnest gather AutoML_1/ -o predictions.csv\n"
    "  earnest gather AutogluonModels/ag-1 --trust-pickle\n"
    "  earnest gather logs/ --score acc -o scores.parquet"
)


@dataclass(frozen=True, kw_only=True)
class GatherOptions(JsonOutput):
    """What is read of a tool, and where it is written."""

    out: Annotated[
        Path | None,
        Argument(
            "[dim]default: predictions.parquet, or scores.parquet[/dim]  Where to: .parquet, "
            ".csv, .csv.gz, .tsv, .arrow, .feather or .npz.",
            "FILE",
            usual=True,
            short="-o",
        ),
    ] = None
    overwrite: Overwrite = False
    study: Annotated[
        str | None,
        Argument("Name of the study in an Optuna storage.", "NAME", _READ, usual=True),
    ] = None
    store: Annotated[
        Path | None,
        Argument(
            "Optuna: the folder that you passed to keep_predictions.", "FOLDER", _READ, usual=True
        ),
    ] = None
    score: ScoreName = None
    config_is: ConfigIs = None
    ensembles: Annotated[
        bool,
        Argument(
            "Include models that were fitted to the predictions of others. They look too good.",
            panel=_READ,
        ),
    ] = False
    static: Annotated[
        bool | None,
        Argument(
            "Whether configurations were fixed before any was evaluated. [dim]default: what "
            "the tool reports[/dim]",
            panel=_READ,
            opposite="--dynamic",
        ),
    ] = None
    trust_pickle: Annotated[
        bool,
        Argument(
            "Read pickles, which AutoGluon writes. They can run any code: use it only for your "
            "own.",
            panel=_READ,
            usual=True,
        ),
    ] = False
    data: Annotated[
        Path | None,
        Argument(
            "The training table, with its rows in the order that the tool used: CSV, Parquet or "
            "Arrow.",
            "TABLE",
            _DATA,
            usual=True,
        ),
    ] = None
    target: Annotated[
        str | None,
        Argument("Column of the outcome in that table.", "COLUMN", _DATA, usual=True),
    ] = None
    group: Annotated[
        str | None,
        Argument(
            "Column of groups in that table, such as the patient of each visit.", "COLUMN", _DATA
        ),
    ] = None
    fold: Annotated[
        str | None,
        Argument(
            "Column of the fold that tested a case in that table (AutoGluon).", "COLUMN", _DATA
        ),
    ] = None
    time: Annotated[
        str | None, Argument("Column of the survival time in that table.", "COLUMN", _DATA)
    ] = None
    event: Annotated[
        str | None,
        Argument("Column of the survival event, 0 or 1, in that table.", "COLUMN", _DATA),
    ] = None
    positive: Positive = None
    task: TaskName = None
    response: Response = None


def command(
    source: Annotated[
        str,
        make_argument(
            "SOURCE",
            "An Optuna storage (URL, SQLite or journal file), the folder of mljar-supervised, "
            "AutoGluon or a run, or logs of an evaluation.",
        ),
    ],
    *,
    options: GatherOptions,
    csv: TableArguments,
) -> None:
    """Read what the tool kept, write it, and tell what it is."""
    from earnest.adapters.scores.door import is_evaluation
    from earnest.adapters.scores.plain import is_table
    from earnest.core.base.writing import refuse_links

    out, data = options.out, options.data
    path = Path(source)
    logs = is_evaluation(source) or (path.is_file() and is_table(path))
    if out is None:
        out = Path("scores.parquet" if logs else "predictions.parquet")
        refuse_links(out)
    _check_out(out, options.overwrite)
    _refuse_inputs(out, path, data)
    if logs:
        of_predictions = [
            name for name in ("data", "store", "study", "positive") if getattr(options, name)
        ]
        _gather_scores(source, out, options, of_predictions)
        return
    for name in ("score", "config_is"):
        if getattr(options, name) is not None:
            raise InputError(f"{arg(name)} is for logs of evaluations", cure="Leave it out.")
    from earnest.adapters.predictions.door import predictions_from

    named = ColumnNames(**{each.name: getattr(options, each.name) for each in fields(ColumnNames)})
    columns = read_case_arrays(data, named, csv)
    pi = predictions_from(
        source,
        columns.outcome,
        store=options.store,
        study=options.study,
        fold=columns.fold,
        groups=columns.groups,
        task=options.task,
        positive=_label(options.positive, columns.outcome),
        response=options.response,
        static=options.static,
        ensembles=options.ensembles or None,
        trust_pickle=options.trust_pickle or None,
    )
    pi = replace(pi, remarks=(*pi.remarks, *columns.cautions))
    pi.save(out)
    labels = pi.target.labels.tolist() if pi.target.has_classes else []
    texts = {NAMES: pi.configs.ids, "row_id": _list_values(pi.target.ids), "y": labels}
    note_formulas(out, texts)
    _tell(pi, source, out, options.json)


def _gather_scores(source: str, out: Path, options: GatherOptions, others: list[str]) -> None:
    """Read the logs of an evaluation, write their scores, and tell what they are."""
    if others:
        raise InputError(
            f"{arg(others[0])} is for predictions, but this is a log", cure="Leave it out."
        )
    from earnest.adapters.scores.door import scores_from
    from earnest.cli.show.gather import facts_of_scores, show_gathered_scores

    scores = scores_from(source, score=options.score, config_is=options.config_is or "model")
    scores.save(out)
    parts = scores.parts
    about = {"item": parts.ids, "group": parts.groups, "task": parts.tasks}
    cells = {name: _list_values(values) for name, values in about.items()}
    note_formulas(out, {NAMES: parts.configs.ids, **cells})
    facts = facts_of_scores(scores, source, out)
    if options.json:
        write_json(facts)
    else:
        show_gathered_scores(facts, scores.parts.remarks)


def _list_values(values: Array | None) -> list[object]:
    return [] if values is None else values.tolist()


def _check_out(out: Path, overwrite: bool) -> None:
    """Refuse before any work what could not be written after it."""
    from earnest.core.tables.files import SAVED

    check_ending(out, SAVED)
    check_place(out, overwrite)


def _refuse_inputs(out: Path, source: Path, data: Path | None) -> None:
    """Refuse to write over what is read: the table of the cases, or a file of the source."""
    target = out.resolve()
    read = {path.resolve() for path in (source, data) if path is not None}
    if out.exists() and (target in read or source.resolve() in target.parents):
        raise InputError(
            "--out is the file to be read", needs="a new name", got=str(out), cure="Name another."
        )


def _label(positive: str | None, outcome: Outcome | None) -> object:
    """Return the label of the outcome that a text stands for; the text where none is."""
    from earnest.core.base.arrays import as_array
    from earnest.core.data.target import plain_labels

    if positive is None or outcome is None or isinstance(outcome, tuple):
        return positive
    labels = plain_labels(dict.fromkeys(as_array("y", outcome).tolist()))
    return next((label for label in labels if str(label) == positive), positive)


def _tell(pi: Predictions, source: str, out: Path, json: bool) -> None:
    from earnest.cli.show.gather import facts_of, show_gathered

    facts = facts_of(pi, source, out)
    if json:
        write_json(facts)
    else:
        show_gathered(facts, pi.remarks)
