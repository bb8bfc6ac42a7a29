"""Hold guesses of the refitted model's score against its score on cases that were left out.

python -m benchmarks.correction.refitted --data FOLDER [--samples 5]

Samples of 100 cases are drawn from real tables, forty configurations are searched by 5 folds, and
the winner is trained again on all 100. Its score on the other cases of the table is the truth that
five guesses are held against. The same is done with every table's outcomes shuffled, where there is
nothing to learn. FOLDER has Parquet files with a column `target` of zeros and ones;
without it, only the tables that scikit-learn brings are used. One row a sample and metric goes to
`refitted.csv`, and the tables of the README are printed.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import earnest as en
from benchmarks.calibration.real.learners import Search
from benchmarks.calibration.real.populations import Population, read_table
from benchmarks.rows import write_rows

RESULTS = Path(__file__).with_name("refitted.csv")
CASES, FOLDS, MOST_NEW = 100, 5, 1_500
RESAMPLES = 500
FEWEST_OF_A_CLASS = 10  # in a sample: two for each fold
SEED = 54
METRICS = ("accuracy", "roc_auc")
SHUFFLED = ", shuffled"
WEIGHT = 0.632  # of the corrected score, beside the naive one
GUESSES = {
    "corrected": "corrected score (`bbc`)",
    "naive": "naive score",
    "weighted": ".632 corrected + .368 naive",
    "mean": "mean of both",
    "curve": "learning curve: + 0.2 (score at 4/5 − score at 2/5 of the cases)",
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A sample: the refitted winner's score on the cases left out, and what was guessed of it."""

    table: str
    sample: int
    metric: str
    refitted: float
    corrected: float
    naive: float
    half: float  # the winner's score when its folds train on half of their cases

    def guess(self, name: str) -> float:
        """Return a guess of the refitted winner's score."""
        if name == "weighted":
            return WEIGHT * self.corrected + (1 - WEIGHT) * self.naive
        if name == "mean":
            return (self.corrected + self.naive) / 2
        if name == "curve":
            return self.corrected + gain_of_all_cases(self.naive, self.half)
        return float(getattr(self, name))


def gain_of_all_cases(whole: float, half: float) -> float:
    """Return what an error that falls as 1/n gains from 4/5 of the cases to all of them.

    With `whole` at 4/5 and `half` at 2/5, a + b/n has the gain b (1 - 4/5) / (4/5) = (whole - half)
    times (1.25 - 1) / (2.5 - 1.25) = 1/5.
    """
    return 0.2 * (whole - half)


def shuffle(table: Population) -> Population:
    """Return a table whose outcomes say nothing: every score of any model is that of chance."""
    rng = np.random.default_rng([SEED, zlib.crc32(table.name.encode())])
    return Population(f"{table.name}{SHUFFLED}", table.X, rng.permutation(table.y))


def list_tables(folder: Path | None) -> Iterator[Population]:
    """Yield tables of two classes with at least 150 cases."""
    X, y = load_breast_cancer(return_X_y=True)
    yield _standardise("breast cancer", X, y)
    X, digit = load_digits(return_X_y=True)
    yield _standardise("digits, odd", X, digit % 2)
    some = np.isin(digit, (3, 8))
    yield _standardise("digits, 3 and 8", X[some], digit[some] == 8)
    for path in sorted(folder.glob("*.parquet")) if folder is not None else ():
        if path.stem.startswith("hpobench"):  # results of searches, not cases
            continue
        found = read_table(path)
        if found.is_classified and len(found.y) >= CASES + 50:
            yield found


def _standardise(name: str, X: Floats, y: NDArray[np.generic]) -> Population:
    kept = X[:, X.std(axis=0) > 0]
    return Population(name, (kept - kept.mean(axis=0)) / kept.std(axis=0), y.astype(np.float64))


def run_sample(table: Population, number: int) -> list[Row]:
    """Search on a sample of a table, and hold the guesses against the cases that are left."""
    rng = np.random.default_rng([SEED, zlib.crc32(table.name.encode()), number])
    while True:
        rows = rng.permutation(len(table.y))
        drawn, new = rows[:CASES], rows[CASES : CASES + MOST_NEW]
        if np.bincount(table.y[drawn].astype(int), minlength=2).min() >= FEWEST_OF_A_CLASS:
            break
    X, y = table.X[drawn], table.y[drawn]
    cut = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    fold = np.empty(CASES, dtype=np.intp)
    for place, (_, test) in enumerate(cut.split(X, y)):
        fold[test] = place
    search = Search(X, y, fold[:, None], classified=True)
    said = search.out_of_sample()[:, :, 0]
    pi = en.Predictions.from_arrays(y.astype(int), said, fold, task="binary")
    halves = search.parts & (rng.permutation(CASES) % 2 == 0)
    made = []
    for metric in METRICS:
        asked = en.estimate(
            pi, metric=metric, method=en.methods.BBC(n_resamples=RESAMPLES), rng=number
        )
        winner = pi.configs.ids.index(asked.winner)
        refitted = search.of_new(winner, table.X[new])[-1]
        by_half = search.of_parts(winner, halves, X)[fold, np.arange(CASES)]
        made.append(
            Row(
                table.name,
                number,
                metric,
                refitted=_score(metric, table.y[new], refitted),
                corrected=asked.value,
                naive=_score(metric, y, said[:, winner]),
                half=_score(metric, y, by_half),
            )
        )
    return made


def _score(metric: str, y: Floats, said: Floats) -> float:
    return float(accuracy_score(y, said > 0.5) if metric == "accuracy" else roc_auc_score(y, said))


def summarise(rows: Sequence[Row]) -> str:
    """Return the root mean squared distance and the bias of every guess, as a Markdown table."""
    tables = sorted({row.table for row in rows})
    lines = [
        f"{len({(row.table, row.sample) for row in rows})} samples from {len(tables)} tables.",
        "",
        "| value | accuracy | bias | AUC | bias |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, words in GUESSES.items():
        cells = [words]
        for metric in METRICS:
            off = np.array([r.guess(name) - r.refitted for r in rows if r.metric == metric])
            cells += [f"{np.sqrt(np.mean(off**2)):.4f}", f"{off.mean():+.3f}".replace("-", "−")]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    for name in ("weighted", "mean", "curve"):
        for metric in METRICS:
            mean, error = compare_squares(rows, name, metric)
            lines.append(f"{name}, {metric}: squares less those of bbc {mean:+.1e} ± {error:.1e}")
    return "\n".join(lines)


def compare_squares(rows: Sequence[Row], name: str, metric: str) -> tuple[float, float]:
    """Return by how much a guess's squared distance exceeds the corrected score's, with its error.

    The error is that of the mean over tables, whose samples are not independent.
    """
    by_table: dict[str, list[float]] = {}
    for row in rows:
        if row.metric == metric:
            off = [(row.guess(each) - row.refitted) ** 2 for each in (name, "corrected")]
            by_table.setdefault(row.table, []).append(off[0] - off[1])
    means = np.array([np.mean(each) for each in by_table.values()])
    return float(means.mean()), float(means.std(ddof=1) / len(means) ** 0.5)


def main() -> None:
    """Run all tables, write the rows, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    rows = [
        row
        for real in list_tables(args.data)
        for table in (real, shuffle(real))
        for number in range(args.samples)
        for row in run_sample(table, number)
    ]
    write_rows(rows, args.out)
    for shuffled in (False, True):
        print("\nOutcomes shuffled:" if shuffled else "Outcomes as they are:", end=" ")
        print(summarise([row for row in rows if row.table.endswith(SHUFFLED) == shuffled]))


if __name__ == "__main__":
    main()
