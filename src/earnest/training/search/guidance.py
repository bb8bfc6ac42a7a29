"""Crossed guidance: two samplers, each told the scores of one half of the cases.

A sampler that learns from all cases proposes what did well on them, and no resampling of the
predictions can undo that. Here one sampler is told the scores of half 0, the other those of half 1,
and what each proposed is judged by the half that it was not told of. All configurations are trained
and tested on all cases, so it costs no fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Weights
from earnest.core.results.specs import Guide
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric
from earnest.metrics.responding import pick_answer
from earnest.training.fit.problem import Problem
from earnest.training.fit.splits import Splits
from earnest.training.search.preparation import Asker, DynamicSearch

Halves = NDArray[np.int8]
Params = Mapping[str, object]


def split_halves(target: Target, folds: NDArray[np.int32], seeds: Seeds) -> Halves:
    """Deal the cases into two halves, alike in outcome and folds; groups stay together.

    Parameters
    ----------
    target : Target
        The outcome, and the groups if there are any.
    folds : ndarray, shape (n, R)
        The folds; the halves are balanced over those of the first repeat.
    seeds : Seeds
        The source of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> from earnest.training.search.guidance import split_halves
    >>> y = np.tile([0, 1], 10)
    >>> pi = en.Predictions.from_arrays(y, y, np.arange(20) // 4)
    >>> halves = split_halves(pi.target, pi.folds, Seeds(0))
    >>> [int(halves[y == label].sum()) for label in (0, 1)]
    [5, 5]
    """
    rng = seeds.generator(Purpose.GUIDES)
    if target.groups is not None:
        return _halve_groups(target, folds, rng)
    outcome = np.asarray(target.y, dtype=np.float64)
    layers, value = (
        (target.y, rng.random(target.n)) if target.has_classes else (target.event, outcome)
    )
    layers = np.zeros(target.n) if layers is None else layers
    order = np.lexsort((value, folds[:, 0], layers))
    return _deal_pairs(order, rng)


def _deal_pairs(order: NDArray[np.intp], rng: np.random.Generator) -> Halves:
    """Give the two of each pair of neighbours to different halves."""
    first = rng.integers(0, 2, size=(len(order) + 1) // 2)
    codes = np.stack([first, 1 - first], axis=1).ravel()[: len(order)]
    halves = np.empty(len(order), dtype=np.int8)
    halves[order] = codes
    return halves


def _halve_groups(target: Target, folds: NDArray[np.int32], rng: np.random.Generator) -> Halves:
    """Deal whole groups, the largest first, each to the half that lacks cases like its own."""
    assert target.groups is not None
    _, groups = np.unique(target.groups, return_inverse=True)
    labels = _find_layers(target)
    kinds = np.unique(np.stack([labels, folds[:, 0]], axis=1), axis=0, return_inverse=True)[1]
    kinds = kinds.ravel()
    n_groups, n_labels, n_kinds = groups.max() + 1, labels.max() + 1, kinds.max() + 1
    by_label = np.zeros((n_groups, n_labels))
    by_kind = np.zeros((n_groups, n_kinds))
    np.add.at(by_label, (groups, labels), 1.0)
    np.add.at(by_kind, (groups, kinds), 1.0)
    features = np.hstack([by_label.sum(axis=1, keepdims=True), by_label, by_kind])
    order = np.lexsort((rng.random(n_groups), -features[:, 0]))
    surplus = np.zeros(features.shape[1])  # of half 1 over half 0
    codes = np.empty(n_groups, dtype=np.int8)
    for group in order.tolist():
        leaning = float(surplus @ features[group])
        code = int(rng.integers(0, 2)) if leaning == 0.0 else int(leaning < 0.0)
        codes[group] = code
        surplus += features[group] * (2 * code - 1)
    return np.asarray(codes[groups])


def _find_layers(target: Target) -> NDArray[np.intp]:
    """Return the class of each case, its event, or whether its number is above the median."""
    if target.has_classes:
        return np.asarray(target.y, dtype=np.intp)
    if target.task is Task.SURVIVAL and target.event is not None:
        return np.asarray(target.event, dtype=np.intp)
    return np.asarray(target.y > np.median(target.y), dtype=np.intp)


class CrossedAsker:
    """Two runs of a search that take turns; each is told scores of one half of the cases."""

    def __init__(self, candidates: DynamicSearch, seeds: Seeds) -> None:
        self._askers: tuple[Asker, ...] = tuple(
            candidates.start(int(seeds.generator(Purpose.GUIDES, 1 + half).integers(0, 2**31 - 1)))
            for half in (0, 1)
        )
        self._limit = candidates.limit()
        self._count = 0
        self._asked: list[int] = [0, 0]

    def ask(self) -> list[tuple[int, Params]]:
        """Return the next configurations, each with the half that guided it; none at the end."""
        room = None if self._limit is None else self._limit - self._count
        if room == 0:
            return []
        batches = [list(asker.ask()) for asker in self._askers]
        self._asked = [len(batch) for batch in batches]
        turns = zip_longest(
            *([(half, params) for params in batch] for half, batch in enumerate(batches))
        )
        proposals = [pair for turn in turns for pair in turn if pair is not None][:room]
        self._count += len(proposals)
        return proposals

    def tell(self, halves: Sequence[int], scores: Sequence[float]) -> None:
        """Tell each sampler the scores of its own proposals; nothing after the last ones."""
        by_half: list[list[float]] = [[], []]
        for half, score in zip(halves, scores, strict=True):
            by_half[half].append(score)
        for asker, told, count in zip(self._askers, by_half, self._asked, strict=True):
            if len(told) == count and count:
                asker.tell(told)


def score_guides(pi: Predictions, metric: Metric) -> Iterator[float]:
    """Yield for each configuration its score on the half that guides; greater is better.

    NaN for a configuration that has no score there.
    """
    assert pi.guides is not None
    if not pi.complete.any():
        yield from [np.nan] * pi.n_configs
        return
    usable = pick_answer(pi, metric).usable()
    assert usable.guides is not None
    parts = np.stack([usable.guides.halves == half for half in (0, 1)]).astype(np.uint8)
    table = metric.sign * score_table(usable, metric, Weights(parts))  # (2, C)
    places = {name: place for place, name in enumerate(usable.configs.ids)}
    for name in pi.configs.ids:
        place = places.get(name)
        yield np.nan if place is None else float(table[usable.guides.guided_by[place], place])


def find_halves(guide: Guide | None, problem: Problem, splits: Splits, seed: int) -> Halves | None:
    """Return the half of each case, None where all cases guide or no score does."""
    if guide is not Guide.CROSSED or problem.plan is None:
        return None
    return split_halves(problem.plan.target, splits.fold_codes, Seeds(seed))
