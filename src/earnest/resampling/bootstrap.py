"""Bootstraps: rows of weights drawn in fixed blocks, each from its own seed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.shared import GROUPS
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each
from earnest.core.data.target import Target
from earnest.core.data.weights import Unit, Weights

BLOCK = 64  # resamples a seed: the same draws whatever the batch or the number of threads
BATCH_BYTES = 1 << 26  # what a batch of weights may take
LEAST_BLOCKS = 4  # of a batch, within four times that: columns are sorted for every batch
CHUNK = 1 << 16  # draws counted in one go
IN_CACHE = 1 << 17  # counts of eight bytes that stay in the cache
GLANCE = 64  # cases of a class that are looked at before all of them are
LARGE = 4096  # cases from which threads draw faster than one
TRIES = 1000  # rounds of redrawing before a rule is called impossible

Drawer = Callable[[int], NDArray[np.integer]]  # k -> counts (k, n)
Accept = Callable[[NDArray[np.integer]], NDArray[np.bool_]]  # counts (b, n) -> which are kept (b,)


class Resampler(Protocol):
    """Draws resamples of the cases of a target as weights."""

    name: ClassVar[str]
    has_out_of_bag: ClassVar[bool]

    def draw(
        self, target: Target, count: int, rng: np.random.Generator, accept: Accept | None
    ) -> Weights:
        """Return `count` resamples, each accepted by `accept` if there is one."""
        ...


RESAMPLERS: Registry[Resampler] = Registry("resampler")


def find_resampler(resampler: str | Resampler | None) -> Resampler | None:
    """Return the resampler of a name, as it is, or None where none was given.

    Examples
    --------
    >>> from earnest.resampling.bootstrap import find_resampler
    >>> find_resampler("case"), find_resampler(None)
    (CaseBootstrap(), None)
    """
    if isinstance(resampler, str) or (resampler is not None and not hasattr(resampler, "draw")):
        return RESAMPLERS[str(resampler)]
    return resampler


def batches(
    resampler: Resampler,
    target: Target,
    n_resamples: int,
    seeds: Seeds,
    *,
    accept: Accept | None = None,
    columns: int = 1,
    stream: int = 0,
    n_jobs: int = 1,
) -> Iterator[Weights]:
    """Yield all resamples in batches of bounded memory.

    A batch is a matter of memory alone: the draws depend on the seeds, the block of 64 and the
    stream. `columns` is the width of the table that a batch is turned into.
    """
    bytes_a_row = max(target.n * (1 if resampler.has_out_of_bag else 8), 8 * columns)
    blocks = BATCH_BYTES // bytes_a_row // BLOCK
    few = min(LEAST_BLOCKS, LEAST_BLOCKS * BATCH_BYTES // bytes_a_row // BLOCK)
    width = max(1, few, blocks) * BLOCK
    drawn = None if stream else DRAWN.get()  # streams of their own hold the few drawn again
    for start in range(0, n_resamples, width):
        stop = min(start + width, n_resamples)
        if drawn is not None:
            drawn.begin(start, stop, n_resamples)
        kind = np.uint8 if resampler.has_out_of_bag else np.float64
        values = np.empty((stop - start, target.n), dtype=kind)

        def fill(first: int, start: int = start, values: Numbers = values) -> Weights:
            rng = seeds.generator(Purpose.BOOTSTRAP, stream, first // BLOCK)
            # Always a whole block: what is drawn again comes last, so more resamples extend fewer.
            block = resampler.draw(target, BLOCK, rng, accept)
            rows = values[first - start : first - start + BLOCK]
            rows[:] = _check_counts(block.values[: len(rows)], values.dtype)
            return block

        jobs = n_jobs if target.n >= LARGE else 1
        drawn_blocks = each(fill, range(start, stop, BLOCK), jobs)
        yield replace(drawn_blocks[0], values=values)
    if drawn is not None:
        drawn.begin(n_resamples, n_resamples, n_resamples)


@dataclass
class DrawnShare:
    """How many of the resamples that are being drawn are scored, for people who wait.

    Examples
    --------
    >>> from earnest.resampling.bootstrap import DrawnShare
    >>> share = DrawnShare()
    >>> share.begin(500, 1000, 1000)
    >>> share.go_on(0.5)
    >>> share.done, share.total
    (750, 1000)
    """

    listens: ClassVar[bool] = False  # to the announcement of work that takes long
    done: int = 0
    total: int = 0
    _batch: tuple[int, int] = (0, 0)

    def announce(self, words: str) -> None:
        """Tell before it begins that the work takes long; here nobody listens."""

    def begin(self, start: int, stop: int, total: int) -> None:
        """Tell that the resamples before `start` are scored, and a batch is begun."""
        self.done, self.total, self._batch = start, total, (start, stop)

    def go_on(self, share: float) -> None:
        """Tell that this share of the batch is scored."""
        start, stop = self._batch
        self.done = start + int(share * (stop - start))


DRAWN: ContextVar[DrawnShare | None] = ContextVar("DRAWN", default=None)


def _check_counts(drawn: Numbers, kind: np.dtype[np.generic]) -> Numbers:
    """Return the weights of a resampler, refused where counts do not fit a byte."""
    if kind != np.uint8 or drawn.dtype == np.uint8:
        return drawn
    if drawn.dtype.kind not in "iu" or drawn.max(initial=0) > 255:
        raise InputError(
            "a resampler that leaves cases out must draw integer counts",
            needs="counts from 0 to 255",
            got=f"{drawn.dtype} up to {drawn.max(initial=0)}",
        )
    return drawn


class CountBootstrap(ABC):
    """The base of bootstraps that draw counts, and so leave cases out."""

    has_out_of_bag: ClassVar[bool] = True
    unit: ClassVar[Unit] = Unit.CASE

    def draw(
        self, target: Target, count: int, rng: np.random.Generator, accept: Accept | None
    ) -> Weights:
        """Return counts (count, n)."""
        rows = self._make_drawer(target, rng)
        counts = _draw_until(rows, target.n, count, accept)
        return Weights(counts, self.unit, *self._find_factors(target))

    def _find_factors(self, target: Target) -> tuple[NDArray[np.float64], ...]:
        """Return what drawn cases, and those left out, are multiplied by; nothing by default."""
        return ()

    @abstractmethod
    def _make_drawer(self, target: Target, rng: np.random.Generator) -> Drawer:
        """Return what draws k resamples: how often each has each case, (k, n)."""


@dataclass(frozen=True)
class CaseBootstrap(CountBootstrap):
    """Draw n cases with replacement.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> en.estimate(
    ...     pi,
    ...     method=en.methods.BBC(resampler=en.resampling.CaseBootstrap()),
    ...     metric="roc_auc",
    ...     rng=7,
    ... )
    roc_auc 0.71, 95 % interval [0.51, 0.84] (bbc, winner of 20 configs, trained on 90, n=100)
    """

    name: ClassVar[str] = "case"

    def _make_drawer(self, target: Target, rng: np.random.Generator) -> Drawer:
        return lambda k: count_draws(_draw_places(rng, target.n, k), target.n)


@dataclass(frozen=True)
class StratifiedBootstrap(CountBootstrap):
    """Draw cases with replacement within every stratum, so that stratum sizes stay as they are.

    Strata are those of the target, otherwise its classes.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> en.estimate(
    ...     pi,
    ...     method=en.methods.BBC(resampler=en.resampling.StratifiedBootstrap()),
    ...     metric="roc_auc",
    ...     rng=7,
    ... )
    roc_auc 0.72, 95 % interval [0.49, 0.85] (bbc, winner of 20 configs, trained on 90, n=100)
    """

    name: ClassVar[str] = "stratified"

    def _make_drawer(self, target: Target, rng: np.random.Generator) -> Drawer:
        def draw(k: int) -> NDArray[np.integer]:
            drawn = [layer[_draw_places(rng, len(layer), k)] for layer in target.layers]
            return count_draws(np.concatenate(drawn, axis=1), target.n)

        return draw


@dataclass(frozen=True)
class GroupBootstrap(CountBootstrap):
    """Draw G groups with replacement; all cases of a group go in or out together.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, groups=np.arange(100) // 4)
    >>> en.estimate(
    ...     pi,
    ...     method=en.methods.BBC(resampler=en.resampling.GroupBootstrap()),
    ...     metric="roc_auc",
    ...     rng=7,
    ... )
    roc_auc 0.73, 95 % interval [0.53, 0.84] (bbc, winner of 20 configs, n=100)
    """

    name: ClassVar[str] = "group"
    unit: ClassVar[Unit] = Unit.GROUP

    def _make_drawer(self, target: Target, rng: np.random.Generator) -> Drawer:
        if target.groups is None:
            raise EvidenceError(
                "resampler 'group' needs groups",
                got="predictions without groups",
                cure=f"Pass {GROUPS}, or use resampler 'case'.",
            )
        groups, present = target.groups, np.unique(target.groups)

        def draw(k: int) -> NDArray[np.integer]:
            drawn = present[_draw_places(rng, len(present), k)]
            return count_draws(drawn, int(present[-1]) + 1)[:, groups]

        return draw


@dataclass(frozen=True)
class BayesianBootstrap:
    """Draw Dirichlet(1, ..., 1) weights with sum n; none is 0, so nothing is out-of-bag.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> method = en.methods.NaiveBootstrap(resampler=en.resampling.BayesianBootstrap())
    >>> en.estimate(pi, method=method, metric="roc_auc", rng=7).interval.low < 0.8
    True
    """

    name: ClassVar[str] = "bayesian"
    has_out_of_bag: ClassVar[bool] = False

    def draw(
        self, target: Target, count: int, rng: np.random.Generator, accept: Accept | None
    ) -> Weights:
        """Return real weights (count, n)."""
        raw = rng.standard_exponential((count, target.n))
        return Weights(raw * (target.n / raw.sum(axis=1, keepdims=True)), Unit.CASE)


for _resampler in (CaseBootstrap(), StratifiedBootstrap(), GroupBootstrap(), BayesianBootstrap()):
    RESAMPLERS.add(_resampler.name, _resampler)


def every_class_on_both_sides(target: Target) -> Accept:
    """Return the published redraw rule: every class in-bag and out-of-bag."""
    members = _list_members(target)
    rare = min(members, key=lambda label: len(members[label]))
    if len(members[rare]) < 2:
        raise EvidenceError(
            f"class {target.classes[rare]!r} has one case, so it cannot be both in-bag and "
            "out-of-bag",
            needs="at least two cases of every class",
            cure="Merge or drop the class, or use a metric that does not need it.",
        )

    def both_sides(counts: Numbers, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        drawn = counts[:, rows]
        return np.asarray((drawn > 0).any(axis=1) & (drawn == 0).any(axis=1))

    return partial(_has_every_class, members=members, fulfilled=both_sides)


def every_class_drawn(target: Target) -> Accept:
    """Return the rule for methods that leave no case out: every class in-bag."""
    return partial(_has_every_class, members=_list_members(target), fulfilled=has_any_drawn)


def has_any_drawn(counts: Numbers, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell for every resample whether it has any of these cases."""
    return np.asarray((counts[:, rows] > 0).any(axis=1))


