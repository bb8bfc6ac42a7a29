"""Bootstrap bias corrected cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Purpose
from earnest.core.base.threads import side_by_side, workers
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import EnsembleRule, MeanOfFolds, Pooled, Selector
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import ScoreErrors
from earnest.core.results.interval import DrawnLimits, LimitSource
from earnest.core.results.specs import Estimand, Evidence, Guide, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.limits.blocks import limit_in_blocks
from earnest.inference.limits.contest import Contest, FirstScores
from earnest.inference.limits.crossed import (
    JoinedScores,
    cross_judges,
    find_factor,
    judge_draws,
    limit_by_draws,
)
from earnest.inference.limits.near_winner import find_tighter_law, finish_limits
from earnest.inference.limits.no_spread import with_spread
from earnest.inference.remarks import unlike_scales, warn_of_few_events
from earnest.inference.resampling.ensembles import (
    EnsembleScores,
    add_blend,
    blend,
    check_ensemble,
    choose_ensembles,
)
from earnest.inference.resampling.resampled import ResamplingKnobs
from earnest.inference.resampling.winners import (
    Choose,
    WinnerScores,
    choose_winner,
    choose_winners,
    is_guided,
)
from earnest.kernels.score import score_table
from earnest.methods.base import Call, EstimateParts, ensemble_of, register, selector_of
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric
from earnest.metrics.responding import check_fits, need_order
from earnest.resampling.bootstrap import Resampler


@dataclass(frozen=True, eq=False)
class BBCDetails:
    """Details of a bias correction.

    Attributes
    ----------
    winners : ndarray of int, shape (B,)
        The configuration that won each resample, -1 where none did.
    win_share : ndarray, shape (C,)
        How often each configuration won, as a share of the resamples with a winner.
    """

    winners: NDArray[np.intp]
    win_share: NDArray[np.float64]

    @classmethod
    def of(cls, winners: NDArray[np.intp], configs: int) -> BBCDetails:
        """Count the wins."""
        counts = np.bincount(winners[winners >= 0], minlength=configs)
        return cls(winners, counts / max(1, int(counts.sum())))


@dataclass(frozen=True, eq=False)
class EnsembleDetails:
    """Details of a bias correction of an ensemble.

    Attributes
    ----------
    mean_share : ndarray, shape (C,)
        The share of each configuration in the ensembles of the resamples, on average.
    n_members : ndarray of int, shape (B,)
        How many members the ensemble of each resample has.
    """

    mean_share: NDArray[np.float64]
    n_members: NDArray[np.intp]

    @property
    def win_share(self) -> NDArray[np.float64]:
        """The same as `mean_share`: what a single winner's share of wins is."""
        return self.mean_share


