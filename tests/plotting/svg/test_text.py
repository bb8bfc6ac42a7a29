"""Text is made safe, and cut to its room."""

from __future__ import annotations

import pytest

from earnest.plotting.svg.canvas import cut_apart, fit_words, measure_text, spell_out_signs


def test_signs_that_cannot_be_seen_are_spelled_out() -> None:
    assert spell_out_signs("a\x00b") == r"a\x00b"
    assert spell_out_signs("a\u202eb") == r"a\u202eb"
    assert spell_out_signs("two\nlines") == "two lines"
    assert spell_out_signs("95\u00a0%") == "95\u00a0%"


def test_text_from_right_to_left_is_set_apart() -> None:
    assert spell_out_signs("غاما 1") == "\u2068غاما 1\u2069"
    assert spell_out_signs(spell_out_signs("غاما 1")) == spell_out_signs("غاما 1")
    assert spell_out_signs("gamma") == "gamma"


@pytest.mark.parametrize("words", ["", "a", "x" * 500, "名" * 50, "i.l" * 40])
def test_a_cut_text_fits_and_says_that_it_is_cut(words: str) -> None:
    made = fit_words(words, 80)
    assert measure_text(made) <= 80
    assert made == words or made.endswith("…")


def test_names_that_differ_at_the_end_keep_their_end() -> None:
    made = fit_words("pipeline__preprocessing__select__model__C", 120, keep_end=True)
    assert made.startswith("…")
    assert made.endswith("model__C")


def test_cut_names_stay_different_where_they_can() -> None:
    names = ["the same beginning, one", "the same beginning, two"]
    assert len(set(cut_apart(names, 80))) == 2
    ends = ["one with the same end", "two with the same end"]
    assert len(set(cut_apart(ends, 80, keep_end=True))) == 2
    assert cut_apart(["a", "b"], 80) == ["a", "b"]
    middle = ["begin " * 20 + "x" + " end" * 20, "begin " * 20 + "y" + " end" * 20]
    assert all(measure_text(word) <= 80 for word in cut_apart(middle, 80))


def test_nothing_is_left_of_a_text_without_room_but_a_sign() -> None:
    assert fit_words("abc", 1) == "…"
