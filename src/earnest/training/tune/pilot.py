"""Measures how long a fit of each family takes, and how busy the machine is."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeAlias

import numpy as np

from earnest.core.base.errors import EarnestError
from earnest.core.base.protocols import EngineTask
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import cores
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import EnsembleRule
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.inference.curves.delivered import MOST_DRAWS
from earnest.inference.resampling.ensembles import (
    choose_ensembles,
    count_partitions,
    leave_parts_out,
)
from earnest.metrics import metric as metric_named
from earnest.training.fit.experiment import Cell, Experiment
from earnest.training.fit.run import RunOptions, run_all
from earnest.training.learners.portfolio import PortfolioConfiguration
from earnest.training.protocols import Estimator, Predictor
from earnest.training.tables.table import TrainingTable

FIRST = 250  # cases of the first sample; each further one has four times as many
GROWTH = 4
LONGEST = 0.1  # of the budget: then what is not measured is told by its cost
SHARE = 0.005  # of the budget: a fit that takes longer is not measured on more cases
FEWEST_SECONDS = 0.0005
MADE_UP = (1000, 4000)  # cases at most, and resamples, by which the choice of ensembles is timed
RESAMPLES_TIMED = 16
CROSSED_AGAIN = 2  # times that ensembles leave parts out: for curves, and for errors of new rows
FIXED_MEMBERS = 2  # configurations whose time a choice takes besides those that it may choose
STEP = 50  # by which the number of resamples is told
EXPONENTS = (0.7, 2.5)  # of the number of cases that the time of a fit may grow with


@dataclass(frozen=True)
class Pace:
    """How long a fit of a family takes.

    Attributes
    ----------
    n : int
        The number of cases of the largest sample.
    seconds : float
        The time of the processor for a configuration of cost 1 there, predictions included.
    exponent : float
        With which power of the number of cases it grows.
    """

    n: int
    seconds: float
    exponent: float = 1.0

    def at(self, n: float, cost: float = 1.0) -> float:
        """Return the seconds for `n` training cases and a configuration of that cost."""
        grown = float((n / self.n) ** self.exponent)
        return max(cost * self.seconds * grown, FEWEST_SECONDS)


@dataclass(frozen=True)
class Pilot:
    """The paces by family, what finding them took, and why some could not be found."""

    paces: dict[str, Pace]
    seconds: float
    failures: dict[str, str] = field(default_factory=dict)
    crowding: float = 1.0  # how much longer a fit takes for what else the machine does

    def fit_seconds(self, config: PortfolioConfiguration, n: float) -> float:
        """Return how long one fit of a configuration takes on `n` cases."""
        pace = self.paces.get(config.family)
        if pace is None:  # its pilot failed: it will fail as fast
            return FEWEST_SECONDS
        return self.crowding * pace.at(n, config.cost)


def measure(
    table: TrainingTable, configs: Sequence[PortfolioConfiguration], budget: float, seeds: Seeds
) -> Pilot:
    """Fit the first configuration of each family on growing samples, and time it.

    A sample grows until a fit takes half a percent of the budget, or until it is the whole table.
    Families that are cheap by their costs come first. When a tenth of the budget is over, the
    others are estimated from their costs, at the speed seen so far.
    """
    start = perf_counter()
    first: dict[str, PortfolioConfiguration] = {}
    for config in configs:
        first.setdefault(config.family, config)
    samples: dict[int, TrainingTable] = {}
    paces: dict[str, Pace] = {}
    failures: dict[str, str] = {}
    for family, config in sorted(first.items(), key=lambda pair: pair[1].cost):
        if paces and perf_counter() - start > LONGEST * budget:
            paces[family] = _estimate_by_cost(table.n_cases, paces, first)
            continue
        pace = _find_pace(table, config, SHARE * budget, seeds, samples)
        if isinstance(pace, Pace):
            paces[family] = pace
        else:
            failures[family] = pace
    return Pilot(paces, perf_counter() - start, failures)


def _estimate_by_cost(
    n: int, paces: dict[str, Pace], first: dict[str, PortfolioConfiguration]
) -> Pace:
    """Return the pace of a family that was not measured: the middle of the others, by cost."""
    speeds = sorted(pace.at(n, first[family].cost) / first[family].cost
                    for family, pace in paces.items())  # fmt: skip
    return Pace(n, speeds[len(speeds) // 2])


def _find_pace(
    table: TrainingTable,
    config: PortfolioConfiguration,
    enough: float,
    seeds: Seeds,
    samples: dict[int, TrainingTable],
) -> Pace | str:
    """Return the pace of a configuration, or why its first fit failed."""
    measured: list[tuple[int, float]] = []
    most, error = FIRST, ""
    while True:
        if most not in samples:
            draws = seeds.generator(Purpose.SPLITS, 0, 1, most)
            samples[most] = table.sample(most, draws)
        sample = samples[most]
        took = _time_fit(sample, config.estimator)
        if isinstance(took, str):
            error = took
            break
        measured.append((sample.n_cases, took))
        if took > enough or sample.n_cases >= table.n_cases:
            break
        most *= GROWTH
    if not measured:
        return error
    n, seconds = measured[-1]
    # What a fit costs however few cases there are hides the growth; the last step shows it best.
    exponent = 1.0
    if len(measured) > 1:
        (before, less), (n, seconds) = measured[-2:]
        slope = math.log(seconds / max(less, 1e-6)) / math.log(n / before) if n > before else 1.0
        exponent = min(max(slope, EXPONENTS[0]), EXPONENTS[1])
    return Pace(n, seconds / max(config.cost, 1e-9), exponent)


def _time_fit(sample: TrainingTable, estimator: Estimator) -> float | str:
    """Return the seconds of the processor for a fit and a tenth of its predictions, or its error.

    One task at a time runs in this process, so that its clock tells.
    """
    from threadpoolctl import threadpool_limits

    few = max(1, sample.n_cases // 10)
    experiment = Experiment(
        X=sample.X, y=sample.y, base=estimator, X_new=sample.X[:few], scorer=_count_predictions
    )
    cells = [EngineTask((0,), Cell(0, (0,)))]
    start = process_time()
    # One thread, as a worker has: several fits run at once.
    with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        outcomes = run_all(experiment, cells, RunOptions(n_jobs=1), identity={}, title="Pilot")
    took, (outcome,) = process_time() - start, outcomes.values()
    why = outcome.error or outcome.note
    return took if why is None else why.strip().splitlines()[-1]


def _count_predictions(model: Predictor, X: object) -> int:
    return len(model.predict(X))


@dataclass(frozen=True)
class JudgingPace:
    """How long the ensembles of all resamples take to choose.

    Attributes
    ----------
    fixed, case : float
        What one choice takes however few cases there are, and what each case adds.
    parts : int
        How many choices one partition of the cases needs, in addition to those of the resamples.
    tables : int
        For how many tables, of subgroups and of thresholds, ensembles are chosen once more.
    """

    fixed: float
    case: float
    parts: int
    tables: int = 0

    def at(self, n_cases: int, n_resamples: int) -> float:
        """Return the seconds for so many cases and resamples."""
        crossed = self.parts * count_partitions(n_resamples)
        again = self.tables * (min(n_resamples, MOST_DRAWS) + crossed)
        choices = n_resamples + (1 + CROSSED_AGAIN) * crossed + again
        return (self.fixed + self.case * n_cases) * choices

    def with_library(self, count: int, timed: int) -> JudgingPace:
        """Return the pace for ensembles of fewer configurations than those that were timed."""
        share = min((count + FIXED_MEMBERS) / (timed + FIXED_MEMBERS), 1.0)
        return replace(self, fixed=share * self.fixed, case=share * self.case)

    def count_within(self, seconds: float, n_cases: int, fewest: int, most: int) -> int:
        """Return how many resamples there is time for, between the fewest and the most."""
        steps = range(most, fewest, -STEP)
        return next((count for count in steps if self.at(n_cases, count) <= seconds), fewest)


def measure_judging(
    table: TrainingTable, metric: str, rule: EnsembleRule, seeds: Seeds
) -> JudgingPace:
    """Time the choice of a few ensembles, on two numbers of cases.

    Made-up predictions do, as the time does not depend on what they say. It grows with the number
    of cases: a line through the two.
    """
    draws = seeds.generator(Purpose.SPLITS, 0, 5)
    timed: list[tuple[int, float]] = []
    parts = 0
    for most in MADE_UP:
        sample = table.sample(most, draws)
        pi = _make_up_predictions(sample, rule.library, draws)
        measure_of, parts = metric_named(metric), len(leave_parts_out(pi.target, draws))
        counts = draws.poisson(1.0, (RESAMPLES_TIMED, pi.n_cases)).astype(np.uint8)
        if not timed:
            choose_ensembles(pi, measure_of, Weights(counts[:1]), rule, n_jobs=1)  # compiled code
        start = process_time()
        choose_ensembles(pi, measure_of, Weights(counts), rule, n_jobs=1)
        timed.append((pi.n_cases, (process_time() - start) / RESAMPLES_TIMED))
    fixed, case = _draw_line(*timed)
    tables = (table.task is Task.BINARY) + bool(table.subgroups)
    return JudgingPace(fixed, case, parts, tables)


def _draw_line(few: tuple[int, float], many: tuple[int, float]) -> tuple[float, float]:
    """Return the seconds for no case and for each more, by those of two numbers of cases."""
    (n_few, less), (n_many, more) = few, many
    if n_many <= n_few or more <= less:  # what is loaded at first use may have come in between
        return more, 0.0
    case = (more - less) / (n_many - n_few)
    return max(less - case * n_few, 0.0), case


def _make_up_predictions(table: TrainingTable, count: int, rng: np.random.Generator) -> Predictions:
    """Return predictions of so many configurations, as good as each other."""
    n, classes, task = table.n_cases, len(table.classes), str(table.task)
    folds = np.arange(n) % 10
    if not classes:
        y = np.asarray(table.y)
        worth = -y["time"].astype(float) if y.dtype.names else y.astype(float)
        near = worth[:, None] + (worth.std() or 1.0) * rng.standard_normal((n, count))
        return Predictions.from_arrays(y, near, folds, task=task)
    codes = np.asarray(table.layers)
    if classes == 2:
        near = 1 / (1 + np.exp(-(codes[:, None] + rng.standard_normal((n, count)))))
        return Predictions.from_arrays(codes, near, folds, task=task)
    near = np.exp(
        np.eye(classes)[codes][:, None, None] + rng.standard_normal((n, count, 1, classes))
    )
    near /= near.sum(axis=-1, keepdims=True)
    return Predictions.from_arrays(codes, near, folds, task=task)


REHEARSED = 12  # configurations of a rehearsal: their number hardly matters, that of cases does
FEW, MANY, MOST = 250, 1000, 10_000  # cases of a rehearsal, and of the larger one
TENTH = 0.1  # of the cases in the larger one: from there the time is extrapolated
EXPLAINED = 0.9  # explaining C configurations takes so many times the square root of C as long as
# a report on few cases without an explanation: 3.2 times with 14, 6 with 51, 9 with 118 (measured)


@dataclass(frozen=True)
class FinishPace:
    """How long it takes to judge a search and to report on it, in seconds of a processor.

    Attributes
    ----------
    fixed, case : float
        What it takes however few cases there are, and what each adds.
    explained : float
        What the explanation of one configuration takes; that of many takes the square root of
        their number as long.
    """

    fixed: float = 0.0
    case: float = 0.0
    explained: float = 0.0

    def at(self, n_cases: int, n_configs: int) -> float:
        """Return the seconds for so many cases and configurations."""
        return self.fixed + self.case * n_cases + self.explained * math.sqrt(n_configs)


Finish: TypeAlias = "Callable[[Predictions, str], object]"


def rehearse_finish(
    finish: Finish, table: TrainingTable, metric: str, seeds: Seeds, *, explains: bool
) -> FinishPace:
    """Time what follows a search on made-up predictions: on few cases, and on more.

    Made-up predictions do, as the time hardly depends on what they say. The first rehearsal loads
    what is imported and compiled, which the run needs later in any case, and is not timed. The
    time of two others is a line through their numbers of cases.

    Parameters
    ----------
    finish : callable
        What follows the search, given predictions and the name of a metric.
    explains : bool
        Whether it will explain the search too: made-up configurations have nothing to explain.
    """
    few = min(FEW, table.n_cases)
    many = min(table.n_cases, MOST, max(MANY, int(TENTH * table.n_cases)))

    def time_finish(most: int) -> tuple[int, float]:
        draws = seeds.generator(Purpose.SPLITS, 0, 6, most)
        pi = _make_up_predictions(table.sample(most, draws), REHEARSED, draws)
        start = process_time()
        with suppress(EarnestError):  # what cannot be answered takes no time later either
            finish(pi, metric)
        return pi.n_cases, process_time() - start

    time_finish(min(many, MANY))
    pace = FinishPace(*_draw_line(time_finish(few), time_finish(many)))
    return replace(pace, explained=EXPLAINED * pace.at(few, 0) if explains else 0.0)


FULL = 0.95  # of its processors in use: then a room has nothing left
SHORTEST = 0.2  # seconds that must lie between two readings, for the counters go in hundredths
SLOWED = 1.2  # times as long by the clock as by the processor: others were in the way


@dataclass(frozen=True)
class Room:
    """Processors that this process shares with others: those of the machine, or of a container.

    Attributes
    ----------
    name : str
        Which it is.
    capacity : float
        How many processors can be used at once.
    busy : float
        Seconds of processors that were used so far, by all together.
    """

    name: str
    capacity: float
    busy: float


@dataclass(frozen=True)
class MachineCounters:
    """The counters at a moment, in seconds: the clock, what this process used, and the rooms."""

    clock: float
    process: float
    rooms: tuple[Room, ...] = ()


def read_machine(root: Path = Path("/")) -> MachineCounters:
    """Read the counters; without /proc and control groups there are no rooms.

    Parameters
    ----------
    root : Path
        What /proc and /sys are below.
    """
    return MachineCounters(perf_counter(), process_time(), tuple(_read_rooms(root)))


def measure_crowding(before: MachineCounters, after: MachineCounters, at_once: int) -> float:
    """Return how many times longer a fit takes when this many run next to other programs.

    Programs that have ended do not count, unlike in the load average of a minute. If a room has
    processors to spare, others need what they use. If it has none, they need more than they get;
    how much follows from the share that this process got: one of N + 1 busy programs gets
    1 / (N + 1) of the processors. Each fit is one more busy program.
    """
    wall, process = after.clock - before.clock, after.process - before.process
    if wall < SHORTEST:
        return max(at_once / min((room.capacity for room in after.rooms), default=cores()), 1.0)
    first = {room.name: room.busy for room in before.rooms}
    factors = [
        (_count_others(room.busy - first[room.name], process, wall, room.capacity) + at_once)
        / room.capacity
        for room in after.rooms
        if room.name in first
    ]
    return max(*factors, 1.0) if factors else _measure_by_clock(wall, process, at_once)


def _count_others(busy: float, process: float, wall: float, capacity: float) -> float:
    """Return how many processors others want of a room."""
    used = max(busy - process, 0.0) / wall
    if busy < FULL * capacity * wall:
        return used
    return max(used, capacity * wall / max(process, 0.01 * wall) - 1.0)


def _measure_by_clock(wall: float, process: float, at_once: int) -> float:
    """Return it without counters: there are others if this process had to wait."""
    slowed = wall / max(process, 0.01 * wall)
    others = slowed * cores() - 1.0 if slowed > SLOWED else 0.0
    return max((others + at_once) / cores(), 1.0)


def _read_rooms(root: Path) -> Iterator[Room]:
    for read in (_read_machine, _read_container, _read_old_container):
        try:
            content = read(root)
        except (OSError, ValueError, LookupError):  # no such file, or not in the form expected
            continue
        if content is not None:
            yield content


def _read_machine(root: Path) -> Room:
    """Return the processors that this process may run on, and how busy they were."""
    lines = (root / "proc/stat").read_text().splitlines()
    allowed = os.sched_getaffinity(0)
    # Niced programs give way to one that is not niced itself.
    give_way = os.getpriority(os.PRIO_PROCESS, 0) <= 0
    busy, count = 0.0, 0
    for line in lines:
        name, *ticks = line.split()
        if not name.startswith("cpu") or name == "cpu":
            continue
        if int(name[3:]) not in allowed:
            continue
        user, nice, system, _, _, irq, softirq, steal = map(float, ticks[:8])
        busy += user + system + irq + softirq + steal + (0.0 if give_way else nice)
        count += 1
    if not count:
        raise ValueError("the number of processors is unknown")
    return Room("machine", count, busy / os.sysconf("SC_CLK_TCK"))


def _read_container(root: Path) -> Room | None:
    """Return what the control group (version 2) may use; None if it is not limited."""
    group = root / "sys/fs/cgroup"
    quota, period = (group / "cpu.max").read_text().split()
    if quota == "max":
        return None
    lines = (line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return Room("container", int(quota) / int(period), float(dict(lines)["usage_usec"]) / 1e6)


def _read_old_container(root: Path) -> Room | None:
    """Return what the control group (version 1) may use; None if it is not limited."""
    group = root / "sys/fs/cgroup"
    quota = int((group / "cpu/cpu.cfs_quota_us").read_text())
    if quota <= 0:
        return None
    period = int((group / "cpu/cpu.cfs_period_us").read_text())
    return Room(
        "container", quota / period, int((group / "cpuacct/cpuacct.usage").read_text()) / 1e9
    )
