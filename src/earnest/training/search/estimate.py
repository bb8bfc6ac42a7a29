"""What a fitted search tells of itself beyond scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import EnsembleRule
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.gain import Gain
from earnest.core.results.interval import Interval
from earnest.core.results.thresholds import Thresholds
from earnest.inference.curves.gain import gain_beside
from earnest.inference.curves.thresholds import thresholds_beside
from earnest.inference.resampling.ensembles import check_ensemble, choose_ensembles
from earnest.methods.base import Method
from earnest.methods.run import configure_method, estimate, too_optimistic
from earnest.methods.winner.bbc import BBC
from earnest.metrics.families import Metric


class NoEstimateError(EarnestError, ValueError, AttributeError):
    """A search has no predictions or no estimate; `hasattr` tells so too."""


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


def name_method(method: str | Method, n_resamples: int | None, rule: EnsembleRule | None) -> Method:
    """Return the method that judges what a search delivers; an ensemble is judged by BBC."""
    if rule is None:
        return configure_method(method, n_resamples=n_resamples)
    if isinstance(method, BBC) and n_resamples is None:
        return replace(method, selector=rule)
    if method != BBC.spec.name:
        raise InputError(
            "an ensemble is judged by the method 'bbc'",
            needs="method='bbc' beside an ensemble rule",
            got=method if isinstance(method, str) else repr(method),
            cure="Leave `method` out, or let `refit` choose one configuration.",
        )
    return configure_method(method, n_resamples=n_resamples, selector=rule)


@dataclass(frozen=True, eq=False)
class EstimateQuestion:
    """What an estimate is asked of: kept by a search until someone wants to know."""

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

        Where the rule of the resamples chooses the same winner, it is that of the method. Where
        it chooses another, the method corrects for a choice that was not made: its value stands
        only if it is worse than what the winner itself shows out-of-sample, and else the winner
        is judged as a configuration of its own, uncorrected. So no winner is said to be better
        than its own score.
        """
        made = self._ask(pi)
        if self.best is None or self.rule is not None:
            return replace(made, cautions=by_severity([*made.cautions, *self.cautions]))
        name = pi.configs.ids[self.best]
        if not pi.complete[self.best]:
            raise NoEstimateError(
                f"the winner {name} lacks predictions",
                needs="a winner that was evaluated on every split",
                got="a winner with failed fits",
                cure="Read failures_. With error_score=numpy.nan such a configuration cannot win.",
            )
        if made.winner not in (name, None):
            made = self._judge_another(made, self._ask(pi.select(self.best)))
        return replace(made, winner=name, cautions=by_severity([*made.cautions, *self.cautions]))

    def _ask(self, pi: Predictions) -> Estimate:
        return estimate(
            pi,
            method=name_method(self.method, self.n_resamples, self.rule),
            metric=self.metric,
            confidence_level=self.confidence_level,
            rng=self.seed,
        )

    def choose_members(self, pi: Predictions) -> dict[str, float]:
        """Return the shares of the ensemble that the rule chooses on the sample itself."""
        assert self.rule is not None
        usable = pi.usable()
        check_ensemble(usable, self.rule)
        ones = Weights.ones(usable.n_cases)
        (shares,) = choose_ensembles(usable, self.metric, ones, self.rule)
        order = np.argsort(-shares, kind="stable")
        return {usable.configs.ids[c]: float(shares[c]) for c in order if shares[c] > 0}

    def _judge_another(self, made: Estimate, alone: Estimate) -> Estimate:
        """Return the estimate of a winner that the rule of the resamples does not choose."""
        sign = self.metric.sign
        # Methods that keep cases apart for a choice have no naive value of one configuration.
        naive = alone.value if alone.naive is None else alone.naive
        own = sign * min(sign * alone.value, sign * naive)
        corrected = configure_method(self.method, n_resamples=self.n_resamples).spec.corrected
        if corrected and sign * made.value <= sign * own:
            kept = [one for one in made.cautions if one.code not in OF_THE_WINNER]
            # The error of the optimism is that of the other winner's.
            told = replace(made, naive=naive, winner=alone.winner, optimism_error=None)
            remarks = [*too_optimistic(told, corrected=True), *_warn_of_rules(made, alone)]
            return replace(told, cautions=(*kept, *remarks))
        whole = [one for one in made.cautions if one.code in OF_ALL]
        kept = [one for one in alone.cautions if one.code not in {"EN015", "EN022", *OF_ALL}]
        return replace(
            alone,
            value=own,
            naive=naive,
            n_configs=made.n_configs,
            provenance=made.provenance,
            cautions=(*kept, *whole, *_warn_of_no_correction(made, alone)),
        )


# Remarks on the winner of the resamples' rule, and those on all configurations together.
OF_THE_WINNER = {"EN001", "EN005", "EN007"}
OF_ALL = {"EN006", "EN012"}


def _describe_rules(made: Estimate, alone: Estimate) -> str:
    rule = made.provenance.knobs.get("selector", made.method)
    return (
        f"The search refits {alone.winner}; the resamples choose by {rule!r}, which on these "
        f"data chooses {made.winner}."
    )


