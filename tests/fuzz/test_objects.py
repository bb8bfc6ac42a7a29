"""Arguments of objects that once ended in an error of Python; `make fuzz` finds more."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import earnest as en
from earnest.core import read_path, spell
from tests.snapshots import Golden

N = 12
Y, FOLD = np.arange(N) % 2, np.arange(N) // 2 % 3
SCORES = np.random.default_rng(0).random((N, 2))


def nest(depth: int = 100_000) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


def fill(member: object, n: int = N) -> Any:
    array = np.empty(n, dtype=object)
    for place in range(n):
        array[place] = member
    return array


def predict(**options: Any) -> en.Predictions:
    return en.Predictions.from_arrays(**({"y": Y, "scores": SCORES, "fold": FOLD} | options))


def replicate(apparent: object) -> en.Replicates:
    counts = np.random.default_rng(0).multinomial(N, np.full(N, 1 / N), size=5)
    return en.Replicates.from_arrays(Y, np.zeros((5, N)), counts, apparent=fill(apparent))


class Silent:
    def __repr__(self) -> str:
        raise ZeroDivisionError


REFUSED: dict[str, Callable[[], object]] = {
    "folds that are nested": lambda: predict(fold=fill(nest())),
    "folds that are fractions of huge numbers": lambda: predict(fold=fill(Fraction(10**400, 3))),
    "classes that are missing": lambda: predict(classes=[pd.NA, 1]),
    "a positive class that is nested": lambda: predict(positive=nest()),
    "positions that are shares": lambda: predict().take([0.5]),  # type: ignore[arg-type]
    "positions that no case has": lambda: predict().take([99]),  # type: ignore[arg-type]
    "labels that are sets": lambda: replicate({1}),
    "labels that are arrays": lambda: replicate(np.array([1, 2])),
    "thresholds that are a set": lambda: en.thresholds(predict(), thresholds={1, 2}),  # type: ignore[arg-type]
    "thresholds that are nested": lambda: en.thresholds(predict(), thresholds=nest()),
    "tasks that are missing": lambda: en.Scores(SCORES, tasks=fill(None)),
    "weights that are lists": lambda: en.Scores(SCORES, tasks=Y, weights={0: [1], 1: 1.0}),  # type: ignore[dict-item]
    "items that are nested": lambda: en.Scores(SCORES, id=fill(nest())),
    "names with half a character": lambda: en.Predictions.from_frame(
        pd.DataFrame({"y": Y, "fold": FOLD, "a": SCORES[:, 0], "id": fill("\ud800")})
    ),
    "an order that is nested": lambda: en.gain(predict(), metric="accuracy", order=nest()),  # type: ignore[arg-type]
}
ANSWERED: dict[str, Callable[[], object]] = {
    "a signalling NaN among parameters": lambda: en.Trials.from_configs(
        [{"x": float(i), "k": Decimal("sNaN")} for i in range(N)],
        SCORES[:, 0],
        direction="minimize",
    ),
    "a nested parameter": lambda: en.Trials.from_configs(
        [{"x": float(i), "k": nest()} for i in range(N)], SCORES[:, 0], direction="minimize"
    ),
    "folds called by huge numbers": lambda: predict(fold=[10**400 + int(k) for k in FOLD]),
    "configurations called by nested lists": lambda: predict(configs=[nest(), "b"]),
    "tasks of several types": lambda: en.Scores(SCORES, tasks=[1, "a"] * (N // 2)),
    "cases by a mask": lambda: predict().take(Y == 1),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", REFUSED)
def test_odd_objects_are_refused_in_words(name: str) -> None:
    with pytest.raises(en.errors.EarnestError) as caught:
        REFUSED[name]()
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ANSWERED)
def test_what_has_a_meaning_is_read(name: str) -> None:
    assert repr(ANSWERED[name]())


READERS: tuple[Callable[[Any], object], ...] = (
    *(en.load_model, en.read_run, en.scores_from, en.Predictions.load, en.Scores.load),
    *(en.Replicates.load, en.Trials.load, en.results.Estimate.load, predict().save),
)


@pytest.mark.parametrize("path", [1.5, None, ["a"], {1}, range(3), "\ud800", "a\0b"], ids=repr)
def test_what_is_not_a_path_is_refused_by_every_reader(path: Any) -> None:
    for read in READERS:
        with pytest.raises(en.errors.EarnestError):
            read(path)


def test_a_path_may_be_text_bytes_or_a_path() -> None:
    assert read_path("a/b") == read_path(b"a/b") == read_path(Path("a/b")) == Path("a/b")


def test_every_object_can_be_named_in_a_message(golden: Golden) -> None:
    golden.check(spell(nest()))
    golden.check(spell(Silent()))
    golden.check(spell(10**5000, str))
    assert spell("a") == "'a'"
