"""Files of scores: read in any format, written so that they come back exactly."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import EarnestError, FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.measure import Measure
from earnest.core.data.scores import ScoreParts
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns, clear_columns
from earnest.core.tables.files import (
    CSV,
    READ,
    find_existing,
    find_suffix,
    find_table_suffix,
    open_table_file,
    readable,
    write_own_table,
)
from earnest.core.tables.formats.header import (
    describe_configs,
    make_changed_error,
    rebuild_configs,
    seal,
    unseal,
)
from earnest.core.tables.formats.missing import read_missing
from earnest.core.tables.formats.npz import (
    HEADER,
    read_npy,
    read_npz,
    read_npz_header,
    write_npz,
)
from earnest.core.tables.formats.text import peek_header
from earnest.core.tables.options import TEXT
from earnest.core.tables.scores import looks_like_scores
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa

    from earnest.core.data.scores import Scores

SCHEMA = "earnest/scores/1"
JSON = (".jsonl", ".ndjson")
WRITTEN = (".parquet", ".csv", ".csv.gz", ".tsv", ".arrow", ".feather", *JSON, ".npz")
# Arrays of one value per item, and the usual names of their columns.
_ABOUT = {"ids": "item", "groups": "group", "tasks": "task", "codes": "judgement"}
_KINDS = {"U": np.str_, "i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}
_ARRAYS = ("id", "groups", "tasks", "configs", "per", "fold")  # of others, beside 'scores'


def load_scores(kind: type[Scores], path: str | Path, options: Mapping[str, Any]) -> Scores:
    """Read scores from a file; its suffix gives the format."""
    path = find_existing(Path(path), "scores")
    suffix = find_suffix(path, READ)
    said = dict(options)
    mmap = said.pop("mmap", None)
    missing = read_missing(said.pop("missing", ()))
    text: dict[str, object] = {name: said.pop(name) for name in TEXT if name in said}
    if text and suffix not in CSV:
        raise FormatError(
            f"{arg(next(iter(text)))} is for CSV files", got=repr(path.name), cure="Leave it out."
        )
    if suffix == ".npy":
        return kind(read_npy(path, mmap), **said)
    facts = read_scores_header(path)
    if suffix == ".npz":
        return _load_npz(kind, path, mmap, facts, said)
    with _whole(path):
        ids = said.get("id") if facts is None else facts["columns"].get("ids")
    if isinstance(ids, str):
        text["id"] = ids
    if facts is None:
        text["missing"] = missing
    with readable(path), ExitStack() as stack:
        file = open_table_file(path, suffix, text, stack, mmap=mmap)
        if file.header is not None and facts is None:
            raise FormatError(
                f"{path.name!r} holds predictions, not scores",
                needs="a table of scores",
                cure="Read it with Predictions.load.",
            )
        table, remarks = file.table()
        if facts is not None:
            with _whole(path):
                arrays = _read_columns(facts, Columns.of(table), path)
            return _rebuild(kind, facts, arrays, path, said)
        columns, notes = clear_columns(Columns.of(table), missing, repr(path.name))
        made = kind(columns, **said)
        remarks = (*remarks, *notes)
    if remarks:
        made = made._with(parts=replace(made.parts, remarks=(*made.parts.remarks, *remarks)))
    return made


def _load_npz(
    kind: type[Scores],
    path: Path,
    mmap: bool | None,
    facts: Mapping[str, Any] | None,
    said: Mapping[str, Any],
) -> Scores:
    arrays = read_npz(path, mmap=mmap, mapped=("scores",) if facts is None else ("values",))
    if facts is not None:
        return _rebuild(kind, facts, arrays, path, said)
    if "scores" not in arrays:
        raise FormatError(
            f"{path.name!r} has no array 'scores'",
            needs="an array 'scores' of shape (n, C) or (n, C, R), and perhaps 'id', 'groups', "
            "'tasks' and 'configs'",
            got=f"arrays {check.some(map(repr, arrays))}",
        )
    strange = [name for name in arrays if name not in (*_ARRAYS, "scores")]
    if strange:
        raise FormatError(
            f"{path.name!r} has arrays of unknown names",
            needs=", ".join(("scores", *_ARRAYS)),
            got=check.some(map(repr, strange)),
            cure="Leave them out of the file.",
        )
    found: dict[str, Any] = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if "configs" in found:
        found["configs"] = [str(one) for one in found["configs"].ravel().tolist()]
    return kind(arrays["scores"], **{**found, **said})


def read_scores_header(path: Path) -> dict[str, Any] | None:
    """Return what a file of scores says of itself, None where earnest did not write it."""
    suffix = find_suffix(path, READ)
    if suffix in CSV:
        with readable(path):
            line = peek_header(path, suffix)
        if line is None or not line.startswith(b"# earnest/scores/"):
            return None
        return unseal(b"".join(line.split(b" ", 2)[2:]), path, SCHEMA)
    header: bytes | str | None = None
    if suffix == ".npz" and zipfile.is_zipfile(path):
        header = read_npz_header(path)
    elif suffix in (".parquet", ".arrow", ".feather"):
        with readable(path), ExitStack() as stack:
            header = open_table_file(path, suffix, {}, stack).header
    if header is None or "earnest/scores/" not in str(header[:40]):
        return None
    return unseal(header, path, SCHEMA)


def holds_scores(path: Path) -> bool:
    """Tell whether earnest wrote this file of scores."""
    try:
        return path.is_file() and read_scores_header(path) is not None
    except (FormatError, OSError):
        return False


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Say of what does not fit the header of a file that the file was changed."""
    try:
        yield
    except EarnestError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        lost = isinstance(error, KeyError)
        got = f"nothing under {check.show_text(str(error))}" if lost else "content of another form"
        raise make_changed_error(path, "the content that its header describes", got) from error


