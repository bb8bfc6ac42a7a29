"""Tune on one part of every data set of a folder, and score the model on the held-out cases.

python -m benchmarks.datasets.run --data FOLDER
"""

from __future__ import annotations

import argparse
import csv
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import earnest as en

TARGET = "target"
HERE = Path(__file__).parent
SEED = 2026


@dataclass(frozen=True)
class Row:
    """What came out on one data set; all scores are AUCs."""

    data: str
    n_train: int
    n_left_out: int
    winner: str
    naive: float
    honest: float
    honest_low: float
    honest_high: float
    left_out: float
    left_out_low: float
    left_out_high: float
    covered: bool  # the score on the cases left out is in the honest interval
    configs: int
    fits: int
    fits_nested: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="Parquet files with `target`")
    parser.add_argument("--only", action="append", help="the name of a data set; repeat for more")
    parser.add_argument("--budget", default="1m")
    parser.add_argument("--train", type=float, default=0.5, help="share of the cases to tune on")
    parser.add_argument("--most", type=int, default=2000, help="cases to tune on at most")
    parser.add_argument("--again", action="store_true", help="also what results.csv has")
    parser.add_argument("--out", type=Path, default=HERE)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    rows = read(asked.out / "results.csv")
    for path in sorted(asked.data.glob("*.parquet")):
        wanted = path.stem in (asked.only or [path.stem])
        if wanted and (asked.again or path.stem not in rows):
            table = pq.read_table(path)
            if not is_binary(table):
                print(f"{path.stem}: no column {TARGET!r} of two classes", flush=True)
                continue
            made = tuned_and_scored(path.stem, table, asked.budget, asked.train, asked.most)
            rows[path.stem] = {name: _text(value) for name, value in asdict(made).items()}
            write(rows, asked.out)
            print(f"{made.data}: {line(rows[path.stem])}", flush=True)


def is_binary(table: pa.Table) -> bool:
    return TARGET in table.column_names and len(set(table[TARGET].to_pylist()) - {None}) == 2


def tuned_and_scored(name: str, table: pa.Table, budget: str, share: float, most: int) -> Row:
    y = np.asarray(table[TARGET].to_pylist())
    train = parted(y, share, most, np.random.default_rng([SEED, zlib.crc32(name.encode())]))
    tuned = en.tune(table.filter(pa.array(train)), target=TARGET, budget=budget, rng=SEED)
    rest = table.filter(pa.array(~train))
    truth = scored(y[~train], tuned.model.predict(rest.drop_columns([TARGET])))
    low, high = tuned.estimate.interval.low, tuned.estimate.interval.high
    return Row(
        data=name,
        n_train=int(train.sum()),
        n_left_out=int((~train).sum()),
        winner=tuned.winner.name,
        naive=float(tuned.estimate.naive or np.nan),
        honest=tuned.estimate.value,
        honest_low=low,
        honest_high=high,
        left_out=truth.value,
        left_out_low=truth.interval.low,
        left_out_high=truth.interval.high,
        covered=low <= truth.value <= high,
        configs=tuned.estimate.n_configs,
        fits=tuned.n_fits,
        fits_nested=tuned.n_fits_nested,
        seconds=tuned.seconds,
    )


def parted(y: Any, share: float, most: int, rng: np.random.Generator) -> Any:
    """Tell which cases to tune on, each class in its share."""
    train = np.zeros(len(y), dtype=bool)
    share = min(share, most / len(y))
    for label in np.unique(y):
        cases = rng.permutation(np.flatnonzero(y == label))
        train[cases[: round(share * len(cases))]] = True
    return train


def scored(y: Any, forecast: Any) -> Any:
    """Return the AUC on the cases left out, with DeLong's interval for a model that is given."""
    scores = forecast.scores if forecast.scores.ndim == 1 else forecast.scores[:, -1]
    return en.estimate(en.Predictions.from_arrays(y, scores), metric="roc_auc", method="delong")


def read(path: Path) -> dict[str, dict[str, str]]:
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["data"]: row for row in csv.DictReader(file)}


def write(rows: dict[str, dict[str, str]], folder: Path) -> None:
    """Write the table as CSV and as Markdown, after every data set, so that nothing is lost."""
    with (folder / "results.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))
    head = ["data set", "n", "naive", "corrected", "held out", "in the interval"]
    lines = [" | ".join(head), " | ".join(["---"] * len(head))]
    lines += [f"{name} | {line(rows[name])}" for name in sorted(rows)]
    text = "".join(f"| {one} |\n" for one in lines)
    (folder / "results.md").write_text(text + "\n" + summary(list(rows.values())) + "\n")


def line(row: dict[str, str]) -> str:
    def spanned(name: str) -> str:
        value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
        return f"{value:.3f} [{low:.3f}, {high:.3f}]"

    cells = [row["n_train"], f"{float(row['naive']):.3f}", spanned("honest"), spanned("left_out")]
    cells.append("yes" if row["covered"] == "True" else "no")
    return " | ".join(cells)


def summary(rows: list[dict[str, str]]) -> str:
    """Say by how much both scores miss the one on the cases left out, over the data sets."""
    truth = np.array([float(row["left_out"]) for row in rows])
    naive, honest = (np.array([float(row[name]) for row in rows]) for name in ("naive", "honest"))
    inside = sum(row["covered"] == "True" for row in rows)
    return (
        f"Over {len(rows)} data sets, the naive score minus the held-out score is "
        f"{np.mean(naive - truth):+.4f} on average, and the corrected score minus the held-out "
        f"score is {np.mean(honest - truth):+.4f}. In {inside} of {len(rows)} data sets, the "
        "held-out score lies in the interval of the corrected score."
    )


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
