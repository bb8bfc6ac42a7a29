"""Files of searches, known by their content, and their trials."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from earnest.adapters.readers import MARKS, TrialsRequest
from earnest.adapters.trials import optuna, run_file, smac
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, FormatError
from earnest.core.results.base import parse_json
from earnest.core.space.trials import Trials, refuse_absent
from earnest.core.tables.formats.expanding import foreign_content
from earnest.core.tables.formats.json_lines import JSON_LINES
from earnest.store import read_run_identity
from earnest.store.guard import connect_guarded

URL = re.compile(r"^[a-z][a-z0-9+]+:/", re.IGNORECASE)  # a Path has lost one of the slashes
SQLITE = b"SQLite format 3\0"  # how such a file begins
JOURNAL = '"op_code"'  # what every line of Optuna's journals has
OF_OPTUNA, OF_A_RUN = "study_directions", "outcome"  # tables that only their SQLite files have
DATABASES: dict[str, Callable[[Path, TrialsRequest], Trials]] = {
    OF_OPTUNA: optuna.read_sqlite,
    OF_A_RUN: run_file.read_run_file,
}
RUN_FILE = "run.db"  # what the folder of a run holds
LEDGER = "ledger"  # the kind of run that the file of a ledger holds
_ACCEPTED = (
    "the folder of a run or its run file, a table (CSV, TSV, JSON lines, Parquet, Arrow), a SQLite "
    "or journal file of Optuna, or a run history of SMAC"
)


def read_stored_trials(source: str | Path, ask: TrialsRequest) -> Trials:
    """Read the trials of a file, of the folder of a run, or of a folder of SMAC."""
    path = Path(source)
    if path.is_dir():
        path = _find_in_folder(path)
    refuse_absent(path, _ACCEPTED)
    start = read_start(path)
    if start.startswith(SQLITE):
        ask.refuse("a database", *MARKS)
        return _read_database(path, ask)
    if start[:1] == b"\x80":
        raise FormatError(
            f"{path.name!r} is a pickle",
            needs=_ACCEPTED,
            cure="Reading a pickle can run any code: pass the storage of the study, or write "
            "study.trials_dataframe() as CSV.",
        )
    if start.lstrip()[:1] in (b"{", b"["):
        ask.refuse("a JSON file", *MARKS)
        return _read_json(path, ask)
    return _read_table(path, ask)


def read_start(path: Path) -> bytes:
    """Return the first bytes of a file, by which its kind is known."""
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be read", got=str(error.strerror)) from error


def is_storage(source: object) -> bool:
    """Tell whether this is a storage of Optuna: a URL, a SQLite file or a journal file."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    if not path.is_file():
        return not path.exists() and bool(URL.match(str(source)))
    start = read_start(path)
    if start.startswith(SQLITE):
        return OF_OPTUNA in list_tables(path)
    return start.startswith(b"{") and JOURNAL.encode() in start


def is_run_file(source: object) -> bool:
    """Tell whether this is the run file of a search."""
    return _holds_run(source) and not is_ledger(source)


def is_ledger(source: object) -> bool:
    """Tell whether this is the file of a ledger, which is kept as a run is."""
    if not _holds_run(source):
        return False
    try:
        return read_run_identity(str(source)).get("kind") == LEDGER
    except EarnestError:  # damaged, as its reader will tell
        return False


def _holds_run(source: object) -> bool:
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return False
    path = Path(source)
    return read_start(path).startswith(SQLITE) and OF_A_RUN in list_tables(path)


def _find_in_folder(folder: Path) -> Path:
    """Return the run file of a folder, or its run history of SMAC."""
    if (folder / RUN_FILE).is_file():
        return folder / RUN_FILE
    histories = sorted(folder.rglob(smac.HISTORY))
    if not histories:
        raise FormatError(
            f"the folder {str(folder)!r} holds no trials",
            needs=_ACCEPTED,
            got=check.some(sorted(path.name for path in folder.iterdir())) or "an empty folder",
        )
    if len(histories) > 1:
        raise FormatError(
            f"the folder {str(folder)!r} holds {len(histories)} run histories",
            needs="one",
            cure="Pass one of them.",
        )
    return histories[0]


def _read_database(path: Path, ask: TrialsRequest) -> Trials:
    tables = list_tables(path)
    for table, read in DATABASES.items():
        if table in tables:
            return read(path, ask)
    raise FormatError(
        f"{path.name!r} is a database without trials",
        needs=_ACCEPTED,
        got=f"tables {check.some(sorted(tables))}" if tables else "no tables",
    )


def list_tables(path: Path) -> set[str]:
    """Return the names of the tables of a SQLite file, opened for reading only."""
    try:
        with closing(connect_guarded(path.resolve())) as base:
            objects = base.list_objects()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # a message may quote bytes
        raise FormatError(
            f"{path.name!r} cannot be read",
            got=str(error),
            cure="Another process is writing to it: wait until it ends, or copy the file."
            if "locked" in str(error)
            else "",
        ) from error
    return {str(name) for kind, name, _ in objects if kind == "table"}


def _read_json(path: Path, ask: TrialsRequest) -> Trials:
    """Read a journal or a table, which are one JSON a line, or a run history, one in all."""
    with foreign_content(path, needs="text in UTF-8"):
        text = path.read_text(encoding="utf-8")
    if isinstance(_parse(text.partition("\n")[0]), dict) and JOURNAL in text[:4096]:
        return optuna.read_journal(path, ask)
    if smac.is_history(_parse(text)):
        return smac.read_history(path, ask)
    if path.name.casefold().endswith(JSON_LINES):
        return _read_table(path, ask)
    raise FormatError(f"{path.name!r} is JSON without trials", needs=_ACCEPTED)


def _parse(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _read_table(path: Path, ask: TrialsRequest) -> Trials:
    ask.refuse("a table", "study", "values")
    marks = {"delimiter": ask.delimiter, "decimal": ask.decimal, "thousands": ask.thousands}
    return Trials.load(path, **ask.table_options(), **marks)
