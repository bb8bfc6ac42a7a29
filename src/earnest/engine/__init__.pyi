"""What other rooms and several tests use of `earnest.engine`, each name with its home."""

from .backends import BackendPlan as BackendPlan
from .backends import Place as Place
from .backends import count_ahead as count_ahead
from .backends import on_backend as on_backend
from .backends import plan_backend as plan_backend
from .parcels import OWNER as OWNER
from .parcels import FileParcel as FileParcel
from .parcels import RunContent as RunContent
from .parcels import by_file as by_file
from .parcels import keep as keep
from .parcels import make_own_folder as make_own_folder
from .progress import Meter as Meter
from .progress import ProgressBar as ProgressBar
from .progress import ProgressDisplay as ProgressDisplay
from .progress import ProgressState as ProgressState
from .progress import describe_progress as describe_progress
from .run import run_tasks as run_tasks
from .worker import TOGETHER as TOGETHER
from .worker import Chunks as Chunks
from .worker import WorkerBatch as WorkerBatch
