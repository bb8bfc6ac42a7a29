"""Text as LaTeX shows it: signs that mean something to it escaped, symbols as their commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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
    ones, stay as they are: see `unknown_letters`.

    Examples
    --------
    >>> from earnest.core.latex import latex
    >>> print(latex("svm_rbf & γ < 10 %"))
    svm\_rbf \& $\gamma$ $<$ 10 \%
    """
    plain = re.sub("-(?=-)", "-\u200c", _visible(text))  # two hyphens are a dash to LaTeX
    return "".join(_SIGNS.get(sign, sign) for sign in plain).replace("\u200c", "{}")


def unknown_letters(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the letters, each once, that need XeLaTeX or LuaLaTeX and a font that has them.

    Examples
    --------
    >>> from earnest.core.latex import unknown_letters
    >>> unknown_letters(["naïve α", "лес"])
    ('л', 'е', 'с')
    """
    found = dict.fromkeys("".join(_visible(text) for text in texts))
    return tuple(c for c in found if not c.isascii() and c not in _KNOWN and c not in _SIGNS)


def _visible(text: str) -> str:
    """Return text on one line without signs that cannot be seen, letters and accents as one."""
    kept = []
    for sign in unicodedata.normalize("NFC", one_line(text)):
        kind = unicodedata.category(sign)
        blank = kind in ("Zl", "Zp") or (kind == "Zs" and sign != "\u00a0")
        kept.append(" " if blank else "" if kind in ("Cc", "Cf") else sign)
    return "".join(kept)


def one_line(text: str) -> str:
    """Return text with every run of blanks and line ends as one blank."""
    return re.sub(r"[ \t\r\n\f\v\x1c-\x1e\x85\u2028\u2029]+", " ", text)
