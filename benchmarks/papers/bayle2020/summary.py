"""From trials to the tables behind figures 2 and 3, and what became of the claims.

python -m benchmarks.papers.bayle2020.summary
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from benchmarks.papers.bayle2020.populations import Floats
from benchmarks.papers.bayle2020.run import KEPT
from benchmarks.papers.bayle2020.trial import PAIRS, PROCEDURES, read

HERE = Path(__file__).parent
TASKS = {
    "classes": "binary",
    "values": "regression",
    "phoneme": "binary",
    "satisfaction": "regression",
}
DEGREES = {
    "cv_t": 9,
    "resampled_t": 9,
    "corrected_t": 9,
    "five_by_two": 5,
    "corrected_t of folds": 9,
}
FEWEST = 25  # trials that a share is made of, as in the authors' code
LEVEL = 0.05
Row = dict[str, Any]


def main() -> None:
    cells = list(done())
    two = [row for cell in cells for row in intervals(*cell)]
    three = [row for cell in cells for row in improvement(*cell)]
    write("results_figure2.csv", two)
    write("results_figure3.csv", three)


def done() -> Iterator[tuple[str, int, Floats]]:
    """Yield the name, the size and the trials of every cell that has any."""
    for name in TASKS:
        found = {int(path.stem.split("_n")[1]): path for path in KEPT.glob(f"{name}_n*.npy")}
        for n in sorted(found):
            yield name, n, np.load(found[n])


def intervals(name: str, n: int, rows: Floats) -> Iterator[Row]:
    """Yield the coverage and the width of every procedure for both learners."""
    single, _ = read(rows)
    known = {line["procedure"]: line for line in lines("expected_figure2.csv")}
    for which, learner in enumerate(PAIRS[TASKS[name]]):
        first = single[:, which, 0, 2] - single[:, which, 0, 1]
        for place, procedure in enumerate(PROCEDURES):
            value, low, high, truth = single[:, which, place].T
            width = high - low
            held = (low <= truth) & (truth <= high)
            yield {
                "population": name,
                "learner": learner,
                "n": n,
                "procedure": procedure,
                "trials": len(held),
                "truth": truth.mean(),
                "bias": (value - truth).mean(),
                **share("coverage", held),
                "coverage_expected": known[procedure]["coverage"],
                "width": width.mean(),
                "width_error": width.std(ddof=1) / len(width) ** 0.5,
                "relative_width": width.mean() / first.mean(),
                "relative_width_expected": known[procedure]["relative_width"],
                "spread": spread(value - truth, high - value, procedure),
            }


def spread(away: Floats, reach: Floats, procedure: str, level: float = 0.975) -> float:
    """Return the root mean square of errors over standard errors: 1 where the law is right.

    That of Student's law is more than 1 by itself, and is divided out.
    """
    df = DEGREES.get(procedure)
    far = ndtri(level) if df is None else stdtrit(df, level)
    own = 1.0 if df is None else (df / (df - 2)) ** 0.5
    seen = (reach > 0) & np.isfinite(reach)
    return float(np.sqrt(np.mean(np.square(away[seen] * far / reach[seen]))) / own)


def wider(procedure: str) -> float:
    """Return how much farther two-sided limits of 95 % reach than those of 90 %."""
    df = DEGREES.get(procedure)
    if df is None:
        return float(ndtri(0.975) / ndtri(0.95))
    return float(stdtrit(df, 0.975) / stdtrit(df, 0.95))


def improvement(name: str, n: int, rows: Floats) -> Iterator[Row]:
    """Yield the size and the power of every test, and how often it rejects the true difference.

    The size is that of the test of Err(A1) < Err(A2) where that is false, the power that of the
    test of Err(A2) < Err(A1) where that is true, as on the poster. Where A2 is better by far such a
    size is near 0; a test is exact if it rejects the difference that there is in 5 %: below and
    above one-sided, or two-sided (`rejects_truth`).
    """
    _, both = read(rows)
    first, second = PAIRS[TASKS[name]]
    for place, procedure in enumerate(PROCEDURES):
        value, low, high, less, greater, truth = both[:, place].T
        yield {
            "population": name,
            "A1": first,
            "A2": second,
            "n": n,
            "test": procedure,
            "gap": truth.mean(),
            **share("size", less[truth >= 0] <= LEVEL),
            **share("power", greater[truth > 0] <= LEVEL),
            **share("below_truth", high < truth),
            **share("above_truth", low > truth),
            **share("rejects_truth", np.abs(value - truth) > wider(procedure) * (high - value)),
            "spread": spread(value - truth, high - value, procedure, 0.95),
        }


def share(name: str, hits: NDArray[np.bool_]) -> Row:
    """Return a share with its number of trials and Wilson's 95 % limits, empty for too few."""
    count = len(hits)
    if count <= FEWEST:
        return {f"{name}_trials": count, name: "", f"{name}_low": "", f"{name}_high": ""}
    part, z2 = float(np.mean(hits)), float(ndtri(0.975)) ** 2
    middle = (part + z2 / (2 * count)) / (1 + z2 / count)
    reach = np.sqrt(z2 * (part * (1 - part) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return {
        f"{name}_trials": count,
        name: part,
        f"{name}_low": float(middle - reach),
        f"{name}_high": float(middle + reach),
    }


def write(name: str, rows: list[Row]) -> None:
    with (HERE / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: _text(v) for k, v in row.items()})


def lines(name: str) -> list[dict[str, str]]:
    """Return the lines of a table of this folder."""
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def _text(value: object) -> object:
    return f"{value:.4g}" if isinstance(value, float) else value


if __name__ == "__main__":
    main()
