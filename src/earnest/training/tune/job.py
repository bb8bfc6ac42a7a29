"""The steps of a tuning: read and check, plan, search within the time, judge, write."""

from __future__ import annotations

import json
import math
import secrets
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from earnest.core.base import check
from earnest.core.base.errors import ClusterError, EarnestError, InputError, StoreError
from earnest.core.base.protocols import Key, Progress, TaskOutcome
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import one_blas_thread, workers
from earnest.core.base.writing import refuse_links, write_file
from earnest.core.cautions import of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import EnsembleRule, Pooled
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution, Verb
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.counts import Counts
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.leaks import LeakScreen
from earnest.core.text.doors import arg
from earnest.engine import backends
from earnest.engine.backends import at_once
from earnest.engine.limits import DeadlineError
from earnest.engine.patience import pass_scores_on
from earnest.engine.progress import Meter
from earnest.inference.curves.calibration import judge_estimate
from earnest.inference.curves.new_rows import measure_errors
from earnest.inference.resampling.ensembles import is_compiled
from earnest.inference.resampling.winners import choose_winner as find_winner
from earnest.inference.subgroups.beside import subgroups_beside
from earnest.methods.winner.bbc import BBC
from earnest.metrics import metric as metric_named
from earnest.metrics.responding import pick_answer
from earnest.store import MemoryStore, RunFile, SqliteStore, read_run
from earnest.training.assess.learning import learning_curve, warn_of_settings
from earnest.training.fit.ledger import AllFailedError
from earnest.training.fit.response import will_have
from earnest.training.learners.averaged import AveragedModel, join_members
from earnest.training.learners.portfolio import (
    Portfolio,
    PortfolioConfiguration,
    load_portfolio,
)
from earnest.training.protocols import Estimator
from earnest.training.search.estimate import (
    refuse_estimate,
    warn_of_no_probabilities,
)
from earnest.training.search.judging import SearchResults, judge_search
from earnest.training.search.live import LivePage
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import prepare
from earnest.training.search.run import SearchRun, search_all
from earnest.training.tables.hidden_groups import find_copies, has_too_few_apart, note_kept_together
from earnest.training.tables.leaks import (
    ColumnScan,
    find_suspects,
    scan_columns,
    score_of,
    warn_of_leaks,
)
from earnest.training.tables.table import FEWEST, TrainingTable, read_training_table
from earnest.training.tune.explaining import explain_tuned
from earnest.training.tune.folder import (
    ESTIMATE,
    EXPLANATION,
    LEARNING,
    LEARNING_RUN,
    MODEL,
    PREDICTIONS,
    RUN,
    Folder,
)
from earnest.training.tune.growth import RowGain, measure_growth, warn_of_growth
from earnest.training.tune.model import Model
from earnest.training.tune.options import FOLDS, FoldPlan, TuneOptions, choose_metric
from earnest.training.tune.pilot import (
    Finish,
    FinishPace,
    JudgingPace,
    Pilot,
    measure,
    measure_crowding,
    measure_judging,
    read_machine,
    rehearse_finish,
)
from earnest.training.tune.plan import (
    DOCUMENT,
    FEWEST_CONFIGS,
    PLAN,
    TIME_OF_EXPLAINING,
    USED,
    Ending,
    Pairs,
    TunePlan,
    check_fold_sizes,
    cut_short,
    estimate_ending,
    estimate_least_seconds,
    fit_into,
    list_more,
    make_pairs,
    read_plan,
    warn_of_plan,
)
from earnest.training.tune.tuned import Tuned

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


