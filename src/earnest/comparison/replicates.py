"""Two learners that were trained on the same bootstrap samples: from replicates to a comparison."""

from __future__ import annotations

import hashlib
from typing import cast

import numpy as np

from earnest.comparison.asking import ComparisonRequest, assemble_comparison
from earnest.comparison.left_out import ReplicateQuestion, SampleTest
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import knobs, list_versions
from earnest.core.data.replicates import Replicates
from earnest.core.results.comparison import Comparison
from earnest.core.results.estimate import Provenance
from earnest.core.text.doors import arg
from earnest.metrics.families import Metric
from earnest.metrics.responding import check_fits

TESTS_OF_SAMPLES = ("lpob", "loob")  # tried in this order where none is named


def find_learners(first: object, second: object, extra: object) -> tuple[Replicates, Replicates]:
    """Return the replicates of both learners, and refuse anything else."""
    if not isinstance(first, Replicates) or not isinstance(second, Replicates):
        kinds = " and ".join(type(item).__name__ for item in (first, second) if item is not None)
        raise InputError(
            "replicates are compared with replicates",
            needs="Replicates and Replicates, one of each learner",
            got=kinds,
            cure="Train both with bootstrap_train, on the same data and with the same "
            f"{arg('rng')}.",
        )
    if extra is not None:
        raise InputError(
            "`b` cannot be combined with two replicates",
            needs="the replicates of one learner each",
            got=check.show(extra),
            cure="Leave it out.",
        )
    return first, second


def compare_samples(
    request: ComparisonRequest, learners: tuple[Replicates, Replicates], metric: Metric
) -> Comparison:
    """Apply a test of bootstrap samples to the replicates of two learners."""
    test = cast("SampleTest", request.test)
    for learner in learners:
        check_fits(learner.resubstituted, metric)
    both = _keep_common(*learners)
    question = ReplicateQuestion(replicates=both, metric=metric, seeds=request.seeds)
    a, b = (learner.learner for learner in learners)
    return assemble_comparison(
        request,
        test.read(question).pair(0, 1),
        metric.scale,
        (a, b if b != a else f"{b}'"),
        both[0].n_cases,
        _make_provenance(request, both),
        dict.fromkeys(caution for learner in learners for caution in learner.cautions),
    )


def _keep_common(first: Replicates, second: Replicates) -> tuple[Replicates, Replicates]:
    """Return the replicates of the samples on which both learners were trained."""
    if not first.n_failed and not second.n_failed:
        return first, second
    drawn = [learner.counts.astype(np.int64) for learner in (first, second)]
    rows = [{row.tobytes(): i for i, row in enumerate(counts)} for counts in drawn]
    shared = [key for key in rows[0] if key in rows[1]]
    if len(shared) < 2:
        raise EvidenceError(
            "no bootstrap sample has models of both learners",
            needs="at least two",
            cure="Fix the learner that fails.",
        )
    mine, other = (np.array([places[key] for key in shared]) for places in rows)
    return first.take(mine), second.take(other)


def _make_provenance(request: ComparisonRequest, both: tuple[Replicates, ...]) -> Provenance:
    seeds = {learner.seed for learner in both}
    together = "".join(learner.fingerprint for learner in both)
    return Provenance(
        seed=seeds.pop() if len(seeds) == 1 else None,
        fingerprint=hashlib.blake2b(together.encode(), digest_size=8).hexdigest(),
        n_folds=1,
        n_repeats=1,
        knobs={**knobs(request.test), "n_replicates": both[0].n_replicates},
        versions=list_versions(),
    )
