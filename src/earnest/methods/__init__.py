"""Methods, the table of contents: importing this registers every one of them."""

from earnest.methods import bbc, bbc_fold, holdout, naive, naive_bootstrap, tibshirani
from earnest.methods.base import METHODS

__all__ = [
    "METHODS",
    "bbc",
    "bbc_fold",
    "holdout",
    "naive",
    "naive_bootstrap",
    "tibshirani",
]
