"""Scores of items at the door: arrays, frames and files, wide or long, and back to files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers, RawArray, as_array, missing
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.configs import Configs
from earnest.core.data.scores import ScoreParts, as_matrix, note_of_guess
from earnest.core.results.cautions import Caution
from earnest.core.results.files import parse_json
from earnest.core.tables.columns import Columns, refuse_stray_text, with_index
from earnest.core.tables.files import find_existing
from earnest.core.tables.formats.expanding import refuse_expanding
from earnest.core.tables.formats.json_lines import JSON_LINES
from earnest.core.tables.formats.mapped import LARGE, ColumnFile
from earnest.core.tables.formats.npz import read_member, readable, write_member
from earnest.core.tables.formats.table_files import CSV, READ, TABLES, open_table_file
from earnest.core.tables.formats.table_files import readable as readable_table

if TYPE_CHECKING:
    import pyarrow as pa

    from earnest.core.data.scores import Scores

# Names of columns that need not be said.
ITEMS = ("item", "item_id", "id", "row_id", "question_id", "example_id", "doc_id", "case")
GROUPS = ("group",)
TASKS = ("task",)
REPEATS = ("repeat", "sample", "epoch")
CONFIGS = ("config", "config_id", "configuration", "model", "prompt", "system", "candidate")
SCORES = ("score", "value", "correct")
FAR = 1.5  # a column beyond this, among others within 0 and 1, may be no score

NAME = "earnest/scores/"
SCHEMA = f"{NAME}1"
SCORES_KEY = b"earnest.scores"  # of the header in the metadata of a schema
WRITTEN = (".parquet", ".csv", ".csv.gz", ".tsv", ".arrow", ".feather", *JSON_LINES, ".npz")


def read_parts(
    table: object,
    *,
    id: str | ArrayLike | None,
    groups: str | ArrayLike | None,
    tasks: str | ArrayLike | None,
    config: str | None,
    score: str | None,
    repeat: str | None,
    configs: Configs | Iterable[object] | None,
    per: str | ArrayLike | None,
    fold: ArrayLike | None,
    form: str | None,
) -> ScoreParts:
    """Return scores of an array, a mapping or a table; the options are those of `Scores`."""
    if form is not None:
        check.one_of("format", form, ("wide", "long"))
    named = {"id": id, "groups": groups, "tasks": tasks, "per": per, "fold": fold}
    if _is_mapping_of_columns(table, named, (config, score, repeat)):
        return _of_mapping(cast(Mapping[object, object], table), configs, named)
    if isinstance(table, Mapping):
        table = _as_table(table)
    if isinstance(table, Columns) or (
        not isinstance(table, (np.ndarray, list, tuple)) and hasattr(table, "columns")
    ):
        frame = _Frame.of(table, named, (config, score, repeat), configs, form)
        return frame.read_long() if frame.long else frame.read_wide()
    words = {"config": config, "score": score, "repeat": repeat, "format": form}
    for name, value in {**words, **named}.items():
        if isinstance(value, str):
            raise InputError(
                f"`{name}` names a column, and scores were given as an array",
                needs="a table, or values, one an item",
                got=check.show(value),
            )
    values = as_matrix(table)
    return _of_arrays(values, Configs.of(configs, values.shape[1]), named)


def _is_mapping_of_columns(
    table: object, named: Mapping[str, object], words: Sequence[str | None]
) -> bool:
    """Tell whether a mapping holds columns of scores alone, and nothing that names an item."""
    if not isinstance(table, Mapping):
        return False
    said = any(isinstance(value, str) for value in (*named.values(), *words))
    roles = {*ITEMS, *GROUPS, *TASKS, *REPEATS}
    return not said and not any(str(name).casefold() in roles for name in table)


def _as_table(table: Mapping[object, object]) -> object:
    import pyarrow as pa

    try:
        return pa.table({str(name): pa.array(values) for name, values in table.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError) as error:
        raise InputError(
            "the mapping is no table",
            needs="columns of equal length, with one value an item",
            got=check.show_text(str(error)),
        ) from error


def _of_mapping(
    table: Mapping[object, object],
    configs: Configs | Iterable[object] | None,
    named: Mapping[str, Any],
) -> ScoreParts:
    if not table:
        raise InputError(
            "`table` cannot be read",
            needs="a mapping of names to scores, such as {'a': [...], 'b': [...]}",
            got=check.show(table),
        )
    columns = []
    for name, values in table.items():
        column = as_array(str(name), values)
        if column.ndim not in (1, 2) or column.dtype.kind not in "biuf":
            raise InputError(
                f"scores {str(name)!r} are not numbers, one an item",
                needs="shape (n,), or (n, R) with samples",
                got=f"shape {column.shape}, dtype {column.dtype}",
            )
        columns.append(column.reshape(len(column), -1))
    lengths = {column.shape for column in columns}
    if len(lengths) > 1:
        raise InputError(
            "columns of scores differ in length",
            needs="one score an item and sample in every column",
            got=", ".join(str(shape) for shape in sorted(lengths)),
        )
    values = as_matrix(np.stack(columns, axis=1))
    names = [str(name) for name in table] if configs is None else configs
    return _of_arrays(values, Configs.of(names, values.shape[1]), named)


def _of_arrays(values: Numbers, configs: Configs, named: Mapping[str, Any]) -> ScoreParts:
    n = len(values)
    about: dict[str, Any] = {
        "ids": _read_about("id", named["id"], n),
        "groups": _read_about("groups", named["groups"], n),
        "tasks": _read_about("tasks", named["tasks"], n),
    }
    per = None if named["per"] is None else as_matrix(named["per"], "`per`")
    if per is not None:
        if per.shape != values.shape:
            raise InputError(
                "`per` and the scores differ in shape",
                needs=str(values.shape),
                got=str(per.shape),
            )
        values, per = (part.astype(np.float64) for part in (values, per))
    fold = None if named["fold"] is None else as_array("fold", named["fold"])
    return ScoreParts(values=values, configs=configs, per=per, fold=fold, **about)


def _read_about(name: str, values: object, n: int) -> RawArray | None:
    if values is None:
        return None
    array = as_array(name, values)
    if array.ndim != 1 or len(array) != n:
        raise InputError(
            f"`{name}` and the scores differ in length",
            needs=f"{n} values, one an item",
            got=f"shape {array.shape}",
        )
    return array


class _Frame:
    """A table of scores, and which column has which part."""

    def __init__(
        self,
        columns: Columns,
        *,
        roles: Mapping[str, str | None],
        given: Mapping[str, Any],
        configs: Configs | Iterable[object] | None,
        long: bool,
    ) -> None:
        self.columns, self.roles, self.given, self.long = columns, roles, given, long
        self.wanted = (
            None
            if configs is None
            else configs.ids
            if isinstance(configs, Configs)
            else tuple(str(one) for one in configs)
        )
        self.remarks: list[Caution] = []

    @classmethod
    def of(
        cls,
        table: object,
        named: Mapping[str, Any],
        words: tuple[str | None, str | None, str | None],
        configs: Configs | Iterable[object] | None,
        form: str | None,
    ) -> _Frame:
        """Open a table, and find what its columns are."""
        said = [value for value in (*named.values(), *words) if isinstance(value, str)]
        opened = with_index(table, (*said, *ITEMS, *GROUPS, *TASKS))
        columns = table if isinstance(table, Columns) else Columns.of(opened)
        config, score, repeat = words

        def find(role: str, name: Any, usual: Sequence[str]) -> str | None:
            if isinstance(name, str):
                if name not in columns.names:
                    raise InputError(
                        f"column {name!r} is missing",
                        needs=f"a column for `{role}`",
                        got=f"columns {check.some(columns.names)}",
                        cure=check.nearest(name, columns.names),
                    )
                return name
            if name is not None:
                return None  # values, one an item
            plain = {each.strip().casefold(): each for each in reversed(columns.names)}
            return next((plain[word] for word in usual if word in plain), None)

        named_config, named_score = find("config", config, CONFIGS), find("score", score, SCORES)
        long = form == "long" or (
            form is None
            and (
                config is not None
                or score is not None
                or (named_config is not None and named_score is not None)
            )
        )
        roles = {
            "id": find("id", named["id"], ITEMS),
            "groups": find("groups", named["groups"], GROUPS),
            "tasks": find("tasks", named["tasks"], TASKS),
            "repeat": find("repeat", repeat, REPEATS),
            "fold": find("fold", named["fold"], ()) if isinstance(named["fold"], str) else None,
            "per": named["per"] if isinstance(named["per"], str) else None,
            "config": named_config if long else None,
            "score": named_score if long else None,
        }
        if named["per"] is not None:
            find("per", named["per"], ())
        return cls(columns, roles=roles, given=named, configs=configs, long=long)

    # Wide: a row an item (and sample), a column a configuration.

    def read_wide(self) -> ScoreParts:
        """Return the scores of a wide table."""
        if self.given["per"] is not None:
            raise InputError(
                "a wide table has no column to count per",
                needs="a long table with both columns, or two arrays",
                cure="Say config=... and score=..., or Scores(costs, per=successes).",
            )
        names = self._find_config_columns()
        item, sample, first = self._find_rows(None, 1)
        n, samples = len(first), int(sample.max()) + 1
        kinds = {self._type_of(name) for name in names}
        kind = np.float32 if kinds <= {"f4", "b"} else np.float64
        plain = samples == 1 and n == self.columns.rows
        values: Numbers
        if self.columns.large and plain:
            with ColumnFile(np.dtype(kind)) as file:
                for name in names:
                    file.append(self.columns.array(name).astype(kind))
                values = cast(Numbers, file.mapped((n, len(names), 1, 1))[:, :, :, 0])
        else:
            values = np.full((n, len(names), samples), np.nan, dtype=kind)
            for c, name in enumerate(names):
                values[item, c, sample] = self.columns.array(name).astype(kind)
        self._remark_ranges(names, values)
        return self._finish(values, Configs.of(names, len(names)), first)

    def _type_of(self, name: str) -> str:
        column = self.columns.array(name)
        return "b" if column.dtype.kind == "b" else "f4" if column.dtype == np.float32 else "f8"

    def _find_config_columns(self) -> list[str]:
        taken = {name for name in self.roles.values() if name is not None}
        if (rows := self.columns.row_names()) is not None:
            taken.add(rows)
        if self.wanted is not None:
            absent = [name for name in self.wanted if name not in self.columns.names]
            if absent:
                raise InputError(
                    f"column {absent[0]!r} is missing",
                    needs="a column for every configuration",
                    got=f"columns {check.some(self.columns.names)}",
                    cure=check.nearest(absent[0], self.columns.names),
                )
            names = list(self.wanted)
        else:
            names = [name for name in self.columns.names if name not in taken]
        if not names:
            raise InputError(
                "the table has no column of scores",
                needs="one column a configuration",
                got=f"columns {check.some(self.columns.names)}",
            )
        strange = [name for name in names if not self._holds_numbers(name)]
        if strange:
            raise InputError(
                f"column {strange[0]!r} holds no scores",
                needs="numbers, or true and false, in every column that is a configuration",
                got=f"other values in {check.some(map(repr, strange))}",
                cure="Say what it is with `id`, `groups` or `tasks`, name the configurations with "
                "configs=[...], or for a row a score say `config` and `score`.",
            )
        return names

    def _holds_numbers(self, name: str) -> bool:
        try:
            values = self.columns.array(name)
        except InputError:  # nested, or of mixed types
            return False
        refuse_stray_text(name, values)
        return values.dtype.kind in "biuf"

    def _remark_ranges(self, names: Sequence[str], values: Numbers) -> None:
        """Tell of columns that reach far beyond 0 and 1 where most lie within."""
        if self.wanted is not None or len(names) < 3:
            return
        tops = np.array([np.nanmax(values[:, c], initial=-np.inf) for c in range(len(names))])
        lows = np.array([np.nanmin(values[:, c], initial=np.inf) for c in range(len(names))])
        within = (tops <= 1.0) & (lows >= 0.0)
        far = (tops > FAR) | (lows < -FAR)
        if within.sum() >= 2 and within.sum() >= far.sum() > 0:
            odd = [names[int(c)] for c in np.flatnonzero(far)]
            self.remarks.append(
                Caution(
                    "EN142",
                    f"{int(within.sum())} columns lie between 0 and 1, and others reach far beyond "
                    f"that: {check.some(odd)}.",
                    "Each column is read as the scores of one configuration, and the best of them "
                    "as the winner.",
                    "If they are something else, name the configurations with configs=[...].",
                )
            )

    # Long: a row a score.

    def read_long(self) -> ScoreParts:
        """Return the scores of a long table."""
        config, score = self.roles["config"], self.roles["score"]
        for role, name, words in (("config", config, CONFIGS), ("score", score, SCORES)):
            if name is None:
                raise InputError(
                    f"a long table of scores lacks the column of `{role}`",
                    needs=f"a column {' or '.join(repr(w) for w in words)}, or its name",
                    got=f"columns {check.some(self.columns.names)}",
                    cure=f"Say which with `{role}`.",
                )
        assert config is not None
        assert score is not None
        if self.roles["id"] is None:
            raise InputError(
                "a long table of scores lacks the column that names the items",
                needs=f"a column {' or '.join(repr(w) for w in ITEMS[:3])}, or its name",
                got=f"columns {check.some(self.columns.names)}",
                cure="Say which with `id`.",
            )
        which, labels = self.columns.complete_codes(config)
        names = tuple(str(label) for label in labels)
        if not self._holds_numbers(score):
            raise InputError(
                f"column {score!r} holds no scores",
                needs="numbers, or true and false",
                got=f"values such as {check.show(self.columns.array(score)[0])}",
                cure="Name the column of scores with `score`.",
            )
        item, sample, first = self._find_rows(which, len(names))
        shape = (len(first), len(names), int(sample.max()) + 1)
        place = (item, which, sample)
        raw = self.columns.array(score)
        kind = np.float32 if raw.dtype.kind == "b" or raw.dtype == np.float32 else np.float64
        values = np.full(shape, np.nan, dtype=kind)
        values[place] = raw.astype(kind)
        per = None
        if self.roles["per"] is not None:
            if not self._holds_numbers(self.roles["per"]):
                raise InputError(f"column {self.roles['per']!r} holds no numbers to count per")
            per = np.full(shape, np.nan)
            per[place] = self.columns.array(self.roles["per"]).astype(np.float64)
            values = values.astype(np.float64)
        configs = Configs.of(names, len(names))
        if self.wanted is not None:
            columns = [configs.index(name) for name in self.wanted]
            configs, values = configs.take(columns), values[:, columns]
            per = None if per is None else per[:, columns]
        return replace(self._finish(values, configs, first), per=per)

    # Both: which item and sample a row is about.

    def _find_rows(
        self, which: NDArray[np.intp] | None, count: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return the item and sample of every row, and the first row of every item."""
        rows, name = self.columns.rows, self.roles["id"]
        if name is None:
            alone = np.arange(rows)
            if self.roles["repeat"] is not None and which is None:
                raise InputError(
                    f"column {self.roles['repeat']!r} numbers samples, and nothing names the items",
                    needs="a column that tells which rows are the same item",
                    got=f"columns {check.some(self.columns.names)}",
                    cure="Say which with `id`.",
                )
            return alone, np.zeros_like(alone), alone
        item, _ = self.columns.complete_codes(name)
        n = int(item.max()) + 1
        first = np.empty(n, dtype=np.intp)
        first[item[::-1]] = np.arange(rows)[::-1]  # the earliest row is written last
        cell = item if which is None else item * count + which
        if self.roles["repeat"] is None:
            order = np.argsort(cell, kind="stable")
            sorted_cells = cell[order]
            starts = np.flatnonzero(np.append(True, sorted_cells[1:] != sorted_cells[:-1]))
            sample = np.empty(rows, dtype=np.intp)
            lengths = np.diff(np.append(starts, rows))
            sample[order] = np.arange(rows) - np.repeat(starts, lengths)
            if sample.any():
                what = "item" if which is None else "item and configuration"
                self.remarks.append(
                    note_of_guess(
                        f"Up to {int(sample.max()) + 1} rows are about the same {what}, and no "
                        "column numbers them.",
                        "They are read as samples: an item counts once, with their mean.",
                        "If they are different items, give them different names; name the column "
                        "that numbers samples with `repeat`.",
                    )
                )
            return item, sample, first
        found, labels = self.columns.complete_codes(self.roles["repeat"])
        rank = np.argsort(np.argsort(labels, kind="stable"), kind="stable")
        sample = rank[found]
        twice = np.bincount(cell * len(labels) + sample)
        if twice.max() > 1:
            place = int(np.flatnonzero(twice > 1)[0]) // len(labels)
            row = int(np.flatnonzero(cell == place)[0])
            raise InputError(
                "a score is given twice",
                needs="one row for each item, configuration and sample",
                got=f"{int((twice > 1).sum())} given twice, such as item "
                f"{self.columns.array(name)[row]}",
                cure="Leave one of the rows out, or give samples different numbers.",
            )
        return item, sample, first

    def _finish(self, values: Numbers, configs: Configs, first: NDArray[np.intp]) -> ScoreParts:
        n = len(first)
        about: dict[str, RawArray | None] = {}
        for field, role in (("ids", "id"), ("groups", "groups"), ("tasks", "tasks")):
            name = self.roles[role]
            if name is None:
                about[field] = _read_about(role, self.given[role], n)
                continue
            column = self.columns.array(name)
            if role != "id":
                self._refuse_changing(name, column, first)
            about[field] = as_array(name, column[first])
        fold = self.given["fold"]
        if self.roles["fold"] is not None:
            fold = self.columns.array(self.roles["fold"])[first]
        return ScoreParts(
            values=values,
            configs=configs,
            fold=None if fold is None else as_array("fold", fold),
            remarks=tuple(self.remarks),
            **about,
        )

    def _refuse_changing(self, name: str, column: RawArray, first: NDArray[np.intp]) -> None:
        """Refuse a group or task that is not the same in all rows of an item."""
        if missing(column).any():
            raise InputError(
                f"column {name!r} has missing values",
                needs="a value in every row",
                got=f"{int(missing(column).sum())} of {len(column)} missing",
            )
        if self.roles["id"] is None:
            return
        item, _ = self.columns.complete_codes(self.roles["id"])
        other = column != column[first][item]
        if other.any():
            raise InputError(
                f"column {name!r} differs between the rows of an item",
                needs="one value an item",
                got=f"several in {len(np.unique(item[other]))} of {len(first)} items",
                cure="Give different items different names, such as the task and the number.",
            )


