"""The page of an explanation is the part of a report: it stands alone and escapes users' words."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import pytest

import earnest as en
from earnest.reporting import content_of_explanation
from earnest.reporting.sources import asking
from earnest.results import Explanation, Report
from tests.explanation.scenes import mixed_trials
from tests.reporting.test_report import outline

HOSTILE = "<script>alert('x')</script>"


def made_page(found: Explanation, suggestions: object, **given: str) -> str:
    return Report(content_of_explanation(found, suggestions, **given)).to_html()


@pytest.fixture(scope="module")
def found() -> Explanation:
    return en.explain(mixed_trials(40), ["C", "share"], n_points=60, grid_size=5, rng=1, regions=2)


@pytest.fixture(scope="module")
def page(found: Explanation) -> str:
    return made_page(found, found.suggest(2), source="study.db")


def test_the_page_needs_nothing_else_and_is_well_formed(page: str) -> None:
    parser = outline(page)
    assert parser.open == []
    assert parser.scripts == 1  # that of every report; the page can be read without it
    assert not re.search(r'(src|href)="(?!#)', page.replace("xlink:href", "link"))
    assert "@import" not in page
    assert "url(http" not in page
    assert page.count("<h1") == 1


def test_the_page_says_what_the_result_says(found: Explanation, page: str) -> None:
    assert "study.db" in page
    for name in found.effects:
        assert f'<h3 class="mono">{name}</h3>' in page
    for caution in found.cautions:
        assert caution.code in page
    assert "average surrogate uncertainty (eq. 5)" in page
    assert "What to try next" in page


def test_the_page_and_the_report_render_the_same_part(found: Explanation) -> None:
    y = [0, 1] * 20
    scores = [[0.1 * c + 0.2 * i for c in range(3)] for i in y]
    pi = en.Predictions.from_arrays(y, scores, configs=["a", "b", "c"])
    with patch.object(asking, "_explain", lambda *given: found):
        report = en.report(pi, metric="roc_auc", n_resamples=100)
    alone = content_of_explanation(found).learned
    assert alone == report.content.learned
    section = re.search(r'<section id="learned".*?</section>', report.to_html(), flags=re.S)
    own = re.search(r'<section id="learned".*?</section>', made_page(found, None), flags=re.S)
    assert section is not None
    assert own is not None
    assert own[0].replace("h1 id=", "h2 id=").replace("</h1>", "</h2>") == section[0]


def test_the_page_has_the_frame_of_a_report(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    for name in ("learned", "computed"):
        assert f'<a href="#{name}"' in page
        assert f'<section id="{name}"' in page
    assert 'id="answer"' not in page


def test_save_writes_the_page_and_load_reads_the_json(found: Explanation, tmp_path: Path) -> None:
    page = found.save(tmp_path / "page.html")
    assert page.read_text(encoding="utf-8") == made_page(found, None, source="")
    again = Explanation.load(found.save(tmp_path / "found.json"))
    assert again == found
    told = content_of_explanation(again)
    assert told.learned is not None
    assert told.learned.next == ()
    assert len(content_of_explanation(found).learned.next) == 3
    assert again.save(tmp_path / "again.HTML").read_text(encoding="utf-8").count("<h1") == 1


def test_the_words_are_in_markdown_too(found: Explanation) -> None:
    content = content_of_explanation(found)
    lines = Report(content).to_markdown().splitlines()
    assert sum(line.startswith("# ") for line in lines) == 1
    assert repr(Report(content)) == f"Report: {content.title}"


def test_the_page_is_the_same_every_time(found: Explanation, page: str) -> None:
    assert made_page(found, found.suggest(2), source="study.db") == page


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
    page = made_page(result, result.suggest(1), source=HOSTILE)
    assert "<script>alert" not in page
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
    page = made_page(result, result.suggest(1), source=every)
    figures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.S))
    assert "\x1b" not in figures
    assert set(result.effects) == {*NAMES, "level"}


def test_page_and_markdown_open_with_the_region_of_the_winner(found: Explanation) -> None:
    tree = found.winner_tree
    assert tree is not None
    assert tree.best is not None
    report = Report(content_of_explanation(found, ()))
    winner = report.content.learned.winner
    assert winner.words == tree.best.words.replace("<=", "≤")
    for text in (report.to_html(), report.to_markdown()):
        assert 0 < text.index(winner.heading) < text.index("Which hyperparameters matter")
    whole = en.explain(mixed_trials(40), ["C"], n_points=60, grid_size=5, rng=1, regions=1)
    assert whole.winner_tree is None
    assert Report(content_of_explanation(whole, ())).content.learned.winner is None
