"""What every test is: knobs as a frozen dataclass, a spec, a reading of pairs, shared cautions.

A claim about a pair holds for all pairs at once if its standardised difference exceeds the largest
standardised error over all pairs (max-T: Tukey's idea, for correlated values). So it also holds for
a pair that was chosen by looking at the data, such as the best and any other.

The distribution of that largest error comes from joint draws: the terms of each case (or group)
change sign at random, together in all configurations. So the draws reflect how the values are
correlated, and how many units there are. If a test has resamples, these replace the signs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, workers
from earnest.core.cautions import of_tests
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.order import Dependence
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Alternative, Probabilities
from earnest.core.results.interval import LimitSource
from earnest.core.results.papers import Paper
from earnest.core.results.specs import ComparisonEstimand, Evidence
from earnest.core.text.doors import arg
from earnest.metrics.families import Metric

Array = NDArray[np.float64]


class SupportedMetrics(StrEnum):
    """Which metrics a test can take."""

    ANY = "any metric"
    SMOOTH = "means over cases, functions of such means, and the ROC AUC"
    MEANS = "metrics that are means over cases"
    SUMS = "means over cases, and functions of such means"
    AUC = "the ROC AUC of a binary task"
    PAIRS = "the ROC AUC of a binary task, and the concordance of survival times"
    HITS = "means over cases that are each 0 or 1, such as accuracy"


@dataclass(frozen=True, kw_only=True)
class TestSpec:
    """The declaration of a test, from which lists, checks and docs follow.

    Parameters
    ----------
    name, title : str
        The word for code and command line, and the words for people.
    title_alone : str
        The words where nothing was cross-validated, as for scores of items, if the title is about
        folds; such a test needs no paper.
    needs : Evidence
        The type of evidence; tests that train their own models need other than predictions.
    estimand : ComparisonEstimand
        What is compared.
    metrics : SupportedMetrics
        Which metrics it takes.
    cites : str
        The source; papers of `data/papers.toml` are found by their word in it.
    papers : tuple of Paper
        Papers to cite that are not in that table.
    from_fold_scores : bool
        Whether the scores of folds are enough, without the predictions.
    min_folds : int
        The least number of folds.
    repeats : bool
        Whether it takes more than one repeat of the cross-validation.
    groups : bool
        Whether it accounts for groups.
    p_value : bool
        Whether it gives a p-value; a Bayesian one gives probabilities instead.
    draws : bool
        Whether it draws random numbers.
    design : tuple of int, optional
        The repeats, and the folds of each, that it needs; any by default.
    random_test_sets : bool
        Whether models are trained for it on random splits rather than on folds.
    one_sided : bool
        Whether it has one-sided alternatives.
    blocks : bool
        Whether it allows for cases in time order that depend on each other.
    overlap : bool
        Whether it has a knob `ratio` for the size of test sets relative to training sets, which
        `compare_learners` sets by its splits.
    weighted, surveys : bool
        Whether it takes cases of unlike weight, and the strata of a survey.
    """

    __test__: ClassVar[bool] = False  # the name is no invitation to pytest

    name: str
    title: str
    estimand: ComparisonEstimand
    metrics: SupportedMetrics
    cites: str
    papers: tuple[Paper, ...] = ()
    needs: Evidence = Evidence.OUT_OF_SAMPLE
    from_fold_scores: bool = False
    min_folds: int = 1
    repeats: bool = True
    groups: bool = True
    p_value: bool = True
    draws: bool = False
    design: tuple[int, int] | None = None
    random_test_sets: bool = False
    one_sided: bool = True
    overlap: bool = False
    blocks: bool = False
    weighted: bool = False
    surveys: bool = False
    aliases: tuple[str, ...] = field(default=())
    title_alone: str = ""

    @property
    def evidence(self) -> str:
        """What it computes from, in words."""
        return f"{self.needs}, or {Evidence.FOLD_SCORES}" if self.from_fold_scores else self.needs

    def takes(self, evidence: Evidence) -> bool:
        """Tell whether it computes from a kind of evidence."""
        if evidence is Evidence.FOLD_SCORES:
            return self.from_fold_scores
        return self.needs is evidence

    def of_folds(self, n_folds: int) -> TestSpec:
        """Return the spec in the words for so many folds; 0 if that is not known."""
        if n_folds != 1 or not self.title_alone:
            return self
        return replace(self, title=self.title_alone, cites="", papers=())


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question to a test: predictions of C configurations, a metric, seeds and threads.

    `fingerprint` is that of the predictions as the user gave them.
    """

    pi: Predictions
    metric: Metric
    seeds: Seeds
    n_jobs: int | None = None
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class PairOutcome:
    """What a test says about one pair, at every level and for every alternative."""

    difference: float
    values: tuple[float, float]
    standard_error: float | None = None
    statistic: float | None = None
    p_values: Mapping[str, float] | None = None
    limits: LimitSource | None = None
    probabilities: Probabilities | None = None
    least_p: float | None = None
    n_resamples: int | None = None
    n_valid: int | None = None
    cautions: tuple[Caution, ...] = ()
    dependence: Dependence | None = None

    def with_dependence(self, dependence: Dependence) -> PairOutcome:
        """Return the same with how much losses depend on each other in time."""
        return replace(self, dependence=dependence)


