"""The page stands alone, says what the result says, and escapes what users write."""

from __future__ import annotations

import re

import pytest

import earnest as en
from earnest.explanation.result import Explanation
from earnest.reporting.explanation_page import explanation_page
from tests.explanation.scenes import mixed_trials
from tests.reporting.test_report import outline

HOSTILE = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def found() -> Explanation:
    return en.explain(mixed_trials(40), ["C", "share"], n_points=60, grid_size=5, rng=1, regions=2)


@pytest.fixture(scope="module")
def page(found: Explanation) -> str:
    return explanation_page(found, found.suggest(2), source="study.db")


def test_the_page_needs_nothing_else_and_is_well_formed(page: str) -> None:
    parser = outline(page)
    assert parser.open == []
    assert parser.scripts == 0
    assert not re.search(r'(src|href)="(?!#)', page.replace("xlink:href", "link"))
    assert "@import" not in page
    assert "url(http" not in page


def test_the_page_says_what_the_result_says(found: Explanation, page: str) -> None:
    assert "study.db" in page
    for name in found.effects:
        assert f"<h3>{name}</h3>" in page
    for caution in found.cautions:
        assert caution.code in page
    assert page.count("(holds the best)") == sum(t.best is not None for t in found.regions.values())
    assert "average surrogate uncertainty (eq. 5)" in page
    assert "What to try next" in page


def test_the_page_is_the_same_every_time(found: Explanation, page: str) -> None:
    assert explanation_page(found, found.suggest(2), source="study.db") == page


def test_names_levels_and_sources_are_escaped_everywhere() -> None:
    trials = mixed_trials(24)
    configs = [
        {HOSTILE: c["share"], "kind": f"{HOSTILE}{c['scaling']}", "share": c["share"] ** 2}
        for c in trials.configs
    ]
    hostile = en.Trials.from_configs(
        configs, trials.objective, direction="maximize", objective_name=HOSTILE, source=HOSTILE
    )
    result = en.explain(hostile, n_points=60, grid_size=4, rng=0, regions=2)
    page = explanation_page(result, result.suggest(1), source=HOSTILE)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert outline(page).open == []


NAMES = ("学習率", "größe\u202e", "a\x1b[31m", "$\\frac{", "%s %n", "_{", "columns__" * 40)


def test_every_name_can_be_drawn_without_a_warning() -> None:
    """All names at once: as parameters, as levels, as the objective and as the source."""
    configs = [
        {**{name: (3 * i + k) % 7 for k, name in enumerate(NAMES)}, "level": NAMES[i % 7]}
        for i in range(21)
    ]
    every = " ".join(NAMES)
    trials = en.Trials.from_configs(
        configs, [i % 5 for i in range(21)], direction="maximize", objective_name=every
    )
    result = en.explain(trials, n_points=20, grid_size=3, rng=0, regions=2)
    page = explanation_page(result, result.suggest(1), source=every)
    figures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.S))
    assert "\x1b" not in figures
    assert set(result.effects) == {*NAMES, "level"}