def _read_columns(facts: Mapping[str, Any], columns: Columns, path: Path) -> dict[str, RawArray]:
    """Return the arrays of a table that earnest wrote."""
    names = facts["columns"]
    n, count, samples = facts["shape"]
    lacking = [name for name in names.values() if name not in columns.names]
    if lacking or columns.rows != facts["rows"]:
        raise make_changed_error(
            path, f"{facts['rows']} rows and all columns", f"{columns.rows} rows"
        )
    values = np.full((n, count, samples), np.nan, dtype=np.dtype(facts["dtype"]))
    arrays: dict[str, RawArray] = {"values": values}
    if facts["form"] == "wide":
        for c, name in enumerate(facts["config_columns"]):
            values[:, c, 0] = columns.array(name)
        rows = np.arange(n)
    else:
        shape = (n, samples, count)
        values[...] = np.moveaxis(columns.array(names["score"]).reshape(shape), 1, 2)
        if "per" in names:
            per = np.moveaxis(columns.array(names["per"]).reshape(shape), 1, 2)
            arrays["per"] = per.astype(np.float64)
        rows = np.arange(n) * samples * count
    for field in _ABOUT:
        if field in names:
            kind = _KINDS[facts["kinds"][field]]
            arrays[field] = columns.array(names[field])[rows].astype(kind)
    if "fold" in facts:
        arrays["fold"] = np.array(facts["fold"])
    return arrays


def _rebuild(
    kind: type[Scores],
    facts: Mapping[str, Any],
    arrays: Mapping[str, RawArray],
    path: Path,
    said: Mapping[str, Any],
) -> Scores:
    """Make scores of a header and its arrays, and check that they belong together."""
    with _whole(path):
        parts = ScoreParts(
            **{name: array for name, array in arrays.items() if name != HEADER},
            configs=rebuild_configs(facts),
            remarks=tuple(Caution.from_dict(one) for one in facts["remarks"]),
        )
        measure = Measure.from_dict(facts["measure"])
        made = kind._of(parts, measure, facts["incomplete"], facts["batches"])
        if made.fingerprint != facts["fingerprint"]:
            raise make_changed_error(
                path, f"fingerprint {facts['fingerprint']}", f"fingerprint {made.fingerprint}"
            )
        return _say_anew(made, said, path)


