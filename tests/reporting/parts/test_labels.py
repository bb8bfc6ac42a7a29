"""Counts in words, and papers that are known."""

from __future__ import annotations

from earnest.core import collect_papers, read_papers, write_count


def test_counts_read_as_people_write_them() -> None:
    assert write_count(1, "fit") == "1 fit"
    assert write_count(2780, "fit") == "2,780 fits"


def test_every_method_and_test_cites_a_paper_that_is_known() -> None:
    from earnest.comparison import TESTS
    from earnest.methods import METHODS

    for name in METHODS:
        assert collect_papers([METHODS[name].spec]), name
    for name in TESTS:
        assert collect_papers([TESTS[name].spec]), name
    for paper in read_papers().values():
        assert paper.bibtex.count("{") == paper.bibtex.count("}")
        assert paper.bibtex.startswith(f"@{paper.kind}{{{paper.key},")
        assert str(paper.year) in paper.words
