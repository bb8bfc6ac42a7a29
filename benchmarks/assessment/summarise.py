"""From trials to results.csv: how far each method was off, and how often its interval was right."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """What came out for one method in one cell; `_se` are the errors of the Monte Carlo.

    Attributes
    ----------
    n_trials, n_answers, n_intervals : int
        How many training sets were drawn, for how many of them the method gave a value, and for
        how many an interval.
    truth, truth_sd : float
        The mean of the true scores of the models, and how they differ between training sets.
    bias, sd : float
        The mean of the value less the truth, and the spread of the value.
    rms_own, rms_mean : float
        The root of the mean square of the value less the truth of the very model, and less the
        mean truth.
    correlation : float
        Of the value with the truth of the very model; NaN where one of them never changes.
    covers_own, covers_mean, width : float
        How often the interval holds the one or the other, and its mean width; NaN without one.
    rough : float
        The share of answers with the caution that there are too few replicates for an interval.
    fits, seconds : float
        Models that it takes, and the median time that it takes to ask once they are trained.
    """

    data: str
    learner: str
    n: int
    metric: str
    method: str
    n_trials: int
    n_answers: int
    n_intervals: int
    truth: float
    truth_sd: float
    bias: float
    bias_se: float
    sd: float
    rms_own: float
    rms_own_se: float
    rms_mean: float
    rms_mean_se: float
    correlation: float
    correlation_se: float
    covers_own: float
    covers_own_se: float
    covers_mean: float
    covers_mean_se: float
    width: float
    rough: float
    fits: int
    seconds: float


def summarise(kept: Mapping[str, list[dict[str, Any]]]) -> list[Row]:
    """Return the rows of all cells by the names of their files."""
    rows = []
    for name, trials in kept.items():
        data, learner, n, _ = name.split("--")
        if len(trials) > 1:
            rows += [Row(data, learner, int(n), *made) for made in _cell(trials)]
    return rows


def _cell(trials: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    found: dict[tuple[str, str], list[list[float]]] = {}
    for trial in trials:
        for metric, method, *numbers in trial["answers"]:
            own = float(trial["truth"][metric])
            found.setdefault((metric, method), []).append([own, *numbers])
    for (metric, method), lines in found.items():
        every = np.array([trial["truth"][metric] for trial in trials])
        if len(lines) > 1:
            table = np.array(lines, dtype=float)
            limits = int(np.isfinite(table[:, 2]).sum())
            yield metric, method, len(trials), len(lines), limits, *_numbers(every, table)


def _numbers(every: Floats, table: Floats) -> Iterator[Any]:
    own, value, low, high, rough, fits, seconds = table.T
    count, mean = len(value), float(every.mean())
    yield from (mean, float(every.std(ddof=1)))
    off = value - own
    yield from (float(off.mean()), float(off.std(ddof=1) / np.sqrt(count)))
    yield float(value.std(ddof=1))
    yield from _rms(off)
    yield from _rms(value - mean)
    yield from _correlation(value, own)
    yield from _coverage(own, mean, low, high)
    yield from (float(rough.mean()), int(fits[0]), float(np.median(seconds)))


def _coverage(own: Floats, mean: float, low: Floats, high: Floats) -> tuple[float, ...]:
    """Return how often intervals hold the own and the mean truth, with errors, and their width."""
    there = np.isfinite(low) & np.isfinite(high)
    if not there.any():
        return (np.nan,) * 5
    own, low, high = own[there], low[there], high[there]
    numbers = []
    for wanted in (own, mean):
        covered = (low <= wanted) & (wanted <= high)
        share = (covered.sum() + 1.0) / (len(own) + 2.0)  # an error even where all of them cover
        error = np.sqrt(share * (1.0 - share) / len(own))
        numbers += [float(covered.mean()), float(error)]
    return (*numbers, float((high - low).mean()))


def _rms(off: Floats) -> tuple[float, float]:
    """Return the root mean square and its error, by the delta method."""
    root = float(np.sqrt((off**2).mean()))
    error = float((off**2).std(ddof=1) / np.sqrt(len(off)))
    return root, error / (2.0 * root) if root > 0 else 0.0


def _correlation(value: Floats, own: Floats) -> tuple[float, float]:
    if len(own) < 3 or np.ptp(value) == 0.0 or np.ptp(own) == 0.0:
        return np.nan, np.nan
    found = float(np.corrcoef(value, own)[0, 1])
    return found, (1.0 - found**2) / np.sqrt(len(own) - 1)


def write(rows: list[Row], folder: Path) -> Path:
    """Write results.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        for row in rows:
            writer.writerow([_text(value) for value in asdict(row).values()])
    return path


def read(path: Path) -> list[Row]:
    """Read results.csv."""
    kinds = {"str": str, "int": int, "float": float}
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(**{field.name: kinds[str(field.type)](line[field.name]) for field in fields(Row)})
            for line in csv.DictReader(file)
        ]


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
