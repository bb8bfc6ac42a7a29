"""Content to Markdown: the same words and numbers, figures as tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from earnest.reporting.model import Content
from earnest.reporting.page import read_template

MOST_ROWS = 12  # of the table behind a figure
# What Markdown or the HTML inside it would take for a command.
_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+|!~$&])")
_BREAKS = re.compile(r"\s+")
_GAPS = re.compile(r"\n{3,}")


def write_markdown(content: Content) -> str:
    """Return a report as Markdown."""
    text = str(_environment().get_template("report.md").render(c=content))
    return _GAPS.sub("\n\n", text).strip() + "\n"


def escape_markdown(text: str) -> str:
    r"""Return a text as Markdown shows it as it is.

    Examples
    --------
    >>> from earnest.reporting.markdown import escape_markdown
    >>> print(escape_markdown("<b>a_b</b>"))
    \<b\>a\_b\</b\>
    """
    return _SIGNS.sub(r"\\\1", _BREAKS.sub(" ", text)).strip()


@cache
def _environment() -> Any:
    """Return the template's environment: every value is escaped, unless it is marked as safe."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    def show(value: Any) -> Any:
        return value if hasattr(value, "__html__") else Markup(escape_markdown(str(value)))

    made = Environment(
        loader=FunctionLoader(read_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=show,
    )
    made.filters["thin"] = _thin
    return made


def _thin(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the rows of a table, evenly thinned where they are many."""
    return rows[:: max(1, -(-len(rows) // MOST_ROWS))]
