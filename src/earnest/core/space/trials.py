"""Trials: the configurations that a search evaluated, with what came out, also from tables."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import ClassVar, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import as_array, read_only
from earnest.core.base.errors import FormatError, InputError
from earnest.core.cautions import of_trials
from earnest.core.results.base import Plain
from earnest.core.results.cautions import Caution, Severity
from earnest.core.space.pruned import IntermediateValues, carry_to_end
from earnest.core.space.space import Space
from earnest.core.tables.columns import Columns
from earnest.core.text.doors import arg
from earnest.core.text.names import simplify_values
from earnest.core.text.numbers import write_count

FEWEST = 10  # trials, below which no surrogate can say anything
TINY, HUGE = 1e-100, 1e100  # the squares of an objective must still be numbers
DIRECTIONS = ("maximize", "minimize")
ANYTHING = (-math.inf, math.inf)  # the limits of an objective of which none are known


@dataclass(frozen=True)
class TrialCounts(Plain):
    """How the trials of a search ended, and which of them inform an explanation.

    Attributes
    ----------
    complete : int
        Trials with an objective.
    pruned_used : int
        Trials that were stopped early, and inform by the value they had then.
    pruned_unused : int
        Trials that were stopped early without a value that can be compared.
    failed : int
        Trials without an objective.

    Examples
    --------
    >>> from earnest.core.space.trials import TrialCounts
    >>> str(TrialCounts(complete=30, pruned_used=12, pruned_unused=0, failed=2))
    '30 complete trials and 12 pruned ones; left out: 2 failed'
    """

    derived: ClassVar[tuple[str, ...]] = ("used", "left_out")

    complete: int
    pruned_used: int
    pruned_unused: int
    failed: int

    @property
    def used(self) -> int:
        """The trials that inform."""
        return self.complete + self.pruned_used

    @property
    def left_out(self) -> int:
        """The trials that do not."""
        return self.pruned_unused + self.failed

    def __str__(self) -> str:
        """Return all counts in words."""
        if self.pruned_used:
            pruned = f" and {self.pruned_used:,} pruned one{'s' * (self.pruned_used > 1)}"
            words = write_count(self.complete, "complete trial") + pruned
        else:
            words = write_count(self.complete, "trial")
        return f"{words}; left out: {self.left_out_words}" if self.left_out else words

    @property
    def left_out_words(self) -> str:
        """The trials that do not inform, in words."""
        return of_trials.list_left_out(self.pruned_unused, self.failed)


@dataclass(frozen=True, kw_only=True)
class Trials:
    """The evaluated configurations of a search, with their objective and their space.

    Make them with `from_configs`, `from_frame` or `load`, or read those of another library with
    `trials_from`.

    Parameters
    ----------
    configs : tuple of dict
        One a trial, of plain values; trials of the same configuration are all kept, as they tell
        the noise.
    objective : ndarray, shape (n,)
        What was optimised, finite, in its own units; of a pruned trial what it would have been.
    direction : {'maximize', 'minimize'}
        Which way is better.
    space : Space
        The parameters, given or inferred.
    standard_error : ndarray, shape (n,), optional
        The standard error of each objective, where known.
    objective_name : str
        What the objective is called.
    pruned : ndarray of bool, shape (n,), optional
        Which of them were stopped early; None if none was.
    added_sd : ndarray, shape (n,), optional
        The sd of the objective of pruned trials around what it stands for, 0 for complete ones;
        see `carry_to_end`.
    unused : tuple of dict
        The configurations of trials that were stopped early without a value to compare.
    n_failed : int
        How many trials have no objective.
    limits : pair of float
        The smallest and largest value that the objective can have, where known.
    cautions : tuple of Caution
        What to know before they are explained.
    source : str
        Where they come from, in words.

    Examples
    --------
    >>> import earnest as en
    >>> configs = [{"depth": 1 + i % 6, "rate": 0.1 * (1 + i)} for i in range(12)]
    >>> trials = en.Trials.from_configs(configs, [i % 5 for i in range(12)], direction="maximize")
    >>> trials
    Trials(n=12, parameters=2, objective='objective', maximize, best=4)
    >>> trials.best_config
    {'depth': 5, 'rate': 0.5}
    """

    configs: tuple[dict[str, object], ...]
    objective: NDArray[np.float64]
    direction: str
    space: Space
    standard_error: NDArray[np.float64] | None = None
    objective_name: str = "objective"
    pruned: NDArray[np.bool_] | None = None
    added_sd: NDArray[np.float64] | None = None
    unused: tuple[dict[str, object], ...] = ()
    n_failed: int = 0
    limits: tuple[float, float] = ANYTHING
    cautions: tuple[Caution, ...] = ()
    source: str = "configurations"
    codes: NDArray[np.float64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check that there is something to explain, and code the configurations."""
        check.one_of("direction", self.direction, DIRECTIONS)
        refuse_few(len(self.configs), self.n_failed, len(self.unused))
        spread = float(self.objective.max()) / 2 - float(self.objective.min()) / 2
        if spread and not TINY < spread < HUGE:
            raise InputError(
                "the spread of the objective is too large or too small to compute with",
                needs=f"a spread between {TINY:g} and {HUGE:g}",
                got=f"{2 * spread:g}",
                cure="Use another unit, or leave out trials that are far from all others.",
            )
        if not spread:
            raise InputError(
                "the objective is the same in all trials",
                needs="an objective that varies",
                got=f"{self.objective[0]:g} in all {len(self.configs)} trials",
            )
        if not any(p.varies for p in self.space):
            raise InputError(
                "no hyperparameter varies",
                needs="at least one hyperparameter with different values",
                got=f"{check.some(self.space.names)}, each with one value",
            )
        object.__setattr__(self, "codes", read_only(self.space.encode(self.configs)))

    @classmethod
    def from_configs(
        cls,
        configs: Sequence[Mapping[str, object]],
        objective: ArrayLike,
        *,
        direction: str,
        space: Space | None = None,
        standard_error: ArrayLike | None = None,
        pruned: ArrayLike | None = None,
        intermediate: Sequence[IntermediateValues] | None = None,
        objective_name: str = "objective",
        limits: tuple[float, float] = ANYTHING,
        source: str = "configurations",
    ) -> Trials:
        """Make trials from configurations and their objectives.

        Parameters
        ----------
        configs : sequence of mapping
            One a trial. A parameter that is absent, or NaN, is inactive; None is a value.
        objective : array-like, shape (n,)
            Trials whose objective is missing or not finite count as failed, and are left out.
        direction : {'maximize', 'minimize'}
            Which way is better; it is never guessed.
        space : Space, optional
            The space; inferred from the trials if None, see `Space.infer`.
        standard_error : array-like, shape (n,), optional
            Standard errors of the objectives.
        pruned : array-like of bool, shape (n,), optional
            Which trials were stopped early. They inform by their last intermediate value, and are
            left out without one; their objective is not read.
        intermediate : sequence of mapping, optional
            What each trial reported, by step: a running mean over folds, or the score after an
            epoch. See `earnest.core.space.pruned.carry_to_end`.
        objective_name, source : str
            Words for the result.
        limits : pair of float
            The smallest and largest value that the objective can have, where known.
        """
        check.one_of("direction", direction, DIRECTIONS)
        listed = _clean_configs(configs)
        values = _read_numbers("objective", objective, len(listed))
        errors = None
        if standard_error is not None:
            errors = _read_numbers("standard_error", standard_error, len(listed))
        early = np.zeros(len(listed), dtype=bool)
        if pruned is not None:
            early = np.asarray(pruned, dtype=bool)
        added = np.zeros(len(listed))
        failed = int((~np.isfinite(values) & ~early).sum())
        if early.any():
            paths = [{}] * len(listed) if intermediate is None else list(intermediate)
            carried = carry_to_end(values, early, paths)
            values, added = carried.objective, carried.added_sd
        keep = np.isfinite(values)
        refuse_few(int(keep.sum()), failed, int((early & ~keep).sum()))
        complete = tuple(config for config, k in zip(listed, keep, strict=True) if k)
        unused = tuple(c for c, e, k in zip(listed, early, keep, strict=True) if e and not k)
        inferred = (
            Space.infer([*complete, *_list_alike(unused, complete)]) if space is None else space
        )
        used = bool((early & keep).any())
        trials = cls(
            configs=complete,
            objective=read_only(values[keep]),
            direction=direction,
            space=inferred,
            standard_error=_check_errors(errors, keep, early),
            objective_name=objective_name,
            pruned=read_only(early[keep]) if used else None,
            added_sd=read_only(added[keep]) if used else None,
            unused=unused,
            n_failed=failed,
            limits=limits,
            source=source,
        )
        return replace(
            trials,
            cautions=(
                *_remark_left_out(trials.counts, len(listed)),
                *_remark_guesses(inferred),
                *_remark_unvaried(inferred, complete),
            ),
        )

    @classmethod
    def from_frame(cls, frame: object, **options: Unpack[TrialOptions]) -> Trials:
        """Make trials from a table: one row per trial, one column per parameter, one the objective.

        Parameters
        ----------
        frame : table
            Any eager frame that narwhals reads: pandas, polars, pyarrow.
        **options
            See `load`.
        """
        return read_trials(frame, **options)

    @classmethod
    def load(cls, path: str | Path, **options: Unpack[TrialFileOptions]) -> Trials:
        """Read trials from a CSV, TSV, Parquet or Arrow file.

        Parameters
        ----------
        path : str or Path
            The file; its extension gives the format.
        **options
            `objective`, the column of the objective; `direction`; `params`, the columns that are
            parameters (all others but `objective`, `standard_error` and `status` if left out);
            `standard_error` and `status`, columns; `space`; and for CSV `delimiter`, `decimal`
            and `thousands`. An empty cell means that the parameter is inactive. Tables as Optuna
            and scikit-learn write them are known by their names of columns, also where
            `objective` says which score: only the columns with their prefix are parameters. An
            index without a name is left out.
        """
        return load_trials(check.read_path(path), **options)

    def __len__(self) -> int:
        """Count the trials."""
        return len(self.configs)

    def _repr_html_(self) -> str:
        from earnest.reporting.fragments import trials_fragment

        return trials_fragment(self)

    def __repr__(self) -> str:
        """Return one line."""
        best = float(self.objective[self.best])
        return (
            f"Trials(n={len(self)}, parameters={len(self.space)}, "
            f"objective={self.objective_name!r}, {self.direction}, best={best:.6g})"
        )

    @property
    def counts(self) -> TrialCounts:
        """How the trials ended, and which of them inform."""
        used = 0 if self.pruned is None else int(self.pruned.sum())
        return TrialCounts(len(self) - used, used, len(self.unused), self.n_failed)

    @property
    def n_pruned(self) -> int:
        """How many trials were stopped early, whether they inform or not."""
        return self.counts.pruned_used + self.counts.pruned_unused

    @cached_property
    def best(self) -> int:
        """The position of the best complete trial, the first where several are."""
        sign = 1.0 if self.direction == "maximize" else -1.0
        gains = sign * self.objective
        if self.pruned is not None:
            gains = np.where(self.pruned, -np.inf, gains)
        return int(np.argmax(gains))

    @cached_property
    def unused_codes(self) -> NDArray[np.float64]:
        """The codes of what was stopped early without a value, as far as the space holds it."""
        return np.concatenate(
            [np.empty((0, len(self.space))), *(_encode_held(self.space, c) for c in self.unused)]
        )

    @property
    def best_config(self) -> dict[str, object]:
        """The configuration of the best trial, of its active parameters."""
        active = self.space.active(self.codes[self.best])[0]
        names = [name for name, here in zip(self.space.names, active, strict=True) if here]
        return {name: self.configs[self.best][name] for name in names}

    @property
    def n_duplicates(self) -> int:
        """How many trials repeat an earlier configuration."""
        codes = np.nan_to_num(self.codes, nan=-1.0)  # NaN is not equal to itself row by row
        return len(self) - len(np.unique(codes, axis=0))


