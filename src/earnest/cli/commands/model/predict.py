"""`earnest predict`: what a tuned model says of new rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from earnest.cli.errors import write_line
from earnest.cli.options import JsonOutput, Overwrite, make_argument
from earnest.cli.reading import read_table_marks
from earnest.cli.show.terminal import write_data, write_json
from earnest.cli.writing import NAMES, check_ending, check_place, note_formulas
from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import TableArguments
from earnest.core.base.errors import InputError
from earnest.core.text.doors import render

HELP = (
    "Predict [bold]new rows[/bold] with the model of a run.\n\nWrites one row per row of the "
    "table, in the same order: the class and the probabilities of all classes, or the number, "
    "or the risk. The model is loaded without pickle, and its file can only create types from a "
    "fixed list.\n\n  earnest predict run/ new.csv\n  earnest predict run/ new.csv --interval 0.9"
    "\n  earnest predict run/ new.csv --at 365 --at 730"
    "\n  earnest predict run/ new.parquet --id patient --out predictions.csv"
)
_WRITTEN = (".csv", ".parquet")


@dataclass(frozen=True, kw_only=True)
class PredictOptions(JsonOutput):
    """Which rows are written, and where."""

    out: Annotated[
        Path | None, Argument("Output file: .csv or .parquet.", "FILE", usual=True, short="-o")
    ] = None
    overwrite: Overwrite = False
    id: Annotated[
        str | None,
        Argument(
            "Column that identifies the rows; it is copied to the output.", "COLUMN", usual=True
        ),
    ] = None
    interval: Annotated[
        float | None,
        Argument(
            "Also give each row an interval, or a set of classes, that holds the outcome for this "
            "share of new rows.",
            "LEVEL",
            usual=True,
            is_share=True,
        ),
    ] = None
    at: Annotated[
        list[float] | None,
        Argument(
            "For survival: also the chance to be without event by this time; repeat it.",
            "TIME",
            usual=True,
        ),
    ] = None


def command(
    run: Annotated[
        Path,
        make_argument("RUN", "A folder that earnest tune wrote, or its model.skops."),
    ],
    data: Annotated[
        Path,
        make_argument("TABLE", "New rows: CSV, Parquet or Arrow."),
    ],
    *,
    options: PredictOptions,
    csv: TableArguments,
) -> None:
    """Load the model, read the rows, and write what it says of them."""
    out, json = options.out, options.json
    _check_out(out, data, options.overwrite)
    from earnest.core.text.numbers import write_count
    from earnest.training.tune.model import load_model

    model = load_model(run)
    forecast = model.predict(
        data,
        id=options.id,
        interval=options.interval,
        at=sorted(set(options.at)) if options.at else None,
        **read_table_marks(csv),
    )
    for caution in forecast.cautions:
        sentences = (caution.what, caution.consequence, caution.cure)
        write_line(render(" ".join(filter(None, sentences))), label=caution.code)
    if json:
        facts: dict[str, object] = {
            "winner": model.winner,
            "task": str(model.task),
            "metric": model.metric,
        }
        if forecast.level is not None:
            facts["interval"] = forecast.level
        remarks = [caution.to_dict() for caution in forecast.cautions]
        write_json(
            {**facts, "n_rows": len(forecast), "cautions": remarks, "rows": forecast.to_dict()}
        )
    if out is not None:
        save_predicted(forecast.to_dict(), out)
        note_formulas(out, _list_cells(forecast.to_dict()))
        write_line(f"{write_count(len(forecast), 'row')} to {out}", label="wrote")
    elif not json:
        write_data(_write_csv(forecast.to_dict()).decode())
        note_formulas(None, _list_cells(forecast.to_dict()))


def _list_cells(columns: dict[str, list[object]]) -> dict[str, Iterable[object]]:
    """Return the names of the columns as one more column."""
    return {NAMES: list(columns), **columns}


def _check_out(out: Path | None, data: Path, overwrite: bool) -> None:
    """Refuse before any work what could not be written after it."""
    if out is None:
        return
    check_ending(out, _WRITTEN)
    if out.exists() and data.exists() and out.samefile(data):
        raise InputError("--out is the table itself", needs="another file", got=str(out))
    check_place(out, overwrite)


def _write_csv(columns: dict[str, list[object]]) -> bytes:
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    style = csv.WriteOptions(quoting_style="needed")
    csv.write_csv(pa.table(columns), sink, style)
    return bytes(sink.getvalue().to_pybytes())


def save_predicted(columns: dict[str, list[object]], out: Path) -> None:
    """Write predictions as a table; the ending of the name tells how."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from earnest.core.base.writing import replacing

    with replacing(out) as temporary:
        if out.suffix.lower() == ".csv":
            temporary.write_bytes(_write_csv(columns))
        else:
            with temporary.open("wb") as sink:
                pq.write_table(pa.table(columns), sink)
