"""Tasks on a ray cluster.

joblib's back end for ray gives outcomes only when a whole batch is finished. Tasks of ray itself
come back one by one, and are begun again when their process dies.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Self

from earnest.core.base.errors import ClusterError
from earnest.engine.clusters.traffic import LostChunk, raise_worker_error
from earnest.engine.parcels import RayParcel
from earnest.engine.worker import Sent, WorkerBatch, perform_packed

if TYPE_CHECKING:
    from ray import ObjectRef

RETRIES = 1  # times that ray itself begins a task again whose process died


class RayTraffic:
    """The chunks that ray has."""

    def __init__(self, n_jobs: int, parcel: RayParcel, options: Mapping[str, object]) -> None:
        self._ray = import_module("ray")
        self._n_jobs, self._parcel = n_jobs, parcel
        settings = {"max_retries": RETRIES, "num_cpus": 1, **options}
        self._perform = self._ray.remote(**settings)(perform_packed)
        self._away: dict[ObjectRef, list[Sent]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for reference in self._away:
            self._ray.cancel(reference)

    def __len__(self) -> int:
        return len(self._away)

    def threads(self) -> int:
        """Return how many tasks run at once."""
        return self._n_jobs

    def room(self) -> int:
        """Return the same number, since ray runs as many tasks as it has cores."""
        return self._n_jobs

    def send(self, chunk: list[Sent]) -> None:
        """Send a chunk to whoever is free."""
        self._away[self._perform.remote(self._parcel, chunk)] = chunk

    def next(self) -> tuple[list[Sent], WorkerBatch | LostChunk]:
        """Wait for the next chunk that is back, and return what became of it."""
        (reference,), _ = self._ray.wait(list(self._away), num_returns=1)
        result = self._result(reference)
        return self._away.pop(reference), result

    def _result(self, reference: ObjectRef) -> WorkerBatch | LostChunk:
        errors = self._ray.exceptions
        dead = (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError)
        try:
            report: WorkerBatch = self._ray.get(reference)
        except dead:
            return LostChunk(killed=True)
        except (errors.ObjectLostError, errors.TaskCancelledError):
            return LostChunk()
        except errors.RayTaskError as error:
            raise_worker_error("ray", error.cause)
        except errors.RayError as error:
            raise ClusterError(
                "the ray cluster failed",
                got=str(error).partition("\n")[0],
                cure="Check its logs.",
            ) from error
        return report
