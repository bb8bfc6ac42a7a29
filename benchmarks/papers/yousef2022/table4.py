"""Table 4: the standard error of the leave-pair-out AUC of LDA, of QDA, and of their difference.

python -m benchmarks.papers.yousef2022.table4 --trials 1000 --replicates 1000

Normal classes in 4 dimensions, 20 cases of each class; the distance is not given in the chapter,
and c = .607 in every dimension meets both of its mean AUCs. Values and errors are those of the
product: `pairs_left_out` for one learner, `LPOBTest` for the difference.
"""

from __future__ import annotations

import argparse
import csv

import numpy as np

from benchmarks.papers.yousef2022.discriminants import check
from benchmarks.papers.yousef2022.trials import HERE, KEPT, draw, keep, kept, replicates, truth
from earnest import LPOBTest
from earnest.comparison.shared.left_out import ReplicateQuestion
from earnest.core.base.rng import Seeds
from earnest.inference.left_out import leave_pair_out as pairwise
from earnest.inference.left_out.estimates import pairs_left_out
from earnest.inference.left_out.leave_pair_out import leave_pair_out, pairs_of
from earnest.metrics import metric

N, P, C = 20, 4, 0.607
BLOCK = 20
AUC = metric("roc_auc")
COLUMNS = tuple(
    f"{of}_{what}"
    for of in ("lda", "qda", "difference")
    for what in ("true", "value", "error", "error_as_published")
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--replicates", type=int, nargs="*", default=[200, 1000, 5000])
    asked = parser.parse_args()
    check()
    pairwise.WORTH_IT = 0  # of thousands of calls: the compiled sums, whatever the size of one
    for count in asked.replicates:
        rows = kept(f"table4_B{count}", len(COLUMNS))
        while len(rows) < asked.trials:
            stop = min(asked.trials, len(rows) + BLOCK)
            rows = np.vstack([rows, [one(seed, count) for seed in range(len(rows), stop)]])
            keep(f"table4_B{count}", rows)
            print(count, len(rows), rows.mean(axis=0).round(4), flush=True)
        write()


def one(seed: int, count: int) -> list[float]:
    """Return truth, value and errors of both learners and of their difference."""
    rng = np.random.default_rng([seed, N])
    X, y = draw(rng, N, P, C)
    both, out = [], []
    for rule in ("lda", "qda"):
        made = replicates(rule, X, y, count, seed)
        found = pairs_left_out(made, AUC)
        old = pairs_left_out(made, AUC, variant="as_published")
        out += [truth(rule, X, y, C), found.value, found.standard_error, old.standard_error]
        both.append(made)
    question = ReplicateQuestion(replicates=tuple(both), metric=AUC, seeds=Seeds(seed))
    apart = LPOBTest().read(question).pair(0, 1)
    old = leave_pair_out(
        both[0].responses,
        both[0].counts,
        pairs_of(both[0].target),
        other=both[1].responses,
        strata=both[0].strata,
        variant="as_published",
    )
    assert apart.standard_error is not None
    difference = [out[0] - out[4], apart.difference, apart.standard_error, old.standard_error]
    return [*out, *difference]


def write() -> None:
    """Write what is kept beside the published table; numbers of samples not kept here stay."""
    with (HERE / "expected_table4.csv").open(newline="") as file:
        published = {line["quantity"]: line for line in csv.DictReader(file)}
    counts = {int(path.stem.split("B")[1]) for path in KEPT.glob("table4_B*.npy")}
    rows = _others(counts)
    for count in sorted(counts):
        done = kept(f"table4_B{count}", len(COLUMNS))
        for quantity, (what, reduce) in QUANTITIES.items():
            row: dict[str, object] = {"B": count, "trials": len(done), "quantity": quantity}
            for of in ("lda", "qda", "difference"):
                column = done[:, COLUMNS.index(f"{of}_{what}")]
                value, error = reduce(column)
                row[of] = f"{value:.4f}"
                row[f"{of}_error"] = f"{error:.4f}"
                row[f"{of}_published"] = published.get(quantity, {}).get(of, "")
            rows.append(row)
    with (HERE / "results_table4.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: int(str(row["B"]))))


def _others(counts: set[int]) -> list[dict[str, object]]:
    """Return the rows that are written already, of other numbers of samples."""
    path = HERE / "results_table4.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [dict(line) for line in csv.DictReader(file) if int(line["B"]) not in counts]


def _mean(column: np.ndarray) -> tuple[float, float]:
    return float(column.mean()), float(column.std(ddof=1) / np.sqrt(len(column)))


def _sd(column: np.ndarray) -> tuple[float, float]:
    sd = float(column.std(ddof=1))
    return sd, sd / float(np.sqrt(2 * len(column)))  # of a normal sample


QUANTITIES = {
    "mean truth": ("true", _mean),
    "sd truth": ("true", _sd),
    "mean value": ("value", _mean),
    "sd value": ("value", _sd),
    "mean error": ("error", _mean),
    "sd error": ("error", _sd),
    "mean error as published": ("error_as_published", _mean),
}


if __name__ == "__main__":
    main()
