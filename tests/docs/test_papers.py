"""The pages on papers say nothing that their results files do not."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from benchmarks.papers import claims
from benchmarks.papers.reproduce import HERE, read_records
from benchmarks.papers.study import PAPERS, facts_of
from benchmarks.papers.tables import table, tolerance

PAGES = Path(__file__).resolve().parents[2] / "docs" / "papers"
GENERATED = re.compile(r"<!-- generated: paper (?P<words>[\w -]+) -->\n.*?<!-- end -->", re.DOTALL)
COLUMNS = ("ours", "published", "spread", "agrees_from", "agrees_to")
PICTURE = re.compile(r"\]\((?P<path>[^)]+\.svg)\)")
DECIMAL = re.compile(r"(?<![\w.])-?\d*\.\d{2,}(?![\d.])")


def prose(paper: str) -> str:
    return GENERATED.sub("", (PAGES / f"{paper}.md").read_text(encoding="utf-8"))


def numbers(paper: str) -> list[float]:
    """Every number of the results and of the published tables."""
    found = []
    for path in [*(HERE / paper / "results").glob("*.csv"), HERE / paper / "expected.csv"]:
        with path.open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                found += [float(line[k]) for k in COLUMNS if line.get(k)]
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_every_decimal_in_the_text_is_in_the_files(paper: str) -> None:
    known = numbers(paper)
    for text in DECIMAL.findall(prose(paper)):
        places = len(text.partition(".")[2])
        assert any(abs(value - float(text)) <= 0.5 * 10**-places + 1e-12 for value in known), text


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_of_results_is_on_the_page(paper: str) -> None:
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    shown = {words.split()[2] for words in GENERATED.findall(page) if len(words.split()) > 2}
    drawn = {Path(path).stem for path in PICTURE.findall(page)}
    unseen = {"equation63"} | ({"claims"} if paper == "bayle2020" else set())  # the first table
    for record in read_records(paper):
        assert record["table"] in shown | drawn | unseen, record["table"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_is_on_the_page_and_every_picture_is_there(paper: str) -> None:
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    paths = {(PAGES / path).resolve() for path in PICTURE.findall(page)}
    assert paths == set((HERE / paper / "results").glob("*.svg"))


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_begins_with_what_became_of_each_claim(paper: str) -> None:
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    first = GENERATED.search(page)
    assert first is not None
    assert first["words"] == f"held {paper}"
    for kind in ("held", "summary"):
        assert table(kind, paper) in page
    if paper != "tsamardinos2018":  # which has no number that could be tested
        assert table("differs", paper) in page


@pytest.mark.parametrize("paper", PAPERS)
def test_a_claim_is_held_to_the_results_and_can_fail(
    paper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = claims.list_claims(paper)
    assert len(before) >= 5
    read = claims.read_results

    def turned(paper: str, name: str) -> list[dict[str, str]]:
        lines = read(paper, name)
        for line in lines:  # every order and every share is turned round, no cell of claims holds
            value = float(line["ours"])
            other = 1 - value if line["kind"] == "share" else -value
            line["ours"] = "0" if name == "claims" else repr(other)
        return lines

    monkeypatch.setattr(claims, "read_results", turned)
    after = claims.list_claims(paper)
    assert [one.words for one in after] == [one.words for one in before]
    assert all(0 <= one.held <= one.cells for one in (*before, *after))
    lost = sum(b.held < a.held for a, b in zip(before, after, strict=True))
    assert lost >= len(before) / 2


def test_the_tolerance_of_a_cell_is_written_beside_it() -> None:
    line = {"published": "0.95", "agrees_from": "0.9", "agrees_to": "1"}
    assert tolerance(line) == " ± 0.05"
    assert tolerance({**line, "agrees_to": "0.97"}) == " −0.05/+0.02"
    assert tolerance({**line, "agrees_from": "", "agrees_to": ""}) == ""


def test_facts_are_read_as_they_are_written() -> None:
    row = "alpha=24 beta=6 minority=0.1 group=BBC, BBC-F"
    assert facts_of(row) == {"alpha": "24", "beta": "6", "minority": "0.1", "group": "BBC, BBC-F"}
    assert facts_of("n=20 estimator=.632+ continuous")["estimator"] == ".632+ continuous"
    assert facts_of("they are the narrowest") == {"claim": "they are the narrowest"}
