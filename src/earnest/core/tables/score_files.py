"""Files of scores: read in any format, written so that they come back exactly."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import EarnestError, FormatError
from earnest.core.base.writing import replacing
from earnest.core.data.guides import Guides
from earnest.core.data.judged import Labels
from earnest.core.data.measure import Measure
from earnest.core.data.scores import ScoreParts
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import Columns, clear_columns
from earnest.core.tables.files import write_own_table
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
from earnest.core.tables.formats.text import SIGNS, TextOptions
from earnest.core.tables.opening import (
    READ,
    TableFile,
    find_existing,
    find_suffix,
    is_header_of_scores,
    open_table,
)
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    import pyarrow as pa

    from earnest.core.data.scores import Scores

SCHEMA = "earnest/scores/1"
NEEDS = "a file of scores"
JSON = (".jsonl", ".ndjson")
WRITTEN = (".parquet", ".csv", ".csv.gz", ".tsv", ".arrow", ".feather", *JSON, ".npz")
# Arrays of one value per item, and the usual names of their columns.
_ABOUT = {"ids": "item", "groups": "group", "tasks": "task", "codes": "judgement"}
_KINDS = {"U": np.str_, "i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}
_ARRAYS = ("id", "groups", "tasks", "configs", "per", "fold")  # of others, beside 'scores'


def load_scores(kind: type[Scores], path: str | Path, options: Mapping[str, Any]) -> Scores:
    """Read scores from a file; its suffix gives the format."""
    path = find_existing(check.read_path(path), NEEDS)
    suffix = find_suffix(path, READ)
    named = dict(options)
    mmap = named.pop("mmap", None)
    signs = {name: named.pop(name) for name in SIGNS if name in named}
    text = TextOptions.of(signs, missing=read_missing(named.pop("missing", ())))
    if suffix == ".npy":
        return kind(read_npy(path, mmap), **named)
    if suffix == ".npz":
        return _load_npz(kind, path, mmap, named)
    with open_table(path, NEEDS, mmap=mmap) as file:
        if file.header is not None:
            return _load_written(kind, file, text, named)
        ids = named.get("id")
        columns = file.read(replace(text, text=_name_ids(ids)))
        columns = clear_columns(columns, text.missing or ())
        scores = kind(columns, **named)
    if not columns.notes:
        return scores
    return scores._with(
        parts=replace(scores.parts, remarks=(*scores.parts.remarks, *columns.notes))
    )


def _load_written(
    kind: type[Scores], file: TableFile, text: TextOptions, named: Mapping[str, Any]
) -> Scores:
    """Return the scores of a table that earnest wrote."""
    path = file.path
    if file.header is None or not file.holds_scores:
        raise FormatError(
            f"{path.name!r} holds predictions, not scores",
            needs="a table of scores",
            cure="Read it with Predictions.load.",
        )
    facts = unseal(file.header, path, SCHEMA)
    with _whole(path):
        ids = facts["columns"].get("ids")
        columns = file.read(replace(text, text=_name_ids(ids), missing=None))
        arrays = _read_columns(facts, columns, path)
    return _rebuild(kind, facts, arrays, path, named)


def _name_ids(ids: object) -> frozenset[str]:
    """Return the column that names the items, where it is said."""
    return frozenset({ids} if isinstance(ids, str) else ())


def _load_npz(
    kind: type[Scores],
    path: Path,
    mmap: bool | None,
    named: Mapping[str, Any],
) -> Scores:
    header = read_npz_header(path) if zipfile.is_zipfile(path) else None
    if header is not None and is_header_of_scores(header):
        facts = unseal(header, path, SCHEMA)
        return _rebuild(kind, facts, read_npz(path, mmap=mmap, mapped=("values",)), path, named)
    arrays = read_npz(path, mmap=mmap, mapped=("scores",))
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
    members: dict[str, Any] = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if "configs" in members:
        members["configs"] = [str(config) for config in members["configs"].ravel().tolist()]
    return kind(arrays["scores"], **{**members, **named})


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
    named: Mapping[str, Any],
) -> Scores:
    """Make scores of a header and its arrays, and check that they belong together."""
    with _whole(path):
        parts = ScoreParts(
            **{name: array for name, array in arrays.items() if name != HEADER},
            configs=rebuild_configs(facts),
            remarks=tuple(Caution.from_dict(remark) for remark in facts["remarks"]),
            guides=Guides.of_text(*facts["guides"]) if "guides" in facts else None,
            labels=Labels(*facts["labels"]) if "labels" in facts else None,
        )
        measure = Measure.from_dict(facts["measure"])
        scores = kind._of(parts, measure, facts["incomplete"], facts["batches"])
        if scores.fingerprint != facts["fingerprint"]:
            raise make_changed_error(
                path, f"fingerprint {facts['fingerprint']}", f"fingerprint {scores.fingerprint}"
            )
        return _apply_named(scores, named, path)


def _apply_named(scores: Scores, named: Mapping[str, Any], path: Path) -> Scores:
    """Return scores of a file that describes itself, with what may be said of them anew."""
    for name, value in named.items():
        if value is None:
            continue
        if name == "aggregate":
            scores = scores.summed_up(value)
        elif name == "configs":
            scores = scores.select(value)
        elif name == "incomplete":
            check.one_of("incomplete", value, ("items", "configs", "worst"))
            scores = scores._with(incomplete=value)
        else:
            raise FormatError(
                f"{path.name!r} says itself what its columns are",
                needs=f"{arg('aggregate')}, {arg('configs')} or {arg('incomplete')}",
                got=arg(name),
                cure=f"Leave {arg(name)} out.",
            )
    return scores


def save_scores(scores: Scores, path: str | Path) -> Path:
    """Write scores to a file; its suffix gives the format."""
    path = check.read_path(path)
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
        "remarks": [remark.to_dict() for remark in parts.remarks],
        "fingerprint": scores.fingerprint,
    }
    if parts.labels is not None:
        facts["labels"] = list(astuple(parts.labels))
    if parts.guides is not None:
        facts["guides"] = list(parts.guides.to_text())
    with replacing(path) as temporary:
        if suffix == ".npz":
            arrays = {name: getattr(parts, name) for name in ("values", "per", *_ABOUT, "fold")}
            plain = {
                name: _make_plain(remark) for name, remark in arrays.items() if remark is not None
            }
            write_npz(temporary, seal(facts), plain)
            return path
        table, facts = _make_table(scores, facts)
        if suffix in JSON:
            lines = (json.dumps(_make_plain_row(row)) for row in table.to_pylist())
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            write_own_table(temporary, suffix, SCHEMA, seal(facts), iter(table.to_batches()))
    return path


def _make_plain(array: RawArray) -> RawArray:
    """Return an array without objects, which are kept as text."""
    plain = np.asarray(array)
    return plain.astype(str) if plain.dtype.kind == "O" else plain


def _make_plain_row(row: dict[str, Any]) -> dict[str, Any]:
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
            plain = _make_plain(array)
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
