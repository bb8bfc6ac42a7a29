"""Which tool wrote what is at a path or URL, so far as it may hold predictions."""

from __future__ import annotations

import shlex
from pathlib import Path

from earnest.adapters.predictions import autogluon, h2o, mljar, optuna, run_file, skore, tabrepo
from earnest.adapters.predictions.optuna import URL
from earnest.adapters.predictions.run_file import read_predictions_of_run
from earnest.adapters.readers import (
    LAST,
    LATE,
    PREDICTIONS_READERS,
    PredictionsReader,
    PredictionsRequest,
    order_readers,
    register,
)
from earnest.adapters.trials.door import read_start
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.tables.files import READ

TOOLS = (autogluon, h2o, mljar, optuna, run_file, skore, tabrepo)  # each registers its readers
KEPT = ("predictions.parquet", "predictions.npz", "predictions.csv")  # of a run, in this order
BESIDE = ("run.db", "estimate.json")  # what else a run has: a table alone may be anyone's


def _read_run_folder(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Read the table that `earnest tune` wrote beside its run."""
    wanted.refuse("the folder of a run, which already says what it holds", *vars(wanted))
    return Predictions.load(table_of(Path(source)))


def _read_killed_run(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Read the run file of a run that ended before it wrote its table."""
    path = Path(source) / BESIDE[0]
    if not path.is_file():
        raise InputError(
            f"the run {str(source)!r} holds no predictions",
            needs=f"{KEPT[0]}, or {BESIDE[0]}",
            got=check.some(sorted(one.name for one in Path(source).iterdir())),
        )
    return read_predictions_of_run(path, wanted)


def is_run(source: object) -> bool:
    """Tell whether this is the folder of a run that wrote its table."""
    return _is_begun(source) and _has_any(Path(str(source)), KEPT)


def is_killed(source: object) -> bool:
    """Tell whether this is the folder of a run that ended before it wrote its table."""
    return _is_begun(source) and not _has_any(Path(str(source)), KEPT)


def _is_begun(source: object) -> bool:
    return isinstance(source, str | Path) and _has_any(Path(source), BESIDE)


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).is_file() for name in names)


RUN = register(
    PredictionsReader(
        name="run",
        words="the folder of a run",
        takes=is_run,
        read=_read_run_folder,
        rank=LATE,
        tool="earnest tune",
        own=True,
    )
)
KILLED = register(
    PredictionsReader(
        name="killed_run",
        words="the folder of a run that is not finished",
        takes=is_killed,
        read=_read_killed_run,
        rank=LATE,
        tool="earnest tune",
        options=" --data TABLE --target COLUMN",
        own=True,
    )
)


def kind_of(source: str | Path) -> PredictionsReader | None:
    """Return the reader of what is at a path or URL, None where it is nothing that is known.

    Examples
    --------
    >>> from earnest.adapters.predictions.paths import kind_of
    >>> kind_of("sqlite:///study.db").words
    'a storage of Optuna'
    >>> kind_of("nowhere") is None
    True
    """
    return next((one for one in _list_file_readers() if one.takes(source)), None)


def _list_file_readers() -> list[PredictionsReader]:
    """Return the readers of files, folders and URLs."""
    return [reader for reader in order_readers(PREDICTIONS_READERS) if reader.tool]


def table_of(path: Path) -> Path:
    """Return the table of the folder of a run, and any other path as it is."""
    if not path.is_dir() or kind_of(path) is not RUN:
        return path
    return next(path / name for name in KEPT if (path / name).is_file())


def refuse_path(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Refuse a file or folder that no reader has taken, and say why."""
    path = Path(source)
    check.refuse_stream(path)
    _refuse_a_part(path)
    needs = "; ".join(reader.words for reader in _list_file_readers())
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError(
            f"there is nothing at {str(path)!r}", needs=needs, cure=check.nearest(path.name, near)
        )
    if path.is_dir():
        raise InputError(
            f"{str(path)!r} is not a folder of a supported tool",
            needs=needs,
            got=check.some(sorted(one.name for one in path.iterdir())) or "an empty folder",
            cure=_cure_tables(path),
        )
    start = read_start(path)
    if path.name.casefold().endswith(READ):
        raise InputError(
            f"{path.name!r} is already a table, not the run of another tool",
            cure="If it holds predictions, read it with Predictions.load or any command: "
            "earnest estimate FILE --metric NAME.",
        )
    raise FormatError(
        f"{path.name!r} is not a file of a supported tool",
        needs=needs,
        cure="Reading a pickle can run any code: pass the storage of the study instead."
        if start[:1] == b"\x80"
        else "",
    )


def _cure_tables(folder: Path) -> str:
    """Return what to do with a folder of tables that are not scores of items."""
    if not any(one.name.casefold().endswith(READ) for one in folder.iterdir()):
        return ""
    return (
        "If these tables hold predictions, put them in one: a row for each case, with a column for "
        "each configuration."
    )


register(
    PredictionsReader(
        name="path",
        words="a path",
        takes=lambda source: isinstance(source, str | Path),
        read=refuse_path,
        rank=LAST,
    )
)


def _refuse_a_part(path: Path) -> None:
    """Refuse a file or a model of a run, which is told by the folder that it is in."""
    for above in path.absolute().parents[:2]:
        whole = kind_of(above) if path.exists() and above.is_dir() else None
        if whole is not None and not whole.own:
            raise InputError(
                f"{path.name!r} is a part of a run",
                needs="the folder of the whole run, because earnest needs every model that was "
                "tried",
                cure=f"predictions_from({str(above)!r})",
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
    if kind is None or kind is RUN or (kind.own and not own):
        return
    shown = str(source) if "://" in str(source) else _restore_slashes(str(source))
    raise FormatError(
        f"{shown!r} is {kind.words}, not a table of predictions",
        needs="a table that holds the predictions of every configuration",
        cure=f"Gather them first: earnest gather {shlex.quote(shown)}{kind.options} -o "
        "predictions.parquet (in Python predictions_from).",
    )


def _restore_slashes(source: str) -> str:
    """Return a URL that was taken for a path as it was typed."""
    return URL.sub(lambda m: m[0] + "//", source) if URL.match(source) else source
