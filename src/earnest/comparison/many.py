"""One configuration against all others: the verb `compare_many`, and the winner of a search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from earnest.comparison.asking import (
    ComparisonRequest,
    ask_first_that_applies,
    evidence_of,
    find_undefined,
    read_measured,
    refuse_undefined,
    result,
)
from earnest.comparison.base import Array, JointReading, Question, Reading, Test
from earnest.comparison.joint import largest_errors
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import RngLike
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.selection import first_best
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.comparison import Alternative
from earnest.core.results.comparison_table import ADJUSTMENTS, Comparisons, Family, adjust_all
from earnest.core.results.estimate import by_severity
from earnest.inference.resampling.winners import gains_of
from earnest.metrics.families import Metric, MetricLike


def compare_many(
    predictions: Predictions | Scores,
    *,
    test: str | Test | None = None,
    metric: MetricLike | None = None,
    adjust: str = "simultaneous",
    reference: str | int | None = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Comparisons:
    """Find the configurations that may be the best, and those shown to be worse.

    Every configuration is compared with the best one on these cases, or with `reference`.
    `not_worse` is the set of configurations that may be the best: the others are shown to be worse
    than the best here.

    **What holds.** What is said against the best holds for all pairs of configurations at once: the
    chance that any of it is wrong is at most 1 minus the level, however many there are, and though
    the best was found on the same cases. So the set holds every configuration that is truly best.
    Tests that know how all values err together (`bayle`, `delong`, `bootstrap`) compare a
    difference with the largest one that luck makes of any pair (max-T); for the others Bonferroni's
    rule over all pairs takes its place, which is more cautious.

    Parameters
    ----------
    test : str or Test, optional
        As for `compare`: by default the first that applies of `delong` (for the ROC AUC of two
        classes), `bayle` and `bootstrap`.
    adjust : {'simultaneous', 'holm', 'bh', 'none'}
        How p-values are adjusted: for all pairs at once, so that they hold against the best too.
        Holm (the chance of any wrong claim) and 'bh' (Benjamini and Hochberg, the expected share
        of wrong ones) are for a reference that was fixed before any score was seen; against the
        best they are too small, and a caution says so. The set does not depend on it.
    reference : str or int, optional
        What to compare with; the best on these cases by default. One that is not the best here is
        taken as fixed in advance: then p-values hold for all comparisons with it. The set is about
        the best anyway.
    predictions, metric, alternative, confidence_level, n_resamples, rng, n_jobs
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
    check.one_of("adjust", adjust, ADJUSTMENTS)
    given, measure = read_measured(predictions, metric)

    def ask(test: str | Test) -> Comparisons:
        asked = ComparisonRequest.of(test, alternative, confidence_level, n_resamples, rng, n_jobs)
        return compare_all(asked, given, measure, adjust=adjust, reference=reference)

    return ask_first_that_applies(test, measure, ask)


def compare_all(
    asked: ComparisonRequest,
    given: Predictions,
    measure: Metric,
    *,
    adjust: str = "simultaneous",
    reference: str | int | None = None,
    winner: str | None = None,
) -> Comparisons:
    """Compare one configuration with all others.

    Parameters
    ----------
    reference : str or int, optional
        What to compare with. One that is not the best here is taken as fixed in advance.
    winner : str, optional
        The winner of a search: it stands for the best, and was chosen on the same cases though
        this test may measure another one better.
    """
    _need_p_values(asked.test)
    question, left_out = _keep_defined(asked.question(given, measure, given.fingerprint))
    reading = asked.test.read(question)
    configs = question.pi.configs
    best = _best(reading.values, measure, configs.ids)
    if winner is not None:
        best = _reference(given, question.pi, winner)
    held = best if reference is None else _reference(given, question.pi, reference)
    pairs = family_of(reading, question)
    family = pairs if held == best else family_of(reading, question, fixed=held)
    everyone = range(len(configs))
    made = [result(asked, question, reading, held, c) for c in everyone if c != held]
    against = made
    if held != best:
        against = [result(asked, question, reading, best, c) for c in everyone if c != best]
    shown = {
        one.b: 1.0 if one.favours == one.b else pairs.p_value(one, "two-sided") for one in against
    }
    remarks = [*evidence_of(given, measure, asked.test), *left_out]
    simple = [configs.ids[config] for config in configs.simplicity_order()]
    joint = pairs.largest is not None
    return Comparisons(
        reference=configs.ids[held],
        best=configs.ids[best],
        comparisons=tuple(made),
        adjusted=adjust_all(tuple(made), adjust, family),
        adjust=adjust,
        p_best={name: shown.get(name, 1.0) for name in configs.ids},
        joint=joint,
        family=family,
        simple_first=None if configs.complexity is None else tuple(simple),
        confidence_level=asked.confidence_level,
        seed=asked.seeds.entropy if joint or asked.test.spec.draws else None,
        cautions=by_severity([*remarks, *_warn_of_choice(held == best, adjust)]),
    )


def family_of(reading: Reading, question: Question, fixed: int | None = None) -> Family:
    """Return what is claimed at once: of all pairs, or of those with one fixed in advance."""
    count = len(reading.values)
    size = max(1, count * (count - 1) // 2 if fixed is None else count - 1)
    if not isinstance(reading, JointReading):
        return Family(size=size, units=question.pi.n_cases)
    return Family(
        size=size,
        units=reading.units,
        largest=largest_errors(reading.deviations(), fixed, question.n_jobs),
    )


def _need_p_values(test: Test) -> None:
    if not test.spec.p_value:
        raise InputError(
            f"test {test.spec.name!r} gives no p-value to adjust",
            needs="a test with a p-value",
            cure="Use test='corrected_t', which has the same distribution, or compare pair by "
            "pair.",
        )
    if not test.spec.one_sided:
        raise InputError(
            f"test {test.spec.name!r} has no direction, so it cannot find the best",
            needs="a test with one-sided alternatives",
            cure="Use test='five_by_two' or test='corrected_t', or compare pair by pair.",
        )


def _keep_defined(question: Question) -> tuple[Question, list[Caution]]:
    """Return the question without configurations for which the metric has no value."""
    gone, ids = set(find_undefined(question)), question.pi.configs.ids
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
            "there is only one configuration",
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


def _warn_of_choice(chosen: bool, adjust: str) -> Iterator[Caution]:
    """Yield what p-values leave out that are adjusted as if the best had been fixed in advance."""
    if not chosen or adjust == "simultaneous":
        return
    yield Caution(
        "EN039",
        "The best configuration was found on the same cases that compare it.",
        "It looks better than it is, so p-values against it are too small; the set of those "
        "that may be the best allows for this.",
        "Use adjust='simultaneous', which allows for this too.",
    )


def against_winner(
    pi: Predictions,
    metric: str | Metric,
    winner: str | None,
    *,
    confidence_level: float,
    rng: RngLike,
    n_jobs: int | None = None,
) -> Comparisons:
    """Compare the winner with all others by the first test that applies.

    The winner stands for the best, so `not_worse` are those that are not shown to be worse than
    it. As it was chosen on the same cases, everything holds for all pairs at once.

    Raises
    ------
    EarnestError
        That of the first test, where none applies.
    """
    given, measure = read_measured(pi, metric)

    def ask(test: str | Test) -> Comparisons:
        asked = ComparisonRequest.of(test, "two-sided", confidence_level, None, rng, n_jobs)
        return compare_all(asked, given, measure, winner=winner)

    return ask_first_that_applies(None, measure, ask)