def _say_anew(made: Scores, said: Mapping[str, Any], path: Path) -> Scores:
    """Return scores of a file that describes itself, with what may be said of them anew."""
    for name, value in said.items():
        if value is None:
            continue
        if name == "aggregate":
            made = made.summed_up(value)
        elif name == "configs":
            made = made.select(value)
        elif name == "incomplete":
            check.one_of("incomplete", value, ("items", "configs", "worst"))
            made = made._with(incomplete=value)
        else:
            raise FormatError(
                f"{path.name!r} says itself what its columns are",
                needs=f"{arg('aggregate')}, {arg('configs')} or {arg('incomplete')}",
                got=arg(name),
                cure=f"Leave {arg(name)} out.",
            )
    return made


def save_scores(scores: Scores, path: str | Path) -> Path:
    """Write scores to a file; its suffix gives the format."""
    path = Path(path)
    suffix = find_suffix(path, WRITTEN)
    parts = scores.parts
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "shape": list(parts.values.shape),
        "dtype": parts.values.dtype.name,
        **describe_configs(parts.configs),
        "measure": scores.measure.to_dict(),
        "incomplete": scores.incomplete,
        "batches": scores.batches,
        "remarks": [one.to_dict() for one in parts.remarks],
        "fingerprint": scores.fingerprint,
    }
    with replacing(path) as temporary:
        if suffix == ".npz":
            arrays = {name: getattr(parts, name) for name in ("values", "per", *_ABOUT, "fold")}
            plain = {name: _as_plain(one) for name, one in arrays.items() if one is not None}
            write_npz(temporary, seal(facts), plain)
            return path
        table, facts = _make_table(scores, facts)
        if suffix in JSON:
            lines = (json.dumps(_plain_row(row)) for row in table.to_pylist())
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            write_own_table(temporary, suffix, SCHEMA, seal(facts), iter(table.to_batches()))
    return path


def _as_plain(array: RawArray) -> RawArray:
    """Return an array without objects, which are kept as text."""
    plain = np.asarray(array)
    return plain.astype(str) if plain.dtype.kind == "O" else plain


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def _make_table(scores: Scores, facts: dict[str, Any]) -> tuple[pa.Table, dict[str, Any]]:
    """Return scores as a table that others read too: wide with one sample, else long."""
    import pyarrow as pa

    parts = scores.parts
    n, count, samples = parts.values.shape
    wide = samples == 1 and parts.per is None
    taken = set(parts.configs.ids) if wide else set()

    def free(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    columns: dict[str, Any] = {}
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    times = 1 if wide else samples * count
    for field, name in _ABOUT.items():
        array = getattr(parts, field)
        if array is not None:
            plain = _as_plain(array)
            names[field], kinds[field] = free(name), plain.dtype.kind
            columns[names[field]] = pa.array(np.repeat(plain, times))
    if "ids" not in names and not wide:
        columns[free("item")] = pa.array(np.repeat(np.arange(n), times))
    if wide:
        config_columns = list(parts.configs.ids)
        for c, name in enumerate(config_columns):
            columns[name] = pa.array(parts.values[:, c, 0], from_pandas=True)
        facts = {**facts, "config_columns": config_columns}
    else:
        columns[free("config")] = pa.array(list(parts.configs.ids) * (n * samples))
        columns[free("repeat")] = pa.array(np.tile(np.repeat(np.arange(samples), count), n))
        names["score"] = free("score")
        flat = np.moveaxis(parts.values, 1, 2).reshape(-1)
        columns[names["score"]] = pa.array(flat, from_pandas=True)
        if parts.per is not None:
            names["per"] = free("per")
            columns[names["per"]] = pa.array(
                np.moveaxis(parts.per, 1, 2).reshape(-1), from_pandas=True
            )
    if parts.fold is not None:
        facts = {**facts, "fold": np.asarray(parts.fold).tolist()}
    table = pa.table(columns)
    form = "wide" if wide else "long"
    return table, {**facts, "form": form, "rows": table.num_rows, "columns": names, "kinds": kinds}


def may_hold_scores(path: Path) -> bool:
    """Tell whether a file holds no outcome, and numbers that may be scores."""
    try:
        suffix = find_table_suffix(path)
        with readable(path), ExitStack() as stack:
            file = open_table_file(path, suffix, {}, stack)
            if file.header is not None:
                return False
            return looks_like_scores(Columns.of(file.table()[0]))
    except (FormatError, InputError, OSError):
        return False
