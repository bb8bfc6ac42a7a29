"""Tests, the table of contents: importing this registers every one of them."""

from earnest.comparison.base import TESTS
from earnest.comparison.tests import (
    bayesian_t,
    bayle,
    bootstrap,
    corrected_bootstrap,
    corrected_t,
    corrected_z,
    cv_t,
    delong,
    five_by_two,
    five_by_two_f,
    loob,
    lpob,
    mcnemar,
    resampled_t,
    sign_flip,
)

__all__ = ["TESTS"]
