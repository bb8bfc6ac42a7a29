"""Results as tables for papers: Markdown, and LaTeX in the style of booktabs.

All numbers of a table share the decimals of its most precise row, and rules of rounding are those
of the sentences: what is short of a limit is never rounded to it, and minus is a minus.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch

from earnest.core.base.check import some
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.gain import Gain, Improvement, LearningCurve
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.results.thresholds import Thresholds
from earnest.core.text.cleaning import clean_line
from earnest.core.text.comparison import chance, p_value_text, places_of_difference
from earnest.core.text.estimate import estimand_words, places_of
from earnest.core.text.numbers import MINUS, decimals, number

# Text as LaTeX shows it: signs that mean something to it escaped, symbols as their commands.


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    '"': "''",
    "`": r"\textasciigrave{}",
}
_TYPED = {
    "\u00a0": "~",
    "\u2212": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "„": ",,",
    "°": r"$^\circ$",
    "²": r"$^2$",
    "³": r"$^3$",
}
# A symbol, and its command in mathematics.
_SYMBOLS = (
    "× times ± pm ∓ mp · cdot √ surd ∞ infty ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ∝ propto "
    "≪ ll ≫ gg « ll » gg ∈ in ∑ sum ∏ prod ∂ partial ∇ nabla ∆ Delta ∅ emptyset ∩ cap ∪ cup "
    "∧ wedge ∨ vee ∫ int → rightarrow ← leftarrow ↔ leftrightarrow ⇒ Rightarrow "
    "⇔ Leftrightarrow µ mu ℓ ell ς varsigma ϑ vartheta ϕ phi ϵ epsilon ϖ varpi ′ prime"
)
_MATHS = dict(zip(_SYMBOLS.split()[::2], _SYMBOLS.split()[1::2], strict=True))
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi . pi rho . sigma tau "
    "upsilon phi chi psi omega"
)
_MATHS |= {chr(945 + i): word for i, word in enumerate(_GREEK.split()) if word != "."}
_MATHS |= dict(
    zip(
        "ΓΔΘΛΞΠΣΦΨΩ",
        ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"),
        strict=True,
    )
)
_LIKE_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True))
_RAISED = dict(zip("⁰⁴⁵⁶⁷⁸⁹⁺⁻", "0456789+-", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True))

_SIGNS = _SPECIAL | _TYPED | _LIKE_LATIN
_SIGNS |= {sign: f"$\\{word}$" for sign, word in _MATHS.items()}
_SIGNS |= {sign: f"$^{{{digit}}}$" for sign, digit in _RAISED.items()}
_SIGNS |= {sign: f"$_{{{digit}}}$" for sign, digit in _LOWERED.items()}
# Letters beyond ASCII that pdfLaTeX shows with the font encoding T1, most of them without it.
_KNOWN = frozenset(
    chr(code) for code in (*range(0xA1, 0x100), *range(0x100, 0x180), *range(0x218, 0x21C))
) - frozenset("ĦħĸĿŀŉŦŧſ")
_KNOWN |= frozenset("‐‑‒–—―‘’‚“”†‡•‰‹›€™ẞ↑↓")


def latex(text: str) -> str:
    r"""Return text as LaTeX shows it, on one line; letters with accents are as they are.

    Signs that cannot be seen are left out. Letters that pdfLaTeX does not know, such as Chinese
    ones, stay as they are: see `find_unknown_letters`.

    Examples
    --------
    >>> from earnest.core.text.paper import latex
    >>> print(latex("svm_rbf & γ < 10 %"))
    svm\_rbf \& $\gamma$ $<$ 10 \%
    """
    plain = re.sub("-(?=-)", "-\u200c", _visible(text))  # two hyphens are a dash to LaTeX
    return "".join(_SIGNS.get(sign, sign) for sign in plain).replace("\u200c", "{}")


def find_unknown_letters(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the letters, each once, that need XeLaTeX or LuaLaTeX and a font that has them.

    Examples
    --------
    >>> from earnest.core.text.paper import find_unknown_letters
    >>> find_unknown_letters(["naïve α", "лес"])
    ('л', 'е', 'с')
    """
    letters = dict.fromkeys("".join(_visible(text) for text in texts))
    return tuple(c for c in letters if not c.isascii() and c not in _KNOWN and c not in _SIGNS)


