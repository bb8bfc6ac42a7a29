"""Columns that are named by the classes: one number a class, as other tools write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.responses import SUM
from earnest.core.tables.columns import Columns

# What stands beside a class in the names of tools, and names no model: '.pred_yes', 'P_1', 'X0'.
_NO_MODEL = {"", "x", "p", "pr", "prob", "probs", "proba", "probability", "pred", "predicted"}
_NO_MODEL |= {"prediction", "predictions", "score", "class"}
ONE_MODEL = "model"
FEWEST = 3  # rows under which a sum of 1 may be chance
ROUNDED = 0.005  # by how much a number with two decimals may be off


@dataclass(frozen=True)
class ClassColumns:
    """The configurations, the classes, and the column of each: (C, K)."""

    ids: tuple[str, ...]
    classes: tuple[object, ...]
    table: tuple[tuple[str, ...], ...]


def find_class_columns(
    columns: Columns, names: Sequence[str], labels: Sequence[object]
) -> ClassColumns | None:
    """Read 'rf_yes', 'rf_no' or '.pred_yes', '.pred_no': None where names are others.

    All names have to end, or all to begin, with a class; every model needs every class, and its
    numbers have to add up to 1 in each row, as far as two decimals do. Columns of labels beside
    them, such as '.pred_class', say what the numbers say, and are left out.
    """
    if len(labels) < 2:
        return None
    numbers = [name for name in names if columns.array(name).dtype.kind in "iuf"]
    known = set(numbers)
    spare = [name for name in names if name not in known]
    for at_end in (True, False):
        found = _group_by_model(numbers, labels, at_end=at_end)
        if found and all(len(row) == len(labels) for row in found.values()):
            break
    else:
        return None
    if len(spare) > len(found) or not all(_are_labels(columns, name, labels) for name in spare):
        return None
    table = tuple(tuple(row[label] for label in labels) for row in found.values())
    if not all(_add_up(columns, row) for row in table):
        return None
    return ClassColumns(_name_models(found), tuple(labels), table)


def sort_labels(labels: Iterable[object]) -> tuple[object, ...]:
    """Return labels sorted as numbers or as text, each once; mixed ones by their texts.

    Examples
    --------
    >>> from earnest.core.tables.classes import sort_labels
    >>> sort_labels([10, 2, 1, 2])
    (1, 2, 10)
    """
    known = dict.fromkeys(labels)
    if any(isinstance(label, str) for label in known):
        return tuple(sorted(known, key=str))
    return tuple(sorted(known))  # type: ignore[type-var]  # numbers


def order_as_columns(labels: Sequence[object]) -> tuple[object, ...]:
    """Return the classes of columns in their order; numbers count upward wherever they stand.

    'low', 'mid', 'high' may be an order that only the columns tell, and 1, 10, 2 is none.
    """
    numbers = not any(isinstance(label, str) for label in labels)
    return sort_labels(labels) if numbers else tuple(labels)


def class_names(names: Sequence[str], labels: Sequence[object]) -> list[str]:
    """Return the names that end or begin with a class."""
    texts = [str(label) for label in labels]
    return [
        name
        for name in names
        if any(
            _find_stem(name, text, at_end=end) is not None
            for text in texts
            for end in (True, False)
        )
    ]


def refuse_both_classes(columns: Columns, names: Sequence[str], labels: Sequence[object]) -> None:
    """Refuse two columns that add up to 1 in every row: they are both classes of one model."""
    if len(labels) != 2 or len(names) != 2:
        return
    pair = [columns.array(name) for name in names]
    whole = all(np.isin(values, (0, 1)).all() for values in pair if values.dtype.kind in "iuf")
    if any(values.dtype.kind != "f" for values in pair) or whole or not _add_up(columns, names):
        return
    raise InputError(
        f"columns {check.some(map(repr, names))} look like both classes of one model",
        needs="one column per configuration, with the scores of the positive class",
        got="two columns that sum to 1 in every row",
        cure=(
            "Name the column of the positive class with "
            f"configs={names[1]!r} or configs={names[0]!r}, or both if they are two configurations."
        ),
    )


def _group_by_model(
    names: Sequence[str], labels: Sequence[object], *, at_end: bool
) -> dict[str, dict[object, str]]:
    """Return the column of each model and class, nothing where a name has no class."""
    texts = sorted(((str(label), label) for label in labels), key=lambda each: -len(each[0]))
    table: dict[str, dict[object, str]] = {}
    for name in names:
        stems = ((_find_stem(name, text, at_end=at_end), label) for text, label in texts)
        stem, label = next((each for each in stems if each[0] is not None), (None, None))
        if stem is None or label in table.get(stem, {}):
            return {}
        table.setdefault(stem, {})[label] = name
    return table


def _find_stem(name: str, text: str, *, at_end: bool) -> str | None:
    """Return what is left of a name without its class, None where it does not stand apart."""
    if not (name.endswith(text) if at_end else name.startswith(text)):
        return None
    rest = name[: len(name) - len(text)] if at_end else name[len(text) :]
    edge = rest[-1:] if at_end else rest[:1]
    apart = not edge.isalnum() or (rest.casefold() in _NO_MODEL and text.isdecimal())
    return rest if apart else None


def _name_models(found: dict[str, dict[object, str]]) -> tuple[str, ...]:
    bare = [re.sub(r"^\W+|[\W_]+$|^_+", "", stem) for stem in found]
    if len(bare) == 1 and bare[0].casefold() in _NO_MODEL:
        return (ONE_MODEL,)
    return tuple(bare) if len(set(bare)) == len(bare) and all(bare) else tuple(found)


def _are_labels(columns: Columns, name: str, labels: Sequence[object]) -> bool:
    known = {str(label) for label in labels}
    _, values = columns.codes(name)
    return all(str(value) in known for value in values.tolist())


def _add_up(columns: Columns, names: Sequence[str]) -> bool:
    """Tell whether numbers are shares of 1 in each row; three or more may have been rounded.

    Two numbers of two decimals still add up, and two models are named like classes more easily.
    """
    table = np.column_stack([columns.array(name).astype(np.float64) for name in names])
    known = table[~np.isnan(table).any(axis=1)]
    if len(known) < FEWEST or known.min() < -SUM or known.max() > 1.0 + SUM:
        return False
    off = SUM if len(names) == 2 else len(names) * ROUNDED
    return bool((np.abs(known.sum(axis=1) - 1.0) <= off + SUM).all())
