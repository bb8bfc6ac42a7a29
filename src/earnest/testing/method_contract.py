"""The contract of a method: about twenty laws that hold whatever it computes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions.meanings import MEANINGS
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import Replicates
from earnest.core.data.target import TASKS, Task
from earnest.core.results.cautions import Scope
from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Estimand, Evidence, MetricFamily
from earnest.methods.base import Method
from earnest.methods.run import estimate
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric
from earnest.testing.examples import (
    AnyEvidence,
    answer_or_refusal,
    example_evidence,
    example_for,
    in_order,
    mirrored,
    pickled,
    reordered,
    require,
    require_close,
    require_refusal,
    squared_error,
    without_folds,
)


@dataclass(frozen=True, eq=False)
class MethodCase:
    """A method with the evidence, the metric and the seed that it is tried on."""

    method: Method
    predictions: AnyEvidence
    metric: Metric
    seed: int = 0

    @classmethod
    def of(
        cls,
        method: Method | type[Method],
        predictions: AnyEvidence | None = None,
        metric: Metric | str | None = None,
        seed: int = 0,
    ) -> MethodCase:
        """Fill in what is missing: a regression, or an AUC for a method of ranks."""
        instance: Method = method() if isinstance(method, type) else method
        ranks = instance.spec.metrics in (
            MetricFamily.RANK,
            MetricFamily.AUC,
            MetricFamily.PAIRS,
            MetricFamily.WITH_LAW,
        )
        if predictions is None:
            task = Task.BINARY if ranks else Task.REGRESSION
            predictions = example_for(instance.spec, task)
        if metric is None:
            metric = "roc_auc" if ranks else squared_error
        return cls(instance, predictions, resolve_metric(metric), seed)

    @property
    def names(self) -> tuple[str, ...]:
        """What a result may be about: configurations, or the learner of replicates."""
        if isinstance(self.predictions, Replicates):
            return (self.predictions.learner,)
        return self.plain.configs.ids

    @property
    def plain(self) -> Predictions:
        """The predictions themselves, those of all cases of a design."""
        return cast(Predictions, getattr(self.predictions, "predictions", self.predictions))

    def ask(self, predictions: AnyEvidence | None = None, **options: Any) -> Estimate:
        """Return the method's answer, other predictions or options aside."""
        arguments: dict[str, Any] = {"metric": self.metric, "rng": self.seed, **options}
        return estimate(predictions or self.predictions, method=self.method, **arguments)

    @cached_property
    def answer(self) -> Estimate:
        """The answer to the plain question."""
        return self.ask()


def names_its_estimand(case: MethodCase) -> None:
    """The spec is filled in, and the result says what it estimates, of whom, and how."""
    spec, estimate = case.method.spec, case.answer
    require(bool(spec.name and spec.title and spec.cites), "a spec has name, title and source")
    require(spec.name.isidentifier() or spec.name[0] in ".", "a name is one word", spec.name)
    require(isinstance(spec.estimand, Estimand), "an estimand is an Estimand", spec.estimand)
    require(isinstance(spec.needs, Evidence), "evidence is named", spec.needs)
    require(estimate.method == spec.name, "a result names its method", estimate.method)
    require(len(estimate.estimand) > 20, "a result says what it estimates", estimate.estimand)
    require(estimate.metric == case.metric.name, "a result names its metric", estimate.metric)
    require(estimate.winner in case.names, "a winner is a config", estimate.winner)


def value_is_in_the_range_of_the_metric(case: MethodCase) -> None:
    """The value is a number within the metric's limits."""
    low, high = case.metric.limits
    require(low <= case.answer.value <= high, "a value lies in range", case.answer.value)


def interval_is_ordered_and_in_range(case: MethodCase) -> None:
    """Ends are ordered and in range; no interval only where the spec says so."""
    interval, (low, high) = case.answer.interval, case.metric.limits
    require((interval is not None) == case.method.spec.interval, "the spec tells of intervals")
    if interval is not None:
        ends = low <= interval.low <= interval.high <= high
        require(ends, "limits are ordered and in range", interval)