def _visible(text: str) -> str:
    """Return text on one line without signs that cannot be seen, letters and accents as one."""
    signs = []
    for sign in unicodedata.normalize("NFC", one_line(text)):
        kind = unicodedata.category(sign)
        blank = kind in ("Zl", "Zp") or (kind == "Zs" and sign != "\u00a0")
        signs.append(" " if blank else "" if kind in ("Cc", "Cf", "Cs") else sign)
    return "".join(signs)


def one_line(text: str) -> str:
    """Return text with every run of blanks and line ends as one blank."""
    return re.sub(r"[ \t\r\n\f\v\x1c-\x1e\x85\u2028\u2029]+", " ", text)


NONE = "–"
_NUMERIC = re.compile(r"[<>] |[\d\[" + MINUS + NONE + "]")

_MARKDOWN = re.compile(r"([\\`*_|<>]|(?<=\])[(\[])")  # brackets alone make no link


@dataclass(frozen=True)
class PaperTable:
    """A table of text: heads, rows, and a line that says what it is based on."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str

    def to_markdown(self) -> str:
        """Return a pipe table with its note under it."""
        lines = [self._line(self.heads), self._line(self._rule(), raw=True)]
        lines += [self._line(row) for row in self.rows]
        return "\n".join([*lines, "", _markdown(self.note), ""])

    def to_latex(self) -> str:
        """Return a tabular that needs the package booktabs, with the note as its first line."""
        columns = "".join("r" if right else "l" for right in self._right())
        lines = [
            f"% {clean_line(one_line(self.note))}",
            *self._engine(),
            f"\\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_row(self.heads),
            r"\midrule",
            *(_latex_row(row) for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join([*lines, ""])

    def _engine(self) -> list[str]:
        """Say which LaTeX is needed, where a name has letters that not every one knows."""
        letters = find_unknown_letters(cell for row in (self.heads, *self.rows) for cell in row)
        if not letters:
            return []
        needs = "XeLaTeX or LuaLaTeX, with a font that has it"
        return [f"% pdfLaTeX does not know {some(letters)}: use {needs}."]

    def _right(self) -> list[bool]:
        """Tell which columns are numbers, and stand at the right."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.heads)
        return [bool(col) and all(_NUMERIC.match(cell) for cell in col) for col in columns]

    def _rule(self) -> list[str]:
        return ["---:" if right else "---" for right in self._right()]

    @staticmethod
    def _line(cells: Sequence[str], *, raw: bool = False) -> str:
        return f"| {' | '.join(cell if raw else _markdown(cell) for cell in cells)} |"


def _latex_row(cells: Sequence[str]) -> str:
    line = " & ".join(latex(cell) for cell in cells)
    # After the end of a line, LaTeX takes a bracket or a star for its argument.
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", clean_line(one_line(text)))


@singledispatch
def make_paper_table(result: object) -> PaperTable:
    """Return the table of a result."""
    raise TypeError(f"{type(result).__name__} has no table")


@make_paper_table.register
def _make_estimates_table(estimates: Estimate | Estimates) -> PaperTable:
    """Return the table of estimates: one row per method."""
    rows = [estimates] if isinstance(estimates, Estimate) else list(estimates)
    places = places_of(rows)
    metrics = list(dict.fromkeys(e.metric for e in rows))
    level = _level_words([e.interval for e in rows])
    chosen = any(e.n_configs > 1 for e in rows)
    naive, winner = chosen and any(e.naive is not None for e in rows), any(e.winner for e in rows)
    heads = ["method", *([] if len(metrics) == 1 else ["metric"])]
    heads += [metrics[0] if len(metrics) == 1 else "value", level or "interval"]
    heads += ["naive"] * naive + ["winner" if chosen else "model"] * winner
    body = []
    for e in rows:
        limits = e.scale.limits
        cells = [e.method, *([] if len(metrics) == 1 else [e.metric])]
        cells += [_cell(e.value, places, limits)]
        cells += [_ends(e.interval, places, limits, words=level is None)]
        cells += [_cell(e.naive, places, limits)] * naive + [e.winner or NONE] * winner
        body.append(tuple(cells))
    return PaperTable(tuple(heads), tuple(body), _stands_on(rows))


