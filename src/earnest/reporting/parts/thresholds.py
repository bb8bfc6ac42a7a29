"""Where to put the threshold: the part of a report that decides between two classes."""

from __future__ import annotations

from earnest.core.results.cautions import Scope
from earnest.core.results.thresholds import ThresholdChoice, ThresholdRow, Thresholds
from earnest.core.text.numbers import percent
from earnest.core.text.thresholds import (
    SHORT,
    show_band,
    show_cut,
    show_value,
    tell_bands,
    word_headline,
)
from earnest.plotting.svg.thresholds import LEFT, RIGHT
from earnest.plotting.svg.thresholds import thresholds as draw
from earnest.reporting.model import CutChoice, CutRow, Panel, ThresholdsPart
from earnest.reporting.sources.asking import Results

HEADING = "Where to put the threshold"
WIDTH, PHONE, HEIGHT = 520, 350, 280  # pixels
CHOSEN = ("sensitivity", "specificity", "ppv", "npv")
WANTED = 0.9  # the sensitivity, and the specificity, of two of the rules


def thresholds_part(results: Results) -> ThresholdsPart | None:
    """Return curves, every threshold and some choices; None where nothing is decided by a score."""
    table = results.thresholds
    if table is None:
        return None
    short = {row.threshold for row in table.pick()}
    rows = tuple(
        _row(table, row, short=row.threshold in short) for row in map(table.at, table.thresholds)
    )
    usual = min(max(table.usual, table.thresholds[0]), table.thresholds[-1])
    start = table.thresholds.index(table.at(usual).threshold)
    width = max(table.thresholds[-1] - table.thresholds[0], 1e-9)
    choices = [
        table.choose("youden"),
        table.choose(sensitivity=WANTED),
        table.choose(specificity=WANTED),
    ]
    remarks = {
        c.kind: c for c in (*table.cautions, *(c for choice in choices for c in choice.cautions))
    }
    return ThresholdsPart(
        heading=HEADING,
        lede=f"{word_headline(table)} {tell_bands(table)}",
        note=_notes(table),
        measures=tuple(SHORT[name] for name in _list_measures(table)),
        rows=rows,
        start=start,
        positions=tuple(
            (threshold - table.thresholds[0]) / width for threshold in table.thresholds
        ),
        chosen_measures=tuple(SHORT[name] for name in CHOSEN),
        choices=tuple(_choice(table, choice) for choice in choices),
        panels=tuple(_panels(table)),
        span=(LEFT / WIDTH, 1.0 - RIGHT / WIDTH),
        span_phone=(LEFT / PHONE, 1.0 - RIGHT / PHONE),
        cautions=tuple(each for each in remarks.values() if each.about is Scope.THRESHOLD),
    )


def _list_measures(thresholds: Thresholds) -> list[str]:
    """Return the measures of the long table: a standardized net benefit only restates another."""
    return [name for name in thresholds.measures if name != "standardized_net_benefit"]


def _row(thresholds: Thresholds, row: ThresholdRow, *, short: bool) -> CutRow:
    cells = []
    for name in _list_measures(thresholds):
        rate = row.rate(name)
        assert rate is not None
        cells.append((show_value(thresholds, name, rate.value), show_band(thresholds, name, rate)))
    return CutRow(show_cut(row.threshold), tuple(cells), short)


def _choice(thresholds: Thresholds, choice: ThresholdChoice) -> CutChoice:
    cells = []
    for name in CHOSEN:
        rate = choice.rate(name)
        assert rate is not None
        naive = show_value(thresholds, name, rate.naive)
        cells.append(
            (show_value(thresholds, name, rate.value), show_band(thresholds, name, rate), naive)
        )
    rule = choice.rule[0].upper() + choice.rule[1:]
    return CutChoice(rule, show_cut(choice.threshold), tuple(cells))


def _notes(thresholds: Thresholds) -> tuple[str, ...]:
    level = percent(thresholds.confidence_level)
    useful = " and net benefit" if "net_benefit" in thresholds.curves else ""
    adds = (
        "What choosing adds is taken off the winner's own values, by what resamples lose on the "
        "cases left out."
    )
    if thresholds.n_members is not None:
        adds = (
            "Each small part of the cases is decided by the ensemble chosen on all others, on the "
            "cases left out."
        )
    notes = [
        f"{adds} Scores above the threshold are called {thresholds.positive}. Bands: {level}.",
        "A threshold chosen on these cases looks better than it is. The values of a rule are "
        "corrected for that choice, too; the second value is what the search itself shows.",
        f"Predictive values{useful} are for {percent(round(thresholds.prevalence, 3))} of class "
        f"{thresholds.positive}, as in these cases.",
    ]
    if "net_benefit" in thresholds.curves:
        notes.append(
            "Net benefit: hits per case less false alarms at the odds of the threshold. Above the "
            "dotted line and above 0, the model is worth using."
        )
    return tuple(notes)


def _panels(thresholds: Thresholds) -> list[Panel]:
    both: tuple[str, ...] = ("sensitivity", "specificity")
    wanted = [("Sensitivity and specificity", both, "cut")]
    if "net_benefit" in thresholds.curves:
        wanted.append(("Net benefit", ("net_benefit",), "benefit"))
    return [
        Panel(
            heading=heading,
            figure=draw(thresholds, name=name, width=WIDTH, height=HEIGHT, measures=measures),
            phone=draw(
                thresholds, name=f"{name}-phone", width=PHONE, height=HEIGHT, measures=measures
            ),
        )
        for heading, measures, name in wanted
    ]