ROWS_A_SECOND = 20_000  # of budget: more cannot be looked at in the time, so they are not read
FEWEST_READ = 100_000
PILOT = "Timing a fit of each kind of model"  # what a plan is made by, in words
ESTIMATING = "Estimating, and fitting the winner"
EXPLAINING = "Looking at what the model does with its columns"
LEARNING_MORE = "Training the winner on parts of the cases"
NOT_EXPLAINED = (
    "a run without a budget leaves out what the model does with its columns: "
    "`earnest explain-model RUN TABLE` tells it"
)
TIME_OF_JUDGING = 0.15  # of the budget: more resamples than it has time for are not drawn
MOST_OF_JUDGING = 0.4  # of the budget: as much at most is kept to choose ensembles
LIBRARIES = (20, 12, 8, 5)  # of an ensemble, from which there is one if there is time to judge it
SHARE_WITHOUT = 0.02  # of the budget that training without suspected columns may take
GROWTH = 2.5  # times as long as a fit on all rows takes one with what these rows add
DRAWS_IN_TAIL = 6  # beyond each end of an interval, which the fewest resamples have


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """A tuning whose data are read and checked; nothing is trained or written yet.

    Made by `begin`; `plan` then measures and settles what is tried, and `run` runs it.
    """

    options: TuneOptions
    folder: Folder | None
    table: TrainingTable
    metric: str
    seed: int
    started: float
    most_rows: int
    repeated: TunePlan | None = None

    @property
    def name(self) -> str:
        """The file and the outcome, for the title of a live page."""
        roles = self.table.schema.roles
        return f"{self.table.source}, {roles.get('target') or roles.get('time') or ''}".strip(", ")

    @property
    def resumed(self) -> TunePlan | None:
        """The plan of the run that is resumed, or of one that is repeated."""
        saved = None if self.folder is None else self.folder.plan
        return saved or self.repeated

    @cached_property
    def configs(self) -> tuple[PortfolioConfiguration, ...]:
        """All configurations that the portfolio has for this table, in its order."""
        choice, task = self.options.portfolio, self.table.task
        portfolio = choice if isinstance(choice, Portfolio) else load_portfolio(choice)
        return portfolio.configurations(
            task,
            self.table.inputs,
            n=self.options.n_configs,
            rng=self.seed,
            probabilities=True,
        )

    def plan(self, finish: Finish | None = None) -> TunePlan:
        """Return what will be tried: as in the run that is resumed, otherwise by a pilot.

        Parameters
        ----------
        finish : callable, optional
            What follows the search, on predictions and the name of a metric; it is rehearsed to
            know how long it takes. By default the winner is judged, and there is no report.
        """
        seeds = Seeds(self.seed)
        where = backends.plan_backend(self.options.n_jobs, limited=False)
        at_once = max(1, where.n_jobs)
        before = read_machine()
        pilot = Pilot({}, 0.0)
        if self.resumed is None:
            pilot = measure(self.table, self.configs, self.options.planned_seconds, seeds)
            if not pilot.paces:
                raise _explain_no_fit(next(iter(pilot.failures.values())))
        pace = FinishPace()
        if self._has_end:
            verb, explains = finish or _judge_winner, finish is not None
            pace = rehearse_finish(verb, self.table, self.metric, seeds, explains=explains)
        after = read_machine()
        if where.local:  # the cores of a cluster are not those of this machine
            pilot = replace(pilot, crowding=measure_crowding(before, after, at_once))
        alone = measure_crowding(before, after, 1)
        if self.resumed is not None:
            n_rows, tried = self.resumed.n_rows, len(self.resumed.configs)
            ending = estimate_ending(
                pace, [], n_rows, tried, crowding=alone, budget=self.options.seconds
            )
            return replace(self.resumed, ending=ending)
        return self._fit_plan(pilot, pace, alone, seeds, at_once)

    @cached_property
    def splits(self) -> FoldPlan:
        """How the cases are divided: as asked for, or by their number."""
        return self.options.choose_splits(self.table.n_cases)

    @property
    def rule(self) -> EnsembleRule | None:
        """The rule that chooses an ensemble; None where one configuration wins."""
        return None if self.table.task is Task.SURVIVAL else self.options.rule

    @property
    def _has_end(self) -> bool:
        """Whether the search ends at a moment, and not when its fits are made."""
        return self.repeated is None and math.isfinite(self.options.seconds)

    def _fit_plan(
        self, pilot: Pilot, pace: FinishPace, alone: float, seeds: Seeds, at_once: int
    ) -> TunePlan:
        """Return what fits into the budget together with what follows the search.

        What follows depends on how many rows and configurations take part, and that on how much
        time is left for them: so it is planned as if nothing followed, and then again.
        """
        choosing = None
        if self.rule is not None and self._has_end:
            choosing = measure_judging(self.table, self.metric, self.rule, seeds)
        ending, judging = Ending(), JudgingPlan()
        chosen, rows, left = self.configs, self.table.n_cases, 0.0
        for _ in range(2):
            left = ending.find_time_of_search(self.options.seconds)
            left -= monotonic() - self.started
            chosen, rows = fit_into(left, self.configs, self.table, pilot, self.options, at_once)
            tried = min(round(len(chosen) / USED), len(self.configs))
            tested = round(rows * min(self.splits.n_tests, 1.0))
            if choosing is not None:
                judging = self._plan_judging(choosing, tested, tried, alone)
            whole = self.table.n_cases  # which the winner is fitted on
            fits = [pilot.fit_seconds(config, whole) / pilot.crowding for config in chosen]
            if self._has_end:  # a search goes on while there is time, beyond those that are sure
                ending = estimate_ending(
                    pace,
                    fits,
                    tested,
                    tried,
                    crowding=alone,
                    ensembles=judging.seconds,
                    budget=self.options.seconds,
                    at_once=at_once,
                )
                if rows < whole:  # what more rows add takes about another such fit
                    ending = replace(ending, refit=GROWTH * ending.refit)
        more = list_more(left, self.configs, chosen, self.table, rows, pilot, self.options, at_once)
        took = [pilot.fit_seconds(config, rows * self.splits.share) for config in chosen]
        least = estimate_least_seconds(
            chosen, self.table, rows, pilot, self.options, at_once, ending
        )
        return TunePlan(
            seed=self.seed,
            most_rows=self.most_rows,
            n_rows=rows,
            configs=tuple(config.name for config in (*chosen, *more)),
            n_sure=len(chosen) if more else None,
            n_offered=len(self.configs),
            fit_seconds=self.splits.n_splits * sum(took),
            asked={**self.options.same(), "seed": self.seed},
            least_seconds=monotonic() - self.started + least,
            crowding=pilot.crowding,
            n_splits=self.splits.n_used,
            n_resamples=judging.n_resamples,
            library=judging.library,
            ending=ending,
        )

    def _plan_judging(
        self, pace: JudgingPace, n_cases: int, n_configs: int, crowding: float
    ) -> JudgingPlan:
        """Return by how many resamples an ensemble is judged: as many as there is time for.

        Where there is no time for the fewest of them, it is built of fewer configurations. Where
        that is not enough, there is none, unless it was asked for.
        """
        assert self.rule is not None
        most = BBC().n_resamples
        fewest = min(math.ceil(2 * DRAWS_IN_TAIL / (1 - self.options.confidence_level)), most)
        budget = self.options.seconds / crowding
        room = TIME_OF_JUDGING * budget
        for library in LIBRARIES:
            paced = pace.with_library(min(library, n_configs), self.rule.library)
            if paced.at(n_cases, fewest) <= room:
                count = paced.count_within(room, n_cases, fewest, most)
                return JudgingPlan(library, count, paced.at(n_cases, count))
        if self.options.ensemble == "auto":
            return JudgingPlan(0)
        paced = pace.with_library(min(self.rule.library, n_configs), self.rule.library)
        seconds = min(paced.at(n_cases, fewest), MOST_OF_JUDGING * budget)
        return JudgingPlan(None, fewest, seconds)

    def _find_rule(self, plan: TunePlan, pi: Predictions) -> EnsembleRule | None:
        """Return the rule that chooses an ensemble of these predictions, as planned."""
        averaged = pi.kind in (ResponseKind.PROBABILITY, ResponseKind.VALUE)
        few = pi.usable().n_configs < FEWEST_CONFIGS
        if self.rule is None or plan.library == 0 or self.table.weights is not None:
            return None
        metric = metric_named(self.metric).on(self.table.task)
        slow = not math.isfinite(self.options.seconds) and not is_compiled(metric)
        if self.options.ensemble == "auto" and (few or slow or not averaged):
            return None
        return self.rule if plan.library is None else replace(self.rule, library=plan.library)

    def find_deadline(self, plan: TunePlan) -> float:
        """Return when the search ends, unless it is complete before; infinity without a budget."""
        if not self._has_end:
            return math.inf
        return self.started + plan.ending.find_time_of_search(self.options.seconds)

    def find_budget(self, plan: TunePlan) -> float | None:
        """Return the seconds that a plan will use up; None for one that ends with its fits."""
        goes_on = plan.n_sure is not None and self._has_end
        return self.options.seconds if goes_on else None

    def make_meter(self, *listeners: Progress, every: float | None = None) -> Meter:
        """Return the meter of the run, which shows its progress to the end of all that follows."""
        return Meter(list(listeners), began=self.started, lasts=True, every=every)

    def run(
        self,
        plan: TunePlan,
        progress: Meter | Progress | None = None,
        live: LivePage | None = None,
    ) -> Tuned:
        """Search, estimate, fit the winner on all cases, and write the files.

        `progress` is the meter of the run, where more than this belongs to it, or who is told. If
        its cluster is lost, the error says how to resume the run in its folder.
        """
        if not isinstance(progress, Meter):
            meter = self.make_meter(*(() if progress is None else (progress,)))
            with meter:
                return self.run(plan, meter, live)
        try:
            return self._run(plan, progress, live)
        except ClusterError as error:
            if self.folder is None:
                raise
            raise error.resume_by("resume") from error

    def _run(self, plan: TunePlan, meter: Meter, live: LivePage | None) -> Tuned:
        meter.budget = self.find_budget(plan)
        after = plan.ending.seconds if self._has_end else 0.0
        meter.expect(n_configs=plan.n_planned, after=after)
        configs = _find_configurations(self.configs, plan.configs)
        seeds = Seeds(plan.seed)
        table, folds = self.divide(plan)
        draws = seeds.generator(Purpose.SPLITS, 0, 7)
        scan = scan_columns(table, folds, draws)
        if self.folder is not None:
            self.folder.make(24 * table.n_cases * len(configs) * self.splits.repeats)
        ran = run_search(
            table,
            configs,
            folds,
            self.options,
            plan,
            self.metric,
            path=None if self.folder is None else self.folder.run,
            deadline=self.find_deadline(plan),
            repeated=self.repeated is not None,
            meter=meter,
            live=live,
        )
        meter.need(plan.ending.seconds if self._has_end else 0.0)
        meter.say(ESTIMATING)
        with pass_scores_on(meter):
            tuned = self._make_result(plan, table, folds, ran, scan)
        if self.folder is not None:
            _write(tuned, self.folder)
        meter.need(plan.ending.explaining + plan.ending.after_explaining)
        meter.say(EXPLAINING)
        tuned = self._add_explanation(tuned, plan)
        if self.options.learning_curve:
            meter.say(LEARNING_MORE)
            with meter.handed_over() as listeners:
                tuned = self._add_learning(tuned, Meter(listeners))
        return replace(tuned, seconds=monotonic() - self.started)

    def divide(self, plan: TunePlan) -> tuple[TrainingTable, Pairs]:
        """Return the cases that take part, and the folds."""
        seeds = Seeds(plan.seed)
        draws = seeds.generator(Purpose.SPLITS, 0, 3)
        table = self.table.sample(plan.n_rows, draws, fewest=max(FEWEST, self.splits.folds))
        folds = make_pairs(table, self.splits.folds, self.splits.repeats, seeds)
        if table.order is not None:  # the last windows, which train on most
            return table, folds[-(plan.n_splits or 0) :]
        return table, folds[: plan.n_splits]

    def _add_explanation(self, tuned: Tuned, plan: TunePlan) -> Tuned:
        """Add what the delivered model does with its columns, or why nobody has looked."""
        if not math.isfinite(self.options.seconds):
            return replace(tuned, no_explanation=NOT_EXPLAINED)
        left = self.started + self.options.seconds - monotonic() - plan.ending.after_explaining
        limit = min(TIME_OF_EXPLAINING * self.options.seconds, left)
        try:
            explanation = explain_tuned(
                tuned,
                confidence_level=self.options.confidence_level,
                limit=limit,
                n_jobs=self.options.n_jobs,
            )
        except EarnestError as error:
            return replace(tuned, no_explanation=str(error))
        if self.folder is not None:
            self.folder.write_json(EXPLANATION, explanation.to_dict())
        return replace(tuned, explanation=explanation)

    def _add_learning(self, tuned: Tuned, meter: Meter) -> Tuned:
        """Add the learning curve of the winner, or why there is none."""
        table, folder = tuned.table, self.folder
        draws = Seeds(tuned.plan.seed).generator(Purpose.SPLITS, 0, 4)
        try:
            curve = learning_curve(
                (tuned.winner.name, tuned.winner.estimator),
                table.X,
                table.y,
                metric=self.metric,
                cv=self.splits.folds,
                groups=table.groups,
                confidence_level=self.options.confidence_level,
                store=None if folder is None else folder.path / LEARNING_RUN,
                n_jobs=self.options.n_jobs,
                progress=meter,
                rng=int(draws.integers(2**32)),
            )
        except ClusterError:
            raise
        except EarnestError as error:
            return replace(tuned, no_learning=str(error))
        curve = replace(curve, cautions=by_severity([*curve.cautions, warn_of_settings()]))
        if folder is not None:
            folder.write_json(LEARNING, curve.to_dict())
        return replace(tuned, learning=curve)

    def _measure_use(self, fit_seconds: float) -> float | None:
        """Return the share of the budget that workers spent in fits."""
        if not math.isfinite(self.options.seconds) or self.resumed is not None:
            return None
        return fit_seconds / at_once(self.options.n_jobs) / self.options.seconds

    def _measure_growth(self, winner: Estimator, searched: TrainingTable) -> RowGain | None:
        """Return what the rows add that the search did not see, None where it saw all."""
        if searched.n_cases == self.table.n_cases or searched.weights is not None:
            return None
        draws = Seeds(self.seed).generator(Purpose.SPLITS, 0, 8)
        return measure_growth(winner, searched, self.table, self.metric, draws)

    def _screen(
        self, table: TrainingTable, folds: Pairs, ran: TuneRun, scan: ColumnScan, pi: Predictions,
        winner: PortfolioConfiguration, done: TunePlan,
    ) -> LeakScreen:  # fmt: skip
        """Return the columns that may be leaks, and what the winner scores without them."""
        screen = find_suspects(scan, pi, winner.name, self.metric, done.seed)
        suspects = [suspect.column for suspect in screen.suspects]
        columns = list(dict.fromkeys([*self.options.without, *suspects]))
        if not columns or len(columns) == table.inputs.n_columns:
            return screen
        position = ran.configs.index(winner)
        seconds = ran.judged.table["mean_fit_time"][position] * len(folds)
        took = seconds / at_once(self.options.n_jobs)
        if (
            self._has_end
            and not self.options.without
            and took > SHARE_WITHOUT * self.options.seconds
        ):
            return screen
        options = replace(self.options, drop=None)
        again = run_search(
            table.blank(columns), [winner], folds, options, done, self.metric,
            path=None, deadline=math.inf, repeated=True,
        )  # fmt: skip
        other = again.judged.predictions
        if other is None:
            return screen
        measure = metric_named(screen.metric).on(table.task)
        scores = [score_of(each, winner.name, measure) for each in (pi, other)]
        return replace(screen, winner=scores[0], without=tuple(columns), score_without=scores[1])

    def _make_result(
        self,
        plan: TunePlan,
        table: TrainingTable,
        folds: Pairs,
        ran: TuneRun,
        scan: ColumnScan | None,
    ) -> Tuned:
        searched, judged = ran.searched, ran.judged
        if judged.predictions is None:
            raise refuse_estimate(judged.refusal, "estimate")
        by_name = {config.name: config for config in ran.configs}
        pi = _set_ranks(_set_labels(judged.predictions, table), by_name)
        done = replace(
            plan,
            configs=tuple(config.name for config in ran.configs),
            n_splits=plan.n_splits if ran.n_splits is None else ran.n_splits,
            n_sure=None,
        )
        cautions = [*table.cautions, *warn_of_plan(done, self.table, ran.early)]
        if table.weights is not None:
            cautions.append(of_search.fitted_unweighted(str(table.weights.kind)))
        rule = self._find_rule(plan, pi)
        estimate = _add_cautions(_estimate(judged, pi, rule, plan.n_resamples), cautions)
        winner = by_name[estimate.winner or _find_best(judged, pi)]
        n_splits = len(searched.splits)
        leaks = None
        if scan is not None:
            leaks = self._screen(table, folds[:n_splits], ran, scan, pi, winner, done)
            estimate = _add_cautions(estimate, [*warn_of_leaks(leaks)])
        if table.subgroups:
            measure = metric_named(self.metric).on(table.task)
            answer = pick_answer(pi, measure)
            groups = subgroups_beside(estimate, answer, measure, table.subgroups)
            estimate = replace(estimate, subgroups=groups)
        comparison = _compare(estimate, pi, self.metric, self.options.confidence_level, winner.name)
        cheapest, count = _find_cheapest(comparison, by_name)
        n_folds, repeats = self.splits.folds, self.splits.repeats
        results = judged.table
        took = (results["mean_fit_time"] + results["mean_score_time"]).sum() * n_splits
        shares = estimate.ensemble or {winner.name: 1.0}
        members = [by_name[name].estimator for name in shares]
        joined = join_members(members, [*shares.values()], classes=bool(table.classes))
        at_once, begun = workers(self.options.n_jobs), monotonic()
        estimator = _fit_winner(joined, self.table, at_once)
        refit_seconds = (monotonic() - begun) * min(at_once, len(shares))
        growth = self._measure_growth(joined, table)
        if growth is not None:
            estimate = _add_cautions(estimate, [warn_of_growth(growth, self.metric)])
        if not getattr(estimator[-1] if len(shares) == 1 else estimator, "rises_", True):
            estimate = _add_cautions(estimate, [*warn_of_no_probabilities(winner.name)])
        return Tuned(
            estimate=estimate,
            model=Model(
                estimator=estimator,
                schema=table.schema,
                task=table.task,
                classes=table.classes,
                metric=self.metric,
                winner=winner.name if len(shares) == 1 else f"ensemble of {len(shares)}",
                probabilities=pi.kind is ResponseKind.PROBABILITY,
                leaks=leaks,
                errors=measure_errors(
                    pi,
                    metric_named(self.metric).on(table.task),
                    shares,
                    Seeds(done.seed),
                    rule=rule if len(shares) > 1 else None,
                    n_jobs=self.options.n_jobs,
                ),
            ),
            predictions=pi,
            winner=winner,
            cheapest=cheapest,
            n_not_worse=count,
            comparison=comparison,
            calibration=judge_estimate(
                estimate,
                pi,
                metric_named(self.metric).on(table.task),
                confidence_level=self.options.confidence_level,
            ),
            run=ran.run,
            plan=done,
            table=table,
            folds=n_folds,
            repeats=repeats,
            counts=_count_configurations(plan, ran),
            n_fits=len(ran.run.outcomes) + len(shares),
            n_fits_nested=repeats * n_folds**2 * len(ran.configs) + repeats * n_folds + 1,
            fit_seconds=float(took),
            budget_used=self._measure_use(float(took) if ran.spent is None else ran.spent),
            seconds=monotonic() - self.started,
            folder=None if self.folder is None else self.folder.path,
            leaks=leaks,
            growth=growth,
            refit_seconds=refit_seconds * table.n_cases / self.table.n_cases,
        )


