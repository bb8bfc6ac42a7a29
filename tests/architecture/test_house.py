"""The script that counts what makes the house hard to read."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import load_script

SOURCE = '''"""A module."""

from typing import Any


def warn(cautions: Any, told: int) -> list[Any]:
    """Return the cautions that count."""
    found = [one for one in cautions if one.code == "EN001"]  # two empty names

    text = """two
    lines"""
    return [caution for caution in found if caution.code in {"EN002", text}]
'''


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    return load_script("scripts/house.py")


def test_arguments_and_targets_of_loops_are_assignments(script: ModuleType) -> None:
    names = [binding.name for binding in script.list_assignments(ast.parse(SOURCE))]
    assert sorted(names) == ["caution", "cautions", "found", "one", "text", "told"]
    empty = [
        binding.name for binding in script.list_assignments(ast.parse(SOURCE)) if binding.is_empty
    ]
    assert sorted(empty) == ["found", "one", "told"]


def test_code_is_what_is_neither_blank_nor_comment_nor_docstring(script: ModuleType) -> None:
    assert script.count_code_lines(SOURCE) == 6


def test_a_name_has_two_meanings_if_two_folders_define_it(script: ModuleType) -> None:
    package = Path("earnest")
    sources = {
        "room/a.py": "def judge(): ...\ndef read(): ...\ndef draw(): ...\ndef _hidden(): ...",
        "room/b.py": "def read(): ...",  # a sibling that reads another source
        "hall/c.py": "class judge: ...\ndef _hidden(): ...",
        "plotting/d.py": "def draw(): ...",
    }
    modules = {package / name: ast.parse(source) for name, source in sources.items()}
    twins = script.list_twins(modules, package)
    assert {name: [str(each.file) for each in twins[name]] for name in twins} == {
        "judge": ["room/a.py", "hall/c.py"]
    }


def test_a_sentence_is_an_asserted_text_of_five_words(script: ModuleType) -> None:
    sentences = ["one two three four five", "six seven.*eight nine ten"]
    source = f"""
def test_it():
    assert text == "{sentences[0]}"
    assert text == "one two three four", "what is said of a failure counts not"
    assert name == "cases_left_out_by_tool" or name == "tests/core/data/test_scores.py"
    with pytest.raises(ValueError, match="{sentences[1]}"):
        read("given but not asserted at all")
"""
    found = script.list_sentences(ast.parse(source))
    assert [sentence.value for sentence in found] == sentences


def test_a_tree_is_counted(script: ModuleType, tmp_path: Path) -> None:
    files = {
        "src/earnest/__init__.pyi": "from .room.warn import warn as warn\n",
        "src/earnest/room/warn.py": SOURCE,
        "tests/test_deep.py": "from earnest.room.warn import warn\n",
        "tests/test_flat.py": "import earnest as en\nfrom earnest.room import warn\n",
        "tests/README.md": "not counted\n",
        "docs/decisions/0001-one.md": "# Four words of it\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    house = script.count_house(tmp_path)
    assert (house.modules, house.code_lines, house.public_names) == (1, 6, 1)
    assert (house.caution_codes, house.code_comparisons, house.any_lines) == (2, 2, 1)
    assert house.empty_names == {"(all)": 0.5, "room": 0.5}
    assert (house.words, house.decisions) == (5, 1)
    assert (house.deep_test_files, house.test_files) == (1, 2)
    assert house.options == {}  # there is no program
    assert "1 of 2" in script.show_house(house)
