"""Tables of scores and of judgements at the door: arrays, mappings and frames, wide or long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.arguments import shared
from earnest.core.base import check
from earnest.core.base.arrays import (
    Numbers,
    RawArray,
    as_array,
    make_text,
    missing,
    read_one_column,
    refuse_other_order,
    refuse_unhashable,
)
from earnest.core.base.errors import InputError
from earnest.core.cautions import of_tables
from earnest.core.data.judged import mark_items
from earnest.core.data.predictions import Configs
from earnest.core.data.scores import ScoreParts, as_matrix
from earnest.core.data.target import encode_units
from earnest.core.results.cautions import Caution
from earnest.core.tables.column_names import OF_SCORES
from earnest.core.tables.columns import (
    ColumnFile,
    Columns,
    Grid,
    add_index_levels,
    refuse_stray_text,
)
from earnest.core.text.doors import arg

FAR = 1.5  # a column beyond this, among others within 0 and 1, may be no score


_NAMES = {"groups": shared.GROUPS, "tasks": shared.TASKS, "config": shared.CONFIG}


def _name(argument: str) -> str:
    """Return an argument of `Scores` for a message."""
    return _NAMES.get(argument) or arg(argument)


def read_score_parts(
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
    human: object = None,
    probability: object = None,
) -> ScoreParts:
    """Return scores of an array, a mapping or a table; the options are those of `Scores`."""
    if form is not None:
        check.one_of("format", form, ("wide", "long"))
    named = {"id": id, "groups": groups, "tasks": tasks, "per": per, "fold": fold}
    arguments = (
        {str(k): v for k, v in table.items()} if isinstance(table, Mapping) else {"table": table}
    )
    refuse_other_order({**arguments, **named})
    texts = (config, score, repeat, *(each for each in (human, probability) if _is_name(each)))
    if _is_mapping_of_columns(table, named, texts):
        parts = _read_mapping(cast(Mapping[object, object], table), configs, named)
        return read_labels(parts, human, probability)
    if isinstance(table, Mapping):
        table = make_arrow_table(table)
    if isinstance(table, Columns) or (
        not isinstance(table, (np.ndarray, list, tuple)) and hasattr(table, "columns")
    ):
        about = {**named, "human": human, "probability": probability}
        frame = _Frame.of(table, about, (config, score, repeat), configs, form)
        return frame.read_long() if frame.long else frame.read_wide()
    words = {"config": config, "score": score, "repeat": repeat, "format": form}
    words |= {
        name: value
        for name, value in (("human", human), ("probability", probability))
        if _is_name(value)
    }
    for name, value in {**words, **named}.items():
        if isinstance(value, str):
            raise InputError(
                f"{_name(name)} names a column, but the scores are an array",
                needs="a table, or values, one per item",
                got=check.show(value),
            )
    values = as_matrix(table)
    parts = _read_arrays(values, Configs.of(configs, values.shape[1]), named)
    return read_labels(parts, human, probability)


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _is_mapping_of_columns(
    table: object, named: Mapping[str, object], words: Sequence[str | None]
) -> bool:
    """Tell whether a mapping holds columns of scores alone, and nothing that names an item."""
    if not isinstance(table, Mapping):
        return False
    names_column = any(isinstance(value, str) for value in (*named.values(), *words))
    names = [str(name) for name in table]
    roles = [OF_SCORES[role] for role in ("id", "groups", "tasks", "repeat")]
    return not names_column and not any(role.find(names) for role in roles)


def make_arrow_table(table: Mapping[object, object]) -> object:
    """Return a mapping of names to columns as a table."""
    import pyarrow as pa

    try:
        return pa.table({str(name): pa.array(values) for name, values in table.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError) as error:
        raise InputError(
            "the mapping is not a table",
            needs="columns of equal length, with one value per item",
            got=check.show_text(str(error)),
        ) from error


def _read_mapping(
    table: Mapping[object, object],
    configs: Configs | Iterable[object] | None,
    named: Mapping[str, Any],
) -> ScoreParts:
    if not table:
        raise InputError(
            f"{arg('table')} cannot be read",
            needs="a mapping of names to scores, such as {'a': [...], 'b': [...]}",
            got=check.show(table),
        )
    columns = []
    for name, values in table.items():
        column = as_array(str(name), values)
        if column.ndim not in (1, 2) or column.dtype.kind not in "biuf":
            raise InputError(
                f"scores {str(name)!r} are not numbers, one per item",
                needs="shape (n,), or (n, R) with samples",
                got=f"shape {column.shape}, dtype {column.dtype}",
            )
        columns.append(column.reshape(len(column), -1))
    lengths = {column.shape for column in columns}
    if len(lengths) > 1:
        raise InputError(
            "columns of scores differ in length",
            needs="one score per item and sample in every column",
            got=", ".join(str(shape) for shape in sorted(lengths)),
        )
    values = as_matrix(np.stack(columns, axis=1))
    names = [str(name) for name in table] if configs is None else configs
    return _read_arrays(values, Configs.of(names, values.shape[1]), named)


def _read_arrays(values: Numbers, configs: Configs, named: Mapping[str, Any]) -> ScoreParts:
    n = len(values)
    about: dict[str, Any] = {
        "ids": _read_about("id", named["id"], n),
        "groups": _read_about("groups", named["groups"], n),
        "tasks": _read_about("tasks", named["tasks"], n),
    }
    per = None if named["per"] is None else as_matrix(named["per"], arg("per"))
    if per is not None:
        if per.shape != values.shape:
            raise InputError(
                f"{arg('per')} and the scores differ in shape",
                needs=str(values.shape),
                got=str(per.shape),
            )
        values, per = (array.astype(np.float64) for array in (values, per))
    fold = None if named["fold"] is None else as_array("fold", named["fold"])
    return ScoreParts(values=values, configs=configs, per=per, fold=fold, **about)


def _read_about(name: str, values: object, n: int) -> RawArray | None:
    if values is None:
        return None
    array = as_array(name, values)
    if array.ndim != 1 or len(array) != n:
        raise InputError(
            f"{_name(name)} and the scores differ in length",
            needs=f"{n} values, one per item",
            got=f"shape {array.shape}",
        )
    if name != "id":
        array = read_one_column(name, array, n, "table")
    refuse_unhashable(name, array)
    # labels of mixed types have no order of their own
    return make_text(array) if array.dtype == object else array


def _find_column(columns: Columns, role: str, name: object) -> str | None:
    """Return the column of a role: the one that is named, or else one of a usual name.

    None where the table has none, and where values were given instead of a name.
    """
    if name is None:
        return OF_SCORES[role].find(columns.names) if role in OF_SCORES else None
    if not isinstance(name, str):
        return None
    if name not in columns.names:
        raise columns.make_missing_error(name, f"a column for {_name(role)}")
    return name


def _read_wanted(configs: Configs | Iterable[object] | None) -> tuple[str, ...] | None:
    """Return the names of the configurations to read, None for all."""
    if configs is None:
        return None
    names = (
        configs.ids if isinstance(configs, Configs) else tuple(str(config) for config in configs)
    )
    if not names:
        raise InputError(
            f"{arg('configs')} names no configuration",
            needs="at least one of those of the table",
            got="an empty list",
        )
    return names


@dataclass(frozen=True)
class _Frame:
    """A table of scores, and which column has which part."""

    columns: Columns
    roles: Mapping[str, str | None]
    given: Mapping[str, Any]
    wanted: tuple[str, ...] | None
    long: bool
    remarks: list[Caution] = field(default_factory=list)

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
        names = [value for value in (*named.values(), *words) if isinstance(value, str)]
        columns = Columns.of(
            add_index_levels(
                table,
                (*names, *(n for role in ("id", "groups", "tasks") for n in OF_SCORES[role].usual)),
            )
        )
        config, score, repeat = words
        find = partial(_find_column, columns)
        roles = {
            "id": find("id", named["id"]),
            "groups": find("groups", named["groups"]),
            "tasks": find("tasks", named["tasks"]),
            "repeat": find("repeat", repeat),
            "fold": find("fold", named["fold"]),
            "per": find("per", named["per"]),
        }
        pair = {"config": find("config", config), "score": find("score", score)}
        labels = _find_label_columns(columns, named)
        if pair["score"] is None and labels["human"] is not None:
            pair["score"] = OF_SCORES["judge"].find(columns.names)
        is_long = config is not None or score is not None or None not in pair.values()
        long = is_long if form is None else form == "long"
        roles |= pair | labels if long else dict.fromkeys((*pair, *labels))
        return cls(columns, roles, named, _read_wanted(configs), long)

    # Wide: one row per item (and sample), one column per configuration.

    def read_wide(self) -> ScoreParts:
        """Return the scores of a wide table."""
        if self.given["per"] is not None:
            raise InputError(
                f"{arg('per')} needs a long table",
                needs="a long table with both columns, or two arrays",
                cure="Pass config=... and score=..., or use Scores(costs, per=successes).",
            )
        names = self._find_config_columns()
        item, sample, first = self._find_rows(None, 1)
        n, samples = len(first), int(sample.max()) + 1
        small = all(self.columns.array(name).dtype in (bool, np.float32) for name in names)
        kind = np.float32 if small else np.float64
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
        parts = self._finish(values, Configs.of(names, len(names)), first)
        return read_labels(parts, self.given["human"], self.given["probability"])

    def _find_config_columns(self) -> list[str]:
        taken = {name for name in self.roles.values() if name is not None}
        if (rows := self.columns.row_names()) is not None:
            taken.add(rows)
        if self.wanted is not None:
            absent = [name for name in self.wanted if name not in self.columns.names]
            if absent:
                raise self.columns.make_missing_error(absent[0], "a column for every configuration")
            names = list(self.wanted)
        else:
            names = [name for name in self.columns.names if name not in taken]
        if not names:
            raise InputError(
                "the table has no column of scores",
                needs="one column per configuration",
                got=f"columns {check.some(self.columns.names)}",
            )
        strange = [name for name in names if not self._holds_numbers(name)]
        is_file = self.columns.source is not None  # `Scores.load` takes `missing`
        refuse_stray_text(self.columns, strange, missing=is_file)
        if strange:
            raise InputError(
                f"column {strange[0]!r} holds no scores",
                needs="numbers, or true and false, in every column that is a configuration",
                got=f"other values in {check.some(map(repr, strange))}",
                cure=f"Name it as {arg('id')}, {shared.GROUPS} or {shared.TASKS}, or name the "
                "configurations with "
                f"{arg('configs', ...)}. For a table with one row per score, pass "
                f"{shared.CONFIG} and {arg('score')}.",
            )
        return names

    def _holds_numbers(self, name: str) -> bool:
        try:
            return self.columns.array(name).dtype.kind in "biuf"
        except InputError:  # nested, or of mixed types
            return False

    def _remark_ranges(self, names: Sequence[str], values: Numbers) -> None:
        """Warn of columns that reach far beyond 0 and 1 where most lie within."""
        if self.wanted is not None or len(names) < 3:
            return
        tops = np.array([np.nanmax(values[:, c], initial=-np.inf) for c in range(len(names))])
        lows = np.array([np.nanmin(values[:, c], initial=np.inf) for c in range(len(names))])
        within = (tops <= 1.0) & (lows >= 0.0)
        far = (tops > FAR) | (lows < -FAR)
        if within.sum() >= 2 and within.sum() >= far.sum() > 0:
            odd = [names[int(c)] for c in np.flatnonzero(far)]
            self.remarks.append(of_tables.columns_may_not_be_scores(int(within.sum()), tuple(odd)))

    # Long: one row per score.

    def read_long(self) -> ScoreParts:
        """Return the scores of a long table."""
        config, score = self.roles["config"], self.roles["score"]
        for role in ("config", "score", "id"):
            words = OF_SCORES[role].usual[:3] if role == "id" else OF_SCORES[role].usual
            if self.roles[role] is None:
                what = "that names the items" if role == "id" else f"of {_name(role)}"
                raise InputError(
                    f"a long table of scores lacks the column {what}",
                    needs=f"a column {' or '.join(repr(w) for w in words)}, or its name",
                    got=f"columns {check.some(self.columns.names)}",
                    cure=f"Pass its name as {_name(role)}.",
                )
        assert config is not None
        assert score is not None
        which, labels = self.columns.complete_codes(config)
        names = tuple(str(label) for label in labels)
        if not self._holds_numbers(score):
            raise InputError(
                f"column {score!r} holds no scores",
                needs="numbers, or true and false",
                got=f"values such as {check.show(self.columns.array(score)[0])}",
                cure=f"Name the column of scores with {arg('score')}.",
            )
        item, sample, first = self._find_rows(which, len(names))
        shape = (len(first), len(names), int(sample.max()) + 1)
        cells = (item, which, sample)
        raw = self.columns.array(score)
        kind = np.float32 if raw.dtype in (bool, np.float32) else np.float64
        values = np.full(shape, np.nan, dtype=kind)
        values[cells] = raw.astype(kind)
        columns_of_labels = {
            name: self._read_label_cells(name, shape, cells)
            for name in ("human", "probability")
            if self.roles[name] is not None
        }
        per = None
        if self.roles["per"] is not None:
            if not self._holds_numbers(self.roles["per"]):
                raise InputError(f"column {self.roles['per']!r} holds no numbers to count per")
            per = np.full(shape, np.nan)
            per[cells] = self.columns.array(self.roles["per"]).astype(np.float64)
            values = values.astype(np.float64)
        configs = Configs.of(names, len(names))
        if self.wanted is not None:
            columns = [configs.index(name) for name in self.wanted]
            configs, values = configs.take(columns), values[:, columns]
            per = None if per is None else per[:, columns]
            columns_of_labels = {
                name: matrix[:, columns] for name, matrix in columns_of_labels.items()
            }
        parts = replace(self._finish(values, configs, first), per=per)
        of_people = {**self.given, **columns_of_labels}
        return read_labels(parts, of_people["human"], of_people["probability"])

    def _read_label_cells(
        self, role: str, shape: tuple[int, ...], cells: tuple[NDArray[np.intp], ...]
    ) -> Numbers:
        """Return the labels of people, or their chances, in the cells of the scores."""
        name = self.roles[role]
        assert name is not None
        if not self._holds_numbers(name):
            raise InputError(
                f"column {name!r} holds no {'labels' if role == 'human' else 'chances'}",
                needs="numbers, and empty cells where there is none",
                got=f"values such as {check.show(self.columns.array(name)[0])}",
            )
        values = np.full(shape, np.nan)
        values[cells] = self.columns.array(name).astype(np.float64)
        return values

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
                    f"column {self.roles['repeat']!r} numbers samples, but nothing names the items",
                    needs="a column that says which rows are the same item",
                    got=f"columns {check.some(self.columns.names)}",
                    cure=f"Pass its name as {arg('id')}.",
                )
            return alone, np.zeros_like(alone), alone
        grid = Grid.of(self.columns, name, self.roles["repeat"])
        cell = grid.case if which is None else grid.case * count + which
        if self.roles["repeat"] is None:
            sample = _number_within(cell)
            if sample.any():
                most = int(sample.max()) + 1
                self.remarks.append(
                    of_tables.rows_read_as_samples(most, configurations=which is not None)
                )
            return grid.case, sample, grid.first
        twice = np.bincount(cell * grid.repeats + grid.repeat)
        if twice.max() > 1:
            twice_cell = int(np.flatnonzero(twice > 1)[0]) // grid.repeats
            row = int(np.flatnonzero(cell == twice_cell)[0])
            raise InputError(
                "a score is given twice",
                needs="one row for each item, configuration and sample",
                got=f"{int((twice > 1).sum())} given twice, such as item "
                f"{self.columns.array(name)[row]}",
                cure="Leave one of the rows out, or give samples different numbers.",
            )
        return grid.case, grid.repeat, grid.first

    def _finish(self, values: Numbers, configs: Configs, first: NDArray[np.intp]) -> ScoreParts:
        n = len(first)
        about: dict[str, RawArray | None] = {}
        for field_name, role in (("ids", "id"), ("groups", "groups"), ("tasks", "tasks")):
            name = self.roles[role]
            if name is None:
                about[field_name] = _read_about(role, self.given[role], n)
                continue
            column = self.columns.array(name)
            if role != "id":
                self._refuse_changing(name, column, first)
            about[field_name] = as_array(name, column[first])
        fold = self.given["fold"]
        if self.roles["fold"] is not None:
            fold = self.columns.array(self.roles["fold"])[first]
        return ScoreParts(
            values=values,
            configs=configs,
            fold=None if fold is None else as_array("fold", fold),
            remarks=tuple(self.remarks),
            ids=about["ids"],
            groups=about["groups"],
            tasks=about["tasks"],
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
                needs="one value per item",
                got=f"several in {len(np.unique(item[other]))} of {len(first)} items",
                cure="Give different items different names, such as the task and the number.",
            )


def _find_label_columns(columns: Columns, named: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the columns of the labels of people and of their chances, None for none.

    A column `human` is one by itself only beside a column `judge`.
    """
    human = _find_column(columns, "human", named["human"])
    if named["human"] is None and OF_SCORES["judge"].find(columns.names) is None:
        human = None
    if human is None and not _is_name(named["probability"]):
        return {"human": None, "probability": None}
    return {
        "human": human,
        "probability": _find_column(columns, "probability", named["probability"]),
    }


