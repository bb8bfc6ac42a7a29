"""The public names of `earnest.resampling`, and what other rooms and several tests use of it."""

from ..core.data.weights import Weights as Weights
from .blocks import CircularBlockBootstrap as CircularBlockBootstrap
from .blocks import MovingBlockBootstrap as MovingBlockBootstrap
from .blocks import StationaryBootstrap as StationaryBootstrap
from .bootstrap import RESAMPLERS as RESAMPLERS
from .bootstrap import Accept as Accept
from .bootstrap import BayesianBootstrap as BayesianBootstrap
from .bootstrap import CaseBootstrap as CaseBootstrap
from .bootstrap import GroupBootstrap as GroupBootstrap
from .bootstrap import Resampler as Resampler
from .bootstrap import StratifiedBootstrap as StratifiedBootstrap
from .bootstrap import UndefinedRule as UndefinedRule
from .bootstrap import batches as batches
from .bootstrap import every_class_on_both_sides as every_class_on_both_sides
from .bootstrap import in_bag_rule as in_bag_rule
from .bootstrap import out_of_bag_rule as out_of_bag_rule
from .bootstrap import something_out_of_bag as something_out_of_bag
from .folds import all_fold_draws as all_fold_draws
from .folds import draw_folds as draw_folds
from .folds import enumerable as enumerable
from .survey import SurveyBootstrap as SurveyBootstrap

__all__ = [
    "BayesianBootstrap",
    "CaseBootstrap",
    "CircularBlockBootstrap",
    "GroupBootstrap",
    "MovingBlockBootstrap",
    "StationaryBootstrap",
    "StratifiedBootstrap",
    "SurveyBootstrap",
    "Weights",
]
