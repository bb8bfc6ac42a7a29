"""Readers of other tools: how a source is called, how it is recognised, how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from earnest.adapters.predictions.request import PredictionsRequest
from earnest.adapters.scores.runs import Run
from earnest.adapters.trials.request import TrialsRequest
from earnest.core.base.registry import Registry
from earnest.core.data.predictions import Predictions
from earnest.core.space.trials import Trials

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
    own : bool
        Whether earnest wrote it itself.
    """

    read: Callable[[Any, PredictionsRequest], Predictions]
    tool: str = ""
    options: str = ""
    own: bool = False


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

    read: Callable[[Path], list[Run]]
    tool: str


R = TypeVar("R", bound=Reader)


def register(reader: R) -> R:
    """Put a reader in the registry of what it reads."""
    if isinstance(reader, PredictionsReader):
        PREDICTIONS_READERS.add(reader.name, reader)
    elif isinstance(reader, TrialsReader):
        TRIALS_READERS.add(reader.name, reader)
    elif isinstance(reader, ScoresReader):
        SCORES_READERS.add(reader.name, reader)
    else:
        raise TypeError("a reader must be a PredictionsReader, a TrialsReader or a ScoresReader")
    return reader


def order_readers(readers: Registry[R]) -> list[R]:
    """Return readers in the order in which they are asked."""
    return sorted(readers.values(), key=lambda reader: reader.rank)


_GROUP = "earnest.readers"
PREDICTIONS_READERS: Registry[PredictionsReader] = Registry("reader", group=_GROUP, adopt=register)
TRIALS_READERS: Registry[TrialsReader] = Registry("reader", group=_GROUP, adopt=register)
SCORES_READERS: Registry[ScoresReader] = Registry("reader", group=_GROUP, adopt=register)
