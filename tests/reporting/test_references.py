"""Every method and test says what to cite for it, and so does a result."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.comparison import TESTS
from earnest.errors import InputError, UnknownNameError
from earnest.methods import METHODS

Y = np.tile([0, 1], 30)
SCORES = Y[:, None] + np.random.default_rng(0).standard_normal((60, 3))
PI = en.Predictions.from_arrays(Y, SCORES, np.arange(60) % 5)


@pytest.mark.parametrize("name", [*METHODS, *TESTS])
def test_every_name_has_a_paper_and_earnest_last(name: str) -> None:
    found = en.results.references(name)
    assert len(found) >= 2
    assert found[-1].startswith("The earnest developers. earnest: ")
    assert all(re.search(r"\(\d{4}\)\. ", words) for words in found[:-1])
    entries = en.results.references(name, form="bibtex")
    assert len(entries) == len(found)
    assert all(entry.count("{") == entry.count("}") for entry in entries)
    assert all(re.match(r"@\w+\{\w+,\n", entry) for entry in entries)


def test_a_result_is_cited_by_its_own_method_or_test() -> None:
    made = en.estimate(PI, metric="roc_auc", rng=0, n_resamples=50)
    assert en.results.references(made) == en.results.references("bbc")
    several = en.estimate_all(PI, methods=["bbc", "delong"], metric="roc_auc", rng=0)
    assert set(en.results.references(several)) == {
        *en.results.references("bbc"),
        *en.results.references("delong"),
    }
    pair = en.compare(PI, 0, 1, metric="roc_auc", test="delong")
    assert any("DeLong" in words for words in en.results.references(pair))
    many = en.compare_many(PI, metric="accuracy", test="bayle")
    assert any("Bayle" in words for words in en.results.references(many))
    assert any(
        "Nadeau" in words for words in en.results.references(en.compare_many(PI, metric="accuracy"))
    )


@pytest.mark.parametrize("given", [PI, 5, None, ["bbc", "naive"]])
def test_what_is_no_result_has_no_references(given: Any) -> None:
    with pytest.raises(InputError, match="only a result"):
        en.results.references(given)


def test_names_are_found_however_written_and_others_refused() -> None:
    assert en.results.references("DeLong") == en.results.references("delong")
    with pytest.raises(UnknownNameError, match="Did you mean 'delong'"):
        en.results.references("delongs")
    with pytest.raises(InputError, match="`form` is unknown"):
        en.results.references("bbc", form="ris")
