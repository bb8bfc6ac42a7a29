"""Write judged.json: means of people's labels by a judge, as other packages estimate them.

Needs truescore, evalstats and ppi-python in an environment of their own: python judged_means.py.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

CASES = [(300, 90, 0.9), (500, 100, 0.5), (400, 120, 0.0), (1000, 100, 0.9), (200, 60, 0.7)]
LEVEL = 0.95


def main() -> None:
    """Ask the other packages, which only this script needs."""
    from evalstats import ppi
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
    from truescore.correct import ppi_estimate

    warnings.simplefilter("ignore")
    cases = []
    for number, (n, labels, quality) in enumerate(CASES):
        rng = np.random.default_rng([31, number])
        right = (rng.random(n) < 0.65).astype(float)
        judge = np.where(rng.random(n) < quality, right, rng.random(n) < 0.75).astype(float)
        index = np.sort(rng.choice(n, labels, replace=False))
        rest = np.setdiff1d(np.arange(n), index)
        y, f, others = right[index], judge[index], judge[rest]
        theirs = ppi_estimate(judge, y, index, alpha=1 - LEVEL)
        low, high = ppi_mean_ci(y, f, others, alpha=1 - LEVEL)
        point = ppi_mean_pointestimate(y, f, others)
        correct = ppi.correct(
            np.mean, Y_lab=y, Y_hat_lab=f, Y_hat_unlab=others, alpha=1 - LEVEL, rng=0
        )
        cases.append(
            {
                "judge": judge.astype(int).tolist(),
                "labelled": index.tolist(),
                "human": y.astype(int).tolist(),
                "truescore": [theirs.point, theirs.low, theirs.high],
                "ppi-python": [float(np.ravel(point)[0]), float(low.item()), float(high.item())],
                "evalstats": [
                    float(v) for v in (correct.estimate, correct.ci_low, correct.ci_high)
                ],
            }
        )
    packages = ("truescore", "evalstats", "ppi-python", "numpy")
    content = {"versions": {name: version(name) for name in packages}, "cases": cases}
    Path(__file__).with_name("judged.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
