"""A dask cluster of real processes on this machine, for tests: a scheduler, and workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds in which a process must be there, on a machine that is busy
WORKER = "from distributed.cli.dask_worker import main; main()"


class DaskProcesses:
    """Starts a scheduler, and workers that share neither a working nor a temporary folder."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self._settings = folder, settings
        self.workers: list[subprocess.Popen[bytes]] = []
        self._file = folder / "scheduler.json"
        common = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self._scheduler = self._begin(
            "scheduler",
            ["-m", "distributed.cli.dask_scheduler", *common, "--scheduler-file", str(self._file)],
        )
        self.address = self._waited_for_address()

    def add(self, *options: str, code: str = WORKER) -> subprocess.Popen[bytes]:
        """Start a worker with one thread; `code` is what its process runs."""
        name = f"worker{len(self.workers)}"
        common = [self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard"]
        nanny = [] if "--nanny" in options else ["--no-nanny"]
        worker = self._begin(name, ["-c", code, *common, *nanny, *options])
        self.workers.append(worker)
        return worker

    def ready(self, client: Any, count: int) -> None:
        """Start workers until so many live, and wait for them."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        for _ in range(count - len(self.workers)):
            self.add()
        deadline = time.monotonic() + PATIENCE
        while len(client.ncores()) != count:  # also until those that died are forgotten
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.02)

    def kill(self, index: int) -> None:
        """Kill a worker as the system does that has no memory left."""
        end(self.workers[index])

    def end(self) -> None:
        """End all of it."""
        for process in [*self.workers, self._scheduler]:
            end(process)

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        end(self._scheduler)

    def logs(self) -> str:
        """Return what the processes wrote."""
        return "\n".join(path.read_text()[-2000:] for path in sorted(self.folder.glob("*/log")))

    def _begin(self, name: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        own = self.folder / f"{name}-{time.monotonic_ns()}"
        own.mkdir()
        environment = {
            **os.environ,
            **self._settings,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
            "TMPDIR": str(own),
            "DASK_TEMPORARY_DIRECTORY": str(own),
        }
        with (own / "log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, *arguments],
                cwd=own,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _waited_for_address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return str(json.loads(self._file.read_text())["address"])
            except (FileNotFoundError, json.JSONDecodeError):
                assert time.monotonic() < deadline, self.logs()
                time.sleep(0.02)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its children, unless it is gone."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def dask_processes(folder: Path, **settings: str) -> Iterator[DaskProcesses]:
    """Give a cluster without workers, and end it however the test ends."""
    cluster = DaskProcesses(folder, **settings)
    try:
        yield cluster
    finally:
        cluster.end()
