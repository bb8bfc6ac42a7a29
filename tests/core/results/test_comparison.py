"""Comparisons as values: their words, their JSON, their limits."""

from __future__ import annotations

import html
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from earnest import Scores, compare, compare_many
from earnest.core import (
    Alternative,
    FlippedLimits,
    Side,
    StudentLimits,
    adjusted,
    alpha_of,
    chance,
    p_words,
)
from earnest.errors import FormatError
from earnest.results import Comparison, Comparisons, Interval
from tests.snapshots import Golden


def made(
    shift: float, n: int = 400, seed: int = 0, better: bool = False, **ask: object
) -> Comparison:
    """Losses of two models, b worse by the shift on average."""
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, n))
    given = Scores(
        {"svm": a, "tree": b + shift},
        fold=np.arange(n) % 10,
        greater_is_better=better,
        name="loss",
        limits=(-1, 3),
    )
    return compare(given, "svm", "tree", **ask)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u2212", "-")


def test_one_line_can_be_pasted(golden: Golden) -> None:
    golden.check(repr(made(0.1, test="bayle")))
    golden.check(repr(made(0.1, test="bayle", alternative="less")))
    golden.check(repr(made(0.0, test="bayle", alternative="greater", confidence_level=0.9)))


@pytest.mark.parametrize(
    ("shift", "better", "alternative", "opening"),
    [
        (0.1, False, "two-sided", "svm is better than tree: its loss is 0.07 lower (95 % interval"),
        (0.1, True, "two-sided", "svm is worse than tree: its loss is 0.07 lower (95 % interval"),
        (-0.1, False, "two-sided", "svm is worse than tree: its loss is 0.13 higher (95 %"),
        (0.0, False, "two-sided", "No difference between svm and tree can be shown: the loss of"),
        (0.1, False, "less", "svm is better than tree: its loss is 0.07 lower (with 95 % confid"),
        (0.1, False, "greater", "It cannot be shown that svm is worse than tree: the loss of svm"),
        (0.1, True, "greater", "It cannot be shown that svm is better than tree: the loss of svm"),
    ],
)
def test_the_decision_claims_only_what_the_test_shows(
    shift: float, better: bool, alternative: str, opening: str
) -> None:
    said = plain(made(shift, better=better, alternative=alternative).decision)
    assert said.startswith(opening)
    assert not {"significant", "proves", "!"} & set(said.split())


def test_no_difference_is_said_to_be_the_same(golden: Golden) -> None:
    given = Scores({"svm": np.arange(40.0), "tree": np.arange(40.0)}, greater_is_better=False)
    said = plain(compare(given, "svm", "tree").decision)
    golden.check(said)


def test_a_difference_that_rounds_to_nothing_is_not_printed_as_0(golden: Golden) -> None:
    a = 1 + np.random.default_rng(0).random(400)
    b = a + np.where(np.arange(400) % 2, 0.1, -0.1) + 1e-4
    said = plain(
        compare(Scores({"svm": a, "tree": b}, greater_is_better=False), "svm", "tree").decision
    )
    golden.check(said)


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (1.0, "p = 1.00"),
        (0.999, "p > 0.99"),
        (0.1, "p = 0.10"),
        (0.0996, "p = 0.100"),
        (0.001, "p = 0.001"),
        (0.00099, "p < 0.001"),
    ],
)
def test_a_p_value_has_two_digits_above_a_tenth_and_three_below(p: float, words: str) -> None:
    assert p_words(p) == words


def test_a_probability_is_never_printed_as_0_or_1_where_it_is_not() -> None:
    assert [chance(p) for p in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0.00",
        "< 0.01",
        "0.50",
        "> 0.99",
        "1.00",
    ]


def test_the_level_is_not_spoilt_by_rounding() -> None:
    assert alpha_of(0.95) == 0.05
    assert 1 - 0.95 > 0.05  # which it would be


def test_plain_data_are_strict_json_and_come_back() -> None:
    for ask in ({}, {"alternative": "less"}, {"test": "corrected_t"}, {"test": "sign_flip"}):
        here = made(0.05, rng=0, **ask)
        text = json.dumps(here.to_dict(draws=True), allow_nan=False)
        again = Comparison.from_dict(json.loads(text))
        assert again == here
        assert again.at(confidence_level=0.8) == here.at(confidence_level=0.8)
        assert repr(again) == repr(here)


def test_other_data_are_refused() -> None:
    with pytest.raises(FormatError, match="earnest/comparison/1"):
        Comparison.from_dict({"schema": "earnest/estimate/1"})
    with pytest.raises(FormatError, match="missing"):
        Comparison.from_dict({"schema": "earnest/comparison/1"})
    with pytest.raises(FormatError, match="earnest/comparisons/1"):
        Comparisons.from_dict(made(0.1).to_dict())


