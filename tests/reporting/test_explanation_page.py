"""The page stands alone, says what the result says, and escapes what users write."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import earnest as en
from earnest.explanation.result import Explanation
from earnest.reporting.explanation_page import explanation_page
from tests.explanation.scenes import mixed_trials

HOSTILE = "<script>alert('x')</script>"
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Balance(HTMLParser):
    """Notes elements that are opened and never closed, or closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def found() -> Explanation:
    return en.explain(mixed_trials(40), ["C", "share"], n_points=60, grid_size=5, rng=1, regions=2)


@pytest.fixture(scope="module")
def page(found: Explanation) -> str:
    return explanation_page(found, found.suggest(2), source="study.db")


def test_the_page_needs_nothing_else_and_is_well_formed(page: str) -> None:
    parser = Balance()
    parser.feed(page)
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
    parser = Balance()
    parser.feed(page)
    assert parser.open == []


@pytest.mark.parametrize(
    "name", ["学習率", "größe\u202e", "a\x1b[31m", "$\\frac{", "%s %n", "_{", "columns__" * 40]
)
def test_every_name_can_be_drawn_without_a_warning(name: str) -> None:
    configs = [{name: 0.1 * i, "level": f"{name}{i % 2}"} for i in range(14)]
    trials = en.Trials.from_configs(
        configs, [i % 5 for i in range(14)], direction="maximize", objective_name=name
    )
    result = en.explain(trials, n_points=20, grid_size=3, rng=0, regions=2)
    page = explanation_page(result, result.suggest(1), source=name)
    figures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.S))
    assert "\x1b" not in figures
    assert set(result.effects) == {name, "level"}
