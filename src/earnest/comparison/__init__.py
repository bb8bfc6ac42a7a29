"""Tests, the table of contents: importing this registers every one of them."""

from earnest.comparison import (
    bayesian_t,
    bayle,
    bootstrap,
    corrected_t,
    cv_t,
    delong,
    mcnemar,
    sign_flip,
)
from earnest.comparison.base import TESTS

__all__ = [
    "TESTS",
    "bayesian_t",
    "bayle",
    "bootstrap",
    "corrected_t",
    "cv_t",
    "delong",
    "mcnemar",
    "sign_flip",
]