@dataclass(frozen=True)
class JudgingPlan:
    """By how many configurations and resamples an ensemble is judged, and how long it takes."""

    library: int | None = None
    n_resamples: int | None = None
    seconds: float | None = None


def begin(
    data: object,
    options: TuneOptions,
    *,
    out: str | Path | None,
    resume: bool = False,
    plan: str | Path | None = None,
    started: float | None = None,
) -> Job:
    """Read and check everything; raise before anything is trained or written.

    The budget counts from `started`, on the clock of `time.monotonic`; from now by default.
    """
    started = monotonic() if started is None else started
    if resume and out is None:
        raise InputError(
            f"{arg('resume')} needs a folder", needs=f"{arg('out')}, the folder of the run"
        )
    folder = None if out is None else Folder.of(out, resume=resume, options=options)
    repeated = None if plan is None else read_plan(plan, options)
    resumed = (None if folder is None else folder.plan) or repeated
    seed = resumed.seed if resumed else options.seed
    seed = secrets.randbits(32) if seed is None else seed
    most = max(FEWEST_READ, int(ROWS_A_SECOND * options.planned_seconds))
    most = resumed.most_rows if resumed else most
    table = read_training_table(
        data,
        target=options.target,
        group=options.group,
        when=options.when,
        time=options.time,
        event=options.event,
        task=options.task,
        positive=options.positive,
        ignore=options.ignore,
        keep=options.keep,
        by=options.by,
        weight=options.weight,
        weights=options.weights,
        delimiter=options.delimiter,
        decimal=options.decimal,
        thousands=options.thousands,
        missing=options.missing,
        most_rows=most,
        fewest=max(FEWEST, options.folds or FOLDS),
        rng=Seeds(seed).generator(Purpose.SPLITS, 0, 4),
    )
    if options.ensemble == "greedy" and table.task is Task.SURVIVAL:
        raise InputError(
            f"{arg('ensemble')} averages predictions, and risks of survival models have no average",
            needs="'none'",
            got=repr(options.ensemble),
        )
    _check_without(options.without, table)
    metric = choose_metric(options.metric, table.task)
    if table.order is not None and options.repeats > 1:
        raise InputError(
            "windows in time cannot be repeated",
            needs=f"{arg('repeats', 1)} with {arg('when')}",
            got=arg("repeats", options.repeats),
        )
    folds = options.choose_splits(table.n_cases).folds
    check_fold_sizes(table, folds)
    table = _keep_copies_together(table, folds)
    job = Job(
        options=options,
        folder=folder,
        table=table,
        metric=metric,
        seed=seed,
        started=started,
        most_rows=most,
        repeated=repeated,
    )
    _ = job.configs  # a portfolio that cannot be read is refused here
    return job