@make_paper_table.register
def _make_gain_table(gain: Gain) -> PaperTable:
    """Return the table of a gain: one row per number of configurations."""
    scores = {"naive": f"naive {gain.metric}", "corrected": f"corrected {gain.metric}"}
    order = "in the order tried" if gain.order == "tried" else "mean over all orders"
    return _make_curve_table(gain, {"configurations": "configurations"}, scores, order)


@make_paper_table.register
def _make_learning_table(curve: LearningCurve) -> PaperTable:
    """Return the table of a learning curve: one row per size."""
    size = {"training_cases": "training cases"}
    return _make_curve_table(curve, size, {"score": curve.metric}, curve.learner)


def _make_curve_table(
    improvement: Improvement, size: dict[str, str], scores: dict[str, str], fact: str
) -> PaperTable:
    """Return the table of a curve: the size and the scores of each row, by field and head."""
    places, limits = (
        decimals(improvement.standard_error, improvement.value),
        improvement.scale.limits,
    )
    body = []
    for row in improvement.rows():
        low, high = row["low"], row["high"]
        ends = NONE
        if low is not None and high is not None:
            ends = f"[{_cell(low, places, limits)}, {_cell(high, places, limits)}]"
        sizes = (str(row[name]) for name in size)
        body.append((*sizes, *(_cell(row[name], places, limits) for name in scores), ends))
    level = f"{improvement.confidence_level * 100:g} % interval"
    heads = (*size.values(), *scores.values(), level)
    return PaperTable(heads, tuple(body), f"n = {improvement.n_cases}, {fact}")


@make_paper_table.register
def _make_thresholds_table(thresholds: Thresholds) -> PaperTable:
    """Return the table of thresholds: a few rows, each measure with the band for all at once."""
    from earnest.core.text.thresholds import SHORT, show_band, show_cut, show_value

    body = []
    for row in thresholds.pick():
        cells = [show_cut(row.threshold)]
        for name in thresholds.measures:
            rate = row.rate(name)
            assert rate is not None
            cells.append(
                f"{show_value(thresholds, name, rate.value)} ({show_band(thresholds, name, rate)})"
            )
        body.append(tuple(cells))
    heads = ("threshold", *(SHORT[name] for name in thresholds.measures))
    level = f"{thresholds.confidence_level * 100:g} % bands at all thresholds at once"
    return PaperTable(
        heads, tuple(body), f"n = {thresholds.n_cases}, {thresholds.n_positive} positive, {level}"
    )


def _stands_on(rows: Sequence[Estimate]) -> str:
    first = rows[0]
    many = first.n_configs != 1
    facts = [f"n = {first.n_cases}", f"{first.n_configs} configuration{'s' * many}"]
    if first.provenance.n_folds > 1:
        repeats = first.provenance.n_repeats
        facts.append(f"{first.provenance.n_folds} folds" + f" × {repeats}" * (repeats > 1))
    codes = sorted({c.code for e in rows for c in e.cautions})
    facts += [f"cautions {', '.join(codes)}"] * bool(codes)
    pairs = [(e.method, estimand_words(e)) for e in rows]
    sentences = [
        f"{', '.join(method for method, words in pairs if words == one)}: {one}."
        for one in dict.fromkeys(words for _, words in pairs)
    ]
    return " ".join([", ".join(facts) + ".", *sentences])


