"""Where tasks run, depending on joblib's active back end."""

from __future__ import annotations

import ast
import logging
import operator
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, SupportsIndex

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, InputError
from earnest.core.base.extras import tell_install
from earnest.core.base.threads import workers
from earnest.engine.clusters.dask import Client, DaskCluster, make_no_workers_error

if TYPE_CHECKING:
    from joblib._dask import DaskDistributedBackend
    from ray.util.joblib.ray_backend import RayBackend

CLUSTERS = ("dask", "ray")
BACKENDS = ("loky", "threading", *CLUSTERS)
CONNECT = 5.0  # seconds for a scheduler to answer


class Place(Enum):
    """Where the tasks run, as seen from the data."""

    HERE = "here"  # one after the other, in this thread
    THREADS = "threads"  # of this process
    PROCESSES = "processes"  # of this machine, that are replaced when they end
    DASK = "dask"  # workers of a dask cluster
    RAY = "ray"  # processes of a ray cluster
    ELSEWHERE = "elsewhere"  # other processes, perhaps on other machines


@dataclass(frozen=True)
class BackendPlan:
    """Where the tasks run, how many at once, and whether outcomes come as they are finished."""

    place: Place
    n_jobs: int
    streams: bool = True
    cluster: DaskCluster | None = None
    options: Mapping[str, object] = field(default_factory=dict)  # what ray is told of each task
    pre_dispatch: int | str = "2*n_jobs"  # how much is sent ahead of who is free, as in joblib

    @property
    def local(self) -> bool:
        """Whether all of it runs on this machine for sure."""
        return self.place in (Place.HERE, Place.THREADS, Place.PROCESSES)


def plan_backend(n_jobs: int | None, *, limited: bool) -> BackendPlan:
    """Return where tasks run under the caller's `joblib.parallel_config`.

    As in joblib, None is the number of the surrounding configuration, or 1. A single job runs in
    this process, unless there is a time limit and a process can be used: only a process can be
    ended if C code does not return. With dask, every number except 1 means all threads of all
    workers, as in joblib.
    """
    if n_jobs is not None:
        workers(n_jobs)  # only its check: how many there are is the back end's to say
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, around = get_active_backend()
    place = _find_place(backend)
    if place is Place.DASK and n_jobs != 1:
        return _plan_dask(backend)
    if place is Place.RAY and n_jobs != 1:
        return _plan_ray(backend, n_jobs if n_jobs is not None else around)
    at_once = int(effective_n_jobs(n_jobs))
    if at_once == 1 and not (limited and place is Place.PROCESSES):
        return BackendPlan(Place.HERE, 1)
    return BackendPlan(place, at_once, bool(getattr(backend, "supports_return_generator", False)))


def at_once(n_jobs: int | None) -> int:
    """Return how many tasks run at once under the caller's configuration, one at least.

    Examples
    --------
    >>> from earnest.engine.backends import at_once
    >>> at_once(None), at_once(3)
    (1, 3)
    """
    return max(1, plan_backend(n_jobs, limited=False).n_jobs)


_SIGNS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def count_ahead(pre_dispatch: object, n_jobs: int) -> int | str:
    """Return how many parcels joblib is to send before the first comes back, one at least.

    Parameters
    ----------
    pre_dispatch : int or str
        A number, an expression of `n_jobs`, or 'all'.
    n_jobs : int
        How many tasks run at once.

    Examples
    --------
    >>> from earnest.engine.backends import count_ahead
    >>> count_ahead("2*n_jobs", 4), count_ahead("n_jobs // 8", 4), count_ahead("all", 4)
    (8, 1, 'all')
    """
    if pre_dispatch == "all":
        return "all"
    if isinstance(pre_dispatch, str):
        with suppress(SyntaxError, ValueError, ArithmeticError):
            text = pre_dispatch.replace("n_jobs", str(n_jobs)).strip()
            return max(1, int(_evaluate(ast.parse(text, mode="eval").body)))
    elif isinstance(pre_dispatch, SupportsIndex) and not isinstance(pre_dispatch, bool):
        count = operator.index(pre_dispatch)
        if count >= 1:
            return count
    raise InputError(
        "`pre_dispatch` cannot be read",
        needs="an integer of at least 1, 'all', or an expression of n_jobs such as '2*n_jobs'",
        got=check.show(pre_dispatch),
    )


