"""What the formulas give with many cases for a learner that no training case changes.

python -m benchmarks.papers.bayle2020.stable

Writes `expected_by_formula.csv`. In units of the variance of the mean of all cases, a tenth of them
has variance 10, two random tenths have covariance 1, and a half has variance 2. Student's
law follows for all but 5x2, whose one value is a part of its own spread; its numbers are drawn.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from scipy.special import gammaln
from scipy.stats import t

EXPECTED = Path(__file__).with_name("expected_by_formula.csv")
NORMAL = 1.959964
OVERLAP = 1 / 10 + 1 / 9
Known = tuple[float, float]  # coverage, and width over that of the proposed interval


def main() -> None:
    rows = [
        {"procedure": name, "coverage": f"{held:.3f}", "relative_width": f"{wide:.3f}"}
        for name, (held, wide) in expected().items()
    ]
    with EXPECTED.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def expected(draws: int = 4_000_000) -> dict[str, Known]:
    """Return coverage and relative width of every procedure."""
    return {
        "bayle_all_pairs": (0.95, 1.0),
        "bayle_within_fold": (0.95, 1.0),
        "holdout": (0.95, 10**0.5),
        "cv_t": students(1.0, 1.0, 9),
        "resampled_t": students(1.9, 9 / 10, 9),
        "corrected_t": students(1.9, 9 * OVERLAP, 9),
        "five_by_two": halved(draws),
        "corrected_t of folds": students(1.0, 10 * OVERLAP, 9),
    }


def students(true: float, seen: float, df: int) -> Known:
    """Return them where a value of variance `true` is taken to have `seen`, by Student's law."""
    far = float(t.ppf(0.975, df))
    root = np.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) * np.sqrt(2 / df)  # of chi-square / df
    held = 2 * t.cdf(far * np.sqrt(seen / true), df) - 1
    return float(held), float(far * root * np.sqrt(seen) / NORMAL)


def halved(draws: int) -> Known:
    """Return them for 5x2, drawn with seed 0; of four million the coverage has an sd of .0001."""
    rng = np.random.default_rng(0)
    halves, whole = rng.standard_normal((5, draws)), rng.standard_normal(draws)
    reach = t.ppf(0.975, 5) * np.sqrt(0.4 * np.square(halves).sum(axis=0))
    return float(np.mean(np.abs(whole + halves[0]) <= reach)), float(reach.mean() / NORMAL)


if __name__ == "__main__":
    main()
