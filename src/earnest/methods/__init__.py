"""Methods, the table of contents: importing this registers every one of them."""

from earnest.methods.base import METHODS
from earnest.methods.bootstrap import (
    apparent,
    b632,
    b632plus,
    err_star,
    loob,
    lpob,
    refined,
    simple_bootstrap,
)
from earnest.methods.learner import (
    bates_ncv,
    bayle_all_pairs,
    bayle_within_fold,
    conservative_z,
    corrected_t,
    cv,
    loocv,
    repeated_cv,
)
from earnest.methods.split import (
    delong,
    delong_10p,
    hanley_mcneil,
    hanley_mcneil_10p,
    holdout,
    mabt,
    tilted,
    tilted_10p,
)
from earnest.methods.winner import (
    bbc,
    bbc_fold,
    naive,
    naive_bootstrap,
    near_winner,
    nested,
    tibshirani,
)

__all__ = ["METHODS"]
