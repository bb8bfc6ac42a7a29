"""Training all that an assessment needs, and putting the predictions together as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Key, Outcome, Task
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution
from earnest.engine.identity import digest
from earnest.training.assess.plan import Block, SplitPlan
from earnest.training.fit.experiment import RESPONSE, Cell, Experiment
from earnest.training.fit.ledger import explain_failure
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.run import RunOptions, run_all
from earnest.training.fit.splits import Splits
from earnest.training.search.estimate import warn_of_leaks, warn_of_overlap


@dataclass(frozen=True, eq=False)
class SplitEvidence:
    """The responses of every split, and the evidence that methods make of them.

    Parameters
    ----------
    plan : SplitPlan
        The splits.
    responses : mapping
        What the model of each split says of its test rows, by key.
    response : ResponsePlan
        What the responses are.
    learner : str
        What the learner is called.
    """

    plan: SplitPlan
    responses: Mapping[Key, NDArray[np.float64]]
    response: ResponsePlan
    learner: str

    def make_folds(self, repeats: int) -> Predictions:
        """Return Π of the first repeats of the folds."""
        splits = self.plan.blocks[Block.FOLDS]
        most = self.plan.repeats(repeats)
        found = [i for i in range(len(splits)) if splits.repeat[i] < most]
        return self._make_table(Block.FOLDS, _select_splits(splits, found))

    @cached_property
    def singles(self) -> Predictions:
        """Π of every case left out alone."""
        return self._make_table(Block.SINGLES, self.plan.blocks[Block.SINGLES])

    @cached_property
    def holdout(self) -> Predictions:
        """Π of the cases that one split tests, the others left away."""
        splits = self.plan.blocks[Block.HOLDOUT]
        return self._make_table(Block.HOLDOUT, splits).take(splits.test[0])

    def make_nested(self, repeats: int) -> NestedPredictions:
        """Return the folds, and within each training part the folds that are left."""
        outer = self.make_folds(repeats)
        rows = tuple(self._make_inner(outer, repeat) for repeat in range(outer.n_repeats))
        return NestedPredictions(outer, rows)

    @cached_property
    def halves(self) -> PairedHalves:
        """The random splits of all cases, and of their halves."""
        splits = self.plan.blocks[Block.HALVES]
        sides = []
        for side in range(splits.n_repeats):
            found = [i for i in range(len(splits)) if splits.repeat[i] == side]
            own = _select_splits(
                splits, found
            )  # random splits overlap: each is a repeat of its own
            apart = replace(own, repeat=own.fold, fold=(0,) * len(found))
            keys = [(int(Block.HALVES), side, j) for j in own.fold]
            sides.append(self._make_predictions(apart, [self.responses[key] for key in keys]))
        pairs = tuple(zip(sides[::2], sides[1::2], strict=True))
        return PairedHalves(self._make_table(Block.WHOLE, self.plan.blocks[Block.WHOLE]), pairs)

    def list_cautions(self) -> Iterator[Caution]:
        """Yield what the folds are careless about: cases tested twice, or trained on and tested."""
        splits = self.plan.blocks.get(Block.FOLDS)
        if splits is not None:
            yield from warn_of_overlap(splits)
            yield from warn_of_leaks(splits)

    def _make_inner(self, outer: Predictions, repeat: int) -> tuple[Predictions, ...]:
        """Return the inner Π of every outer fold of a repeat."""
        codes = outer.folds[:, repeat]
        count = len(outer.fold_names[repeat])
        tables = [self._make_empty(1) for _ in range(count)]
        places = enumerate(combinations(range(count), 2))
        splits = self.plan.blocks[Block.PAIRS]
        tests = {(r, f): t for r, f, t in zip(splits.repeat, splits.fold, splits.test, strict=True)}
        for place, (first, second) in places:
            found = self.responses[int(Block.PAIRS), repeat, place]
            rows = tests[repeat, place]
            for held_out, other in ((first, second), (second, first)):
                mine = codes[rows] == other
                tables[held_out][rows[mine], 0, 0] = found[mine]
        return tuple(
            replace(
                outer,
                responses=table,
                folds=np.where(codes == k, -1, codes)[:, None],
                fold_names=(outer.fold_names[repeat],),
            )
            for k, table in enumerate(tables)
        )

    def _make_table(self, block: Block, splits: Splits) -> Predictions:
        keys = zip(splits.repeat, splits.fold, strict=True)
        found = [self.responses[int(block), repeat, fold] for repeat, fold in keys]
        return self._make_predictions(splits, found)

    def _make_predictions(
        self, splits: Splits, found: Sequence[NDArray[np.float64]]
    ) -> Predictions:
        responses = self._make_empty(splits.n_repeats)
        for rows, repeat, part in zip(splits.test, splits.repeat, found, strict=True):
            responses[rows, 0, repeat] = part
        return Predictions(
            target=replace(self.response.target, ordered=splits.ordered),
            configs=Configs(ids=(self.learner,)),
            responses=responses,
            folds=splits.fold_codes,
            fold_names=splits.fold_names,
            kind=self.response.kind,
        )

    def _make_empty(self, repeats: int) -> NDArray[np.float64]:
        width = () if self.response.width is None else (self.response.width,)
        return np.full((self.response.target.n, 1, repeats, *width), np.nan)


def _select_splits(splits: Splits, found: Sequence[int]) -> Splits:
    return replace(
        splits,
        train=tuple(splits.train[i] for i in found),
        test=tuple(splits.test[i] for i in found),
        repeat=tuple(splits.repeat[i] for i in found),
        fold=tuple(splits.fold[i] for i in found),
    )


def train_splits(
    experiment: Experiment,
    plan: SplitPlan,
    facts: Mapping[str, str],
    learner: str,
    options: RunOptions,
) -> SplitEvidence:
    """Train every split of a plan once; what is in the store is read from it."""
    assert experiment.plan is not None
    found = run_all(
        experiment,
        [Task(key, Cell(place, key)) for key, place in plan.tasks()],
        options,
        identity={**facts, "splits": _describe_splits(plan)},
        title="Splits",
    )
    _refuse_failures(found, learner)
    responses = {key: outcome.arrays[RESPONSE] for key, outcome in found.items()}
    return SplitEvidence(plan, responses, experiment.plan, learner)


def make_perfect_evidence(plan: SplitPlan, response: ResponsePlan, learner: str) -> SplitEvidence:
    """Return what a perfect model would say in these splits, to check a question by."""
    perfect, every = response.make_perfect(), plan.every
    responses: dict[Key, NDArray[np.float64]] = {
        key: perfect[every.test[place]] for key, place in plan.tasks()
    }
    return SplitEvidence(plan, responses, response, learner)


def _describe_splits(plan: SplitPlan) -> str:
    every = plan.every
    rows = repr([part.tolist() for part in (*every.train, *every.test)])
    return f"{len(every)} splits {digest(rows)}"


def _refuse_failures(found: Mapping[Key, Outcome], learner: str) -> None:
    bad = [found[key] for key in sorted(found) if found[key].failed]
    if bad:
        raise InputError(
            f"{learner} failed in {len(bad)} of {len(found)} fits",
            needs="a model for every split",
            got=explain_failure(bad[0]),
            cure="Make the learner robust against the data of single training parts.",
        )
