"""`earnest gather`: the predictions that another tool kept, as one table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from earnest.cli.options import (
    AsJson,
    ByWhat,
    Positive,
    Response,
    ScoreName,
    TableReading,
    TaskName,
    make_argument,
    make_option,
)
from earnest.cli.reading import read_table_marks
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import NAMES, check_ending, check_place, note_formulas
from earnest.core.base.errors import EarnestError, InputError

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

Overwrite = Annotated[bool, make_option(None, "", "Overwrite an existing file.", "--overwrite")]


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
class CaseColumns:
    """The arrays of these columns, and what had to be guessed to read them.

    The outcome of survival is the pair of events and times.
    """

    outcome: Outcome | None = None
    groups: Array | None = None
    fold: Array | None = None
    cautions: tuple[Caution, ...] = ()


def read_columns(data: Path | None, named: ColumnNames, csv: TableReading) -> CaseColumns:
    """Read the named columns of a table; nothing where no table is given.

    The rows of the table are in the order that the tool was given.
    """
    from earnest.training.tables.table import open_source

    _refuse_halves(data, named)
    if data is None:
        return CaseColumns()
    columns = open_source(data, **read_table_marks(csv))
    return CaseColumns(
        _read_outcome(columns, named),
        None if named.group is None else _read_array(columns, named.group, "group"),
        None if named.fold is None else _read_array(columns, named.fold, "fold"),
        columns.notes,
    )


def _refuse_halves(data: Path | None, named: ColumnNames) -> None:
    given = [name for name in vars(named) if getattr(named, name) is not None]
    if data is None and given:
        raise InputError(
            f"--{given[0]} names a column, but no table is given",
            needs="--data TABLE, the table that the tool was trained on",
            got=f"--{given[0]} {getattr(named, given[0])}",
        )
    if data is not None and not given:
        raise InputError(
            "--data needs the name of a column",
            needs="--target COLUMN, and perhaps --group or --fold",
            got=str(data),
        )
    if (named.time is None) != (named.event is None) or (named.time and named.target):
        raise InputError(
            "survival needs a time and an event, and no other outcome",
            needs="--time COLUMN --event COLUMN, or --target COLUMN",
            got=", ".join(f"--{name}" for name in given),
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
    "mljar-supervised, the folder of an AutoGluon predictor, or a run of earnest; and the logs of "
    "evaluations: lm-evaluation-harness, Inspect, promptfoo, DSPy, GEPA, OpenAI's evals, HELM, or "
    "one table per model with the columns item and score. Nothing is trained. estimate, compare "
    "and report read the file, which also records what to know about the tool.\n\n"
    "  earnest gather study.db --store kept --data train.csv --target relapse\n"
    "  earnest gather AutoML_1/ -o predictions.csv\n"
    "  earnest gather AutogluonModels/ag-1 --trust-pickle\n"
    "  earnest gather logs/ --score acc -o scores.parquet"
)


def command(
    source: Annotated[
        str,
        make_argument(
            "SOURCE",
            "An Optuna storage (URL, SQLite or journal file), the folder of mljar-supervised, "
            "AutoGluon or a run, or logs of an evaluation.",
        ),
    ],
    out: Annotated[
        Path | None,
        make_option(
            None,
            "FILE",
            "[dim]default: predictions.parquet, or scores.parquet[/dim]  Where to: .parquet, "
            ".csv, .csv.gz, .tsv, .arrow, .feather or .npz.",
            "--out",
            "-o",
        ),
    ] = None,
    overwrite: Overwrite = False,
    json: AsJson = False,
    study: Annotated[
        str | None, make_option(_READ, "NAME", "Name of the study in an Optuna storage.")
    ] = None,
    store: Annotated[
        Path | None,
        make_option(_READ, "FOLDER", "Optuna: the folder that you passed to keep_predictions."),
    ] = None,
    score: ScoreName = None,
    by: ByWhat = None,
    ensembles: Annotated[
        bool,
        make_option(
            _READ,
            "",
            "Include models that were fitted to the predictions of others. They look too good.",
            "--ensembles",
        ),
    ] = False,
    static: Annotated[
        bool | None,
        typer.Option(
            "--static/--dynamic",
            metavar="",
            help="Whether configurations were fixed before any was evaluated. [dim]default: what "
            "the tool reports[/dim]",
            show_default=False,
            rich_help_panel=_READ,
        ),
    ] = None,
    trust_pickle: Annotated[
        bool,
        make_option(
            _READ,
            "",
            "Read pickles, which AutoGluon writes. They can run any code: use it only for your "
            "own.",
            "--trust-pickle",
        ),
    ] = False,
    data: Annotated[
        Path | None,
        make_option(
            _DATA,
            "TABLE",
            "The training table, with its rows in the order that the tool used: CSV, Parquet or "
            "Arrow.",
        ),
    ] = None,
    target: Annotated[
        str | None, make_option(_DATA, "COLUMN", "Column of the outcome in that table.")
    ] = None,
    group: Annotated[
        str | None,
        make_option(
            _DATA, "COLUMN", "Column of groups in that table, such as the patient of each visit."
        ),
    ] = None,
    fold: Annotated[
        str | None,
        make_option(
            _DATA, "COLUMN", "Column of the fold that tested a case in that table (AutoGluon)."
        ),
    ] = None,
    time: Annotated[
        str | None, make_option(_DATA, "COLUMN", "Column of the survival time in that table.")
    ] = None,
    event: Annotated[
        str | None,
        make_option(_DATA, "COLUMN", "Column of the survival event, 0 or 1, in that table."),
    ] = None,
    positive: Positive = None,
    task: TaskName = None,
    response: Response = None,
    *,
    csv: TableReading,
) -> None:
    """Read what the tool kept, write it, and tell what it is."""
    from earnest.adapters.scores.door import is_evaluation
    from earnest.adapters.scores.plain import is_table
    from earnest.core.base.writing import refuse_links

    place = Path(source)
    logs = is_evaluation(source) or (place.is_file() and is_table(place))
    if out is None:
        out = Path("scores.parquet" if logs else "predictions.parquet")
        refuse_links(out)
    _check_out(out, overwrite)
    _refuse_inputs(out, place, data)
    if logs:
        given = {"--data": data, "--store": store, "--study": study, "--positive": positive}
        _gather_scores(source, out, json, score, by, [name for name, one in given.items() if one])
        return
    for option, value in (("--score", score), ("--by", by)):
        if value is not None:
            raise InputError(f"{option} is for logs of evaluations", cure="Leave it out.")
    from earnest.adapters.predictions.door import predictions_from

    named = ColumnNames(target=target, group=group, fold=fold, time=time, event=event)
    try:
        columns = read_columns(data, named, csv)
        pi = predictions_from(
            source,
            columns.outcome,
            store=store,
            study=study,
            fold=columns.fold,
            groups=columns.groups,
            task=task,
            positive=_label(positive, columns.outcome),
            response=response,
            static=static,
            ensembles=ensembles or None,
            trust_pickle=trust_pickle or None,
        )
    except EarnestError as error:
        raise _translate(error) from error
    pi = replace(pi, remarks=(*pi.remarks, *columns.cautions))
    pi.save(out)
    labels = pi.target.labels.tolist() if pi.target.has_classes else []
    texts = {NAMES: pi.configs.ids, "row_id": _list_values(pi.target.ids), "y": labels}
    note_formulas(out, texts)
    _tell(pi, source, out, json)


def _gather_scores(
    source: str, out: Path, json: bool, score: str | None, by: str | None, given: list[str]
) -> None:
    """Read the logs of an evaluation, write their scores, and tell what they are."""
    if given:
        raise InputError(f"{given[0]} is for predictions, but this is a log", cure="Leave it out.")
    from earnest.adapters.scores.door import scores_from
    from earnest.cli.show.gather import facts_of_scores, show_scores

    scores = scores_from(source, score=score, by=by or "model")
    scores.save(out)
    parts = scores.parts
    about = {"item": parts.ids, "group": parts.groups, "task": parts.tasks}
    cells = {name: _list_values(values) for name, values in about.items()}
    note_formulas(out, {NAMES: parts.configs.ids, **cells})
    facts = facts_of_scores(scores, source, out)
    if json:
        write_json(facts)
    else:
        show_scores(facts, scores.parts.remarks)


def _list_values(values: Array | None) -> list[object]:
    return [] if values is None else values.tolist()


def _check_out(out: Path, overwrite: bool) -> None:
    """Refuse before any work what could not be written after it."""
    from earnest.core.tables.files import SAVED

    check_ending(out, SAVED)
    check_place(out, overwrite)


def _refuse_inputs(out: Path, source: Path, data: Path | None) -> None:
    """Refuse to write over what is read: the table of the cases, or a file of the source."""
    place = out.resolve()
    read = {path.resolve() for path in (source, data) if path is not None}
    if out.exists() and (place in read or source.resolve() in place.parents):
        raise InputError(
            "--out is the file to be read", needs="a new name", got=str(out), cure="Name another."
        )


def _label(positive: str | None, outcome: Outcome | None) -> object:
    """Return the label of the outcome that a text stands for; the text where none is."""
    from earnest.core.base.arrays import as_array
    from earnest.core.data.target import plain_labels

    if positive is None or outcome is None or isinstance(outcome, tuple):
        return positive
    found = plain_labels(dict.fromkeys(as_array("y", outcome).tolist()))
    return next((label for label in found if str(label) == positive), positive)


# Arguments of `predictions_from` that this command calls otherwise than the others do.
_WORDS = {
    "`store`": "--store",
    "`y`": "--target",
    "`trust_pickle`": "--trust-pickle",
    "`ensembles`": "--ensembles",
    "`static`": "--static",
    "trust_pickle=True": "--trust-pickle",
    "predictions_from(source, y, ...)": "Use --data TABLE --target COLUMN.",
    "Or load it yourself and pass the TabularPredictor.": "",
}


def _translate(error: EarnestError) -> EarnestError:
    def words(text: str) -> str:
        for name, option in _WORDS.items():
            text = text.replace(name, option)
        return text

    return type(error)(
        words(error.what), needs=words(error.needs), got=words(error.got), cure=words(error.cure)
    )


def _tell(pi: Predictions, source: str, out: Path, json: bool) -> None:
    from earnest.cli.show.gather import facts_of, show_gathered

    facts = facts_of(pi, source, out)
    if json:
        write_json(facts)
    else:
        show_gathered(facts, pi.remarks)
