"""From scores to one number an item, as methods take it: samples, holes, batches, judgements.

And how scores vary between items and within them, and how many samples are worth it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers, cut_row_blocks
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.data.folds import encode_folds
from earnest.core.data.measure import OF_SAMPLES, Aggregate, Rule
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task, encode_ids, encode_units
from earnest.core.results.cautions import Caution, Severity

if TYPE_CHECKING:
    from earnest.core.data.scores import Scores


FEW_WHOLE = 0.5  # of the items: where fewer have every score, nothing is left out by itself
BATCHES = 5000  # means of as many tell of the mean of any number of items
MANY = 50_000_000  # scores from which items are drawn in batches
Array = NDArray[np.float64]


def make_predictions(scores: Scores) -> Predictions:
    """Return one number an item and configuration, with what was left out among the remarks."""
    parts, rule = scores.parts, scores.measure.rule
    if parts.fold is not None:
        return _of_folds(scores)
    if parts.codes is not None:
        return _of_judgements(scores)
    if rule.kind is Aggregate.RATIO:
        assert parts.per is not None
        both = np.stack([_sum_samples(parts.values), _sum_samples(parts.per)], axis=-1)
        both[np.isnan(both).any(axis=-1)] = np.nan
        table: Numbers = both[:, :, None]
    else:
        table = sum_up_samples(parts.values, rule)[:, :, None]
    table, rows, columns, remarks = leave_out(scores, table)
    target = _make_target(scores, np.zeros(parts.values.shape[0]))
    if rows is not None:
        target = target.take(rows)
    count = count_batches(scores, *table.shape[:2])
    if count:
        items = len(table)
        table = draw_batches(table[:, :, 0], count)[:, :, None]
        measure = replace(scores.measure, items=items, binary=False)
        target = Target(y=np.zeros(count), task=Task.SCORES, measure=measure)
        remarks = (*remarks, _batch_remark(items, count))
    return Predictions(
        target=target,
        configs=parts.configs if columns is None else parts.configs.take(columns),
        responses=table,
        folds=np.zeros((target.n, 1), dtype=np.int32),
        fold_names=(("0",),),
        kind=ResponseKind.VALUE,
        remarks=(*parts.remarks, *remarks),
    )


def sum_up_samples(values: Numbers, rule: Rule) -> Numbers:
    """Return one number an item and configuration (n, C) of samples (n, C, R), NaN for none.

    The mean of the samples. For pass@k, of which m were drawn and c passed, the share of draws of k
    of them in which one passes at least, 1 - C(m - c, k) / C(m, k): its mean over samples is the
    chance itself (Chen et al. 2021). For pass^k the share in which all pass, C(c, k) / C(m, k).
    """
    if values.shape[2] == 1 and rule.kind not in OF_SAMPLES:
        return values[:, :, 0]
    known = np.isfinite(values)
    count = known.sum(axis=2)
    total = np.where(known, values, 0.0).sum(axis=2, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        if rule.kind not in OF_SAMPLES:
            return np.asarray(total / np.where(count > 0, count, np.nan))
        others = total if rule.kind is Aggregate.PASS_ALL else count - total
        share = np.ones(total.shape)
        for drawn in range(int(rule.number)):  # without replacement, one after the other
            share *= np.clip(others - drawn, 0.0, None) / (count - drawn)
        share[count == 0] = np.nan
        return share if rule.kind is Aggregate.PASS_ALL else 1.0 - share


def count_batches(scores: Scores, items: int, configs: int) -> int:
    """Return in how many batches items are drawn, 0 where each is drawn by itself."""
    parts, kind = scores.parts, scores.measure.rule.kind
    plain = parts.groups is None and parts.tasks is None
    if not plain or kind not in (Aggregate.MEAN, *OF_SAMPLES) or scores.batches == 0:
        return 0
    if scores.batches is None:
        return BATCHES if items * configs > MANY and items >= 2 * BATCHES else 0
    return scores.batches if items >= 2 * scores.batches else 0


def draw_batches(table: Numbers, count: int) -> Numbers:
    """Return the means (count, C) of random batches of items (n, C), all of the same size.

    Items are put into batches by a draw that depends on their number alone. What is left over, less
    than one item a batch, is shared out among all of them, so that the mean of the batches is that
    of the items.
    """
    order = np.random.default_rng(len(table)).permutation(len(table))
    size, left = divmod(len(table), count)
    total = np.zeros((count, table.shape[1]))
    for place in range(size):
        total += table[order[place * count : (place + 1) * count]]
    if left:
        total += table[order[size * count :]].sum(axis=0, dtype=np.float64) / count
    return np.asarray(total / (size + left / count))


def _batch_remark(items: int, count: int) -> Caution:
    return Caution(
        "EN143",
        f"The {items:,} items are drawn in {count:,} random batches.",
        "Means of batches vary as means of items do, so the interval is that of the items; what "
        "looks at single items, such as mcnemar, is not offered.",
        "For single items say batches=0, which takes far longer.",
        Severity.NOTE,
    )


def _sum_samples(values: Numbers) -> Array:
    """Return the sums over samples (n, C), NaN where there is none."""
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=2, dtype=np.float64)
    total[~known.any(axis=2)] = np.nan
    return np.asarray(total)


def leave_out(
    scores: Scores, table: Numbers
) -> tuple[Numbers, NDArray[np.intp] | None, NDArray[np.intp] | None, tuple[Caution, ...]]:
    """Return a table (n, C, 1[, 2]) without holes, the rows and columns kept, and what to say."""
    gone = np.zeros(table.shape[:2], dtype=bool)
    start, found = 0, False
    for block in cut_row_blocks(table):
        absent = np.isnan(block).reshape(*block.shape[:2], -1).any(axis=2)
        if absent.any():
            gone[start : start + len(block)] = absent
            found = True
        start += len(block)
    if not found:
        return table, None, None, ()
    n, names = len(table), scores.configs.ids
    never = np.asarray(gone.all(axis=1))
    whole = np.asarray(~gone.any(axis=1))
    lacking = np.flatnonzero(gone[~never].any(axis=0))
    rule = scores.missing
    if rule is None:
        if whole.sum() < max(1.0, FEW_WHOLE * (~never).sum()):
            raise _few_whole(names, gone, never, whole, lacking)
        rule = "items"
    said = f"{len(lacking)} of {len(names)} configurations lack scores: " + check.some(
        f"{names[c]} ({int(gone[~never, c].sum())} item{'s' if gone[~never, c].sum() > 1 else ''})"
        for c in lacking
    )
    if not len(lacking):
        said = f"{int(never.sum())} of {n} items have no score"
    if rule == "worst":
        low, high = scores.measure.limits
        worst = low if scores.measure.greater_is_better else high
        if not math.isfinite(worst) or table.ndim == 4:
            raise InputError(
                "there is no worst score to count for what is missing",
                needs="`limits` with a worst end, such as (0, 1)",
                got=f"limits ({low:g}, {high:g})",
                cure="Give the limits, or pass missing='items'.",
            )
        filled = np.where(gone[:, :, None], worst, table).astype(table.dtype)
        what = f"A missing score counts as the worst, {worst:g}."
        return filled, None, None, (_missing_remark(said, what),)
    if rule == "configs":
        rows, columns = np.flatnonzero(~never), np.flatnonzero(~gone[~never].any(axis=0))
        if not len(columns) or not len(rows):
            raise EvidenceError(
                "no configuration has a score of every item",
                needs="one configuration that was run on all items",
                got=said,
                cure="Say missing='items' or missing='worst'.",
            )
        what = f"They are left out; the result is about the other {len(columns)}."
        kept_part = table[np.ix_(rows, columns)]
        return kept_part, rows, columns, (_missing_remark(said, what),)
    rows = np.flatnonzero(whole)
    if not len(rows):
        raise EvidenceError(
            "no item has a score of every configuration",
            needs="one item that all were run on",
            got=said,
            cure="Say missing='configs' or missing='worst'.",
        )
    what = (
        f"{n - len(rows)} of {n} items are left out; the result is about the {len(rows)} that have "
        "every score."
    )
    return table[rows], rows, None, (_missing_remark(said, what),)


def _missing_remark(said: str, what: str) -> Caution:
    return Caution(
        "EN140",
        f"{said}.",
        f"{what} If scores are missing where an answer was bad, the result is too good.",
        "Run what is missing; or say what a missing score counts with `missing`.",
    )


def _few_whole(
    names: tuple[str, ...],
    gone: NDArray[np.bool_],
    never: NDArray[np.bool_],
    whole: NDArray[np.bool_],
    lacking: NDArray[np.intp],
) -> EvidenceError:
    worst = sorted(lacking, key=lambda c: -int(gone[~never, c].sum()))
    listed = check.some(f"{names[c]} lacks {int(gone[~never, c].sum())}" for c in worst)
    return EvidenceError(
        "few items have a score of every configuration",
        needs=f"at least {FEW_WHOLE:.0%} of the items with all scores",
        got=f"{int(whole.sum())} of {int((~never).sum())} items; {listed}",
        cure="Say missing='configs' to leave out configurations that lack any, missing='items' to "
        "keep only those items all the same, or missing='worst' to count a missing score as the "
        "worst.",
    )


def _make_target(scores: Scores, y: NDArray[Any]) -> Target:
    parts, n = scores.parts, len(y)
    return Target(
        y=y,
        task=Task.SCORES,
        groups=encode_units(parts.groups, n, "groups", "table"),
        strata=encode_units(parts.tasks, n, "tasks", "table"),
        ids=encode_ids(parts.ids, n),
        measure=scores.measure,
    )


def _of_folds(scores: Scores) -> Predictions:
    parts = scores.parts
    folds, names = encode_folds(parts.fold, len(parts.values), parts.values.shape[2])
    responses = parts.values
    if parts.per is not None:
        responses = np.stack([parts.values, parts.per], axis=-1)
    return Predictions(
        target=_make_target(scores, np.zeros(len(parts.values))),
        configs=parts.configs,
        responses=responses if responses.dtype.kind == "f" else responses.astype(np.float64),
        folds=folds,
        fold_names=names,
        kind=ResponseKind.VALUE,
        remarks=parts.remarks,
    )


def _of_judgements(scores: Scores) -> Predictions:
    parts = scores.parts
    assert parts.codes is not None
    n, count = len(parts.codes), len(parts.configs)
    if scores.measure.rule.kind is Aggregate.WIN_RATE:
        known = np.isfinite(parts.values[:, :, 0])
        responses: Numbers = np.stack(
            [np.where(known, parts.values[:, :, 0], 0.0), known.astype(np.float64)], axis=-1
        )[:, :, None]
    else:  # every column says which configuration it is; who won whom is the outcome
        responses = np.broadcast_to(np.arange(float(count))[None, :, None], (n, count, 1))
    return Predictions(
        target=_make_target(scores, parts.codes.astype(np.float64)),
        configs=parts.configs,
        responses=responses,
        folds=np.zeros((n, 1), dtype=np.int32),
        fold_names=(("0",),),
        kind=ResponseKind.VALUE,
        remarks=parts.remarks,
    )


@dataclass(frozen=True, kw_only=True)
class Variation:
    """How scores vary: between items, and between samples of the same item.

    Attributes
    ----------
    between, within : float
        The variance between items of what each would score in the long run, and the variance of
        samples of the same item; means over configurations. `within` is NaN with one sample each.
    items : int
        The number of items.
    samples : float
        The mean number of samples of an item and configuration.
    design_effect : float
        How many times as large the variance of a mean is since items of a group are alike; 1
        without groups.
    """

    between: float
    within: float
    items: int
    samples: float
    design_effect: float = 1.0

    def standard_error(self, items: int | None = None, samples: float | None = None) -> float:
        """Return the standard error of the mean of one configuration, with so many of each.

        Examples
        --------
        >>> from earnest.core.data.item_scores import Variation
        >>> found = Variation(between=0.04, within=0.16, items=100, samples=1)
        >>> round(found.standard_error(), 3), round(found.standard_error(samples=4), 3)
        (0.045, 0.028)
        """
        n = self.items if items is None else items
        times = self.samples if samples is None else samples
        return math.sqrt(self.design_effect * (self.between + self.within / times) / n)

    def samples_worth(self, share: float = 0.05) -> int | None:
        """Return the number of samples beyond which more of them hardly help.

        With as many, the spread within items adds at most this share to the variance of a mean;
        only more items narrow it then. None where items do not differ, so that samples are as good
        as items.
        """
        check.share("share", share)
        if math.isnan(self.within):
            raise EvidenceError(
                "one sample of each item does not tell how samples vary",
                needs="two samples of some items",
                cure="Run a few items again.",
            )
        if self.between <= 0.0:
            return None
        return max(1, math.ceil(self.within / (share * self.between) - 1e-9))

    def best_samples(self, *, item_cost: float = 0.0, sample_cost: float = 1.0) -> int:
        """Return how many samples of an item give the smallest error for the same cost.

        An item costs `item_cost` once (to write, to label) and `sample_cost` for each sample. With
        free items, one sample of each is best, whatever the spread.
        """
        if math.isnan(self.within):
            self.samples_worth()
        if self.between <= 0.0 or sample_cost <= 0.0:
            raise EvidenceError(
                "no number of samples is best",
                needs="items that differ, and samples that cost something",
                got=f"a variance between items of {self.between:g}, a cost of {sample_cost:g}",
            )
        best = math.sqrt(item_cost / sample_cost * self.within / self.between)
        low = max(1, math.floor(best))

        def cost(times: int) -> float:
            return (self.between + self.within / times) * (item_cost + sample_cost * times)

        return low if cost(low) <= cost(low + 1) else low + 1


def measure_variation(scores: Scores) -> Variation:
    """Return how scores vary between items and within them, by the analysis of variance."""
    if scores.parts.codes is not None or scores.parts.per is not None:
        raise EvidenceError("only scores of single answers vary between items and within them")
    values = scores.parts.values
    known = np.isfinite(values)
    count = known.sum(axis=2)
    total = np.where(known, values, 0.0).sum(axis=2, dtype=np.float64)
    seen = count > 0
    means = np.where(seen, total / np.maximum(count, 1), np.nan)
    off = np.where(known, values - means[:, :, None], 0.0)
    spare = np.maximum(count - 1, 0).sum()
    within = float(np.square(off, dtype=np.float64).sum() / spare) if spare else math.nan
    items = seen.sum(axis=0)
    enough = items > 1
    if not enough.any():
        raise EvidenceError("one item does not tell how items vary", needs="two items at least")
    centre = np.nansum(np.where(seen, means, 0.0), axis=0) / np.maximum(items, 1)
    apart = np.where(seen, means - centre, 0.0)
    spread = np.square(apart).sum(axis=0)[enough] / (items[enough] - 1)
    noise = np.where(seen, 1.0 / np.maximum(count, 1), 0.0).sum(axis=0) / np.maximum(items, 1)
    own = 0.0 if math.isnan(within) else within * float(noise[enough].mean())
    return Variation(
        between=max(0.0, float(spread.mean()) - own),
        within=within,
        items=len(values),
        samples=float(count[seen].mean()),
        design_effect=_design_effect(scores, apart, float(spread.mean())),
    )


def _design_effect(scores: Scores, apart: Array, spread: float) -> float:
    """Return how many times as large the variance of a mean is as for independent items."""
    codes = encode_units(scores.parts.groups, len(apart), "groups", "table")
    if codes is None or spread <= 0.0:
        return 1.0
    sums = np.zeros((int(codes.max()) + 1, apart.shape[1]))
    np.add.at(sums, codes, apart)
    units = len(sums)
    clustered = float(np.square(sums).sum(axis=0).mean()) * units / max(1, units - 1)
    return max(1.0, clustered / (len(apart) * spread))
