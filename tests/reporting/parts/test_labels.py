"""Configurations are called by what tells them apart."""

from __future__ import annotations

from earnest.core.results.papers import PAPERS, collect_papers
from earnest.reporting.parts.labels import config_labels, counted, param_names, spelled, value_words
from earnest.reporting.sources.material import Tried


def test_labels_leave_out_what_all_share_and_the_steps_of_a_pipeline() -> None:
    tried = [
        Tried(config=f"c{i}", params={"svm__C": c, "svm__kernel": "rbf", "scale": "SVC()"})
        for i, c in enumerate([0.1, 1.0])
    ]
    assert config_labels(tried) == {"c0": "C 0.1", "c1": "C 1"}


def test_configurations_that_would_be_called_the_same_keep_their_names() -> None:
    tried = [Tried(config=name, params={"a": 1.00001 + i / 1e6}) for i, name in enumerate("xy")]
    assert config_labels(tried) == {"x": "x", "y": "y"}
    differ = [Tried(config=name, params={"a": a}) for name, a in (("x", 1), ("y", 1), ("z", 2))]
    assert config_labels(differ) == {"x": "x: a 1", "y": "y: a 1", "z": "a 2"}


def test_without_parameters_the_name_is_the_label() -> None:
    assert config_labels([Tried(config="svm"), Tried(config="tree")]) == {
        "svm": "svm",
        "tree": "tree",
    }


def test_an_estimator_is_called_by_its_own_words() -> None:
    tried = [
        Tried(config="a", params={"model": "SVC()"}),
        Tried(config="b", params={"model": "Ridge(alpha=2)"}),
    ]
    assert config_labels(tried) == {"a": "SVC", "b": "Ridge"}
    other = Tried(config="c", params={"model": "SVC(C=2)"})
    assert config_labels([*tried, other]) == {"a": "SVC", "b": "Ridge", "c": "SVC(C=2)"}


def test_names_that_end_alike_stay_whole() -> None:
    assert param_names([{"a__n": 1}, {"b__n": 2, "b__k": 3}]) == {
        "a__n": "a__n",
        "b__n": "b__n",
        "b__k": "k",
    }


def test_numbers_and_counts_read_as_people_write_them() -> None:
    assert value_words(-0.00012345) == "\u22120.0001234"
    assert value_words(True) == "True"
    assert counted(1, "fit") == "1 fit"
    assert spelled(9) == "nine"
    assert spelled(12) == "12"


def test_every_method_and_test_cites_a_paper_that_is_known() -> None:
    from earnest.comparison.base import TESTS
    from earnest.methods import METHODS

    for name in METHODS:
        assert collect_papers([METHODS[name].spec]), name
    for name in TESTS:
        assert collect_papers([TESTS[name].spec]), name
    for paper in PAPERS.values():
        assert paper.bibtex.count("{") == paper.bibtex.count("}")
        assert paper.bibtex.startswith(f"@{paper.kind}{{{paper.key},")
        assert str(paper.year) in paper.words
