"""Net benefits by dcurves 1.1.7 (pip): python make_dcurves.py > dcurves.json.

Thresholds lie between the predictions, as dcurves acts from a threshold on and we above it.
"""

import json

import numpy as np
import pandas as pd


def main() -> None:
    """Write the numbers."""
    import dcurves

    rng = np.random.default_rng(46)
    odds = rng.normal(size=250) - 1
    y = (rng.random(250) < 1 / (1 + np.exp(-odds))).astype(int)
    p, q = (1 / (1 + np.exp(-(f * odds + rng.normal(size=250)))) for f in (1.2, 0.5))
    p, q = p.round(4), q.round(4)
    grid = np.round(np.arange(1, 20) * 0.05, 2) + 0.00005
    table = dcurves.dca(pd.DataFrame({"y": y, "p": p, "q": q}), "y", ["p", "q"], thresholds=grid)
    out = {"y": y.tolist(), "p": p.tolist(), "q": q.tolist(), "thresholds": grid.tolist()}
    for model, rows in table.groupby("model"):
        rows = rows[rows.threshold.round(6).isin(grid.round(6))].sort_values("threshold")
        out[f"net_benefit_{model}"] = rows.net_benefit.tolist()
    out["version"] = __import__("importlib.metadata").metadata.version("dcurves")
    print(json.dumps(out))


if __name__ == "__main__":
    main()