def _check_without(columns: Sequence[str], table: TrainingTable) -> None:
    """Refuse columns that no model of the search would see, and all of them at once."""
    schema = table.schema
    names = tuple(dict.fromkeys([*schema.columns, *schema.names]))
    lost = [name for name in columns if name not in names]
    if lost:
        raise InputError(
            f"{arg('without')} names no column that models see: {lost[0]!r}",
            needs=check.some(map(repr, names), limit=8),
            got=table.schema.left_out.get(lost[0], ""),
            cure=check.nearest(lost[0], names),
        )
    blank = {place for name in columns for place in schema.find_features(name)}
    if len(blank) == len(schema.features):
        raise InputError(
            f"{arg('without')} names all columns", needs="at least one column that is left"
        )


def _keep_copies_together(table: TrainingTable, folds: int) -> TrainingTable:
    """Return the table with copies of a row as a group, where no groups were given.

    Where too few rows would be left for the folds, they stay as they are, and the search warns.
    """
    if table.groups is not None or table.order is not None:
        return table
    copies = find_copies(table.X, table.y)
    if copies is None or has_too_few_apart(copies, table.layers, folds):
        return table
    return replace(table, groups=copies, cautions=(*table.cautions, note_kept_together(copies)))


def _explain_no_fit(why: str) -> InputError:
    """Return the error if no model could be fitted, with the message of the first one."""
    return InputError("no model of the portfolio can be fitted to this table", got=why)


