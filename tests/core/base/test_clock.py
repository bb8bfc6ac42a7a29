"""A moment is recorded once, as text, and told in words that no locale changes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from earnest.core import FORM, day_words, moment, moment_words


def test_a_moment_is_now_in_universal_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    told = datetime.strptime(moment(), FORM).replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - told) < timedelta(minutes=5)


def test_a_moment_can_be_pinned_and_nonsense_pins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert moment() == "2023-11-14T22:13:20Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", moment())


def test_words_are_those_of_the_day() -> None:
    assert moment_words("2024-02-29T00:00:01Z") == "29 February 2024, 00:00 UTC"
    assert day_words("2024-12-01T23:59:59Z") == "1 December 2024"


@pytest.mark.parametrize("text", [None, "", "2024-02-30T00:00:00Z", "2024-02-28", "<b>"])
def test_what_is_no_moment_has_no_words(text: str | None) -> None:
    assert moment_words(text) is None
    assert day_words(text) is None
