"""The picture of the answer shows the numbers of the estimate, whatever they are."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from earnest.core import DrawnLimits, Scale, Selection, print_numbers
from earnest.plotting import Figure, answer, bootstrap, find_shaded, won_in_bag
from earnest.results import Estimate, Interval
from tests.plotting.report_gallery import an_estimate

SVG = "{http://www.w3.org/2000/svg}"
MADE = replace(an_estimate(), optimism_error=0.001)  # so that its optimism is certain


def words_of(figure: Figure) -> list[str]:
    return [text.text or "" for text in ET.fromstring(figure.svg).iter(f"{SVG}text")]


def with_draws(draws: list[float], **changes: object) -> Estimate:
    made = replace(
        MADE,
        source=DrawnLimits(np.array(draws)),
        value=float(np.nanmean(draws)),
        interval=Interval(float(np.nanmin(draws)), float(np.nanmax(draws)), 0.95, "two-sided"),
    )
    return replace(made, **changes)


@pytest.mark.parametrize("width", [350, 560, 812])
def test_the_picture_prints_the_numbers_of_the_sentence(width: float) -> None:
    shown, words = print_numbers(MADE), words_of(answer(MADE, name="a", width=width))
    assert str(shown.low) in words
    assert str(shown.high) in words
    assert any(str(shown.naive) in word for word in words)
    assert any(str(shown.optimism) in word for word in words)


def test_an_optimism_that_chance_explains_is_not_drawn() -> None:
    unsure = replace(MADE, optimism_error=1.0)
    figure = answer(unsure, name="a")
    assert "too optimistic" not in figure.label
    assert not any("too optimistic" in word for word in words_of(figure))
    assert str(print_numbers(unsure).naive) in figure.label


def test_the_label_says_the_finding_in_numbers() -> None:
    shown, label = print_numbers(MADE), answer(MADE, name="a").label
    for number in (shown.value, shown.low, shown.high, shown.naive, shown.optimism):
        assert str(number) in label
    assert "too optimistic" in label


def test_a_one_sided_bound_has_one_number_and_an_arrow() -> None:
    low = MADE.at(side="lower")
    words, shown = words_of(answer(low, name="a")), print_numbers(low)
    assert str(shown.low) in words
    assert "above" in answer(low, name="a").label
    assert "interval" not in answer(low, name="a").label


def test_one_configuration_has_no_naive_number() -> None:
    alone = replace(MADE, n_configs=1, selection=Selection.NOTHING_SELECTED)
    assert "naive" not in answer(alone, name="a").label
    assert not any("naive" in word for word in words_of(answer(alone, name="a")))


def test_a_naive_score_that_does_not_flatter_has_no_gap() -> None:
    humble = replace(MADE, naive=MADE.value - 0.05)
    assert "optimistic" not in answer(humble, name="a").label
    assert not any("optimistic" in word for word in words_of(answer(humble, name="a")))


def test_a_loss_has_its_good_end_at_the_left() -> None:
    loss = an_estimate(name="rmse")
    assert any("better" in word or "perfect" in word for word in words_of(answer(loss, name="a")))


def test_a_small_part_of_the_scale_is_located_on_the_whole() -> None:
    near = replace(
        MADE, naive=0.991, value=0.984, interval=Interval(0.969, 0.994, 0.95, "two-sided")
    )
    near = replace(near, source=DrawnLimits(np.linspace(0.965, 0.996, 100)))
    words = words_of(answer(near, name="a"))
    assert "0.50 chance" in words
    assert "1.00 perfect" in words
    wide = replace(near, interval=Interval(0.55, 0.994, 0.95, "two-sided"))
    assert "0.50 chance" not in words_of(answer(wide, name="a"))


@pytest.mark.parametrize("width", [350, 812])
@pytest.mark.parametrize(
    "draws",
    [
        [0.7] * 50,
        [0.7, 0.8],
        [1.0] * 20,
        [0.5, math.nan, 0.9],
        [0.9999999, 1.0, 1.0],
        np.linspace(0.1, 0.9, 500).tolist(),
    ],
)
def test_strange_draws_are_drawn(draws: list[float], width: float) -> None:
    for made in (with_draws(draws), with_draws(draws, naive=0.01), with_draws(draws, naive=None)):
        for figure in (answer(made, name="a", width=width), bootstrap(made, name="b", width=width)):
            ET.fromstring(figure.svg)
            assert "nan" not in figure.svg


def test_a_naive_score_that_is_not_known_is_left_out() -> None:
    assert "naive" not in answer(replace(MADE, naive=math.nan), name="a").label


@pytest.mark.parametrize(
    ("value", "limits"), [(3.2e9, (0.0, math.inf)), (4.5e-8, (0.0, math.inf)), (-12.0, None)]
)
def test_numbers_of_any_size_fit(value: float, limits: tuple[float, float] | None) -> None:
    scale = Scale("own", False, limits or (-math.inf, math.inf))
    draws = value * np.linspace(0.8, 1.2, 60)
    made = replace(
        with_draws(draws.tolist()),
        scale=scale,
        naive=0.9 * value,
        standard_error=abs(value) / 10,
        no_information=None,
    )
    for width in (350, 812):
        root = ET.fromstring(answer(made, name="a", width=width).svg)
        for text in root.iter(f"{SVG}text"):
            assert -1 <= float(text.get("x", "nan")) <= width + 1


def test_an_interval_without_draws_has_no_density() -> None:
    bare = replace(MADE, source=None)
    figure = answer(bare, name="a")
    assert "resamples" not in figure.label
    assert str(print_numbers(bare).low) in words_of(figure)


def test_the_histogram_counts_every_draw() -> None:
    draws = MADE.draws
    assert draws is not None
    rows = bootstrap(MADE, name="b").table[1:]
    assert sum(int(row[2].replace(",", "")) for row in rows) == np.isfinite(draws).sum()


def test_the_winner_is_named_even_where_it_seldom_won() -> None:
    shares = {f"c{i}": 0.12 for i in range(8)} | {"mine": 0.0}
    figure = won_in_bag(shares, winner="mine", name="w")
    assert "mine" in words_of(figure)
    assert figure.table[-1][0].startswith("3 others, none above 12")
    assert sum(float(row[1].split("\u00a0")[0]) for row in figure.table[1:]) == pytest.approx(96)


def test_configurations_that_never_won_are_not_counted_as_rivals() -> None:
    figure = won_in_bag({"a": 1.0, "b": 0.0, "c": 0.0}, winner="a", name="w")
    assert [row[0] for row in figure.table[1:]] == ["a"]


def test_draws_are_cut_by_an_interval_of_their_own_and_by_no_other() -> None:
    draws = np.random.default_rng(0).normal(0.7, 0.05, 1000)
    own = np.percentile(draws, [2.5, 97.5])
    made = with_draws(list(draws), interval=Interval(*map(float, own), 0.95, "two-sided"))
    assert find_shaded(made, draws) == tuple(own)
    other = replace(made, interval=Interval(0.65, 0.9, 0.95, "two-sided"))
    assert find_shaded(other, draws) == (-math.inf, math.inf)
    assert find_shaded(replace(made, interval=None), draws) == (-math.inf, math.inf)
