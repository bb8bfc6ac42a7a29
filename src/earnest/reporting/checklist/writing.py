"""A checklist as Markdown, as HTML that word processors open, and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from earnest.core.base.check import some
from earnest.core.text.cleaning import clean_line
from earnest.core.text.paper import PaperTable, find_unknown_letters, latex
from earnest.plotting.svg.canvas import spell_out_signs
from earnest.reporting.checklist.checklist import (
    SOURCE,
    Checklist,
    ChecklistRow,
    FactTable,
    Filling,
    word_count,
)
from earnest.reporting.page import SECTIONS, allow_breaks, escape_markdown, mark_code, tokens

HEADS = ("Item", "What is asked", "What the run says", "In the report", "The author must write")
TITLES = dict(SECTIONS)
_WIDTHS = (0.06, 0.19, 0.4, 0.12, 0.23)  # of the page, in LaTeX


def _note(checklist: Checklist) -> str:
    return (
        f"{word_count(checklist)[:1].upper()}{word_count(checklist)[1:]}. Items in short; their "
        f"full text: {SOURCE}."
    )


def _author(row: ChecklistRow) -> str:
    if row.standing is Filling.ELSEWHERE:
        return "Nothing, unless the study also evaluates the model"
    return row.item.author or "–"


def _chapters(checklist: Checklist) -> list[tuple[str, list[ChecklistRow]]]:
    rows = groupby(checklist.rows, key=lambda row: row.item.chapter)
    return [(chapter, list(members)) for chapter, members in rows]


# Markdown.


def write_markdown(checklist: Checklist, page: str) -> str:
    """Return a checklist as Markdown tables; `page` is where the report is."""
    blocks = [f"# {escape_markdown(checklist.title)}", escape_markdown(_note(checklist))]
    for table in checklist.tables:
        blocks.append(f"## {escape_markdown(table.title)}")
        blocks.append(PaperTable(table.heads, table.rows, "").to_markdown().strip())
    for chapter, rows in _chapters(checklist):
        head = [_line(HEADS), _line(["---"] * len(HEADS))]
        lines = [_line(_cells_of_markdown(row, page)) for row in rows]
        blocks += [f"## {chapter}", "\n".join([*head, *lines])]
    return "\n\n".join(blocks) + "\n"


def _cells_of_markdown(row: ChecklistRow, page: str) -> list[str]:
    texts = (f"{row.item.topic}: {row.item.asks}", " ".join(row.facts) or "–")
    places = [_link_markdown(name, page) for name in row.sections]
    asks, facts = map(escape_markdown, texts)
    return [row.item.number, asks, facts, ", ".join(places) or "–", escape_markdown(_author(row))]


def _link_markdown(name: str, page: str) -> str:
    title = escape_markdown(TITLES[name])
    return f"[{title}](<{page}#{name}>)" if page else title


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


# HTML that word processors open: plain tables, no script, colours of the report.

_STYLE = """
@page {{ size: A4 landscape; margin: 15mm; }}
:root {{ {light} color-scheme: light; }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} color-scheme: dark; }} }}
body {{ background: var(--bg); color: var(--ink); font: 11pt/1.4 Calibri, "Segoe UI", sans-serif; }}
body {{ max-width: 75em; margin: 0 auto; padding: 1em; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; width: 100%; margin-bottom: 1em; }}
th, td {{ border: 1px solid #999999; padding: 4px 6px; }}
th, td {{ border-color: var(--rule); }}
th, td {{ text-align: left; vertical-align: top; }}
th {{ font-weight: 600; }}
table.items {{ table-layout: fixed; }}
table.facts td + td, table.facts th {{ overflow-wrap: normal; }}
a {{ color: var(--accent); }}
thead {{ display: table-header-group; }}
tr {{ page-break-inside: avoid; }}
h1, h2 {{ page-break-after: avoid; }}
@media print {{ body {{ background: #ffffff; padding: 0; }} }}
@media screen and (max-width: 700px) {{
  table.items thead {{ display: none; }}
  table.items tr, table.items td {{ display: block; width: auto !important; border-width: 0; }}
  table.items tr {{ border-top: 1px solid var(--rule); padding: 8px 0; }}
  table.items td::before {{ content: attr(data-head) " "; font-weight: 600; }}
}}
"""


def write_html(checklist: Checklist, page: str) -> str:
    """Return a checklist as one HTML page; `page` is where the report is."""
    title = _show(checklist.title)
    style = _STYLE.format(light=tokens(0), dark=tokens(1))
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{style}</style></head><body>",
        f"<h1>{title}</h1><p>{_show(_note(checklist))}</p>",
        *(_write_table(table) for table in checklist.tables),
        *(_write_chapter(chapter, rows, page) for chapter, rows in _chapters(checklist)),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _write_table(table: FactTable) -> str:
    head = "".join(f"<th>{_show(cell)}</th>" for cell in table.heads)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_show(cell)}</td>" for cell in row) + "</tr>\n"
        for row in table.rows
    )
    return (
        f'<h2>{_show(table.title)}</h2>\n<table class="facts"><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{rows}</tbody></table>"
    )


def _write_chapter(chapter: str, rows: Sequence[ChecklistRow], page: str) -> str:
    widths = [f"{100 * width:g}%" for width in _WIDTHS]
    head = "".join(
        f'<th style="width:{width}">{name}</th>' for name, width in zip(HEADS, widths, strict=True)
    )
    lines = "".join(_write_row(row, page) for row in rows)
    return (
        f'<h2>{chapter}</h2>\n<table class="items"><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{lines}</tbody></table>"
    )


def _write_row(row: ChecklistRow, page: str) -> str:
    places = [
        f'<a href="{escape(page)}#{name}">{TITLES[name]}</a>' if page else TITLES[name]
        for name in row.sections
    ]
    cells = (
        f"<b>{row.item.number}</b>",
        f"<b>{_show(row.item.topic)}</b><br>{_show(row.item.asks)}",
        "<br>".join(str(mark_code(text)) for text in row.facts) or "–",
        ", ".join(places) or "–",
        str(mark_code(_author(row))),
    )
    pairs = zip(HEADS, cells, strict=True)
    return (
        "<tr>" + "".join(f'<td data-head="{head}">{cell}</td>' for head, cell in pairs) + "</tr>\n"
    )


def _show(text: str) -> str:
    return str(allow_breaks(spell_out_signs(text)))


# LaTeX.


def write_latex(checklist: Checklist) -> str:
    """Return a checklist as LaTeX tables that break over pages."""
    texts = [cell for table in checklist.tables for row in table.rows for cell in row]
    texts += [text for row in checklist.rows for text in row.facts]
    unknown = find_unknown_letters(texts)
    needs = "% Needs \\usepackage{booktabs,longtable,array}, and a wide page: {landscape}."
    lines = [f"% {clean_line(checklist.title)}. {clean_line(_note(checklist))}", needs]
    if unknown:
        lines.append(f"% pdfLaTeX does not know {some(unknown)}: use XeLaTeX or LuaLaTeX.")
    for table in checklist.tables:
        lines += ["", f"\\subsection*{{{latex(table.title)}}}"]
        lines += _write_longtable(table.heads, table.rows, [0.5, *[0.22] * (len(table.heads) - 1)])
    for chapter, rows in _chapters(checklist):
        cells = [_cells_of_latex(row) for row in rows]
        lines += ["", f"\\subsection*{{{latex(chapter)}}}"]
        lines += _write_longtable(HEADS, cells, _WIDTHS)
    return "\n".join(lines) + "\n"


def _cells_of_latex(row: ChecklistRow) -> tuple[str, ...]:
    return (
        row.item.number,
        f"{row.item.topic}: {row.item.asks}",
        " ".join(row.facts) or "–",
        ", ".join(TITLES[name] for name in row.sections) or "–",
        _author(row),
    )


def _latex(text: str) -> str:
    """Return a text as LaTeX shows it, with what stands between backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a name of the user's has one
        return latex(text)
    return "".join(
        f"\\texttt{{{latex(piece)}}}" if place % 2 else latex(piece)
        for place, piece in enumerate(pieces)
    )


def _write_longtable(
    heads: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float]
) -> list[str]:
    columns = "".join(
        f">{{\\raggedright\\arraybackslash}}p{{{0.9 * width:.3f}\\textwidth}}" for width in widths
    )
    head = " & ".join(latex(cell) for cell in heads)
    body = [" & ".join("{}" + _latex(cell.strip()) for cell in row) + r" \\" for row in rows]
    return [
        f"\\begin{{longtable}}{{{columns}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule\endhead",
        *body,
        r"\bottomrule",
        r"\end{longtable}",
    ]
