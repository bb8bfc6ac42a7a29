"""What a fitted search tells of itself beyond scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from earnest.core.base.errors import EarnestError
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.interval import Interval
from earnest.methods.run import configured, estimate, too_optimistic
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
    params: dict[str, Any]
    score: float
    standard_error: float
    status: str
    n_splits: int


@dataclass(frozen=True, eq=False)
class Question:
    """What an estimate is asked of: kept by a search until someone wants to know."""

    metric: Metric
    method: Any
    confidence_level: float
    n_resamples: int | None
    seed: int
    best: int | None
    cautions: tuple[Caution, ...]

    def answer(self, pi: Predictions) -> Estimate:
        """Return the estimate of the search's winner.

        Where the rule of the resamples chooses the same winner, it is that of the method. Where
        it chooses another, the method corrects for a choice that was not made: its value stands
        only if it is worse than what the winner itself shows out-of-sample, and else the winner
        is judged as a configuration of its own, uncorrected. So no winner is said to be better
        than its own score.
        """
        made = self._asked_of(pi)
        if self.best is None:
            return replace(made, cautions=by_severity([*made.cautions, *self.cautions]))
        name = pi.configs.ids[self.best]
        if not pi.complete[self.best]:
            raise NoEstimateError(
                f"the winner {name} lacks predictions",
                needs="a winner that was evaluated on every split",
                got="a winner with failed fits",
                cure="Read failures_; error_score=numpy.nan lets no such configuration win.",
            )
        if made.winner not in (name, None):
            made = self._of_another(made, self._asked_of(pi.select(self.best)))
        return replace(made, winner=name, cautions=by_severity([*made.cautions, *self.cautions]))

    def _asked_of(self, pi: Predictions) -> Estimate:
        return estimate(
            pi,
            method=self.method,
            metric=self.metric,
            confidence_level=self.confidence_level,
            n_resamples=self.n_resamples,
            rng=self.seed,
        )

    def _of_another(self, made: Estimate, alone: Estimate) -> Estimate:
        """Return the estimate of a winner that the rule of the resamples does not choose."""
        sign = self.metric.sign
        # Methods that keep cases apart for a choice have no naive value of one configuration.
        naive = alone.value if alone.naive is None else alone.naive
        own = sign * min(sign * alone.value, sign * naive)
        corrected = configured(self.method, n_resamples=self.n_resamples).spec.corrected
        if corrected and sign * made.value <= sign * own:
            kept = [one for one in made.cautions if one.code not in OF_THE_WINNER]
            # The error of the optimism is that of the other winner's.
            told = replace(made, naive=naive, winner=alone.winner, optimism_error=None)
            remarks = [*too_optimistic(told, corrected=True), *_worse(made, alone)]
            return replace(told, cautions=(*kept, *remarks))
        whole = [one for one in made.cautions if one.code in OF_ALL]
        kept = [one for one in alone.cautions if one.code not in {"EN015", "EN022", *OF_ALL}]
        return replace(
            alone,
            value=own,
            naive=naive,
            n_configs=made.n_configs,
            provenance=made.provenance,
            cautions=(*kept, *whole, *_uncorrected(made, alone)),
        )


# Remarks on the winner of the resamples' rule, and those on all configurations together.
OF_THE_WINNER = {"EN001", "EN005", "EN007"}
OF_ALL = {"EN006", "EN012"}


def _two_rules(made: Estimate, alone: Estimate) -> str:
    rule = made.provenance.knobs.get("selector", made.method)
    return (
        f"The search refits {alone.winner}; in-bag the rule is {rule!r}, which on these data "
        f"chooses {made.winner}."
    )


def _worse(made: Estimate, alone: Estimate) -> Iterator[Caution]:
    yield Caution(
        "EN014",
        _two_rules(made, alone),
        f"The value corrects for a choice by that rule, and is no better than the own score of "
        f"{alone.winner}.",
        "Where both are as good, little is lost; a metric that is a mean over cases can be given "
        "method=BBC(selector='mean_of_folds').",
    )


def _uncorrected(made: Estimate, alone: Estimate) -> Iterator[Caution]:
    yield Caution(
        "EN014",
        _two_rules(made, alone),
        f"The choice of {alone.winner} cannot be repeated in the resamples, so that the value is "
        f"its own out-of-sample score, not that of {made.winner}.",
        "Let `refit` choose by the score, or confirm on cases that the search never saw.",
    )
    yield Caution(
        "EN022",
        f"The choice of {alone.winner} among {made.n_configs} configurations is not corrected for.",
        "If it was chosen for being good, the value is too optimistic, and so are its limits.",
        "Confirm on cases that the search never saw.",
    )


class Honest:
    """The attributes of a fitted search that tell how good its winner really is."""

    _predictions: Predictions | None
    _question: Question | None
    _refusal: EarnestError | None
    _answer: Estimate | None

    @property
    def predictions_(self) -> Predictions:
        """Π: the out-of-sample predictions of every candidate.

        NaN stands where a fit failed or a candidate had been dropped. Its `kind` is what the
        metric of the estimate is computed from.
        """
        _need_fit(self)
        if self._predictions is None:
            raise refuse_estimate(self._refusal, "predictions_")
        return self._predictions

    @property
    def estimate_(self) -> Estimate:
        """How good the winner really is: the estimate of `method`, always of `best_index_`.

        It is computed when first asked for, from the seed of the search, and kept. Where `refit`
        chose another winner than the rule of the resamples, it is no better than that winner's own
        score, and a caution (EN014) tells what it corrects for.
        """
        _need_fit(self)
        if self._answer is None:
            if self._question is None:
                raise refuse_estimate(self._refusal, "estimate_")
            try:
                self._answer = self._question.answer(self.predictions_)
            except EarnestError as error:
                self._refusal = error
                raise refuse_estimate(error, "estimate_") from error
        return self._answer

    @property
    def confidence_interval_(self) -> Interval | None:
        """The interval of `estimate_`, None where its method gives none."""
        return self.estimate_.interval

    @property
    def corrected_score_(self) -> float:
        """The value of `estimate_`, in the metric's own units: not negated as scorers do."""
        return self.estimate_.value

    def _repr_html_inner(self) -> str:
        return self._told() + str(cast(Any, super())._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        made: dict[str, Any] = cast(Any, super())._repr_mimebundle_(**kwargs)
        if "text/html" in made:
            made["text/html"] = self._told() + made["text/html"]
        return made

    def _told(self) -> str:
        """Return the estimate for a notebook, nothing where there is none."""
        if getattr(self, "_question", None) is None:
            return ""
        from earnest.reporting.fragments import estimate_fragment

        try:
            return estimate_fragment(self.estimate_)
        except NoEstimateError:
            return ""


def _need_fit(search: Honest) -> None:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(search)


def trial(
    config: str,
    params: dict[str, Any],
    scores: np.ndarray[Any, Any],
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
