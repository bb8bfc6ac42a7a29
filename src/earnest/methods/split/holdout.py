"""Hold-out: select on one part, score on another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.interval import DrawnLimits, LimitSource, NormalLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.limits.no_spread import with_spread
from earnest.inference.remarks import part_only
from earnest.inference.resampling.resampled import ResamplingKnobs, Statistic
from earnest.inference.resampling.splits import part_of, split_cases
from earnest.inference.resampling.winners import choose_winner
from earnest.kernels.score import score_selected
from earnest.methods.base import Call, EstimateParts, register, selector_of
from earnest.metrics.families import CallableMetric, Metric

FEWEST_TRAININGS = 20  # of which a variance is estimated


@register
@dataclass(frozen=True, kw_only=True)
class HoldOut(ResamplingKnobs):
    """Select on some cases, score the selected configuration on others.

    With one configuration nothing is selected and the whole hold-out set scores it. With several
    configurations on one hold-out set, the cases are split into a part that selects and a part that
    scores. With folds, the first fold scores the configuration that the other folds select.

    **What is estimated.** The performance of the selected model; with one configuration, of that
    model.

    **What it assumes.** Cases (or groups) are independent.

    **When it fails.** It uses only part of the cases, so its interval is wide. With folds, the
    models of the other folds were trained on the scoring cases, which makes it slightly optimistic.

    Bayle et al. 2020 (hold-out, normal limits with ddof=0); the split of one set is that of
    Paraschakis et al. 2024, stratified.

    Parameters
    ----------
    n_resamples : int
        The number of resamples of the scoring cases.
    evaluate : float
        The share of cases that score, where one set is split.
    interval : {'percentile', 'normal'}
        How the limits are computed; 'normal' is for metrics that are means over cases.
    trainings : int, optional
        On how many bootstrap samples of the design set the learner is trained again, so that the
        standard error of its score has the part of the training set too, rather too large than too
        small. For `assess` with a test set alone: predictions do not show it.
    selector : str or Selector, optional
        'pooled' by default.
    undefined : {'redraw', 'drop', 'stratify'}
        What to do with a resample on which the metric is undefined.
    resampler : str or Resampler, optional
        By default groups are drawn if there are any, otherwise cases.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1] * 10, [0.2, 0.7, 0.6, 0.8] * 10)
    >>> en.estimate(pi, method="holdout", metric="accuracy", rng=0)
    accuracy 0.75, 95 % interval [0.59, 0.88] (holdout, n=40)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="holdout",
        title="Hold-out",
        needs=Evidence.OUT_OF_SAMPLE,
        design=Design.HOLDOUT,
        estimand=Estimand.FITTED_MODEL,
        cites="Bayle et al. 2020, section 5",
        corrected=True,
        weighted=True,
        surveys=True,
    )
    evaluate: float = 0.25
    interval: Literal["percentile", "normal"] = "percentile"
    trainings: int | None = None
    selector: str | Selector | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.check_share("evaluate", self.evaluate)
        check.one_of("interval", self.interval, ["percentile", "normal"])
        if self.trainings is not None:
            check.whole_number("trainings", self.trainings, low=FEWEST_TRAININGS)

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse normal limits for metrics that are not means, and an undefined metric."""
        if self.trainings is not None:
            raise EvidenceError(
                "these predictions do not show what another training set would have given",
                needs="the learner, its design set and a test set, to train it again",
                got="predictions alone",
                cure=f"Call assess with {arg('method', 'holdout(trainings=200)')} and "
                f"{arg('test', ...)}, or leave trainings out.",
            )
        if self.interval == "normal" and (not metric.pointwise or target.groups is not None):
            raise MetricError(
                "normal limits are for means over independent cases",
                needs="a pointwise metric such as 'accuracy' or 'mse', without groups",
                got=metric.name,
                cure=f"Use {arg('interval', 'percentile')}.",
            )
        if design.n_configs == design.n_folds == 1 and not isinstance(metric, CallableMetric):
            _value(design, metric, 0)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the score of the selected configuration on cases that did not select it."""
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, Pooled())
        scoring = self._scoring(pi, call.seeds)
        best, naive = 0, None
        if pi.n_configs > 1:
            best, naive, _ = choose_winner(
                part_of(pi, ~scoring), metric, selector, n_jobs=call.n_jobs
            )
        scored = part_of(pi, scoring)
        value = _value(scored, metric, best)
        resampler = None if self.interval == "normal" else self.find_resampler(scored.target)
        source = self._limits(call, scored, best, value)
        source, remarks = with_spread(
            source, scored.select(best), metric, value=value, by_law=self.interval == "percentile"
        )
        return EstimateParts(
            value=value,
            winner=best,
            naive=naive,
            source=source,
            cautions=[*part_only(scored.n_cases, pi.n_cases), *remarks],
            estimand=Estimand.THIS_MODEL if pi.n_configs == 1 else None,
            used={"selector": selector, "resampler": resampler},
        )

    def _scoring(self, pi: Predictions, seeds: Seeds) -> NDArray[np.bool_]:
        """Return which cases score: (n,)."""
        if pi.n_folds > 1:
            folds = pi.folds[:, 0]
            return np.asarray(folds == folds[folds >= 0].min())  # the first that was evaluated
        if pi.n_configs == 1:
            return np.ones(pi.n_cases, dtype=bool)
        return split_cases(pi, self.evaluate, seeds.generator(Purpose.EVALUATION))

    def _limits(self, call: Call, scored: Predictions, best: int, value: float) -> LimitSource:
        score = _score(scored, call.metric, best)
        if self.interval == "normal":
            losses = score(Weights(np.eye(scored.n_cases, dtype=np.uint8)))[:, 0]
            if np.isnan(losses).any():
                raise EvidenceError(
                    "normal limits need every scoring case in every repeat",
                    got=f"{int(np.isnan(losses).sum())} of {len(losses)} cases with a missing "
                    "repeat",
                    cure=f"Use {arg('interval', 'percentile')}.",
                )
            masses = scored.target.masses
            if masses is not None:  # what a case adds goes with its weight
                losses = masses * (losses - value)
            return NormalLimits(value, float(losses.std() / np.sqrt(scored.n_cases)))
        draws = self.resample(score, scored.target, call.metric, call.seeds, n_jobs=call.n_jobs)
        return DrawnLimits(draws[:, 0])


def _value(scored: Predictions, metric: Metric, best: int) -> float:
    """Return the score of a configuration on the scoring cases, and refuse where it has none."""
    value = float(_score(scored, metric, best)(Weights.ones(scored.n_cases))[0, 0])
    if np.isnan(value):
        raise EvidenceError(
            f"metric {metric.name!r} is undefined on the scoring cases",
            needs="cases of every class among them",
            got=f"{scored.n_cases} cases",
            cure=f"Use {arg('method', 'bbc')}.",
        )
    return value


def _score(scored: Predictions, metric: Metric, best: int) -> Statistic:
    def score(weights: Weights) -> NDArray[np.float64]:
        return score_selected(scored, metric, weights, np.full(len(weights), best))[:, None]

    return score
