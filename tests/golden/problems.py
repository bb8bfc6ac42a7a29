"""The golden problems and what is known of them; see README.md beside this file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from earnest import Predictions

HERE = Path(__file__).parent
NAMES = ("P1_small_bal", "P2_n60_p30", "P4_n100_p20", "P6_n300_p10", "P7_n80_perfect")
FIVE_FOLDS = tuple(name for name in NAMES if name != "P6_n300_p10")


@cache
def predictions(name: str) -> Predictions:
    """Return the predictions of a problem."""
    table = np.loadtxt(HERE / f"{name}.csv", delimiter=",", skiprows=1)
    y, fold, scores = table[:, 0].astype(int), table[:, 1].astype(int), table[:, 3:]
    return Predictions.from_arrays(y, scores, fold, response="decision")


@cache
def learning(name: str) -> tuple[bool, ...]:
    """Return which cases of a problem learn in its fixed split."""
    table = np.loadtxt(HERE / f"{name}.csv", delimiter=",", skiprows=1)
    return tuple(bool(mine) for mine in table[:, 2] == 1)


@cache
def intervals() -> dict[str, Any]:
    """Return the numbers of intervals for one AUC, for a split, and for tilts."""
    everything: dict[str, Any] = json.loads((HERE / "intervals.json").read_text())
    return everything


@cache
def known(name: str) -> dict[str, Any]:
    """Return the numbers of the authors' code."""
    everything: dict[str, dict[str, Any]] = json.loads((HERE / "bbc.json").read_text())
    return everything[name]
