"""The data: what scikit-learn packages, and Parquet files from a folder of your own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_digits
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

CASES = 500
LEAST = 1001  # rows that a set must have, so that more than half of it is left to hold out


@dataclass(frozen=True, eq=False)
class Problem:
    """A binary problem: a table of features and the outcome."""

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]

    def draw(self, number: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of a stratified sample of 500, and those held out."""
        rows = np.arange(len(self.y))
        kept, rest = train_test_split(rows, train_size=CASES, stratify=self.y, random_state=number)
        return kept, rest


def problems(folder: Path | None, names: list[str] | None = None) -> Iterator[Problem]:
    """Yield the digits (odd or even), and every file `<name>.parquet` with a column `target`."""
    X, y = load_digits(return_X_y=True)
    columns = [f"pixel{i}" for i in range(X.shape[1])]
    if names is None or "digits" in names:
        yield Problem("digits", pd.DataFrame(X, columns=columns), (y % 2).astype(np.int64))
    for path in sorted(folder.glob("*.parquet")) if folder else []:
        if names is None or path.stem in names:
            frame = pd.read_parquet(path)
            if "target" in frame and len(frame) >= LEAST:
                target = frame.pop("target").to_numpy().astype(np.int64)
                yield Problem(path.stem, frame, target)


def preparation() -> Any:
    """Return what makes a table numbers: imputation, standard scores, indicators."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=20),
    )
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (words, make_column_selector(dtype_exclude="number")),
    )
