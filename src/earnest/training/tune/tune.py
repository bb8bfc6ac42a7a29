"""`tune`: from a table to a tuned model and what to expect of it on new data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from earnest.core.base.protocols import Progress
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.tables.formats.missing import read_missing
from earnest.engine.limits import read_budget
from earnest.engine.progress import read_meter
from earnest.training.search.dropping.bced import DroppingRule
from earnest.training.search.live import open_page
from earnest.training.tables.table import read_name, read_names
from earnest.training.tune.job import PILOT, begin
from earnest.training.tune.options import TuneOptions
from earnest.training.tune.tuned import Tuned

if TYPE_CHECKING:
    from earnest.training.learners.portfolio import Portfolio


def tune(
    data: object,
    *,
    target: str | None = None,
    metric: str | None = None,
    group: str | None = None,
    when: str | None = None,
    time: str | None = None,
    event: str | None = None,
    task: str | None = None,
    positive: object = None,
    ignore: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    weight: str | None = None,
    weights: str = "importance",
    portfolio: str | Path | Portfolio = "default",
    n_configs: int | None = None,
    budget: str | float | None = None,
    folds: int | None = None,
    repeats: int = 1,
    drop: str | DroppingRule | None = None,
    ensemble: str = "auto",
    confidence_level: float = 0.95,
    out: str | Path | None = None,
    resume: bool = False,
    plan: str | Path | None = None,
    rng: RngLike = None,
    n_jobs: int | None = -1,
    progress: Progress | bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | Sequence[str] = (),
    live: str | Path | None = None,
    learning_curve: bool = False,
    without: str | Sequence[str] = (),
) -> Tuned:
    """Tune a model for a table and estimate how good it really is.

    Reads a table, works out the task, tries a portfolio of learners with their preprocessing under
    cross-validation, fits the winner on all cases, and estimates from the predictions of all
    configurations what the winner is worth on new data.

    **What is estimated.** The mean performance of a model tuned in this way on as many cases as
    the folds train on, on new cases of the same kind (`bbc`).

    **What it assumes.** Rows, or groups of rows, are independent, and new ones come from the same
    source as these. Where time or place separates them, the estimate is too kind.

    **When it fails.** With few cases in a class folds cannot be made, and it says so. Where the
    budget is too short for the table, fewer configurations are tried and rows are sampled, each
    with a caution.

    Tsamardinos, Greasidou, Borboudakis 2018 (BBC-CV).

    Parameters
    ----------
    data : str, Path or frame
        A CSV, Parquet or Arrow file, or a pandas, polars or Arrow frame.
    target : str, optional
        The column to be predicted; `time` and `event` for survival instead.
    metric : str, optional
        What to measure; roc_auc, roc_auc_ovr, r2 or concordance by the task if None.
    group : str, optional
        The column of groups; the rows of a group stay in one fold.
    when : str, optional
        The column with the time of each case, dates or numbers. Folds are then windows in time
        (`TimeWindows`): models are tested on what comes after their training cases, and intervals
        draw blocks of time. The delivered model is fitted on all cases.
    time, event : str, optional
        The columns of a survival outcome.
    task : str, optional
        Overrides what the outcome suggests: binary, multiclass, regression or survival.
    positive : object, optional
        The positive class of two. By default it is 1 of 0 and 1, the one that is not called what a
        study is not about ('control', 'no', 'healthy'), or else the rarer one.
    ignore, keep : str or sequence of str
        Columns to leave out, and columns to use that would be left out.
    by : str or sequence of str
        Columns that divide the cases into subgroups, such as sex or site. Estimate and report
        then tell the score in each; models see the columns too, unless they are ignored.
    weight : str, optional
        The column of case weights, which no model sees. Configurations are compared and judged by
        them, one wins, and models are fitted to the cases as they are.
    weights : {'importance', 'survey'}
        What they mean; see `Predictions.from_arrays`.
    portfolio : str, Path or Portfolio
        What to try: the name of a portfolio, a .toml file, or what `load_portfolio` gives.
    n_configs : int, optional
        Try exactly so many of its configurations; without a `budget`, however long it takes.
    budget : str or float, optional
        How long it may take, with all that follows the search: '90s', '5m', '1h', or seconds. Five
        minutes by default, and no limit where `n_configs` is given.
    folds : int, optional
        The folds: by default ten, five from 5,000 cases on, and two of ten from 200,000 on.
    repeats : int
        How often they are drawn again.
    drop : {'bced', 'bced_adjusted'} or DroppingRule, optional
        How to end configurations early that are surely worse than the best.
    ensemble : {'auto', 'greedy', 'none'}
        'greedy' averages configurations that are chosen one by one (`GreedyEnsemble`), or takes
        the best single one where that promises more. The estimate repeats all of this in every
        resample. 'auto' does so where the budget has time for it.
    confidence_level : float
        The level of the interval.
    out : str or Path, optional
        A folder for run.db, predictions.parquet, model.skops, estimate.json and plan.json; None
        writes none.
    resume : bool
        Continue the run in `out`, which must have the same data and options.
    plan : str or Path, optional
        The plan.json of an earlier run of the same data and options. The same configurations are
        tried on the same rows, however long it takes, so that predictions have the same bytes.
    rng : None, int, Generator or SeedSequence
        The seed of everything; the same seed, data and plan give the same result.
    n_jobs : int, optional
        How many fits at once; -1 is all cores. Never changes the result.
    progress : bool or Progress, optional
        True shows progress on standard error or in a notebook; an object is told of every fit.
    delimiter, decimal, thousands : str, optional
        Of a CSV file that does not tell.
    missing : str or sequence of str
        What stands for a missing value, besides empty cells and the usual marks: '?', '-', '.',
        '*', 'n/a', 'none', 'missing' and 'unknown' among numbers and dates, '?', '.' and 'N.A.'
        among text. The model reads new tables in the same way.
    live : str or Path, optional
        A page (.html) that shows the run while it lasts; it reloads itself in a browser and
        needs no server.
    learning_curve : bool
        Whether to train the winner again on an eighth, a quarter and a half of its training cases,
        to tell what more cases gave. It takes time beyond the budget.
    without : str or sequence of str
        Columns without which the winner is trained again in the same folds, to tell what they are
        worth. It takes time beyond the budget. Columns that may hold what is only known after the
        outcome are looked for in any case: `leaks` of the result.

    Returns
    -------
    Tuned
        The estimate, the model, the predictions, and how they were found.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> found = en.tune(iris, target="target", n_configs=2, folds=3, rng=7, n_jobs=1)
    >>> found.estimate.metric, found.estimate.n_configs
    ('roc_auc_ovr', 2)
    >>> found.model.predict(iris.head(2)).labels.tolist()
    [0, 0]
    """
    options = TuneOptions(
        target=read_name(target),
        group=read_name(group),
        when=read_name(when),
        time=read_name(time),
        event=read_name(event),
        task=task,
        positive=positive,
        ignore=read_names(ignore),
        keep=read_names(keep),
        by=read_names(by),
        weight=read_name(weight),
        weights=weights,
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
        missing=read_missing(missing),
        metric=metric,
        portfolio=portfolio,
        n_configs=n_configs,
        budget=read_budget(budget),
        folds=folds,
        repeats=repeats,
        drop=drop,
        ensemble=ensemble,
        confidence_level=confidence_level,
        seed=None if rng is None else Seeds.of(rng).entropy,
        n_jobs=n_jobs,
        learning_curve=learning_curve,
        without=read_names(without),
    )
    job = begin(data, options, out=out, resume=resume, plan=plan)
    meter = job.make_meter(*read_meter(progress).listeners)
    with open_page(live, job.name) as page:
        if page is not None:
            page.meter = meter
            page.say(PILOT)
        settled = job.plan()
        with meter:
            return job.run(settled, meter, page)
