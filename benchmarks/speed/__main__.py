"""Print every ratio, and fail where a target is missed: `python -m benchmarks.speed [--quick]`."""

from __future__ import annotations

import sys

from benchmarks.speed import (
    assessment,
    auc,
    budget,
    ensembles,
    figures,
    gain,
    intervals,
    memory,
    moments,
    near_winner,
    partial_dependence,
    portfolio,
    regions,
    search,
    startup,
    vectors,
)
from benchmarks.speed.timing import has_avx512


def main() -> int:
    """Run all measurements."""
    quick = "--quick" in sys.argv[1:]
    print(f"NumPy {'with' if has_avx512() else 'without'} AVX-512")
    missed = 0
    parts = (
        startup,
        budget,
        auc,
        vectors,
        moments,
        intervals,
        near_winner,
        gain,
        ensembles,
        partial_dependence,
        regions,
        memory,
        search,
        assessment,
        portfolio,
        figures,
    )
    for module in parts:
        for row in module.rows(quick):
            print(row, flush=True)
            missed += not row.met
    print(f"{missed} targets missed" if missed else "all targets met")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
