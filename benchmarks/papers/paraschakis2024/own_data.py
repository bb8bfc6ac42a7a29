"""The simulated data of the paper itself, number for number.

One seeded stream of NumPy's legacy generator, which never changes, gave all published data: for
each setting 200 data sets of two classes, then 200 of five. Where each data set of two classes
begins in that stream is kept in a file, as walking to the last of them takes a minute or two.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.reproduce import KEPT
from benchmarks.papers.study import Floats

SEED = 4321
DATA_SETS = 200  # of each setting
STATES = KEPT / "paraschakis2024" / "own_data.npz"


class Place(NamedTuple):
    """A setting of two classes by what its data depend on."""

    alpha: int
    cases: int
    configs: int
    minority: float


PLACES = tuple(
    Place(alpha, cases, configs, minority)
    for alpha in (9, 24)
    for cases in (50, 500)
    for configs in (100, 500)
    for minority in (0.5, 0.1)
)  # in the order of the published stream
BETA = 6

State = tuple[Any, ...]  # of a legacy generator


def draw_data(place: Place, number: int) -> tuple[Floats, Floats]:
    """Return the scores (n, C) and the true AUCs (C,) of a published data set.

    Scores of class 0 come first; they are the minority.
    """
    stream = np.random.RandomState()
    stream.set_state(_find_state(place, number))
    truth, noise = _draw(stream, place, classes=2)
    few = int(place.cases * place.minority)
    own = truth[:, 1, 0]
    scores = noise[:, 1].T.copy()  # the scores for class 1; those for class 0 are not used
    scores[:few] -= np.sqrt(2) * np.array([NormalDist().inv_cdf(one) for one in own])
    return scores, own


def _draw(stream: np.random.RandomState, place: Place, classes: int) -> tuple[Floats, Floats]:
    """Draw a data set: AUCs (C, K, K) and standard normal scores (C, K, n), in that order."""
    stream.beta(place.alpha, BETA, place.configs)  # drawn, and not used
    truth = stream.beta(place.alpha, BETA, (place.configs, classes, classes))
    return truth, stream.standard_normal((place.configs, classes, place.cases))


def _walk() -> Iterator[tuple[Place, State]]:
    """Yield where each data set of two classes begins, in the published order."""
    stream = np.random.RandomState(SEED)
    for place in PLACES:
        for _ in range(DATA_SETS):
            state = stream.get_state(legacy=True)
            assert isinstance(state, tuple)
            yield place, state
            _draw(stream, place, classes=2)
        for _ in range(DATA_SETS):
            _draw(stream, place, classes=5)


def _find_state(place: Place, number: int) -> State:
    if place == PLACES[0]:
        return _list_first_states()[number]
    keys, rest = _read_states()
    row = PLACES.index(place) * DATA_SETS + number
    position, cached, held = rest[row]
    return ("MT19937", keys[row], int(position), int(cached), float(held))


@cache
def _list_first_states() -> list[State]:
    """Return the states of the first setting, which is reached at once."""
    return [state for _, state in islice(_walk(), DATA_SETS)]


@cache
def _read_states() -> tuple[NDArray[np.uint32], Floats]:
    """Return the states: keys (d, 624), and position, whether a normal is kept, and which."""
    if not STATES.exists():
        found = [state for _, state in _walk()]
        keys = np.array([state[1] for state in found], dtype=np.uint32)
        rest = np.array([state[2:] for state in found], dtype=np.float64)
        STATES.parent.mkdir(parents=True, exist_ok=True)
        made = Path(f"{STATES}.{os.getpid()}.npz")
        np.savez(made, keys=keys, rest=rest)
        made.replace(STATES)  # whole or not at all
    with np.load(STATES) as held:
        return held["keys"], held["rest"]
