"""The script that counts how far a reader has to go."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    spec = spec_from_file_location("journeys", ROOT / "scripts" / "journeys.py")
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_hop_goes_on_into_a_third_file(script: ModuleType) -> None:
    start, middle, leaf = ("a.py", "go", 1), ("b.py", "pass_on", 1), ("c.py", "end", 1)
    edges = {(start, middle), (middle, leaf), (start, leaf)}
    assert script.find_hops(edges, set()) == {("a.py", "b.py")}
    back = {(start, middle), (middle, start)}
    assert script.find_hops(back, set()) == set()


def test_properties_and_core_base_are_no_hops(script: ModuleType) -> None:
    start, middle = ("a.py", "go", 1), ("b.py", "Data.size", 7)
    shared, leaf = ("core/base/check.py", "check", 1), ("c.py", "end", 1)
    edges = {(start, middle), (middle, leaf), (start, shared), (shared, leaf)}
    assert script.find_hops(edges, {("b.py", 7)}) == set()


def test_a_helper_hides_a_hop_from_one_column_only(script: ModuleType) -> None:
    start, middle = ("a.py", "go", 1), ("b.py", "pass_on", 1)
    helper, leaf = ("b.py", "_help", 9), ("c.py", "end", 1)
    edges = {(start, middle), (middle, helper), (helper, leaf)}
    assert script.find_hops(edges, set()) == set()
    assert script.find_hops(edges, set(), through_helpers=True) == {("a.py", "b.py")}


def test_a_trace_passes_through_other_packages_and_leaves_imports_out(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "travelled"
    folder.mkdir()
    (folder / "first.py").write_text(
        "from travelled import second\n\n\ndef go():\n    return sorted([2, 1], key=second.rank)\n"
    )
    (folder / "second.py").write_text(
        "def rank(value):\n    return -value\n\n\nRANKS = [rank(1)]\n"
    )
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    tracer = script.Tracer(folder)

    def travel() -> list[int]:
        from travelled import first

        return first.go()

    before = sys.getprofile()
    sys.setprofile(tracer)
    try:
        assert travel() == [2, 1]
    finally:
        sys.setprofile(before)
    assert tracer.edges == {(("first.py", "go", 4), ("second.py", "rank", 1))}