def _find_configurations(
    configs: Sequence[PortfolioConfiguration], names: Sequence[str]
) -> tuple[PortfolioConfiguration, ...]:
    """Return the configurations of a plan, refusing one that the portfolio no longer has."""
    by_name = {config.name: config for config in configs}
    lost = [name for name in names if name not in by_name]
    if lost:
        raise StoreError(
            "the portfolio differs from the one that started the run",
            needs="the configurations of its plan",
            got=f"no {check.some(map(repr, lost), limit=3)}",
            cure=f"Choose another folder with {arg('out')}.",
        )
    return tuple(by_name[name] for name in names)


def _set_labels(pi: Predictions, table: TrainingTable) -> Predictions:
    """Return predictions whose classes have the table's own names, and its rows as ids."""
    target = replace(
        pi.target, ids=table.rows.astype("int64") + 1, subgroups=table.subgroups, order=table.order
    )
    if table.task in (Task.BINARY, Task.MULTICLASS):
        target = replace(target, classes=table.classes)
    return replace(pi, target=target)


def _set_ranks(pi: Predictions, configs: dict[str, PortfolioConfiguration]) -> Predictions:
    """Return predictions that know in which order configurations are cheaper to fit."""
    costs = [configs[name].cost for name in pi.configs.ids]
    return replace(pi, configs=pi.configs.with_complexity(costs))


