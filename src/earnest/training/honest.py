"""What a fitted search tells of itself beyond scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from earnest.core.cautions import Caution
from earnest.core.errors import EarnestError
from earnest.core.intervals import Interval
from earnest.core.predictions import Predictions
from earnest.core.results import Estimate, by_severity
from earnest.core.weights import Weights
from earnest.kernels.score import score_table
from earnest.methods.run import estimate
from earnest.metrics.families import Metric


class NoEstimateError(EarnestError, ValueError, AttributeError):
    """A search has no predictions or no estimate; `hasattr` tells so too."""


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
        """Return the estimate of the search's winner."""
        made = estimate(
            pi,
            method=self.method,
            metric=self.metric,
            confidence_level=self.confidence_level,
            n_resamples=self.n_resamples,
            rng=self.seed,
        )
        if self.best is None:
            return replace(made, cautions=by_severity([*made.cautions, *self.cautions]))
        if not pi.complete[self.best]:
            raise NoEstimateError(
                f"the winner {pi.configs.ids[self.best]} lacks predictions",
                needs="a winner that was evaluated on every split",
                got="a winner with failed fits",
                cure="Read failures_; error_score=numpy.nan lets no such configuration win.",
            )
        found = [*made.cautions, *self.cautions, *self._other_winner(made, pi)]
        name = pi.configs.ids[self.best]
        naive = made.naive if made.winner == name else self._own_score(pi)
        return replace(made, winner=name, naive=naive, cautions=by_severity(found))

    def _own_score(self, pi: Predictions) -> float:
        own = pi.select(int(self.best or 0)).usable()
        return float(score_table(own, self.metric, Weights.ones(own.n_cases))[0, 0])

    def _other_winner(self, made: Estimate, pi: Predictions) -> Iterator[Caution]:
        name = pi.configs.ids[int(self.best or 0)]
        if made.winner not in (name, None):
            rule = made.provenance.knobs.get("selector", made.method)
            yield Caution(
                "EN014",
                f"The search refits {name}; in-bag the rule is {rule!r}, which on these data "
                f"chooses {made.winner}.",
                "The estimate is about a choice by that rule, which is not quite how this winner "
                "was chosen.",
                "Where both are as good, nothing is lost; a metric that is a mean over cases can "
                "be given method=BBC(selector='mean_of_folds').",
            )


class Honest:
    """The attributes of a fitted search that tell how good its winner really is."""

    _predictions: Predictions | None
    _question: Question | None
    _refusal: EarnestError | None
    _answer: Estimate | None

    def _refuse(self, name: str) -> NoEstimateError:
        why = self._refusal
        if why is None:
            return NoEstimateError(f"there is no {name}", got="a search without predictions")
        return NoEstimateError(why.what, needs=why.needs, got=why.got, cure=why.cure)

    @property
    def predictions_(self) -> Predictions:
        """Π: the out-of-sample predictions of every candidate.

        NaN stands where a fit failed or a candidate had been dropped. Its `kind` is what the
        metric of the estimate is computed from.
        """
        _need_fit(self)
        if self._predictions is None:
            raise self._refuse("predictions_")
        return self._predictions

    @property
    def estimate_(self) -> Estimate:
        """How good the winner really is: the estimate of `method`, always of `best_index_`.

        It is computed when first asked for, from the seed of the search, and kept.
        """
        _need_fit(self)
        if self._answer is None:
            if self._question is None:
                raise self._refuse("estimate_")
            try:
                self._answer = self._question.answer(self.predictions_)
            except EarnestError as error:
                self._refusal = error
                raise self._refuse("estimate_") from error
        return self._answer

    @property
    def confidence_interval_(self) -> Interval | None:
        """The interval of `estimate_`, None where its method gives none."""
        return self.estimate_.interval

    @property
    def corrected_score_(self) -> float:
        """The value of `estimate_`, in the metric's own units: not negated as scorers do."""
        return self.estimate_.value


def _need_fit(search: Any) -> None:
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