def _warn_of_rules(made: Estimate, alone: Estimate) -> Iterator[Caution]:
    yield Caution(
        "EN014",
        _describe_rules(made, alone),
        "The value corrects for a choice by that rule, and is no better than the score of "
        f"{alone.winner}.",
        "If both are about equally good, you lose little. For a metric that is a mean over "
        "cases, use method=BBC(selector='mean_of_folds').",
    )


def _warn_of_no_correction(made: Estimate, alone: Estimate) -> Iterator[Caution]:
    yield Caution(
        "EN014",
        _describe_rules(made, alone),
        f"The choice of {alone.winner} cannot be repeated in the resamples, so the value is its "
        f"own out-of-sample score, not that of {made.winner}.",
        "Let `refit` choose by the score, or confirm the result on cases that the search never "
        "saw.",
    )
    yield Caution(
        "EN022",
        f"The choice of {alone.winner} among {made.n_configs} configurations is not corrected for.",
        "If it was chosen for being good, the value is too optimistic, and so are its limits.",
        "Confirm the result on cases that the search never saw.",
    )


@dataclass(frozen=True, eq=False)
class SearchRecord:
    """What a search keeps for its estimate, until someone wants to know.

    Attributes
    ----------
    predictions : Predictions, optional
        Π, where it could be kept.
    question, refusal
        What an estimate is asked of, or why there is none.
    """

    predictions: Predictions | None
    question: EstimateQuestion | None
    refusal: EarnestError | None


def get_record(search: EstimateAttributes) -> SearchRecord:
    """Return what a fitted search keeps for its estimate."""
    return search._record


class EstimateAttributes:
    """The attributes of a fitted search that tell how good its winner really is."""

    _record: SearchRecord
    _answer: Estimate | None

    @property
    def predictions_(self) -> Predictions:
        """Π: the out-of-sample predictions of every candidate.

        NaN stands where a fit failed or a candidate had been dropped. Its `kind` is what the
        metric of the estimate is computed from.
        """
        _need_fit(self)
        if self._record.predictions is None:
            raise refuse_estimate(self._record.refusal, "predictions_")
        return self._record.predictions

    @property
    def estimate_(self) -> Estimate:
        """How good the winner really is: the estimate of `method`, always of `best_index_`.

        It is computed when first asked for, from the seed of the search, and kept. Where `refit`
        chose another winner than the rule of the resamples, it is no better than that winner's own
        score, and a caution (EN014) tells what it corrects for.
        """
        _need_fit(self)
        if self._answer is None:
            record = self._record
            if record.question is None:
                raise refuse_estimate(record.refusal, "estimate_")
            try:
                self._answer = record.question.answer(self.predictions_)
            except EarnestError as error:
                self._record = replace(record, refusal=error)
                raise refuse_estimate(error, "estimate_") from error
        return self._answer

    def gain(self, *, order: str = "tried", n_jobs: int | None = None) -> Gain:
        """Tell what the search gained, on the resamples of `estimate_`; see `earnest.gain`.

        Parameters
        ----------
        order : {'tried', 'mean'}
            Whether candidates count in the order in which they were tried, or in every order.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        made = self.estimate_
        assert self._record.question is not None
        metric = self._record.question.metric
        return gain_beside(made, self.predictions_, metric, order=order, n_jobs=n_jobs)

    def thresholds(
        self, thresholds: Sequence[float] | None = None, *, n_jobs: int | None = None
    ) -> Thresholds:
        """Tell what to expect at every decision threshold, on the resamples of `estimate_`.

        See `earnest.thresholds`.

        Parameters
        ----------
        thresholds : sequence of float, optional
            Thresholds that are to be on the grid.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        made = self.estimate_
        assert self._record.question is not None
        metric = self._record.question.metric
        return thresholds_beside(made, self.predictions_, metric, given=thresholds, n_jobs=n_jobs)

    @property
    def confidence_interval_(self) -> Interval | None:
        """The interval of `estimate_`, None where its method gives none."""
        return self.estimate_.interval

    @property
    def corrected_score_(self) -> float:
        """The value of `estimate_`, in the metric's own units: not negated as scorers do."""
        return self.estimate_.value

    def _repr_html_inner(self) -> str:
        return self._show_estimate() + str(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        made: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in made:
            made["text/html"] = self._show_estimate() + made["text/html"]
        return made

    def _show_estimate(self) -> str:
        """Return the estimate for a notebook, nothing where there is none."""
        record: SearchRecord | None = getattr(self, "_record", None)
        if record is None or record.question is None:
            return ""
        from earnest.reporting.fragments import estimate_fragment

        try:
            return estimate_fragment(self.estimate_)
        except NoEstimateError:
            return ""


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
    """Return a trial from the scores (S,) of its splits, NaN where there is none."""
    known = scores[~np.isnan(scores)]
    count = len(known)
    spread = float(np.std(known, ddof=1) / np.sqrt(count)) if count > 1 else np.nan
    status = "dropped" if dropped else "failed" if failed else "complete"
    return Trial(config, params, float(known.mean()) if count else np.nan, spread, status, count)
