"""Content to Markdown: the same words and numbers, figures as tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from earnest.core.results.cautions import Caution, Severity
from earnest.plotting.svg.canvas import Figure
from earnest.reporting.model import (
    Answer,
    AuditPart,
    ComputedPart,
    Content,
    CurvesPart,
    Facts,
    GainPart,
    LearnedPart,
    MethodsPart,
    Panel,
    RegionNode,
    RivalsPart,
    ThresholdsPart,
)

MOST_ROWS = 12  # of the table behind a figure
# What Markdown or the HTML inside it would take for a command.
_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+|!~$&])")
_BREAKS = re.compile(r"\s+")


def write_markdown(content: Content) -> str:
    """Return a report as Markdown."""
    parts = [
        *(_answer(content.answer) if content.answer else ()),
        *(_gain(content.gain) if content.gain else ()),
        *(_methods(content.methods) if content.methods else ()),
        *(line for each in content.resamples for line in _panel(each)),
        *(_rivals(content.rivals) if content.rivals else ()),
        *(_curves(content.curves) if content.curves else ()),
        *(_thresholds(content.thresholds) if content.thresholds else ()),
        *(_learned(content.learned, "##" if content.answer else "#") if content.learned else ()),
        *(_audit(content.audit) if content.audit else ()),
        *_absent(content.absent.values()),
        *_computed(content.computed),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_markdown(text: str) -> str:
    r"""Return a text as Markdown shows it as it is.

    Examples
    --------
    >>> from earnest.reporting.markdown import escape_markdown
    >>> print(escape_markdown("<b>a_b</b>"))
    \<b\>a\_b\</b\>
    """
    return _SIGNS.sub(r"\\\1", _BREAKS.sub(" ", text)).strip()


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [list(head), ["---"] * len(head)]
    body = [[escape_markdown(str(cell)) for cell in row] for row in rows]
    shown = [[escape_markdown(cell) for cell in lines[0]], lines[1], *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in shown)


def _answer(part: Answer) -> Iterator[str]:
    yield f"# {escape_markdown(part.sentence)}"
    yield escape_markdown(part.lede)
    rows = [
        (part.value_title, part.value or "–"),
        *([(part.interval_title, part.interval)] if part.interval_title else []),
        *([(part.naive_title, part.naive)] if part.naive else []),
    ]
    yield grid(("", ""), rows)
    for each in part.advice:
        sign = "" if each.title.endswith("?") else ":"
        yield f"{escape_markdown(each.title)}{sign} {escape_markdown(' '.join(each.words))}"
    yield "What this number is: " + escape_markdown(" ".join(part.meaning))
    yield from _cautions(part.cautions)
    if not part.cautions and part.checked:
        yield f"No cautions. Checked: {part.checked}."
    for group in part.facts:
        yield from _facts(group)


def _gain(part: GainPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    yield escape_markdown(part.lede)
    yield from _panel(part.panel)
    yield escape_markdown(" ".join(part.next))
    if part.more:
        yield "What more cases would do: " + escape_markdown(" ".join(part.more))
    if part.learning is not None:
        yield from _panel(part.learning)
    yield from _cautions(part.cautions)


def _thresholds(part: ThresholdsPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    yield escape_markdown(part.lede)
    yield grid(
        ("Threshold", *part.measures),
        (
            (row.threshold, *(f"{value} ({band})" for value, band in row.cells))
            for row in part.rows
            if row.short
        ),
    )
    yield grid(
        ("Rule", "Threshold", *(f"{name}, and as searched" for name in part.chosen_measures)),
        (
            (each.rule, each.threshold, *(f"{v} ({band}), {own}" for v, band, own in each.cells))
            for each in part.choices
        ),
    )
    yield escape_markdown(" ".join(part.note))
    yield from _cautions(part.cautions)


def _cautions(cautions: Sequence[Caution]) -> Iterator[str]:
    if cautions:
        yield "\n".join(
            f"- {each.code} {'(note) ' if each.severity is Severity.NOTE else ''}"
            f"**{escape_markdown(each.what)}** {escape_markdown(f'{each.consequence} {each.cure}')}"
            for each in cautions
        )


def _facts(group: Facts) -> Iterator[str]:
    yield f"### {escape_markdown(group.title)}"
    yield grid(("", ""), group.rows)


def _methods(part: MethodsPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    yield escape_markdown(part.lede)
    for group in part.groups:
        note = f" ({escape_markdown(group.note)})" if group.note else ""
        yield f"**{escape_markdown(group.title)}**{note}"
        yield grid(
            ("Method", "Name and note", "Estimate", f"{part.level} interval", ""),
            (
                (row.title, row.note, row.value, row.interval, "reported" if row.reported else "")
                for row in group.rows
            ),
        )


def _panel(part: Panel) -> Iterator[str]:
    yield f"### {escape_markdown(part.heading)}"
    tag = f"{part.tag}. " if part.tag else ""
    yield escape_markdown(
        " ".join(each for each in (tag.strip(), part.text, part.figure.label) if each)
    )
    yield _numbers(part.figure)
    yield escape_markdown(part.note)


def _numbers(figure: Figure) -> str:
    """Return the data behind a figure, thinned evenly where it is long."""
    if len(figure.table) < 2:
        return ""
    head, *rows = figure.table
    step = max(1, -(-len(rows) // MOST_ROWS))
    return grid(head, rows[::step])


def _rivals(part: RivalsPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    yield escape_markdown(f"{part.lede} Not worse {part.note}")
    several = part.n_others > 1
    heads = ("Interval, this one", "Interval, all at once") if several else ("Interval",)
    yield grid(
        ("Configuration", "Score", "Winner ahead by", *heads, "p, all at once", "Verdict"),
        (
            (
                row.label,
                row.score,
                row.ahead,
                row.interval_one,
                *([row.interval] if several else []),
                row.p,
                ("worse" if row.worse else "not worse") + (", simplest" if row.simplest else ""),
            )
            for row in part.rows
        ),
    )
    yield escape_markdown(part.test)
    yield from _cautions(part.cautions)


def _curves(part: CurvesPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    yield escape_markdown(f"{part.lede} {part.note}")
    for each in (*part.square, *part.wide):
        yield from _panel(each)
    if part.confusion is not None:
        made = part.confusion
        yield f"### {escape_markdown(made.heading)}"
        yield escape_markdown(f"{made.tag}.")
        head = ["", *(f"predicted {label}" for label in made.predicted), "Found", "Interval"]
        rows = ((row.label, *map(str, row.counts), row.share, row.interval) for row in made.rows)
        yield grid(head, rows)
        yield escape_markdown(made.note)
    yield from map(escape_markdown, part.left_out)


def _audit(part: AuditPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    yield escape_markdown(part.lede)
    ids, models = part.with_ids, part.with_models
    named = [*(["Id"] if ids else []), *(["Model"] if models else [])]
    named.append("Settings" if named else "Configuration")
    yield grid(
        ("Rank", *named, part.score_title, "Won", "Status and reason"),
        (
            (
                "–" if row.rank is None else str(row.rank),
                *([row.config] if ids else []),
                *([row.model] if models else []),
                row.settings,
                row.score,
                row.won,
                f"{row.status}{', simplest' if row.simplest else ''} {row.reason}",
            )
            for row in part.rows
        ),
    )
    if part.dropped is not None:
        yield from _facts(part.dropped)


def _learned(part: LearnedPart, signs: str) -> Iterator[str]:
    yield f"{signs} {escape_markdown(part.heading)}"
    yield escape_markdown(f"{part.lede} {part.trust} {part.looked}")
    yield from _cautions(part.cautions)
    yield "### Which hyperparameters matter"
    yield escape_markdown(part.importance.label)
    yield _numbers(part.importance)
    for each in (*part.effects, *part.flat):
        yield from _panel(each)
    for tree in part.regions:
        yield f"### Regions of {escape_markdown(tree.param)}"
        yield escape_markdown(tree.lede)
        yield "\n".join(_nodes(tree.root))
    if part.untold:
        yield "\n".join(f"- {escape_markdown(words)}" for words in part.untold)
    yield "### Values as good as the best"
    yield escape_markdown(part.stable)
    for group in part.numbers:
        yield from _facts(group)
    if part.next:
        yield f"### {part.next_title}"
        yield "\n".join(f"- {escape_markdown(words)}" for words in part.next)


def _nodes(node: RegionNode) -> Iterator[str]:
    best = " (holds the winner)" if node.best else ""
    yield (
        "  " * node.depth + f"- {escape_markdown(f'{node.title}: {node.facts}, {node.band}{best}')}"
    )
    for child in node.children:
        yield from _nodes(child)


def _absent(reasons: Iterable[str]) -> Iterator[str]:
    told = list(reasons)
    if told:
        yield "## What is not in this report"
        yield "\n".join(f"- {escape_markdown(why)}" for why in told)


def _computed(part: ComputedPart) -> Iterator[str]:
    yield f"## {escape_markdown(part.heading)}"
    for group in part.facts:
        yield from _facts(group)
    if part.paragraph:
        yield "### For the methods section of a paper"
        yield escape_markdown(part.paragraph)
    if part.citations:
        yield "### References"
        yield "\n".join(f"- {escape_markdown(words)}" for _, words in part.citations)
        yield f"```bibtex\n{part.bibtex}\n```"
