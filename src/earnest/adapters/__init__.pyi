"""What other rooms and several tests use of `earnest.adapters`, each name with its home."""

from .predictions.optuna import ATTRIBUTE as ATTRIBUTE
from .predictions.tabrepo import is_fold as is_fold
from .scores.door import list_tools as list_tools
from .scores.door import read_score_logs as read_score_logs
from .trials.configspace import read_configspace as read_configspace
from .trials.optuna import unite_distributions as unite_distributions
