"""The verb `compare_many`: one configuration against all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from earnest.comparison.asking import Asked, evidence_of, refuse_undefined, result, undefined
from earnest.comparison.base import Array, JointReading, Question, Reading, Test
from earnest.comparison.losses import Losses
from earnest.comparison.pairing import measured
from earnest.comparison.shared.joint import chance_of_being_best
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import RngLike
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import first_best
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.comparison_table import ADJUSTMENTS, Comparisons, adjusted, p_of
from earnest.core.results.differences import Alternative
from earnest.core.results.estimate import by_severity
from earnest.inference.resampling.winners import gains_of
from earnest.metrics.families import Metric


def compare_many(
    predictions: Predictions | Losses,
    *,
    test: str | Test = "bayle",
    metric: str | Metric | Any = None,
    adjust: str = "holm",
    reference: str | int | None = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Comparisons:
    """Tell which configurations may be the best, and which are shown not to be.

    Every configuration is compared with the best one on these cases, or with `reference`, and the
    p-values are adjusted for their number. `not_worse` is the set of configurations that may be the
    best: of the others it is shown that some configuration is better than they are.

    **What the set promises.** By tests that know how all values err together (`bayle`, `delong`,
    `bootstrap`): it holds the configuration that is truly best with the level asked for, however
    many there are, and though the best here was found on the same cases (Lei 2020, cross-
    validation with confidence). By the others it is made of adjusted one-sided tests against the
    best here, which the choice of that best makes a little too eager: a caution says so. A p-value
    of being the best is never below that of the pair that decides it, which counts what few cases
    cannot show, nor below 1/2 to the number of independent units.

    Parameters
    ----------
    adjust : {'holm', 'bh', 'none'}
        How p-values are adjusted: Holm bounds the chance of any wrong claim, 'bh' (Benjamini and
        Hochberg) the expected share of wrong ones.
    reference : str or int, optional
        What to compare with; the best on these cases by default. The set is about the best anyway.
    predictions, test, metric, alternative, confidence_level, n_resamples, rng, n_jobs
        As for `compare`. The difference is metric(reference) - metric(other).

    Returns
    -------
    Comparisons
        The comparisons, their adjusted p-values, the set, and the simplest configuration in it
        where complexities are known (`Configs.with_complexity`).

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 150)
    >>> scores = y[:, None] * [2.0, 1.9, 0.5] + rng.standard_normal((300, 3))
    >>> pi = en.Predictions.from_arrays(y, scores, np.arange(300) // 2 % 10, configs=list("abc"))
    >>> many = en.compare_many(pi, metric="roc_auc", rng=0)
    >>> many.best, many.not_worse
    ('a', ('a', 'b'))
    """
    asked = Asked.of(test, alternative, confidence_level, n_resamples, rng, n_jobs)
    check.one_of("adjust", adjust, ADJUSTMENTS)
    _need_p_values(asked.test)
    given, measure = measured(predictions, metric)
    question, left_out = _defined(asked.question(given, measure, given.fingerprint))
    reading = asked.test.read(question)
    configs = question.pi.configs
    best = _best(reading.values, measure, configs.ids)
    held = best if reference is None else _reference(given, question.pi, reference)
    others = [config for config in range(len(configs)) if config != held]
    made = [result(asked, question, reading, held, other) for other in others]
    p_best, joint = _p_best(reading, question, best, adjust)
    remarks = [*evidence_of(given, measure, asked.test), *left_out]
    simple = [configs.ids[config] for config in configs.simplicity_order()]
    return Comparisons(
        reference=configs.ids[held],
        best=configs.ids[best],
        comparisons=tuple(made),
        adjusted=tuple(adjusted([p_of(one) for one in made], adjust)),
        adjust=adjust,
        p_best=dict(zip(configs.ids, p_best, strict=True)),
        joint=joint,
        simple_first=None if configs.complexity is None else tuple(simple),
        confidence_level=asked.confidence_level,
        seed=asked.seeds.entropy if joint or asked.test.spec.draws else None,
        cautions=by_severity([*remarks, *_chosen_here(reference is None, joint)]),
    )


def _need_p_values(test: Test) -> None:
    if not test.spec.p_value:
        raise InputError(
            f"test {test.spec.name!r} gives no p-value to adjust",
            needs="a test with a p-value",
            cure="Use test='corrected_t', which has the same law, or compare pair by pair.",
        )
    if not test.spec.one_sided:
        raise InputError(
            f"test {test.spec.name!r} knows no direction, so it cannot tell the best",
            needs="a test with one-sided alternatives",
            cure="Use test='five_by_two' or test='corrected_t', or compare pair by pair.",
        )


def _defined(question: Question) -> tuple[Question, list[Caution]]:
    """Return the question without configurations for which the metric has no value."""
    gone, ids = set(undefined(question)), question.pi.configs.ids
    kept = [config for config in range(len(ids)) if config not in gone]
    if not kept:
        refuse_undefined(question)
    if not gone:
        return question, []
    names = [ids[config] for config in sorted(gone)]
    remark = Caution(
        "EN043",
        f"{question.metric.title} is undefined for {len(gone)} of {len(ids)} configurations: "
        f"{check.some(names)}.",
        "They are left out; the result is about the others.",
        "",
        Severity.NOTE,
    )
    return replace(question, pi=question.pi.select(kept)), [remark]


def _best(values: Array, metric: Metric, names: tuple[str, ...]) -> int:
    """Return the first configuration with the best value."""
    if len(names) < 2:
        raise EvidenceError(
            "there is one configuration",
            needs="at least two with complete predictions",
            got=names[0],
            cure="Use estimate for a single one.",
        )
    return int(first_best(gains_of(metric, values[None, None, :])[0])[0])


def _reference(given: Predictions, usable: Predictions, reference: str | int) -> int:
    name = given.configs.ids[given.configs.index(reference)]
    if name not in usable.configs.ids:
        raise EvidenceError(
            f"reference {name!r} lacks predictions, or a defined score",
            needs="a configuration evaluated in every fold, for which the metric is defined",
            cure="Evaluate the missing folds, or choose another reference.",
        )
    return usable.configs.ids.index(name)


def _p_best(
    reading: Reading, question: Question, best: int, adjust: str
) -> tuple[list[float], bool]:
    """Return the p-value of every configuration's being the best, and whether it is joint."""
    metric = question.metric
    side = "greater" if metric.greater_is_better else "less"

    def pair_p(better: int, worse: int) -> float:
        return (reading.pair(better, worse).p_values or {side: 1.0})[side]

    if isinstance(reading, JointReading):
        gains = metric.sign * reading.values
        draws = metric.sign * reading.deviations()
        found = chance_of_being_best(gains, draws, pair_p, reading.units, question.n_jobs)
        return found.tolist(), True
    others = [c for c in range(len(reading.values)) if c != best]
    p = [pair_p(best, c) for c in others]
    found = np.ones(len(reading.values))
    found[others] = adjusted(p, adjust)
    return found.tolist(), False


def _chosen_here(chosen: bool, joint: bool) -> Iterator[Caution]:
    """Yield what follows from a best that was found on the same cases."""
    if not chosen and joint:
        return
    rest = (
        "; the set of those that may be the best allows for it"
        if joint
        else ", and so is the set of those that may be the best"
    )
    yield Caution(
        "EN039",
        "The best was found on the same cases that it is compared on.",
        f"It looks better than it is, and p-values against it are too small{rest}.",
        "" if joint else "Use test='bayle' or test='bootstrap' for a set that allows for it.",
        Severity.NOTE if joint else Severity.CAUTION,
    )
