"""Limits from tilts: nested, never missing, and told of where they are another's."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from earnest.core import (
    LimitLaw,
    NormalLimits,
    SidakLimits,
    Side,
    TailCurve,
    TiltedLimits,
    source_from_dict,
)
from earnest.errors import EvidenceError

FALLBACK = NormalLimits(0.7, 0.05)


def curve(
    direction: float, least: float = 1e-9, most: float = 0.5, worth: float = 500
) -> TailCurve:
    """Tails that fall geometrically while the end moves by 0.01 a step."""
    tails = most * (least / most) ** np.linspace(0, 1, 31)
    return TailCurve(tails, 0.7 + direction * 0.01 * np.arange(31), np.full(31, worth))


def limits(low: TailCurve, high: TailCurve | None = None) -> TiltedLimits:
    return TiltedLimits(
        low, high or curve(1), FALLBACK, LimitLaw.HANLEY_MCNEIL, draws=np.array([0.6, 0.8])
    )


def test_a_limit_lies_where_the_tail_is_the_level_interpolated_in_logarithms() -> None:
    source = limits(curve(-1))
    steps = np.log(0.5 / 0.05) / np.log(0.5 / 1e-9) * 30
    assert source.limits(0.95, Side.LOWER)[0] == pytest.approx(0.7 - 0.01 * steps, abs=1e-12)
    assert source.limits(0.9, Side.TWO_SIDED)[1] == pytest.approx(0.7 + 0.01 * steps, abs=1e-12)


def test_a_tail_that_never_falls_below_half_the_level_gives_the_fallback_and_says_so() -> None:
    near = curve(-1, least=0.03)
    source = limits(replace(near, ends=0.7 - 0.001 * np.arange(31)))
    assert source.limits(0.95, Side.LOWER)[0] == FALLBACK.limits(0.95, Side.LOWER)[0]
    (caution,) = source.remarks(0.95, Side.LOWER)
    assert caution.code == "EN026"
    assert caution.facts["law"] == LimitLaw.HANLEY_MCNEIL
    assert not list(source.remarks(0.9, Side.LOWER))
    assert not list(source.remarks(0.95, Side.UPPER))


def test_a_level_that_no_tilt_is_needed_for_gives_the_fallback() -> None:
    source = limits(curve(-1, most=0.04))
    assert source.limits(0.95, Side.LOWER)[0] == FALLBACK.limits(0.95, Side.LOWER)[0]
    assert [c.code for c in source.remarks(0.95, Side.LOWER)] == ["EN026"]


@pytest.mark.parametrize("least", [1e-9, 0.01, 0.03, 0.4])
@pytest.mark.parametrize("most", [0.04, 0.3, 0.5, 1.0])
def test_levels_nest_across_the_border_of_what_tilts_reach(least: float, most: float) -> None:
    if least >= most:
        return
    source = limits(curve(-1, least, most), curve(1, least, most))
    for side in (Side.LOWER, Side.UPPER, Side.TWO_SIDED):
        found = np.array([source.limits(level, side) for level in np.linspace(0.02, 0.9999, 300)])
        if side is not Side.UPPER:
            assert (np.diff(found[:, 0]) <= 1e-12).all()
        if side is not Side.LOWER:
            assert (np.diff(found[:, 1]) >= -1e-12).all()


def test_few_effective_resamples_are_told_of() -> None:
    (caution,) = limits(curve(-1, worth=3.2)).remarks(0.95, Side.TWO_SIDED)
    assert caution.code == "EN016"
    assert "about 3 resamples" in str(caution)
    assert not list(limits(curve(-1, worth=30)).remarks(0.95, Side.TWO_SIDED))


def test_an_adjusted_source_says_each_thing_once() -> None:
    source = SidakLimits(limits(curve(-1, least=0.03), curve(1, least=0.03)), 3, Side.LOWER)
    assert [c.code for c in source.remarks(0.9, Side.TWO_SIDED)] == ["EN026"]
    assert source.draws is not None


def test_tilts_survive_json_or_refuse_to_answer() -> None:
    source = limits(curve(-1), curve(1))
    kept = source_from_dict(json.loads(json.dumps(source.to_dict(draws=True), allow_nan=False)))
    assert kept is not None
    assert kept.limits(0.9, Side.TWO_SIDED) == source.limits(0.9, Side.TWO_SIDED)
    assert source.to_dict()["law"] == "hanley_mcneil"  # a fact, which the catalogue words
    bare = source_from_dict(json.loads(json.dumps(source.to_dict(draws=False))))
    assert bare is not None
    with pytest.raises(EvidenceError, match="not kept"):
        bare.limits(0.9, Side.TWO_SIDED)
