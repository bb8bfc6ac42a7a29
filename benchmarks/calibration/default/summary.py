"""What the searches say: `python -m benchmarks.calibration.default.summary` prints the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from scipy.stats import binom

from benchmarks.calibration.default.grid import METRICS_OF_CLASSES, METRICS_OF_NUMBERS
from benchmarks.calibration.default.run import LEVEL, METHODS, RESULTS, Row
from benchmarks.rows import read_rows

DOUBT = 0.05
METRICS = (*METRICS_OF_CLASSES, *METRICS_OF_NUMBERS)


@dataclass(frozen=True)
class Verdict:
    """What the cells of a metric say of a method, of bounds or of intervals.

    Attributes
    ----------
    rejected, after_holm : int
        Cells that hold too rarely by exact tests, one by one and after Holm's correction.
    worst, mean : float
        Shares of searches that hold: of the worst cell, and on average over cells.
    size : float
        The mean slack of bounds or width of intervals, over that of draws.
    """

    method: str
    metric: str
    two_sided: bool
    cells: int
    searches: int
    rejected: int
    after_holm: int
    worst: float
    mean: float
    size: float


def read_sums() -> list[Row]:
    """Return the sums of each cell, metric and method over all runs of the study."""
    sums: dict[tuple[int, str, str], Row] = {}
    for row in read_rows(Row, RESULTS):
        key = row.cell, row.metric, row.method
        sums[key] = sums[key].plus(replace(row, first=sums[key].first)) if key in sums else row
    return list(sums.values())


def p_value(row: Row, *, two_sided: bool) -> float:
    """Return how probable so few limits that hold are, if they hold in 95 %."""
    return float(binom.cdf(row.two if two_sided else row.held, row.searches, LEVEL))


def reject_by_holm(p_values: list[float], doubt: float = DOUBT) -> list[bool]:
    """Return which of several hypotheses Holm's procedure rejects."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = [False] * len(p_values)
    for rank, place in enumerate(order):
        if p_values[place] > doubt / (len(p_values) - rank):
            break
        rejected[place] = True
    return rejected


def judge() -> Iterator[Verdict]:
    """Yield the verdicts of all methods and metrics, of bounds and of intervals."""
    rows = read_sums()
    drawn = {(row.cell, row.metric): row for row in rows if row.method == "drawn"}
    for method in METHODS:
        for two_sided in (False, True):
            family = [row for row in rows if row.method == method]
            p_values = [p_value(row, two_sided=two_sided) for row in family]
            holm = reject_by_holm(p_values)
            of_metric: dict[str, list[int]] = defaultdict(list)
            for place, row in enumerate(family):
                of_metric[row.metric].append(place)
            for metric in sorted(of_metric, key=METRICS.index):
                places = of_metric[metric]
                shares, sizes = [], []
                for row in (family[place] for place in places):
                    other = drawn[row.cell, metric]
                    shares.append((row.two if two_sided else row.held) / row.searches)
                    sums = (row.width, other.width) if two_sided else (row.slack, other.slack)
                    sizes.append(sums[0] / row.searches / (sums[1] / other.searches))
                yield Verdict(
                    method,
                    metric,
                    two_sided,
                    len(places),
                    sum(family[place].searches for place in places),
                    sum(p_values[place] <= DOUBT for place in places),
                    sum(holm[place] for place in places),
                    min(shares),
                    sum(shares) / len(shares),
                    sum(sizes) / len(sizes),
                )


def main() -> None:
    print("| method | metric | limits | rejected | after Holm | worst | mean | over draws |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in judge():
        kind = "interval" if row.two_sided else "bound"
        print(
            f"| {row.method} | {row.metric} | {kind} | {row.rejected} of {row.cells} "
            f"| {row.after_holm} | {row.worst:.3f} | {row.mean:.3f} | {row.size:.2f} |"
        )


if __name__ == "__main__":
    main()
