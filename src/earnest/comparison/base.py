"""What every test is: knobs as a frozen dataclass, a spec, a reading of pairs, shared cautions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.comparison import Alternative, Probabilities
from earnest.core.results.interval import LimitSource
from earnest.core.results.papers import Paper
from earnest.core.results.specs import Evidence
from earnest.metrics.families import Metric

Array = NDArray[np.float64]


class ComparisonEstimand(StrEnum):
    """What a difference is a difference of; the value is the sentence that results show."""

    FOLD_MODELS = (
        "the average performance of the models fitted in these folds; not of models refitted on "
        "all cases"
    )
    FIXED_MODELS = "the two columns of predictions, each read as those of one fixed model"
    BOOTSTRAP_LEARNERS = (
        "the mean performance over training sets of about .632 n distinct cases, as bootstrap "
        "samples have; not of the models at hand"
    )
    LEARNERS = (
        "the mean performance over training sets of the size used in the folds; not of the models "
        "at hand"
    )


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
    needs : Evidence
        The type of evidence; tests that train their own models need other than predictions.
    estimand : ComparisonEstimand
        What is compared.
    metrics : SupportedMetrics
        Which metrics it takes.
    cites : str
        The source; papers of `core/results/papers.py` are found by their word in it.
    papers : tuple of Paper
        Papers to cite that are not in that table.
    min_folds : int
        The least number of folds.
    repeats : bool
        Whether it takes more than one repeat of the cross-validation.
    groups : bool
        Whether its law takes account of groups.
    p_value : bool
        Whether it gives a p-value; a Bayesian one gives probabilities instead.
    draws : bool
        Whether it draws random numbers.
    design : tuple of int, optional
        The repeats, and the folds of each, that its law is for; any by default.
    random_test_sets : bool
        Whether models are trained for it on random splits rather than on folds.
    one_sided : bool
        Whether it knows one-sided alternatives.
    overlap : bool
        Whether it has a knob `ratio` for the size of test sets relative to training sets, which
        `compare_learners` sets by its splits.
    """

    __test__: ClassVar[bool] = False  # the name is no invitation to pytest

    name: str
    title: str
    estimand: ComparisonEstimand
    metrics: SupportedMetrics
    cites: str
    papers: tuple[Paper, ...] = ()
    needs: Evidence = Evidence.OUT_OF_SAMPLE
    min_folds: int = 1
    repeats: bool = True
    groups: bool = True
    p_value: bool = True
    draws: bool = False
    design: tuple[int, int] | None = None
    random_test_sets: bool = False
    one_sided: bool = True
    overlap: bool = False
    aliases: tuple[str, ...] = field(default=())


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
    """What a test says of one pair, at every level and for every alternative."""

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


class Reading(Protocol):
    """A test that has read its evidence: the value of every configuration, and any pair."""

    @property
    def values(self) -> Array:
        """The metric of every configuration as the test measures it: (C,)."""
        ...

    @property
    def used(self) -> Mapping[str, object]:
        """The knobs as they were resolved, where a default depends on the data."""
        ...

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return what the test says of configuration a against b."""
        ...


@runtime_checkable
class JointReading(Reading, Protocol):
    """A reading that also knows how the values of all configurations err together."""

    @property
    def units(self) -> int:
        """The independent units that the error of a value is a sum of."""
        ...

    def deviations(self) -> Array:
        """Return joint draws of the errors of all values: (B, C)."""
        ...


class Test(Protocol):
    """A way to tell whether one configuration is better than another."""

    if not TYPE_CHECKING:
        __test__ = False  # no invitation to pytest, and no member that a test must have
    spec: ClassVar[TestSpec]

    def read(self, question: Question) -> Reading:
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


def check_splits(spec: TestSpec, counts: list[int], groups: int | None) -> None:
    """Refuse folds of each repeat, and groups of cases, that a test cannot take."""
    if spec.design is not None:
        check_design(spec, counts)
    if sum(counts) < spec.min_folds:
        raise EvidenceError(
            f"test {spec.name!r} needs more folds",
            needs=f"at least {spec.min_folds}",
            got=str(sum(counts)),
            cure="Pass `fold`, or use test='bayle' or test='bootstrap'.",
        )
    if len(counts) > 1 and not spec.repeats:
        raise EvidenceError(
            f"test {spec.name!r} cannot use repeats",
            needs="one repeat",
            got=f"{len(counts)} repeats",
            cure="Use test='bayle', or test='corrected_t' for repeated cross-validation.",
        )
    if groups is not None and not spec.groups:
        raise EvidenceError(
            f"test {spec.name!r} treats every case as independent",
            needs="cases without groups",
            got=f"{groups} groups",
            cure="Use test='bayle', test='bootstrap' or test='sign_flip', which take whole groups.",
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
            cure="Use compare_learners, which makes such folds, or test='corrected_t'.",
        )


def refuse_metric(spec: TestSpec, metric: Metric, cure: str) -> MetricError:
    """Return the refusal of a metric that a test cannot take."""
    return MetricError(
        f"test {spec.name!r} cannot compare by {metric.name!r}",
        needs=str(spec.metrics),
        got=metric.name,
        cure=cure,
    )


def same_predictions(pi: Predictions, a: int, b: int) -> bool:
    """Tell whether two configurations predicted the same for every case."""
    if a == b:
        return True
    return bool(np.array_equal(pi.responses[:, a], pi.responses[:, b], equal_nan=True))


def several_models(pi: Predictions) -> Iterator[Caution]:
    """Yield a note where predictions of several fitted models are read as one model's."""
    if pi.n_folds > 1:
        yield Caution(
            "EN042",
            f"The predictions of {pi.n_folds} folds are read as those of one fixed model.",
            "The folds' models differ and share training cases, which this test does not account "
            "for. Near chance, simulated tests of AUCs rejected a true null hypothesis in 11 % "
            "instead of 5 %.",
            "Use test='corrected_t' for scores near chance, or test='bayle' for these models.",
            Severity.NOTE,
        )


def dependent_test_sets(count: int) -> Iterator[Caution]:
    """Yield a caution where scores of overlapping splits are treated as independent."""
    yield Caution(
        "EN038",
        f"The scores of {count} test sets are treated as independent, although their models "
        "share most of their training cases and the test sets overlap.",
        "The test finds differences far too easily, the more so the more test sets there are.",
        "Use test='corrected_t', which allows for the overlap.",
    )


def dependent_folds(folds: int) -> Iterator[Caution]:
    """Yield a caution where scores of folds are treated as independent."""
    yield Caution(
        "EN038",
        f"The {folds} fold scores are treated as independent, although their models share most "
        "of their training cases.",
        "The test finds differences too easily and its interval is too narrow.",
        "Use test='corrected_t' for learners, or test='bayle' for the models at hand.",
    )
