"""A model on disk without pickle, and what it says of new rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import cast
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, FormatError, InputError
from earnest.core.cautions import of_evidence, of_tables
from earnest.core.data.target import Task, read_times
from earnest.core.results.cautions import Caution
from earnest.core.results.error_shares import ErrorShares
from earnest.core.results.leaks import LeakScreen
from earnest.core.tables.columns import Columns
from earnest.core.tables.formats.expanding import check_arrays, foreign_content, refuse_expanding
from earnest.core.tables.formats.missing import read_missing
from earnest.core.tables.opening import TABLES
from earnest.core.text.doors import arg
from earnest.training.fit.curves import ask_survival, find_followed
from earnest.training.protocols import Classifier, Estimator, Predictor
from earnest.training.tables.kinds import is_number, is_text
from earnest.training.tables.leaks import warn_of_leaks
from earnest.training.tables.outcome import find_column
from earnest.training.tables.schema import Schema
from earnest.training.tables.table import open_training_table
from earnest.training.tune.model_checks import (
    REFUSED,
    ModelPartError,
    check_index,
    check_made,
    list_trusted_types,
    normalize_archive,
    read_errors,
    refuse_types,
)

FORMAT = "earnest-model-1"
NEAR = 1e-9  # by which probabilities that are the same may differ
NAME = "model.skops"
NEEDED = f"a folder that `earnest tune` wrote, with {NAME!r}, or that file"


@dataclass(frozen=True, eq=False)
class Forecast:
    """What a model says of rows.

    Attributes
    ----------
    labels : ndarray, shape (n,), optional
        The class of each row, in the table's own words; None without classes.
    scores : ndarray, shape (n,) or (n, K), optional
        Probabilities of the classes, in the order of `columns`; scores of a model whose
        probabilities were not judged; the number, or the risk of a survival model, with the
        chance to be without event at the times that were asked for.
    columns : tuple of str
        The names of the columns of the scores.
    cautions : tuple of Caution
        What was noticed of the rows.
    id : str
        The column that names the rows; nothing if none was asked for.
    ids : tuple
        Its values.
    level : float, optional
        The share of new rows whose outcome is in their interval or set, where that was asked for.
    limits : ndarray, shape (n, 2), optional
        The interval of each row of a regression.
    members : ndarray of bool, shape (n, K), optional
        Which classes, in the order of `columns`, are in the set of each row.
    """

    labels: NDArray[np.generic] | None
    scores: NDArray[np.float64]
    columns: tuple[str, ...]
    cautions: tuple[Caution, ...] = ()
    id: str = ""
    ids: tuple[object, ...] = ()
    level: float | None = None
    limits: NDArray[np.float64] | None = None
    members: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.scores)

    def __repr__(self) -> str:
        return f"predictions for {len(self):,} rows: {check.some(self.to_dict(), limit=8)}"

    def to_dict(self) -> dict[str, list[object]]:
        """Return the columns by name, the number of the row first, then its name."""
        table: dict[str, list[object]] = {"row": [*range(1, len(self) + 1)]}
        if self.id:
            table[self.id] = list(self.ids)
        if self.labels is not None:
            table["prediction"] = self.labels.tolist()
        wide = self.scores.reshape(len(self), -1)
        table.update({name: wide[:, k].tolist() for k, name in enumerate(self.columns)})
        if self.limits is not None:
            names = (f"{self.columns[0]}_{end}" for end in ("low", "high"))
            table.update(zip(names, self.limits.T.tolist(), strict=True))
        if self.members is not None:
            names = (f"set_{name.removeprefix('p_')}" for name in self.columns)
            table.update(zip(names, self.members.T.tolist(), strict=True))
        return table

    def with_bound(self, bound: float, level: float) -> Forecast:
        """Return it with what misses no more than a bound: an interval, or a set of classes.

        The likeliest class is in every set.
        """
        if self.labels is None:
            limits = self.scores[:, None] + np.array([-bound, bound])
            return replace(self, level=level, limits=limits)
        members = 1.0 - self.scores <= bound + NEAR
        members[np.arange(len(self)), np.argmax(self.scores, axis=1)] = True
        return replace(self, level=level, members=members)


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A fitted winner with all that is needed to use it.

    Attributes
    ----------
    estimator : estimator
        Fitted on all cases of the search.
    schema : Schema
        How a table becomes its matrix.
    task : Task
        What it predicts.
    classes : tuple
        The labels in the order of its codes.
    metric, winner : str
        What it was chosen by, and what it is called.
    probabilities : bool
        Whether the run judged its probabilities. Otherwise it predicts scores.
    leaks : LeakScreen, optional
        The columns that may hold what is only known after the outcome; predictions warn of them.
    errors : ErrorShares, optional
        How far out-of-sample predictions missed, for intervals and sets of new rows; None for
        survival models, for scores that are no probabilities, and in files of older versions.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> model = en.tune(iris, target="target", n_configs=1, folds=3, rng=7, n_jobs=1).model
    >>> model.classes, model.metric
    ((0, 1, 2), 'roc_auc_ovr')
    >>> model.predict(iris.head(2)).labels.tolist()
    [0, 0]
    """

    estimator: Estimator
    schema: Schema
    task: Task
    classes: tuple[object, ...]
    metric: str
    winner: str
    probabilities: bool = True
    leaks: LeakScreen | None = None
    errors: ErrorShares | None = None

    def __repr__(self) -> str:
        roles = check.some(map(repr, self.schema.roles.values()))
        return f"{self.winner}, for {roles} ({self.task}) by {len(self.schema.columns):,} columns"

    def predict(
        self,
        table: object,
        *,
        id: str | None = None,
        interval: float | None = None,
        at: float | Sequence[float] | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        thousands: str | None = None,
        missing: str | Sequence[str] = (),
    ) -> Forecast:
        """Predict for the rows of a file or a frame; refuse other columns or types.

        Parameters
        ----------
        table : str, Path or frame
            With the columns of training, in any order; others are ignored with a note.
        id : str, optional
            A column that identifies the rows, copied to the predictions.
        interval : float, optional
            The share of new rows, such as 0.9, whose outcome shall be in the interval or the set of
            classes that each row then gets.
        at : float or sequence of float, optional
            For survival: the times at which each row gets its chance to be without event.
        delimiter, decimal, thousands : str, optional
            Of a CSV file that does not tell.
        missing : str or sequence of str
            What stands for a missing value, besides what did so in training.
        """
        bound = None if interval is None else self._find_bound(interval)
        times = () if at is None else self._read_times(at)
        marks = (*self.schema.missing, *read_missing(missing))
        columns = open_training_table(
            table,
            delimiter=delimiter,
            decimal=decimal,
            thousands=thousands,
            missing=marks,
            text=self.schema.texts,
        )
        encoded = replace(self.schema, missing=marks).read(columns)
        extra = tuple(name for name in self.schema.list_unexpected(columns) if name != id)
        cautions = [*warn_of_leaks(self.leaks), *columns.notes, *encoded.cautions]
        if extra:
            cautions.append(_warn_of_ignored(extra))
        answers = self._answer(encoded.X, tuple(cautions), times)
        if bound is not None:
            answers = answers.with_bound(*bound)
        if id is None:
            return answers
        return replace(answers, id=id, ids=_read_ids(columns, id, answers))

    def _find_bound(self, level: float) -> tuple[float, float]:
        """Return how far predictions miss, and the level; refuse models that do not know."""
        level = check.check_share("interval", level)
        if self.errors is not None:
            return self.errors.find_bound(level), level
        cure = ""
        if self.task is Task.SURVIVAL:
            got = "a survival model, which predicts risks"
        elif not self.probabilities:
            got = "a model that predicts scores, not probabilities"
            cure = "Tune by a metric of probabilities, such as 'log_loss'."
        else:
            got = "a model file without them"
            cure = "Make the model again with `earnest tune`."
        raise InputError(
            f"{arg('interval')} needs out-of-sample errors of the model",
            needs="a model of classes with probabilities, or of a number",
            got=got,
            cure=cure,
        )

    def _read_times(self, at: float | Sequence[float]) -> tuple[float, ...]:
        """Return the times of survival; refuse other models, and times nobody was followed to."""
        if self.task is not Task.SURVIVAL:
            raise InputError(
                f"{arg('at')} is for survival models",
                needs=f"a model tuned with {arg('time')} and {arg('event')}",
                got=f"a model of a {self.task} task",
                cure="Leave it out.",
            )
        times = read_times(at, "at")
        last = find_followed(self.estimator)
        if times[-1] > last:
            raise InputError(
                f"{arg('at')} is later than any case of the training table was followed",
                needs=f"times up to {last:g}",
                got=f"{times[-1]:g}",
            )
        return times

    def _answer(
        self, X: NDArray[np.float64], cautions: tuple[Caution, ...], times: tuple[float, ...] = ()
    ) -> Forecast:
        """Ask the estimator; the parts of a file need not belong together."""
        try:
            forecast = self._forecast(X, cautions)
            if not times:
                return forecast
            chances = ask_survival(self.estimator, X, times)
            columns = (*forecast.columns, *(f"survival_{time:.12g}" for time in times))
            scores = np.column_stack([forecast.scores, chances])
            return replace(forecast, scores=scores, columns=columns)
        except EarnestError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise FormatError(
                "the model cannot predict these rows",
                needs="a model whose parts fit together, as `earnest tune` writes it",
                got=f"{type(error).__name__}: {check.show(str(error))}",
                cure="Make the model again with `earnest tune`.",
            ) from error

    def _forecast(self, X: NDArray[np.float64], cautions: tuple[Caution, ...]) -> Forecast:
        if self.task in (Task.REGRESSION, Task.SURVIVAL):
            name = "prediction" if self.task is Task.REGRESSION else "risk"
            values = np.asarray(cast(Predictor, self.estimator).predict(X), dtype=np.float64)
            return Forecast(None, values, (name,), cautions)
        labels = self._read_labels(
            np.asarray(cast(Predictor, self.estimator).predict(X)).astype(np.intp)
        )
        if self.probabilities:
            names = tuple(f"p_{label}" for label in self.classes)
            return Forecast(labels, self._ask_probabilities(X), names, cautions)
        decides = hasattr(self.estimator, "decision_function")
        scores = self._ask_decisions(X) if decides else self._ask_probabilities(X)
        named = self.classes[-1:] if scores.ndim == 1 else self.classes
        columns = tuple(f"score_{label}" for label in named)
        return Forecast(labels, scores, columns, (*cautions, _warn_of_scores(columns)))

    def _read_labels(self, codes: NDArray[np.intp]) -> NDArray[np.generic]:
        """Return the classes in the table's own words."""
        labels = np.empty(len(codes), dtype=object)
        labels[:] = [self.classes[code] for code in codes]
        return labels

    def _ask_decisions(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(cast(Classifier, self.estimator).decision_function(X), dtype=np.float64)

    def _ask_probabilities(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities of all classes, also of those that the model never saw."""
        classifier = cast(Classifier, self.estimator)
        codes = np.asarray(classifier.classes_).astype(np.intp)
        chances = np.zeros((len(X), len(self.classes)))
        chances[:, codes] = classifier.predict_proba(X)
        return chances

    def to_bytes(self) -> bytes:
        """Return the file of the model, the same for the same model."""
        from skops.io import dumps

        about: dict[str, object] = {
            "schema": self.schema.to_dict(),
            "task": str(self.task),
            "classes": list(self.classes),
            "metric": self.metric,
            "winner": self.winner,
            "probabilities": self.probabilities,
            "leaks": None if self.leaks is None else self.leaks.to_dict(),
            "errors": None if self.errors is None else self.errors.to_dict(),
        }
        data = {"format": FORMAT, "about": json.dumps(about), "estimator": self.estimator}
        return normalize_archive(bytes(dumps(data)), _name_version())


def _read_ids(columns: Columns, name: str, forecast: Forecast) -> tuple[object, ...]:
    """Return the names of the rows: numbers, true and false or text as they are, others as text."""
    import pyarrow as pa

    column = find_column(columns, name, "id")
    if name in forecast.to_dict():
        raise InputError(
            f"{arg('id')} names a column that the predictions already have: {name!r}",
            cure="Rename it.",
        )
    plain = is_number(column.type) or is_text(column.type) or pa.types.is_boolean(column.type)
    return tuple((column if plain else column.cast(pa.string())).to_pylist())


def _warn_of_ignored(extra: tuple[str, ...]) -> Caution:
    return of_tables.columns_ignored(extra)


def _read_leaks(data: object) -> LeakScreen | None:
    """Return what a file says of leaks."""
    return LeakScreen.from_dict(data) if isinstance(data, dict) else None


def _warn_of_scores(columns: tuple[str, ...]) -> Caution:
    return of_evidence.scores_predicted(columns)


def load_model(run: str | Path) -> Model:
    """Load the model of a run, its folder or the file itself, without pickle.

    The file is read by skops, and only types of a fixed list in earnest's own code are made from
    it; a file that names another type is refused, with the name.

    Parameters
    ----------
    run : str or Path
        The folder that `tune` wrote, or its `model.skops`.

    Returns
    -------
    Model
        With `predict(table)`.

    Examples
    --------
    >>> import tempfile
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asked = {"n_configs": 1, "folds": 3, "rng": 7, "n_jobs": 1, "out": folder}
    ...     found = en.tune(iris, target="target", **asked)
    ...     model = en.load_model(folder)
    >>> model.predict(iris.head(2)).labels.tolist()
    [0, 0]
    """
    from skops.io import loads

    path = _find_file(check.read_path(run, NEEDED, "run").expanduser())
    with _explain_failures(path):
        content = path.read_bytes()  # once: what was looked at is what is made
        with ZipFile(BytesIO(content)) as archive:
            refuse_expanding(archive, path, len(content))
            _refuse_other_version(path, archive)
            check_arrays(archive, path)
            check_index(archive)
        data = loads(content, trusted=_list_types(content))
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError(
                f"{str(path)!r} is not an earnest model", needs="a file that `tune` wrote"
            )
        check_made(data["estimator"])
        about = json.loads(data["about"])
        return Model(
            estimator=data["estimator"],
            schema=Schema.from_dict(about["schema"]),
            task=Task(about["task"]),
            classes=tuple(about["classes"]),
            metric=str(about["metric"]),
            winner=str(about["winner"]),
            probabilities=about["probabilities"] is True,
            leaks=_read_leaks(about.get("leaks")),
            errors=read_errors(about.get("errors")),
        )


def _name_version() -> str:
    """Return the scikit-learn that models are made with, without the number of its patch."""
    from sklearn import __version__

    return f"scikit-learn {'.'.join(__version__.split('.')[:2])}"


def _refuse_other_version(path: Path, archive: ZipFile) -> None:
    """Refuse a model of another scikit-learn, which promises nothing of how it would predict."""
    text = archive.comment.decode("utf-8", "replace")
    if text and text != _name_version():
        raise FormatError(
            f"{str(path)!r} was made with another version",
            needs=_name_version(),
            got=check.show(text, 40),
            cure="Install the version of the model, or make the model again with `earnest tune`.",
        )


def _list_types(content: bytes) -> list[str]:
    """Return the types of a file that skops does not trust by default; refuse unknown ones.

    Nothing is made of them.
    """
    from skops.io import get_untrusted_types

    types = list(get_untrusted_types(data=content))
    strange = set(types) - list_trusted_types()
    if strange:
        raise refuse_types(strange)
    return types


def _find_file(path: Path) -> Path:
    file = path / NAME if path.is_dir() else path
    if file.name.casefold().endswith(TABLES):
        raise FormatError(
            f"{str(path)!r} is a table, not a model",
            needs=NEEDED,
            cure="Pass the run first, then the table: earnest predict run/ new.csv.",
        )
    check.refuse_stream(file)
    if not file.is_file():
        raise FormatError(
            f"there is no model in {str(path)!r}",
            needs=NEEDED,
            got="a folder without it" if path.is_dir() else "no such file",
            cure="An unfinished run has no model yet: resume it."
            if (path / "run.db").exists()
            else "",
        )
    return file


@contextmanager
def _explain_failures(path: Path) -> Iterator[None]:
    """Turn what reading a damaged file gives into one form of message."""
    try:
        with foreign_content(path, needs="a complete model file that `earnest tune` wrote"):
            yield
    except ModelPartError as error:
        what = f"{str(path)!r} {REFUSED}"
        raise ModelPartError(what, needs=error.needs, got=error.got, cure=error.cure) from error
