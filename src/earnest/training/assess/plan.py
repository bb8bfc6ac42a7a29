"""What the methods of an assessment need trained, each model once, and the evidence it makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.shared import GROUPS
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Key, TaskOutcome
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_tests
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.specs import Design, MethodSpec
from earnest.core.text.doors import arg
from earnest.methods import METHODS
from earnest.methods.base import Method
from earnest.methods.run import configure_method
from earnest.training.assess.question import LearnerQuestion
from earnest.training.fit.experiment import RESPONSE, Cell, Experiment
from earnest.training.fit.ledger import explain_failure
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.run import RunOptions, run_all
from earnest.training.fit.splits import (
    Splits,
    add_splits,
    halve_and_split,
    leave_out_pairs,
    leave_out_singles,
    make_folds,
    split_once,
)
from earnest.training.search.estimate import warn_of_leaking_splits, warn_of_overlap


class Block(IntEnum):
    """What a split is for; the number is the first part of its key and never changes."""

    FOLDS = 0
    PAIRS = 1
    SINGLES = 2
    HOLDOUT = 3
    WHOLE = 4
    HALVES = 5


@dataclass(frozen=True, kw_only=True)
class TrainingNeeds:
    """What one or several methods need to be trained.

    Attributes
    ----------
    folds : int
        How many repeats of the folds.
    pairs : int
        In how many of these repeats pairs of folds are also left out.
    singles : bool
        Whether every case is left out alone.
    holdout : float
        The share of cases that one split tests; 0 for none.
    subsamples, halvings : int
        How many random splits of all cases and of each half, and how often cases are halved.
    share : float
        The share of cases that a random split tests.
    replicates : bool
        Whether bootstrap samples are trained on.
    inner : int
        How many samples of each sample are trained on, too.
    """

    folds: int = 0
    pairs: int = 0
    singles: bool = False
    holdout: float = 0.0
    subsamples: int = 0
    halvings: int = 0
    share: float = 0.1
    replicates: bool = False
    inner: int = 0

    def __or__(self, other: TrainingNeeds) -> TrainingNeeds:
        """Return what both need."""
        if self.holdout and other.holdout and self.holdout != other.holdout:
            raise InputError(
                "two hold-outs of different size cannot share a split",
                needs="one share of cases that score",
                got=f"{self.holdout:g} and {other.holdout:g}",
            )
        return TrainingNeeds(
            folds=max(self.folds, other.folds),
            pairs=max(self.pairs, other.pairs),
            singles=self.singles or other.singles,
            holdout=max(self.holdout, other.holdout),
            subsamples=max(self.subsamples, other.subsamples),
            halvings=max(self.halvings, other.halvings),
            share=other.share if other.subsamples else self.share,
            replicates=self.replicates or other.replicates,
            inner=max(self.inner, other.inner),
        )

    @property
    def splits(self) -> bool:
        """Whether anything but bootstrap samples is trained on."""
        return bool(self.folds or self.singles or self.holdout or self.subsamples)


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """All splits of an assessment, by purpose.

    Attributes
    ----------
    blocks : dict
        The splits of each block; those of FOLDS carry repeats and folds as Π has them, the others
        one repeat a group of splits.
    rounds : int
        How often the splitter was asked; one like ShuffleSplit makes several repeats at a time.
    """

    blocks: dict[Block, Splits] = field(default_factory=dict)
    rounds: int = 1

    def repeats(self, rounds: int) -> int:
        """Return how many repeats of Π the folds have after so many rounds of the splitter."""
        return rounds * self.blocks[Block.FOLDS].n_repeats // self.rounds

    def tasks(self) -> list[tuple[tuple[int, int, int], int]]:
        """Return the key of every split and its position in `every`."""
        keys = [
            (int(block), repeat, fold)
            for block, splits in self.blocks.items()
            for repeat, fold in zip(splits.repeat, splits.fold, strict=True)
        ]
        return [(key, i) for i, key in enumerate(keys)]

    @property
    def every(self) -> Splits:
        """All splits in a row."""
        return Splits.join(list(self.blocks.values()))


def make_plan(
    needs: TrainingNeeds, cv: object, X: object, y: object, target: Target, seeds: Seeds
) -> SplitPlan:
    """Return the splits that are needed; each purpose has its own stream of seeds."""
    blocks: dict[Block, Splits] = {}
    if needs.folds:
        blocks[Block.FOLDS] = make_folds(cv, X, y, target, needs.folds, seeds)
    if needs.pairs:
        plan = SplitPlan(blocks, max(1, needs.folds)).repeats(needs.pairs)
        blocks[Block.PAIRS] = leave_out_pairs(blocks[Block.FOLDS], plan)
    if needs.singles:
        blocks[Block.SINGLES] = leave_out_singles(target.n)
    if needs.holdout:
        blocks[Block.HOLDOUT] = split_once(needs.holdout, target, seeds)
    if needs.subsamples:
        blocks[Block.WHOLE], blocks[Block.HALVES] = halve_and_split(
            target, seeds, subsamples=needs.subsamples, halvings=needs.halvings, share=needs.share
        )
    return SplitPlan(blocks, max(1, needs.folds))


@dataclass(frozen=True, eq=False)
class SplitEvidence:
    """The responses of every split, and the evidence that methods make of them.

    Parameters
    ----------
    plan : SplitPlan
        The splits.
    responses : mapping
        The responses of the model of each split for its test rows, by key.
    response : ResponsePlan
        The kind of the responses.
    learner : str
        The name of the learner.
    """

    plan: SplitPlan
    responses: Mapping[Key, NDArray[np.float64]]
    response: ResponsePlan
    learner: str

    def make_folds(self, repeats: int) -> Predictions:
        """Return Π of the first repeats of the folds."""
        splits = self.plan.blocks[Block.FOLDS].select(range(self.plan.repeats(repeats)))
        return self._make_table(Block.FOLDS, splits)

    @cached_property
    def singles(self) -> Predictions:
        """Π of every case left out alone."""
        return self._make_table(Block.SINGLES, self.plan.blocks[Block.SINGLES])

    @cached_property
    def holdout(self) -> Predictions:
        """Π of the cases that one split tests, without the others."""
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
            responses = [
                self.responses[int(Block.HALVES), r, j] for _, _, r, j in splits if r == side
            ]
            side_splits = splits.select([side])
            # Random splits overlap, so each is its own repeat.
            apart = replace(side_splits, repeat=side_splits.fold, fold=(0,) * len(side_splits))
            sides.append(self._make_predictions(apart, responses))
        pairs = tuple(zip(sides[::2], sides[1::2], strict=True))
        return PairedHalves(self._make_table(Block.WHOLE, self.plan.blocks[Block.WHOLE]), pairs)

    def list_cautions(self) -> Iterator[Caution]:
        """Yield cautions about the folds: cases tested twice, or both trained on and tested."""
        splits = self.plan.blocks.get(Block.FOLDS)
        if splits is not None:
            yield from warn_of_overlap(splits)
            yield from warn_of_leaking_splits(splits)

    def _make_inner(self, outer: Predictions, repeat: int) -> tuple[Predictions, ...]:
        """Return the inner Π of every outer fold of a repeat."""
        codes = outer.folds[:, repeat]
        count = len(outer.fold_names[repeat])
        tables = [self.response.make_table() for _ in range(count)]
        pairs = list(combinations(range(count), 2))
        for _, rows, repeat_index, fold_index in self.plan.blocks[Block.PAIRS]:
            if repeat_index != repeat:
                continue
            response = self.responses[int(Block.PAIRS), repeat, fold_index]
            for held_out, other in (pairs[fold_index], pairs[fold_index][::-1]):
                mine = codes[rows] == other
                tables[held_out][rows[mine], 0, 0] = response[mine]
        return tuple(
            replace(
                outer,
                responses=table,
                folds=np.where(codes == k, -1, codes)[:, None],
                fold_names=(outer.fold_names[repeat],),
                training_sizes=None,
            )
            for k, table in enumerate(tables)
        )

    def _make_table(self, block: Block, splits: Splits) -> Predictions:
        keys = zip(splits.repeat, splits.fold, strict=True)
        responses = [self.responses[int(block), repeat, fold] for repeat, fold in keys]
        return self._make_predictions(splits, responses)

    def _make_predictions(
        self, splits: Splits, by_split: Sequence[NDArray[np.float64]]
    ) -> Predictions:
        responses = self.response.make_table(n_repeats=splits.n_repeats)
        for rows, repeat, response in zip(splits.test, splits.repeat, by_split, strict=True):
            responses[rows, 0, repeat] = response
        target = replace(self.response.target, ordered=splits.ordered)
        configs = Configs(ids=(self.learner,))
        return self.response.make_predictions(responses, configs, splits, target)


def train_splits(question: LearnerQuestion, plan: SplitPlan, options: RunOptions) -> SplitEvidence:
    """Train every split of a plan once; what is in the store is read from it."""
    from sklearn import get_config

    every = plan.every
    experiment = Experiment(
        X=question.X,
        y=question.y,
        base=question.estimator,
        plan=question.response,
        rows=every,
        seed=question.seed,
        config=get_config(),
    )
    facts = {**question.facts, "seed": str(question.seed)} if question.facts else {}
    outcomes = run_all(
        experiment,
        [EngineTask(key, Cell(index, key)) for key, index in plan.tasks()],
        options,
        identity=add_splits(facts, every),
        title="Splits",
    )
    _refuse_failures(outcomes, question.learner)
    responses = {key: outcome.arrays[RESPONSE] for key, outcome in outcomes.items()}
    return SplitEvidence(plan, responses, question.response, question.learner)


def make_perfect_evidence(question: LearnerQuestion, plan: SplitPlan) -> SplitEvidence:
    """Return the evidence of a perfect model in these splits, to check the question."""
    perfect, every = question.response.make_perfect(), plan.every
    responses: dict[Key, NDArray[np.float64]] = {
        key: perfect[every.test[index]] for key, index in plan.tasks()
    }
    return SplitEvidence(plan, responses, question.response, question.learner)


def _refuse_failures(outcomes: Mapping[Key, TaskOutcome], learner: str) -> None:
    bad = [outcomes[key] for key in sorted(outcomes) if outcomes[key].failed]
    if bad:
        raise InputError(
            f"{learner} failed in {len(bad)} of {len(outcomes)} fits",
            needs="a model for every split",
            got=explain_failure(bad[0]),
            cure="Make the learner robust against the data of single training parts.",
        )


HALVINGS = 10
SHARE = 0.1  # of the cases that a random split tests
HOLDOUT = 0.25  # of the cases, where the method has no knob `evaluate`
MANY_SINGLES = 1_000  # fits of leaving out one case that folds could do without
MOST_SINGLES = 10_000  # fits of leaving out one case that nobody can have meant
_ORDER = list(Design)


def assessing() -> list[str]:
    """Return the names of the methods that assess a learner, ordered by design.

    Examples
    --------
    >>> from earnest.training.assess.plan import assessing
    >>> [name for name in assessing() if "cv" in name]
    ['cv', 'repeated_cv', 'loocv', 'bates_ncv']
    """
    specs: list[MethodSpec] = [method.spec for method in METHODS.values()]
    mine = [(_ORDER.index(spec.design), spec.repeats, spec) for spec in specs if spec.design]
    return [spec.name for _, _, spec in sorted(mine, key=lambda entry: entry[:2])]


def choose_usual() -> list[str]:
    """Return the methods that are asked where none is named: of one set of folds, of replicates."""
    specs: list[MethodSpec] = [METHODS[name].spec for name in assessing()]
    shared = (Design.REPLICATES, Design.FOLDS)
    return [spec.name for spec in specs if spec.design in shared and spec.repeats == 1]


def choose_method(method: str | Method, n_resamples: int | None = None) -> Method:
    """Return a method that assesses a learner, and refuse one that does something else."""
    configured = configure_method(method, n_resamples=n_resamples)
    if configured.spec.design is None:
        raise InputError(
            f"method {configured.spec.name!r} is for a choice among configurations, "
            "not for a learner",
            needs=", ".join(assessing()),
            got=repr(configured.spec.name),
            cure="For a search use its `estimate_`, or earnest.estimate(search.predictions_, ...).",
        )
    return configured


Evidence: TypeAlias = Predictions | NestedPredictions | PairedHalves


def find_needs(method: Method, n_repeats: int | None) -> TrainingNeeds:
    """Return what a method needs to be trained, by the design of its spec."""
    spec = method.spec
    repeats = spec.repeats if n_repeats is None else n_repeats
    if spec.design is Design.REPLICATES:
        return TrainingNeeds(replicates=True, inner=getattr(method, "needs_inner", 0))
    if spec.design is Design.PAIRS:
        return TrainingNeeds(folds=repeats, pairs=repeats)
    if spec.design is Design.HALVES:
        return TrainingNeeds(subsamples=repeats, halvings=HALVINGS, share=SHARE)
    if spec.design is Design.SINGLES:
        return TrainingNeeds(singles=True)
    if spec.design is Design.HOLDOUT:
        return TrainingNeeds(holdout=float(getattr(method, "evaluate", HOLDOUT)))
    return TrainingNeeds(folds=repeats)


def make_evidence(method: Method, n_repeats: int | None, split_evidence: SplitEvidence) -> Evidence:
    """Return the evidence of a method, from what was trained."""
    needs = find_needs(method, n_repeats)
    if needs.pairs:
        return split_evidence.make_nested(needs.pairs)
    if needs.subsamples:
        return split_evidence.halves
    if needs.singles:
        return split_evidence.singles
    return split_evidence.holdout if needs.holdout else split_evidence.make_folds(needs.folds)


def set_ratio(method: Method, split_evidence: SplitEvidence) -> Method:
    """Return a method that corrects for overlap with the ratio of test to training cases.

    Where each split trains on all that it does not test, the method knows it from the folds.
    """
    splits = split_evidence.plan.blocks.get(Block.FOLDS)
    has_ratio = not method.spec.overlap or getattr(method, "ratio", None) is not None
    if splits is None or has_ratio:
        return method
    sizes = [(len(train), len(test)) for train, test in zip(splits.train, splits.test, strict=True)]
    if all(sum(size) == splits.n_cases for size in sizes):
        return method
    trained, tested = (sum(side) for side in zip(*sizes, strict=True))
    ratio = tested / trained
    return replace(method, ratio=ratio)  # type: ignore[type-var]  # methods are frozen dataclasses


def check_groups(method: Method, target: Target) -> None:
    """Refuse groups where a method cannot keep them together."""
    spec = method.spec
    if target.groups is not None and spec.no_groups:
        raise InputError(
            f"method {spec.name!r} cannot keep groups together: {spec.no_groups}",
            needs="a method that keeps groups together",
            got=GROUPS,
            cure=f"Use {arg('method', 'cv')}, 'corrected_t' or 'bayle_all_pairs'.",
        )


def check_cost(method: Method, target: Target) -> None:
    """Refuse to leave out each of very many cases, and to score a single one."""
    needs = find_needs(method, None)
    if needs.singles and target.n > MOST_SINGLES:
        raise InputError(
            f"leaving out each of {target.n} cases would train {target.n} models",
            needs=f"at most {MOST_SINGLES} cases",
            got=f"{target.n}",
            cure=f"Use {arg('method', 'cv')}: with so many cases, ten folds give the same answer.",
        )
    scoring = round(needs.holdout * target.n)
    if needs.holdout and scoring < 2:
        raise InputError(
            "a hold-out of one case is not enough",
            needs="at least 2 cases that score",
            got=f"{scoring} of {target.n}",
            cure=f"Use {arg('method', 'loocv')}, or more cases.",
        )


def warn_of_cost(method: Method, target: Target) -> Iterator[Caution]:
    """Yield a note if a model was trained for each of many cases."""
    if find_needs(method, None).singles and target.n > MANY_SINGLES:
        yield of_tests.models_as_many_as_cases(target.n)
