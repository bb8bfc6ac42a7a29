"""The random numbers of the published searches: those of R after `set.seed`.

The first 4d points of every published search come from seed 1234, the points that curves are
averaged over from seed 123456, both row by row. NumPy has the same generator, so that both are
known exactly; only the way from a seed to its state is R's own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SEED_OF_DESIGN, SEED_OF_POINTS = 1234, 123456
STATE, SCRAMBLES, WORD = 624, 50, 2**32


def uniform(seed: int, n: int) -> Floats:
    """Return what `set.seed(seed); runif(n)` gives in R.

    >>> uniform(1234, 3).round(7).tolist()
    [0.1137034, 0.6222994, 0.6092747]
    """
    words, word = [], seed
    for _ in range(SCRAMBLES + 1 + STATE):
        word = (69069 * word + 1) % WORD
        words.append(word)
    source = np.random.MT19937()
    source.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(words[-STATE:], dtype=np.uint32), "pos": STATE},
    }
    return np.asarray(source.random_raw(n) / (WORD - 1.0))


def design(seed: int, n: int, dimensions: int) -> Floats:
    """Return n points of the cube [-5, 5]^d as the published code draws them."""
    return np.asarray(-5.0 + 10.0 * uniform(seed, n * dimensions).reshape(n, dimensions))
