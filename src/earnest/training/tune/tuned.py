"""What `tune` gives back: the estimate, the model, and how they were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from earnest.adapters.evidence import Source
from earnest.core.data.predictions import Predictions
from earnest.core.results.calibration import Calibration
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.counts import Counts
from earnest.core.results.estimate import Estimate
from earnest.core.results.gain import LearningCurve
from earnest.core.results.leaks import LeakScreen
from earnest.core.results.model.columns import ModelExplanation
from earnest.core.results.readiness import Readiness
from earnest.inference.readiness import judge_readiness
from earnest.metrics import metric as metric_named
from earnest.store import RunFile
from earnest.training.learners.portfolio import PortfolioConfiguration
from earnest.training.tables.table import TrainingTable
from earnest.training.tune.growth import RowGain
from earnest.training.tune.model import Model
from earnest.training.tune.plan import TunePlan


@dataclass(frozen=True, eq=False, kw_only=True)
class Tuned:
    """A tuned model, what to expect of it, and how it was found.

    Attributes
    ----------
    estimate : Estimate
        How good the winner really is, with all cautions of the run.
    model : Model
        The winner fitted on all cases, with `predict(table)`.
    predictions : Predictions
        The out-of-sample predictions of every configuration.
    winner, cheapest : Configuration
        The winner, and the configuration that is cheapest to fit among those that are not shown to
        be worse and score within the margin of the comparison; None if that is the winner.
        Where the model is an ensemble, `estimate.ensemble` has its members, and the winner is the
        best single configuration.
    n_not_worse : int
        How many configurations cannot be shown to be worse than the best, that one included.
    comparison : Comparisons or None
        The winner against all others; None with one configuration, or if no test applies.
    calibration : Calibration or None
        How far the probabilities that the model predicts can be believed; None without classes, or
        where it predicts scores.
    run : RunFile
        What its run file holds, without predictions.
    plan : TunePlan
        What was tried, on how many rows.
    table : TrainingTable
        The data as models saw them.
    folds, repeats : int
        The folds, and how often they were drawn.
    counts : Counts
        How many configurations were planned and tried, and how they ended.
    n_fits, n_fits_nested : int
        Models that were trained, including those of unfinished configurations and the delivered
        model, and those that nested cross-validation would have trained.
    fit_seconds, seconds : float
        What the fits took one after another, and the whole run.
    folder : Path, optional
        Where its files are.
    leaks : LeakScreen, optional
        Columns that may hold what is only known after the outcome; None where cases were too few
        to look for them.
    growth : RowGain, optional
        What the rows add that the search did not see; None where it saw all.
    learning : LearningCurve, optional
        What more training cases gave the winner, where that was asked for.
    no_learning : str
        Why there is no learning curve although it was requested.
    explanation : ModelExplanation, optional
        What the delivered model does with its columns; None where there was no time for it.
    no_explanation : str
        Why there is none.
    refit_seconds : float, optional
        What a fit of the delivered model takes, on one processor.
    budget_used : float, optional
        The share of the budget that every worker spent in fits; None without a budget, or where
        fits of an earlier run were taken over.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> found = en.tune(iris, target="target", n_configs=1, folds=3, rng=7, n_jobs=1)
    >>> found.n_fits, found.n_fits_nested
    (4, 13)
    >>> found.estimate.winner == found.winner.name
    True
    """

    estimate: Estimate
    model: Model
    predictions: Predictions
    winner: PortfolioConfiguration
    cheapest: PortfolioConfiguration | None
    n_not_worse: int
    comparison: Comparisons | None
    calibration: Calibration | None
    run: RunFile
    plan: TunePlan
    table: TrainingTable
    folds: int
    repeats: int
    counts: Counts
    n_fits: int
    n_fits_nested: int
    fit_seconds: float
    seconds: float
    folder: Path | None = None
    leaks: LeakScreen | None = None
    growth: RowGain | None = None
    learning: LearningCurve | None = None
    no_learning: str = ""
    explanation: ModelExplanation | None = None
    no_explanation: str = ""
    refit_seconds: float | None = None
    budget_used: float | None = None

    def __repr__(self) -> str:
        if self.estimate.winner is None:
            return f"{self.estimate!r}\n{self.model.winner}, best alone: {self.winner.name}"
        return f"{self.estimate!r}\nwinner: {self.winner.name}"

    def explain_model(
        self,
        effects: Sequence[str] | None = None,
        *,
        confidence_level: float = 0.95,
        n_jobs: int | None = None,
    ) -> ModelExplanation:
        """Return which columns the delivered model needs, and how its prediction moves with them.

        Parameters
        ----------
        effects : sequence of str, optional
            The columns whose effects are traced; by default the most important ones.
        confidence_level : float
            The level of each interval.
        n_jobs : int, optional
            How many threads; never changes the result.
        """
        from earnest.training.tune.explaining import explain_tuned

        return explain_tuned(
            self, effects=effects, confidence_level=confidence_level, n_jobs=n_jobs
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain data: the estimate, and under `tuning` how the model was found.

        The same data, options and seed give the same; what differs from run to run, such as times,
        is not in it.
        """
        return {**self.estimate.to_dict(draws=True), "tuning": self.about()}

    def to_source(self) -> Source:
        """Return the predictions with what the run has decided, for verbs that are given it."""
        estimate = self.estimate
        return Source(
            evidence=self.predictions,
            metric=estimate.metric,
            seed=estimate.provenance.seed,
            winner=estimate.winner,
            answer=lambda: estimate,
        )

    @property
    def margin(self) -> float | None:
        """How much worse than the winner the cheapest may score; None without a comparison."""
        return None if self.comparison is None else self.comparison.margin

    @property
    def readiness(self) -> Readiness:
        """Whether the model is ready to be used: ranking, probabilities, leaks, cases."""
        target = self.predictions.target
        metric = metric_named(self.estimate.metric).on(target.task)
        return judge_readiness(self.estimate, metric, target, self.calibration, self.leaks)

    @property
    def won(self) -> dict[str, float]:
        """The share of the resamples in which each configuration was chosen."""
        shares = self.estimate.details.win_share.tolist()
        return dict(zip(self.predictions.usable().configs.ids, shares, strict=True))

    def about(self) -> dict[str, object]:
        """Return in plain data how the model was found."""
        table = self.table
        return {
            "source": table.source,
            "task": str(table.task),
            "roles": dict(table.schema.roles),
            "classes": list(table.classes),
            "features": list(table.schema.columns),
            "kinds": {each.column: str(each.kind) for each in table.schema.features},
            "missing": table.count_missing(),
            "left_out": dict(table.schema.left_out),
            "n_rows": table.n_rows,
            "n_known": table.n_known,
            "n_cases": table.n_cases,
            "folds": self.folds,
            "repeats": self.repeats,
            "grouped": table.groups is not None,
            "portfolio": self.plan.asked.get("portfolio"),
            "n_configs_offered": self.plan.n_offered,
            "counts": self.counts.to_dict(),
            "seed": self.plan.seed,
            "drop": self.plan.asked.get("drop"),
            "winner": {"name": self.winner.name, "params": dict(self.winner.params)},
            "cheapest": None if self.cheapest is None else self.cheapest.name,
            "n_not_worse": self.n_not_worse,
            "won": self.won,
            "readiness": self.readiness.to_dict(),
            "leaks": None if self.leaks is None else self.leaks.to_dict(),
            "growth": None if self.growth is None else self.growth.to_dict(),
            "calibration": None if self.calibration is None else self.calibration.to_dict(),
            "n_fits": self.n_fits,
            "n_fits_nested": self.n_fits_nested,
        }
