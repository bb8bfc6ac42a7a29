"""Block lengths of arch 8.0.0 (pip install arch): python block_length.py > block_length.json."""

import json

import numpy as np


def make_series(kind: str, n: int) -> np.ndarray:
    """Return a series that any language can make again."""
    t = np.arange(n, dtype=float)
    noise = np.sin(t * t * 1.234) + np.cos(3.7 * t * t + 1.0)
    if kind == "noise":
        return noise
    if kind == "moving":
        return np.convolve(noise, np.ones(6), "same")
    out = np.zeros(n)
    for k in range(1, n):
        out[k] = (0.8 if kind == "long" else -0.5) * out[k - 1] + noise[k]
    return out


if __name__ == "__main__":
    from arch.bootstrap import optimal_block_length

    rows = []
    for kind in ("noise", "moving", "long", "negative"):
        for n in (60, 200, 1000):
            found = optimal_block_length(make_series(kind, n)).iloc[0]
            rows.append(
                {"kind": kind, "n": n, "stationary": found.stationary, "circular": found.circular}
            )
    print(json.dumps(rows, indent=1))