def test_html_and_frame_show_the_numbers(golden: Golden) -> None:
    here = made(0.1)
    assert here.decision in html.unescape(here._repr_html_())
    golden.check(here.decision)
    frame = here.to_frame()
    assert frame.num_rows == 1
    assert frame["p_value"].to_pylist() == [here.p_value]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_student_limits_are_those_of_the_law(level: float) -> None:
    source = StudentLimits(0.3, 0.1, 4)
    low, high = source.limits(level, Side.TWO_SIDED)
    assert (low, high) == pytest.approx(student.interval(level, 4, 0.3, 0.1))
    assert source.limits(level, Side.LOWER) == (
        pytest.approx(student.ppf(1 - level, 4, 0.3, 0.1)),
        math.inf,
    )
    assert source.limits(level, Side.UPPER)[0] == -math.inf


def test_flipped_limits_are_order_statistics_with_the_place_of_the_p_value() -> None:
    source = FlippedLimits(np.arange(1.0, 40.0))  # 39 means, so p is a multiple of 1 / 40
    assert source.limits(0.95, Side.TWO_SIDED) == (1.0, 39.0)
    assert source.limits(0.95, Side.LOWER) == (2.0, math.inf)
    assert source.limits(0.96, Side.TWO_SIDED) == (-math.inf, math.inf)


def test_alternatives_have_the_side_of_their_interval() -> None:
    sides = {str(a): str(a.side) for a in Alternative}
    assert sides == {"two-sided": "two-sided", "less": "upper", "greater": "lower"}


# ---- many


def test_holm_is_the_step_down_of_its_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        p = rng.random(7).round(1)  # rounded, so that there are ties
        order = np.argsort(p, kind="stable")
        known = np.empty(7)
        running = 0.0
        for rank, i in enumerate(order):
            running = max(running, (7 - rank) * p[i])
            known[i] = min(1.0, running)
        assert adjusted(p, "holm") == pytest.approx(known)


def test_benjamini_and_hochberg_is_that_of_scipy() -> None:
    p = np.random.default_rng(1).random(25) ** 3
    assert adjusted(p, "bh") == pytest.approx(false_discovery_control(p))
    assert adjusted(p, "none") == p.tolist()
    assert adjusted([], "holm") == []


def test_many_have_a_decision_and_a_short_repr(golden: Golden) -> None:
    rng = np.random.default_rng(2)
    given = Scores(
        {f"m{i}": rng.random(200) + 0.02 * i for i in range(15)}, greater_is_better=False
    )
    many = compare_many(given, rng=0)
    lines = repr(many).splitlines()
    assert lines[0] == many.decision
    assert len(lines) == 12
    assert lines[-1] == "and 4 more"
    golden.check(many.decision)
    assert many._repr_html_().count("<tr>") == 15
    assert len(many) == 14


def test_two_are_named_in_the_decision(golden: Golden) -> None:
    rng = np.random.default_rng(3)
    a = rng.random(200)
    near = compare_many(Scores({"a": a, "b": rng.random(200)}, greater_is_better=False), rng=0)
    golden.check(near.decision)
    far = compare_many(Scores({"a": a, "b": a + rng.random(200)}, greater_is_better=False), rng=0)
    golden.check(far.decision)


@pytest.mark.parametrize("test", ["bayle", "cv_t", "corrected_t"])
@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_a_difference_of_0_is_shown_at_no_level(test: str, alternative: str) -> None:
    given = Scores(
        {"a": [0.0, 1.0, 0.5, 0.2], "b": [1.0, 0.0, 0.5, 0.2]},
        fold=[0, 1, 2, 3],
        greater_is_better=False,
    )
    made = compare(given, "a", "b", test=test, alternative=alternative, confidence_level=0.5)
    assert (made.difference, made.p_value, made.shown) == (0.0, 0.5, False)


def test_the_other_side_is_shown_at_no_level() -> None:
    low = made(0.1, alternative="greater", confidence_level=0.0001)
    assert low.difference < 0
    assert low.shown is False


@pytest.mark.parametrize("end", [-0.0047, 0.004, 0.00041, -0.00000012])
def test_no_end_is_written_as_0_unless_it_is(end: float) -> None:
    one = made(0.1)
    ends = (end, 0.6) if end > 0 else (-0.6, end)
    moved = replace(one, standard_error=0.13, interval=Interval(*ends, 0.95, "two-sided"))
    written = re.search(r"interval \[(.*), (.*)\]", repr(moved))
    assert written is not None
    assert all(float(text) != 0.0 for text in written.groups())
    assert "0.00 " not in moved.decision
    still = replace(moved, interval=Interval(-0.6, 0.0, 0.95, "two-sided"))
    assert "interval [-0.60, 0.00]" in repr(still)