@make_paper_table.register
def _make_comparisons_table(result: Comparison | Comparisons) -> PaperTable:
    """Return the table of comparisons: one row per pair, the nearest rival first."""
    at_once = False
    if isinstance(result, Comparisons):
        result, at_once = result.as_shown()
    many = isinstance(result, Comparisons)
    pairs = result.ranked() if isinstance(result, Comparisons) else [(result, None)]
    comparisons = [comparison for comparison, _ in pairs]
    places = max((places_of_difference(comparison) for comparison in comparisons), default=3)
    level = _level_words([comparison.interval for comparison in comparisons])
    bayesian = any(comparison.probabilities is not None for comparison in comparisons)
    heads = ["configuration" if many else "comparison", "difference", level or "interval"]
    heads += ["better", "equal", "worse"] if bayesian else ["p"]
    if isinstance(result, Comparisons):
        heads += [*([] if bayesian else ["adjusted p"]), "verdict"]
    body = []
    for comparison, adjusted in pairs:
        cells = [comparison.b if many else f"{comparison.a} {MINUS} {comparison.b}"]
        cells += [_cell(comparison.difference, places, comparison.limits)]
        cells += [_ends(comparison.interval, places, comparison.limits, words=level is None)]
        cells += _chances(comparison) if bayesian else [_p(comparison.p_value)]
        if isinstance(result, Comparisons):
            cells += [] if bayesian else [_p(adjusted)]
            cells += [str(result.standings[comparison.b])]
        body.append(tuple(cells))
    return PaperTable(tuple(heads), tuple(body), _say_compared(result, comparisons, at_once))


def statistic_table(
    how: str, numbers: tuple[float, float, float | None], interval: Interval, *, note: str
) -> PaperTable:
    """Return the table of a statistic: one row with its value, standard error and bias."""
    value, error, bias = numbers
    places, open_ended = decimals(error, value), (-math.inf, math.inf)
    cells = [_cell(each, places, open_ended) for each in (value, error)]
    ends = _ends(interval, places, open_ended, words=False)
    shift = NONE if bias is None else f"{bias:.2g}".replace("-", MINUS)
    heads = ("tool", "value", "standard error", _of(interval), "bias")
    return PaperTable(heads, ((how, *cells, ends, shift),), note)


def _say_compared(
    result: Comparison | Comparisons, comparisons: Sequence[Comparison], at_once: bool = False
) -> str:
    first = comparisons[0]
    facts = [f"n = {first.n_cases}", f"test {first.test}"]
    if isinstance(result, Comparisons):
        facts.insert(0, f"{first.metric} of {result.reference} minus that of the configuration")
        rules = {"none": "p not adjusted", "simultaneous": "p adjusted for all simultaneously"}
        facts.append(rules.get(result.adjust, f"adjusted by {result.adjust}"))
        facts += ["simultaneous intervals"] * at_once
    else:
        facts.insert(0, first.metric)
    cautions = [*result.cautions, *(c for comparison in comparisons for c in comparison.cautions)]
    codes = sorted({caution.code for caution in cautions})
    return ", ".join(facts) + (f"; cautions: {', '.join(codes)}" if codes else "") + "."


def _chances(comparison: Comparison) -> list[str]:
    probabilities = comparison.probabilities
    if probabilities is None:
        return [NONE] * 3
    return [
        chance(each)
        for each in (probabilities.a_better, probabilities.equivalent, probabilities.b_better)
    ]


def _p(value: float | None) -> str:
    return NONE if value is None else p_value_text(value)


def _cell(value: float | None, places: int, limits: tuple[float, float]) -> str:
    if value is None or math.isnan(value):
        return NONE
    return number(value, places, limits).replace("-", MINUS)


def _ends(
    interval: Interval | None, places: int, limits: tuple[float, float], *, words: bool
) -> str:
    if interval is None:
        return NONE
    low, high = (_cell(end, places, limits) for end in (interval.low, interval.high))
    shown = {str(Side.LOWER): low, str(Side.UPPER): high}.get(interval.side, f"[{low}, {high}]")
    return f"{_of(interval)} {shown}" if words else shown


def _of(interval: Interval) -> str:
    kind = {str(Side.LOWER): "lower bound", str(Side.UPPER): "upper bound"}
    return f"{100 * interval.confidence_level:.10g}\u00a0% {kind.get(interval.side, 'interval')}"


def _level_words(intervals: Sequence[Interval | None]) -> str | None:
    """Return the head of the column, None where rows differ in level or side."""
    probabilities = {_of(interval) for interval in intervals if interval is not None}
    return probabilities.pop() if len(probabilities) == 1 else None
