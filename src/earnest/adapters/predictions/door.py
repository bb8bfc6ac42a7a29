"""The door for predictions: what other tools kept out of fold, recognised and read."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from earnest.adapters.folds.tables import has_fold_scores
from earnest.adapters.predictions import (
    autogluon,
    epochs,
    h2o,
    mljar,
    optuna,
    run_file,
    skore,
    tabrepo,
)
from earnest.adapters.predictions.run_file import read_predictions_of_run
from earnest.adapters.readers import (
    EARLY,
    LAST,
    LATE,
    PREDICTIONS_READERS,
    PredictionsReader,
    PredictionsRequest,
    StoreLike,
    find_reader,
    order_readers,
    refuse_source,
    register,
)
from earnest.adapters.trials.files import RUN_FILE, URL, is_run_file, read_start
from earnest.adapters.trials.optuna import is_study
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.fold_scores import refuse_fold_scores
from earnest.core.data.predictions import Predictions
from earnest.core.tables.opening import READ
from earnest.core.text.doors import arg

TOOLS = (
    autogluon,
    epochs,
    h2o,
    mljar,
    optuna,
    run_file,
    skore,
    tabrepo,
)  # each registers its readers
KEPT = ("predictions.parquet", "predictions.npz", "predictions.csv")  # of a run, in this order
BESIDE = (RUN_FILE, "estimate.json")  # what else a run has: a table alone may be anyone's


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
            got=check.some(sorted(file.name for file in Path(source).iterdir())),
        )
    return read_predictions_of_run(path, wanted)


def is_run(source: object) -> bool:
    """Tell whether this is the folder of a run that wrote its table."""
    return _is_begun(source) and _has_any(Path(str(source)), KEPT)


def is_killed(source: object) -> bool:
    """Tell whether this is the folder of a run that ended before it wrote its table."""
    return _is_begun(source) and not _has_any(Path(str(source)), KEPT)


def find_run_folder(path: Path) -> Path:
    """Return the folder of a finished run for its run file, and any other path as it is."""
    beside = path.parent / BESIDE[1]
    return (
        path.parent if path.name == RUN_FILE and beside.is_file() and is_run(path.parent) else path
    )


def find_run_file(source: str | Path) -> Path | None:
    """Return the run file that a path is, or that of a run that wrote no table; None elsewhere."""
    path = Path(source)
    if is_run_file(path):
        return path
    return path / RUN_FILE if is_killed(path) and is_run_file(path / RUN_FILE) else None


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
        ours=True,
    )
)
register(
    PredictionsReader(
        name="killed_run",
        words="the folder of a run that is not finished",
        takes=is_killed,
        read=_read_killed_run,
        rank=LATE,
        tool="earnest tune",
        options=" --data TABLE --target COLUMN",
        ours=True,
    )
)


def kind_of(source: str | Path) -> PredictionsReader | None:
    """Return the reader of what is at a path or URL, None where it is nothing that is known.

    Examples
    --------
    >>> from earnest.adapters.predictions.door import kind_of
    >>> kind_of("sqlite:///study.db").words
    'a storage of Optuna'
    >>> kind_of("nowhere") is None
    True
    """
    return next((reader for reader in _list_file_readers() if reader.takes(source)), None)


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
            got=check.some(sorted(file.name for file in path.iterdir())) or "an empty folder",
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
    if not any(file.name.casefold().endswith(READ) for file in folder.iterdir()):
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
        if whole is not None and not whole.ours:
            raise InputError(
                f"{path.name!r} is a part of a run",
                needs="the folder of the whole run, because earnest needs every model that was "
                "tried",
                cure=f"predictions_from({str(above)!r})",
            )


def refuse_foreign(source: str | Path, *, ours: bool = True) -> None:
    """Refuse what another tool wrote where a table of predictions is wanted, with the way there.

    Parameters
    ----------
    source : str or Path
        What was given.
    ours : bool
        Whether run files of earnest are refused, too.
    """
    if "://" not in str(source) and has_fold_scores(Path(source)):
        raise refuse_fold_scores()
    kind = kind_of(source)
    if kind is None or kind is RUN or (kind.ours and not ours):
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


def predictions_from(
    source: object,
    y: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    *,
    store: StoreLike | None = None,
    study: str | None = None,
    fold: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    task: str | None = None,
    positive: object = None,
    classes: Sequence[object] | None = None,
    response: str | None = None,
    static: bool | None = None,
    ensembles: bool | None = None,
    trust_pickle: bool | None = None,
) -> Predictions:
    """Return the out-of-sample predictions that another tool kept of all its models.

    Nothing is fitted. What a tool does that bears on the estimate, such as stopping early on the
    fold that tests, goes with the predictions as a caution of every result made of them.

    Parameters
    ----------
    source : object or path
        An Optuna study (or its storage URL, SQLite or journal file) whose objective called
        `keep_predictions`; the results folder of mljar-supervised; a fitted `TabularPredictor` of
        AutoGluon or its folder; an `H2OAutoML`, or models of H2O trained with
        `keep_cross_validation_predictions=True`; reports of skore (`CrossValidationReport`,
        `EstimatorReport`, `ComparisonReport`, or a list of them); a dataset or a fold of a
        repository of TabRepo or TabArena; a fitted `SearchCV`, or the folder that `earnest tune`
        wrote; Π as it is.
    y : array-like, optional
        The outcome of the cases in the order of the training rows, if the source has none.
    store : path or optuna artifact store, optional
        Where `keep_predictions` put its files.
    study : str, optional
        The name of an Optuna study, if a storage has several.
    fold : array-like, optional
        The fold that tested each case, if the source does not say (AutoGluon).
    groups : array-like, optional
        Groups of cases that belong together.
    task, positive, classes, response
        As in `Predictions.from_arrays`.
    static : bool, optional
        Whether the configurations were fixed before any was evaluated, where you know it better
        than the source: random, quasi-random and complete searches are static, and what AutoML
        tools propose after a look at scores is not.
    ensembles : bool, optional
        Whether to read models that were fitted to the out-of-fold predictions of others. They
        are left out by default.
    trust_pickle : bool, optional
        Whether a folder of AutoGluon, which is pickles, may be read. Reading a pickle can run any
        code.

    Returns
    -------
    Predictions
        One configuration per trial or model.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.6])
    >>> en.predictions_from(pi) is pi
    True
    >>> en.predictions_from("automl_results")
    Traceback (most recent call last):
        ...
    earnest.core.base.errors.InputError: there is nothing at 'automl_results'. Expected ...
    """
    wanted = PredictionsRequest(
        y=y,
        store=store,
        study=study,
        fold=fold,
        groups=groups,
        task=task,
        positive=positive,
        classes=classes,
        response=response,
        static=static,
        ensembles=ensembles,
        trust_pickle=trust_pickle,
    )
    if isinstance(source, str | Path) and "://" not in str(source):
        check.read_path(source, name="source")
    reader = find_reader(PREDICTIONS_READERS, source)
    if reader is None:
        raise refuse_source(PREDICTIONS_READERS, source, "predictions", cure_for(source))
    return reader.read(source, wanted)


def cure_for(source: object) -> str:
    """Return how to get predictions out of what is none."""
    if is_study(source):
        return (
            "If its objective called keep_predictions, read them with "
            "earnest.predictions_from(study, y, store=...). earnest.explain(study) shows what "
            "it learned."
        )
    if hasattr(source, "columns"):
        return "Read the table with Predictions.from_frame."
    kinds = {kind.__name__ for kind in type(source).__mro__}
    home = type(source).__module__.split(".")[0]
    if home == "flaml":
        return (
            f"FLAML does not keep its predictions: keep them with your own {arg('metric')} (see "
            "the "
            "page on AutoML), or search with SearchCV."
        )
    if "BaseSearchCV" in kinds or "OptunaSearchCV" in kinds:
        return "It does not keep its predictions: fit it with earnest.harvest(search, X, y)."
    if hasattr(source, "predictions_"):
        or_estimate = (
            ", or its `estimate_` for the metric of the search" if "SearchCV" in kinds else ""
        )
        return f"Use its `predictions_`{or_estimate}."
    if kinds & {"TabularPredictor", "AutoML", "H2OAutoML"}:
        return "Read what it kept: earnest.predictions_from(source)."
    if "SearchCV" in kinds:
        return "Call its `fit` first, then use its `predictions_`."
    if hasattr(source, "fit"):
        return "Call its `fit` first, or search with earnest.SearchCV, which keeps predictions."
    return "Make them with Predictions.from_arrays, from_frame or load."


def _read_own(source: Predictions, wanted: PredictionsRequest) -> Predictions:
    wanted.refuse("Predictions", *vars(wanted))
    return source


def _read_own_search(source: object, wanted: PredictionsRequest) -> Predictions:
    wanted.refuse("a fitted SearchCV", *vars(wanted))
    predictions = getattr(source, "predictions_", None)
    if not isinstance(predictions, Predictions):
        raise InputError("the search kept no predictions", got=check.show(predictions))
    return predictions


register(
    PredictionsReader(
        name="predictions",
        words="earnest.Predictions",
        takes=lambda source: isinstance(source, Predictions),
        read=_read_own,
        rank=EARLY,
    )
)
register(
    PredictionsReader(
        name="search",
        words="a fitted SearchCV",
        takes=lambda source: isinstance(getattr(source, "predictions_", None), Predictions),
        read=_read_own_search,
    )
)
