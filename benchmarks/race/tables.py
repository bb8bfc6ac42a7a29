"""The tables of the race, and their splits.

A folder has Parquet files with a column `target`; scikit-learn brings four more, and
`benchmarks.race.simulated` tables of any length. `python -m
benchmarks.race.tables FOLDER` writes tables that statsmodels and ISLP come with, where these are
installed (`pip install --no-deps` is enough, as only their files are read).
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TARGET = "target"
SEED = 2026
SHARE = 0.6  # of the rows to train on
MOST_TRAINED, MOST_TESTED = 1000, 5000  # rows
MOST_CLASSES = 20  # whole numbers with more values than that are numbers
METRIC = {"binary": "roc_auc", "multiclass": "log_loss", "regression": "r2"}


@dataclass(frozen=True, eq=False)
class Table:
    """A table of the race: columns to predict from, the outcome, and rows to train on at most."""

    name: str
    features: pd.DataFrame
    outcome: pd.Series  # whole numbers from 0 for classes
    most_trained: int = MOST_TRAINED

    @property
    def task(self) -> str:
        """What is learned: binary, multiclass or regression."""
        return find_task(self.outcome)


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and rows held out, the same for every tool."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def find_task(outcome: pd.Series) -> str:
    """Return what an outcome asks for."""
    count = outcome.nunique()
    if count == 2:
        return "binary"
    whole = not pd.api.types.is_float_dtype(outcome)
    return "multiclass" if whole and count <= MOST_CLASSES else "regression"


def make_split(table: Table, number: int) -> Split:
    """Return a split by its number: classes keep their shares, and no tool has a say in it."""
    rng = np.random.default_rng([SEED, number, zlib.crc32(table.name.encode())])
    y = table.outcome.to_numpy()
    layers = np.zeros(len(y), dtype=int) if table.task == "regression" else y
    share = min(SHARE, table.most_trained / len(y))
    rest = min(1 - share, max(MOST_TESTED, 0.2 * table.most_trained) / len(y))
    train, test = [], []
    for layer in np.unique(layers):
        rows = rng.permutation(np.flatnonzero(layers == layer))
        first, last = round(share * len(rows)), round((share + rest) * len(rows))
        train.append(rows[:first])
        test.append(rows[first:last])
    return Split(rng.permutation(np.concatenate(train)), np.sort(np.concatenate(test)))


def read_tables(folders: Sequence[Path]) -> dict[str, Table]:
    """Return every table of some folders, and scikit-learn's, by name.

    A file without a column `target`, or with gaps in it, is none of them.
    """
    found = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.parquet")):
        frame = pd.read_parquet(path)
        if TARGET in frame and not frame[TARGET].isna().any():
            found[path.stem] = make_table(path.stem, frame)
    bundled = {table.name: table for table in read_bundled()}
    if "wdbc" in found:  # another name of the same table
        del bundled["breast_cancer"]
    return found | bundled


def let_train_on(table: Table, rows: int) -> Table:
    """Return a table that trains on more rows, under a name that tells; splits go by the name."""
    return replace(table, name=f"{table.name}-{rows}", most_trained=rows)


def make_table(name: str, frame: pd.DataFrame) -> Table:
    """Return a frame as a table, classes as whole numbers in their order."""
    outcome = frame[TARGET]
    if not pd.api.types.is_numeric_dtype(outcome):
        labels = sorted(outcome.unique())
        outcome = outcome.map({label: code for code, label in enumerate(labels)}).astype(int)
    elif find_task(outcome) != "regression":
        outcome = pd.Series(np.unique(outcome, return_inverse=True)[1], outcome.index)
    features = frame.drop(columns=TARGET)
    features.columns = [str(column) for column in features.columns]
    return Table(name, features.reset_index(drop=True), outcome.reset_index(drop=True))


def read_bundled() -> list[Table]:
    """Return what scikit-learn comes with and is not too easy."""
    from sklearn import datasets
    from sklearn.utils import Bunch

    loads: dict[str, Callable[..., Bunch]] = {
        "diabetes": datasets.load_diabetes,
        "digits": datasets.load_digits,
        "wine": datasets.load_wine,
        "breast_cancer": datasets.load_breast_cancer,
    }
    return [make_table(name, load(as_frame=True).frame) for name, load in loads.items()]


# Tables that packages come with: the distribution, its file, the outcome, what to make of it, and
# columns that tell the outcome.

Packaged = tuple[str, str, str, Callable[[pd.Series], pd.Series] | None, tuple[str, ...]]


def is_positive(column: pd.Series) -> pd.Series:
    """Tell where a count is more than none."""
    return (column > 0).astype(int)


PACKAGED: dict[str, Packaged] = {
    "fair": ("statsmodels", "statsmodels/datasets/fair/fair.csv", "affairs", is_positive, ()),
    "anes96": ("statsmodels", "statsmodels/datasets/anes96/anes96.csv", "PID", None, ()),
    "oj": ("ISLP", "ISLP/data/OJ.csv", "Purchase", None, ()),
    "default": ("ISLP", "ISLP/data/Default.csv", "default", None, ()),
    "carseats": ("ISLP", "ISLP/data/Carseats.csv", "Sales", None, ()),
    "wage": ("ISLP", "ISLP/data/Wage.csv", "wage", None, ("logwage",)),
    "college": ("ISLP", "ISLP/data/College.csv", "Grad.Rate", None, ()),
}


def write_packaged(folder: Path) -> list[str]:
    """Write the tables of installed packages as Parquet, and return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, (package, file, outcome, change, tells) in PACKAGED.items():
        try:
            path = Path(str(distribution(package).locate_file(file)))
        except PackageNotFoundError:
            continue
        first = path.read_text(encoding="utf-8").splitlines()[0]
        frame = pd.read_csv(path, sep="\t" if "\t" in first else ",")
        frame = frame.rename(columns=lambda column: column.strip("'")).drop(columns=list(tells))
        target = frame.pop(outcome)
        target = target if change is None else change(target)
        if change is None and pd.api.types.is_numeric_dtype(target) and target.nunique() > 20:
            target = target.astype(float)
        frame[TARGET] = target
        frame.to_parquet(folder / f"{name}.parquet")
        written.append(name)
    return written


if __name__ == "__main__":
    print(*write_packaged(Path(sys.argv[1])))
