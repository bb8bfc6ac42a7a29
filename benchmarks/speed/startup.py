"""What a user waits for before any work: import, help, and the first call."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.speed.timing import Row, best

FIRST = """
import time
from benchmarks.speed.problems import binary
import earnest as en
pi = binary(500, 766)
start = time.perf_counter()
en.estimate(pi, metric="roc_auc", rng=1, n_jobs=-1)
print(time.perf_counter() - start)
"""
SMALL = FIRST.replace("binary(500, 766)", "binary(200, 20)") + (
    "import sys\nassert 'numba' not in sys.modules\n"
)

REPEATED = FIRST.replace("import binary", "import repeated").replace(
    "binary(500, 766)", "repeated(500, 43, repeats=10)"
)
PLAIN = REPEATED.replace(
    "start =", "from earnest.kernels import scans\nscans.COLD = float('inf')\nstart ="
)


def rows(quick: bool) -> Iterator[Row]:
    """Yield times in fresh processes against limits in seconds."""
    for name, code, limit in (("import earnest", "import earnest", 0.5),):
        bare = best(lambda: _run("pass"))
        took = best(lambda code=code: _run(code)) - bare
        yield Row(name, took, "the limit", limit, 1.0, more_is_better=False)
    took = best(
        lambda: _run(
            "import sys; sys.argv = ['earnest', '--help']; from earnest.cli import main; main()"
        )
    )
    yield Row("earnest --help", took, "the limit", 0.5, 1.0, more_is_better=False)
    _run(FIRST)  # compile once, so that the cache is there
    for name, code in (("first AUC call, n=500 C=766", FIRST), ("first small call", SMALL)):
        took = min(float(_run(code)) for _ in range(3))
        yield Row(f"{name}, fresh process", took, "the limit", 2.5, 1.0, more_is_better=False)
    plain, took = (min(float(_run(code)) for _ in range(3)) for code in (PLAIN, REPEATED))
    name = "AUC of 10 repeats, n=500 C=43, fresh process"
    yield Row(name, took, "plain scans", plain, 2.0)


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode not in (0, None):
        raise RuntimeError(done.stderr)
    return done.stdout
