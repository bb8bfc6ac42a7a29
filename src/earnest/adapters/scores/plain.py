"""A plain leaderboard: one table per configuration, or one for all, with one row per item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from earnest.adapters.readers import LAST, ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    get_list,
    name_item,
    peek_bytes,
    peek_line,
    read_document,
    read_lines,
    read_score_number,
)
from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.cautions.reasons import Breach, LogEnd
from earnest.core.tables.column_names import OF_SCORES, fold_name
from earnest.core.tables.formats.text import TextOptions, drop_cut_row, peek_names, read_text
from earnest.core.tables.formats.text import read_as_utf8 as read_text_bytes

TOOL = "a table of scores"
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
# Columns of a table of predictions, which calls what was predicted a score, too.
_OF_PREDICTIONS = {"y", "y_true", "truth", "fold"}
_PREDICTED = ("score", "value")
_ITEM, _SCORE = OF_SCORES["id"], OF_SCORES["score"]
_NEEDS = (
    f"a column item (or {', '.join(_ITEM.names[1:4])}) and a column score (or "
    f"{', '.join(_SCORE.names[1:4])})"
)


def is_table(path: Path) -> bool:
    """Tell whether this is a table with items and scores, and not with outcomes and predictions."""
    if path.suffix.casefold() not in ENDINGS:
        return False
    names = _peek_names(path)
    score = _SCORE.find_any(names)
    if _ITEM.find_any(names) is None or score is None:
        return False
    return fold_name(score) not in _PREDICTED or not {*map(fold_name, names)} & _OF_PREDICTIONS


def _peek_names(path: Path) -> list[str]:
    kind = path.suffix.casefold()
    try:
        if kind == ".parquet":
            import pyarrow.parquet as pq

            return [str(name) for name in pq.read_schema(path).names]
        if kind in (".jsonl", ".ndjson"):
            return [*peek_line(path)]
        if kind == ".json":
            if peek_bytes(path, 64).lstrip()[:1] != b"[":
                return []
            listed = get_list({"rows": read_document(path, TOOL)}, "rows")
            return [*listed[0]] if listed and isinstance(listed[0], dict) else []
        return peek_names(path, kind)
    except (OSError, ValueError, FormatError):
        return []


def read_run_table(path: Path) -> list[EvaluationRun]:
    """Read one table; the name of the file names the configuration where no column does."""
    records, unfinished = _read_records(path)
    if not records:
        raise FormatError(f"{str(path)!r} has no rows", needs=_NEEDS)
    names = [str(name) for name in records[0]]
    item, score = _ITEM.find_any(names), _SCORE.find_any(names)
    if item is None or score is None:
        got = f"columns {check.some(records[0])}"
        raise FormatError(f"{str(path)!r} is not a table of scores", needs=_NEEDS, got=got)
    config, repeat, group, task = (
        OF_SCORES[role].find_any(names) for role in ("config", "repeat", "groups", "tasks")
    )
    rows: dict[str, list[ItemScore]] = {}
    numbers = _number_repeats(record.get(repeat) for record in records) if repeat else {}
    for at, record in enumerate(records):
        if record.get(item) in (None, ""):
            raise FormatError(
                f"row {at + 1} of {str(path)!r} names no item",
                needs=f"a value in column {item!r}",
            )
        rows.setdefault(_get(record, task), []).append(
            ItemScore(
                name_item(record[item]),
                {score: _read_score(record.get(score), path, at)},
                repeat=numbers.get(name_item(record.get(repeat))) if repeat else None,
                group=_get(record, group) or None,
                config=_get(record, config) or None,
            )
        )
    return [
        EvaluationRun(
            path=path, config=path.stem, rows=table_rows, task=name, unfinished=unfinished
        )
        for name, table_rows in rows.items()
    ]


def _get(record: Mapping[str, Json], column: str | None) -> str:
    value = None if column is None else record.get(column)
    return "" if value is None else name_item(value)


def _number_repeats(values: Iterable[Json]) -> dict[str, int]:
    """Return the place of each name of a repeat, in the order of numbers or of appearance."""
    names = list(dict.fromkeys(name_item(value) for value in values))
    if all(read_score_number(name) is not None for name in names):
        names.sort(key=lambda name: read_score_number(name) or 0.0)
    return {name: at for at, name in enumerate(names)}


def _read_score(value: Json, path: Path, at: int) -> float | None:
    if value is None or (isinstance(value, str) and value.strip().casefold() in _ABSENT):
        return None
    number = read_score_number(value)
    if number is None and not (isinstance(value, float) and value != value):
        raise FormatError(
            f"the score in row {at + 1} of {str(path)!r} is not a number",
            needs="a number, true or false, or an empty cell",
            got=check.show(value),
        )
    return number


_ABSENT = ("", "na", "nan", "null", "none")


def _read_records(path: Path) -> tuple[list[dict[str, Json]], LogEnd | None]:
    kind = path.suffix.casefold()
    if kind == ".parquet":
        import pyarrow.parquet as pq

        from earnest.core.tables.formats.expanding import foreign_content

        with foreign_content(path):
            return pq.read_table(path).to_pylist(), None
    if kind in (".jsonl", ".ndjson"):
        return read_lines(path, TOOL)
    if kind == ".json":
        listed = get_list({"rows": read_document(path, TOOL)}, "rows")
        for at, record in enumerate(listed):
            if not isinstance(record, dict):
                raise FormatError(
                    f"row {at + 1} of {str(path)!r} is not a JSON object",
                    needs="an object with an item and its score in every row",
                    got=check.show(record),
                )
        return [record for record in listed if isinstance(record, dict)], None
    return _read_text(path)


def _read_text(path: Path) -> tuple[list[dict[str, Json]], LogEnd | None]:
    """Return the rows of a text; the last one may be cut off where a run was killed."""
    suffix = path.suffix.casefold()
    data, _ = read_text_bytes(path, suffix)
    whole, is_cut = drop_cut_row(data, suffix)
    options = TextOptions(missing=None, text=frozenset(_list_named(path, suffix)))
    columns = read_text(whole, path, suffix, options)
    cells = {name: columns.arrow(name).to_pylist() for name in columns.names}
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    return rows, LogEnd(Breach.ROW) if is_cut else None


def _list_named(path: Path, suffix: str) -> list[str]:
    """Return the columns of names, in which '01' is not 1."""
    names = peek_names(path, suffix)
    return [name for name in names if any(role.is_named(name) for role in _NAMING)]


_NAMING = [role for name, role in OF_SCORES.items() if name != "score"]


register(
    ScoresReader(
        name="plain_scores",
        words="a table with the columns item and score",
        takes=is_table,
        read=read_run_table,
        rank=LAST,
        tool=TOOL,
    )
)
