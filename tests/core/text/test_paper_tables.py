"""Tables for papers say what the results say, and survive Markdown and LaTeX."""

from __future__ import annotations

import re

import numpy as np
import pytest

import earnest as en
from earnest.core import PaperTable, latex

NAMES = ("svm_rbf", "tree & 10 %", "[γ|x]", "#best ~ü")


@pytest.fixture(scope="module")
def pi() -> en.Predictions:
    """Four configurations with names that mean something to LaTeX and Markdown; seed 0."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    scores = y[:, None] * [0.2, 0.5, 1.0, 1.1] + rng.standard_normal((120, 4))
    return en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5, configs=NAMES)


@pytest.fixture(scope="module")
def estimates(pi: en.Predictions) -> en.results.Estimates:
    return en.estimate_all(pi, methods=["bbc", "naive", "tilted"], metric="roc_auc", rng=0)


def cells(markdown: str) -> list[list[str]]:
    """The rows of a pipe table, read back by the rules of Markdown."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    split = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if "---" not in line]
    return [[re.sub(r"\\(.)", r"\1", cell).strip() for cell in row] for row in split]


def test_a_row_has_the_decimals_of_the_repr(estimates: en.results.Estimates) -> None:
    made = estimates["bbc"]
    heads, row = cells(made.to_markdown())
    assert heads == ["method", "roc_auc", "95\u00a0% interval", "naive", "winner"]
    assert f"roc_auc {row[1]}, 95 % interval {row[2]}" in repr(made)
    assert row[0] == "bbc"
    assert row[4] in NAMES


def test_markdown_and_latex_have_the_same_cells(estimates: en.results.Estimates) -> None:
    markdown = cells(estimates.to_markdown())
    lines = [line for line in estimates.to_latex().splitlines() if line.endswith(r"\\")]
    assert len(lines) == len(markdown) == 4
    for line, row in zip(lines, markdown, strict=True):
        assert line == " & ".join(latex(cell) for cell in row) + r" \\"


def test_what_a_method_does_not_give_is_a_dash(estimates: en.results.Estimates) -> None:
    naive = next(row for row in cells(estimates.to_markdown()) if row[0] == "naive")
    assert naive[2] == "–"
    assert " & -- & " in estimates.to_latex()


def test_one_sided_bounds_have_their_own_head(estimates: en.results.Estimates) -> None:
    heads, row = cells(estimates["bbc"].at(side="lower", confidence_level=0.9).to_markdown())
    assert heads[2] == "90\u00a0% lower bound"
    assert re.fullmatch(r"0\.\d\d", row[2])


def test_rows_of_unlike_levels_say_their_own(estimates: en.results.Estimates) -> None:
    mixed = en.results.Estimates((estimates["bbc"], estimates["tilted"].at(confidence_level=0.9)))
    heads, first, second = cells(mixed.to_markdown())
    assert heads[2] == "interval"
    assert first[2].startswith("95\u00a0% interval [")
    assert second[2].startswith("90\u00a0% interval [")


def test_the_note_names_estimands_and_cautions(estimates: en.results.Estimates) -> None:
    note = estimates.to_latex().splitlines()[0]
    assert note.startswith("% n = 120, 4 configurations, 5 folds")
    for made in estimates:
        assert made.estimand in note
        assert all(caution.code in note for caution in made.cautions)


def test_comparisons_are_ranked_with_adjusted_p(pi: en.Predictions) -> None:
    made = en.compare_many(pi, metric="accuracy", rng=0)
    heads, *rows = cells(made.to_markdown())
    assert heads == [
        "configuration",
        "difference",
        "95\u00a0% interval",
        "p",
        "adjusted p",
        "verdict",
    ]
    assert [row[0] for row in rows] == [one.b for one, _ in made.ranked()]
    kept = {row[0] for row in rows if row[-1] == "not shown to be worse"}
    assert kept == set(made.not_worse) - {made.reference}
    assert made.reference in made.to_latex().splitlines()[0]


def test_a_comparison_is_one_row_with_a_true_minus(pi: en.Predictions) -> None:
    made = en.compare(pi, "svm_rbf", "#best ~ü", metric="accuracy")
    (_, row) = cells(made.to_markdown())
    assert row[0] == "svm_rbf − #best ~ü"
    assert row[1].startswith("−0.")
    assert r"svm\_rbf $-$ \#best \textasciitilde{}ü & $-$0." in made.to_latex()


def test_a_bayesian_comparison_has_probabilities(pi: en.Predictions) -> None:
    made = en.compare(pi, 0, 3, metric="accuracy", test="bayesian_t")
    heads, row = cells(made.to_markdown())
    assert heads[3:] == ["better", "equal", "worse"]
    assert sum(float(cell.removeprefix("< ").removeprefix("> ")) for cell in row[3:]) == (
        pytest.approx(1.0, abs=0.03)  # three numbers of two decimals
    )


def test_a_first_cell_in_brackets_is_no_argument_of_the_line_before() -> None:
    table = PaperTable(("a", "b"), (("[x]", "1"), ("*y", "2")), "n = 1.")
    lines = table.to_latex().splitlines()
    assert r"{}[x] & 1 \\" in lines
    assert r"{}*y & 2 \\" in lines


def test_line_ends_and_signs_of_a_name_do_not_break_the_table() -> None:
    table = PaperTable(("a\nb", "n"), (("x\r\n|y `c` <i> [d](e)", "1"),), "a\nb")
    assert cells(table.to_markdown()) == [["a b", "n"], ["x |y `c` <i> [d](e)", "1"]]
    assert r"[d]\(e)" in table.to_markdown()
    assert table.to_latex().splitlines()[0] == "% a b"
    assert len(table.to_latex().splitlines()) == 8


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a_b", r"a\_b"),
        ("50 %", r"50 \%"),
        ("a & b", r"a \& b"),
        ("$x^2$ #1 {y} ~", r"\$x\textasciicircum{}2\$ \#1 \{y\} \textasciitilde{}"),
        ("\\alpha", r"\textbackslash{}alpha"),
        ("α − Ω ≤ é", r"$\alpha$ $-$ $\Omega$ $\leq$ é"),
        ("> 0.999", r"$>$ 0.999"),
    ],
)
def test_latex_signs(text: str, wanted: str) -> None:
    assert latex(text) == wanted


def test_one_configuration_and_huge_numbers(pi: en.Predictions) -> None:
    rng = np.random.default_rng(1)
    y = 1e10 * rng.standard_normal(50)
    huge = en.Predictions.from_arrays(y, (y + 1e9 * rng.standard_normal(50))[:, None])
    _, row = cells(en.estimate(huge, metric="rmse", rng=0, n_resamples=100).to_markdown())
    assert "e+08" in row[1] or "e+09" in row[1]
    one = en.estimate(pi.select(0), metric="accuracy", rng=0, n_resamples=100)
    assert len(cells(one.to_markdown())) == 2
