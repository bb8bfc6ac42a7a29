"""Replicates with random responses, so that a method refuses before any training."""

from __future__ import annotations

from typing import Any

import numpy as np

from earnest.core.replicates import Drawn, Replicates
from earnest.training.assess_question import LearnerQuestion
from earnest.training.replicate_fitting import ReplicateTraining
from earnest.training.replicates import drawn_units

MOST_CELLS = 5_000_000  # counts and responses that may be drawn only to be thrown away


def random_replicates(
    question: LearnerQuestion, count: int, stratify: Any, turn: int
) -> Replicates | None:
    """Return the samples that will be trained on, with random responses; None where too large."""
    target, plan = question.target, question.response
    width = (1 if plan.width is None else plan.width) * target.n
    if count * width > MOST_CELLS:
        return None
    everywhere = question.metric.needs_all_classes and target.has_classes
    shared = ReplicateTraining(
        X=question.X,
        y=question.y,
        base=question.estimator,
        plan=plan,
        drawn=Drawn(drawn_units(stratify, target.groups is not None, everywhere)),
        both_sides=everywhere,
        seed=question.seed,
    )
    rng = np.random.default_rng([question.seed, turn])
    shape = (target.n,) if plan.width is None else (target.n, plan.width)
    responses = rng.random((count + 1, *shape))
    if plan.width is not None:
        responses /= responses.sum(axis=-1, keepdims=True)
    elif plan.methods == ("predict",) and target.has_classes:
        responses = rng.integers(0, len(target.classes), responses.shape).astype(np.float64)
    return Replicates(
        target=target,
        responses=responses[1:],
        counts=np.stack([shared.counts(b) for b in range(count)]),
        apparent=responses[0],
        kind=plan.kind,
        drawn=shared.drawn,
        learner=question.learner,
        seed=question.seed,
    )
