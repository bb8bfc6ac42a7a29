"""The script that changes one place of the package at a time, and asks the tests."""

from __future__ import annotations

import ast
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = b'''"""A module."""
LIMIT = 3


def choose(values: list[int], least: int = 2) -> int | None:
    """Return the first that is large enough."""
    for value in values:
        if not value < least and value is not None:
            return value * 2 - 1
    return None
'''


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    spec = spec_from_file_location("mutants", ROOT / "scripts" / "mutants.py")
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    sys.modules["mutants"] = made  # where a dataclass looks for its module
    spec.loader.exec_module(made)
    return made


def test_a_mutant_changes_one_expression_and_is_python(script: ModuleType) -> None:
    found = {(m.before, m.after) for m in script.list_mutants("core/one.py", SOURCE)}
    assert found == {
        ("not value < least and value is not None", "(not value < least or value is not None)"),
        ("not value < least", "(value < least)"),
        ("value < least", "(value <= least)"),
        ("value is not None", "(value is None)"),
        ("value * 2 - 1", "(value * 2 + 1)"),
        ("value * 2", "(value / 2)"),
        ("2", "(3)"),
        ("1", "(2)"),
    }
    for mutant in script.list_mutants("core/one.py", SOURCE):
        made = mutant.apply(SOURCE)
        assert ast.dump(ast.parse(made)) != ast.dump(ast.parse(SOURCE))
        assert made.replace(mutant.after.encode(), mutant.before.encode(), 1) == SOURCE


def test_the_same_seed_draws_the_same_mutants(script: ModuleType) -> None:
    drawn = script.draw_mutants(9, 5, ["store"])
    assert drawn == script.draw_mutants(9, 5, ["store"])
    assert drawn != script.draw_mutants(9, 6, ["store"])


def test_mutants_are_of_every_room_and_have_tests_to_ask(script: ModuleType) -> None:
    drawn = script.draw_mutants(40, 5, [])
    places = (path.parent for path in (ROOT / "src" / "earnest").glob("*/__init__.py"))
    assert {mutant.room for mutant in drawn} == {place.name for place in places}
    for mutant in drawn:
        asked = script.find_tests(mutant.path)
        assert asked
        assert all((ROOT / one).exists() for tests in asked for one in tests)
