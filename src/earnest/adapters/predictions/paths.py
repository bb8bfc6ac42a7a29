"""Which tool wrote what is at a path or URL, so far as it may hold predictions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from earnest.adapters.predictions import autogluon, mljar
from earnest.adapters.predictions.optuna import predictions_of_storage
from earnest.adapters.predictions.request import Wanted
from earnest.adapters.predictions.run_file import predictions_of_run_file
from earnest.adapters.trials.files import tables_of
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.tables.files import READ

KEPT = ("predictions.parquet", "predictions.npz", "predictions.csv")  # of a run, in this order
BESIDE = ("run.db", "estimate.json")  # what else a run has: a table alone may be anyone's
_URL = re.compile(r"^[a-z][a-z0-9+]+:/", re.IGNORECASE)  # a Path has lost one of the slashes


@dataclass(frozen=True)
class PathKind:
    """A kind of file, folder or URL: whose it is, and how its predictions are read."""

    tool: str
    what: str  # with its article
    read: Callable[[str | Path, Wanted], Predictions]


def _of_run(source: str | Path, wanted: Wanted) -> Predictions:
    """Read the table that `earnest tune` wrote beside its run."""
    wanted.refuse("the folder of a run, which says itself what it holds", *vars(wanted))
    return Predictions.load(table_of(Path(source)))


def _of_killed(source: str | Path, wanted: Wanted) -> Predictions:
    """Read the run file of a run that ended before it wrote its table."""
    path = Path(source) / BESIDE[0]
    if not path.is_file():
        raise InputError(
            f"the run {str(source)!r} holds no predictions",
            needs=f"{KEPT[0]}, or {BESIDE[0]}",
            got=check.some(sorted(one.name for one in Path(source).iterdir())),
        )
    return predictions_of_run_file(path, wanted)


def _of_table(source: str | Path, wanted: Wanted) -> Predictions:
    raise InputError(
        f"{Path(source).name!r} is a table already, not what another tool kept",
        needs="a storage of Optuna, or the folder of mljar-supervised, AutoGluon or a run",
        cure="If it holds predictions, Predictions.load reads it, and so does every command: "
        "earnest estimate FILE --metric NAME.",
    )


def _of_mljar(source: str | Path, wanted: Wanted) -> Predictions:
    return mljar.predictions_of_folder(Path(source), wanted)


def _of_autogluon(source: str | Path, wanted: Wanted) -> Predictions:
    return autogluon.predictions_of_folder(Path(source), wanted)


STUDY = PathKind("Optuna", "a storage of Optuna", predictions_of_storage)
MLJAR = PathKind(mljar.TOOL, "a results folder of mljar-supervised", _of_mljar)
AUTOGLUON = PathKind(autogluon.TOOL, "a folder of AutoGluon", _of_autogluon)
RUN = PathKind("earnest tune", "the folder of a run", _of_run)
RUN_FILE = PathKind("SearchCV", "a run file", predictions_of_run_file)
KILLED = PathKind("earnest tune", "the folder of a run that is not finished", _of_killed)
TABLE = PathKind("a table", "a table", _of_table)
FOREIGN = (STUDY, MLJAR, AUTOGLUON)  # what must be gathered before anything can read it
_OUTCOME = " --data TABLE --target COLUMN"
_OPTIONS = {
    STUDY: f" --store FOLDER{_OUTCOME}",
    AUTOGLUON: " --trust-pickle",
    RUN_FILE: _OUTCOME,
    KILLED: _OUTCOME,
}


def kind_of(source: str | Path) -> PathKind | None:
    """Return what is at a path or URL, None where it is nothing that is known.

    Examples
    --------
    >>> from earnest.adapters.predictions.paths import kind_of
    >>> kind_of("sqlite:///study.db").what
    'a storage of Optuna'
    >>> kind_of("nowhere") is None
    True
    """
    path = Path(source)
    if path.is_dir():
        return _folder_kind(path)
    if path.is_file():
        return _file_kind(path)
    return STUDY if _URL.match(str(source)) else None


def table_of(path: Path) -> Path:
    """Return the table of the folder of a run, and any other path as it is."""
    if not path.is_dir() or kind_of(path) is not RUN:
        return path
    return next(path / name for name in KEPT if (path / name).is_file())


def read_path(source: str | Path, wanted: Wanted) -> Predictions:
    """Read the predictions of a file or folder, and refuse what has none."""
    kind = kind_of(source)
    if kind is not None:
        return kind.read(source, wanted)
    path = Path(source)
    check.refuse_stream(path)
    _refuse_a_part(path)
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError(
            f"there is nothing at {str(path)!r}", needs=NEEDS, cure=check.nearest(path.name, near)
        )
    if path.is_dir():
        raise InputError(
            f"{str(path)!r} is a folder of no tool that is known",
            needs=NEEDS,
            got=check.some(sorted(one.name for one in path.iterdir())) or "an empty folder",
        )
    raise FormatError(
        f"{path.name!r} is a file of no tool that is known",
        needs=NEEDS,
        cure="A pickle can run anything when it is read: give the study by its storage."
        if _start(path)[:1] == b"\x80"
        else "",
    )


def _refuse_a_part(path: Path) -> None:
    """Refuse a file or a model of a run, which is told by the folder that it is in."""
    for above in path.absolute().parents[:2]:
        if path.exists() and (mljar.is_folder(above) or autogluon.is_folder(above)):
            raise InputError(
                f"{path.name!r} is a part of a run",
                needs="the folder of the whole run: earnest needs every model that was tried",
                cure=f"predictions_from({str(above)!r})",
            )


NEEDS = (
    "a storage of Optuna (a URL, a SQLite file or a journal), the results_path of "
    "mljar-supervised, the path of an AutoGluon predictor, or the folder of a run of earnest"
)


def refuse_foreign(source: str | Path, *, own: bool = True) -> None:
    """Refuse what another tool wrote where a table of predictions is wanted, with the way there.

    Parameters
    ----------
    source : str or Path
        What was given.
    own : bool
        Whether run files of earnest are refused, too.
    """
    kind = kind_of(source)
    if kind is None or kind not in (*FOREIGN, *((RUN_FILE, KILLED) if own else ())):
        return
    shown = str(source) if "://" in str(source) else _with_slashes(str(source))
    raise FormatError(
        f"{shown!r} is {kind.what}, not a table of predictions",
        needs="a table that holds the predictions of every configuration",
        cure=f"Gather them first: earnest gather {shlex.quote(shown)}{_OPTIONS.get(kind, '')} -o "
        "predictions.parquet (in Python predictions_from).",
    )


def _with_slashes(source: str) -> str:
    """Return a URL that was taken for a path as it was typed."""
    return _URL.sub(lambda m: m[0] + "//", source) if _URL.match(source) else source


def _folder_kind(path: Path) -> PathKind | None:
    if mljar.is_folder(path):
        return MLJAR
    if autogluon.is_folder(path):
        return AUTOGLUON
    if not any((path / name).is_file() for name in BESIDE):
        return None
    return RUN if any((path / name).is_file() for name in KEPT) else KILLED


def _file_kind(path: Path) -> PathKind | None:
    start = _start(path)
    if start.startswith(b"SQLite format 3\0"):
        tables = tables_of(path)
        return STUDY if "study_directions" in tables else RUN_FILE if "outcome" in tables else None
    if start.startswith(b"{") and b'"op_code"' in start:
        return STUDY
    return TABLE if path.name.casefold().endswith(READ) else None


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be read", got=str(error.strerror)) from error
