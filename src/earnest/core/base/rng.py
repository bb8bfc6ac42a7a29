"""Seeds: one root, and an independent child for every purpose and block.

A purpose has its own spawn key, so that drawing more of one kind never changes another:
more bootstraps never change the folds.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np

from earnest.core.base.check import show
from earnest.core.base.errors import InputError
from earnest.core.text.doors import arg

DRAWN_BITS = 32  # of a seed that we draw: at most ten digits, so that people can type it again

RngLike: TypeAlias = (
    "int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None"
)


class Purpose(IntEnum):
    """What a stream of random numbers is for; the value is its spawn key and never changes."""

    SPLITS = 1
    TRAINING = 2
    BOOTSTRAP = 3
    FOLD_BOOTSTRAP = 4
    EVALUATION = 5
    EXPLANATION = 6
    SIGN_FLIPS = 7
    MULTIPLIERS = 8
    REPLICATES = 9
    LOCAL_LEVEL = 12
    VALUE_ERROR = 13
    CROSS_FIT = 14
    GUIDES = 15
    STUDIES = 16


@dataclass(frozen=True)
class Seeds:
    """The root of all randomness of one call."""

    entropy: int

    @classmethod
    def of(cls, rng: RngLike) -> Seeds:
        """Make seeds from what a user may pass as `rng`.

        Examples
        --------
        >>> from earnest.core.base.rng import Seeds
        >>> Seeds.of(7)
        Seeds(entropy=7)
        """
        if rng is None:
            return cls(secrets.randbits(DRAWN_BITS))
        if isinstance(rng, np.random.SeedSequence):
            return cls(
                _read_entropy(rng)
                if not rng.spawn_key
                else _draw_entropy(np.random.default_rng(rng))
            )
        if isinstance(rng, np.random.Generator):
            return cls(_draw_entropy(rng))
        if isinstance(rng, np.random.RandomState):
            return cls(int(rng.randint(0, 2**31 - 1)))
        return cls(_check_number(rng))

    def generator(self, purpose: Purpose, *indices: int) -> np.random.Generator:
        """Return the generator of one block of one purpose, the same on every call."""
        return np.random.default_rng(
            np.random.SeedSequence(self.entropy, spawn_key=(int(purpose), *indices))
        )


def _check_number(seed: object) -> int:
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise InputError(
        f"{arg('rng')} is not a seed",
        needs="None, a non-negative int, numpy.random.SeedSequence, Generator or RandomState",
        got=show(seed),
    )


def _read_entropy(sequence: np.random.SeedSequence) -> int:
    entropy = sequence.entropy
    if isinstance(entropy, (int, np.integer)):
        return int(entropy)
    return int.from_bytes(sequence.generate_state(4).tobytes(), "little")


def _draw_entropy(generator: np.random.Generator) -> int:
    return int(generator.integers(0, 2**63 - 1))
