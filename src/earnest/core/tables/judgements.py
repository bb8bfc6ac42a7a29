"""Judgements of pairs at the door: a row says which of two answers was better."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import missing
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Configs
from earnest.core.data.score_parts import ScoreParts
from earnest.core.tables.columns import Columns
from earnest.core.tables.scores import as_table

TIES = ("tie", "draw", "both", "neither", "equal", "")


def read_judgements(
    table: object, *, a: str, b: str, winner: str, id: str | None, groups: str | None
) -> ScoreParts:
    """Return judgements of pairs, a row each, as scores: 1, 0, or a half for a tie."""
    columns = Columns.of(as_table(table) if isinstance(table, Mapping) else table)
    for role, name in (("a", a), ("b", b), ("winner", winner), ("id", id), ("groups", groups)):
        if name is not None and name not in columns.names:
            raise InputError(
                f"column {name!r} for `{role}` is missing",
                got=f"the table has {check.some(map(repr, columns.names))}",
                cure=check.nearest(name, columns.names),
            )
    first, second, told = (
        [str(value) for value in columns.array(name).tolist()] for name in (a, b, winner)
    )
    absent = missing(columns.array(a)) | missing(columns.array(b)) | missing(columns.array(winner))
    if absent.any():
        raise InputError(
            "judgements lack a name or a winner",
            needs="both names and the winner in every row",
            got=f"{int(absent.sum())} of {columns.rows} rows without",
            cure="Write 'tie' where neither won, and leave out rows that were not judged.",
        )
    names = list(dict.fromkeys([*first, *second]))
    codes = {name: place for place, name in enumerate(names)}
    won = [
        _read_winner(*row, number)
        for number, row in enumerate(zip(first, second, told, strict=True))
    ]
    places = np.array([[codes[x], codes[y]] for x, y in zip(first, second, strict=True)])
    alone = np.flatnonzero(places[:, 0] == places[:, 1])
    if len(alone):
        raise InputError(
            "a configuration is judged against itself",
            needs="two different names in every row",
            got=f"{first[alone[0]]!r} twice in row {alone[0] + 1}",
        )
    points = np.array(won)
    rows = np.arange(len(points))
    values = np.full((len(points), len(names), 1), np.nan)
    values[rows, places[:, 0], 0] = points
    values[rows, places[:, 1], 0] = 1.0 - points
    outcome = (2 * points).astype(np.int64)
    return ScoreParts(
        values=values,
        configs=Configs.of(names, len(names)),
        ids=None if id is None else columns.array(id),
        groups=None if groups is None else columns.array(groups),
        codes=(places[:, 0] * len(names) + places[:, 1]) * 3 + outcome,
    )


def _read_winner(a: str, b: str, told: str, row: int) -> float:
    """Return 1 where the first won, 0 where the second did, a half for a tie."""
    if told == a or (told.casefold() in ("a", "model_a") and told != b):
        return 1.0
    if told == b or told.casefold() in ("b", "model_b"):
        return 0.0
    if told.strip().casefold() in TIES or told.casefold().startswith("tie"):
        return 0.5
    raise InputError(
        "the winner of a judgement cannot be told",
        needs=f"{a!r}, {b!r}, 'a', 'b' or 'tie'",
        got=f"{check.show(told)} in row {row + 1}",
    )