def _number_within(cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number the rows of each cell in the order in which they stand."""
    order = np.argsort(cells, kind="stable")
    ranked = cells[order]
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    lengths = np.diff(np.append(starts, len(cells)))
    number = np.empty(len(cells), dtype=np.intp)
    number[order] = np.arange(len(cells)) - np.repeat(starts, lengths)
    return number


# Labels of people beside the scores of a judge.


def read_labels(parts: ScoreParts, human: object, probability: object) -> ScoreParts:
    """Return scores of a judge as marks, mended by labels of people; as they are without any."""
    if human is None:
        if probability is not None:
            raise InputError(
                f"{arg('probability')} is about labels of people, but there are none",
                needs=f"labels as {arg('human')}",
            )
        return parts
    if parts.labels is not None:
        raise InputError(
            "these scores are marks that have the labels of people already",
            cure="Add labels to the judge's own scores.",
        )
    for what, value in (("a ratio", parts.per), ("folds", parts.fold), ("pairs", parts.codes)):
        if value is not None:
            raise InputError(
                f"labels of people cannot mend scores of {what}",
                needs="one score of a judge for each item and configuration",
            )
    answers = _align("human", human, parts)
    chances = None if probability is None else _align("probability", probability, parts)
    n = len(parts.values)
    units = encode_units(parts.groups, n, "groups", "table")
    codes = np.arange(n) if units is None else np.asarray(units, dtype=np.intp)
    marks, labels, remarks = mark_items(parts.values, answers, chances, codes, parts.configs.ids)
    partial_labels = labels if labels.share < 1.0 else None  # marks of all are the labels
    return replace(parts, values=marks, labels=partial_labels, remarks=(*parts.remarks, *remarks))


def _align(role: str, values: object, parts: ScoreParts) -> Numbers:
    """Return labels or their chances in the form of the scores (n, C, R)."""
    shape = parts.values.shape
    if isinstance(values, bool | int | float) and role == "probability":
        return np.full(shape, float(values))
    if _is_name(values):
        raise InputError(
            f"{_name(role)} names a column, but this is no long table",
            needs="a long table, or values of the form of the scores",
            got=check.show(values),
        )
    if isinstance(values, Mapping) or hasattr(values, "columns") or hasattr(values, "parts"):
        return _align_table(role, values, parts)
    array = as_array(role, values)
    if role == "probability" and array.ndim == 1 and array.dtype.kind in "biuf":
        array = np.broadcast_to(array[:, None], (len(array), shape[1]))
    matrix = as_matrix(array, _name(role))
    if matrix.shape[0] == shape[0] and matrix.shape[1:] == (shape[1], 1):
        matrix = np.broadcast_to(matrix, shape) if role == "probability" else matrix
    if matrix.shape != shape:
        raise InputError(
            f"{_name(role)} and the scores differ in shape",
            needs=f"shape {shape if shape[2] > 1 else shape[:2]}, as the scores have",
            got=f"shape {np.shape(array)}",
            cure="Name items and configurations in a table, if labels are of some of them.",
        )
    return matrix


def _align_table(role: str, values: object, parts: ScoreParts) -> Numbers:
    """Return a table of labels, or of chances, in the order of items and configurations."""
    other: ScoreParts = (
        values.parts if hasattr(values, "parts") else _read_table_of_labels(role, values)
    )
    shape, samples = parts.values.shape, other.values.shape[2]
    unknown = [name for name in other.configs.ids if name not in set(parts.configs.ids)]
    if unknown or samples > shape[2]:
        raise InputError(
            f"{_name(role)} is about other answers than the scores",
            needs=f"configurations of {check.some(parts.configs.ids)}, at most {shape[2]} samples",
            got=f"{check.some(unknown)}" if unknown else f"{samples} samples of an item",
        )
    if samples < shape[2]:
        raise InputError(
            f"{_name(role)} does not say which sample of an item it is about",
            needs=f"{shape[2]} samples, as the scores have",
            got=str(samples),
        )
    rows = _find_items(role, other, parts)
    matrix = np.full(shape, np.nan)
    columns = np.array([parts.configs.ids.index(name) for name in other.configs.ids])
    matrix[rows[:, None], columns] = other.values
    return matrix


def _read_table_of_labels(role: str, table: object) -> ScoreParts:
    opened = make_arrow_table(table) if isinstance(table, Mapping) else table
    names = Columns.of(opened).names
    score = role if role in names and OF_SCORES["config"].find(names) is not None else None
    keys = ("id", "groups", "tasks", "config", "repeat", "configs", "per", "fold", "form")
    return read_score_parts(table, score=score, **dict.fromkeys(keys))


def _find_items(role: str, other: ScoreParts, parts: ScoreParts) -> NDArray[np.intp]:
    """Return the rows of the scores that the rows of labels are about."""
    if other.ids is None or parts.ids is None:
        if len(other.values) != len(parts.values):
            raise InputError(
                f"{_name(role)} and the scores differ in length",
                needs=f"{len(parts.values)} items, or names of items in both",
                got=str(len(other.values)),
            )
        return np.arange(len(parts.values))
    places = {str(name): row for row, name in enumerate(np.asarray(parts.ids).tolist())}
    names = [str(name) for name in np.asarray(other.ids).tolist()]
    stray = [name for name in names if name not in places]
    if stray:
        raise InputError(
            f"{_name(role)} is about items that the scores lack",
            needs=f"items such as {check.some(list(places))}",
            got=check.some(stray),
        )
    return np.array([places[name] for name in names], dtype=np.intp)


TIES = ("tie", "draw", "both", "neither", "equal", "")


def read_judgements(
    table: object, *, a: str, b: str, winner: str, id: str | None, groups: str | None
) -> ScoreParts:
    """Return judgements of pairs, a row each, as scores: 1, 0, or a half for a tie."""
    columns = Columns.of(make_arrow_table(table) if isinstance(table, Mapping) else table)
    for role, name in (("a", a), ("b", b), ("winner", winner), ("id", id), ("groups", groups)):
        _find_column(columns, role, name)
    first, second, winners = (
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
    codes = {name: index for index, name in enumerate(names)}
    won = [
        _read_winner(*row, number)
        for number, row in enumerate(zip(first, second, winners, strict=True))
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


def _read_winner(a: str, b: str, word: str, row: int) -> float:
    """Return 1 where the first won, 0 where the second did, a half for a tie."""
    if word == a or (word.casefold() in ("a", "model_a") and word != b):
        return 1.0
    if word == b or word.casefold() in ("b", "model_b"):
        return 0.0
    if word.strip().casefold() in TIES or word.casefold().startswith("tie"):
        return 0.5
    raise InputError(
        "the winner of a judgement is not clear",
        needs=f"{a!r}, {b!r}, 'a', 'b' or 'tie'",
        got=f"{check.show(word)} in row {row + 1}",
    )
