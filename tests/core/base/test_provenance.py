"""Settings and versions as plain data."""

from __future__ import annotations

import json

import numpy as np

from earnest.comparison import BootstrapTest
from earnest.core import knobs, list_versions, simplify_setting
from earnest.methods import BBC
from earnest.resampling import CaseBootstrap


def test_settings_are_what_json_can_hold() -> None:
    assert simplify_setting(None) is None
    assert [simplify_setting(value) for value in (True, 3, 0.5, "x")] == [True, 3, 0.5, "x"]
    assert simplify_setting(CaseBootstrap()) == "case"
    assert simplify_setting((1, 2)) == "(1, 2)"


def test_every_field_is_a_knob_of_methods_and_tests_alike() -> None:
    found = knobs(BootstrapTest(n_resamples=9, resampler=CaseBootstrap()))
    assert found == {"n_resamples": 9, "resampler": "case", "undefined": "redraw"}
    assert json.loads(json.dumps(knobs(BBC()))) == knobs(BBC())


def test_versions_name_what_numbers_depend_on() -> None:
    assert list_versions()["numpy"] == np.__version__
    assert set(list_versions()) == {"earnest", "numpy"}
