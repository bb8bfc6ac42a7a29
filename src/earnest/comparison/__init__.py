"""Tests, the table of contents: importing this registers every one of them."""

from earnest.comparison.base import TESTS
from earnest.comparison.base import SupportedMetrics as SupportedMetrics
from earnest.comparison.base import TestSpec as TestSpec
from earnest.comparison.base import dependent_folds as dependent_folds
from earnest.comparison.base import largest_errors as largest_errors
from earnest.comparison.base import several_models as several_models
from earnest.comparison.left_out import ReplicateQuestion as ReplicateQuestion
from earnest.comparison.tests.bayesian_t import BayesianTTest
from earnest.comparison.tests.bayle import BayleTest
from earnest.comparison.tests.bootstrap import BootstrapTest
from earnest.comparison.tests.corrected_bootstrap import CorrectedBootstrapTest
from earnest.comparison.tests.corrected_t import CorrectedTTest
from earnest.comparison.tests.corrected_z import CorrectedZTest
from earnest.comparison.tests.cv_t import CVTTest
from earnest.comparison.tests.delong import DeLongTest
from earnest.comparison.tests.diebold_mariano import DieboldMarianoTest
from earnest.comparison.tests.five_by_two import FiveByTwoTest
from earnest.comparison.tests.five_by_two_f import FiveByTwoFTest
from earnest.comparison.tests.loob import LOOBTest
from earnest.comparison.tests.lpob import LPOBTest
from earnest.comparison.tests.mcnemar import McNemarTest
from earnest.comparison.tests.resampled_t import ResampledTTest
from earnest.comparison.tests.sign_flip import SignFlipTest

__all__ = [
    "TESTS",
    "BayesianTTest",
    "BayleTest",
    "BootstrapTest",
    "CVTTest",
    "CorrectedBootstrapTest",
    "CorrectedTTest",
    "CorrectedZTest",
    "DeLongTest",
    "DieboldMarianoTest",
    "FiveByTwoFTest",
    "FiveByTwoTest",
    "LOOBTest",
    "LPOBTest",
    "McNemarTest",
    "ResampledTTest",
    "SignFlipTest",
]
