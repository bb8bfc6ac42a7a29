"""Peak memory of a whole BBC, beyond its input."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed.timing import Row

CHILD = """
import re, sys
import numpy as np
import earnest as en
from benchmarks.speed.problems import binary, multiclass
n, configs, metric = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def high_water():
    with open("/proc/self/status") as f:
        return int(re.search(r"VmHWM:\\s+(\\d+)", f.read()).group(1)) / 1024
pi = multiclass(n, configs) if metric == "roc_auc_ovo" else binary(n, configs, dtype=np.float32)
en.estimate(binary(600, 600), metric="roc_auc", rng=1)   # load compiled code first
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")                                       # reset the high-water mark
before = high_water()
en.estimate(pi, metric=metric, n_resamples=1000, rng=1, n_jobs=-1)
print(high_water() - before, pi.responses.nbytes / 2**20)
"""


def rows(quick: bool) -> Iterator[Row]:
    """Yield the peak beyond the input, where the system tells it (Linux)."""
    if not Path("/proc/self/clear_refs").exists():
        return
    n, configs = (20_000, 200) if quick else (100_000, 500)
    works = [(metric, n, configs) for metric in ("roc_auc", "accuracy", "brier")]
    for metric, n, configs in [*works, ("roc_auc_ovo", 300, 500)]:
        command = [sys.executable, "-c", CHILD, str(n), str(configs), metric]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        peak, matrix = (float(part) for part in out.split())
        yield Row(
            f"peak memory beyond the input ({matrix:.0f} MB), {metric}, n={n} C={configs} B=1000",
            peak,
            "the limit",
            300.0,
            1.0,
            unit="MB",
            more_is_better=False,
        )