def _estimate(
    judged: SearchResults, pi: Predictions, rule: EnsembleRule | None, n_resamples: int | None
) -> Estimate:
    """Return the estimate of the winner by the pooled metric, as BBC chooses in resamples."""
    if judged.question is None:
        raise refuse_estimate(judged.refusal, "estimate")
    question = replace(judged.question, best=None, rule=rule, n_resamples=n_resamples)
    estimate = question.answer(pi)
    return replace(estimate, cautions=tuple(each.for_verb(Verb.TUNE) for each in estimate.cautions))


def _count_configurations(plan: TunePlan, ran: TuneRun) -> Counts:
    """Return what became of all that was begun, those under way at the deadline included."""
    begun = {key[0] for key in ran.run.outcomes if len(key) == 3}
    return replace(ran.judged.counts, planned=plan.n_planned, tried=len(begun))


def _find_best(judged: SearchResults, pi: Predictions) -> str:
    """Return the best single configuration by the pooled metric, next to an ensemble."""
    assert judged.question is not None
    usable = pi.usable()
    best, _, _ = find_winner(usable, judged.question.metric, Pooled())
    return usable.configs.ids[best]


def _fit_winner(estimator: Estimator, table: TrainingTable, n_jobs: int) -> Pipeline:
    """Return the winner fitted on all cases, each member of an ensemble on one thread.

    So fits were when they were timed; their number at once never changes the result.
    """
    from sklearn.base import clone

    several = {"n_jobs": n_jobs} if isinstance(estimator, AveragedModel) else {}
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(table.X, table.y, **several)