@register
@dataclass(frozen=True, kw_only=True)
class BBC(ResamplingKnobs):
    """Bootstrap bias corrected CV: select in-bag, score the selected one out-of-bag, average.

    **What is estimated.** The performance of a configuration chosen by this rule from these
    configurations, for models trained on the training part of the folds.

    **What it assumes.** Cases (or groups) are independent, and the configurations were fixed before
    any was evaluated. With repeats, all predictions of a case are drawn or left out together, and
    the metric is computed in each repeat and averaged.

    **When it fails.** A dynamic search (Bayesian optimisation) has used the same cases to propose
    configurations, which no resampling of its predictions can undo. With very few cases of a class
    the out-of-bag scores are rough. If they are all equal, as on a few separated cases, you get
    exact limits for unseen errors instead, with a caution. Scores that depend on the number of
    cases, such as R² or F1, are corrected for the size of the part left out. For one configuration
    the value is its own score, the limit of the mean over ever more resamples.

    Tsamardinos, Greasidou, Borboudakis 2018, algorithm 5 (with the column index missing in its
    line 9); the redraw rule is that of the authors' code for Paraschakis et al. 2024.

    Parameters
    ----------
    n_resamples : int
        The number of bootstrap resamples, B.
    selector : str, Selector or EnsembleRule, optional
        The rule that chooses in-bag and on the sample itself; 'pooled' by default. An ensemble
        rule, such as `GreedyEnsemble(size=25)`, gives weights to several configurations; the
        weighted average of their predictions is then what is scored.
    undefined : {'redraw', 'drop', 'stratify'}
        What to do with a resample on which the metric is undefined.
    resampler : str or Resampler, optional
        By default groups are drawn if there are any, otherwise cases.
    select_by : str or Metric, optional
        What the winner is chosen by, in-bag and on the sample itself, where that is not the metric
        that is estimated. The limits are then those of the draws, moved to the value.
    limits : {'tighter', 'drawn'}
        For accuracy, AUC and balanced accuracy of two classes, from a cross-validation of 40 cases
        or more, each end is by default the tighter one of that of the draws and that of
        `near_winner`. 'drawn' leaves it at the draws.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(4)
    >>> y = np.repeat([0, 1], 30)
    >>> noise = rng.random((60, 40))  # forty configurations that know nothing
    >>> en.estimate(en.Predictions.from_arrays(y, noise), metric="roc_auc", rng=0)
    roc_auc 0.52, 95 % interval [0.29, 0.70] (bbc, winner of 40 configs, n=60)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="bbc",
        title="Bootstrap bias corrected CV",
        short="BBC",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.WINNER,
        cites="Tsamardinos et al. 2018, algorithm 5",
        corrected=True,
        static_only=True,
        judges_guided=True,
        blocks=True,
        weighted=True,
        surveys=True,
    )
    selector: str | Selector | EnsembleRule | None = None
    select_by: str | Metric | None = None
    limits: Literal["tighter", "drawn"] = "tighter"

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.one_of("limits", self.limits, ["tighter", "drawn"])

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean out-of-bag score of in-bag winners, free of the size of that part."""
        rule = ensemble_of(self.selector)
        chooser = self._read_chooser(call, rule)
        if chooser is not None:
            return self._judge_chosen(call, chooser)
        if rule is not None:
            return self._judge_ensemble(call, rule)
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, Pooled())
        usual = self.resampler is None and self.undefined == "redraw"
        by_score = type(selector) is Pooled  # a subclass has its own rule
        first = FirstScores(pi.n_configs) if usual else None
        winners = draw_winners(
            self,
            call,
            lambda inbag: choose_winners(
                pi, metric, inbag, selector, n_jobs=call.n_jobs, keep=first
            ),
            selector,
        )
        final, scores = winners.final, winners.scores
        value = winners.scorer.corrected(winners.table)
        guided = is_guided(pi)
        if pi.n_configs == 1 and not guided:
            value = winners.naive  # its limit for many resamples: nothing was selected
        draws, factor = judge_draws(
            pi, metric, winners.table, value, lambda: self._join_draws(call, selector)
        )
        drawn = limit_by_draws(draws, value, factor)
        if pi.target.dependence is not None:
            return self._finish_in_blocks(call, winners, selector, value, drawn)

        def find_limits() -> tuple[LimitSource, tuple[Caution, ...]]:
            contest = Contest.of(
                pi,
                final,
                scores,
                selector,
                call.seeds,
                n_jobs=call.n_jobs,
                inbag=None if first is None else first.table,
            )
            contest = cross_judges(contest, metric)
            alone = contest.pi.select(contest.winner)
            limits, remarks = with_spread(drawn, alone, metric, value=value, contest=contest)
            tighter = self.limits == "tighter" and usual and by_score
            limits, gained = finish_limits(
                limits,
                metric,
                value=value,
                alone=alone,
                draws=value + factor * (draws - value) if winners.table.shape[1] > 2 else None,
                law=find_tighter_law(contest, metric, call.given, value)
                if tighter and drawn.has_width
                else None,
            )
            return limits, (*remarks, *gained)

        (source, remarks), errors = side_by_side(
            find_limits,
            lambda: winners.find_errors(call, selector) if drawn.has_width else None,
            workers(call.n_jobs),
        )
        return EstimateParts(
            value=value,
            winner=final,
            scores=scores,
            naive=winners.naive,
            source=source,
            cautions=[*unlike_scales(pi, metric, selector, final), *remarks],
            details=BBCDetails.of(winners.table[:, 1].astype(np.intp), pi.n_configs),
            used={"selector": selector, "resampler": winners.scorer.resampler},
            errors=errors,
            guide=Guide.CROSSED if guided else None,
        )

    def _finish_in_blocks(
        self,
        call: Call,
        winners: DrawnWinners,
        selector: Selector,
        value: float,
        drawn: LimitSource,
    ) -> EstimateParts:
        """Return the value with limits for cases in time order, whose losses depend on each other.

        They have the standard error of the value, with the variance that dependent losses have, and
        its degrees of freedom.
        """
        pi, metric = call.pi, call.metric
        assert pi.target.dependence is not None
        errors = winners.find_errors(call, selector) if drawn.has_width else None
        error = None if errors is None else errors.value
        source = limit_in_blocks(drawn, metric, value, error, pi.target.dependence.df)
        contest = Contest.of(
            pi, winners.final, winners.scores, selector, call.seeds, n_jobs=call.n_jobs
        )
        limits, remarks = with_spread(
            source, pi.select(winners.final), metric, value=value, contest=contest
        )
        return EstimateParts(
            value=value,
            winner=winners.final,
            scores=winners.scores,
            naive=winners.naive,
            source=limits,
            cautions=[*unlike_scales(pi, metric, selector, winners.final), *remarks],
            details=BBCDetails.of(winners.table[:, 1].astype(np.intp), pi.n_configs),
            used={"selector": selector, "resampler": winners.scorer.resampler},
            errors=errors,
            guide=Guide.CROSSED if is_guided(pi) else None,
        )

    def _read_chooser(self, call: Call, rule: EnsembleRule | None) -> Metric | None:
        """Return the metric that chooses, None where the estimated one does and has an order."""
        metric = call.metric
        named = None if self.select_by is None else resolve_metric(self.select_by)
        chooser = metric if named is None else named.on(call.pi.target.task)
        check_fits(call.pi, chooser)
        need_order(chooser, call.pi.n_configs)
        if metric.ideal is None and chooser.name == metric.name:
            return None
        if rule is not None:
            raise InputError(
                "an ensemble is judged by the metric that chooses it",
                needs=f"one of {arg('selector')} and {arg('select_by')}",
                got="both",
            )
        return chooser

    def _judge_chosen(self, call: Call, chooser: Metric) -> EstimateParts:
        """Return the score of what another metric chooses, on cases that did not choose it."""
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, Pooled())
        jobs = call.n_jobs

        def choose(inbag: Weights) -> NDArray[np.intp]:
            if pi.n_configs == 1:
                return np.zeros(len(inbag), dtype=np.intp)
            return choose_winners(pi, chooser, inbag, selector, n_jobs=jobs)

        scorer = WinnerScores(pi, metric, find_leaving(self, call), choose, jobs)
        needs_classes = metric if metric.needs_all_classes else chooser
        table = self.resample(
            scorer,
            pi.target,
            needs_classes,
            call.seeds,
            left_out=True,
            columns=pi.n_configs,
            n_jobs=jobs,
        )
        final, scores = 0, None
        if pi.n_configs > 1:
            final, _, scores = choose_winner(pi, chooser, selector, n_jobs=jobs)
        alone = pi.select(final)
        naive = float(score_table(alone, metric, Weights.ones(pi.n_cases))[0, 0])
        if np.isnan(naive):
            raise EvidenceError(
                f"metric {metric.name!r} is undefined for the winner",
                needs="predictions that vary, and that do not separate the classes",
                got=pi.configs.ids[final],
            )
        guided = is_guided(pi)
        single = pi.n_configs == 1 and not guided
        value = naive if single else scorer.corrected(table)
        draws = table[:, 0] + (value - np.nanmean(table[:, 0]))
        drawn = limit_by_draws(draws, value, find_factor(pi, table))
        rng = call.seeds.generator(Purpose.VALUE_ERROR)
        return EstimateParts(
            value=value,
            winner=final,
            scores=scores,
            naive=naive,
            source=drawn,
            cautions=warn_of_few_events(pi, metric),
            details=BBCDetails.of(table[:, 1].astype(np.intp), pi.n_configs),
            used={
                "selector": selector,
                "resampler": scorer.resampler,
                **({} if pi.n_configs == 1 else {"select_by": chooser.name}),
            },
            errors=replace(scorer.errors(table, final, rng, best_wins=False), optimism=None)
            if drawn.has_width
            else None,
            guide=Guide.CROSSED if guided else None,
        )

    def _join_draws(self, call: Call, selector: Selector) -> NDArray[np.float64]:
        """Return the table of scores that both halves judge, on the resamples of the estimate."""
        pi, metric, jobs = call.pi, call.metric, call.n_jobs

        def choose(some: Predictions, inbag: Weights) -> NDArray[np.intp]:
            return choose_winners(some, metric, inbag, selector, n_jobs=jobs)

        scorer = JoinedScores(pi, metric, choose, jobs)
        return self.resample(
            scorer,
            pi.target,
            metric,
            call.seeds,
            left_out=True,
            columns=pi.n_configs,
            n_jobs=jobs,
        )

    def _judge_ensemble(self, call: Call, rule: EnsembleRule) -> EstimateParts:
        """Return the score of ensembles on cases that did not choose them.

        The value is that of small parts that are left out in turn, the spread that of ensembles
        that were chosen in-bag.
        """
        call = call.without_guides()  # members of both halves leave no case to judge by
        pi, metric = call.pi, call.metric
        refuse_case_weights(
            pi.target.weights, "an ensemble", "Choose one configuration: leave the rule out."
        )
        check_ensemble(pi, rule)
        scorer = EnsembleScores(pi, metric, find_leaving(self, call), rule, call.n_jobs)
        table = self.resample(
            scorer,
            pi.target,
            metric,
            call.seeds,
            left_out=True,
            columns=pi.n_configs,
            n_jobs=call.n_jobs,
        )
        ones = Weights.ones(pi.n_cases)
        final = choose_ensembles(pi, metric, ones, rule, n_jobs=call.n_jobs)  # (1, C)
        if not final.any():
            raise EvidenceError(
                f"metric {metric.name!r} is undefined for every configuration",
                needs="a defined score on the cases as they are",
                cure="Check the predictions, or choose another metric.",
            )
        blended = blend(pi, final)
        naive = float(score_table(blended, metric, ones)[0, 0])
        value, luck = scorer.corrected(table, call.seeds)
        moved = table[:, 0] + (value - np.nanmean(table[:, 0]))  # their mean is too low
        drawn: LimitSource = DrawnLimits(np.clip(moved, *metric.limits))
        spread = drawn.has_width
        source, remarks = with_spread(
            drawn, blended, metric, value=value, contest=_join_contest(call, final, naive)
        )
        members = np.flatnonzero(final[0])
        members = members[np.argsort(-final[0, members], kind="stable")]
        draws = call.seeds.generator(Purpose.VALUE_ERROR)
        return EstimateParts(
            value=value,
            winner=int(members[0]) if len(members) == 1 else None,
            naive=naive,
            source=source,
            cautions=[*unlike_scales(blended, metric, Pooled(), 0), *remarks],
            details=EnsembleDetails(scorer.mean_share, scorer.n_members),
            used={"selector": rule, "resampler": scorer.resampler},
            errors=scorer.errors(table, final[0], luck, draws) if spread else None,
            ensemble={pi.configs.ids[c]: float(final[0, c]) for c in members},
        )


