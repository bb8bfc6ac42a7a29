"""Scores as they were read, and the checks of what is said of them: rule, range, weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers, as_array, cut_row_blocks, finite_range, kept
from earnest.core.base.errors import InputError
from earnest.core.data.measure import OF_JUDGEMENTS, OF_SAMPLES, Aggregate, Rule
from earnest.core.data.predictions import Configs
from earnest.core.results.cautions import Caution, Severity

MOST_PLAYERS = 60  # configurations whose strengths are fitted in every resample
LARGEST = 1e150  # squares of what is larger overflow


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreParts:
    """Scores as they were read: the matrix, and what is known of items and configurations.

    Parameters
    ----------
    values : ndarray, shape (n, C, R)
        The scores, NaN for what was not run; R samples of the same item and configuration.
    configs : Configs
        The configurations.
    per : ndarray, shape (n, C, R), optional
        What the scores are counted per, for a ratio.
    ids, groups, tasks : array, shape (n,), optional
        Names of the items, units that belong together, and the task of each item.
    fold : array, shape (n,) or (n, R), optional
        The fold that tested each case, for losses of a cross-validation.
    codes : ndarray of int64, shape (n,), optional
        Judgements of pairs, coded as `metrics/scores.py` tells.
    remarks : tuple of Caution
        What had to be guessed or mended to read them.
    """

    values: Numbers
    configs: Configs
    per: Numbers | None = None
    ids: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    tasks: NDArray[Any] | None = None
    fold: NDArray[Any] | None = None
    codes: NDArray[np.int64] | None = None
    remarks: tuple[Caution, ...] = ()


def as_matrix(table: object, per_item: str = "scores") -> Numbers:
    """Return scores as numbers of shape (n, C, R), copied unless they are large."""
    array = as_array(per_item, table)
    if array.ndim not in (1, 2, 3) or array.dtype.kind not in "biuf":
        raise InputError(
            f"{per_item} are not numbers, one an item and configuration",
            needs="shape (n,), (n, C) or (n, C, R)",
            got=f"shape {array.shape}, dtype {array.dtype}",
        )
    if 0 in array.shape:
        raise InputError(f"there are no {per_item}", got=f"shape {array.shape}")
    shaped = array.reshape(*array.shape, *(1,) * (3 - array.ndim))
    if shaped.dtype not in (np.float32, np.float64):
        return shaped.astype(np.float64 if shaped.dtype.kind != "b" else np.float32)
    return kept(shaped)


def note_of_guess(what: str, consequence: str, cure: str) -> Caution:
    """Return the note on what had to be guessed of a table of scores."""
    return Caution("EN141", what, consequence, cure, Severity.NOTE)


# What is usual, and what does not fit.


def choose_aggregate(parts: ScoreParts) -> str:
    """Return what scores are summed up to where nothing was said."""
    if parts.per is not None:
        return str(Aggregate.RATIO)
    return str(Aggregate.MEAN if parts.tasks is None else Aggregate.MACRO)


def choose_name(rule: Rule, greater_is_better: bool) -> str:
    """Return what a score is called where nothing was said."""
    if rule.kind is Aggregate.RATIO:
        return "ratio"
    return "score" if greater_is_better else "loss"


def check_rule(rule: Rule, parts: ScoreParts) -> None:
    """Refuse a way to sum up that these scores do not have."""
    wrong = {
        Aggregate.RATIO: (parts.per is None, "a ratio has two numbers", "`per`"),
        Aggregate.MACRO: (parts.tasks is None, "the mean over tasks needs tasks", "`tasks`"),
    }
    for kind, (lacks, what, needs) in wrong.items():
        if rule.kind is kind and lacks:
            raise InputError(what, needs=needs, cure="Give it, or say aggregate='mean'.")
    if rule.kind in OF_JUDGEMENTS and parts.codes is None:
        raise InputError(
            f"{str(rule)!r} is made of judgements of pairs",
            needs="a table with a row a judgement",
            cure="Read it with Scores.from_judgements.",
        )
    if rule.kind is Aggregate.BRADLEY_TERRY and len(parts.configs) > MOST_PLAYERS:
        raise InputError(
            f"strengths of {len(parts.configs)} configurations take too long to fit in every "
            "resample",
            needs=f"at most {MOST_PLAYERS}",
            cure="Say aggregate='win_rate', or leave judgements of some out.",
        )
    if rule.kind not in OF_JUDGEMENTS and parts.codes is not None:
        raise InputError(
            f"judgements of pairs have no {str(rule)!r}", needs="'win_rate' or 'bradley_terry'"
        )
    if parts.per is not None and rule.kind is not Aggregate.RATIO:
        raise InputError(f"`per` makes a ratio, not {str(rule)!r}", cure="Leave one of them out.")
    if parts.fold is not None and rule.kind in OF_SAMPLES:
        raise InputError(
            f"{str(rule)!r} is about samples of an item, and folds say that repeats are those of a "
            "cross-validation",
            cure="Leave `fold` out.",
        )


def find_range(parts: ScoreParts) -> tuple[float, float]:
    """Return the smallest and the largest score; refuse infinite ones, and none at all."""
    low, high = finite_range(parts.values)
    if parts.per is not None and not (np.abs(finite_range(parts.per)) <= LARGEST).all():
        raise InputError(
            "`per` holds no numbers, or too large ones", needs=f"numbers of at most {LARGEST:g}"
        )
    if (low, high) == (np.inf, -np.inf):
        raise InputError("every score is missing", needs="numbers", got="NaN alone")
    if not np.isfinite([low, high]).all():
        raise InputError(
            "scores are infinite",
            needs="finite numbers",
            got=f"numbers from {low:g} to {high:g}",
            cure="Only NaN may stand for what was not run.",
        )
    if max(-low, high) > LARGEST:
        raise InputError(
            "scores are too large",
            needs=f"numbers of at most {LARGEST:g}, whose squares do not overflow",
            got=f"numbers from {low:g} to {high:g}",
            cure="Divide them by a constant, or look for a damaged column.",
        )
    return low, high


def are_binary(parts: ScoreParts, rule: Rule, low: float, high: float) -> bool:
    """Tell whether every item has a score of 0 or 1, after samples are summed up."""
    if rule.kind in OF_SAMPLES:
        _refuse_fractions(parts, rule, low, high)
    if low < 0.0 or high > 1.0 or parts.values.shape[2] > 1 or rule.kind in OF_SAMPLES:
        return False
    return _hold_zeros_and_ones(parts.values)


def _hold_zeros_and_ones(values: Numbers) -> bool:
    for block in cut_row_blocks(values):
        if not ((block == 0) | (block == 1) | np.isnan(block)).all():
            return False
    return True


def _refuse_fractions(parts: ScoreParts, rule: Rule, low: float, high: float) -> None:
    if low < 0.0 or high > 1.0 or not _hold_zeros_and_ones(parts.values):
        raise InputError(
            f"{str(rule)!r} counts samples that pass, and scores are other numbers than 0 and 1",
            needs="1 for a sample that passes, 0 for one that does not",
            got=f"numbers from {low:g} to {high:g}",
            cure="Say which scores pass, such as Scores(values >= 0.5, ...).",
        )
    counts = np.isfinite(parts.values).sum(axis=2)
    few = (counts > 0) & (counts < rule.number)
    if few.any():
        raise InputError(
            f"{str(rule)!r} needs {rule.number:.0f} samples of an item",
            needs=f"at least {rule.number:.0f} samples of each item and configuration",
            got=f"fewer in {int(few.sum()):,} of {int((counts > 0).sum()):,}, the fewest "
            f"{int(counts[few].min())}",
            cure="Choose a smaller k, or leave those items out.",
        )


def read_limits(
    limits: Iterable[float] | None, found: tuple[float, float], greater_is_better: bool, rule: Rule
) -> tuple[float, float]:
    """Return the range of what is measured: as given, or as it is usual."""
    low, high = found
    if rule.kind in (*OF_SAMPLES, *OF_JUDGEMENTS):
        return 0.0, 1.0
    if limits is None:
        if rule.kind is Aggregate.RATIO:
            return (0.0, math.inf) if low >= 0 else (-math.inf, math.inf)
        if low < 0:
            return -math.inf, math.inf
        unit = greater_is_better and high <= 1.0
        return (0.0, 1.0) if unit else (0.0 if not greater_is_better else -math.inf, math.inf)
    try:
        least, most = (float(end) for end in limits)
    except (TypeError, ValueError):
        least = most = math.nan
    if not least < most:
        raise InputError(
            "`limits` cannot be read",
            needs="the smallest and the largest score that is possible, such as (0, 1)",
            got=check.show(limits),
        )
    if rule.kind is not Aggregate.RATIO and (low < least or high > most):
        word = "scores" if greater_is_better else "losses"
        raise InputError(
            f"{word} lie outside `limits`",
            needs=f"numbers from {least:g} to {most:g}",
            got=f"numbers from {low:g} to {high:g}",
            cure="Give the range that is possible, such as limits=(-inf, inf).",
        )
    return least, most


def read_weights(weights: Mapping[Any, float] | None, parts: ScoreParts) -> tuple[float, ...]:
    """Return the weights of the tasks in the order of their codes; they sum to 1."""
    if parts.tasks is None:
        if weights is not None:
            raise InputError("`weights` are those of tasks", needs="`tasks`", got="none")
        return ()
    names = np.unique(np.asarray(parts.tasks)).tolist()
    if weights is None:
        return (1.0 / len(names),) * len(names)
    said = {str(name): float(weight) for name, weight in dict(weights).items()}
    lacking = [str(name) for name in names if str(name) not in said]
    if lacking or any(not 0.0 <= weight < math.inf for weight in said.values()):
        raise InputError(
            "`weights` do not give every task its weight",
            needs=f"a number from 0 on for each of {check.some(names)}",
            got=f"none for {check.some(lacking)}" if lacking else check.show(dict(weights)),
        )
    strange = [name for name in said if name not in [str(each) for each in names]]
    if strange:
        raise InputError(
            "`weights` name tasks that there are not",
            needs=check.some(names),
            got=check.some(strange),
        )
    total = sum(said[str(name)] for name in names)
    if total <= 0.0:
        raise InputError("all `weights` are 0", needs="a task that counts")
    return tuple(said[str(name)] / total for name in names)