def _list_members(target: Target) -> dict[int, NDArray[np.intp]]:
    """Return the cases of each class that occurs."""
    return {int(label): np.flatnonzero(target.y == label) for label in np.unique(target.y)}


def _has_every_class(
    counts: Numbers,
    members: dict[int, NDArray[np.intp]],
    fulfilled: Callable[[Numbers, NDArray[np.intp]], NDArray[np.bool_]],
) -> NDArray[np.bool_]:
    """Tell which resamples fulfil a rule for every class; a glance at a few cases mostly does."""
    out = np.ones(len(counts), dtype=bool)
    for rows in members.values():
        good = fulfilled(counts, rows[:GLANCE])
        if len(rows) > GLANCE and not good.all():
            good[~good] = fulfilled(counts[~good], rows)
        out &= good
    return out


def something_out_of_bag(counts: Numbers) -> NDArray[np.bool_]:
    """Accept the resamples that leave a case out."""
    good = np.asarray((counts[:, :GLANCE] == 0).any(axis=1))
    if not good.all():
        good[~good] = (counts[~good] == 0).any(axis=1)
    return good


def _draw_places(rng: np.random.Generator, size: int, count: int) -> NDArray[np.int64]:
    """Return `count` rows of `size` places below `size`.

    One number for the whole size, as NumPy takes its time over the product of two.
    """
    return rng.integers(0, size, count * size).reshape(count, size)