def _join_contest(call: Call, final: NDArray[np.float64], naive: float) -> Contest:
    """Return the contest that an ensemble (1, C) won, with its configurations.

    It was not chosen by the best score, so its limits allow for the largest error.
    """
    pi, metric = call.pi, call.metric
    ones = Weights.ones(pi.n_cases)
    scores = score_table(pi, metric, ones, n_jobs=call.n_jobs)[0]
    both = add_blend(pi, final)
    return Contest(both, pi.n_configs, np.append(scores, naive), call.seeds, best_wins=False)


@dataclass(frozen=True, eq=False)
class DrawnWinners:
    """The winners of all resamples, and that of the sample itself.

    Attributes
    ----------
    scorer : WinnerScores
        What scored the winners of the resamples.
    table : ndarray, shape (B, 2) or (B, 4)
        Its table.
    final, naive, scores
        The winner of the sample itself, its score, and all scores (C,) as it was chosen by.
    """

    scorer: WinnerScores
    table: NDArray[np.float64]
    final: int
    naive: float
    scores: NDArray[np.float64]

    def find_errors(self, call: Call, selector: Selector) -> ScoreErrors:
        """Return the standard errors of the corrected score and of its distances."""
        rng = call.seeds.generator(Purpose.VALUE_ERROR)
        best_wins = type(selector) in (Pooled, MeanOfFolds)  # a subclass has its own rule
        return self.scorer.errors(self.table, self.final, rng, best_wins=best_wins)


