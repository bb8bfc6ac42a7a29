"""What a screening of single columns for leaks found: columns that tell too much of the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from earnest.core.results.base import Plain


class LeakSign(StrEnum):
    """Why a column is suspected of holding what is only known after the outcome.

    `ALONE`: the column alone predicts the outcome about as well as the winner does with all of
    them. `MISSING`: whether it has a value tells the outcome. `COPY`: its values are the outcome
    under other names.
    """

    ALONE = "alone"
    MISSING = "missing"
    COPY = "copy"


@dataclass(frozen=True)
class LeakSuspect(Plain):
    """A column that is suspected of a leak.

    Attributes
    ----------
    column : str
        Its name.
    score : float
        What it reaches alone, in the metric of the screening.
    sign : LeakSign
        Why it is suspected.
    """

    column: str
    score: float
    sign: LeakSign


@dataclass(frozen=True, kw_only=True)
class LeakScreen(Plain):
    """What a screening of the columns for leaks found; where there was none, there is no screen.

    Attributes
    ----------
    suspects : tuple of LeakSuspect
        The suspected columns, the worst first; empty where none is.
    metric : str
        The metric of their scores.
    n_columns : int
        How many columns were looked at.

    Examples
    --------
    >>> from earnest.core.results.leaks import LeakScreen, LeakSign, LeakSuspect
    >>> suspect = LeakSuspect("recovery_fee", 0.99, LeakSign.ALONE)
    >>> screen = LeakScreen(suspects=(suspect,), metric="roc_auc", n_columns=20)
    >>> LeakScreen.from_dict(screen.to_dict()) == screen
    True
    """

    suspects: tuple[LeakSuspect, ...]
    metric: str
    n_columns: int
