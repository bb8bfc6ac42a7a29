"""Where tasks run: what joblib's active back end can do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from earnest.core.threads import workers


class Place(Enum):
    """Where the tasks run, as seen from the data."""

    HERE = "here"  # one after the other, in this thread
    THREADS = "threads"  # of this process
    PROCESSES = "processes"  # of this machine, that are replaced when they end
    RAY = "ray"  # processes of a ray cluster
    ELSEWHERE = "elsewhere"  # other processes, perhaps on other machines


@dataclass(frozen=True)
class Plan:
    """Where the tasks run, how many at once, and whether outcomes come as they are finished."""

    place: Place
    n_jobs: int
    streams: bool = True


def plan(n_jobs: int | None, *, limited: bool) -> Plan:
    """Return where tasks run under the caller's `joblib.parallel_config`.

    None means what joblib means by it: the number of the surrounding configuration, else 1. One
    task at a time runs here, unless there is a time limit and a process can be had for it: only
    a process can be ended when C code does not come back.
    """
    if n_jobs is not None:
        workers(n_jobs)  # only its check: how many there are is the back end's to say
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    at_once = int(effective_n_jobs(n_jobs))
    place = _place(backend)
    if at_once == 1 and not (limited and place is Place.PROCESSES):
        return Plan(Place.HERE, 1)
    return Plan(place, at_once, bool(getattr(backend, "supports_return_generator", False)))


def _place(backend: Any) -> Place:
    """Tell a back end by what it can do; only loky's own pool is known to come back when broken."""
    from joblib.parallel import BACKENDS

    if getattr(backend, "supports_sharedmem", False):
        return Place.THREADS
    if type(backend) is BACKENDS.get("loky"):
        return Place.PROCESSES
    if type(backend).__module__.split(".")[0] == "ray":
        return Place.RAY
    return Place.ELSEWHERE
