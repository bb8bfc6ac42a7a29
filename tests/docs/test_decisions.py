"""Records of decisions are few, short and listed; the laws and the changelog name what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "development" / "decisions"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))
MOST, LONGEST = 25, 350  # records, and words of one: half a page
PARTS = ["Decision", "Why", "Tried, and worse", "What follows"]


def test_records_are_few_and_numbered_from_one() -> None:
    assert [record.name[:4] for record in RECORDS] == [
        f"{number:04d}" for number in range(1, len(RECORDS) + 1)
    ]
    assert len(RECORDS) <= MOST


def test_a_record_is_half_a_page_with_every_part() -> None:
    for record in RECORDS:
        text = record.read_text(encoding="utf-8")
        assert text.startswith(f"# {record.name[:4]}. "), record.name
        assert re.findall(r"^## (.+)$", text, re.M) == PARTS, record.name
        assert len(text.split()) <= LONGEST, record.name


def test_the_table_lists_every_record_under_its_title() -> None:
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    titles = {
        record.name: record.read_text(encoding="utf-8").splitlines()[0].partition(". ")[2]
        for record in RECORDS
    }
    rows = re.findall(r"^\| (\d{4}) \| \[(.+)\]\((.+)\) \|$", table, re.M)
    assert rows == [(name[:4], title, name) for name, title in titles.items()]


def test_every_decision_that_a_file_cites_exists() -> None:
    numbers = {record.name[:4] for record in RECORDS}
    for folder in ("src", "tests", "benchmarks", "docs", "scripts"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md") and not {"_build", "examples"} & set(path.parts):
                text = path.read_text(encoding="utf-8")
                cited = re.findall(r"\b[Dd]ecisions?\s+\[?(\d{4})\b", text)
                assert set(cited) <= numbers, path


def test_every_path_that_a_law_or_a_record_names_exists() -> None:
    for page in (FOLDER.parent / "laws.csv", *RECORDS):
        for path in re.findall(r"`([\w/.]+(?:\.py|\.md|\.json|/))`", page.read_text("utf-8")):
            bases = (ROOT, ROOT / "src" / "earnest")
            found = any((base / path).exists() for base in bases)
            assert found or "/" not in path.rstrip("/"), (page.name, path)


def test_architecture_is_a_page() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1500


def test_the_changelog_has_a_section_for_the_version_of_the_package() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version = config["project"]["version"]
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(version)} \(", text, re.M)
