"""Readers of other tools: how they recognise and read a source, and what a caller may say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from numpy.typing import ArrayLike

from earnest.adapters.scores.runs import EvaluationRun
from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution
from earnest.core.space.space import Space
from earnest.core.space.trials import DIRECTIONS, TrialOptions, Trials
from earnest.core.text.doors import arg, word

if TYPE_CHECKING:
    from optuna.artifacts._protocol import ArtifactStore

    from earnest.core.tables.columns import Outcome


OUTCOME = word("`y`", "--target")  # as messages name it
MARKS = ("delimiter", "decimal", "thousands")  # of a text table


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a caller says of a source."""

    def refuse(self, source: str, *names: str) -> None:
        """Refuse options that mean nothing for this source, rather than ignore them."""
        check.refuse_given({name: getattr(self, name) for name in names}, source)


@dataclass(frozen=True, kw_only=True)
class TrialsRequest(Request):
    """The options of `trials_from`, each None where it was not said."""

    study: str | None = None
    objective: str | int | None = None
    direction: str | None = None
    params: Sequence[str] | None = None
    standard_error: str | None = None
    status: str | None = None
    space: Space | None = None
    values: ArrayLike | None = None  # objectives, where the source has configurations only
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None

    def table_options(self) -> TrialOptions:
        """Return what was said of the columns of a table, as `Trials.from_frame` takes it."""
        return {
            "objective": cast(str | None, self.objective),  # a number is refused as no column
            "direction": self.direction,
            "params": self.params,
            "standard_error": self.standard_error,
            "status": self.status,
            "space": self.space,
        }

    def direction_or(self, direction: str, source: str) -> str:
        """Return the source's own direction, which may be said again but not contradicted."""
        if self.direction is None:
            return direction
        check.one_of("direction", self.direction, DIRECTIONS)
        if self.direction != direction:
            raise InputError(
                f"{arg('direction')} contradicts that of {source}",
                needs=repr(direction),
                got=repr(self.direction),
                cure="Leave it out.",
            )
        return direction

    def some_of(self, configs: Sequence[dict[str, object]]) -> list[dict[str, object]]:
        """Return the configurations with only the parameters that were asked for."""
        if self.params is None:
            return list(configs)
        names = list(dict.fromkeys(name for config in configs for name in config))
        for name in self.params:
            if name not in names:
                raise InputError(
                    f"hyperparameter {check.show(name)} is unknown",
                    needs=check.some(names, limit=30),
                    cure=check.nearest(str(name), names),
                )
        return [{k: v for k, v in config.items() if k in self.params} for config in configs]


StoreLike: TypeAlias = "str | PathLike[str] | ArtifactStore"  # where `keep_predictions` keeps


@dataclass(frozen=True, kw_only=True)
class PredictionsRequest(Request):
    """The options of `predictions_from`, each None where it was not said."""

    y: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None
    store: StoreLike | None = None
    study: str | None = None
    fold: ArrayLike | None = None
    groups: ArrayLike | None = None
    task: str | None = None
    positive: object = None
    classes: Sequence[object] | None = None
    response: str | None = None
    static: bool | None = None
    ensembles: bool | None = None
    trust_pickle: bool | None = None

    def outcome(self, source: str) -> Outcome:
        """Return `y`, and refuse to go on without."""
        if self.y is None:
            raise InputError(
                f"{source} does not hold the outcome of the cases",
                needs=f"{OUTCOME}, in the order of the rows that the models were trained on",
                cure=word("predictions_from(source, y, ...)", "Use --data TABLE --target COLUMN."),
            )
        if isinstance(self.y, str | bytes) or not hasattr(self.y, "__len__"):
            raise InputError(
                "`y` is not a column", needs="one value per case", got=check.show(self.y)
            )
        return cast("Outcome", self.y)

    def made(
        self,
        y: ArrayLike | tuple[ArrayLike, ArrayLike],
        scores: RawArray,
        fold: ArrayLike | None,
        configs: Configs,
        remarks: Iterable[Caution] = (),
        ensemble_rule: str | None = None,
    ) -> Predictions:
        """Return Π of what was read, checked as any other, with what is to be known of it."""
        if self.static is not None:
            configs = replace(configs, static=bool(self.static))
        pi = Predictions.from_arrays(
            y,
            scores,
            fold,
            groups=self.groups,
            configs=configs,
            task=self.task,
            positive=self.positive,
            classes=self.classes,
            response=self.response,
        )
        return replace(pi, remarks=tuple(remarks), ensemble_rule=ensemble_rule)


EARLY, USUAL, LATE, LAST = 10, 50, 70, 90  # when a reader is asked


