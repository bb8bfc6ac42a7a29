"""A plain leaderboard: one table per configuration, or one for all, with one row per item."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from earnest.adapters.readers import LAST, ScoresReader, register
from earnest.adapters.scores.runs import (
    Json,
    Row,
    Run,
    get_list,
    name_item,
    peek_bytes,
    peek_line,
    read_bytes,
    read_document,
    read_lines,
    read_number,
)
from earnest.core.base import check
from earnest.core.base.errors import FormatError

TOOL = "a table of scores"
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
# The names of columns, in the order in which they are looked for.
ITEM = ("item", "item_id", "id", "example_id", "question_id", "instance_id", "sample_id",
        "doc_id", "row_id", "case", "case_id", "problem", "problem_id", "task_id")  # fmt: skip
SCORE = ("score", "correct", "accuracy", "acc", "is_correct", "passed", "success", "value",
         "reward", "grade")  # fmt: skip
CONFIG = ("configuration", "config", "config_id", "model", "model_id", "prompt", "system")
REPEAT = ("repeat", "epoch", "sample", "attempt", "trial", "seed", "run")
GROUP = ("group", "passage", "cluster", "group_id")
TASK = ("task", "subject", "dataset", "category")
# Columns of a table of predictions, which calls what was predicted a score, too.
OF_PREDICTIONS = ("y", "y_true", "truth", "fold")
_PREDICTED = ("score", "value")
_NEEDS = (
    f"a column item (or {', '.join(ITEM[1:4])}) and a column score (or {', '.join(SCORE[1:4])})"
)


def is_table(path: Path) -> bool:
    """Tell whether this is a table with items and scores, and not with outcomes and predictions."""
    if path.suffix.casefold() not in ENDINGS:
        return False
    names = {name.casefold(): name for name in _peek_names(path)}
    score = _find(names, SCORE)
    if _find(names, ITEM) is None or score is None:
        return False
    return score.casefold() not in _PREDICTED or _find(names, OF_PREDICTIONS) is None


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
        with path.open("rb") as file:
            line = file.readline(1_000_000).decode("utf-8-sig")
        return next(csv.reader([line], delimiter=_find_delimiter(line)), [])
    except (OSError, ValueError, FormatError, csv.Error):
        return []


def read_table(path: Path) -> list[Run]:
    """Read one table; the name of the file names the configuration where no column does."""
    records, unfinished = _read_records(path)
    if not records:
        raise FormatError(f"{str(path)!r} has no rows", needs=_NEEDS)
    first = {str(name).casefold(): str(name) for name in records[0]}
    item, score = _find(first, ITEM), _find(first, SCORE)
    if item is None or score is None:
        got = f"columns {check.some(records[0])}"
        raise FormatError(f"{str(path)!r} is not a table of scores", needs=_NEEDS, got=got)
    config, repeat = _find(first, CONFIG), _find(first, REPEAT)
    group, task = _find(first, GROUP), _find(first, TASK)
    rows: dict[str, list[Row]] = {}
    numbers = _number_repeats(record.get(repeat) for record in records) if repeat else {}
    for at, record in enumerate(records):
        if record.get(item) in (None, ""):
            raise FormatError(
                f"row {at + 1} of {str(path)!r} names no item",
                needs=f"a value in column {item!r}",
            )
        rows.setdefault(_get(record, task), []).append(
            Row(
                name_item(record[item]),
                {score: _read_score(record.get(score), path, at)},
                repeat=numbers.get(name_item(record.get(repeat))) if repeat else None,
                group=_get(record, group) or None,
                config=_get(record, config) or None,
            )
        )
    return [
        Run(path=path, config=path.stem, rows=table_rows, task=name, unfinished=unfinished)
        for name, table_rows in rows.items()
    ]


def _find(columns: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((columns[name] for name in names if name in columns), None)


def _get(record: Mapping[str, Json], column: str | None) -> str:
    value = None if column is None else record.get(column)
    return "" if value is None else name_item(value)


def _number_repeats(values: Iterable[Json]) -> dict[str, int]:
    """Return the place of each name of a repeat, in the order of numbers or of appearance."""
    names = list(dict.fromkeys(name_item(value) for value in values))
    if all(read_number(name) is not None for name in names):
        names.sort(key=lambda name: read_number(name) or 0.0)
    return {name: at for at, name in enumerate(names)}


def _read_score(value: Json, path: Path, at: int) -> float | None:
    if value is None or (isinstance(value, str) and value.strip().casefold() in _ABSENT):
        return None
    number = read_number(value)
    if number is None and not (isinstance(value, float) and value != value):
        raise FormatError(
            f"the score in row {at + 1} of {str(path)!r} is not a number",
            needs="a number, true or false, or an empty cell",
            got=check.show(value),
        )
    return number


_ABSENT = ("", "na", "nan", "null", "none")


def _read_records(path: Path) -> tuple[list[dict[str, Json]], str]:
    kind = path.suffix.casefold()
    if kind == ".parquet":
        import pyarrow.parquet as pq

        from earnest.core.tables.formats.expanding import foreign_content

        with foreign_content(path):
            return pq.read_table(path).to_pylist(), ""
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
        return [record for record in listed if isinstance(record, dict)], ""
    return _read_text(path)


def _read_text(path: Path) -> tuple[list[dict[str, Json]], str]:
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{str(path)!r} is not a text in UTF-8", needs="a CSV file in UTF-8", got=str(error)
        ) from error
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_find_delimiter(first))
    names = next(reader, [])
    if len(set(names)) < len(names):
        raise FormatError(f"two columns of {str(path)!r} have the same name", got=", ".join(names))
    records: list[dict[str, Json]] = []
    unfinished = ""
    lines = [cells for cells in reader if cells]
    for at, cells in enumerate(lines):
        if len(cells) < len(names) and at == len(lines) - 1 and not text.endswith("\n"):
            unfinished = "its last row is cut off"
            break
        if len(cells) != len(names):
            raise FormatError(
                f"row {at + 1} of {str(path)!r} has {len(cells)} cells",
                needs=f"{len(names)}, as the first line has",
            )
        records.append(dict(zip(names, cells, strict=True)))
    return records, unfinished


def _find_delimiter(line: str) -> str:
    return max(("\t", ";", ","), key=line.count)


register(
    ScoresReader(
        name="plain_scores",
        words="a table with the columns item and score",
        takes=is_table,
        read=read_table,
        rank=LAST,
        tool=TOOL,
    )
)
