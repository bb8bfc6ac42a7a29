"""The estimate of a fitted search, beyond scikit-learn's contract."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import Source, refuse_evidence
from earnest.core.base.errors import ClusterError, EarnestError
from earnest.core.base.protocols import Progress
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_evidence, of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import EnsembleRule
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution, Scope, Verb
from earnest.core.results.counts import COMPLETE, DROPPED, FAILED
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.gain import Gain
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Selection
from earnest.core.results.thresholds import Thresholds
from earnest.core.text.names import name_configs, simplify_values
from earnest.engine import patience
from earnest.engine.patience import describe_scores, foretell_seconds, show_scores
from earnest.engine.progress import ProgressBar
from earnest.inference.curves.gain import gain_beside
from earnest.inference.curves.thresholds import thresholds_beside
from earnest.inference.resampling.ensembles import check_ensemble, choose_ensembles
from earnest.methods.base import Method
from earnest.methods.run import configure_for_search, estimate, too_optimistic
from earnest.metrics.families import Metric
from earnest.training.fit.ledger import UNSCORED, Failure
from earnest.training.fit.splits import Splits

# Whether an attribute is read to be shown, by somebody who did not ask for it.
_DISPLAYED: ContextVar[bool] = ContextVar("displayed", default=False)


class NoEstimateError(EarnestError, ValueError, AttributeError):
    """A search has no predictions or no estimate; `hasattr` is then False."""


def refuse_estimate(why: EarnestError | None, name: str) -> NoEstimateError:
    """Return the error that says why a search has no predictions or no estimate."""
    if why is None:
        return NoEstimateError(f"there is no {name}", got="a search without predictions")
    return NoEstimateError(why.what, needs=why.needs, got=why.got, cure=why.cure)


@dataclass(frozen=True)
class Trial:
    """One configuration as an explanation of the search reads it.

    Attributes
    ----------
    config : str
        Its name.
    params : dict
        Its parameters.
    score : float
        Its mean score over the splits that it was evaluated on, greater being better.
    standard_error : float
        The standard error of that mean over splits, NaN for one split.
    status : {'complete', 'dropped', 'failed'}
        Whether it was evaluated on every split that any was.
    n_splits : int
        On how many splits it was evaluated.
    """

    config: str
    params: dict[str, object]
    score: float
    standard_error: float
    status: str
    n_splits: int


@dataclass(frozen=True, eq=False)
class EstimateQuestion:
    """The question of the estimate, kept by a search until the estimate is needed."""

    metric: Metric
    method: str | Method
    confidence_level: float
    n_resamples: int | None
    seed: int
    best: int | None
    cautions: tuple[Caution, ...]
    rule: EnsembleRule | None = None  # by which an ensemble is chosen instead of a winner

    def answer(self, pi: Predictions) -> Estimate:
        """Return the estimate of the search's winner.

        If the rule of the resamples chooses the same winner, it is the estimate of the method. If
        it chooses another, the method corrects for a choice that was not made: its value is used
        only if it is worse than the out-of-sample score of the winner. Otherwise the winner is
        judged as a single configuration, uncorrected. So the estimate is never better than the
        winner's own score.
        """
        estimate = self._ask(pi)
        if self.best is None or self.rule is not None:
            return replace(estimate, cautions=by_severity([*estimate.cautions, *self.cautions]))
        name = pi.configs.ids[self.best]
        if not pi.complete[self.best]:
            raise NoEstimateError(
                f"the winner {name} lacks predictions",
                needs="a winner that was evaluated on every split",
                got="a winner with failed fits",
                cure="Read failures_. With error_score=numpy.nan such a configuration cannot win.",
            )
        if estimate.winner not in (name, None):
            estimate = self._judge_another(pi, estimate, self._ask(pi.select(self.best)))
        return replace(
            estimate,
            winner=name,
            winner_label=pi.configs.find_label(name),
            cautions=by_severity([*estimate.cautions, *self.cautions]),
        )

    def answer_anew(self, pi: Predictions, settings: Mapping[str, Any]) -> Estimate:
        """Return the estimate of the same winner by another method, number of resamples or seed."""
        rng = settings["rng"]
        question = replace(
            self,
            method=settings["method"],
            n_resamples=settings["n_resamples"],
            seed=rng if isinstance(rng, int) else Seeds.of(rng).entropy,
        )
        return question.answer(pi)

    def with_resamples(self, count: int) -> EstimateQuestion:
        """Return the question with this number of resamples, if its method draws any."""
        drawn = isinstance(self.method, str) and self.n_rounds is not None
        return replace(self, n_resamples=count) if drawn else self

    def _ask(self, pi: Predictions) -> Estimate:
        answer = estimate(
            pi,
            method=configure_for_search(self.method, self.n_resamples, self.rule),
            metric=self.metric,
            confidence_level=self.confidence_level,
            rng=self.seed,
        )
        return replace(
            answer, cautions=tuple(each.for_verb(Verb.SEARCH) for each in answer.cautions)
        )

    @property
    def n_rounds(self) -> int | None:
        """How many resamples the method draws, None where it draws none."""
        method = configure_for_search(self.method, self.n_resamples, self.rule)
        rounds: int | None = getattr(method, "n_resamples", None)
        return rounds

    def foretell_seconds(self, pi: Predictions) -> float:
        """Return about how many seconds the answer takes."""
        return foretell_seconds(pi, self.metric, self.n_rounds)

    def choose_members(self, pi: Predictions) -> dict[str, float]:
        """Return the shares of the ensemble that the rule chooses on the sample itself."""
        assert self.rule is not None
        usable = pi.usable()
        check_ensemble(usable, self.rule)
        ones = Weights.ones(usable.n_cases)
        (shares,) = choose_ensembles(usable, self.metric, ones, self.rule)
        order = np.argsort(-shares, kind="stable")
        return {usable.configs.ids[c]: float(shares[c]) for c in order if shares[c] > 0}

    def _judge_another(self, pi: Predictions, estimate: Estimate, alone: Estimate) -> Estimate:
        """Return the estimate of a winner that the rule of the resamples does not choose."""
        sign = self.metric.sign
        # Methods that keep cases apart for a choice have no naive value of one configuration.
        naive = alone.value if alone.naive is None else alone.naive
        value = sign * min(sign * alone.value, sign * naive)
        if estimate.honest and sign * estimate.value <= sign * value:
            cautions = [
                caution for caution in estimate.cautions if caution.about not in OF_THE_WINNER
            ]
            # The error of the optimism is that of the other winner's.
            answer = replace(estimate, naive=naive, winner=alone.winner, optimism_error=None)
            remarks = [*too_optimistic(answer), *_warn_of_rules(pi, estimate, alone)]
            return replace(answer, cautions=(*cautions, *remarks))
        whole = [caution for caution in estimate.cautions if caution.about is Scope.SEARCH]
        cautions = [caution for caution in alone.cautions if caution.about not in OF_ITS_CHOICE]
        return replace(
            alone,
            value=value,
            naive=naive,
            n_configs=estimate.n_configs,
            selection=Selection.UNCORRECTED,
            provenance=estimate.provenance,
            cautions=(*cautions, *whole, *_warn_of_no_correction(pi, estimate, alone)),
        )


# Remarks on the winner of the resamples' rule, and those on what it was chosen from.
OF_THE_WINNER = {Scope.OPTIMISM, Scope.WINNER}
OF_ITS_CHOICE = {Scope.SELECTION, Scope.SEARCH}


def _list_rules(pi: Predictions, estimate: Estimate, alone: Estimate) -> tuple[str, str, str]:
    """Return the rule of the resamples, what it chooses, and what the search refits."""
    rule = estimate.provenance.knobs.get("selector", estimate.method)
    return str(rule), _print_winner(pi, estimate), _print_winner(pi, alone)


def _print_winner(pi: Predictions, estimate: Estimate) -> str:
    """Return the winner by its name, and its parameters in brackets."""
    name = estimate.winner or ""
    if pi.configs.find_label(name) is None:
        return name
    names = name_configs(pi.configs.ids, simplify_values(pi.configs.params or ()))
    return f"{name} ({names[name].words})"


def _warn_of_rules(pi: Predictions, estimate: Estimate, alone: Estimate) -> Iterator[Caution]:
    yield of_search.refit_differs(*_list_rules(pi, estimate, alone), winner=str(alone.winner))


def _warn_of_no_correction(
    pi: Predictions, estimate: Estimate, alone: Estimate
) -> Iterator[Caution]:
    yield of_search.refit_not_repeated(
        *_list_rules(pi, estimate, alone), winner=str(alone.winner), resampled=str(estimate.winner)
    )
    yield of_search.refit_not_corrected(str(alone.winner), estimate.n_configs)


@dataclass(frozen=True, eq=False)
class SearchRecord:
    """What a search keeps for its estimate, which is computed on demand.

    Attributes
    ----------
    predictions : Predictions, optional
        Π, where it could be kept.
    question, refusal
        The question of the estimate, or why there is none.
    """

    predictions: Predictions | None
    question: EstimateQuestion | None
    refusal: EarnestError | None

    @cached_property
    def seconds(self) -> float:
        """About how many seconds the estimate takes."""
        if self.question is None or self.predictions is None:
            return 0.0
        return self.question.foretell_seconds(self.predictions)


def get_record(search: EstimateAttributes) -> SearchRecord:
    """Return what a fitted search keeps for its estimate."""
    return search._record


class EstimateAttributes:
    """The attributes of a fitted search that tell how good its winner really is."""

    verbose: float | Progress
    _record: SearchRecord
    _answer: Estimate | None

    @property
    def predictions_(self) -> Predictions:
        """Π: the out-of-sample predictions of every configuration.

        NaN if a fit failed or a configuration had been dropped. Every score of the search that is
        a metric of predictions can be computed from it again.
        """
        _need_fit(self)
        if self._record.predictions is None:
            raise refuse_estimate(self._record.refusal, "predictions_")
        return self._record.predictions

    @property
    def estimate_(self) -> Estimate:
        """How good the winner really is: the estimate of `method`, always of `best_index_`.

        It is computed on first use, from the seed of the search, and kept; if that takes seconds,
        a bar on standard error says so and shows how far it is. If `refit` chose
        another winner than the rule of the resamples, it is not better than that winner's own
        score, and a caution (EN014) says what it corrects for.
        """
        _need_fit(self)
        if self._answer is None:
            record = self._record
            if record.question is None:
                raise refuse_estimate(record.refusal, "estimate_")
            try:
                if not (_DISPLAYED.get() and record.seconds > patience.LONG):
                    with _show_long_work(record, self.verbose):
                        self._answer = record.question.answer(self.predictions_)
            except ClusterError:  # it can be asked again
                raise
            except EarnestError as error:
                self._record = replace(record, refusal=error)
                raise refuse_estimate(error, "estimate_") from error
        if self._answer is None:
            raise NoEstimateError("a display does not compute it", cure="Ask for `estimate_`.")
        return self._answer

    def gain(self, *, order: str = "tried", n_jobs: int | None = None) -> Gain:
        """Return what the search gained, on the resamples of `estimate_`; see `earnest.gain`.

        Parameters
        ----------
        order : {'tried', 'mean'}
            Whether configurations count in the order in which they were tried, or in every order.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        estimate = self.estimate_
        assert self._record.question is not None
        metric = self._record.question.metric
        return gain_beside(estimate, self.predictions_, metric, order=order, n_jobs=n_jobs)

    def thresholds(
        self, thresholds: Sequence[float] | None = None, *, n_jobs: int | None = None
    ) -> Thresholds:
        """Return what to expect at every decision threshold, on the resamples of `estimate_`.

        See `earnest.thresholds`.

        Parameters
        ----------
        thresholds : sequence of float, optional
            Thresholds that are to be on the grid.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        estimate = self.estimate_
        assert self._record.question is not None
        metric = self._record.question.metric
        return thresholds_beside(
            estimate, self.predictions_, metric, given=thresholds, n_jobs=n_jobs
        )

    def to_source(self) -> Source:
        """Return the predictions with what the search has decided, for verbs that are given it."""
        if not hasattr(self, "_record"):  # before `fit`
            raise refuse_evidence(self)
        predictions, question = self.predictions_, self._record.question
        if question is None:
            return Source(evidence=predictions)
        best = question.best if question.rule is None else None
        return Source(
            evidence=predictions,
            metric=question.metric,
            seed=question.seed,
            winner=None if best is None else predictions.configs.ids[best],
            answer=lambda: self.estimate_,
            answer_with=lambda count: question.with_resamples(count).answer(predictions),
        )

    @property
    def confidence_interval_(self) -> Interval | None:
        """The interval of `estimate_`, None if its method gives none."""
        return self.estimate_.interval

    @property
    def corrected_score_(self) -> float:
        """The value of `estimate_`, in the metric's own units: not negated as scorers do."""
        return self.estimate_.value

    def _repr_html_inner(self) -> str:
        return self._show_estimate() + str(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._show_estimate() + bundle["text/html"]
        return bundle

    def _get_fitted_attr_html(self, doc_link: str = "") -> object:
        """Return the attributes that scikit-learn's diagram shows; it reads all there are."""
        token = _DISPLAYED.set(True)
        try:
            return super()._get_fitted_attr_html(doc_link)  # type: ignore[misc]
        finally:
            _DISPLAYED.reset(token)

    def _show_estimate(self) -> str:
        """Return the estimate for a notebook, or nothing if there is none.

        One that would take long is not computed for a display: it says how to ask for it.
        """
        record: SearchRecord | None = getattr(self, "_record", None)
        if record is None or record.question is None:
            return ""
        from earnest.reporting.fragments import estimate_fragment, fragment

        try:
            if self._answer is None and record.seconds > patience.LONG:
                how = f"Ask for it with estimate_: {_describe_work(record)}."
                return fragment("The estimate is not computed yet.", how, [], ())
            return estimate_fragment(self.estimate_)
        except EarnestError:
            return ""


def _describe_work(record: SearchRecord) -> str:
    """Return in words how long an estimate takes, and what for."""
    assert record.question is not None
    return describe_scores(record.question.metric, record.question.n_rounds, record.seconds)


@contextmanager
def _show_long_work(record: SearchRecord, verbose: float | Progress) -> Iterator[None]:
    """Say before it begins that an estimate takes long, and show how far it is."""
    question = record.question
    if question is None or record.seconds <= patience.LONG or sys.stderr is None:
        yield
        return
    shown = ProgressBar() if isinstance(verbose, int | float) else verbose
    with show_scores(question.metric, question.n_rounds, record.seconds, "Estimate", shown):
        yield


def _need_fit(search: EstimateAttributes) -> None:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(search)


def make_trial(
    config: str,
    params: dict[str, object],
    scores: NDArray[np.float64],
    *,
    dropped: bool,
    failed: bool,
) -> Trial:
    """Return a trial from the scores (S,) of its splits, NaN for missing ones."""
    defined = scores[~np.isnan(scores)]
    count = len(defined)
    spread = float(np.std(defined, ddof=1) / np.sqrt(count)) if count > 1 else np.nan
    status = DROPPED if dropped else FAILED if failed else COMPLETE
    return Trial(config, params, float(defined.mean()) if count else np.nan, spread, status, count)


LONGEST = 160  # signs of an error that are shown


def _find_first_error(failure: Failure) -> str:
    """Return the last line of the traceback of a scorer, which says what went wrong."""
    lines = failure.error.strip().splitlines()
    line = lines[-1].rstrip(".") if lines else ""
    return line[:LONGEST]


def warn_of_failed_fits(failures: Sequence[Failure], n_configs: int) -> Iterator[Caution]:
    """Yield a caution if fits failed, and another one if only scores did."""
    for scores in (False, True):
        those = [failure for failure in failures if (failure.note == UNSCORED) == scores]
        names = list(dict.fromkeys(failure.config for failure in those))
        if not names:
            continue
        if scores:
            error = _find_first_error(those[0])
            yield of_search.scores_failed(len(those), tuple(names), n_configs, error)
        else:
            yield of_search.fits_failed(len(those), tuple(names), n_configs)


def warn_of_no_scores(first: str) -> Iterator[Caution]:
    """Yield a caution that no configuration has a mean score to be chosen by."""
    yield of_search.no_mean_scores(first)


def warn_of_weights(*, scored: bool) -> Iterator[Caution]:
    """Yield a caution that weights went to the fits of a search and not to its estimate."""
    yield of_search.search_weighted(scored)


def warn_of_another_score(scoring: str, metric: str) -> Iterator[Caution]:
    """Yield a caution that the winner was chosen by something else than it is judged by."""
    yield of_search.another_score(scoring, metric)


def warn_of_overlap(splits: Splits) -> Iterator[Caution]:
    """Yield a note if test sets overlap without covering all cases."""
    partial = splits.partial_repeats
    if splits.n_repeats > 1 and partial:
        yield of_evidence.overlapping_test_sets(splits.n_repeats, partial)


def warn_of_leaking_splits(splits: Splits) -> Iterator[Caution]:
    """Yield a caution if cases are tested by models that were trained on them."""
    leaking = splits.leaking
    if leaking:
        yield of_evidence.splits_leak(len(leaking), len(splits))


def warn_of_no_probabilities(winner: str) -> Iterator[Caution]:
    """Yield a caution that no rising curve leads from decision values to probabilities."""
    yield of_evidence.no_probabilities(winner)