def levels_nest(case: MethodCase) -> None:
    """An interval of a lower level lies inside one of a higher level."""
    if case.answer.interval is None:
        return
    inner, outer = (case.answer.at(confidence_level=c).interval for c in (0.9, 0.95))
    require(inner is not None and outer is not None, "at() keeps an interval")
    if inner is not None and outer is not None:
        nested = outer.low <= inner.low and inner.high <= outer.high
        require(nested, "90 % lies inside 95 %", (inner, outer))


def another_level_is_asking_anew_without_resampling(case: MethodCase) -> None:
    """at() gives what a new call gives, from the same source of limits."""
    if case.answer.interval is None:
        require_refusal(lambda: case.answer.at(side="lower"), "no interval at any level")
        return
    for level, side in ((0.9, "lower"), (0.8, "upper"), (0.9, "pessimistic"), (0.9, "two-sided")):
        moved = case.answer.at(confidence_level=level, side=side)
        anew = case.ask(confidence_level=level, side=side)
        require(moved.source is case.answer.source, "at() reads the draws that are there")
        require(moved.interval == anew.interval, "at() is asking anew", (moved, anew))
        require(moved.value == anew.value, "a level never moves the value", (moved, anew))


def one_sided_intervals_are_open_at_the_other_end(case: MethodCase) -> None:
    """The open end is the metric's limit; 'pessimistic' is the worse end for the metric."""
    if case.answer.interval is None:
        return
    lower, upper, bad = (
        case.answer.at(side=side).interval for side in ("lower", "upper", "pessimistic")
    )
    require(lower is not None and lower.high == case.metric.limits[1], "open above", lower)
    require(upper is not None and upper.low == case.metric.limits[0], "open below", upper)
    require(bad == (lower if case.metric.greater_is_better else upper), "the bad end", bad)


def same_seed_gives_the_same_bytes(case: MethodCase) -> None:
    """Two calls with one seed agree to the last bit, draws included."""
    require(_write_json(case.ask()) == _write_json(case.answer), "one seed gives one result")


def threads_do_not_matter(case: MethodCase) -> None:
    """The result does not depend on n_jobs."""
    require(
        _write_json(case.ask(n_jobs=2)) == _write_json(case.answer), "n_jobs never changes a result"
    )


def order_of_cases_does_not_matter(case: MethodCase) -> None:
    """Cases in another order have the same winner, and the same value up to the random draws.

    A method that splits the cases at random, and says so by a knob `learn`, is handed the split:
    then the same cases learn in both orders, and the law is as strict as for any other.
    """
    rows = np.random.default_rng(case.seed).permutation(case.predictions.n_cases)
    split = np.arange(case.predictions.n_cases) % 4 != 3
    first, second = (_fix_split(case.method, mine) for mine in (split, split[rows]))
    estimate = case.answer if first is case.method else replace(case, method=first).ask()
    moved = replace(case, method=second).ask(in_order(case.predictions, rows))
    require(moved.winner == estimate.winner, "the winner does not depend on the order of cases")
    # Two runs of B draws differ by sqrt(2/B) standard errors; six of those never happen.
    drawn = estimate.draws
    spread = float(np.nanstd(drawn)) if estimate.n_valid and drawn is not None else None
    tolerance = 6 * spread * math.sqrt(2 / estimate.n_valid) if spread and estimate.n_valid else 0.0
    require_close(moved.value, estimate.value, tolerance + 1e-9, "order of cases")


def order_of_configurations_does_not_matter(case: MethodCase) -> None:
    """The winner follows its column, and the value and limits stay; so it is with replicates."""
    moved, estimate = case.ask(reordered(case.predictions, case.seed)), case.answer
    require(moved.winner == estimate.winner, "the winner follows its column", moved.winner)
    require_close(moved.value, estimate.value, 1e-9, "order of configurations")
    _require_same_limits(moved, estimate)


