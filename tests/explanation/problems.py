"""Small problems with a known truth, for surrogates and what is built on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest import Parameter, Space
from earnest.core import Clause, Condition

Floats = NDArray[np.float64]


def cube(d: int) -> Space:
    """Numbers on [0, 1]."""
    return Space(tuple(Parameter(name=f"x{i}", kind="float") for i in range(d)))


def smooth(codes: Floats) -> Floats:
    """A smooth function of the first four of a cube's numbers, with an interaction."""
    wave = np.sin(3 * codes[:, 0])
    return np.asarray(wave + codes[:, 1] * codes[:, 2] + 0.3 * codes[:, 3] ** 2)


def mixed() -> Space:
    """Every kind of parameter, with children of a category and of a number."""
    return Space(
        (
            Parameter(name="model", kind="categorical", choices=("a", "b", "c")),
            Parameter(name="rate", kind="float", low=1e-3, high=1, log=True),
            Parameter(
                name="inner", kind="float", low=0, high=2, condition=Condition.when("model", "a")
            ),
            Parameter(name="layers", kind="int", low=1, high=4),
            Parameter(
                name="units",
                kind="int",
                low=8,
                high=64,
                condition=Condition(any_of=((Clause(parent="layers", low=3),),)),
            ),
            Parameter(name="size", kind="ordinal", choices=("s", "m", "l")),
            Parameter(name="seed", kind="fixed", choices=(1,)),
        )
    )


def mixed_truth(codes: Floats) -> Floats:
    """An objective over `mixed` in which inactive parameters do nothing."""
    safe = np.nan_to_num(codes, nan=0.0)
    return np.asarray(
        0.5 * safe[:, 0] + np.sin(2 * safe[:, 1]) + safe[:, 2] + 0.3 * safe[:, 5] + safe[:, 4]
    )