class PairReading(Protocol):
    """A test that has read its evidence: the value of every configuration, and any pair."""

    @property
    def values(self) -> Array:
        """The metric of every configuration as the test measures it: (C,)."""
        ...

    @property
    def used(self) -> Mapping[str, object]:
        """The knobs as they were resolved, where a default depends on the data."""
        return {}

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return what the test says about configuration a against b."""
        ...


@runtime_checkable
class JointReading(PairReading, Protocol):
    """A reading that also knows the joint error of the values of all configurations."""

    @property
    def units(self) -> int:
        """The number of independent units that contribute to the error of a value."""
        ...

    def deviations(self) -> Array:
        """Return joint draws of the errors of all values: (B, C)."""
        ...


class Test(Protocol):
    """A way to tell whether one configuration is better than another."""

    if not TYPE_CHECKING:
        __test__ = False  # no invitation to pytest, and no member that a test must have
    spec: ClassVar[TestSpec]

    def read(self, question: Question) -> PairReading:
        """Read the evidence once, for any number of pairs."""
        ...


T = TypeVar("T", bound=type[Any])
LEAST = sys.float_info.min  # no p-value is 0, however far out
SIDES = tuple(str(each) for each in Alternative)


def register(test: T) -> T:
    """Put a test in the registry under the name of its spec."""
    TESTS.add(test.spec.name, test, test.spec.aliases)
    return test


TESTS: Registry[type[Any]] = Registry("test", group="earnest.tests", adopt=register)


def p_values(less: float, greater: float) -> dict[str, float]:
    """Return the p-value of every alternative; two-sided is twice the smaller, at most 1."""
    low, high = (float(min(max(p, LEAST), 1.0)) for p in (less, greater))
    return {"two-sided": min(1.0, 2 * min(low, high)), "less": low, "greater": high}


def nothing_to_tell() -> dict[str, float]:
    """Return the p-values of configurations that differ nowhere: 1 whatever is asked."""
    return dict.fromkeys(SIDES, 1.0)


def check_evidence(spec: TestSpec, pi: Predictions) -> None:
    """Refuse predictions that a test cannot read, with what to use instead."""
    counts = [int(cell.any(axis=1).sum()) for cell in pi.cells]
    groups = pi.target.groups
    check_splits(spec, counts, None if groups is None else len(np.unique(groups)))
    cure = f"Use {arg('test', 'bootstrap')}, which does."
    if not spec.weighted:
        refuse_case_weights(pi.target.weights, f"test {spec.name!r}", cure)
    if pi.target.surveyed and not spec.surveys:
        raise EvidenceError(
            f"test {spec.name!r} does not know the strata of a survey",
            needs="a test that draws units within strata",
            got=f"{len(pi.target.design.strata)} strata",
            cure=cure,
        )


def check_splits(spec: TestSpec, counts: list[int], groups: int | None) -> None:
    """Refuse folds of each repeat, and groups of cases, that a test cannot take."""
    if spec.design is not None:
        check_design(spec, counts)
    if sum(counts) < spec.min_folds:
        raise EvidenceError(
            f"test {spec.name!r} needs more folds",
            needs=f"at least {spec.min_folds}",
            got=str(sum(counts)),
            cure=f"Pass {arg('fold')}, or use {arg('test', 'bayle')} or "
            f"{arg('test', 'bootstrap')}.",
        )
    if len(counts) > 1 and not spec.repeats:
        raise EvidenceError(
            f"test {spec.name!r} cannot use repeats",
            needs="one repeat",
            got=f"{len(counts)} repeats",
            cure=f"Use {arg('test', 'bayle')}, or {arg('test', 'corrected_t')} for repeated "
            "cross-validation.",
        )
    if groups is not None and not spec.groups:
        raise EvidenceError(
            f"test {spec.name!r} counts times, not groups"
            if spec.blocks
            else f"test {spec.name!r} treats every case as independent",
            needs="cases without groups",
            got=f"{groups} groups",
            cure=f"Use {arg('test', 'bayle')}, {arg('test', 'bootstrap')} or "
            f"{arg('test', 'sign_flip')}, which take whole groups.",
        )


def check_design(spec: TestSpec, counts: list[int]) -> None:
    """Refuse repeats and folds of another number than a test is for."""
    assert spec.design is not None
    repeats, folds = spec.design
    if counts != [folds] * repeats:
        each = sorted(set(counts))
        raise EvidenceError(
            f"test {spec.name!r} cannot use these folds",
            needs=f"{repeats} repeats of {folds} folds each",
            got=f"{len(counts)} of {' or '.join(map(str, each))}",
            cure=f"Use compare_learners, which makes such folds, or {arg('test', 'corrected_t')}.",
        )


def refuse_metric(spec: TestSpec, metric: Metric, cure: str) -> MetricError:
    """Return the refusal of a metric that a test cannot take."""
    return MetricError(
        f"test {spec.name!r} cannot compare by {metric.name!r}",
        needs=str(spec.metrics),
        got=metric.name,
        cure=cure,
    )


def predict_alike(pi: Predictions, a: int, b: int) -> bool:
    """Tell whether two configurations predicted the same for every case."""
    if a == b:
        return True
    return bool(np.array_equal(pi.responses[:, a], pi.responses[:, b], equal_nan=True))


def several_models(pi: Predictions) -> Iterator[Caution]:
    """Yield a note where predictions of several fitted models are read as one model's."""
    if pi.n_folds > 1:
        yield of_tests.models_read_as_one(pi.n_folds)