def losses_mirror_scores(case: MethodCase) -> None:
    """The negated metric gives the negated value, and limits with their ends exchanged."""
    estimate, other = case.answer, case.ask(metric=mirrored(case.metric))
    require(
        other.winner == estimate.winner, "a loss and its negation have one winner", other.winner
    )
    require_close(other.value, -estimate.value, 1e-9, "a loss mirrors a score")
    for side, opposite in (("lower", "upper"), ("upper", "lower"), ("two-sided", "two-sided")):
        if estimate.interval is None:
            continue
        ours, theirs = estimate.at(side=side).interval, other.at(side=opposite).interval
        if ours is not None and theirs is not None:
            require_close(theirs.low, -ours.high, 1e-9, "limits mirror")
            require_close(theirs.high, -ours.low, 1e-9, "limits mirror")
    if estimate.optimism is not None and other.optimism is not None:
        require_close(other.optimism, estimate.optimism, 1e-9, "optimism has no sign")


def one_configuration_is_answered_or_refused(case: MethodCase) -> None:
    """With one configuration the result is about it, and says that nothing was selected."""
    if not isinstance(case.predictions, Predictions):
        return  # replicates and designs are of one learner
    single = case.predictions.select(0)
    estimate = answer_or_refusal(lambda: case.ask(single))
    if estimate is not None:
        require(estimate.n_configs == 1, "one configuration is counted", estimate.n_configs)
        require(estimate.winner == single.configs.ids[0], "it is the winner", estimate.winner)
        said = any(c.about is Scope.SELECTION for c in estimate.cautions)
        require(said, "a note says so", estimate.cautions)


def result_survives_json(case: MethodCase) -> None:
    """to_dict, JSON and from_dict give the same estimate, at other levels too."""
    estimate = case.answer
    back = Estimate.from_dict(json.loads(json.dumps(estimate.to_dict(draws=True), allow_nan=False)))
    require(back == estimate, "a result survives JSON", back)
    if estimate.interval is not None:
        moved = back.at(confidence_level=0.8).interval
        require(moved == estimate.at(confidence_level=0.8).interval, "limits survive JSON", moved)


def refuses_what_it_cannot_do(case: MethodCase) -> None:
    """A metric of another task, other evidence, and folds that are not there, are refused."""
    strange = next((task for task in TASKS if task not in case.metric.tasks), None)
    if strange is not None:
        other = example_evidence(case.method.spec.needs, strange)
        require_refusal(lambda: case.ask(other), f"a {strange} task")
    kinds = {Evidence.REPLICATES: Evidence.OUT_OF_SAMPLE}
    kind = kinds.get(case.method.spec.needs, Evidence.REPLICATES)
    unlike = example_evidence(kind, case.predictions.target.task)
    require_refusal(lambda: case.ask(unlike), f"{kind}, which it does not need")
    if case.method.spec.min_folds > 1:
        whole = without_folds(case.plain)
        require_refusal(lambda: case.ask(whole), "predictions without folds")


def repr_is_one_line(case: MethodCase) -> None:
    """The result prints as one line that names metric and method."""
    text = repr(case.answer)
    require("\n" not in text, "a repr is one line", text)
    require(text.startswith(case.metric.name), "it begins with the metric", text)
    require(case.method.spec.name in text, "it names the method", text)


def cautions_are_known_and_say_what_follows(case: MethodCase) -> None:
    """Every caution has a code of the table, and a consequence."""
    for caution in case.answer.cautions:
        require(bool(MEANINGS.get(caution.code)), "a code is in the table", caution.code)
        require(bool(caution.what and caution.consequence), "a caution is a sentence", caution)


def counts_are_consistent(case: MethodCase) -> None:
    """n, configurations and resamples are counted; a standard error is not negative."""
    estimate, pi = case.answer, case.predictions
    require(estimate.n_cases == pi.n_cases, "cases are counted", estimate.n_cases)
    require(estimate.n_configs == len(case.names), "configurations are counted", estimate.n_configs)
    require((estimate.n_resamples is None) == (estimate.draws is None), "resamples are the draws")
    if (
        estimate.draws is not None
        and estimate.n_resamples is not None
        and estimate.n_valid is not None
    ):
        require(
            estimate.n_resamples == len(estimate.draws),
            "resamples are counted",
            estimate.n_resamples,
        )
        require(
            0 < estimate.n_valid <= estimate.n_resamples, "valid ones are counted", estimate.n_valid
        )
    if estimate.standard_error is not None:
        require(estimate.standard_error >= 0, "a standard error is >= 0", estimate.standard_error)