def _add_cautions(estimate: Estimate, more: Sequence[Caution]) -> Estimate:
    return replace(estimate, cautions=by_severity([*estimate.cautions, *more]))


def _judge_winner(pi: Predictions, metric: str) -> None:
    """Judge the winner as the end of a run does, to know how long it takes."""
    from earnest.methods.run import estimate

    answer = estimate(pi, metric=metric, method="bbc", rng=0)
    if answer.winner is not None:
        _compare(answer, pi, metric, 0.95, answer.winner)


def _compare(
    estimate: Estimate, pi: Predictions, metric: str, level: float, winner: str
) -> Comparisons | None:
    """Compare the winner with the others, for the terminal and the report."""
    from earnest.comparison.run import against_winner

    if estimate.n_configs < 2:
        return None
    seed = estimate.provenance.seed
    try:
        return against_winner(pi, metric, winner, confidence_level=level, rng=seed)
    except EarnestError:  # too few cases for any test
        return None


def _find_cheapest(
    comparison: Comparisons | None, configs: dict[str, PortfolioConfiguration]
) -> tuple[PortfolioConfiguration | None, int]:
    """Return the cheapest configuration within the margin, and how many are not shown worse.

    The configuration is None if it is the winner.
    """
    if comparison is None:
        return None, 1
    cheapest, count = comparison.cheapest, len(comparison.not_worse)
    return None if cheapest in (None, comparison.reference) else configs[str(cheapest)], count


def _write(tuned: Tuned, folder: Folder) -> None:
    refuse_links(folder.path / PREDICTIONS)
    tuned.predictions.save(folder.path / PREDICTIONS)
    write_file(folder.path / MODEL, tuned.model.to_bytes(), follow=False)
    folder.write_json(ESTIMATE, tuned.to_dict())
    tried = json.loads(tuned.plan.to_json())
    del tried["fit_seconds"]  # which differ from run to run
    folder.write_json(PLAN, tried)


def _choose_response(configs: Sequence[PortfolioConfiguration], table: TrainingTable) -> str | None:
    """Return what is predicted: what will be delivered, probabilities wherever all have them."""
    method = "predict_proba"
    able = all(will_have(config.estimator, method) for config in configs)
    return method if table.classes and able else None


LONGEST_SHARE = 0.5  # of the budget that one fit may take
QUICK = 0.1  # of the budget: when all fits together take less, none needs a limit


class PlannedStore(SqliteStore):
    """A run file that begins with the plan of the run, and keeps its scores in memory too."""

    def __init__(self, path: str | Path, plan: TunePlan) -> None:
        super().__init__(path)
        self._plan = plan
        self._memory = MemoryStore()

    def open(self, identity: Mapping[str, str]) -> None:
        """Begin or resume the run, and write down the plan before any fit."""
        super().open(identity)
        self._memory.open(identity)
        for outcome in self.done().values():
            self._memory.put(replace(outcome, arrays={}))
        for name, text in self.documents().items():
            self._memory.put_document(name, text)
        self.put_document(DOCUMENT, self._plan.to_json())

    def put(self, outcome: TaskOutcome) -> None:
        """Commit an outcome, and remember its scores."""
        super().put(outcome)
        self._memory.put(replace(outcome, arrays={}))

    def put_document(self, name: str, text: str) -> None:
        """Commit a text by name, and remember it."""
        super().put_document(name, text)
        self._memory.put_document(name, text)

    def to_run(self, path: str | Path) -> RunFile:
        """Return what the file holds, from memory and without predictions."""
        return self._memory.to_run(path)


@dataclass(eq=False, kw_only=True)
class Clock:
    """Ends a search whose time is over as soon as there is enough to judge.

    Parameters
    ----------
    deadline : float
        When the time is over, on the clock of `time.monotonic`.
    fits : int
        How many fits complete a configuration.
    by_fold : bool
        Whether the search goes fold by fold, so that folds are completed, not configurations.
    """

    deadline: float
    fits: int
    by_fold: bool
    _done: Counter[Key] = field(default_factory=Counter)
    _left: int = 0

    @property
    def has_enough(self) -> bool:
        """Whether there is enough to judge."""
        if self.by_fold:  # a fold is complete when the next one has begun
            return len(self._done) > 1
        complete = sum(count == self.fits for count in self._done.values())
        return complete >= FEWEST_CONFIGS

    def start(self, total: int, title: str = "") -> None:
        """Begin."""
        self._left = total
        self._done.clear()

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        """Count the fit, and end the run if there is enough to judge and no time left."""
        self._done[outcome.key[1:] if self.by_fold else outcome.key[:1]] += 1
        self._left -= 1
        over = self._left > 0 and not stored and monotonic() > self.deadline
        if over and self.has_enough:
            raise DeadlineError("the time ran out")

    def drop(self, count: int) -> None:
        """Count fits that will not be made."""
        self._left -= count

    def message(self, text: str) -> None:
        """Say nothing."""

    def finish(self) -> None:
        """End."""


@dataclass(frozen=True, eq=False)
class TuneRun:
    """A search, its configurations, and what was cut short.

    `run` holds the content of the run file without predictions; it is not read from the file.
    """

    searched: SearchRun
    judged: SearchResults
    configs: tuple[PortfolioConfiguration, ...]
    run: RunFile
    early: Caution | None = None  # where the time was over before the search was complete
    n_splits: int | None = None  # where the time was over before all splits were tried
    spent: float | None = None  # seconds of all fits then, also of those that are left out