def dependent_test_sets(count: int) -> Iterator[Caution]:
    """Yield a caution where scores of overlapping splits are treated as independent."""
    yield of_tests.dependent_test_sets(count)


def dependent_folds(folds: int) -> Iterator[Caution]:
    """Yield a caution where scores of folds are treated as independent."""
    yield of_tests.folds_dependent(folds)


DRAWS = 999  # joint draws; p-values are whole multiples of 1 / 1000
BLOCK = 64  # draws a seed
CELLS = 1 << 17  # numbers looked at together, so that they stay in the cache


def flip_signs(errors: Array, seeds: Seeds, count: int = DRAWS) -> Array:
    """Return joint draws (B, C) of the sum of errors (units, C) with random signs of the units."""
    blocks = [
        _signs(seeds.generator(Purpose.MULTIPLIERS, block), len(errors)) @ errors
        for block in range(-(-count // BLOCK))
    ]
    return np.concatenate(blocks)[:count]


def _signs(rng: np.random.Generator, units: int) -> Array:
    """Return 64 rows of random signs, from as few random bytes as they need."""
    bits = np.frombuffer(rng.bytes(BLOCK * units // 8), dtype=np.uint8)
    return np.unpackbits(bits).reshape(BLOCK, units).astype(np.float64) * 2.0 - 1.0


STEEPEST = 1e30  # one over a spread, that single precision holds


def largest_errors(
    draws: Array, reference: int | None = None, n_jobs: int | None = None
) -> Array | None:
    """Return the largest standardised difference of every draw, over all pairs: (B,).

    Parameters
    ----------
    draws : ndarray, shape (B, C)
        Joint draws of the errors of all values, about 0.
    reference : int, optional
        A configuration that was fixed in advance: then over the pairs that it is in.

    Returns
    -------
    ndarray or None
        None if no difference varies, or if there are too few draws.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.comparison.base import largest_errors
    >>> noise = np.random.default_rng(0).standard_normal((999, 40))
    >>> float(np.quantile(largest_errors(noise), 0.95).round(1))  # Tukey's 5.4 / sqrt(2)
    3.9
    >>> float(np.quantile(largest_errors(noise, reference=0), 0.95).round(1))  # Dunnett's 3.1
    3.1
    """
    count, configs = draws.shape
    if count < 2:
        return None
    # In a unit of their own size, a power of two, nothing overflows and no digit changes.
    draws = np.ldexp(draws, -np.frexp(np.abs(draws).max())[1])
    spread = spread_of_differences(draws)
    steepness = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
    if not steepness.any():
        return None
    steepness = np.minimum(steepness, STEEPEST)
    if reference is not None:
        apart = np.abs(draws - draws[:, [reference]]) * steepness[reference]
        return np.asarray(apart.max(axis=1))
    tall = (draws - draws.mean(axis=1, keepdims=True)).astype(np.float32)  # six digits do
    steep, rows = steepness.astype(np.float32), max(1, CELLS // configs)
    parts = [tall[start : start + rows] for start in range(0, count, rows)]
    largest = each(lambda block: _largest(block, steep), parts, workers(n_jobs))
    return np.concatenate(largest).astype(np.float64)


def _largest(draws: NDArray[np.float32], steepness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest difference over all pairs in every draw, one configuration at a time."""
    columns = np.ascontiguousarray(draws.T)  # (C, b)
    largest, held = np.zeros(columns.shape[1], dtype=np.float32), np.empty_like(columns)
    for config in range(1, len(columns)):
        apart = np.subtract(columns[:config], columns[config], out=held[:config])
        np.abs(apart, out=apart)
        apart *= steepness[config, :config, None]
        np.maximum(largest, apart.max(axis=0), out=largest)
    return largest


def spread_of_differences(draws: Array) -> NDArray[np.float64]:
    """Return the standard deviations of all differences (C, C), 0 where they are rounding."""
    centred = draws - draws.mean(axis=0)
    products = centred.T @ centred / max(1, len(draws) - 1)
    squared_norms = np.diag(products)
    squares = squared_norms[:, None] + squared_norms[None, :] - 2.0 * products
    floor = 1e-12 * (squared_norms[:, None] + squared_norms[None, :])
    return np.asarray(np.sqrt(np.where(squares <= floor, 0.0, squares)))