def refuse_few(count: int, failed: int = 0, pruned: int = 0) -> None:
    """Refuse trials that are too few to explain."""
    if count >= FEWEST:
        return
    words = TrialCounts(count, 0, pruned, failed).left_out_words
    raise InputError(
        "there are too few trials to explain",
        needs=f"at least {FEWEST} with an objective, or pruned with a value",
        got=f"{count}" + (f", after {words} were left out" if words else ""),
        cure="Evaluate more configurations.",
    )


def _clean_configs(configs: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return configurations of plain values, without parameters that are NaN."""
    for config in configs:
        if not isinstance(config, Mapping):
            raise InputError(
                "a configuration is not a mapping", needs="a dict", got=check.show(config)
            )
        if len({str(name) for name in config}) < len(config):
            raise InputError(
                "two hyperparameters have the same name as text",
                needs="unique names as text",
                got=check.show(config),
            )
    return [
        {n: v for n, v in config.items() if not (isinstance(v, float) and np.isnan(v))}
        for config in simplify_values(configs)
    ]


def _read_numbers(name: str, values: ArrayLike, n: int) -> NDArray[np.float64]:
    array = as_array(name, values)
    if array.shape != (n,):
        raise InputError(
            f"{arg(name)} does not fit the trials",
            needs=f"{n} numbers, one per trial",
            got=f"an array of shape {array.shape}",
        )
    if array.dtype.kind not in "fiub" and n:
        raise InputError(
            f"{arg(name)} does not hold numbers", needs="one number per trial", got=str(array.dtype)
        )
    return array.astype(np.float64)


def _list_alike(
    unused: Sequence[dict[str, object]], used: Sequence[dict[str, object]]
) -> list[dict[str, object]]:
    """Return what has the same parameters as a trial that is used: it was fully configured."""
    patterns = {frozenset(config) for config in used}
    return [config for config in unused if frozenset(config) in patterns]


def _encode_held(space: Space, config: dict[str, object]) -> NDArray[np.float64]:
    """Return a configuration as one row of codes, or no row if it is not one of the space."""
    try:
        return space.encode([config])
    except InputError:
        return np.empty((0, len(space)))


def _check_errors(
    errors: NDArray[np.float64] | None, keep: NDArray[np.bool_], pruned: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return the standard errors if complete trials have them and none is negative.

    A pruned trial stands for a complete one, and has the usual error of those.
    """
    complete = keep & ~pruned
    if errors is None or not np.isfinite(errors[complete]).all():
        return None
    if (errors[complete] < 0).any():
        raise InputError("`standard_error` has negative values", needs="numbers of at least 0")
    usual = float(np.sqrt(np.mean(np.square(errors[complete])))) if complete.any() else 0.0
    return read_only(np.where(pruned, usual, errors)[keep])


def _remark_left_out(counts: TrialCounts, n: int) -> list[Caution]:
    if not counts.left_out:
        return []
    return [
        of_trials.trials_left_out(counts.pruned_unused, counts.failed, n).graded(
            Severity.CAUTION if counts.left_out > 0.1 * n else Severity.NOTE
        )
    ]


def _remark_guesses(space: Space) -> list[Caution]:
    inferred = space.inferred
    if inferred is None:
        return []
    return [
        of_trials.space_inferred(inferred.ranges, inferred.logs, inferred.conditions, inferred.gaps)
    ]


def _remark_unvaried(space: Space, configs: tuple[dict[str, object], ...]) -> list[Caution]:
    """Warn of parameters that had one value in all trials that have them."""
    seen: dict[str, set[str]] = {name: set() for name in space.names}
    for config in configs:
        for name, value in config.items():
            if name in seen:
                seen[name].add(repr(value))
    names = [name for name, values in seen.items() if len(values) <= 1]
    if not names:
        return []
    return [of_trials.never_varied(tuple(names))]


DONE = ("complete", "completed", "success", "ok", "done", "finished", "1", "1.0", "true")
PRUNED = ("pruned", "stopped", "early_stopped")
MEAN = "mean_test_"
REPORTED = re.compile(r"intermediate_values_(\d{1,15})")  # a column of Study.trials_dataframe
# How tables of other libraries are known: the objective, the status, the prefix of parameters.
# Only what has the prefix is a parameter: times, ranks, splits and spreads stand beside them.
_KNOWN = (
    ("value", "state", "params_"),  # Study.trials_dataframe of Optuna
    (MEAN, None, "param_"),  # cv_results_ of scikit-learn
)


class TrialOptions(TypedDict, total=False):
    """What a user may say of a table of trials; see `Trials.load`."""

    objective: str | None
    direction: str | None
    params: Sequence[str] | None
    standard_error: str | None
    status: str | None
    space: Space | None
    source: str


class TrialFileOptions(TrialOptions, total=False):
    """What a user may say of a file of trials: the marks of a CSV, too."""

    delimiter: str | None
    decimal: str | None
    thousands: str | None


def read_trials(
    frame: object,
    *,
    objective: str | None = None,
    direction: str | None = None,
    params: Sequence[str] | None = None,
    standard_error: str | None = None,
    status: str | None = None,
    space: Space | None = None,
    source: str = "a table",
) -> Trials:
    """Make trials from a table; see `Trials.from_frame` and `Trials.load`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.core.space.trials import read_trials
    >>> table = pa.table({"a": list(range(10)), "score": [float(i % 4) for i in range(10)]})
    >>> len(read_trials(table, objective="score", direction="maximize"))
    10
    """
    columns = Columns.of(frame)
    objective, status, prefix = _recognise(columns, objective, status)
    if direction is None and prefix == "param_" and objective.startswith(MEAN):
        direction = "maximize"  # scikit-learn's scorers are all greater is better
    if params is not None and prefix:  # with or without the prefix
        params = [prefix + name if prefix + name in columns.names else name for name in params]
    _refuse_unknown(columns, [objective, standard_error, status, *(params or ())])
    if direction is None:
        raise InputError(
            f"{arg('direction')} is not given",
            needs="'maximize' or 'minimize'",
            cure=f"Pass {arg('direction')} to say which way column {objective!r} is better.",
        )
    taken = {objective, standard_error, status}
    both = [name for name in params or () if name in taken]
    if both:
        raise InputError(
            f"column {both[0]!r} cannot be a hyperparameter and something else",
            needs="hyperparameters other than the objective, its standard error and the status",
            got=check.some(both),
        )
    taken |= {"", columns.row_names()}  # what has no name is the index of a frame
    names = list(params) if params is not None else [n for n in columns.names if n not in taken]
    if prefix and params is None:
        names = [name for name in columns.names if name.startswith(prefix)]
    values = _read_column(columns, objective, "the objective, one number per trial")
    state = _read_states(columns, status)
    reports = [n for n in columns.names if prefix and REPORTED.fullmatch(n)]
    return Trials.from_configs(
        _read_configs(columns, names, prefix),
        np.where(state == "failed", np.nan, values),
        direction=direction,
        space=space,
        standard_error=None if standard_error is None else columns.array(standard_error),
        pruned=state == "pruned",
        intermediate=_read_reports(columns, reports),
        objective_name=objective,
        source=source,
    )


def load_trials(path: Path, **options: Unpack[TrialFileOptions]) -> Trials:
    """Read trials from a file of a table; see `Trials.load`."""
    from earnest.core.tables.formats.text import SIGNS, TextOptions
    from earnest.core.tables.opening import open_table

    text = TextOptions.of(options, missing=None)
    table_options = {name: value for name, value in options.items() if name not in SIGNS}
    with open_table(path, "a file of trials") as file:
        if file.header is not None:  # `Predictions.save` or `Scores.save` wrote it
            content = "scores" if file.holds_scores else "predictions"
            raise FormatError(
                f"{path.name!r} holds {content}, not trials",
                needs="one row per trial, with its hyperparameters and its objective",
                cure=(
                    "If the predictions have hyperparameters, `earnest report` shows what the "
                    "search learned."
                ),
            )
        columns = file.read(text)
    return read_trials(columns, **cast(TrialOptions, {"source": path.name, **table_options}))


def refuse_absent(path: Path, needs: str) -> None:
    """Refuse a file that is not there, and offer the nearest name in its folder."""
    if path.is_file():
        return
    check.refuse_stream(path)
    near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    raise FormatError(
        f"there is no file {str(path)!r}", needs=needs, cure=check.nearest(path.name, near)
    )


def _recognise(
    columns: Columns, objective: str | None, status: str | None
) -> tuple[str, str | None, str]:
    """Return objective, status and prefix; those of other libraries' tables without being told.

    Of `cv_results_` an objective may be said as the metric alone: 'roc_auc' for
    'mean_test_roc_auc'.
    """
    for start, state, prefix in _KNOWN:
        scores = [n for n in columns.names if n == start or n.startswith((MEAN, "values_"))]
        if not scores or not any(name.startswith(prefix) for name in columns.names):
            continue
        column = objective
        if objective is None:
            usual = [n for n in (start, f"{MEAN}score") if n in scores]
            column = (usual or scores)[0] if usual or len(scores) == 1 else None
        elif objective not in columns.names and start + objective in scores:
            column = start + objective
        if column is not None:
            state = state if state in columns.names else None
            return column, state if status is None else status, prefix
    if objective is not None:
        return objective, status, ""
    if "objective" in columns.names:
        return "objective", status, ""
    raise InputError(
        f"{arg('objective')} is not given",
        needs="the name of the column with the objective",
        got=f"columns {check.some(columns.names, limit=12)}",
    )


def _refuse_unknown(columns: Columns, names: Sequence[str | None]) -> None:
    for name in names:
        if name is not None and name not in columns.names:
            raise InputError(
                f"there is no column {check.show(name)}",
                needs=check.some(columns.names, limit=12),
                cure=check.nearest(name, columns.names),
            )


def _read_states(columns: Columns, status: str | None) -> NDArray[np.generic]:
    """Return 'done', 'pruned' or 'failed' for every row."""
    if status is None:
        return np.full(columns.rows, "done")
    words = [str(word).rpartition(".")[2].casefold() for word in columns.arrow(status).to_pylist()]
    return np.array(["done" if w in DONE else "pruned" if w in PRUNED else "failed" for w in words])


def _read_reports(columns: Columns, names: Sequence[str]) -> list[dict[int, float]]:
    """Return what each trial reported, by step."""
    paths: list[dict[int, float]] = [{} for _ in range(columns.rows)]
    for name in names:
        step = int(name.rpartition("_")[2])
        values = _read_column(columns, name, "what trials reported, one number per trial")
        for path, value in zip(paths, values.tolist(), strict=True):
            if not math.isnan(value):
                path[step] = value
    return paths


def _read_column(columns: Columns, name: str, needs: str) -> NDArray[np.float64]:
    values = columns.array(name)
    if values.dtype.kind not in "fiub":
        raise InputError(
            f"column {name!r} does not hold numbers", needs=needs, got=str(values.dtype)
        )
    return values.astype(np.float64)


def _read_configs(columns: Columns, names: Sequence[str], prefix: str) -> list[dict[str, object]]:
    read = {name.removeprefix(prefix): _read_values(columns, name) for name in names}
    absent = _ABSENT
    return [
        {name: values[i] for name, values in read.items() if values[i] is not absent}
        for i in range(columns.rows)
    ]


_ABSENT = object()


def _read_values(columns: Columns, name: str) -> list[object]:
    """Return the values of a column; text that is a number or None all through is read as such."""
    values = columns.arrow(name).to_pylist()
    if any(isinstance(value, (date, time, timedelta)) for value in values):
        raise InputError(
            f"column {name!r} holds times, which cannot be a hyperparameter",
            needs="numbers, text or bool",
            cure=f"Name the columns with hyperparameters in {arg('params')}.",
        )
    texts = [v for v in values if v is not None]
    if "None" in texts and all(_parse_number(v) != v for v in texts):
        return [_ABSENT if v is None else _parse_number(v) for v in values]
    return [_ABSENT if v is None else v for v in values]


def _parse_number(text: str) -> object:
    """Return the number that a text is, None for 'None', else the text."""
    if text == "None":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
