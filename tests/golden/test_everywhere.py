"""Every machine names the same winners and gives the same values to 1e-10."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.golden.everywhere import FILE, compute_answers

KNOWN = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    return compute_answers()


@pytest.mark.parametrize("question", KNOWN)
def test_the_winner_and_the_numbers_are_those_of_every_machine(
    answers: dict[str, dict[str, Any]], question: str
) -> None:
    ours, known = answers[question], KNOWN[question]
    assert ours["winner"] == known["winner"]
    assert ours["numbers"] == pytest.approx(known["numbers"], rel=1e-10, abs=1e-10)


def test_every_question_has_its_answer(answers: dict[str, dict[str, Any]]) -> None:
    assert list(answers) == list(KNOWN)
