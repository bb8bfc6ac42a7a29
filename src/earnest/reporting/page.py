"""Content to HTML: one page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from earnest.plotting.svg.canvas import TOKENS, brief, plain
from earnest.reporting.model import Content

SECTIONS = (
    ("answer", "Answer"),
    ("gain", "Gain"),
    ("methods", "Methods"),
    ("rivals", "Comparison"),
    ("curves", "Curves"),
    ("thresholds", "Thresholds"),
    ("learned", "Explanation"),
    ("audit", "Audit"),
    ("computed", "How computed"),
)
_CODE = re.compile("`([^`]+)`")


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
    return brief("\n".join(plain(line) for line in value.split("\n")))


def mark_code(value: Any) -> Any:
    """Return a text with what stands between backticks as code; all of it is escaped first."""
    from markupsafe import Markup, escape

    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(shown(value)))))


@cache
def environment() -> Any:
    """Return the templates: escaping is on, and a name that is not known is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FunctionLoader(read_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    made.filters["coded"] = mark_code
    made.globals.update(light=Markup(tokens(0)), dark=Markup(tokens(1)))
    return made


def read_template(name: str) -> str:
    """Return the text of a template."""
    source = files("earnest.reporting").joinpath("templates", name)
    return source.read_text(encoding="utf-8")
