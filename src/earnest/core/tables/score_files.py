"""Files of scores: read in any format, written so that they come back exactly."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.predictions import Configs
from earnest.core.data.scores import ScoreParts
from earnest.core.results.base import parse_json
from earnest.core.results.cautions import Caution
from earnest.core.tables.columns import LARGE, Columns
from earnest.core.tables.files import CSV, READ, TABLES, find_existing, open_table_file
from earnest.core.tables.files import readable as readable_table
from earnest.core.tables.formats.expanding import refuse_expanding
from earnest.core.tables.formats.json_lines import JSON_LINES
from earnest.core.tables.formats.npz import read_member, readable, write_member
from earnest.core.tables.scores import looks_like_scores

if TYPE_CHECKING:
    import pyarrow as pa

    from earnest.core.data.scores import Scores

NAME = "earnest/scores/"
SCHEMA = f"{NAME}1"
SCORES_KEY = b"earnest.scores"  # of the header in the metadata of a schema
WRITTEN = (".parquet", ".csv", ".csv.gz", ".tsv", ".arrow", ".feather", *JSON_LINES, ".npz")


def load_scores(kind: type[Scores], path: str | Path, options: Mapping[str, Any]) -> Scores:
    """Read scores from a file; its suffix tells the format."""
    path = find_existing(Path(path), "scores")
    suffix = _find_suffix(path, READ, "read")
    said = dict(options)
    mmap = said.pop("mmap", None)
    signs = ("delimiter", "decimal", "thousands")
    text: dict[str, object] = {name: said.pop(name) for name in signs if name in said}
    if text and suffix not in CSV:
        raise FormatError(
            f"`{next(iter(text))}` is for CSV files", got=repr(path.name), cure="Leave it out."
        )
    if suffix == ".npy":
        large = path.stat().st_size >= LARGE if mmap is None else mmap
        with readable(path):
            matrix = np.load(path, mmap_mode="r" if large else None, allow_pickle=False)
        return kind(matrix, **said)
    if suffix == ".npz":
        return _load_npz(kind, path, mmap, said)
    header = read_scores_header(path)
    if header is not None and suffix in CSV:
        with _whole(path):
            below = _read_below(path, suffix, header)
        return _rebuild(kind, header, below, path, said)
    names = {"id": str(said["id"])} if isinstance(said.get("id"), str) else {}
    with readable_table(path), ExitStack() as stack:
        file = open_table_file(path, suffix, {**text, **names}, stack, mmap=mmap)
        if file.header is not None:
            raise FormatError(
                f"{path.name!r} holds predictions, not scores",
                needs="a table of scores",
                cure="Read it with Predictions.load.",
            )
        table, remarks = file.table()
        if header is not None:
            return _rebuild(kind, header, table, path, said)
        made = kind(table, **said)
    if remarks:
        made = made._with(parts=replace(made.parts, remarks=(*made.parts.remarks, *remarks)))
    return made


def read_scores_header(path: Path) -> dict[str, Any] | None:
    """Return what a file of scores says of itself, None where earnest did not write it."""
    suffix = _find_suffix(path, READ, "read")
    found: bytes | None = None
    if suffix in CSV:
        from earnest.core.tables.formats.text import read_bytes

        begins = f"# {NAME}".encode()
        if suffix.endswith(".gz"):
            with readable_table(path):
                start = read_bytes(path, suffix)[0]
        else:
            with path.open("rb") as file:
                start = file.readline()
        line = start.split(b"\n", 1)[0]
        found = b"".join(line.split(b" ", 2)[2:]) if line.startswith(begins) else None
    elif suffix in JSON_LINES:
        return None
    elif suffix == ".parquet":
        import pyarrow.parquet as pq

        with readable_table(path):
            found = (pq.read_schema(str(path)).metadata or {}).get(SCORES_KEY)
    elif suffix in (".arrow", ".feather"):
        import pyarrow as pa

        with readable_table(path), pa.memory_map(str(path)) as mapped:
            whole = mapped.read(6) == b"ARROW1"
            mapped.seek(0)
            reader = pa.ipc.open_file(mapped) if whole else pa.ipc.open_stream(mapped)
            found = (reader.schema.metadata or {}).get(SCORES_KEY)
    elif suffix == ".npz" and zipfile.is_zipfile(path):
        with readable(path), zipfile.ZipFile(path) as archive:
            if "scores_header.npy" in archive.namelist():
                found = read_member(path, archive, "scores_header.npy", False).tobytes()
    return None if found is None else _parse_header(found, path)


def _parse_header(text: bytes, path: Path) -> dict[str, Any]:
    try:
        facts = parse_json(text)
    except ValueError as error:
        raise _make_changed_error(path, "a header that is JSON", "text that is not") from error
    schema = facts.get("schema") if isinstance(facts, dict) else None
    if schema != SCHEMA:
        raise FormatError(
            f"{path.name!r} was written by another version of earnest",
            needs=f"schema {SCHEMA!r}",
            got=f"schema {schema!r}",
            cure="Update earnest.",
        )
    return cast(dict[str, Any], facts)


def holds_scores(path: Path) -> bool:
    """Tell whether earnest wrote this file of scores."""
    try:
        return path.is_file() and read_scores_header(path) is not None
    except (FormatError, OSError):
        return False


def _make_changed_error(path: Path, needs: str, got: str) -> FormatError:
    return FormatError(
        f"{path.name!r} was changed or damaged after earnest wrote it",
        needs=needs,
        got=got,
        cure="Write it again with save().",
    )


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
        raise _make_changed_error(path, "the content that its header describes", got) from error


def _rebuild(
    kind: type[Scores],
    facts: Mapping[str, Any],
    table: pa.Table | Columns,
    path: Path,
    said: Mapping[str, Any],
) -> Scores:
    with _whole(path):
        return _read_as_written(kind, facts, table, path, said)


def _read_as_written(
    kind: type[Scores],
    facts: Mapping[str, Any],
    table: pa.Table | Columns,
    path: Path,
    said: Mapping[str, Any],
) -> Scores:
    from earnest.core.data.measure import Measure

    columns = table if isinstance(table, Columns) else Columns.of(table)
    names, configs = facts["columns"], facts["configs"]
    n, count, samples = facts["shape"]
    lacking = [name for name in [*names.values()] if name not in columns.names]
    if lacking or columns.rows != facts["rows"]:
        raise _make_changed_error(
            path, f"{facts['rows']} rows and all columns", f"{columns.rows} rows"
        )
    dtype = np.dtype(facts["dtype"])
    values = np.full((n, count, samples), np.nan, dtype=dtype)
    per = None
    if facts["form"] == "wide":
        for c, name in enumerate(facts["config_columns"]):
            values[:, c, 0] = columns.array(name)
        rows = np.arange(n)
    else:
        shape = (n, samples, count)
        values[...] = np.moveaxis(columns.array(names["score"]).reshape(shape), 1, 2)
        if "per" in names:
            per = np.moveaxis(columns.array(names["per"]).reshape(shape), 1, 2).astype(np.float64)
        rows = np.arange(n) * samples * count
    about: dict[str, Any] = {}
    for field in ("ids", "groups", "tasks", "codes"):
        if field in names:
            array = columns.array(names[field])[rows]
            about[field] = array.astype(_KINDS[facts["kinds"][field]])
    if "fold" in facts:
        about["fold"] = np.array(facts["fold"])
    parts = ScoreParts(
        values=values,
        configs=Configs(
            ids=tuple(configs),
            params=None if facts["params"] is None else tuple(facts["params"]),
            static=facts["static"],
        ),
        per=per,
        remarks=tuple(Caution.from_dict(one) for one in facts["remarks"]),
        **about,
    )
    return _verify(kind, parts, Measure.from_dict(facts["measure"]), facts, path, said)


_KINDS = {"U": np.str_, "i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}


def _read_below(path: Path, suffix: str, facts: Mapping[str, Any]) -> pa.Table:
    """Return the table below the first line of a CSV of ours."""
    from earnest.core.tables.formats.text import read_bytes, read_text

    data = read_bytes(path, suffix)[0].partition(b"\n")[2]
    with readable_table(path):
        return read_text(data, path, suffix, {"id": facts["columns"].get("ids", "id")})[0]


def _verify(
    kind: type[Scores],
    parts: ScoreParts,
    measure: Any,
    facts: Mapping[str, Any],
    path: Path,
    said: Mapping[str, Any],
) -> Scores:
    made = kind._of(parts, measure, facts["missing"], facts["batches"])
    if made.fingerprint != facts["fingerprint"]:
        raise _make_changed_error(
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
        elif name == "missing":
            check.one_of("missing", value, ("items", "configs", "worst"))
            made = made._with(missing=value)
        else:
            raise FormatError(
                f"{path.name!r} says itself what its columns are",
                needs="`aggregate`, `configs` or `missing`",
                got=f"`{name}`",
                cure=f"Leave `{name}` out.",
            )
    return made


def _load_npz(kind: type[Scores], path: Path, mmap: bool | None, said: Mapping[str, Any]) -> Scores:
    facts = read_scores_header(path)
    with readable(path), zipfile.ZipFile(path) as archive:
        refuse_expanding(archive, path)
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        matrix = "values" if facts is not None else "scores"
        arrays = {
            name: read_member(path, archive, f"{name}.npy", mmap if name == matrix else False)
            for name in names
            if name != "scores_header"
        }
    if facts is None:
        if "scores" not in arrays:
            raise FormatError(
                f"{path.name!r} has no array 'scores'",
                needs="an array 'scores' of shape (n, C) or (n, C, R), and perhaps 'id', 'groups', "
                "'tasks' and 'configs'",
                got=f"arrays {check.some(map(repr, arrays))}",
            )
        known = ("id", "groups", "tasks", "configs", "per", "fold")
        strange = [name for name in arrays if name not in (*known, "scores")]
        if strange:
            raise FormatError(
                f"{path.name!r} has arrays of unknown names",
                needs=", ".join(("scores", *known)),
                got=check.some(map(repr, strange)),
                cure="Leave them out of the file.",
            )
        found: dict[str, Any] = {name: arrays[name] for name in known if name in arrays}
        if "configs" in found:
            found["configs"] = [str(one) for one in found["configs"].ravel().tolist()]
        return kind(arrays["scores"], **{**found, **said})
    with _whole(path):
        return _read_arrays(kind, facts, arrays, path, said)


def _read_arrays(
    kind: type[Scores],
    facts: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    path: Path,
    said: Mapping[str, Any],
) -> Scores:
    from earnest.core.data.measure import Measure

    parts = ScoreParts(
        values=arrays["values"],
        configs=Configs(
            ids=tuple(facts["configs"]),
            params=None if facts["params"] is None else tuple(facts["params"]),
            static=facts["static"],
        ),
        remarks=tuple(Caution.from_dict(one) for one in facts["remarks"]),
        **{name: array for name, array in arrays.items() if name != "values"},
    )
    return _verify(kind, parts, Measure.from_dict(facts["measure"]), facts, path, said)


def save_scores(scores: Scores, path: str | Path) -> Path:
    """Write scores to a file; its suffix tells the format."""
    path = Path(path)
    suffix = _find_suffix(path, WRITTEN, "written")
    if suffix in JSON_LINES and suffix.endswith(".gz"):
        raise FormatError(f"{path.name!r} has a suffix that is not written", needs="'.jsonl'")
    facts = _list_facts(scores)
    with replacing(path) as temporary:
        if suffix == ".npz":
            _save_npz(scores, facts, temporary)
        else:
            _save_table(scores, facts, temporary, suffix)
    return path


def _list_facts(scores: Scores) -> dict[str, Any]:
    parts = scores.parts
    return {
        "schema": SCHEMA,
        "shape": list(parts.values.shape),
        "dtype": parts.values.dtype.name,
        "configs": list(parts.configs.ids),
        "params": None
        if parts.configs.params is None
        else [json.loads(json.dumps(p, default=repr)) for p in parts.configs.params],
        "static": parts.configs.static,
        "measure": scores.measure.to_dict(),
        "missing": scores.missing,
        "batches": scores.batches,
        "remarks": [one.to_dict() for one in parts.remarks],
        "fingerprint": scores.fingerprint,
    }


def _save_npz(scores: Scores, facts: dict[str, Any], path: Path) -> None:
    parts = scores.parts
    text = json.dumps(facts, allow_nan=False).encode()
    with zipfile.ZipFile(path, "w") as archive:
        write_member(archive, "scores_header.npy", np.frombuffer(text, dtype=np.uint8))
        for name in ("values", "per", "ids", "groups", "tasks", "fold", "codes"):
            array = getattr(parts, name)
            if array is not None:
                plain = np.asarray(array)
                kind = plain.astype(str) if plain.dtype.kind == "O" else plain
                write_member(archive, f"{name}.npy", kind)


def _save_table(scores: Scores, facts: dict[str, Any], path: Path, suffix: str) -> None:
    import pyarrow as pa

    table, facts = _make_table(scores, facts)
    text = json.dumps(facts, allow_nan=False)
    if suffix in JSON_LINES:
        lines = (json.dumps(_plain_row(row)) for row in table.to_pylist())
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif suffix in CSV:
        _write_csv(table, text, path, suffix)
    elif suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table.replace_schema_metadata({SCORES_KEY: text.encode()}), str(path))
    else:
        kept = table.replace_schema_metadata({SCORES_KEY: text.encode()})
        with pa.ipc.new_file(str(path), kept.schema) as writer:
            writer.write_table(kept)


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def _write_csv(table: pa.Table, header: str, path: Path, suffix: str) -> None:
    import gzip
    import io

    from pyarrow import csv

    body = io.BytesIO()
    body.write(f"# {SCHEMA} {header}\n".encode())
    sign = "\t" if suffix == ".tsv" else ","
    csv.write_csv(table, body, csv.WriteOptions(delimiter=sign, quoting_style="needed"))
    data = body.getvalue()
    path.write_bytes(gzip.compress(data, mtime=0) if suffix.endswith(".gz") else data)


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
    usual = {"ids": "item", "groups": "group", "tasks": "task", "codes": "judgement"}
    for field, name in usual.items():
        array = getattr(parts, field)
        if array is not None:
            plain = np.asarray(array)
            plain = plain.astype(str) if plain.dtype.kind == "O" else plain
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


def _find_suffix(path: Path, allowed: Sequence[str], verb: str) -> str:
    name = path.name.casefold()
    found = next((s for s in sorted(allowed, key=len, reverse=True) if name.endswith(s)), None)
    if found is None:
        raise FormatError(
            f"{path.name!r} has a suffix that is not {verb}",
            needs=", ".join(dict.fromkeys(allowed)),
            got=repr(path.suffix) if path.suffix else "no suffix",
        )
    return found


def may_hold_scores(path: Path) -> bool:
    """Tell whether a file holds no outcome, and numbers that may be scores."""
    try:
        suffix = _find_suffix(path, TABLES, "read")
        with readable_table(path), ExitStack() as stack:
            file = open_table_file(path, suffix, {}, stack)
            if file.header is not None:
                return False
            table, _ = file.table()
            columns = table if isinstance(table, Columns) else Columns.of(table)
            return looks_like_scores(columns)
    except (FormatError, InputError, OSError):
        return False