# Judgements of pairs.


TIES = ("tie", "draw", "both", "neither", "equal", "")


def read_judgements(
    table: object, *, a: str, b: str, winner: str, id: str | None, groups: str | None
) -> ScoreParts:
    """Return judgements of pairs, a row each, as scores: 1, 0, or a half for a tie."""
    columns = Columns.of(_as_table(table) if isinstance(table, Mapping) else table)
    for role, name in (("a", a), ("b", b), ("winner", winner), ("id", id), ("groups", groups)):
        if name is not None and name not in columns.names:
            raise InputError(
                f"column {name!r} is missing",
                needs=f"a column for `{role}`",
                got=f"columns {check.some(columns.names)}",
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


# Files.


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
        return _rebuild(kind, header, _read_below(path, suffix, header), path, said)
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
            start = read_bytes(path, suffix)[0]
        else:
            with path.open("rb") as file:
                start = file.readline()
        line = start.split(b"\n", 1)[0]
        found = line.split(b" ", 2)[2] if line.startswith(begins) else None
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
        raise _changed(path, "a header that is JSON", "text that is not") from error
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


def _changed(path: Path, needs: str, got: str) -> FormatError:
    return FormatError(
        f"{path.name!r} was changed or damaged after earnest wrote it",
        needs=needs,
        got=got,
        cure="Write it again with save().",
    )


def _rebuild(
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
        raise _changed(path, f"{facts['rows']} rows and all columns", f"{columns.rows} rows")
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

    data = read_bytes(path, suffix)[0].split(b"\n", 1)[1]
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
        raise _changed(
            path, f"fingerprint {facts['fingerprint']}", f"fingerprint {made.fingerprint}"
        )
    return _said_anew(made, said, path)


def _said_anew(made: Scores, said: Mapping[str, Any], path: Path) -> Scores:
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
    from earnest.core.data.measure import Measure

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
            found["configs"] = [str(one) for one in found["configs"].tolist()]
        return kind(arrays["scores"], **{**found, **said})
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


def looks_like_scores(columns: Columns) -> bool:
    """Tell whether a table without an outcome may hold scores: numbers in one range.

    A column may name the items, their groups, tasks or samples; two columns at least must be
    numbers from 0 to 1, or true and false. So may a long table with a configuration and a score.
    """
    names = columns.names
    plain = {name.strip().casefold() for name in names}
    if plain & {"y", "y_true", "time", "event", "fold"}:
        return False
    if plain & set(CONFIGS) and plain & set(SCORES) and plain & set(ITEMS):
        return True
    roles = {*ITEMS, *GROUPS, *TASKS, *REPEATS}
    left = [name for name in names if name.strip().casefold() not in roles]
    numbers = 0
    for name in left:
        try:
            values = columns.array(name)
        except InputError:
            continue
        if values.dtype.kind == "b":
            numbers += 1
        elif values.dtype.kind in "iuf":
            known = values[~missing(values)]
            numbers += int(len(known) > 0 and known.min() >= 0 and known.max() <= 1)
    return numbers >= 2 and numbers >= len(left) - 2
