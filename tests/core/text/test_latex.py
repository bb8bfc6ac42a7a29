"""Text survives LaTeX: every sign that means something to it is escaped, and braces balance."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import earnest as en
from earnest.core import find_unknown_letters, latex
from tests.snapshots import Golden

AWKWARD = (
    *("a&b_c % #1 ~ ^2", "back\\slash {open close} $x$", "[first] *star*", "γ=0.1, α→β ≤ ∑ √ x₂⁻¹"),
    *("very_long_" * 20, "naïve Bäyes Åø ł ß ñ č ő", "'q' \"dq\" `bt` <a|b>", "--dash--- ?` !`"),
    *(
        "zero\u200bwidth \x07bell \u2003em",
        "e\u0301 combined",
        "ϵ ς ϑ ο Α Β",
        "100 % ^^M \\\\ \\end",
    ),
)
# Outside of commands, a sign that LaTeX reads stands behind a backslash or not at all.
COMMAND = re.compile(r"\\([a-zA-Z]+(\{\})?|[&%$#_{}])")
MATHS = re.compile(r"\$(\\[a-zA-Z]+|[<>-]|[_^](\{[\d+-]\}|\d|\\circ))\$")


def left_over(text: str) -> str:
    """What LaTeX would read as its own, after all escapes were taken out."""
    rest = COMMAND.sub("", MATHS.sub("", text)).replace("-{}-", "--").replace("{}", "")
    return "".join(sign for sign in rest if sign in '\\&%$#_{}^<>|"`')


def balanced(text: str) -> bool:
    depth = 0
    for sign in re.sub(r"\\[{}]", "", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


@given(st.text(max_size=40))
def test_every_sign_of_latex_is_escaped_and_braces_balance(text: str) -> None:
    made = latex(text)
    assert left_over(made) == ""
    assert balanced(made)
    assert "\n" not in made


def test_the_law_finds_a_sign_that_is_not_escaped() -> None:
    assert left_over("a_b & 10 %") == "_&%"
    assert not balanced("}{")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a--b---c", "a-{}-b-{}-{}-c"),  # no dashes, which two hyphens would be
        ("e\u0301", "é"),
        ("a\u200bb\x07c\u2003d\u2028e", "abc d e"),
        ('5"', "5''"),
        ("Α ο ς ϵ", r"A o $\varsigma$ $\epsilon$"),
        ("x₂⁻ ∑ ∈", r"x$_{2}$$^{-}$ $\sum$ $\in$"),
        ("`", r"\textasciigrave{}"),
    ],
)
def test_signs_that_pdflatex_would_refuse_or_change(text: str, wanted: str) -> None:
    assert latex(text) == wanted


def test_letters_of_other_scripts_stay_and_are_told() -> None:
    assert latex("лес 日") == "лес 日"
    assert find_unknown_letters(["лес 日", "лес", "Åø ₂ γ ∑ “q” €"]) == ("л", "е", "с", "日")


@pytest.fixture(scope="module")
def pi() -> en.Predictions:
    """As many configurations as awkward names; seed 0."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 40)
    scores = y[:, None] + rng.standard_normal((80, len(AWKWARD)))
    return en.Predictions.from_arrays(y, scores, np.arange(80) // 2 % 5, configs=AWKWARD)


def tables(pi: en.Predictions) -> dict[str, str]:
    """One table of every kind of result."""
    ask = {"metric": "accuracy", "rng": 0}
    made = en.estimate(pi, n_resamples=50, **ask)
    return {
        "estimate": made.to_latex(),
        "bound": made.at(side="lower").to_latex(),
        "one": en.estimate(pi.select(0), n_resamples=50, **ask).to_latex(),
        "estimates": en.estimate_all(
            pi, methods=["bbc", "naive"], n_resamples=50, **ask
        ).to_latex(),
        "comparison": en.compare(pi, 0, 1, metric="accuracy").to_latex(),
        "bayesian": en.compare(pi, 2, 3, metric="accuracy", test="bayesian_t").to_latex(),
        "comparisons": en.compare_many(pi, **ask).to_latex(),
    }


def test_every_table_has_its_environment_and_as_many_cells_as_columns(pi: en.Predictions) -> None:
    for text in tables(pi).values():
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        assert lines[0].startswith(r"\begin{tabular}{")
        assert lines[-1] == r"\end{tabular}"
        columns = len(lines[0].removeprefix(r"\begin{tabular}{").rstrip("}"))
        rows = [line for line in lines if line.endswith(r" \\")]
        assert len(rows) == len(lines) - 5  # begin, end, and three rules
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == columns - 1
            assert balanced(row)
            assert all(left_over(cell) == "" for cell in re.split(r"(?<!\\)&", row[:-3]))


def test_a_table_says_which_latex_it_needs(golden: Golden) -> None:
    y = np.tile([0, 1], 20)
    scores = np.random.default_rng(0).random((40, 2))
    pi = en.Predictions.from_arrays(y, scores, configs=["森", "лес"])
    lines = en.compare(pi, 0, 1, metric="accuracy").to_latex().splitlines()
    golden.check(lines[1])
