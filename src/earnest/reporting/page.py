"""Content through templates: to HTML, one page that needs nothing else, and to Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from earnest.core.text.cleaning import clean_line
from earnest.plotting.svg.canvas import TOKENS, brief, spell_out_signs
from earnest.reporting.model import Content

SECTIONS = (
    ("answer", "Answer"),
    ("columns", "Columns"),
    ("gain", "Gain"),
    ("subgroups", "Subgroups"),
    ("methods", "Methods"),
    ("rivals", "Comparison"),
    ("curves", "Curves"),
    ("thresholds", "Thresholds"),
    ("learned", "Explanation"),
    ("audit", "Audit"),
    ("computed", "How computed"),
)
_CODE = re.compile("`([^`]+)`")
_LONG = re.compile(r"\S{20,}")  # a name that may not fit a column
MOST_ROWS = 12  # of the table behind a figure, in Markdown
# What Markdown or the HTML inside it would take for a command.
_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+|!~$&])")
_GAPS = re.compile(r"\n{3,}")


def page_of(content: Content, links: Mapping[str, str] | None = None) -> str:
    """Return a report as one HTML file; every text of the user is escaped.

    Parameters
    ----------
    content : Content
        All of it.
    links : mapping of str to str, optional
        Where the files of the run are, seen from the page, by their names.
    """
    shown = [(name, words) for name, words in SECTIONS if getattr(content, name) is not None]
    mark = content.results.get("estimate", {}).get("fingerprint", "")
    footer = f"earnest {mark}" if re.fullmatch("[0-9a-f]+", str(mark)) else "earnest"
    page = environment().get_template("report.html")
    return str(page.render(c=content, sections=shown, footer=footer, links=dict(links or {})))


def tokens(theme: int) -> str:
    """Return the colours of a theme as CSS: 0 is light, 1 is dark."""
    return "".join(f"--{name}:{pair[theme]};" for name, pair in TOKENS.items())


def shown(value: Any) -> Any:
    """Return a value as the page prints it: what cannot be seen spelled out, endless words cut.

    The JSON holds every text whole. What is marked as safe is HTML of our own.
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return brief("\n".join(spell_out_signs(line) for line in value.split("\n")))


def mark_code(value: Any) -> Any:
    """Return a text with what stands between backticks as code; all of it is escaped first."""
    from markupsafe import Markup, escape

    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(shown(value)))))


def allow_breaks(value: Any) -> Any:
    """Return a text in which long names may break at their underscores; it is escaped first."""
    from markupsafe import Markup, escape

    return Markup(_LONG.sub(lambda name: name[0].replace("_", "_<wbr>"), str(escape(shown(value)))))


@cache
def environment() -> Any:
    """Return the templates of HTML."""
    from markupsafe import Markup

    templates = _make_environment(shown)
    templates.filters["coded"] = mark_code
    templates.filters["breakable"] = allow_breaks
    templates.globals.update(light=Markup(tokens(0)), dark=Markup(tokens(1)))
    return templates


def _make_environment(show: Callable[[Any], Any]) -> Any:
    """Return templates: escaping is on, and a name that is not known is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(_read_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=show,
    )


def _read_template(name: str) -> str:
    source = files("earnest.reporting").joinpath("templates", name)
    return source.read_text(encoding="utf-8")


def markdown_of(content: Content) -> str:
    """Return a report as Markdown: the same words and numbers, figures as tables."""
    text = str(_markdown_environment().get_template("report.md").render(c=content))
    return _GAPS.sub("\n\n", text).strip() + "\n"


def escape_markdown(text: str) -> str:
    r"""Return a text as Markdown shows it as it is.

    Examples
    --------
    >>> from earnest.reporting.page import escape_markdown
    >>> print(escape_markdown("<b>a_b</b>"))
    \<b\>a\_b\</b\>
    """
    return _SIGNS.sub(r"\\\1", clean_line(" ".join(text.split())))


@cache
def _markdown_environment() -> Any:
    """Return the template of Markdown: what is not marked as safe is escaped."""
    from markupsafe import Markup

    def show(value: Any) -> Any:
        return value if hasattr(value, "__html__") else Markup(escape_markdown(str(value)))

    templates = _make_environment(show)
    templates.filters["shorten"] = lambda figure: figure.list_rows(MOST_ROWS)
    return templates
