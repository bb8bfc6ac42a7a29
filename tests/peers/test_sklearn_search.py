"""`SearchCV` held to scikit-learn's own tests of its searches."""

from __future__ import annotations

import pytest
import sklearn

from tests.peers.sklearn_search import (
    DEAR,
    OTHERWISE,
    OWN,
    WORDING,
    Outcome,
    find_tests,
    list_surprises,
    run_tests,
)

TABLE = (1, 9)  # the version that the tables are complete for: older files lack some of the tests


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return run_tests(dear=False)


def count_passed(outcomes: list[Outcome]) -> int:
    return sum(one.ended == "passed" for one in outcomes if one.words == OWN)


def test_all_pass_but_those_that_the_tables_name(outcomes: list[Outcome]) -> None:
    assert list_surprises(outcomes) == []
    assert count_passed(outcomes) >= 80  # the files of older versions have fewer
    assert not set(DEAR) & {one.function for one in outcomes}


@pytest.mark.slow
def test_all_pass_with_those_that_fit_large_models() -> None:
    """The whole file; `test_all_pass_but_those_that_the_tables_name` holds all but fifteen."""
    outcomes = run_tests()
    assert list_surprises(outcomes) == []
    assert count_passed(outcomes) >= 90


def test_the_tables_name_tests_that_there_are(outcomes: list[Outcome]) -> None:
    assert not set(WORDING) & set(OTHERWISE)
    version = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
    if version >= TABLE:
        assert {*WORDING, *OTHERWISE} <= {one.function for one in outcomes}


def test_what_is_not_in_the_tables_is_a_surprise() -> None:
    name = next(iter(WORDING))
    other = next(iter(OTHERWISE))
    ended = [
        Outcome("test_x", "test_x", OWN, "failed", "why"),
        Outcome("test_y", "test_y", OWN, "passed", ""),
        Outcome(name, name, OWN, "failed", ""),
        Outcome(name, name, "any words", "failed", "not only words"),
        Outcome(other, other, OWN, "passed", ""),
    ]
    found = list_surprises(ended)
    assert [text.split(" ")[0] for text in found] == ["test_x", name, other]
    assert find_tests().name == "test_search.py"
