"""Guides travel with the predictions that they are of, and judge by the unseen half."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from earnest import Configs, Predictions
from earnest.core import FIXED, Guides
from earnest.errors import InputError

HALVES = np.tile([0, 0, 1, 1], 10).astype(np.int8)
GUIDED_BY = np.array([0, 1, FIXED, 0], dtype=np.int8)


@pytest.fixture
def guided() -> Predictions:
    scores = np.random.default_rng(0).random((40, 4))
    names = Configs(ids=("a", "b", "c", "d"), static=False)
    pi = Predictions.from_arrays(np.tile([0, 1], 20), scores, np.arange(40) % 5, configs=names)
    return replace(pi, guides=Guides(HALVES, GUIDED_BY))


def guides_of(pi: Predictions) -> Guides:
    assert pi.guides is not None
    return pi.guides


def test_a_half_judges_what_the_other_one_guided() -> None:
    judges = Guides(HALVES, GUIDED_BY).judges([0, 1, 2, -1])
    np.testing.assert_array_equal(judges[0], HALVES == 1)
    np.testing.assert_array_equal(judges[1], HALVES == 0)
    assert judges[2:].all()


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".npz"])
def test_guides_are_saved_and_loaded(suffix: str, guided: Predictions, tmp_path: Path) -> None:
    loaded = Predictions.load(guided.save(tmp_path / f"predictions{suffix}"))
    assert guides_of(loaded).to_text() == guides_of(guided).to_text()
    assert loaded.fingerprint == guided.fingerprint != replace(guided, guides=None).fingerprint


def test_guides_follow_selections_of_cases_and_configurations(guided: Predictions) -> None:
    rows = np.array([3, 0, 2])
    part = guides_of(guided.select(["d", "c"]).take(rows))
    np.testing.assert_array_equal(part.halves, HALVES[rows])
    np.testing.assert_array_equal(part.guided_by, [0, FIXED])


def test_an_incomplete_configuration_takes_its_guide_along(guided: Predictions) -> None:
    holes = np.array(guided.responses)
    holes[guided.folds[:, 0] == 2, 1] = np.nan
    usable = replace(guided, responses=holes).usable()
    assert usable.configs.ids == ("a", "c", "d")
    np.testing.assert_array_equal(guides_of(usable).guided_by, [0, FIXED, 0])


def test_fixed_configurations_join_guided_ones_and_unknown_ones_do_not(guided: Predictions) -> None:
    others = replace(guided, guides=None, configs=Configs(ids=("e", "f", "g", "h"), static=True))
    joined = guided.concat(others)
    np.testing.assert_array_equal(guides_of(joined).guided_by, [*GUIDED_BY, *[FIXED] * 4])
    unknown = replace(others, configs=replace(others.configs, static=False))
    assert guided.concat(unknown).guides is None
    flipped = replace(unknown, guides=Guides((1 - HALVES).astype(np.int8), GUIDED_BY))
    assert guided.concat(flipped).guides is None


def test_guides_of_other_cases_are_refused(guided: Predictions) -> None:
    with pytest.raises(InputError, match="not of these predictions"):
        replace(guided, guides=Guides(HALVES[:-1], GUIDED_BY))
    with pytest.raises(InputError, match="cannot be read"):
        Guides(HALVES + np.int8(2), GUIDED_BY)
    with pytest.raises(InputError, match="cannot be read"):
        Guides.of_text("0102", "-0")
