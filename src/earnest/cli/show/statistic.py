"""The score of one configuration with its error by a general tool, as people read it."""

from __future__ import annotations

from rich.text import Text

from earnest.cli.show.estimate import emit_blocks, indented, label_facts, remarks
from earnest.cli.show.terminal import clean
from earnest.core.text.numbers import decimals, number, percent, write_count
from earnest.inference.general.result import StatisticResult
from earnest.metrics import metric as resolve_metric

TOOLS = {
    "jackknife": "the jackknife: one case or group left out at a time",
    "influence": "the influence of each case or group",
}


def show_statistic(result: StatisticResult, metric: str, config: str) -> None:
    """Write a score, its error, and how it was measured."""
    limits = resolve_metric(metric).limits
    places = decimals(result.standard_error, result.value)
    shown = number(result.value, places, limits)
    main = Text(clean(f"{config}: {metric} {shown}."), style="bold")
    wide = (float("-inf"), float("inf"))
    interval = result.interval
    ends = " to ".join(number(end, places, limits) for end in (interval.low, interval.high))
    facts = [
        ("Error", f"{number(result.standard_error, places + 1, wide)}, by {TOOLS[result.tool]}")
    ]
    if result.bias is not None:
        facts.append(("Bias", number(result.bias, places + 1, wide)))
    facts.append(("Interval", f"{ends} ({percent(interval.confidence_level)}, {interval.side})"))
    units = (
        "" if result.n_units == result.n_cases else f" in {write_count(result.n_units, 'group')}"
    )
    facts.append(("Cases", f"{result.n_cases:,}{units}"))
    facts.append(("About", "these predictions; nothing is corrected for a choice"))
    emit_blocks([indented(main)], [label_facts(facts)], remarks(result.cautions, "its spread"))
