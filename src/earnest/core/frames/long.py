"""Long tables: one row a case, configuration and repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core import check
from earnest.core.arrays import missing, whole_as_int
from earnest.core.errors import InputError
from earnest.core.frames.columns import Columns, Grid, refuse_stray_text
from earnest.core.frames.roles import Roles, about_cases, nearest_column, outcome
from earnest.core.responses import ResponseKind
from earnest.core.target import Task

CONFIG = "config_id"
PREDICTION = "y_pred"
# The beginnings of columns with one number a class, and what the numbers are.
PREFIXES = {"proba_": ResponseKind.PROBABILITY, "score_": ResponseKind.DECISION}


def is_long(columns: Columns) -> bool:
    """Tell whether a table is long."""
    return CONFIG in columns.names


def long_arguments(
    columns: Columns,
    roles: Roles,
    configs: Sequence[str] | None,
    *,
    task: Task | str | None,
    positive: Any,
    classes: tuple[Any, ...] | None,
    response: Any,
) -> dict[str, Any]:
    """Return the arguments of `Predictions.from_arrays` that a long table holds."""
    if CONFIG not in columns.names:
        raise InputError(
            f"column {CONFIG!r} is missing",
            needs=f"a long table with {CONFIG!r}",
            got=f"columns {check.some(map(repr, columns.names))}",
            cure=nearest_column(CONFIG, columns, roles.used())
            or "Say format='wide' if it is wide.",
        )
    assert roles.id is not None
    grid = Grid.of(columns, roles.id, roles.repeat)
    config, labels = columns.complete_codes(CONFIG)
    names = tuple(str(label) for label in labels)
    grid.refuse_duplicates(config, names)
    y = outcome(columns, roles, grid)
    arguments = {"y": y, "configs": names, **about_cases(columns, roles, grid)}
    arguments |= _responses(columns, grid, config, y, positive, classes, response)
    if configs is not None:
        kept = _kept(names, configs)
        arguments["scores"] = arguments["scores"][:, kept]
        arguments["configs"] = [names[c] for c in kept]
    return arguments


def _kept(names: tuple[str, ...], configs: Sequence[str]) -> list[int]:
    wanted = [configs] if isinstance(configs, str) else [str(name) for name in configs]
    for name in wanted:
        if name not in names:
            raise InputError(
                f"configuration {name!r} is not in the table",
                needs=check.some(names),
                cure=check.nearest(name, names),
            )
    return [names.index(name) for name in wanted]


def _responses(
    columns: Columns,
    grid: Grid,
    config: NDArray[np.intp],
    y: Any,
    positive: Any,
    classes: tuple[Any, ...] | None,
    response: Any,
) -> dict[str, Any]:
    """Return the scores, and what the names of their columns say of them."""
    prefix = next((p for p in PREFIXES if any(n.startswith(p) for n in columns.names)), None)
    labels_wanted = response is not None and str(response) == ResponseKind.LABEL
    if prefix is None or (labels_wanted and PREDICTION in columns.names):
        if PREDICTION not in columns.names:
            raise InputError(
                f"column {PREDICTION!r} is missing",
                needs=f"{PREDICTION!r}, or 'proba_<class>' for every class",
                got=f"columns {check.some(map(repr, columns.names))}",
                cure=nearest_column(PREDICTION, columns, {CONFIG, "row_id", "id", "y_true", "y"}),
            )
        known = () if isinstance(y, tuple) else dict.fromkeys(y.tolist())
        return {"scores": _spread(columns, grid, config, [PREDICTION], known)[..., 0]}
    found = [name for name in columns.names if name.startswith(prefix)]
    labels = _class_labels(found, prefix, y, classes)
    if classes is not None and set(labels) == set(classes):
        found = [found[labels.index(label)] for label in classes]
        labels = tuple(classes)
    scores = _spread(columns, grid, config, found)
    kind = PREFIXES[prefix] if response is None else response
    if len(labels) == 1:
        return {
            "scores": scores[..., 0],
            "positive": _only_class(labels[0], positive, prefix),
            "response": kind,
        }
    task = Task.BINARY if len(labels) == 2 else Task.MULTICLASS
    return {"scores": scores, "classes": labels, "response": kind, "task": task}


def _spread(
    columns: Columns,
    grid: Grid,
    config: NDArray[np.intp],
    names: list[str],
    labels: Iterable[Any] = (),
) -> NDArray[Any]:
    """Return (n, C, R, K) with NaN (None among labels) where the table has no row."""
    parts = [columns.array(name) for name in names]
    for name, part in zip(names, parts, strict=True):
        refuse_stray_text(name, part, labels)
    numeric = all(part.dtype.kind in "iuf" for part in parts)
    single = all(part.dtype == np.float32 for part in parts)
    kind = (np.float32 if single else np.float64) if numeric else object
    shape = (grid.n, int(config.max()) + 1, grid.repeats, len(names))
    out = np.full(shape, np.nan if numeric else None, dtype=kind)
    for k, part in enumerate(parts):
        out[grid.case, config, grid.repeat, k] = part
    return out


def _class_labels(
    found: list[str], prefix: str, y: Any, classes: tuple[Any, ...] | None
) -> tuple[Any, ...]:
    """Return the class that each column of probabilities is about."""
    if isinstance(y, tuple):
        raise InputError(
            f"columns {check.some(map(repr, found))} belong to a classification",
            needs=f"{PREDICTION!r} with risks for a survival task",
        )
    known = {str(label): label for label in whole_as_int(y[~missing(y)]).tolist()}
    known |= {str(label): label for label in classes or ()}
    whole = all(isinstance(v, int) and not isinstance(v, bool) for v in known.values())
    labels = []
    for name in found:
        text = name.removeprefix(prefix)
        number = whole and text.lstrip("-").isdecimal()  # a class that no case has
        labels.append(known.get(text, int(text) if number else text))
    lacking = [text for text, label in known.items() if label not in labels]
    if lacking and not (len(known) == 2 and len(labels) == 1 and len(lacking) == 1):
        raise InputError(
            "a class has no column of predictions",
            needs=check.some(repr(prefix + text) for text in known),
            got=f"{check.some(map(repr, found))}, and no "
            + check.some(repr(prefix + text) for text in lacking),
            cure="Name the columns by the labels of y_true.",
        )
    return tuple(labels)


def _only_class(label: Any, positive: Any, prefix: str) -> Any:
    """Return the positive class where only its column is there."""
    if positive is not None and str(positive) != str(label):
        raise InputError(
            "the table has no predictions for the positive class",
            needs=f"a column {prefix + str(positive)!r}",
            got=f"{prefix + str(label)!r} alone",
        )
    return label
