"""What other rooms and several tests use of `earnest.engine`, each name with its home."""

from .backends import BackendPlan as BackendPlan
from .backends import Place as Place
from .backends import count_ahead as count_ahead
from .backends import on_backend as on_backend
from .backends import plan_backend as plan_backend
from .progress import Meter as Meter
from .progress import ProgressBar as ProgressBar
from .progress import ProgressDisplay as ProgressDisplay
from .progress import ProgressState as ProgressState
from .progress import describe_progress as describe_progress
from .run import run_tasks as run_tasks
