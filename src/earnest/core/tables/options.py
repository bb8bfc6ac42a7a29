"""The options of `load`: which there are, and which a file of some kind can use."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Required, TypedDict, cast

from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.case_weights import Weighting
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.subgroups import ByLike
from earnest.core.data.target import Task
from earnest.core.tables.formats.missing import read_missing
from earnest.core.tables.formats.text import LABELS, SIGNS, TextOptions
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.core.tables.formats.header import HeaderFacts


class _Meaning(TypedDict, total=False):
    task: Task | str | None
    positive: object
    response: ResponseKind | str | None
    threshold: float | None
    weights: Weighting | str


class _Columns(_Meaning, total=False):
    format: str | None
    repeat: str | None
    time: str | None
    event: str | None
    configs: Sequence[str] | None
    model: str | Sequence[str] | None
    prediction: str | None
    weight: str | None
    missing: str | Sequence[str]


class ArrayOptions(_Meaning, total=False):
    """What `Predictions.from_arrays` takes."""

    y: Required[ArrayLike | tuple[ArrayLike, ArrayLike]]
    scores: Required[ArrayLike]
    fold: ArrayLike | None
    groups: ArrayLike | None
    strata: ArrayLike | None
    ids: ArrayLike | None
    when: ArrayLike | bool | None
    by: ByLike | None
    sample_weight: ArrayLike | None
    configs: Configs | Iterable[object] | None
    classes: Sequence[object] | None
    repeats: int | None


class FrameOptions(_Columns, total=False):
    """What a user may say of a table; see `earnest.core.tables.frames.read_frame`."""

    target: str | None
    fold: str | None
    group: str | None
    id: str | None
    strata: str | None
    when: str | bool | None
    by: str | Sequence[str]
    classes: Sequence[object] | None


class FileOptions(_Columns, total=False):
    """What a user may say of a file, whatever it holds; see `earnest.core.tables.files.load`."""

    mmap: bool | None
    verify: bool
    delimiter: str | None
    decimal: str | None
    thousands: str | None
    target: ArrayLike | None
    fold: ArrayLike | None
    group: ArrayLike | None
    id: ArrayLike | None
    strata: ArrayLike | None
    when: ArrayLike | bool | None
    by: str | Sequence[str]
    classes: Sequence[object] | str | None
    scores: ArrayLike
    y: ArrayLike | tuple[ArrayLike, ArrayLike]
    groups: ArrayLike | None
    ids: ArrayLike | None
    sample_weight: ArrayLike | None
    repeats: int | None


# The words for columns, and for arrays.
_ARRAYS = {"target": "y", "group": "groups", "id": "ids", "weight": "sample_weight"}
_COLUMNS = {word: column for column, word in _ARRAYS.items()} | {
    "repeats": "repeat",
    "scores": "configs",
}
_KEPT = ("threshold", "configs")  # what may be said anew of a file that describes itself


def refuse_unknown(options: Mapping[str, object]) -> None:
    """Refuse an option that no kind of file has."""
    names = [
        *_list_table_options(),
        *SIGNS,
        *(n for n in _list_array_options() if n not in _list_table_options()),
    ]
    for name in options:
        if name not in names:
            raise InputError(
                f"option {arg(name)} is unknown",
                needs=", ".join(arg(n) for n in names),
                cure=check.nearest(name, [*names, "mmap", "verify"]),
            )


def check_table_options(options: Mapping[str, object], path: Path) -> FrameOptions:
    """Return the options of `from_frame`; refuse those of arrays."""
    for name in options:
        if name not in _list_table_options() and name not in SIGNS:
            raise FormatError(
                f"{arg(name)} is for arrays, but {path.name!r} is a table",
                needs="column names",
                got=arg(name),
                cure=f"Use {arg(_COLUMNS[name])}."
                if name in _COLUMNS
                else f"Leave {arg(name)} out.",
            )
    frame_options = {name: value for name, value in options.items() if name not in SIGNS}
    return cast(FrameOptions, frame_options)


def make_text_options(options: Mapping[str, object]) -> TextOptions:
    """Return what options of predictions say of a text table: its signs, and columns of names."""
    model = options.get("model")
    several = isinstance(model, Iterable) and not isinstance(model, str)
    models = cast(Iterable[object], model) if several else [model]
    by = options.get("by", ())
    divided = [by] if isinstance(by, str) else list(cast(Iterable[object], by))
    labels = [*(options.get(name, name) for name in LABELS), *divided]
    return TextOptions.of(
        options,
        missing=read_missing(options.get("missing", ())),
        text=[str(options.get("id", "id"))],
        labels=[str(name) for name in (*labels, *models) if name is not None],
    )


def check_array_options(options: Mapping[str, object], path: Path) -> dict[str, object]:
    """Return the options of `from_arrays`; refuse those that only a table can use."""
    arguments = {_ARRAYS.get(name, name): value for name, value in options.items()}
    for name in arguments:
        if name not in _list_array_options():
            raise FormatError(
                f"{arg(name)} is for tables, but {path.name!r} holds arrays",
                needs=f"array names, passed as {arg('target')}, {arg('fold')}, {arg('group')}, "
                f"{arg('strata')} and {arg('id')}",
                got=arg(name),
                cure="Store times and events as arrays 'time' and 'event'."
                if name in ("time", "event")
                else "Store repeats as the third axis of 'scores' and as columns of 'fold'."
                if name == "repeat"
                else f"Leave {arg(name)} out.",
            )
    left_out = ("fold", "groups", "strata", "ids")  # None means that the array is not used
    return {n: v for n, v in arguments.items() if v is not None or n in left_out}


def refuse_other_options(
    options: Mapping[str, object], facts: HeaderFacts, path: Path, delimiter: str = ","
) -> None:
    """Refuse options that contradict a file which describes itself; those that repeat it pass."""
    says = _list_facts(facts) | {"delimiter": delimiter, "decimal": "."}
    carried = [column["name"] for column in facts.get("by", [])]
    by = options.get("by", ())
    if set([by] if isinstance(by, str) else cast(Iterable[object], by)) <= set(carried):
        says["by"] = by
    other = [n for n, v in options.items() if n not in _KEPT and not _is_same(n, v, says)]
    if other:
        listed = (
            f"{arg(n)} = {check.show(options[n])}"
            + (f", but the file says {check.show(says[n])}" if n in says else "")
            for n in other
        )
        raise FormatError(
            f"{path.name!r} was written by earnest and already says what it holds",
            needs=f"only {arg('threshold')}, {arg('configs')}, or options that agree with the file",
            got="; ".join(listed),
            cure=f"Leave {' and '.join(f'{arg(n)}' for n in other)} out.",
        )


def _list_facts(facts: HeaderFacts) -> dict[str, object]:
    """Return the options that a header answers, by the names and words of a user."""
    says: dict[str, object] = {
        "task": facts["task"],
        "response": facts["kind"],
        "when": facts["ordered"],
    }
    says |= {"format": "wide", "fold": "fold", "group": "group", "repeat": "repeat"}
    says |= {"strata": "strata", "id": "row_id", "groups": "groups", "ids": "ids"}
    if "weights" in facts:
        says |= {"weight": "weight", "weights": facts["weights"]}
    if facts["task"] == "survival":
        return says | {"time": "time", "event": "event"}
    says |= {"target": "y", "y": "y"}
    if facts["task"] == "binary":
        says["positive"] = facts["classes"][1]
    return says | ({"classes": facts["classes"]} if facts["classes"] else {})


def _is_same(name: str, value: object, says: Mapping[str, object]) -> bool:
    if value is None:  # for these four None leaves out what the file has
        return name not in ("fold", "group", "repeat", "strata")
    if name not in says:
        return False
    if name == "classes":
        return _make_texts(value) == _make_texts(says[name])
    number = isinstance(value, (bool, int, float))
    return str(value) == str(says[name]) or (number and bool(value == says[name]))


def _make_texts(labels: object) -> list[str]:
    return [str(label) for label in cast(Iterable[object], labels)]


def _list_table_options() -> list[str]:
    from earnest.core.tables.frames import read_frame

    return [name for name in inspect.signature(read_frame).parameters if name != "frame"]


def _list_array_options() -> list[str]:
    return list(inspect.signature(Predictions.from_arrays).parameters)
