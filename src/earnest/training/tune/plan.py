"""How much of the portfolio, and how many rows, the budget allows."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_search
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg
from earnest.training.columns.explain import TIME_OF_FITS
from earnest.training.fit.splits import shuffle_folds
from earnest.training.fit.windows import TimeWindows
from earnest.training.learners.portfolio import PortfolioConfiguration
from earnest.training.tables.outcome import count_in_words
from earnest.training.tables.table import TrainingTable
from earnest.training.tune.options import FoldPlan, TuneOptions
from earnest.training.tune.pilot import FinishPace, Pilot

DOCUMENT = "plan"  # the name under which a run file keeps it
PLAN = "plan.json"  # the file that says what was tried
VERSION = 1
KEPT = ("seed", "most_rows", "n_rows", "configs", "n_offered", "fit_seconds", "asked")
OPTIONAL = ("n_splits", "n_sure", "n_resamples", "library")
USED = 0.75  # of the time of the search: the rest is for surprises
MORE = 2.0  # times that time: what is listed to go on with, as paces may be too slow by that much
LONGEST_MORE = 0.15  # of that time that one of them may take, as it may be in vain
STARTING = 4.0  # seconds until the workers work
WAKING = 2.0  # seconds of a processor to start a worker
STOPPING, LEAVING = 0.7, 0.5  # seconds to stop the workers and read what they did; to exit
CHECKING = 1.5  # seconds of a processor to look for leaks, and to judge probabilities and errors
WRITING = 1.2  # seconds of a processor to write the files
MOST_OF_ENDING = 0.5  # of a budget: a search has the other half, however long its end takes
MEMBERS = 4  # of an ensemble, usually
TIME_OF_EXPLAINING = 0.1  # of the budget, to see what the model does with its columns
UNFORESEEN = 2.0  # times as long as planned that models of slow fits may take
LOOKING, FOLDS_EXPLAINED = 6.0, 4  # seconds of a processor for that, beside fits of so many folds
FEWEST_CONFIGS = 2  # complete ones, without which a search goes on past its time
CELL = 1e-6  # seconds for each prediction that is kept: stored, compared and resampled
MOST_CELLS = 60_000_000  # predictions that are held in memory
FEWEST_ROWS = 5000
STEP = 0.7  # by which the number of rows goes down
FEWEST_PLANNED = 4  # configurations that come before more rows


@dataclass(frozen=True, kw_only=True)
class Ending:
    """Seconds that a run needs after its search, as measured before it.

    Attributes
    ----------
    finishing : float
        To judge the winner and, where there is one, to make the report.
    ensembles : float
        To choose the ensembles of all resamples.
    refit : float
        To fit the winner on all cases.
    explaining : float
        To see what the delivered model does with its columns.
    writing : float
        To write the files.
    around : float
        To stop the workers, and to exit.
    """

    finishing: float = 0.0
    ensembles: float = 0.0
    refit: float = 0.0
    explaining: float = 0.0
    writing: float = 0.0
    around: float = STOPPING + LEAVING

    @property
    def seconds(self) -> float:
        """All of it."""
        judged = self.finishing + self.ensembles + self.refit
        return judged + self.explaining + self.writing + self.around

    @property
    def after_explaining(self) -> float:
        """What follows then: mostly the report, which takes most of the time of finishing."""
        return self.finishing + self.around

    def find_time_of_search(self, budget: float) -> float:
        """Return how long after its start a run of this budget ends its search."""
        return budget - min(self.seconds, MOST_OF_ENDING * budget)


def estimate_ending(
    pace: FinishPace,
    fits: Sequence[float],
    n_cases: int,
    n_configs: int,
    *,
    crowding: float = 1.0,
    ensembles: float | None = None,
    budget: float = math.inf,
    at_once: int = 1,
) -> Ending:
    """Return what a run needs after its search.

    Parameters
    ----------
    pace : FinishPace
        What judging and reporting take.
    fits : sequence of float
        What a fit of each configuration takes on all cases, in seconds of a processor. The winner
        is not known yet: time is kept for the slowest.
    n_cases, n_configs : int
        How many take part.
    crowding : float
        How many times longer it takes for what else the machine does.
    ensembles : float, optional
        What choosing ensembles takes, where that is asked for, in seconds of a processor; then
        time is kept to fit a few members, the slowest.
    budget : float
        Of the run, of which a share is kept to explain the model; none where its fits are too slow
        for that share.
    at_once : int
        How many folds of the winner are fitted at a time for that.
    """
    refit = max(fits, default=0.0)
    if ensembles is not None and fits:
        slowest = sorted(fits)[-MEMBERS:]
        refit = MEMBERS * sum(slowest) / len(slowest)
    looking = crowding * (LOOKING + FOLDS_EXPLAINED * refit / min(at_once, FOLDS_EXPLAINED))
    room = TIME_OF_EXPLAINING * budget
    slow = UNFORESEEN * crowding * refit > TIME_OF_FITS * room
    explaining = min(looking, room) if math.isfinite(budget) and not slow else 0.0
    return Ending(
        finishing=crowding * (CHECKING + pace.at(n_cases, n_configs)),
        ensembles=crowding * (ensembles or 0.0),
        refit=crowding * refit,
        explaining=explaining,
        writing=crowding * (WRITING + CELL * n_cases * n_configs),
        around=crowding * (STOPPING + LEAVING),
    )


@dataclass(frozen=True, kw_only=True)
class TunePlan:
    """What a run will do, decided before its first fit and kept in the run file.

    Attributes
    ----------
    seed : int
        The root of all randomness.
    most_rows, n_rows : int
        How many cases were read at most, and about how many take part: all, unless the time asks
        for fewer; shares of classes may make it a few more.
    configs : tuple of str
        The names of the configurations, in their order.
    n_offered : int
        How many the portfolio has for this table.
    fit_seconds : float
        How long all fits together were expected to take, one after another.
    asked : dict
        What the user asked for.
    n_splits : int, optional
        On how many splits configurations were compared, where the time was over before all were
        tried; None for all.
    n_sure : int, optional
        How many of the configurations, the first ones, were expected to fit into the time; the
        others are tried as long as there is some. None for all.
    n_resamples : int, optional
        How many resamples an ensemble is judged by, fewer than usual where the time is short; None
        for the method's own number.
    library : int, optional
        Of how many of the best configurations an ensemble is built, fewer than usual where the
        time is short; 0 where there is none, and None for the rule's own number.
    least_seconds, crowding : float
        How long the shortest search that can be judged takes, and how many times longer a fit
        takes for what else the machine does; as the pilot saw it, and not kept.
    ending : Ending
        What follows the search; not kept either.
    """

    seed: int
    most_rows: int
    n_rows: int
    configs: tuple[str, ...]
    n_offered: int
    fit_seconds: float
    asked: dict[str, object]
    n_splits: int | None = None
    n_sure: int | None = None
    n_resamples: int | None = None
    library: int | None = None
    least_seconds: float = 0.0
    crowding: float = 1.0
    ending: Ending = field(default_factory=Ending)

    @property
    def n_planned(self) -> int:
        """How many configurations were expected to fit into the time."""
        return len(self.configs) if self.n_sure is None else self.n_sure

    def list_differences(self, options: TuneOptions) -> list[str]:
        """Return in words which options differ from those of the plan."""
        now = options.same()
        if options.seed is None:
            now["seed"] = self.asked.get("seed")
        names = [*now, *(name for name in self.asked if name not in now)]
        return [
            f"{name} {self.asked.get(name)!r} there, {now.get(name)!r} now"
            for name in names
            if now.get(name) != self.asked.get(name)
        ]

    def to_json(self) -> str:
        """Return it as the text that a run file keeps."""
        parts = asdict(self) | {"fit_seconds": round(self.fit_seconds, 3)}
        kept = {name: parts[name] for name in (*KEPT, *OPTIONAL) if parts[name] is not None}
        return json.dumps({"version": VERSION, **kept})

    @classmethod
    def from_json(cls, text: str) -> TunePlan:
        """Read it back from a run file."""
        try:
            data = json.loads(text)
            return cls(
                seed=int(data["seed"]),
                most_rows=int(data["most_rows"]),
                n_rows=int(data["n_rows"]),
                configs=tuple(str(name) for name in data["configs"]),
                n_offered=int(data["n_offered"]),
                fit_seconds=float(data.get("fit_seconds", 0.0)),
                asked=dict(data["asked"]),
                n_splits=_read_count(data, "n_splits"),
                n_sure=_read_count(data, "n_sure"),
                n_resamples=_read_count(data, "n_resamples"),
                library=_read_count(data, "library"),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise FormatError("the plan of a run cannot be read", got=str(error)) from error


def _read_count(data: JsonObject, name: str) -> int | None:
    return None if data.get(name) is None else int(data[name])


def read_plan(path: str | Path, options: TuneOptions) -> TunePlan:
    """Read the plan of an earlier run, to repeat it; refuse a plan with other options."""
    file = Path(path).expanduser()
    if file.is_dir():
        file = file / PLAN
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(
            f"there is no plan to read in {str(path)!r}",
            needs=f"the file {PLAN!r} that `tune` writes into the folder of a run",
            got=str(getattr(error, "strerror", None) or "a file that is not text"),
        ) from error
    plan = TunePlan.from_json(text)
    other = plan.list_differences(options)
    if other:
        raise InputError(
            f"{str(path)!r} is the plan of another tuning",
            needs="the options that it was made with",
            got="; ".join(other),
            cure=f"Repeat these options, or leave {arg('plan')} out.",
        )
    return plan


def fit_into(
    budget: float,
    configs: Sequence[PortfolioConfiguration],
    table: TrainingTable,
    pilot: Pilot,
    options: TuneOptions,
    at_once: int = 1,
) -> tuple[tuple[PortfolioConfiguration, ...], int]:
    """Return the configurations and the number of rows that fit into a budget in seconds.

    The first configuration of each family comes before all others, then the order is that of the
    portfolio. A family takes no more than its share of the time, so a slow one is left out.

    All rows are kept if a few configurations fit. Otherwise the number of rows is reduced, down to
    five thousand, and then that of configurations, down to the two that are cheapest to fit. The
    clock ends a search that is still too long.

    `at_once` is how many fits run at a time.
    """
    rows = table.n_cases
    wanted = len(configs)  # asked for by number: only the rows can go
    if options.n_configs is None:
        wanted = min(wanted, FEWEST_PLANNED)
    while True:
        costs = _Costs(table, pilot, options, at_once, rows)
        chosen = _choose(budget, configs, costs)
        if len(chosen) >= wanted or rows <= FEWEST_ROWS:
            break
        rows = max(int(rows * STEP), FEWEST_ROWS)
    if options.n_configs is not None:
        chosen = list(configs)
    elif len(chosen) < FEWEST_CONFIGS:
        quickest = sorted(configs, key=costs.estimate_seconds)[:FEWEST_CONFIGS]
        chosen = [*{config.name: config for config in (*chosen, *quickest)}.values()]
    firsts = {config.family: config for config in reversed(configs)}
    # By the costs that the portfolio knows, not by those measured: the order must not depend on
    # what else the machine did. Every family has its turn before any has a second.
    chosen.sort(key=lambda config: (config is not firsts[config.family], config.cost))
    return tuple(chosen), rows


@dataclass(frozen=True)
class _Costs:
    """What configurations cost on some of the rows of a table."""

    table: TrainingTable
    pilot: Pilot
    options: TuneOptions
    at_once: int
    rows: int

    @property
    def splits(self) -> FoldPlan:
        return self.options.choose_splits(self.table.n_cases)

    @property
    def most(self) -> int:
        """How many configurations there is memory for."""
        return int(MOST_CELLS // (self.rows * self.splits.n_tests))

    def estimate_seconds(self, config: PortfolioConfiguration) -> float:
        """Return how long a configuration takes with all its folds."""
        splits = self.splits
        fits = splits.n_splits * self.pilot.fit_seconds(config, self.rows * splits.share)
        return fits / self.at_once + CELL * self.rows * splits.n_tests


def list_more(
    budget: float,
    configs: Sequence[PortfolioConfiguration],
    chosen: Sequence[PortfolioConfiguration],
    table: TrainingTable,
    rows: int,
    pilot: Pilot,
    options: TuneOptions,
    at_once: int = 1,
) -> tuple[PortfolioConfiguration, ...]:
    """Return configurations to continue with while there is time, in the order of the portfolio.

    A plan leaves time for surprises, and usually there are none. So the search continues with the
    next configurations until its clock ends it; incomplete ones are left out. There are no more if
    a number of configurations was asked for, or if the search goes fold by fold.
    """
    if options.n_configs is not None or options.drop is not None:
        return ()
    costs = _Costs(table, pilot, options, at_once, rows)
    left = MORE * budget
    room = costs.most - len(chosen)
    taken = {config.name for config in chosen}
    spent: defaultdict[str, float] = defaultdict(float)
    for config in chosen:
        spent[config.family] += costs.estimate_seconds(config)
    more: list[PortfolioConfiguration] = []
    for shared in (True, False):
        for config in configs:
            seconds = costs.estimate_seconds(config)
            full = shared and spent[config.family] + seconds > config.share * budget
            if config.name in taken or seconds > LONGEST_MORE * budget or full:
                continue
            if seconds > left or len(more) >= room:
                break
            more.append(config)
            taken.add(config.name)
            spent[config.family] += seconds
            left -= seconds
    return tuple(more)


def _choose(
    budget: float, configs: Sequence[PortfolioConfiguration], costs: _Costs
) -> list[PortfolioConfiguration]:
    """Return what fits: the first of each family, then others in the order of the portfolio.

    Families keep to their shares of the time; what then is left goes to any.
    """
    left = USED * budget - (STARTING if costs.at_once > 1 else 0.0)
    whole, most = left, costs.most
    spent: defaultdict[str, float] = defaultdict(float)
    chosen: dict[str, PortfolioConfiguration] = {}
    for first, shared in ((True, True), (False, True), (False, False)):
        for config in configs:
            seconds = costs.estimate_seconds(config)
            total = spent[config.family] + seconds
            turn = not spent[config.family] or not first
            within = seconds <= left and (not shared or total <= config.share * whole)
            if config.name in chosen or not turn or not within or len(chosen) >= most:
                continue
            chosen[config.name] = config
            spent[config.family] = total
            left -= seconds
    return list(chosen.values())


def estimate_least_seconds(
    chosen: Sequence[PortfolioConfiguration],
    table: TrainingTable,
    rows: int,
    pilot: Pilot,
    options: TuneOptions,
    at_once: int,
    ending: Ending,
) -> float:
    """Return the seconds from now until the shortest search that can be judged is over."""
    costs = _Costs(table, pilot, options, at_once, rows)
    few = sorted(map(costs.estimate_seconds, chosen))
    waking = pilot.crowding * WAKING if at_once > 1 else 0.0
    return waking + sum(few[:FEWEST_CONFIGS]) + ending.seconds


def warn_of_plan(
    plan: TunePlan, table: TrainingTable, early: Caution | None = None
) -> Iterator[Caution]:
    """Yield cautions about what was left out to fit into the budget.

    If the time ran out, `early` is the caution of `cut_short`, which also says what was planned.
    """
    if table.n_cases < table.n_known:
        yield of_search.rows_left_out(table.n_cases, table.n_known)
    if early is not None:
        yield early
    elif _leaves_some(plan, len(plan.configs)):
        yield of_search.portfolio_cut(len(plan.configs), plan.n_offered)


def cut_short(plan: TunePlan, done: int, of: int, noun: str) -> Caution:
    """Return the caution that the time ran out before the planned search was complete."""
    return of_search.time_ran_out(
        done,
        of,
        noun,
        planned=plan.n_planned,
        offered=plan.n_offered if _leaves_some(plan, plan.n_planned) else None,
    )


def _leaves_some(plan: TunePlan, count: int) -> bool:
    """Tell whether the budget, and not the user, leaves out a part of the portfolio."""
    return count < plan.n_offered and plan.asked.get("n_configs") is None


Pairs = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def check_fold_sizes(table: TrainingTable, folds: int) -> None:
    """Refuse more folds than the smallest class, the events or the groups can fill."""
    if table.groups is not None and table.groups.max() + 1 < folds:
        count = int(table.groups.max() + 1)
        needs = "at least one group in each fold"
        raise _refuse_too_many(
            folds, "grouped", f"there are {count} groups", needs, f"{count}", count
        )
    layers = table.layers
    if layers is None:
        n = table.n_cases
        if n < 2 * folds:
            needs = "at least two cases in each fold"
            raise _refuse_too_many(folds, "plain", f"there are {n} cases", needs, f"{n}", n // 2)
        return
    counts = np.bincount(layers)
    names = table.classes if table.classes else ("censored", "event")
    least = int(counts.argmin())
    if counts[least] < folds:
        role = table.schema.roles.get("target") or table.schema.roles.get("event")
        listed = [count_in_words(count, name) for name, count in zip(names, counts, strict=True)]
        cases = "case" if counts[least] == 1 else "cases"
        raise _refuse_too_many(
            folds,
            "stratified",
            f"class {names[least]} of {role} has {counts[least]} {cases}",
            "at least one case of each class in each fold",
            check.some(listed, limit=8),
            int(counts[least]),
        )


def _refuse_too_many(
    folds: int, kind: str, why: str, needs: str, got: str, most: int
) -> InputError:
    cure = "Two folds need two cases of it: collect more, or leave it out."
    if most >= 2:
        fewer = max(n for n in (2, 3, 5, 10, 20, 50) if n <= most)
        cure = f"Use {arg('folds', fewer)}" + (
            f", or {arg('folds', fewer)} and {arg('repeats', 5)}." if most < 30 else "."
        )
    return InputError(f"cannot make {folds} {kind} folds: {why}", needs=needs, got=got, cure=cure)


def make_pairs(table: TrainingTable, folds: int, repeats: int, seeds: Seeds) -> Pairs:
    """Return (train, test) pairs of rows, repeat by repeat; in time order, of windows."""
    if table.order is not None:
        windows = TimeWindows(folds, when=table.order)
        pairs = list(windows.split(table.X, groups=table.groups))
        _refuse_lost_classes(table, table.layers, pairs)
        return pairs
    layers = table.layers
    shuffled = shuffle_folds(folds, repeats, table.n_cases, layers, table.groups, seeds, odd=True)
    pairs = [pair for pair in zip(shuffled.train, shuffled.test, strict=True) if len(pair[1])]
    _refuse_lost_classes(table, layers, pairs)
    return pairs


def _refuse_lost_classes(
    table: TrainingTable, layers: NDArray[np.int64] | None, pairs: Pairs
) -> None:
    """Refuse groups of which one fold holds all cases of a class: nothing is left to train on."""
    if layers is None or (table.groups is None and table.order is None):
        return
    names = table.classes if table.classes else ("censored", "event")
    every = np.bincount(layers)
    for train, _ in pairs:
        lost = np.flatnonzero((np.bincount(layers[train], minlength=len(every)) == 0) & (every > 0))
        if len(lost):
            raise InputError(
                f"all cases of class {names[lost[0]]} are in one fold",
                needs="each class in several groups, so that every fold leaves some to train on",
                got=_count_groups(table, layers == lost[0]),
                cure=f"Check whether {arg('group')} names the right column, or use more folds."
                if table.order is None
                else f"The class comes late in time: use fewer {arg('folds')}.",
            )


def _count_groups(table: TrainingTable, rows: NDArray[np.bool_]) -> str:
    """Say where the cases of a class are, of which a fold holds all."""
    if table.groups is None:
        return "all of them in one window, or after the first training cases"
    return f"{len(np.unique(table.groups[rows]))} groups of that class"
