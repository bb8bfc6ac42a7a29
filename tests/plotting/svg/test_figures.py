"""Every figure of a report can stand in a page: safe, small, in its colours, always the same."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from earnest.errors import InputError
from earnest.plotting import TOKENS, Canvas, Figure, RowKind
from tests.plotting.report_gallery import HOSTILE, gallery

MOST_BYTES = 40_000
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "defs", "g", "line", "path", "rect", "circle", "text", "pattern", "clipPath"}


@cache
def figures(words: str = "config", prefix: str = "f") -> dict[str, Figure]:
    return gallery(words, prefix)


def parsed(figure: Figure) -> ET.Element:
    return ET.fromstring(figure.svg)


def written(figure: Figure) -> str:
    return " ".join(text.text or "" for text in parsed(figure).iter(f"{SVG}text"))


def marks(figure: Figure, tag: str, colour: str, where: str = "fill") -> list[ET.Element]:
    return [e for e in parsed(figure).iter(f"{SVG}{tag}") if e.get(where) == f"var(--{colour})"]


def test_a_figure_is_one_labelled_element_with_nothing_else() -> None:
    more = re.compile(r"<\?xml|<!DOCTYPE|<metadata|<style|font-family|href|http(?!://www\.w3)")
    for kind, figure in figures().items():
        root = parsed(figure)
        assert root.tag == f"{SVG}svg", kind
        assert root.get("role") == "img", kind
        assert root.get("aria-label") == figure.label, kind
        assert figure.label.endswith("."), kind
        assert {e.tag.removeprefix(SVG) for e in root.iter()} <= SHAPES, kind
        assert not more.search(figure.svg), kind
        assert len(figure.svg.encode()) < MOST_BYTES, kind


def test_every_colour_is_a_token_and_every_number_is_finite() -> None:
    for kind, figure in figures().items():
        for element in parsed(figure).iter():
            for name in ("fill", "stroke"):
                colour = element.get(name, "none")
                known = re.fullmatch(r"var\(--([a-z0-9]+)\)", colour)
                own = colour.startswith(f"url(#f-{kind}-")
                assert colour == "none" or own or (known and known[1] in TOKENS), colour
            for name, value in element.attrib.items():
                if name != "aria-label":
                    assert not re.search("nan|inf", value), (kind, name, value)


def test_ids_are_prefixed_and_two_galleries_do_not_share_one() -> None:
    found = []
    for prefix in ("one", "two"):
        for kind, figure in figures(prefix=prefix).items():
            ids = [e.get("id") for e in parsed(figure).iter() if e.get("id")]
            assert all(i.startswith(f"{prefix}-{kind}-") for i in ids)
            used = re.findall(r"url\(#([^)]+)\)", figure.svg)
            assert set(used) == set(ids)
            found += ids
    assert len(found) == len(set(found)) > 4


@pytest.mark.parametrize("words", HOSTILE)
def test_the_text_of_a_user_is_text_and_never_markup(words: str) -> None:
    for kind, figure in figures(words).items():
        root = parsed(figure)  # well-formed, whatever was written
        assert {e.tag.removeprefix(SVG) for e in root.iter()} <= SHAPES, kind
        assert "<script" not in figure.svg
        assert not re.search(r"[\x00-\x1f\u202a-\u202e]", figure.svg), kind
        assert len(figure.svg.encode()) < MOST_BYTES, kind


def test_a_dollar_and_quotes_stay_as_they_are() -> None:
    label = figures(HOSTILE[0])["difference"].label
    assert label.startswith('<script>alert("x")</script> & $C_1$ ]]>')
    assert figures(HOSTILE[0])["importance"].table[1][0] == HOSTILE[0]


def test_the_same_results_give_the_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib; from tests.plotting.report_gallery import gallery;"
        "print(hashlib.sha256(''.join(f.svg for f in gallery().values()).encode()).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    mine = "".join(figure.svg for figure in figures().values())
    assert other == hashlib.sha256(mine.encode()).hexdigest()


def test_the_table_behind_a_figure_has_rows_of_one_length() -> None:
    for kind, figure in figures().items():
        assert len({len(row) for row in figure.table}) <= 1, kind


def test_no_axis_has_more_than_six_labels() -> None:
    for kind in ("answer", "answer-phone", "bootstrap", "residuals", "effect", "region"):
        root = parsed(figures()[kind])
        rows: dict[str, int] = {}
        for text in root.iter(f"{SVG}text"):
            if re.fullmatch(r"[−\d.,e]+", text.text or "") and text.get("font-weight") is None:
                rows[text.get("y", "")] = rows.get(text.get("y", ""), 0) + 1
        assert max(rows.values()) <= 6, kind


def test_what_is_not_corrected_is_hollow_and_dashed_and_what_is_corrected_is_neither() -> None:
    naive, honest = figures()["forest-naive"], figures()["forest"]
    assert marks(naive, "path", "warn", "stroke")
    assert any(e.get("stroke-dasharray") for e in marks(naive, "line", "warn", "stroke"))
    assert not marks(naive, "circle", "warn")
    assert marks(honest, "circle", "accent")
    assert not any(
        e.get("stroke-dasharray") and e.get("y1") == e.get("y2")
        for e in marks(honest, "line", "accent", "stroke")
    )


def test_the_page_must_not_be_given_a_name_that_is_no_id() -> None:
    with pytest.raises(InputError, match="cannot be an id"):
        Canvas(10, 10, '"><script>')


def test_tokens_have_a_light_and_a_dark_side_that_can_be_told_from_the_paper() -> None:
    def light(colour: str) -> float:
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for side in (0, 1):
        paper = light(TOKENS["bg"][side])
        for token in ("ink", "ink2", "ink3", "accent", "warn"):
            mark = light(TOKENS[token][side])
            contrast = (max(paper, mark) + 0.05) / (min(paper, mark) + 0.05)
            assert contrast >= 4.5, (token, side)


def test_a_short_table_of_bins_counts_what_the_long_one_counts() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 3000, 30)
    edges = np.linspace(0.1, 0.7, 31)
    rows = [
        (f"{low:.2f}", f"{high:.2f}", f"{count:,}")
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    figure = Figure("", "", (("From", "To", "Resamples"), *rows), RowKind.BINS)
    short = figure.list_rows(12)
    assert len(short) <= 12
    assert (short[0][0], short[-1][1]) == (rows[0][0], rows[-1][1])
    assert [low for low, _, _ in short[1:]] == [high for _, high, _ in short[:-1]]  # no gap
    assert sum(int(row[2].replace(",", "")) for row in short) == counts.sum()
    assert figure.list_rows(30) == rows


def test_a_short_table_of_items_has_the_first_and_says_how_many_are_left() -> None:
    rows = [(f"depth {place}", "0.1") for place in range(20)]
    figure = Figure("", "", (("Parameter", "Alone"), *rows), RowKind.ITEMS)
    *shown, last = figure.list_rows(12)
    assert shown == rows[:11]
    assert last == ("and 9 more", "")