def _evaluate(node: ast.expr) -> float:
    """Return the value of an expression of plain numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise ValueError("not a sum or a product of numbers")


def _plan_dask(backend: DaskDistributedBackend) -> BackendPlan:
    """Plan for a dask cluster; if it has no worker yet, wait as long as its user allows."""
    cluster = DaskCluster.of(backend)
    cluster.threads()  # raises when nobody is there to ask
    try:
        return BackendPlan(Place.DASK, int(backend.effective_n_jobs(-1)), cluster=cluster)
    except TimeoutError as error:
        raise make_no_workers_error(backend.wait_for_workers_timeout) from error


def _plan_ray(backend: RayBackend, n_jobs: int) -> BackendPlan:
    """Plan for a ray cluster; joblib gives 1 if nothing is set, which means all cores here."""
    ray = start_ray()
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    at_once = n_jobs if n_jobs > 1 else cores if n_jobs in (-1, 1) else max(1, cores + 1 + n_jobs)
    return BackendPlan(Place.RAY, at_once, options=dict(backend.ray_remote_args or {}))


def _find_place(backend: object) -> Place:
    """Return the kind of a back end; only loky's own pool is known to recover when broken."""
    from joblib.parallel import BACKENDS as KNOWN

    if getattr(backend, "supports_sharedmem", False):
        return Place.THREADS
    if type(backend) is KNOWN.get("loky"):
        return Place.PROCESSES
    if type(backend).__module__ == "joblib._dask":
        return Place.DASK
    if type(backend).__module__.split(".")[0] == "ray":
        return Place.RAY
    return Place.ELSEWHERE


@contextmanager
def on_backend(name: str, scheduler: str | None = None) -> Iterator[None]:
    """Run tasks on a back end of joblib, by its name on the command line.

    Parameters
    ----------
    name : str
        'loky' (processes), 'threading', 'dask' or 'ray'.
    scheduler : str, optional
        The address of a cluster: 'tcp://HOST:PORT' of a dask scheduler, which dask needs, or what
        `ray.init` takes; without one, ray is started on this machine and ended afterwards.

    Examples
    --------
    >>> from earnest.engine.backends import on_backend
    >>> with on_backend("dusk"):
    ...     pass
    Traceback (most recent call last):
    ...
    earnest.core.base.errors.InputError: unknown back end 'dusk'. ... Did you mean 'dask'?
    """
    from joblib import parallel_config

    if name not in BACKENDS:
        raise InputError(
            f"unknown back end {check.show(name)}",
            needs=", ".join(BACKENDS),
            cure=check.nearest(str(name), BACKENDS),
        )
    with ExitStack() as stack:
        if name == "dask":
            client = stack.enter_context(_connect_dask(scheduler))
            stack.enter_context(parallel_config(backend="dask", client=client))
        elif name == "ray":
            stack.enter_context(_connect_ray(scheduler))
            stack.enter_context(parallel_config(backend="ray", n_jobs=-1))
        elif scheduler is not None:
            raise InputError(
                f"back end {name!r} has no scheduler",
                needs="dask or ray for a cluster",
                got=check.show(scheduler),
            )
        elif name != "loky":  # joblib's own; named, it would also be taken where threads are better
            stack.enter_context(parallel_config(backend=name))
        yield


@contextmanager
def _connect_dask(address: str | None) -> Iterator[Client]:
    _need("dask", "distributed")
    if address is None:
        raise InputError(
            "dask needs a cluster",
            needs="the address of its scheduler, such as tcp://127.0.0.1:8786",
            cure="Start one with `dask scheduler`, and workers with `dask worker ADDRESS`.",
        )
    distributed = import_module("distributed")  # has types for some of its functions only
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EarnestError(
            f"no dask scheduler answers at {address!r}",
            needs="the address that `dask scheduler` shows, such as tcp://127.0.0.1:8786",
            got=str(error).partition("\n")[0],
            cure="Start it with `dask scheduler`, or check the host and port.",
        ) from error
    with client:
        yield client


@contextmanager
def _connect_ray(address: str | None) -> Iterator[None]:
    _need("ray", "ray")
    import_module("ray.util.joblib").register_ray()
    ours = not import_module("ray").is_initialized()
    try:
        if ours:
            _check_address(address)
        ray = start_ray(address)
    except (OSError, ValueError) as error:
        raise EarnestError(
            f"no ray cluster answers at {address!r}",
            needs="the address that `ray start --head` shows, or none to start one here",
            got=str(error).partition("\n")[0],
        ) from error
    try:
        yield
    finally:
        if ours:
            ray.shutdown()


def _check_address(address: str | None) -> None:
    """Raise OSError if nothing answers at an address; ray itself would try for minutes."""
    host, _, port = (address or "").rpartition("//")[2].rpartition(":")
    if port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT).close()


def start_ray(address: str | None = None) -> ModuleType:
    """Return ray, which is started on this machine if there is no address and it is not running.

    It would send statistics of its use and write a token into the home folder; it does neither
    unless the environment says otherwise.
    """
    for name, value in (("RAY_USAGE_STATS_ENABLED", "0"), ("RAY_AUTH_MODE", "disabled")):
        os.environ.setdefault(name, value)
    ray = import_module("ray")
    if not ray.is_initialized():
        settings = {"include_dashboard": False} if address is None else {}
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING, **settings)
    return ray


def _need(name: str, package: str) -> None:
    if find_spec(package) is None:
        raise EarnestError(
            f"back end {name!r} needs the package {package}, which is not installed",
            cure=tell_install(package),
        )
