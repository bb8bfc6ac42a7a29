"""From what a user gives to compare, to predictions that stand side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.results.cautions import Caution
from earnest.metrics.families import Metric, MetricLike
from earnest.metrics.responding import check_fits
from earnest.metrics.scores import read_evidence

Comparable = Predictions | Scores


def read_measured(given: object, metric: MetricLike | None) -> tuple[Predictions, Metric]:
    """Return predictions and metric of what was given to compare."""
    if not isinstance(given, (Predictions, Scores)):
        raise EvidenceError(
            "this is not a table of out-of-sample predictions",
            needs="earnest.Predictions, or earnest.Scores",
            got=type(given).__name__,
            cure="Make one with Predictions.from_arrays, from_frame or load; for two columns of "
            "scores Scores({'a': ..., 'b': ...}).",
        )
    pi, measure = read_evidence(given, metric)
    check_fits(pi, measure)
    return pi, measure


def find_pair(
    given: object, a: str | int | Comparable | None, b: str | int | None
) -> tuple[object, int, int]:
    """Return the evidence and the columns of a and b."""
    if isinstance(a, (Predictions, Scores)):
        return _two_tables(given, a, b), 0, 1
    if b is None or a is None:
        raise InputError(
            "there are not two configurations to compare",
            needs="`a` and `b`: names or positions, or a second table of predictions",
            got="one" if a is not None else "none",
            cure="To compare all with the best, use compare_many.",
        )
    table = given.predictions if isinstance(given, Scores) else given
    if not isinstance(table, Predictions):
        return given, 0, 1  # refused by `read_measured`
    return given, table.configs.index(a), table.configs.index(b)


def _two_tables(first: object, second: object, extra: object) -> Predictions:
    """Return two predictions of one configuration each, on the same cases, side by side."""
    if isinstance(first, Scores) and isinstance(second, Scores):
        first, second = first.predictions, second.predictions
    if not isinstance(first, Predictions) or not isinstance(second, Predictions):
        raise InputError(
            "two tables of predictions are compared, or two of scores",
            needs="Predictions and Predictions, or Scores and Scores",
            got=f"{type(first).__name__} and {type(second).__name__}",
            cure="Put both columns of scores in one Scores({'a': ..., 'b': ...}).",
        )
    if extra is not None:
        raise InputError(
            "`b` cannot be combined with two tables",
            needs="two tables of one configuration each",
            got=check.show(extra),
            cure="Choose the configurations with .select(name).",
        )
    for word, table in (("first", first), ("second", second)):
        if table.n_configs != 1:
            raise InputError(
                f"the {word} table has {table.n_configs} configurations",
                needs="one configuration in each table",
                got=check.some(table.configs.ids),
                cure="Choose one with .select(name).",
            )
    if first.configs.ids == second.configs.ids:
        second = replace(
            second, configs=replace(second.configs, ids=(f"{second.configs.ids[0]}'",))
        )
    return first.concat(second)


def common(pi: Predictions, columns: list[int]) -> tuple[Predictions, list[Caution]]:
    """Return the chosen columns on the folds that all of them have.

    A configuration that was dropped early has no predictions in the later folds.
    """
    chosen = pi.select(columns)
    if chosen.complete.all():
        return chosen, []
    responses = np.array(chosen.responses, dtype=np.float64)
    for repeat, cells in enumerate(chosen.cells):
        codes = chosen.folds[:, repeat]
        shared = np.append(cells.all(axis=1), False)[codes]
        responses[~shared, :, repeat] = np.nan
    if not np.isfinite(responses).any():
        raise EvidenceError(
            "no fold was evaluated for both configurations",
            needs="a fold with predictions of each",
            got=", ".join(_coverage(chosen)),
            cure="Evaluate the missing folds, or compare others.",
        )
    return replace(chosen, responses=responses), [_on_common_folds(chosen)]


def _coverage(pi: Predictions) -> Iterator[str]:
    counts = np.sum([cells.sum(axis=0) for cells in pi.cells], axis=0)
    total = sum(int(cells.any(axis=1).sum()) for cells in pi.cells)
    for name, count in zip(pi.configs.ids, counts, strict=True):
        yield f"{name} in {int(count)} of {total} folds"


def _on_common_folds(pi: Predictions) -> Caution:
    return Caution(
        "EN037",
        f"Not every fold was evaluated for both: {', '.join(_coverage(pi))}.",
        "They are compared on the folds that both have; if one was dropped because it did "
        "badly, the comparison is too hard on it.",
        "Evaluate the missing folds.",
    )
