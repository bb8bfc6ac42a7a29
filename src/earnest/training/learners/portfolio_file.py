"""A portfolio file, read and checked: plain TOML, with names from fixed tables only."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import FormatError
from earnest.core.base.registry import Registry
from earnest.training.learners.catalogue import (
    COUNT,
    MODELS,
    SELECTIONS,
    TASKS,
    Knob,
    PortfolioKind,
    Value,
)

FORMAT = 1
TOP = ("format", "about", "tasks", "preprocessing", "selection", "model")
LIMITS = ("max_cases", "min_columns", "max_columns")  # of the data, for an entry to be used
IMPUTE, ENCODE = Knob(words=("median", "mean", "none")), Knob(words=("one_hot", "ordinal"))


@dataclass(frozen=True)
class Entry:
    """One table of a portfolio file: a model or a selection with the values of its knobs.

    Attributes
    ----------
    name : str
        Which model or selection.
    grid : mapping of str to tuple
        The values of each knob, the best guess first.
    limits : mapping of str to int
        For which data it is used.
    tasks : tuple of str
        For which tasks.
    select : tuple of str
        Of a model: the selections that it goes with.
    encode, impute : tuple of str
        Of a model: how categories are encoded and gaps filled.
    """

    name: str
    grid: Mapping[str, tuple[Value, ...]]
    limits: Mapping[str, int]
    tasks: tuple[str, ...]
    select: tuple[str, ...] = ()
    encode: tuple[str, ...] = ()
    impute: tuple[str, ...] = ()

    def list_combinations(self) -> list[tuple[int, dict[str, Value]]]:
        """Return every combination of values, with how far it is from the best guess.

        That is the sum of the places of its values in their lists.
        """
        places = product(*(range(len(values)) for values in self.grid.values()))
        return [
            (sum(at), {k: v[i] for (k, v), i in zip(self.grid.items(), at, strict=True)})
            for at in places
        ]

    def fits(self, task: str, cases: int, columns: int) -> bool:
        """Tell whether it is used for such data."""
        return (
            task in self.tasks
            and cases <= self.limits.get("max_cases", cases)
            and self.limits.get("min_columns", 0) <= columns
            and columns <= self.limits.get("max_columns", columns)
        )


@dataclass(frozen=True)
class Contents:
    """What a portfolio file says."""

    about: str
    tasks: tuple[str, ...]
    indicator: bool
    selections: tuple[Entry, ...]
    models: tuple[Entry, ...]


def read_file(path: Path) -> Contents:
    """Read a portfolio file, and refuse what it cannot mean."""
    check.refuse_stream(path)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FormatError(f"portfolio {path.name!r} cannot be read", got=str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(
            f"portfolio {path.name!r} is not valid TOML",
            got=str(error),
            cure="Start from a copy of a packaged portfolio.",
        ) from error
    return _Reader(path.name).read_contents(given)


@dataclass(frozen=True)
class _Reader:
    """Reads the tables of one file, whose name is in every message."""

    file: str
    tables: Mapping[str, Registry[PortfolioKind]] = field(
        default_factory=lambda: {"model": MODELS, "selection": SELECTIONS}
    )

    def read_contents(self, given: Mapping[str, object]) -> Contents:
        self._check_keys(given, TOP, "")
        if given.get("format") != FORMAT:
            raise self._make_error(
                "`format` is unknown", needs=str(FORMAT), got=given.get("format")
            )
        tasks = self._read_words(given, "tasks", TASKS, "", TASKS)
        common = self._check_table(given.get("preprocessing", {}), "[preprocessing]")
        self._check_keys(common, ("impute", "encode", "indicator"), " in [preprocessing]")
        indicator = common.get("indicator", True)
        if not isinstance(indicator, bool):
            raise self._make_error(
                "`indicator` in [preprocessing] is unknown", needs="true or false", got=indicator
            )
        selections = [self._read_selection(one) for one in self._list(given, "selection")]
        names = tuple(dict.fromkeys(one.name for one in selections)) or ("none",)
        if not selections:
            selections = [Entry("none", {}, {}, TASKS)]
        models = [self._read_model(one, names, common) for one in self._list(given, "model")]
        if not models:
            raise self._make_error("there is no model", needs="at least one [[model]]", got="none")
        about = given.get("about", "")
        if not isinstance(about, str):
            raise self._make_error("`about` is not text", needs="a text", got=about)
        return Contents(about, tasks, indicator, tuple(selections), tuple(models))

    def _read_selection(self, given: Mapping[str, object]) -> Entry:
        return self._read_entry("selection", "select", given, ())

    def _read_model(
        self, given: Mapping[str, object], names: tuple[str, ...], common: Mapping[str, object]
    ) -> Entry:
        entry = self._read_entry("model", "model", given, ("select", "encode", "impute"))
        kind, where = MODELS[entry.name], f" of model {entry.name!r}"
        usual_impute = "none" if kind.takes_missing else "median"
        impute = self._choose_words(given, common, "impute", IMPUTE, (usual_impute,), where)
        if "none" in impute and not kind.takes_missing:
            raise self._make_error(
                f"`impute`{where} cannot be 'none', because it cannot handle missing values",
                needs="'median', 'mean'",
                got="none",
            )
        return Entry(
            entry.name,
            entry.grid,
            entry.limits,
            entry.tasks,
            select=self._read_words(given, "select", names, where, names),
            encode=self._choose_words(given, common, "encode", ENCODE, (kind.encode,), where),
            impute=impute,
        )

    def _read_entry(
        self, table: str, key: str, given: Mapping[str, object], more: tuple[str, ...]
    ) -> Entry:
        kinds = self.tables[table]
        name = given.get(key)
        if not isinstance(name, str) or name not in kinds:
            raise self._make_error(
                f"`{key}` of a [[{table}]] is unknown",
                needs=", ".join(map(repr, kinds)),
                got=name,
                cure=check.nearest(str(name), list(kinds)),
            )
        name = kinds.canonical(name)
        kind, where = kinds[name], f" of {table} {name!r}"
        self._check_keys(given, (key, "tasks", *LIMITS, *more, *kind.knobs), where)
        grid = {
            knob: self._read_values(given[knob], kind.knobs[knob], f"`{knob}`{where}")
            for knob in given
            if knob in kind.knobs
        }
        limits = {
            limit: int(COUNT.read(given[limit], f"portfolio {self.file!r}: `{limit}`{where}"))
            for limit in LIMITS
            if limit in given
        }
        return Entry(
            name, grid, limits, self._read_words(given, "tasks", kind.tasks, where, kind.tasks)
        )

    def _choose_words(
        self,
        given: Mapping[str, object],
        common: Mapping[str, object],
        key: str,
        knob: Knob,
        usual: tuple[str, ...],
        where: str,
    ) -> tuple[str, ...]:
        """Return what an entry says, else the file, else what suits the model."""
        for source, place in ((given, where), (common, " in [preprocessing]")):
            if key in source:
                return tuple(map(str, self._read_values(source[key], knob, f"`{key}`{place}")))
        return usual

    def _read_words(
        self,
        given: Mapping[str, object],
        key: str,
        allowed: tuple[str, ...],
        where: str,
        usual: tuple[str, ...],
    ) -> tuple[str, ...]:
        if key not in given:
            return usual
        values = self._read_values(given[key], Knob(words=allowed), f"`{key}`{where}")
        return tuple(map(str, values))

    def _read_values(self, given: object, knob: Knob, where: str) -> tuple[Value, ...]:
        listed = given if isinstance(given, list) else [given]
        if not listed:
            raise self._make_error(f"{where} has no values", needs=str(knob), got="[]")
        values = tuple(knob.read(one, f"portfolio {self.file!r}: {where}") for one in listed)
        if len(set(values)) < len(values):
            raise self._make_error(
                f"the values of {where} are not unique", needs="unique values", got=given
            )
        return values

    def _check_keys(self, given: Mapping[str, object], keys: tuple[str, ...], where: str) -> None:
        for key in given:
            if key not in keys:
                raise self._make_error(
                    f"key `{key}`{where} is unknown",
                    needs=", ".join(keys),
                    got=key,
                    cure=check.nearest(key, keys),
                )

    def _check_table(self, given: object, where: str) -> Mapping[str, object]:
        if not isinstance(given, Mapping):
            raise self._make_error(f"{where} is not a table", needs="keys with values", got=given)
        return given

    def _list(self, given: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
        listed = given.get(key, [])
        if not isinstance(listed, list):
            raise self._make_error(
                f"`{key}` is not a list of tables",
                needs=f"tables that begin with [[{key}]]",
                got=listed,
                cure=f"Write [[{key}]] with two brackets.",
            )
        return [self._check_table(one, f"[[{key}]]") for one in listed]

    def _make_error(self, what: str, *, needs: str, got: object, cure: str = "") -> FormatError:
        shown = got if isinstance(got, str) and " " in got else check.show(got)
        return FormatError(f"portfolio {self.file!r}: {what}", needs=needs, got=shown, cure=cure)
