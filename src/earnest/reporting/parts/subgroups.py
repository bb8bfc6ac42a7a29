"""For whom the number holds: the part of a report on subgroups."""

from __future__ import annotations

from earnest.core.results.calibration import CalibrationVerdict
from earnest.core.results.specs import Selection
from earnest.core.results.subgroups import Subgroup, Subgroups, SubgroupStanding
from earnest.core.results.thresholds import Thresholds
from earnest.core.text.numbers import percent
from earnest.core.text.subgroups import (
    show_gap,
    show_gap_limits,
    show_limits,
    show_score,
    show_value,
    word_bound,
    word_calibration,
    word_gap,
    word_headline,
    word_unjudged,
)
from earnest.core.text.thresholds import SHORT, show_band, show_cut
from earnest.core.text.thresholds import show_value as show_rate
from earnest.metrics import METRICS
from earnest.plotting.svg.canvas import Axis
from earnest.plotting.svg.strips import scale_over, strip_axis
from earnest.plotting.svg.subgroups import subgroup_strip
from earnest.reporting.model import NONE, SubgroupRates, SubgroupRow, SubgroupsPart
from earnest.reporting.sources.asking import Results

RATES = ("sensitivity", "specificity", "flagged")
KINDS = {SubgroupStanding.WORSE: "worse", SubgroupStanding.BETTER: "better"}


def subgroups_part(results: Results) -> SubgroupsPart | None:
    """Return the heading by rule and a forest plot of all subgroups; None where none are known."""
    groups = results.subgroups
    if groups is None:
        return None
    limits = (end for each in groups.judged for end in (each.low, each.high))
    scale = scale_over([groups.value, *limits], limits=groups.scale.limits)
    title = METRICS[groups.metric].title if groups.metric in METRICS else groups.metric
    level = percent(groups.confidence_level)
    notes = (word_bound(groups), word_unjudged(groups), word_calibration(groups))
    return SubgroupsPart(
        heading=word_headline(groups),
        lede=f"{title} of the same model in every subgroup{_word_correction(groups)}. With {level} "
        "confidence all intervals hold at once.",
        notes=tuple(note for note in notes if note),
        gaps=tuple(word_gap(groups, gap) for gap in groups.gaps),
        level=level,
        total=show_score(groups, groups.value),
        rows=tuple(_row(groups, each, k, scale) for k, each in enumerate(groups)),
        axis=strip_axis(scale, name="subgroups-axis") if groups.judged else None,
        rates=_list_rates(results.thresholds),
        at="" if results.thresholds is None else _show_at(results.thresholds),
        rate_names=tuple(SHORT[name] for name in RATES),
    )


def _word_correction(groups: Subgroups) -> str:
    """Return what is done about the choice of the model."""
    return {
        Selection.CORRECTED: ", corrected for the search as the score of all cases is",
        Selection.UNCORRECTED: ", not corrected for the search",
    }.get(groups.selection, "")


def _row(groups: Subgroups, each: Subgroup, number: int, scale: Axis) -> SubgroupRow:
    return SubgroupRow(
        name=each.name,
        n=f"{each.n_cases:,}",
        value=show_value(groups, each),
        interval=show_limits(groups, each),
        gap=show_gap(groups, each.gap),
        gap_interval=show_gap_limits(groups, each),
        standing=str(each.standing),
        kind=KINDS.get(each.standing, "other"),
        calibration=_show_calibration(each),
        strip=subgroup_strip(each, scale, name=f"subgroup-{number}", reference=groups.value),
    )


def _show_calibration(each: Subgroup) -> str:
    """Return the mean probability beside the share of positives, and where they are off."""
    judged = each.calibration
    if judged is None:
        return NONE
    off = ", off" if judged.verdict is CalibrationVerdict.OFF else ""
    return f"{percent(round(judged.expected, 3))} / {percent(round(judged.observed, 3))}{off}"


def _show_at(thresholds: Thresholds) -> str:
    return show_cut(_find_usual(thresholds))


def _find_usual(thresholds: Thresholds) -> float:
    """Return the usual threshold, or the nearest one of the grid."""
    usual = min(max(thresholds.usual, thresholds.thresholds[0]), thresholds.thresholds[-1])
    return thresholds.at(usual).threshold


def _list_rates(thresholds: Thresholds | None) -> tuple[SubgroupRates, ...]:
    """Return what decisions at the usual threshold are worth in every subgroup."""
    if thresholds is None:
        return ()
    cut = _find_usual(thresholds)
    rows = []
    for each in thresholds.subgroups:
        row, cells = each.table.at(cut), []
        for name in RATES:
            rate = row.rate(name)
            assert rate is not None
            cells.append(
                (show_rate(each.table, name, rate.value), show_band(each.table, name, rate))
            )
        rows.append(SubgroupRates(each.name, tuple(cells)))
    return tuple(rows)
