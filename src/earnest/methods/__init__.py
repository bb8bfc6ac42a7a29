"""Methods, the table of contents: importing this registers every one of them."""

from earnest.methods.base import METHODS
from earnest.methods.base import Method as Method
from earnest.methods.base import methods_for as methods_for
from earnest.methods.bootstrap.apparent import Apparent
from earnest.methods.bootstrap.b632 import B632
from earnest.methods.bootstrap.b632plus import B632Plus
from earnest.methods.bootstrap.err_star import ErrStar
from earnest.methods.bootstrap.loob import LOOB
from earnest.methods.bootstrap.lpob import LPOB
from earnest.methods.bootstrap.refined import Refined
from earnest.methods.bootstrap.simple_bootstrap import SimpleBootstrap
from earnest.methods.learner.bates_ncv import BatesNCV
from earnest.methods.learner.bayle_all_pairs import BayleAllPairs
from earnest.methods.learner.bayle_within_fold import BayleWithinFold
from earnest.methods.learner.conservative_z import ConservativeZ
from earnest.methods.learner.corrected_t import CorrectedT
from earnest.methods.learner.cv import CV
from earnest.methods.learner.loocv import LOOCV
from earnest.methods.learner.repeated_cv import RepeatedCV
from earnest.methods.split.delong import DeLong
from earnest.methods.split.hanley_mcneil import HanleyMcNeil
from earnest.methods.split.holdout import HoldOut
from earnest.methods.split.mabt import MABT
from earnest.methods.split.tilted import Tilted
from earnest.methods.split.two_sources import split_variance as split_variance
from earnest.methods.winner.bbc import BBC
from earnest.methods.winner.bbc_fold import BBCFold
from earnest.methods.winner.naive import Naive
from earnest.methods.winner.naive_bootstrap import NaiveBootstrap
from earnest.methods.winner.near_winner import NearWinner
from earnest.methods.winner.nested import Nested
from earnest.methods.winner.tibshirani import Tibshirani

__all__ = [
    "METHODS",
    "Apparent",
    "B632",
    "B632Plus",
    "BBC",
    "BBCFold",
    "BatesNCV",
    "BayleAllPairs",
    "BayleWithinFold",
    "CV",
    "ConservativeZ",
    "CorrectedT",
    "DeLong",
    "ErrStar",
    "HanleyMcNeil",
    "HoldOut",
    "LOOB",
    "LOOCV",
    "LPOB",
    "MABT",
    "Naive",
    "NaiveBootstrap",
    "NearWinner",
    "Nested",
    "Refined",
    "RepeatedCV",
    "SimpleBootstrap",
    "Tibshirani",
    "Tilted",
]
