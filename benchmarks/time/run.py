"""Run the cells: python -m benchmarks.time.run --out raw.csv --minutes 2 --processes 16.

A series has independent normal outcomes, and eight forecasters whose errors are those of the cell.
`bbc` draws blocks of time; `oracle` is the same with the true dependence; `bbc of cases` and
`near_winner of cases` are not told of the order; `near_winner` is. With --sum, rows of raw files
are summed up by cell, metric and method into results.csv.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.rows import read_rows, write_rows
from benchmarks.time.grid import METRICS, Cell, read_cells
from earnest.core.data.order import Dependence

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results.csv"
FORECASTERS, RESAMPLES, SEASON, WARM, COMMON = 8, 300, 12, 240, 0.5
SPREAD = 2.0  # of the outcomes
METHODS = ("bbc", "oracle", "bbc of cases", "near_winner", "near_winner of cases")
SELDOM = 4  # one series in so many is judged by the last three
FIELDS = (
    "cell",
    "metric",
    "method",
    "seed",
    "held",
    "width",
    "away",
    "block",
    "inflation",
    "worth",
)


def draw_errors(cell: Cell, rng: np.random.Generator, count: int) -> Floats:
    """Return errors (n, count) of variance 1."""
    noise = rng.standard_normal((cell.n + WARM, count))
    if cell.process == "steps":
        steps = int(cell.strength)
        sums = np.cumsum(noise, axis=0)
        return np.asarray((sums[steps:] - sums[:-steps])[-cell.n :] / math.sqrt(steps))
    if cell.process == "spread":
        return np.asarray(noise[-cell.n :] * find_wave(cell)[:, None])
    lag = SEASON if cell.process == "season" else 1
    for t in range(lag, len(noise)):
        noise[t] *= math.sqrt(1.0 - cell.strength**2)
        noise[t] += cell.strength * noise[t - lag]
    return noise[-cell.n :]


def find_wave(cell: Cell) -> Floats:
    """Return the spread of errors at each time, whose squares have the mean 1."""
    wave = 1.0 + cell.strength * np.sin(2.0 * np.pi * np.arange(cell.n) / SEASON)
    return np.asarray(wave / math.sqrt(float(np.square(wave).mean())))


def find_autocorrelations(cell: Cell) -> Floats:
    """Return the autocorrelations of the errors, from lag 0 on."""
    lags = np.arange(cell.n)
    if cell.process == "steps":
        return np.maximum(1.0 - lags / cell.strength, 0.0)
    if cell.process == "season":
        return np.where(lags % SEASON == 0, cell.strength ** (lags // SEASON), 0.0)
    strength = 0.0 if cell.process == "spread" else cell.strength
    return np.asarray(strength**lags, dtype=np.float64)


def find_dependence(cell: Cell, metric: str) -> Dependence:
    """Return the true dependence of the losses of a forecaster.

    Normal errors with the correlation r have squares with r², and sizes with
    2/pi (sqrt(1 - r²) + r asin r - 1) / (1 - 2/pi). What a case adds to R² has half of its variance
    from the error and half from the outcome, which is independent: 1 - R² is 1 / `SPREAD`², and so
    is the variance of the errors over that of the outcomes.
    """
    r = find_autocorrelations(cell)
    if metric == "mae":
        r = 2 / np.pi * (np.sqrt(1.0 - r**2) + r * np.arcsin(r) - 1.0) / (1.0 - 2 / np.pi)
    else:
        r = r**2
    if metric == "r2":
        r = np.where(np.arange(cell.n) > 0, 0.5 * r, 1.0)
    lags = np.arange(cell.n)
    inflation = 1.0 + 2.0 * float(((1.0 - lags / cell.n) * r)[1:].sum())
    weights = np.where(r > 1e-9, r, 0.0)
    bias, whole = 2.0 * float((lags * weights).sum()), 1.0 + 2.0 * float(weights[1:].sum())
    length = max(1.0, (1.5 * bias**2 / whole**2 * cell.n) ** (1 / 3))
    return Dependence(
        block_length=max(1, min(round(length), cell.n // 3)),
        inflation=inflation,
        first=float(r[1]),
        n_times=cell.n,
        df=cell.n - 1,
    )


def find_truth(cell: Cell, metric: str, winner: int) -> float:
    """Return the score of a forecaster in the long run."""
    scale = 1.0 + cell.gap * winner
    if metric == "mse":
        return scale**2
    if metric == "r2":
        return 1.0 - scale**2 / SPREAD**2
    size = math.sqrt(2 / np.pi) * scale
    if cell.process == "spread":
        size *= float(find_wave(cell).mean())
    return size


def run_series(cell: Cell, seed: int) -> Iterator[dict[str, object]]:
    """Yield whether the limits of one series hold, by metric and method."""
    rng = np.random.default_rng([cell.number, seed])
    own, common = draw_errors(cell, rng, FORECASTERS), draw_errors(cell, rng, 1)
    errors = math.sqrt(1.0 - COMMON) * own + math.sqrt(COMMON) * common
    y = SPREAD * rng.standard_normal(cell.n)
    errors *= 1.0 + cell.gap * np.arange(FORECASTERS)
    ordered = en.Predictions.from_arrays(y, y[:, None] + errors, when=True)
    cases = en.Predictions.from_arrays(y, y[:, None] + errors)
    for metric in METRICS:
        known = replace(
            ordered, target=replace(ordered.target, dependence=find_dependence(cell, metric))
        )
        tables = dict(zip(METHODS, (ordered, known, cases, ordered, cases), strict=True))
        for method, table in tables.items():
            if method not in METHODS[:2] and seed % SELDOM:
                continue
            if metric == "r2" and method.startswith("near_winner"):
                continue
            name = method.split(" ")[0].replace("oracle", "bbc")
            made = en.estimate(table, metric=metric, method=name, n_resamples=RESAMPLES, rng=seed)
            assert made.interval is not None
            assert made.winner is not None
            truth = find_truth(cell, metric, table.configs.index(made.winner))
            seen = made.dependence
            yield {
                "cell": cell.number,
                "metric": metric,
                "method": method,
                "seed": seed,
                "held": int(made.interval.low <= truth <= made.interval.high),
                "width": round(made.interval.width, 5),
                "away": round(made.value - truth, 5),
                "block": "" if seen is None else seen.block_length,
                "inflation": "" if seen is None else round(seen.inflation, 3),
                "worth": "" if seen is None else round(seen.worth, 1),
            }


def _work(task: tuple[Cell, int]) -> list[dict[str, object]]:
    return list(run_series(*task))


def list_tasks(half: str, first: int) -> Iterator[tuple[Cell, int]]:
    """Yield a series of each cell in turn, for ever."""
    cells = [cell for cell in read_cells() if half in ("all", cell.half)]
    seed = first
    while True:
        yield from ((cell, seed) for cell in cells)
        seed += 1


def run_cells(out: Path, *, half: str, first: int, seconds: float, processes: int) -> None:
    """Write rows per series until the time is up."""
    end = time.monotonic() + seconds
    with out.open("w", encoding="utf-8", newline="") as file, multiprocessing.Pool(processes) as p:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        tasks = list_tasks(half, first)
        waiting = [p.apply_async(_work, (next(tasks),)) for _ in range(2 * processes)]
        while waiting and time.monotonic() < end:
            writer.writerows(waiting.pop(0).get())
            file.flush()
            waiting.append(p.apply_async(_work, (next(tasks),)))
        p.terminate()


@dataclass(frozen=True)
class Row:
    """What the series of one cell say of a metric and a method.

    `width` is the mean width of the intervals, `median_width` their median, and `spread` the
    distance of the 2.5 % and the 97.5 % quantile of the values from the truth. `block`, `inflation`
    and `worth` are medians.
    """

    cell: int
    half: str
    process: str
    strength: float
    n: int
    gap: float
    metric: str
    method: str
    series: int
    held: float
    width: float
    median_width: float
    spread: float
    bias: float
    block: float
    inflation: float
    worth: float


def sum_up(paths: list[Path]) -> list[Row]:
    """Return a row per cell, metric and method from raw files."""
    series: dict[tuple[int, str, str], dict[int, dict[str, str]]] = defaultdict(dict)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                key = int(line["cell"]), line["metric"], line["method"]
                series[key][int(line["seed"])] = line
    return [
        _sum_cell(cell, metric, method, list(lines.values()))
        for cell in read_cells()
        for metric in METRICS
        for method in METHODS
        if (lines := series.get((cell.number, metric, method)))
    ]


def _sum_cell(cell: Cell, metric: str, method: str, lines: list[dict[str, str]]) -> Row:
    columns = {
        name: np.array([float(line[name] or "nan") for line in lines])
        for name in ("held", "width", "away", "block", "inflation", "worth")
    }
    low, high = np.quantile(columns["away"], [0.025, 0.975])
    told = not np.isnan(columns["block"]).all()
    medians = {name: float(np.nanmedian(columns[name])) if told else math.nan for name in MEDIANS}
    return Row(
        **{name: getattr(cell, name) for name in ("half", "process", "strength", "n", "gap")},
        cell=cell.number,
        metric=metric,
        method=method,
        series=len(lines),
        held=float(columns["held"].mean()),
        width=float(columns["width"].mean()),
        median_width=float(np.median(columns["width"])),
        spread=float(high - low),
        bias=float(columns["away"].mean()),
        **medians,
    )


ENOUGH = 20  # independent cases that all are worth, by the true dependence
GROUPS: dict[str, Callable[[Row], bool]] = {
    "independent": lambda row: row.process == "autoregression" and row.strength == 0.0,
    "autoregression .3": lambda row: row.process == "autoregression" and row.strength == 0.3,
    "autoregression .6": lambda row: row.process == "autoregression" and row.strength == 0.6,
    "autoregression .9": lambda row: row.process == "autoregression" and row.strength == 0.9,
    "2 to 12 steps ahead": lambda row: row.process == "steps",
    "seasonal errors": lambda row: row.process == "season",
    "seasonal spread": lambda row: row.process == "spread",
    "all": lambda row: True,
}
SHOWN = ("bbc of cases", "near_winner of cases", "near_winner", "bbc")


def make_table() -> tuple[list[str], Iterator[list[str]]]:
    """Return heads and rows of the page: how often limits held by process, and their width."""
    heads = [
        "errors",
        "series",
        *(f"`{name}`" for name in ("bbc of cases", "near_winner of cases")),
    ]
    heads += ["`near_winner`", "`bbc`", "width / oracle's"]
    return heads, _list_rows(read_results())


def list_enough(rows: list[Row]) -> list[Row]:
    """Return the rows of cells that are worth enough independent cases."""
    worth = {(row.cell, row.metric): row.worth for row in rows if row.method == "oracle"}
    return [row for row in rows if worth[row.cell, row.metric] >= ENOUGH]


def share_held(rows: list[Row]) -> float:
    """Return how often limits held over all series of some rows."""
    series = np.array([row.series for row in rows])
    return float(series @ [row.held for row in rows] / series.sum()) if rows else math.nan


def compare_widths(rows: list[Row]) -> list[float]:
    """Return the mean width of `bbc` in each cell over that of the oracle."""
    oracle = {(row.cell, row.metric): row.width for row in rows if row.method == "oracle"}
    return [row.width / oracle[row.cell, row.metric] for row in rows if row.method == "bbc"]


def _list_rows(rows: list[Row]) -> Iterator[list[str]]:
    """Yield a row for each kind of errors; the last but one of all, the last of too few."""
    enough = list_enough(rows)
    few = [row for row in rows if row not in enough]
    for words, is_in in GROUPS.items():
        yield [words, *_share([row for row in enough if is_in(row)])]
    if few:
        yield ["worth under 20", *_share(few)]


def _share(rows: list[Row]) -> list[str]:
    by_method = {name: [row for row in rows if row.method == name] for name in METHODS}
    held = [share_held(by_method[name]) for name in SHOWN]
    count = sum(row.series for row in by_method["bbc"])
    widths = float(np.median(compare_widths(rows)))
    return [f"{count:,}", *(f"{share:.3f}" for share in held), f"{widths:.2f}"]


MEDIANS = ("block", "inflation", "worth")


def read_results() -> list[Row]:
    """Return the committed results."""
    return read_rows(Row, RESULTS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("raw.csv"))
    parser.add_argument("--half", default="all", choices=["all", "seen", "unseen"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sum", type=Path, nargs="*", default=None)
    chosen = parser.parse_args()
    if chosen.sum:
        write_rows(sum_up(chosen.sum), RESULTS)
    else:
        run_cells(
            chosen.out,
            half=chosen.half,
            first=chosen.first,
            seconds=60 * chosen.minutes,
            processes=chosen.processes,
        )
