"""Trials: the configurations that a search evaluated, with what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import as_array, read_only
from earnest.core.base.errors import InputError
from earnest.core.results.cautions import Caution, Severity
from earnest.core.space.space import Space
from earnest.core.text.names import readable

if TYPE_CHECKING:
    from earnest.core.space.trial_tables import TrialFileOptions, TrialOptions

FEWEST = 10  # trials, below which no surrogate can say anything
TINY, HUGE = 1e-100, 1e100  # the squares of an objective must still be numbers
DIRECTIONS = ("maximize", "minimize")


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
        What was optimised, finite, in its own units.
    direction : {'maximize', 'minimize'}
        Which way is better.
    space : Space
        The parameters, given or inferred.
    standard_error : ndarray, shape (n,), optional
        The standard error of each objective, where known.
    objective_name : str
        What the objective is called.
    n_failed, n_pruned : int
        How many trials were left out: without an objective, and stopped early.
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
    n_failed: int = 0
    n_pruned: int = 0
    cautions: tuple[Caution, ...] = ()
    source: str = "configurations"
    codes: NDArray[np.float64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check that there is something to explain, and code the configurations."""
        check.one_of("direction", self.direction, DIRECTIONS)
        refuse_few(len(self.configs), self.n_failed, self.n_pruned)
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
        objective_name: str = "objective",
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
            Which trials were stopped early; they are left out.
        objective_name, source : str
            Words for the result.
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
        keep = np.isfinite(values) & ~early
        failed, stopped = int((~np.isfinite(values) & ~early).sum()), int(early.sum())
        refuse_few(int(keep.sum()), failed, stopped)
        kept = tuple(config for config, k in zip(listed, keep, strict=True) if k)
        found = Space.infer(kept) if space is None else space
        return cls(
            configs=kept,
            objective=read_only(values[keep]),
            direction=direction,
            space=found,
            standard_error=_check_errors(errors, keep),
            objective_name=objective_name,
            n_failed=failed,
            n_pruned=stopped,
            cautions=(
                *_remark_left_out(failed, stopped, len(listed)),
                *_remark_guesses(found),
                *_remark_unvaried(found, kept),
            ),
            source=source,
        )

    @classmethod
    def from_frame(cls, frame: object, **options: Unpack[TrialOptions]) -> Trials:
        """Make trials from a table: one row a trial, a column a parameter, one the objective.

        Parameters
        ----------
        frame : table
            Any eager frame that narwhals reads: pandas, polars, pyarrow.
        **options
            See `load`.
        """
        from earnest.core.space.trial_tables import read_trials

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
        from earnest.core.space.trial_tables import load_trials

        return load_trials(Path(path), **options)

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

    @cached_property
    def best(self) -> int:
        """The position of the best trial, the first where several are."""
        sign = 1.0 if self.direction == "maximize" else -1.0
        return int(np.argmax(sign * self.objective))

    @property
    def best_config(self) -> dict[str, object]:
        """The configuration of the best trial, of its active parameters."""
        active = self.space.active(self.codes[self.best])[0]
        names = [name for name, here in zip(self.space.names, active, strict=True) if here]
        return {name: self.configs[self.best][name] for name in names}

    @property
    def n_duplicates(self) -> int:
        """How many trials repeat an earlier configuration."""
        known = np.nan_to_num(self.codes, nan=-1.0)  # NaN is not equal to itself row by row
        return len(self) - len(np.unique(known, axis=0))


def refuse_few(count: int, failed: int = 0, pruned: int = 0) -> None:
    """Refuse trials that are too few to explain."""
    if count >= FEWEST:
        return
    left = [f"{failed} failed" * bool(failed), f"{pruned} pruned" * bool(pruned)]
    words = " and ".join(word for word in left if word)
    raise InputError(
        "there are too few trials to explain",
        needs=f"at least {FEWEST} with an objective",
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
        for config in readable(configs)
    ]


def _read_numbers(name: str, values: ArrayLike, n: int) -> NDArray[np.float64]:
    array = as_array(name, values)
    if array.shape != (n,):
        raise InputError(
            f"`{name}` does not fit the trials",
            needs=f"{n} numbers, one per trial",
            got=f"an array of shape {array.shape}",
        )
    if array.dtype.kind not in "fiub" and n:
        raise InputError(
            f"`{name}` does not hold numbers", needs="one number per trial", got=str(array.dtype)
        )
    return array.astype(np.float64)


def _check_errors(
    errors: NDArray[np.float64] | None, keep: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return the standard errors if all are there and none is negative."""
    if errors is None or not np.isfinite(errors[keep]).all():
        return None
    if (errors[keep] < 0).any():
        raise InputError("`standard_error` has negative values", needs="numbers of at least 0")
    return read_only(errors[keep])


def _remark_left_out(failed: int, pruned: int, n: int) -> list[Caution]:
    if not failed + pruned:
        return []
    words = [f"{failed} without an objective"] * bool(failed)
    words += [f"{pruned} stopped early"] * bool(pruned)
    return [
        Caution(
            "EN060",
            f"{failed + pruned} of {n} trials are left out: {' and '.join(words)}.",
            "The explanation does not know where they failed and may be too good there.",
            "Check whether they share a region of the space.",
            Severity.CAUTION if failed + pruned > 0.1 * n else Severity.NOTE,
        )
    ]


def _remark_guesses(space: Space) -> list[Caution]:
    if not space.remarks:
        return []
    return [
        Caution(
            "EN062",
            "Part of the space was inferred from the trials. " + " ".join(space.remarks),
            "Averages are over this space, and change with it.",
            "Pass `space` if you know it.",
            Severity.NOTE,
        )
    ]


def _remark_unvaried(space: Space, configs: tuple[dict[str, object], ...]) -> list[Caution]:
    """Tell of parameters that had one value in all trials that have them."""
    seen: dict[str, set[str]] = {name: set() for name in space.names}
    for config in configs:
        for name, value in config.items():
            if name in seen:
                seen[name].add(repr(value))
    names = [name for name, values in seen.items() if len(values) <= 1]
    if not names:
        return []
    return [
        Caution(
            "EN061",
            f"Never varied in these trials: {check.some(names, limit=10)}.",
            "Their effect cannot be seen.",
            severity=Severity.NOTE,
        )
    ]
