"""Where to put the threshold: the part of a report that decides between two classes."""

from __future__ import annotations

from earnest.core.results.cautions import Scope
from earnest.core.results.thresholds import ThresholdChoice, ThresholdRow, Thresholds
from earnest.core.text.numbers import percent
from earnest.core.text.thresholds import (
    SHORT,
    headline,
    show_band,
    show_cut,
    show_value,
    tell_bands,
)
from earnest.plotting.svg.thresholds import LEFT, RIGHT
from earnest.plotting.svg.thresholds import thresholds as draw
from earnest.reporting.model import CutChoice, CutRow, Panel, ThresholdsPart
from earnest.reporting.sources.asking import Results

HEADING = "Where to put the threshold"
WIDTH, PHONE, HEIGHT = 520, 350, 280  # pixels
CHOSEN = ("sensitivity", "specificity", "ppv", "npv")
WANTED = 0.9  # the sensitivity, and the specificity, of two of the rules


def thresholds_part(found: Results) -> ThresholdsPart | None:
    """Return curves, every threshold and some choices; None where nothing is decided by a score."""
    made = found.thresholds
    if made is None:
        return None
    short = {row.threshold for row in made.pick()}
    rows = tuple(
        _row(made, row, short=row.threshold in short) for row in map(made.at, made.thresholds)
    )
    usual = min(max(made.usual, made.thresholds[0]), made.thresholds[-1])
    start = made.thresholds.index(made.at(usual).threshold)
    width = max(made.thresholds[-1] - made.thresholds[0], 1e-9)
    choices = [
        made.choose("youden"),
        made.choose(sensitivity=WANTED),
        made.choose(specificity=WANTED),
    ]
    remarks = {c.kind: c for c in (*made.cautions, *(c for one in choices for c in one.cautions))}
    return ThresholdsPart(
        heading=HEADING,
        lede=f"{headline(made)} {tell_bands(made)}",
        note=_notes(made),
        measures=tuple(SHORT[name] for name in made.measures),
        rows=rows,
        start=start,
        positions=tuple((one - made.thresholds[0]) / width for one in made.thresholds),
        chosen_measures=tuple(SHORT[name] for name in CHOSEN),
        choices=tuple(_choice(made, one) for one in choices),
        panels=tuple(_panels(made)),
        span=(LEFT / WIDTH, 1.0 - RIGHT / WIDTH),
        span_phone=(LEFT / PHONE, 1.0 - RIGHT / PHONE),
        cautions=tuple(each for each in remarks.values() if each.about is Scope.THRESHOLD),
    )


def _row(made: Thresholds, row: ThresholdRow, *, short: bool) -> CutRow:
    cells = []
    for name in made.measures:
        rate = row.rate(name)
        assert rate is not None
        cells.append((show_value(made, name, rate.value), show_band(made, name, rate)))
    return CutRow(show_cut(row.threshold), tuple(cells), short)


def _choice(made: Thresholds, choice: ThresholdChoice) -> CutChoice:
    cells = []
    for name in CHOSEN:
        rate = choice.rate(name)
        assert rate is not None
        naive = show_value(made, name, rate.naive)
        cells.append((show_value(made, name, rate.value), show_band(made, name, rate), naive))
    rule = choice.rule[0].upper() + choice.rule[1:]
    return CutChoice(rule, show_cut(choice.threshold), tuple(cells))


def _notes(made: Thresholds) -> tuple[str, ...]:
    level = percent(made.confidence_level)
    own = "the one configuration" if made.n_configs == 1 else "the configuration that it chose"
    useful = " and net benefit" if "net_benefit" in made.curves else ""
    notes = [
        f"Every resample is decided by {own}, on the cases left out. Scores above the threshold "
        f"are called {made.positive}. Bands: {level}.",
        "A threshold chosen on these cases looks better than it is. The values of a rule are "
        "corrected for that choice, too; the second value is what the search itself shows.",
        f"Predictive values{useful} are for {percent(round(made.prevalence, 3))} of class "
        f"{made.positive}, as in these cases.",
    ]
    if "net_benefit" in made.curves:
        notes.append(
            "Net benefit: hits per case less false alarms at the odds of the threshold. Above the "
            "dotted line and above 0, the model is worth using."
        )
    return tuple(notes)


def _panels(made: Thresholds) -> list[Panel]:
    both: tuple[str, ...] = ("sensitivity", "specificity")
    wanted = [("Sensitivity and specificity", both, "cut")]
    if "net_benefit" in made.curves:
        wanted.append(("Net benefit", ("net_benefit",), "benefit"))
    return [
        Panel(
            heading=heading,
            figure=draw(made, name=name, width=WIDTH, height=HEIGHT, measures=measures),
            phone=draw(made, name=f"{name}-phone", width=PHONE, height=HEIGHT, measures=measures),
        )
        for heading, measures, name in wanted
    ]
