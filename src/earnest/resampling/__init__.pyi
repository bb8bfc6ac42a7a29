"""The public names of `earnest.resampling`, each written once."""

from ..core.data.weights import Weights as Weights
from .bootstrap import BayesianBootstrap as BayesianBootstrap
from .bootstrap import CaseBootstrap as CaseBootstrap
from .bootstrap import GroupBootstrap as GroupBootstrap
from .bootstrap import StratifiedBootstrap as StratifiedBootstrap
