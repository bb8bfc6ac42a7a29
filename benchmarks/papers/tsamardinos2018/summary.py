"""The table of results, one row a data set and rule.

python -m benchmarks.papers.tsamardinos2018.summary
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.papers.tsamardinos2018.run import RESULTS, RULES


def main() -> None:
    for line in table(RESULTS):
        print(line)


def table(path: Path) -> list[str]:
    """Return the lines of a Markdown table of means over the draws."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    by: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        by[row["set"], row["rule"]].append(row)
    lines = [
        "| set | rule | models trained | ratio to CVT | survivors | hold-out AUC | loss to CVT |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in sorted({row["set"] for row in rows}):
        plain = _mean(by[name, "none"], "holdout_auc")
        for rule in RULES:
            own = by[name, rule]
            auc = _mean(own, "holdout_auc")
            lines.append(
                f"| {name} | {rule} | {_mean(own, 'trained'):.0f} | {_mean(own, 'ratio'):.2f} | "
                f"{_mean(own, 'survivors'):.1f} | {auc:.4f} | {plain - auc:+.4f} |"
            )
    return lines


def _mean(rows: list[dict[str, str]], name: str) -> float:
    return float(np.mean([float(row[name]) for row in rows]))


if __name__ == "__main__":
    main()