def run_search(
    table: TrainingTable,
    configs: Sequence[PortfolioConfiguration],
    folds: Pairs,
    options: TuneOptions,
    plan: TunePlan,
    metric: str,
    *,
    path: Path | None,
    deadline: float,
    repeated: bool = False,
    meter: Meter | None = None,
    live: LivePage | None = None,
) -> TuneRun:
    """Search within the time; when it is over, keep what is complete.

    What is under way at the deadline is given up, unless there is not enough to judge yet: then
    the search goes on until there is. If the plan of another run is `repeated`, no fit has a
    limit. To use a back end other than the processes of this machine, wrap the call in
    `joblib.parallel_config`.
    """
    store = MemoryStore() if path is None else PlannedStore(path, plan)
    where = RUN if path is None else path
    by_fold = options.drop is not None
    clock = Clock(deadline=deadline, fits=len(folds), by_fold=by_fold)
    meter = Meter() if meter is None else meter

    def search(
        some: Sequence[PortfolioConfiguration],
        pairs: Pairs,
        finished: MemoryStore | PlannedStore,
        *,
        counted: Meter | None = None,
        early: Caution | None = None,
        page: LivePage | None = None,
        until: float = math.inf,
    ) -> TuneRun:
        settings = SearchOptions(
            None,
            list(some),
            scoring=metric,
            cv=pairs,
            refit=False,  # the winner is chosen by the pooled metric, as the resamples do
            confidence_level=options.confidence_level,
            drop=options.drop,
            response=_choose_response(some, table),
            store=finished,
            time_limit=None if repeated else _find_longest(options, plan),
            n_jobs=options.n_jobs,
            random_state=plan.seed % 2**32,
            verbose=counted or 0,
            live=page,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # failures are told by EN045, with their number
            try:
                prepared = prepare(settings, table.X, table.y, {"groups": table.groups})
                if table.weights is not None:  # they choose and judge; no learner is given them
                    prepared = prepared.weigh(table.weights)
                searched = search_all(settings, prepared, deadline=until)
                judged = judge_search(settings, prepared, searched)
            except AllFailedError as error:
                last = error.got.strip().splitlines()[-1]  # of the traceback that it quotes
                raise InputError(error.what, got=last) from error
        return TuneRun(searched, judged, tuple(some), store.to_run(where), early)

    try:
        with meter.joined_by(clock):
            try:
                return search(configs, folds, store, counted=meter, page=live, until=deadline)
            except DeadlineError:
                if not clock.has_enough:
                    return search(configs, folds, store, counted=meter, page=live)
    except DeadlineError:  # of the second search, by the clock
        pass
    done = store.done() if isinstance(store, MemoryStore) else read_run(store.path).outcomes
    if by_fold:
        finished, count = _keep_whole_folds(done)
        early = cut_short(plan, count, len(folds), "folds")
        ran = search(configs, folds[:count], finished, early=early)
        return replace(ran, n_splits=count, spent=_add_times(done))
    finished, places = _keep_whole_configurations(done, len(folds))
    some = tuple(configs[position] for position in places)
    count = sum(position < plan.n_planned for position in places)
    complete = count == plan.n_planned
    late = None if complete else cut_short(plan, count, plan.n_planned, "configurations")
    return replace(search(some, folds, finished, early=late), spent=_add_times(done))


def _add_times(done: Mapping[Key, TaskOutcome]) -> float:
    """Return the time of all fits, including those of incomplete configurations."""
    times = ("fit_time", "score_time")
    return sum(outcome.numbers.get(name, 0.0) for outcome in done.values() for name in times)


def _find_longest(options: TuneOptions, plan: TunePlan) -> float | None:
    """Return the seconds that a fit may take, or None.

    There is no limit without a budget, and none for a short search of one job: a limit needs
    processes, which would take longer to start than the search.
    """
    if math.isinf(options.seconds):
        return None
    if at_once(options.n_jobs) == 1 and plan.fit_seconds < QUICK * options.seconds:
        return None
    return max(30.0, LONGEST_SHARE * options.seconds)


def _keep_whole_configurations(
    done: Mapping[Key, TaskOutcome], fits: int
) -> tuple[MemoryStore, tuple[int, ...]]:
    """Return the outcomes of complete configurations, renumbered, and which these are."""
    counts = Counter(key[0] for key in done)
    places = tuple(sorted(config for config, count in counts.items() if count == fits))
    store = MemoryStore()
    for key, outcome in done.items():
        if key[0] in places:
            store.put(replace(outcome, key=(places.index(key[0]), *key[1:])))
    return store, places


def _keep_whole_folds(done: Mapping[Key, TaskOutcome]) -> tuple[MemoryStore, int]:
    """Return the outcomes of the folds before the current one, and how many these are."""
    begun = sorted({key[1:] for key in done})
    store = MemoryStore()
    for key, outcome in done.items():
        if key[1:] in begun[:-1]:
            store.put(outcome)
    return store, len(begun) - 1