@dataclass(frozen=True, kw_only=True)
class Reader:
    """One kind of source.

    Parameters
    ----------
    name : str
        Its name in the registry.
    words : str
        What the source is called in messages, with its article.
    takes : callable
        `takes(source)` tells whether an object, a path or a URL is of this kind. It is asked of
        any source, so it must not raise, and must not import the tool.
    rank : int
        Readers are asked in this order, and the first that takes a source reads it.
    """

    name: str
    words: str
    takes: Callable[[Any], bool]
    rank: int = USUAL


@dataclass(frozen=True, kw_only=True)
class PredictionsReader(Reader):
    """A reader of out-of-sample predictions, for `predictions_from` and `earnest gather`.

    Parameters
    ----------
    name, words, takes, rank
        As for every reader.
    read : callable
        `read(source, wanted) -> Predictions`; `wanted` are the options of `predictions_from`.
    tool : str
        Whose file, folder or URL it is, for `earnest gather`; empty for objects in memory.
    options : str
        The options of `earnest gather` that such a source needs.
    ours : bool
        Whether earnest wrote it itself.
    """

    read: Callable[[Any, PredictionsRequest], Predictions]
    tool: str = ""
    options: str = ""
    ours: bool = False


@dataclass(frozen=True, kw_only=True)
class TrialsReader(Reader):
    """A reader of tried configurations with their objectives, for `trials_from` and `explain`.

    Parameters
    ----------
    name, words, takes, rank
        As for every reader.
    read : callable
        `read(source, ask) -> Trials`; `ask` are the options of `trials_from`.
    """

    read: Callable[[Any, TrialsRequest], Trials]


@dataclass(frozen=True, kw_only=True)
class ScoresReader(Reader):
    """A reader of evaluation logs, for `scores_from`, `earnest gather` and `earnest report`.

    Parameters
    ----------
    name, words, takes, rank
        As for every reader; `takes` is asked of each file of a folder.
    read : callable
        `read(path) -> list[Run]`: what one log says.
    tool : str
        Whose log it is.
    """

    read: Callable[[Path], list[EvaluationRun]]
    tool: str


@dataclass(frozen=True, kw_only=True)
class FoldScoresReader(Reader):
    """A reader of scores of folds, for every verb that computes from them.

    Parameters
    ----------
    name, words, takes, rank
        As for every reader.
    read : callable
        `read(source) -> FoldScores`.
    """

    read: Callable[[Any], FoldScores]


def is_kind(source: object, name: str, package: str = "") -> bool:
    """Tell whether an object is of a class of that name, without importing its package.

    Examples
    --------
    >>> from earnest.adapters.readers import is_kind
    >>> is_kind(True, "int"), is_kind(True, "Study", "optuna.")
    (True, False)
    """
    kinds = type(source).__mro__
    return any(kind.__name__ == name and kind.__module__.startswith(package) for kind in kinds)


R = TypeVar("R", bound=Reader)


def register(reader: R) -> R:
    """Put a reader in the registry of what it reads."""
    if isinstance(reader, PredictionsReader):
        PREDICTIONS_READERS.add(reader.name, reader)
    elif isinstance(reader, TrialsReader):
        TRIALS_READERS.add(reader.name, reader)
    elif isinstance(reader, ScoresReader):
        SCORES_READERS.add(reader.name, reader)
    elif isinstance(reader, FoldScoresReader):
        FOLD_SCORES_READERS.add(reader.name, reader)
    else:
        raise TypeError(
            "a reader must be a PredictionsReader, a TrialsReader, a ScoresReader or a "
            "FoldScoresReader"
        )
    return reader


def order_readers(readers: Registry[R]) -> list[R]:
    """Return readers in the order in which they are asked."""
    return sorted(readers.values(), key=lambda reader: reader.rank)


def find_reader(readers: Registry[R], source: object) -> R | None:
    """Return the first reader that takes a source, None where none does."""
    return next((reader for reader in order_readers(readers) if reader.takes(source)), None)


def list_sources(readers: Registry[R]) -> str:
    """Return what the readers of a registry read, in words."""
    return "; ".join(reader.words for reader in order_readers(readers))


def refuse_source(readers: Registry[R], source: object, what: str, cure: str) -> InputError:
    """Return the error about a source that no reader takes."""
    return InputError(
        f"there are no {what} in {check.show(type(source).__name__)}",
        needs=list_sources(readers),
        got=check.show(source),
        cure=cure,
    )


_GROUP = "earnest.readers"
PREDICTIONS_READERS: Registry[PredictionsReader] = Registry("reader", group=_GROUP, adopt=register)
TRIALS_READERS: Registry[TrialsReader] = Registry("reader", group=_GROUP, adopt=register)
SCORES_READERS: Registry[ScoresReader] = Registry("reader", group=_GROUP, adopt=register)
FOLD_SCORES_READERS: Registry[FoldScoresReader] = Registry("reader", group=_GROUP, adopt=register)
