"""Text for people: what a terminal or a viewer would obey is spelled out.

Names and labels come from files, and a file may come from anyone. An escape sequence in a name
can rewrite a terminal, an override of direction can turn a sentence round, and a line end can
break a row. Whatever writes text for people passes it through here; data stay as they are.
"""

from __future__ import annotations

import unicodedata


def clean_line(text: str) -> str:
    r"""Return text in one line, with characters that cannot be seen spelled out.

    Control and format characters, line ends and halves of surrogate pairs are written as Python
    writes them; blanks of any width stay.

    Examples
    --------
    >>> from earnest.core.text.cleaning import clean_line
    >>> print(clean_line("svm" + chr(27) + "[31m" + chr(10) + "::error"))
    svm\x1b[31m\n::error
    """
    return text if text.isprintable() else "".join(map(_spell, text))


def clean_text(text: str) -> str:
    r"""Return text as `clean_line` does, with its lines kept.

    Examples
    --------
    >>> from earnest.core.text.cleaning import clean_text
    >>> clean_text("first" + chr(7) + chr(10) + "second")
    'first\\x07\nsecond'
    """
    return "\n".join(map(clean_line, text.split("\n")))


def _spell(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    return repr(character)[1:-1]
