"""The names of `earnest.learners`, each written once."""

from .training.fit.windows import TimeWindows as TimeWindows
from .training.harvest.epochs import EpochFolds as EpochFolds
from .training.learners.portfolio import Portfolio as Portfolio
from .training.learners.portfolio import load_portfolio as load_portfolio
from .training.learners.preprocessing import Inputs as Inputs
from .training.learners.ses import SES as SES
