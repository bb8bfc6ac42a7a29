"""The winner's interval at the level that its rivals leave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.base.threads import side_by_side, workers
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import DrawnLimits
from earnest.core.results.specs import Estimand, Evidence, MethodSpec, MetricFamily
from earnest.core.text.doors import arg
from earnest.inference.limits.contest import Contest
from earnest.inference.limits.near_winner import allow_for_pooling, find_winner_limits
from earnest.inference.limits.no_spread import with_spread
from earnest.inference.limits.winner_law import Law, WinnerLaw, law_of, need_law
from earnest.inference.remarks import unlike_scales
from earnest.inference.resampling.resampled import ResamplingKnobs
from earnest.inference.resampling.winners import choose_winner, choose_winners, gains_of
from earnest.kernels.score import score_table
from earnest.methods.base import Call, EstimateParts, register, selector_of
from earnest.methods.winner.bbc import BBCDetails, draw_winners
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric

MOST_ROWS = 4000  # resamples that the correlations of scores are read from, at most


@dataclass(frozen=True, eq=False)
class NearWinnerDetails(BBCDetails):
    """Details of the method.

    Attributes
    ----------
    winners, win_share
        As for BBC.
    near : ndarray of bool, shape (C,)
        The configurations whose distance to the winner chance alone can explain.
    """

    near: NDArray[np.bool_]


@register
@dataclass(frozen=True, kw_only=True)
class NearWinner(ResamplingKnobs):
    """BBC's value, with an interval for the winner at the level that its rivals leave it.

    From the scores of all configurations under BBC's own resamples, the method finds how small the
    level for the winner alone must be, so that the interval holds for whichever configuration won.
    Then it takes the winner's limit at that level from the distribution of its metric: Clopper and
    Pearson's for proportions and similar metrics (balanced accuracy, F1, MCC, kappa), a Beta
    distribution with the variance at the value tested for AUCs and the concordance index, a Gamma
    distribution for mean losses and R². A mean of scores between two limits, such as marks or means
    of samples, is treated as a proportion of as many trials as its variance corresponds to.

    **What is estimated.** The performance of the configuration that won, for models trained on the
    training part of the folds. The value is BBC's. If the interval would not contain the value, its
    end is moved to it.

    **What it assumes.** Independent cases, or independent groups of them; configurations that were
    fixed before any was evaluated; scores whose dependence is about that of normal variables; for
    an AUC near 1, scores of about equal spread in both classes; for losses, light tails. Steps 3 to
    5 of the level have no theorem for finite samples; simulations show that they hold.
    Configurations dropped during the search count as rivals.

    **When it fails.** Dynamic searches and dependent cases break it as they break BBC. Coverage was
    87 to 93 % for the AUC with few positives that vary more than the negatives, and for repeats of
    fewer than 50 cases near the ceiling; cautions warn of these. If the losses of the winner have
    heavy tails, no distribution fits and you get BBC's interval, with a caution. Other metrics,
    such as average precision, were not studied and are refused. `find_objection` tells you all this
    beforehand.

    A method of earnest's own, in the family of Zrnic and Fithian 2024.

    Parameters
    ----------
    n_resamples : int
        The number of bootstrap resamples, B.
    selector : str or Selector, optional
        The rule that chooses in-bag and on the sample itself; 'pooled' by default. Under any rule
        other than the best pooled score, the level is that of the largest of all errors.
    undefined : {'redraw', 'drop', 'stratify'}
        What to do with a resample on which the metric is undefined.
    resampler : str or Resampler, optional
        By default groups are drawn if there are any, otherwise cases.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(4)
    >>> y = np.repeat([0, 1], 30)
    >>> noise = rng.random((60, 40))  # forty configurations that know nothing
    >>> pi = en.Predictions.from_arrays(y, noise)
    >>> en.estimate(pi, method="near_winner", metric="roc_auc", rng=0)
    roc_auc 0.52, 95 % interval [0.41, 0.78] (near_winner, winner of 40 configs, n=60)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="near_winner",
        short="Near-winner level",
        short_alone="Law of its metric",
        title="The winner's interval at its local level",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.WINNER,
        metrics=MetricFamily.WITH_LAW,
        cites="Zrnic and Fithian 2024 and Petrou-Zeniou and Shaikh 2024 as relatives; the method "
        "is earnest's own, its value that of Tsamardinos et al. 2018",
        corrected=True,
        static_only=True,
        blocks=True,
        weighted=True,
        surveys=True,
    )
    fewest: ClassVar[int] = 2
    selector: str | Selector | None = None

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse metrics without a known distribution, and some of cross-validated predictions."""
        need_law(self.spec.name, metric, target)
        if is_refused_crossed(design, metric):
            raise EvidenceError(
                f"method {self.spec.name!r} has no limits for {metric.name!r} of models that were "
                "cross-validated",
                needs="predictions of one test set, or of models that were fixed",
                got=f"{design.n_folds} folds",
                cure=f"Use {arg('method', 'bbc')}.",
            )

    def __call__(self, call: Call) -> EstimateParts:
        """Return BBC's value, and the limits of the winner at its local level."""
        pi, metric, jobs = call.pi, call.metric, call.n_jobs
        law_kind = need_law(self.spec.name, metric, pi.target)
        selector = selector_of(self.selector, Pooled())
        best_wins = type(selector) is Pooled  # a subclass has its own rule
        tables: list[NDArray[np.float64]] = []

        def choose(inbag: Weights) -> NDArray[np.intp]:
            scores = score_table(pi, metric, inbag, n_jobs=jobs)  # (b, C)
            if sum(map(len, tables)) < MOST_ROWS:
                tables.append(scores)
            if best_wins:
                return selector(gains_of(metric, scores[None]), pi.configs.simplicity_order())
            return choose_winners(pi, metric, inbag, selector, n_jobs=jobs)

        drawn = draw_winners(self, call, choose, selector)
        final, naive, scores = drawn.final, drawn.naive, drawn.scores
        if not best_wins:  # its scores may be means over folds
            scores = score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=jobs)[0]
        law = WinnerLaw.of(law_kind, pi, metric, scores)
        inbag = tables[0] if len(tables) == 1 else np.concatenate(tables)
        value = naive if pi.n_configs == 1 else drawn.scorer.corrected(drawn.table)  # as in BBC
        limits, error = side_by_side(
            lambda: find_winner_limits(
                law,
                final,
                inbag[:MOST_ROWS],
                call.seeds,
                given=call.given,
                value=value,
                draws=drawn.table[:, 0],
                best_wins=best_wins,
            ),
            lambda: drawn.find_errors(call, selector),
            workers(jobs),
        )
        source, remarks = limits.source, limits.remarks
        if source is None:
            alone = pi.select(final)
            contest = Contest.of(pi, final, scores, selector, call.seeds, n_jobs=call.n_jobs)
            source, remarks = with_spread(
                DrawnLimits(drawn.table[:, 0]), alone, metric, value=value, contest=contest
            )
            remarks = (*([] if limits.objection is None else [limits.objection]), *remarks)
        source, gained = allow_for_pooling(source, pi.select(final), metric)
        wins = BBCDetails.of(drawn.table[:, 1].astype(np.intp), pi.n_configs)
        return EstimateParts(
            value=value,
            winner=final,
            scores=scores,
            naive=naive,
            source=source,
            cautions=[
                *unlike_scales(pi, metric, selector, final),
                *remarks,
                *gained,
            ],
            details=NearWinnerDetails(wins.winners, wins.win_share, limits.near),
            used={"selector": selector, "resampler": drawn.scorer.resampler},
            errors=error,
        )

    def find_objection(
        self, predictions: Predictions, metric: str | Metric, *, n_jobs: int | None = None
    ) -> str | None:
        """Return why this interval may not hold for these data; None if it was shown to hold.

        That is: the metric has no known distribution, the winner's losses do not follow it, or
        limits of such samples were seen to fail. Nothing is resampled.

        Examples
        --------
        >>> import numpy as np
        >>> import earnest as en
        >>> y = np.tile([0, 1], 50)
        >>> pi = en.Predictions.from_arrays(y, np.random.default_rng(0).random((100, 3)))
        >>> en.methods.NearWinner().find_objection(pi, "roc_auc") is None
        True
        >>> en.methods.NearWinner().find_objection(pi, "average_precision")
        "The interval has not been shown to hold for 'average_precision'."
        """
        pi = predictions.usable()
        measure = resolve_metric(metric).on(pi.target.task)
        law_kind = law_of(measure, pi.target)
        if law_kind is None:
            return f"The interval has not been shown to hold for {measure.name!r}."
        if is_refused_crossed(pi, measure):
            return (
                f"For {measure.name!r} of cross-validated predictions, bounds held too rarely in "
                "real searches."
            )
        selector = selector_of(self.selector, Pooled())
        final, _, scores = choose_winner(pi, measure, selector, n_jobs=n_jobs)
        if type(selector) is not Pooled:
            scores = score_table(pi, measure, Weights.ones(pi.n_cases), n_jobs=n_jobs)[0]
        law = WinnerLaw.of(law_kind, pi, measure, scores)
        reason: Caution | None = law.objection(final) or next(law.remarks(final), None)
        return None if reason is None else f"{reason.what} {reason.consequence}"


def is_refused_crossed(pi: Predictions, metric: Metric) -> bool:
    """Tell whether cases trained each other's models and the metric has no term for that.

    In real searches, bounds for mean losses and R² held too rarely.
    """
    return pi.n_folds > 1 and law_of(metric, pi.target) is Law.LOSS
