"""How much of the portfolio, and how many rows, the budget allows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from earnest.core.base.errors import FormatError
from earnest.core.results.cautions import Caution, Severity
from earnest.training.learners.portfolio import PortfolioConfiguration
from earnest.training.tables.table import Tabular
from earnest.training.tune.options import TuneOptions
from earnest.training.tune.pilot import Pilot

DOCUMENT = "plan"  # the name under which a run file keeps it
VERSION = 1
USED = 0.75  # of the time that is left: the rest is for the last fit, the estimate and surprises
STARTING = 4.0  # seconds until the workers work
WAKING, ENDING = 2.0, 1.0  # seconds of a processor: to start a worker; to fit and judge at last
FEWEST_CONFIGS = 2  # complete ones, without which a search goes on past its time
CELL = 1e-6  # seconds for each prediction that is kept: stored, compared and resampled
MOST_CELLS = 60_000_000  # predictions that are held in memory
FEWEST_ROWS = 5000
STEP = 0.7  # by which the number of rows goes down
A_FAMILY = 2  # configurations of each family, on average, that come before more rows
EXTRA_SHARE = (
    1.5  # times an equal share of the time that a family may take before others had theirs
)


@dataclass(frozen=True, kw_only=True)
class TunePlan:
    """What a run will do, settled before its first fit and kept in the run file.

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
    least_seconds, crowding : float
        How long the shortest search that can be judged takes, and how many times longer a fit
        takes for what else the machine does; as the pilot saw it, and not kept.
    """

    seed: int
    most_rows: int
    n_rows: int
    configs: tuple[str, ...]
    n_offered: int
    fit_seconds: float
    asked: dict[str, object]
    least_seconds: float = 0.0
    crowding: float = 1.0

    def to_json(self) -> str:
        """Return it as the text that a run file keeps."""
        return json.dumps(
            {
                "version": VERSION,
                "seed": self.seed,
                "most_rows": self.most_rows,
                "n_rows": self.n_rows,
                "configs": list(self.configs),
                "n_offered": self.n_offered,
                "fit_seconds": round(self.fit_seconds, 3),
                "asked": self.asked,
            }
        )

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
                fit_seconds=float(data["fit_seconds"]),
                asked=dict(data["asked"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError("the plan of a run cannot be read", got=str(error)) from error


def fit_into(
    budget: float,
    configs: Sequence[PortfolioConfiguration],
    table: Tabular,
    pilot: Pilot,
    asked: TuneOptions,
    at_once: int = 1,
) -> tuple[tuple[PortfolioConfiguration, ...], int]:
    """Return which configurations, quick ones first, and how many rows fit into so many seconds.

    `at_once` is how many fits run at a time, wherever they run.

    All rows are kept as long as one configuration of each family fits, and two for each on
    average; else rows go, down to five thousand, and then configurations, down to the first of
    each family: a search that is too long is ended by its clock, when the quick ones are complete.
    """
    families = {config.family for config in configs}
    rows = table.n_cases
    while True:
        chosen = _choose(budget, configs, rows, pilot, asked, at_once)
        wanted = len(configs)  # asked for by number: only the rows can go
        if asked.n_configs is None:
            wanted = min(wanted, A_FAMILY * len(families))
        balanced = {config.family for config in chosen} == families
        if (balanced and len(chosen) >= wanted) or rows <= FEWEST_ROWS:
            break
        rows = max(int(rows * STEP), FEWEST_ROWS)
    if asked.n_configs is not None:
        chosen = list(configs)
    elif len(chosen) < len(families):
        firsts = {config.family: config for config in reversed(configs)}
        chosen = [*{config.name: config for config in (*chosen, *firsts.values())}.values()]
    # By the costs that the portfolio knows, not by those measured: the order must not depend on
    # what else the machine did.
    return tuple(sorted(chosen, key=lambda config: config.cost)), rows


def _choose(
    budget: float,
    configs: Sequence[PortfolioConfiguration],
    rows: int,
    pilot: Pilot,
    asked: TuneOptions,
    at_once: int,
) -> list[PortfolioConfiguration]:
    """Return what fits: the first of each family, then each up to its share, then the rest."""
    left = USED * budget - (STARTING if at_once > 1 else 0.0)
    share = EXTRA_SHARE * left / len({config.family for config in configs})
    most = MOST_CELLS // (rows * asked.repeats)
    spent: dict[str, float] = {}
    chosen: dict[str, PortfolioConfiguration] = {}
    for limit in (0.0, share, left):
        for config in configs:
            seconds = _estimate_seconds(config, rows, pilot, asked, at_once)
            before = spent.get(config.family, 0.0)
            within = config.family not in spent or before + seconds <= limit
            if config.name in chosen or not within or seconds > left or len(chosen) >= most:
                continue
            chosen[config.name], spent[config.family] = config, before + seconds
            left -= seconds
    return list(chosen.values())


def _estimate_seconds(
    config: PortfolioConfiguration, rows: int, pilot: Pilot, asked: TuneOptions, at_once: int
) -> float:
    """Return how long a configuration takes with all its folds."""
    trained = rows * (asked.folds - 1) / asked.folds
    fits = asked.fits_a_configuration * pilot.fit_seconds(config, trained)
    return fits / at_once + CELL * rows * asked.repeats


def estimate_least_seconds(
    chosen: Sequence[PortfolioConfiguration],
    rows: int,
    pilot: Pilot,
    asked: TuneOptions,
    at_once: int,
) -> float:
    """Return how long it takes, from now on, until there is enough to be judged."""
    few = sorted(_estimate_seconds(config, rows, pilot, asked, at_once) for config in chosen)
    around = pilot.crowding * (ENDING + (WAKING if at_once > 1 else 0.0))
    return around + sum(few[:FEWEST_CONFIGS])


def warn_of_plan(plan: TunePlan, table: Tabular) -> Iterator[Caution]:
    """Yield what the budget has cost."""
    if table.n_cases < table.n_known:
        yield Caution(
            "EN076",
            f"{table.n_cases:,} of {table.n_known:,} rows were used, drawn by chance, so that the "
            "search fits into its budget.",
            "The estimate and the model are those of the smaller table; with all rows the model "
            "would mostly be better.",
            "Give it more time with `budget`.",
        )
    if len(plan.configs) < plan.n_offered and plan.asked.get("n_configs") is None:
        yield Caution(
            "EN077",
            f"{len(plan.configs):,} of the {plan.n_offered:,} configurations of the portfolio fit "
            "into the budget.",
            "The others were not tried; the estimate is of a search among those that were.",
            "Give it more time with `budget`.",
            Severity.NOTE,
        )


def cut_short(done: int, planned: int, noun: str) -> Caution:
    """Return the caution that the time was over before the search was."""
    return Caution(
        "EN077",
        f"The time was over when {done:,} of {planned:,} {noun} were complete.",
        "What was not complete is left out; the estimate is of a search that was that short.",
        "Say `resume` to go on where it ended.",
    )
