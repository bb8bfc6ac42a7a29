"""The pages on papers say nothing that their results files do not."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from benchmarks.papers.reproduce import HERE, read_records
from benchmarks.papers.study import PAPERS
from benchmarks.papers.tables import facts_of, table

PAGES = Path(__file__).resolve().parents[2] / "docs" / "papers"
GENERATED = re.compile(r"<!-- generated: paper (?P<words>[\w -]+) -->\n.*?<!-- end -->", re.DOTALL)
DECIMAL = re.compile(r"(?<![\w.])-?\d*\.\d{2,}(?![\d.])")


def prose(paper: str) -> str:
    return GENERATED.sub("", (PAGES / f"{paper}.md").read_text(encoding="utf-8"))


def numbers(paper: str) -> list[float]:
    """Every number of the results and of the published tables."""
    found = []
    for path in [*(HERE / paper / "results").glob("*.csv"), HERE / paper / "expected.csv"]:
        with path.open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                found += [float(line[k]) for k in ("ours", "published", "spread") if line.get(k)]
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
    drawn = {name for name in ("figure2", "figure3", "figure6") if f"results/{name}.svg" in page}
    for record in read_records(paper):
        assert record["table"] in shown | drawn | {"equation63"}, record["table"]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_begins_with_what_became_of_each_table(paper: str) -> None:
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    first = GENERATED.search(page)
    assert first is not None
    assert first["words"] == f"summary {paper}"
    assert table("summary", paper) in page
    if paper != "tsamardinos2018":  # which has no number that could be tested
        assert table("differs", paper) in page


def test_facts_are_read_as_they_are_written() -> None:
    row = "alpha=24 beta=6 minority=0.1 group=BBC, BBC-F"
    assert facts_of(row) == {"alpha": "24", "beta": "6", "minority": "0.1", "group": "BBC, BBC-F"}
    assert facts_of("n=20 estimator=.632+ continuous")["estimator"] == ".632+ continuous"
    assert facts_of("they are the narrowest") == {"claim": "they are the narrowest"}
