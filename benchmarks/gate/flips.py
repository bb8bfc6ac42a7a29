"""Verdicts on changes that are none: python -m benchmarks.gate.flips, which writes results.csv.

Cells that were declared before any was run:

- `rerun`: the same system answers the same items twice, with the luck of sampling. An item is
  answered rightly with its own chance, uniform from 0.3 to 1, so that the system is right in 65 %.
  A wrong verdict is a fail; without a margin a pass is wrong as well.
- `at the margin`: the new system is worse by the margin, so that a pass and a fail are both wrong.
- `seed`: the same scores of the best of eight are judged again with another seed of the resamples.
  `changed` counts verdicts that are not the first one.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import earnest as en

RESULTS = Path(__file__).parent / "results.csv"
FIELDS = ("cell", "n", "margin", "reps", "pass", "fail", "undecided", "changed")
RERUNS = [(n, margin) for n in (200, 500, 2000) for margin in (0.0, 0.02, 0.05)]
SEEDS = 5


def draw_scores(rng: np.random.Generator, n: int, drop: float) -> tuple[en.Scores, en.Scores]:
    """Return the scores of a new and an old run, the new one worse by `drop` on every item."""
    chance = rng.uniform(0.3, 1.0, n)
    old, new = rng.random(n) < chance, rng.random(n) < chance - drop
    return make_scores(new), make_scores(old)


def make_scores(right: NDArray[np.bool_]) -> en.Scores:
    """Return answers that are right or wrong as the scores of one configuration."""
    return en.Scores(right.astype(float)[:, None], limits=(0, 1))


def judge_pairs(n: int, margin: float, drop: float, reps: int) -> Counter[str]:
    """Count verdicts on independent pairs of runs."""
    found: Counter[str] = Counter()
    for seed in range(reps):
        rng = np.random.default_rng([n, round(1000 * margin), round(1000 * drop), seed])
        new, old = draw_scores(rng, n, drop)
        found[en.gate(new, against=old, margin=margin).outcome] += 1
    return found


def judge_seeds(n: int, reps: int) -> tuple[Counter[str], int]:
    """Count the first verdicts on the best of eight, and those that another seed changes."""
    found: Counter[str] = Counter()
    changed = 0
    for seed in range(reps):
        rng = np.random.default_rng([n, seed])
        chance = rng.uniform(0.3, 1.0, (n, 1))
        table = en.Scores((rng.random((n, 8)) < chance).astype(float), limits=(0, 1))
        made = [en.gate(table, above=0.6, rng=again).outcome for again in range(SEEDS)]
        found[made[0]] += 1
        changed += sum(one != made[0] for one in made[1:])
    return found, changed


def run_cells(reps: int) -> Iterator[dict[str, object]]:
    """Yield one row per cell."""
    for n, margin in RERUNS:
        found = judge_pairs(n, margin, 0.0, reps)
        yield {"cell": "rerun", "n": n, "margin": margin, "reps": reps, **found}
    for n, margin in RERUNS:
        if margin:
            found = judge_pairs(n, margin, margin, reps)
            yield {"cell": "at the margin", "n": n, "margin": margin, "reps": reps, **found}
    for n in (200, 500):
        count = reps // 10
        found, changed = judge_seeds(n, count)
        yield {"cell": "seed", "n": n, "reps": count, **found, "changed": changed}


def main() -> None:
    reps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, restval=0, lineterminator="\n")
        writer.writeheader()
        for row in run_cells(reps):
            writer.writerow(row)
            file.flush()
            print(row)


if __name__ == "__main__":
    main()