def count_draws(drawn: NDArray[np.int64], size: int) -> NDArray[np.integer]:
    """Return how often each index below `size` was drawn in each row of (k, m): (k, size).

    `drawn` is overwritten. One long row is counted in bytes, which the cache holds when it no
    longer holds the numbers of eight bytes that `bincount` makes; a count above 255 has no chance.
    """
    k = len(drawn)
    if k == 1 and size > IN_CACHE:
        counts = np.zeros(size, dtype=np.uint8)
        np.add.at(counts, drawn[0], np.uint8(1))
        return counts[None]
    drawn += (np.arange(k) * size)[:, None]  # one bincount for all rows
    return np.bincount(drawn.ravel(), minlength=k * size).reshape(k, size)


def _draw_until(
    rows: Callable[[int], NDArray[np.integer]], n: int, count: int, accept: Accept | None
) -> NDArray[np.uint8]:
    """Draw rows, and draw again those that are not accepted."""
    out = np.empty((count, n), dtype=np.uint8)  # a count above 255 has no chance in a bootstrap
    step = max(1, CHUNK // n)
    pending = np.arange(count)
    for _ in range(TRIES):
        for start in range(0, len(pending), step):
            some = pending[start : start + step]
            out[some] = rows(len(some))
        if accept is None:
            return out
        block = out if len(pending) == count else out[pending]  # no copy of what may be large
        pending = pending[~accept(block)]
        if len(pending) == 0:
            return out
    raise EvidenceError(
        "no resample has the cases that the method needs",
        needs="cases in-bag and out-of-bag, with every class if the metric needs it",
        got=f"{len(pending)} of {count} resamples still unusable after {TRIES} draws",
        cure="There are too few cases or groups: add some, or use another metric.",
    )


class ClassNeed(Protocol):
    """What draws need to know of a metric."""

    @property
    def needs_all_classes(self) -> bool:
        """Whether it is undefined where a class is missing."""


class UndefinedRule(StrEnum):
    """What to do with a resample on which the metric is undefined."""

    REDRAW = "redraw"
    DROP = "drop"
    STRATIFY = "stratify"


def out_of_bag_rule(metric: ClassNeed, target: Target, undefined: UndefinedRule) -> Accept | None:
    """Return which draws a method with out-of-bag cases accepts at once.

    Every class must be in-bag and out-of-bag where the metric needs it.
    """
    if undefined is not UndefinedRule.REDRAW:
        return None
    if target.has_classes and metric.needs_all_classes:
        return every_class_on_both_sides(target)
    return something_out_of_bag


def in_bag_rule(metric: ClassNeed, target: Target, undefined: UndefinedRule) -> Accept | None:
    """Return which draws a method without out-of-bag cases accepts: every class drawn."""
    if undefined is UndefinedRule.REDRAW and target.has_classes and metric.needs_all_classes:
        return every_class_drawn(target)
    return None