def draw_winners(
    method: ResamplingKnobs,
    call: Call,
    choose: Choose,
    final_rule: Selector,
) -> DrawnWinners:
    """Choose in every resample, score what was chosen out-of-bag, and choose on the sample."""
    pi, metric, jobs = call.pi, call.metric, call.n_jobs
    scorer = WinnerScores(pi, metric, find_leaving(method, call), choose, jobs)
    table, whole = side_by_side(
        lambda: method.resample(
            scorer,
            pi.target,
            metric,
            call.seeds,
            left_out=True,
            columns=pi.n_configs,
            n_jobs=jobs,
        ),
        lambda: choose_winner(pi, metric, final_rule, n_jobs=jobs),  # orders the columns meanwhile
        workers(jobs),
    )
    return DrawnWinners(scorer, table, *whole)


def find_leaving(method: ResamplingKnobs, call: Call) -> Resampler:
    """Return the resampler of a method, and refuse one that leaves no case out."""
    resampler = method.find_resampler(call.pi.target)
    if not resampler.has_out_of_bag:
        raise EvidenceError(
            "the winner of a resample is scored on the cases that it leaves out",
            needs="a resampler that leaves cases out: 'case', 'stratified' or 'group'",
            got=f"{resampler.name!r}, whose weights are never 0",
            cure=f"Use {arg('method', 'naive_bootstrap')} for Bayesian weights.",
        )
    return resampler
