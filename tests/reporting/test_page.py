"""What the page prints: no sign that cannot be seen, no endless word, colours whole."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.plotting import TOKENS
from earnest.reporting import mark_code, page_of, shown
from tests.reporting.scenes import scene
from tests.reporting.test_report import outline


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a name", "a name"),
        ("two\nlines", "two\nlines"),
        ("nul\x00bell\x07", "nul\\x00bell\\x07"),
        ("turned\u202eround", "turned\\u202eround"),
        ("x" * 5000, "x" * 80 + "…"),
        ("y" * 119, "y" * 119),
        (None, None),
        (3, 3),
    ],
)
def test_texts_are_shown_so_that_they_can_be_read(text: object, said: object) -> None:
    assert shown(text) == said


def test_text_from_right_to_left_does_not_turn_its_neighbours() -> None:
    assert shown("שלום") == "\u2068שלום\u2069"


def test_html_of_our_own_is_left_as_it_is() -> None:
    from markupsafe import Markup

    assert shown(Markup("<i>" + "x" * 500)) == "<i>" + "x" * 500


def test_all_colours_of_both_themes_stand_in_the_page() -> None:
    page = scene("single").to_html()
    for name, (light, dark) in TOKENS.items():
        assert f"--{name}:{light};" in page
        assert f"--{name}:{dark};" in page


LONG = 300  # signs of a name


def endless() -> en.Predictions:
    rng = np.random.default_rng(6)
    y = np.where(np.arange(60) % 2, "p\x00" + "q" * LONG, "</script><b>")
    configs = en.Configs(
        ids=tuple(f"{i}" + "i" * LONG for i in range(10)),
        params=tuple({"n" * LONG: float(i), "k\u202e": "v" * LONG + str(i)} for i in range(10)),
    )
    scores = np.clip((np.arange(60) % 2)[:, None] * 0.4 + 0.5 * rng.random((60, 10)), 0, 1)
    return en.Predictions.from_arrays(
        y, scores, np.arange(60) // 2 % 5, configs=configs, positive=y[1]
    )


def test_names_of_hundreds_of_signs_are_cut_on_the_page_and_whole_in_the_data() -> None:
    made = en.report(endless(), metric="roc_auc", n_resamples=100)
    page = page_of(made.content)
    found = outline(page)
    assert found.open == []
    assert found.scripts == 1
    for sign in "nqvi":
        assert sign * 120 not in page
    assert "\x00" not in page
    assert "\u202e" not in page
    assert len(page) < 600_000
    assert "v" * LONG in made.to_json()


def test_backticks_become_code_after_everything_is_escaped() -> None:
    assert mark_code("Read `a<b>` & `c`") == "Read <code>a&lt;b&gt;</code> &amp; <code>c</code>"
    assert mark_code("one ` alone") == "one ` alone"


def test_many_sections_are_a_menu_where_their_names_do_not_fit() -> None:
    html = page_of(scene("binary").content)
    count = html.split('aria-label="Sections">')[1].split("</nav>")[0].count("<a ")
    assert ('class="bar many"' in html) == (count > 8)
    assert "nowrap" in html.split(".bar nav a, .brand {")[1].split("}")[0]
