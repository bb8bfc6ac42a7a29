"""From a question to answers: refuse, train what the methods need, and ask them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, InputError
from earnest.core.base.protocols import Progress
from earnest.core.data.replicates import Replicates
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.specs import Design
from earnest.methods.base import Method, check_question
from earnest.methods.run import estimate
from earnest.training.assess.evidence import SplitEvidence, make_perfect_evidence, train_splits
from earnest.training.assess.methods import (
    Evidence,
    check_cost,
    check_groups,
    find_needs,
    make_evidence,
    set_ratio,
    warn_of_cost,
)
from earnest.training.assess.plan import Block, Needs, Plan, make_plan
from earnest.training.assess.question import LearnerQuestion, warn_of_few_cases
from earnest.training.assess.replicates import choose_drawn_units
from earnest.training.fit.experiment import Experiment
from earnest.training.fit.run import RunOptions
from earnest.training.fit.samples import Samples
from earnest.training.fit.splits import can_shuffle
from earnest.training.protocols import StoreLike
from earnest.training.tables.hidden_groups import warn_of_copies


@dataclass(frozen=True)
class AssessOptions:
    """How the models of an assessment are trained."""

    n_replicates: int
    stratify: bool | ArrayLike | None
    cv: object
    n_repeats: int | None
    n_jobs: int | None
    store: StoreLike | None
    time_limit: float | None
    progress: Progress | bool | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        check.whole_number("n_replicates", self.n_replicates, low=1)
        if self.n_repeats is not None:
            check.whole_number("n_repeats", self.n_repeats, low=1)

    def repeats(self, method: Method) -> int | None:
        """Return how often folds are repeated; once where they cannot be, or repeat themselves."""
        folded = method.spec.design in (Design.FOLDS, Design.PAIRS) and method.spec.repeats > 1
        fixed = folded and not can_shuffle(self.cv)
        return 1 if self.n_repeats is None and fixed else self.n_repeats


def assess_methods(
    question: LearnerQuestion, methods: Sequence[Method], training: AssessOptions
) -> tuple[list[Estimate], dict[str, EarnestError]]:
    """Refuse what cannot be answered, train what the others need, and ask them."""
    refused: dict[str, EarnestError] = {}
    able: list[Method] = []
    for method in methods:
        try:
            check_groups(method, question.target)
            check_cost(method, question.target)
            _check_design(question, method, training)
            able.append(method)
        except EarnestError as error:
            refused[method.spec.name] = error
    needs = Needs()
    for method in able:
        needs |= find_needs(method, training.repeats(method))
    splits = _train_splits(question, needs, training)
    replicates = _train_replicates(question, needs, training)
    copied = _warn_of_copies(question, splits)
    answers = []
    for method in able:
        if method.spec.design is Design.REPLICATES:
            assert replicates is not None
            evidence: Evidence | Replicates = replicates
        else:
            assert splits is not None
            evidence = make_evidence(method, training.repeats(method), splits)
        try:
            ready = method if splits is None else set_ratio(method, splits)
            made = _ask_method(question, ready, evidence, training.n_jobs)
        except EarnestError as error:
            refused[method.spec.name] = error
            continue
        about = splits.list_cautions() if splits is not None and made.provenance.n_folds else ()
        answers.append(replace(made, cautions=by_severity([*made.cautions, *about, *copied])))
    return answers, refused


def _warn_of_copies(question: LearnerQuestion, splits: SplitEvidence | None) -> tuple[Caution, ...]:
    """Return a caution where folds test copies of what they train on."""
    folds = None if splits is None else splits.plan.blocks.get(Block.FOLDS)
    return () if folds is None else tuple(warn_of_copies(question.X, question.y, folds))


def _ask_method(
    question: LearnerQuestion, method: Method, evidence: Evidence | Replicates, n_jobs: int | None
) -> Estimate:
    """Ask a method, and say what is known of the learner's cases; that it is one is no news."""
    made = estimate(
        evidence,
        method=method,
        metric=question.metric,
        confidence_level=question.ask.confidence_level,
        side=question.ask.side,
        rng=question.seed,
        n_jobs=n_jobs,
    )
    kept = [caution for caution in made.cautions if caution.code != "EN015"]
    said = [*warn_of_few_cases(question.target), *warn_of_cost(method, question.target)]
    every = dict.fromkeys([*kept, *said])  # bootstrap samples tell of few cases by themselves
    return replace(made, cautions=by_severity(every))


def _check_design(question: LearnerQuestion, method: Method, training: AssessOptions) -> None:
    """Refuse before any training what a method cannot answer in these splits or samples."""
    target, metric = question.target, question.metric
    if method.spec.design is Design.REPLICATES:
        everywhere = metric.needs_all_classes and target.has_classes
        drawn = choose_drawn_units(training.stratify, target.groups is not None, everywhere)
        check_question(method, drawn, target, metric)
        samples = Samples(target=target, drawn=drawn, both_sides=everywhere, seed=question.seed)
        samples.draw_counts(0)  # refuses what can never be drawn
        return
    few = _limit_repeats(method, training.repeats(method))  # what is refused is so from the start
    plan = _make_plan(question, find_needs(method, few), training)
    perfect = make_perfect_evidence(plan, question.response, question.learner)
    design = make_evidence(method, few, perfect)
    check_question(method, design, design.target, metric)


def _limit_repeats(method: Method, n_repeats: int | None) -> int | None:
    least = method.spec.min_repeats
    return least if n_repeats is None else min(n_repeats, least)


def _make_plan(question: LearnerQuestion, needs: Needs, training: AssessOptions) -> Plan:
    return make_plan(needs, training.cv, question.X, question.y, question.target, question.seeds)


def _train_splits(
    question: LearnerQuestion, needs: Needs, training: AssessOptions
) -> SplitEvidence | None:
    if not needs.splits:
        return None
    from sklearn import get_config

    plan = _make_plan(question, needs, training)
    experiment = Experiment(
        X=question.X,
        y=question.y,
        base=question.estimator,
        plan=question.response,
        rows=plan.every,
        seed=question.seed,
        config=get_config(),
    )
    return train_splits(
        experiment,
        plan,
        {**question.facts, "seed": str(question.seed)},
        question.learner,
        RunOptions(
            n_jobs=training.n_jobs,
            store=_choose_store(training.store, needs, "-folds"),
            time_limit=training.time_limit,
            progress=training.progress,
        ),
    )


def _train_replicates(
    question: LearnerQuestion, needs: Needs, training: AssessOptions
) -> Replicates | None:
    if not needs.replicates:
        return None
    from earnest.training.assess.replicates import bootstrap_train

    target = question.target
    positive = target.classes[1] if len(target.classes) == 2 else None
    return bootstrap_train(
        question.estimator,
        question.X,
        question.y,
        n_replicates=training.n_replicates,
        metric=question.metric,
        stratify=training.stratify,
        groups=target.groups,
        positive=positive,
        n_jobs=training.n_jobs,
        store=_choose_store(training.store, needs, "-replicates"),
        time_limit=training.time_limit,
        progress=training.progress,
        name=question.learner,
        rng=question.seed,
    )


def _choose_store(store: StoreLike | None, needs: Needs, word: str) -> StoreLike | None:
    """Return where one kind of fits is kept: one file, or two beside each other."""
    if store is None or not (needs.splits and needs.replicates):
        return store
    if not isinstance(store, str | Path):
        raise InputError(
            "folds and bootstrap samples are two runs",
            needs="the path of a file, from which two are made",
            got=type(store).__name__,
        )
    path = Path(store)
    return path.with_name(f"{path.stem}{word}{path.suffix}")
