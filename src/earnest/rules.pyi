"""The names of `earnest.rules`, each written once."""

from .core.arguments.plan import ModelStudy as ModelStudy
from .core.data.selection import GreedyEnsemble as GreedyEnsemble
from .core.data.selection import MeanOfFolds as MeanOfFolds
from .core.data.selection import OneStandardError as OneStandardError
from .core.data.selection import Pooled as Pooled
from .core.data.selection import StackedEnsemble as StackedEnsemble
from .core.data.selection import TopAverage as TopAverage
from .training.search.dropping.bced import BCED as BCED
from .training.search.dropping.bced import BCEDAdjusted as BCEDAdjusted