def knobs_and_seed_are_recorded(case: MethodCase) -> None:
    """The result has the seed, all knobs of the method and the fingerprint of the evidence."""
    provenance = case.answer.provenance
    missing = {f.name for f in fields(case.method)} - set(provenance.knobs)  # type: ignore[arg-type]
    require(not missing, "every knob is recorded", missing)
    seed = case.predictions.seed if isinstance(case.predictions, Replicates) else case.seed
    require(provenance.seed == seed, "the seed is recorded", provenance.seed)
    require(provenance.fingerprint == case.predictions.fingerprint, "and the evidence")


def method_and_result_pickle(case: MethodCase) -> None:
    """Workers can be sent the method and send back the result."""
    for thing, law in ((case.method, "a method pickles"), (case.answer, "a result pickles")):
        require(pickled(thing, law) == thing, law)


def evidence_is_not_changed(case: MethodCase) -> None:
    """Predictions are as they were: the same bytes before and after."""
    before = case.plain.responses.tobytes()
    case.ask()
    require(case.plain.responses.tobytes() == before, "evidence is never written to")


MethodLaw = Callable[[MethodCase], None]

METHOD_LAWS: tuple[MethodLaw, ...] = (
    names_its_estimand,
    value_is_in_the_range_of_the_metric,
    interval_is_ordered_and_in_range,
    levels_nest,
    another_level_is_asking_anew_without_resampling,
    one_sided_intervals_are_open_at_the_other_end,
    same_seed_gives_the_same_bytes,
    threads_do_not_matter,
    order_of_cases_does_not_matter,
    order_of_configurations_does_not_matter,
    losses_mirror_scores,
    one_configuration_is_answered_or_refused,
    result_survives_json,
    refuses_what_it_cannot_do,
    repr_is_one_line,
    cautions_are_known_and_say_what_follows,
    counts_are_consistent,
    knobs_and_seed_are_recorded,
    method_and_result_pickle,
    evidence_is_not_changed,
)


def check_method(
    method: Method | type[Method],
    *,
    predictions: Predictions | Replicates | None = None,
    metric: Metric | str | None = None,
    seed: int = 0,
) -> tuple[str, ...]:
    """Hold a method to every law of `METHOD_LAWS`, and return their names.

    Parameters
    ----------
    method : Method or class
        A configured method, or its class.
    predictions, metric : optional
        What to try it on; by default sixty cases of a regression under the squared error, or of a
        binary task under the AUC for a method of ranks: as predictions, or as replicates if it
        needs them. The metric must not tie configurations.
    seed : int
        The seed.

    Raises
    ------
    AssertionError
        With the law that is broken.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.testing import check_method
    >>> len(check_method(en.methods.BBC(n_resamples=100)))
    20
    """
    case = MethodCase.of(method, predictions, metric, seed)
    for law in METHOD_LAWS:
        law(case)
    return tuple(law.__name__ for law in METHOD_LAWS)


def _fix_split(method: Method, learn: NDArray[np.bool_]) -> Method:
    """Return the method with a given split, as it is where it draws none."""
    names = {f.name for f in fields(method)}  # type: ignore[arg-type]  # a dataclass
    if "learn" not in names:
        return method
    return replace(method, learn=tuple(learn.tolist()))  # type: ignore[type-var]  # a dataclass


def _write_json(estimate: Estimate) -> str:
    return json.dumps(estimate.to_dict(draws=True))


def _require_same_limits(first: Estimate, second: Estimate) -> None:
    require((first.interval is None) == (second.interval is None), "both or none has limits")
    if first.interval is not None and second.interval is not None:
        require_close(first.interval.low, second.interval.low, 1e-9, "the same lower limit")
        require_close(first.interval.high, second.interval.high, 1e-9, "the same upper limit")
