"""One whole estimate in a process of its own: what it took, and whether it is right.

Predictions lie in a NPY file that is mapped, one column after the other, so that a table larger
than the memory is read by columns. Ten configurations are far better than the others, which
therefore never win: the estimate of these ten alone, from arrays in memory, has the same draws, to
the last bit. That, and scikit-learn's score of the winner, is what "right" means here.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import earnest as en

STRONG = 10  # configurations that win
PAUSE = 0.02  # seconds between two looks at the memory


@dataclass(frozen=True)
class Problem:
    """The size of a table, what is asked of it, and the memory that may be used."""

    metric: str
    n: int
    configs: int
    resamples: int
    dtype: str = "float64"
    limit_mb: int | None = None

    @property
    def megabytes(self) -> float:
        """The size of the predictions."""
        return self.n * self.configs * np.dtype(self.dtype).itemsize / 1e6


def write_predictions(problem: Problem, path: Path) -> NDArray[np.int64]:
    """Write the predictions of a problem column by column, and return the outcome."""
    rng = np.random.default_rng(problem.n)
    y = (rng.random(problem.n) < 0.4).astype(np.int64)
    noise = [rng.standard_normal(problem.n) for _ in range(4)]
    matrix = np.lib.format.open_memmap(
        path, "w+", problem.dtype, (problem.n, problem.configs), fortran_order=True
    )
    for c in range(problem.configs):
        strength = 1.6 + 0.01 * c if c < STRONG else rng.uniform(0.1, 0.8)
        own = np.roll(noise[1 + c % 3], int(rng.integers(problem.n)))
        raw = strength * y + 0.7 * noise[0] + 0.7 * own
        matrix[:, c] = 1.0 / (1.0 + np.exp(0.5 - raw))
    matrix.flush()
    return y


class MemoryWatch:
    """Looks every now and then at how much memory of its own this process has."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(PAUSE):
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    self.peak = max(self.peak, int(line.split()[1]) / 1e3)


def run_problem(problem: Problem, folder: Path) -> dict[str, object]:
    """Estimate, and return what it took: seconds by the clock and of processors, megabytes."""
    path = folder / "predictions.npy"
    y = write_predictions(problem, path)
    fold = np.arange(problem.n) % 10

    def ask(pi: en.Predictions) -> en.results.Estimate:
        return en.estimate(
            pi, metric=problem.metric, n_resamples=problem.resamples, rng=1, n_jobs=2
        )

    few = min(problem.configs, STRONG)
    strong = np.array(np.load(path, mmap_mode="r")[:, :few])
    alone = ask(en.Predictions.from_arrays(y, strong, fold, response="probability"))
    del strong
    if problem.limit_mb is not None:
        allowed = problem.limit_mb * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
    with MemoryWatch() as watch:
        clock, processor = time.perf_counter(), time.process_time()
        pi = en.Predictions.load(path, y=y, fold=fold, response="probability")
        made = ask(pi)
        processor, clock = time.process_time() - processor, time.perf_counter() - clock
    return {
        **asdict(problem),
        "table_mb": round(problem.megabytes, 1),
        "memory_mb": round(watch.peak),
        "processor_s": round(processor, 2),
        "clock_s": round(clock, 2),
        "right": is_right(made, alone, pi, problem),
    }


def is_right(
    made: en.results.Estimate, alone: en.results.Estimate, pi: en.Predictions, problem: Problem
) -> bool:
    """Hold an estimate against that of the strong ones alone, and against scikit-learn."""
    from sklearn.metrics import accuracy_score, roc_auc_score

    column = pi.configs.index(str(made.winner))
    scores = np.asarray(pi.responses[:, column, 0], dtype=np.float64)
    area = problem.metric == "roc_auc"
    score = (
        roc_auc_score(pi.target.y, scores) if area else accuracy_score(pi.target.y, scores > 0.5)
    )
    same = made.value == alone.value and column < STRONG
    return bool(same and abs(score - float(made.naive or 0.0)) < 1e-9)


if __name__ == "__main__":
    print(json.dumps(run_problem(Problem(**json.loads(sys.argv[1])), Path(sys.argv[2]))))
