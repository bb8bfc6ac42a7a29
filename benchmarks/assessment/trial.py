"""One trial: a training set, what every estimator says of it, and the truth of its model.

The models are trained all at once by benchmarks.assessment.learners; draws, splits and estimates
are those of `earnest.assess` with the same seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.assessment.learners import Learner
from benchmarks.assessment.problems import Codes, Floats, Problem
from earnest.core.base.errors import EarnestError
from earnest.core.data.responses import ResponseKind
from earnest.core.results.specs import Evidence
from earnest.methods.base import Method
from earnest.training.assess.plan import (
    SplitEvidence,
    SplitPlan,
    TrainingNeeds,
    assessing,
    choose_method,
    find_needs,
    make_evidence,
    make_plan,
)
from earnest.training.assess.question import AssessOptions, LearnerQuestion, read_question
from earnest.training.assess.replicates import choose_drawn_units
from earnest.training.fit.samples import Samples

METRICS = ("accuracy", "roc_auc")
METHODS = tuple(name for name in assessing() if name != "nested")
# The cautions that an interval stands on too few replicates.
ROUGH = {"few_replicates", "replicates_drowned", "replicates_noisy"}


@dataclass(frozen=True)
class Answer:
    """What one method says, and what it cost to ask it once its models are trained."""

    metric: str
    method: str
    value: float
    low: float
    high: float
    rough: bool
    fits: int
    seconds: float


def trial(
    problem: Problem, learner: Learner, n: int, rng: np.random.Generator, n_replicates: int
) -> tuple[dict[str, float], list[Answer]]:
    """Return the truth by metric, and all answers."""
    train = problem.draw(n, rng)
    X, y = problem.X[train], problem.y[train]
    said = learner.responses(X, y, np.ones((1, n)), problem.X)[0]
    truths = truth(said, problem.y, learner.middle)
    seed = int(rng.integers(2**31))
    return truths, list(answers(learner, X, y, seed, n_replicates))


def truth(responses: Floats, y: Codes, middle: float) -> dict[str, float]:
    """Return the accuracy and the AUC of a model on many cases."""
    from sklearn.metrics import roc_auc_score

    right = (responses > middle) == (y == 1)
    return {"accuracy": float(right.mean()), "roc_auc": float(roc_auc_score(y, responses))}


def answers(
    learner: Learner, X: Floats, y: Codes, seed: int, n_replicates: int
) -> Iterator[Answer]:
    """Yield what every method says of a learner on these cases."""
    asked = [choose_method(name) for name in METHODS]
    plan, raw = None, np.empty(0)
    for metric in METRICS:
        question = _question(learner, X, y, metric, seed)
        if plan is None:
            plan = make_plan(_needs(asked), 10, X, y, question.target, question.seeds)
            raw = _trained(learner, X, y, plan)
        splits = _splits(question, plan, raw, learner.middle)
        replicates = _replicates(question, learner, n_replicates)
        for method in asked:
            replicated = method.spec.needs is Evidence.REPLICATES
            start = process_time()
            try:
                evidence = replicates if replicated else make_evidence(method, None, splits)
                made = en.estimate(evidence, method=method, metric=question.metric, rng=seed)
            except EarnestError:
                continue
            fits = _fits(method, plan, n_replicates)
            yield _answer(made, metric, fits, process_time() - start)


def _answer(made: en.results.Estimate, metric: str, fits: int, seconds: float) -> Answer:
    limits = (np.nan, np.nan) if made.interval is None else (made.interval.low, made.interval.high)
    rough = any(caution.kind in ROUGH for caution in made.cautions)
    return Answer(metric, made.method, made.value, *limits, rough, fits, seconds)


def _question(learner: Learner, X: Floats, y: Codes, metric: str, seed: int) -> LearnerQuestion:
    return read_question(learner.model, X, y, AssessOptions(metric=metric, rng=seed))


def _needs(methods: list[Method]) -> TrainingNeeds:
    needs = TrainingNeeds()
    for method in methods:
        needs |= find_needs(method, None)
    return needs


def _fits(method: Method, plan: SplitPlan, n_replicates: int) -> int:
    """Return how many models a method takes; those of folds are shared with other methods."""
    if method.spec.name == "apparent":
        return 1
    if method.spec.needs is Evidence.REPLICATES:
        return n_replicates + 1
    needs = find_needs(method, None)
    folds, n = 10, plan.every.n_cases
    pairs = folds * (folds - 1) // 2
    halves = needs.subsamples * (1 + 2 * needs.halvings)
    single = n * needs.singles + (needs.holdout > 0)
    return needs.folds * folds + needs.pairs * pairs + halves + single


def _trained(learner: Learner, X: Floats, y: Codes, plan: SplitPlan) -> Floats:
    """Return what the model of every split says of all cases: (splits, n)."""
    every = plan.every
    weights = np.zeros((len(every), len(y)), dtype=np.int8)
    for place, rows in enumerate(every.train):
        weights[place, rows] = 1
    return learner.responses(X, y, weights, X)


def _splits(
    question: LearnerQuestion, plan: SplitPlan, raw: Floats, middle: float
) -> SplitEvidence:
    every, shown = plan.every, _as_kept(raw, question, middle)
    found: dict[Any, NDArray[Any]] = {
        key: shown[place, every.test[place]] for key, place in plan.tasks()
    }
    return SplitEvidence(plan, found, question.response, question.learner)


def _replicates(question: LearnerQuestion, learner: Learner, n_replicates: int) -> en.Replicates:
    """Return the replicates that `earnest.bootstrap_train` would make with the same seed."""
    metric, target, X = question.metric, question.target, question.X
    samples = Samples(
        target=target,
        drawn=choose_drawn_units(None, False, metric.needs_all_classes),
        both_sides=metric.needs_all_classes,
        seed=question.seed,
    )
    counts = np.stack([samples.draw_counts(b) for b in range(n_replicates)])
    weights = np.vstack([np.ones((1, target.n), dtype=counts.dtype), counts])
    raw = learner.responses(X, target.y, weights, X)
    shown = _as_kept(raw, question, learner.middle)
    return en.Replicates(
        target=target,
        responses=shown[1:],
        counts=counts,
        apparent=shown[0],
        kind=question.response.kind,
        drawn=samples.drawn,
        learner=question.learner,
        seed=question.seed,
    )


def _as_kept(raw: Floats, question: LearnerQuestion, middle: float) -> Floats:
    """Return responses as the metric wants them: labels, or what the learner says."""
    labels = question.response.kind is ResponseKind.LABEL
    return (raw > middle).astype(float) if labels else raw
