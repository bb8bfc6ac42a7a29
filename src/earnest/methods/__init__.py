"""Methods, the table of contents: importing this registers every one of them."""

from earnest.methods import (
    bayle_all_pairs,
    bayle_within_fold,
    bbc,
    bbc_fold,
    delong,
    delong_10p,
    hanley_mcneil,
    hanley_mcneil_10p,
    holdout,
    mabt,
    naive,
    naive_bootstrap,
    tibshirani,
    tilted,
    tilted_10p,
)
from earnest.methods.base import METHODS

__all__ = [
    "METHODS",
    "bayle_all_pairs",
    "bayle_within_fold",
    "bbc",
    "bbc_fold",
    "delong",
    "delong_10p",
    "hanley_mcneil",
    "hanley_mcneil_10p",
    "holdout",
    "mabt",
    "naive",
    "naive_bootstrap",
    "tibshirani",
    "tilted",
    "tilted_10p",
]
