"""Crossed guidance: two samplers, each told the scores of one half of the cases.

A sampler that learns from all cases proposes what did well on them, and no resampling of the
predictions can undo that. Here one sampler is told the scores of half 0, the other those of half 1,
and what each proposed is judged by the half that it was not told of. All configurations are trained
and tested on all cases, so it costs no fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.guides import FIXED, Halves, split_halves
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.core.results.specs import Guide
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric
from earnest.metrics.responding import pick_answer
from earnest.training.fit.ledger import OutcomeLog
from earnest.training.fit.problem import Problem
from earnest.training.fit.splits import Splits
from earnest.training.search.preparation import Asker, DynamicSearch

Params = Mapping[str, object]


class Proposal(NamedTuple):
    """A configuration of one of the two samplers.

    `half` is the one whose scores its sampler is told; `guided_by` is -1 for what it proposed
    before it was told any.
    """

    half: int
    guided_by: int
    params: Params


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
        self._guided_by: list[int] = [FIXED, FIXED]

    def ask(self) -> list[Proposal]:
        """Return the next configurations of both samplers in turn; none at the end."""
        room = None if self._limit is None else self._limit - self._count
        if room == 0:
            return []
        batches = [list(asker.ask()) for asker in self._askers]
        self._asked = [len(batch) for batch in batches]
        turns = zip_longest(
            *(
                [Proposal(half, self._guided_by[half], params) for params in batch]
                for half, batch in enumerate(batches)
            )
        )
        proposals = [each for turn in turns for each in turn if each is not None][:room]
        self._count += len(proposals)
        return proposals

    def tell(self, halves: Sequence[int], scores: Sequence[float]) -> None:
        """Tell each sampler the scores of its own proposals; nothing after the last ones."""
        by_half: list[list[float]] = [[], []]
        for half, score in zip(halves, scores, strict=True):
            by_half[half].append(score)
        for half, (asker, told) in enumerate(zip(self._askers, by_half, strict=True)):
            if len(told) == self._asked[half] and told:
                asker.tell(told)
                self._guided_by[half] = half


def score_halves(pi: Predictions, halves: Sequence[int], metric: Metric) -> Iterator[float]:
    """Yield for each configuration its score on one half of the cases; greater is better.

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
    for name, half in zip(pi.configs.ids, halves, strict=True):
        place = places.get(name)
        yield np.nan if place is None else float(table[half, place])


def score_own_halves(
    ledger: OutcomeLog, configs: Sequence[int], halves: Sequence[int], metric: Metric
) -> list[float]:
    """Return the score of each configuration on one half of the cases, as far as they were tested.

    One that was dropped has the score of the folds before.
    """
    scores: dict[int, float] = {}
    half_of = dict(zip(configs, halves, strict=True))
    for n_splits in sorted({ledger.count_splits(config) for config in configs}):
        some = [config for config in configs if ledger.count_splits(config) == n_splits]
        pi = ledger.make_predictions(some, n_splits)
        assert pi is not None
        shares = score_halves(pi, [half_of[config] for config in some], metric)
        scores |= dict(zip(some, shares, strict=True))
    return [scores[config] for config in configs]


def find_halves(guide: Guide | None, problem: Problem, splits: Splits, seed: int) -> Halves | None:
    """Return the half of each case, None where all cases guide or no score does."""
    if guide is not Guide.CROSSED or problem.plan is None:
        return None
    return split_halves(problem.plan.target, splits.fold_codes, Seeds(seed))
