"""The script that changes one place of the package at a time, and asks the tests."""

from __future__ import annotations

import ast
from argparse import ArgumentTypeError
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import load_script
from tests.snapshots import Golden

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
    return load_script("scripts/mutants.py")


def test_a_mutant_changes_one_expression_and_is_python(script: ModuleType) -> None:
    expected = {
        ("not value < least and value is not None", "(not value < least or value is not None)"),
        ("not value < least", "(value < least)"),
        ("value < least", "(value <= least)"),
        ("value is not None", "(value is None)"),
        ("value * 2 - 1", "(value * 2 + 1)"),
        ("value * 2", "(value / 2)"),
        ("2", "(3)"),
        ("1", "(2)"),
        ("3", "(4)"),  # a number with a name, outside of functions
    }
    mutants = script.list_mutants("core/one.py", SOURCE)
    assert {(mutant.before, mutant.after) for mutant in mutants} == expected
    numbers = [m.start for m in script.list_mutants("core/one.py", SOURCE) if m.before == "2"]
    assert sorted(numbers) == [SOURCE.index(b"= 2)") + 2, SOURCE.index(b"* 2 ") + 2]  # a default
    for mutant in script.list_mutants("core/one.py", SOURCE):
        made = mutant.apply(SOURCE)
        assert ast.dump(ast.parse(made)) != ast.dump(ast.parse(SOURCE))
        assert made.replace(mutant.after.encode(), mutant.before.encode(), 1) == SOURCE


IDLE = b'''
def show(values: list[int], canvas: Canvas) -> None:
    """Draw what is known."""
    assert len(values) < 9
    if not values:
        raise ValueError("there are", 0)
    canvas.text((2.0, 3.0), dict(zip(values, values, strict=True)))
    warnings.warn("few", stacklevel=2)
'''


def test_what_changes_no_result_is_not_drawn(script: ModuleType) -> None:
    found = [(m.before, m.after) for m in script.list_mutants("core/one.py", IDLE)]
    assert found == [("not values", "(values)")]


def test_tests_of_the_same_name_and_right_in_the_room_are_asked_too(
    script: ModuleType, golden: Golden
) -> None:
    asked = script.find_tests("core/data/scores.py")
    assert asked[0] == ["tests/core/data/test_scores.py"]
    golden.check(asked[1])
    assert asked[2] == ["tests/core/data"]
    answer = script.find_tests("reporting/parts/answer.py")
    golden.check(answer[-1])


def test_the_same_seed_draws_the_same_mutants(script: ModuleType) -> None:
    drawn = script.draw_mutants(9, 5, ["store"])
    assert drawn == script.draw_mutants(9, 5, ["store"])
    assert drawn != script.draw_mutants(9, 6, ["store"])


def test_mutants_can_be_kept_to_a_folder_or_a_module(script: ModuleType) -> None:
    folder = "training/search/dropping"
    drawn = script.draw_mutants(500, 5, [folder])
    assert {mutant.path for mutant in drawn} == {
        f"{folder}/{name}.py" for name in ("bced", "evidence", "stopping")
    }
    assert ("MOST_ROUNDS", "50") in {
        ((ROOT / "src/earnest" / m.path).read_text().splitlines()[m.line - 1].split()[0], m.before)
        for m in drawn
    }
    one = script.draw_mutants(500, 5, [f"{folder}/bced.py"])
    assert {mutant.path for mutant in one} == {f"{folder}/bced.py"}
    assert script.read_place(f"src/earnest/{folder}/") == folder
    with pytest.raises(ArgumentTypeError, match="no folder or module"):
        script.read_place("training/dropping")


def test_mutants_are_of_every_room_and_have_tests_to_ask(script: ModuleType) -> None:
    package = ROOT / "src" / "earnest"
    rooms = sorted(path.parent for path in package.glob("*/__init__.py"))
    sizes = [{file: file.stat().st_size for file in room.rglob("*.py")} for room in rooms]
    # a module each, the smallest of more than 8 kB, as reading all takes seconds
    small = [min((size, file) for file, size in one.items() if size > 8000)[1] for one in sizes]
    drawn = script.draw_mutants(40, 5, [file.relative_to(package).as_posix() for file in small])
    assert {mutant.room for mutant in drawn} == {room.name for room in rooms}
    for mutant in drawn:
        asked = script.find_tests(mutant.path)
        assert asked
        assert all((ROOT / one).exists() for tests in asked for one in tests)
